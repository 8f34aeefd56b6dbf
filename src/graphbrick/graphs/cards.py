"""Cards: all that a graph knows about one entity, in a few lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from graphbrick.core.graph import Capability, PassageText, capabilities_of
from graphbrick.core.items import BaseItem, Citation
from graphbrick.core.properties.stated import short_json, shortened
from graphbrick.core.properties.values import NO_PROPERTIES, Properties, shown_value
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.languages import (
    Texts,
    chosen_texts,
    is_in,
    language_of,
    languages_of,
    usual_languages,
)
from graphbrick.graphs.records.rdf_names import DESCRIPTION_IRIS, local_name, one_value
from graphbrick.graphs.store.literals import literal_types

_BEST = 3  # neighbours of a relation that are named
_MOST_ASKED = 1_000  # triples in each direction that a database is asked for
_PASSAGES = 3
_NAMES = 6  # other names in the text
_LINES, _PROPERTIES = 12, 30  # relations in each direction, and properties, in the text
_LONGEST_VALUE, _LONGEST_PASSAGE = 300, 240  # characters in the text
_MOST_IN_JSON, _LONGEST_IN_JSON = 100, 2_000  # properties and names, and characters of a text
_INNER = re.compile(r"(?<=[a-z]{2})[A-Z](?=[a-z])")  # the capital of a word inside a name: «hasCapital», not «CbG»
_ABOUT = frozenset("summary abstract overview about bio biography comment definition".split())
_REFERENCE = re.compile(r"(?:^|[_\W])(?:id|key|code|url|uri|iri|link|homepage|hash|guid|uuid)s?$", re.IGNORECASE)
_SHORTEST_WORD = 3  # letters; shorter names in capitals are codes
_DISTINGUISHING = 2  # facts that tell namesakes apart


@dataclass(frozen=True)
class Neighbour:
    """An entity at the other end of a relation."""

    key: str
    label: str


@dataclass(frozen=True)
class Group:
    """The triples of one relation that leave or enter an entity.

    Attributes:
        key: Unique name of the relation.
        label: Its name that people use.
        forward: Whether the triples leave the entity.
        triples: Their number.
        count: The number of distinct entities at their other ends.
        best: The first of these, the one with the most triples first.
        is_cut: Whether there are more than these numbers say.
        is_value: Whether the other ends are values of a property, such as numbers.
    """

    key: str
    label: str
    forward: bool
    triples: int
    count: int
    best: tuple[Neighbour, ...]
    is_cut: bool = False
    is_value: bool = False

    @property
    def name(self) -> str:
        """The label as words: «depends on» for DEPENDS_ON, «birth place» for birthPlace."""
        spaced = _INNER.sub(lambda capital: f" {capital[0].lower()}", self.label)
        words = " ".join(spaced.replace("_", " ").split()) or self.label
        return words.lower() if words.isupper() and len(words) > _SHORTEST_WORD else words

    def line(self, name: str, *, keys: bool) -> str:
        """Return the group as a line, with a name for the relation."""
        mark = "; " if any(", " in end.label for end in self.best) else ", "
        ends = mark.join(_named(end.label, end.key if keys else "") for end in self.best)
        if not self.is_cut and self.count <= len(self.best):
            return f"{name}: {ends}"
        at_least = " or more" if self.is_cut else ""
        return f"{name} ({self.count:,}{at_least}): {ends}, ..."


@dataclass(frozen=True, eq=False, repr=False)
class Card(BaseItem):
    """All that a graph knows about one entity.

    Attributes:
        graph: The graph.
        id: Entity id.
        types: Its types.
        description: A sentence about it; empty for none.
        aliases: Its other names.
        properties: Its properties, those first that say the most to people; texts are in one language.
        groups: Its relations: those that leave it first, and those with few ends before those with many.
        passages: A few passages of documents that mention it.
        texts: The texts of each property with languages, by the tags of these.
        apart: What tells it from others of the same name, such as «title Engineer»; empty if the name is its alone.
        score: Score of the last ranking stage.
        source: The stage that made it.
    """

    kind = "card"

    graph: Any
    id: int
    types: tuple[str, ...]
    description: str
    aliases: tuple[str, ...]
    properties: Properties
    groups: tuple[Group, ...]
    passages: tuple[PassageText, ...] = ()
    texts: Mapping[str, Texts] = field(default_factory=dict)
    apart: str = ""
    score: float = 0.0
    source: str = ""

    @property
    def label(self) -> str:
        """The name of the entity."""
        return str(self.graph.label(self.id))

    @property
    def text(self) -> str:
        """The card as lines."""
        return self.lines()

    @property
    def entities(self) -> tuple[int, ...]:
        """The entity."""
        return (self.id,)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The places of its passages."""
        return tuple(Citation(one.document, one.start, one.end, section=one.section) for one in self.passages)

    @property
    def identity(self) -> tuple[str, int]:
        """Kind and id."""
        return self.kind, self.id

    @property
    def degree(self) -> int:
        """The number of its triples."""
        return sum(group.triples for group in self.groups)

    @property
    def is_cut(self) -> bool:
        """Whether it has more triples than the card knows of."""
        return any(group.is_cut for group in self.groups)

    def lines(self, *, keys: bool = False) -> str:
        """Return the card as text: a heading, the description, then a line for each property and relation.

        Args:
            keys: Whether entities are written with their keys.
        """
        graph, about = self.graph, "; ".join(filter(None, (", ".join(self.types), self.apart)))
        head = _named(self.label, graph.key(self.id) if keys else "")
        usual = usual_languages(graph)[0]
        spoken = {name: languages_of(by_tag, self.properties[name], usual) for name, by_tag in self.texts.items()}
        described = [name for name in spoken if self.properties[name] == self.description]
        own = [
            f"{name}: {shortened(shown_value(value), _LONGEST_VALUE)}{spoken.get(name, '')}"
            for name, value in self.properties.items()
            if name not in described
        ]
        values = [one for one in self.groups if one.is_value and one.label not in self.properties]
        own += [one.line(one.label, keys=False) for one in values]
        lines = _first(own, "properties", _PROPERTIES)
        both = Counter((one.key, one.count, one.best) for one in self.groups)  # the same both ways, such as «borders»
        for forward in (True, False):
            groups = [one for one in self.groups if one.forward == forward and not one.is_value]
            told = [(one, "↔" if both[one.key, one.count, one.best] > 1 else "←→"[forward]) for one in groups]
            named = [one.line(f"{arrow} {one.name}", keys=keys) for one, arrow in told if forward or arrow != "↔"]
            lines += _first(named, "relations", _LINES)
        for one in self.passages:
            lines.append(f"«{shortened(' '.join(one.text.split()), _LONGEST_PASSAGE)}» ({one.title or one.document})")
        aliases = ", ".join(self.aliases[:_NAMES])
        lines = [f"also called: {aliases}", *lines] if aliases else lines
        top = [
            f"{head} ({about})" if about else head,
            *filter(None, [self.description.strip() + "".join(spoken[name] for name in described[:1])]),
        ]
        return "\n".join([*top, *(f"- {line}" for line in lines)])

    def to_dict(self) -> dict[str, Any]:
        """Return the card as plain JSON types; long values are cut, which ``properties_cut`` says."""
        properties, is_cut = short_json(self.properties, _MOST_IN_JSON, _LONGEST_IN_JSON)
        return {
            "key": self.graph.key(self.id),
            "label": self.label,
            "apart": self.apart,
            "types": list(self.types),
            "description": shortened(self.description, _LONGEST_IN_JSON),
            "aliases": list(self.aliases[:_MOST_IN_JSON]),
            "properties": properties,
            "properties_cut": is_cut,
            "languages": {name: dict(texts) for name, texts in self.texts.items()},
            "degree": self.degree,
            "is_cut": self.is_cut,
            "relations": [_group_json(group) for group in self.groups],
            "passages": [one._asdict() for one in self.passages],
        }

    def fields(self) -> dict[str, Any]:
        """Return the card as a field of an item."""
        return {"card": self.to_dict()}


def card_of(graph: Any, entity: int, source: str = "", languages: Sequence[str] = ()) -> Card:
    """Return the card of an entity of a folder graph, or of a graph in a database.

    Relations of a database are counted there if it can, else as far as its first triples show them.

    Args:
        graph: The graph.
        entity: Id of the entity.
        source: The stage that makes the card.
        languages: Tags of the languages of texts, best first; by default that of the graph.
    """
    wanted = languages or usual_languages(graph)
    gives = capabilities_of(graph)
    own = graph.properties(entity) if Capability.PROPERTIES in gives else NO_PROPERTIES
    groups = _of_folder(graph, entity, own) if isinstance(graph, Graph) else _of_database(graph, entity, own)
    passages = graph.passages([entity], _PASSAGES)[0] if Capability.PASSAGES in gives else ()
    texts, description = _texts(graph, entity, own), graph.description(entity)
    if wanted[0] != usual_languages(graph)[0]:
        description = _described(graph, texts, wanted) or description
    own = {**own} | {name: one_value(chosen_texts(by_tag, wanted)) for name, by_tag in texts.items()}
    ordered = sorted(own.items(), key=lambda item: _place(item[0]))
    return Card(
        graph,
        entity,
        tuple(graph.types(entity)),
        description,
        tuple(graph.aliases(entity)),
        dict(ordered),
        tuple(sorted(groups, key=lambda group: (not group.forward, group.count, group.label))),
        tuple(passages),
        texts,
        source=source,
    )


def cards_of(graph: Any, entities: Sequence[int], source: str = "", languages: Sequence[str] = ()) -> list[Card]:
    """Return the cards of entities; those of one name have what tells them apart."""
    cards = [card_of(graph, entity, source, languages) for entity in entities]
    facts = {card.id: list(_facts(card)) for card in cards}
    told = []
    for card in cards:
        namesakes = [one for one in cards if one.label == card.label and one.id != card.id]
        others = {fact for one in namesakes for fact in facts[one.id]}
        own = [f"{name} {value}" for name, value in facts[card.id] if (name, value) not in others]
        apart = ", ".join(own[:_DISTINGUISHING]) or graph.key(card.id)
        told.append(replace(card, apart=apart) if namesakes else card)
    return told


def _texts(graph: Any, entity: int, own: Properties) -> dict[str, Texts]:
    """Return the values of properties of an entity that have a language, with those beside them without one."""
    if not own or not (isinstance(graph, Graph) or hasattr(graph, "label_language")):
        return {}
    around = graph.neighbours([entity], direction="out", limit=_MOST_ASKED)[0].triples.tolist()
    texts: dict[str, dict[str, list[str]]] = {}
    for _, relation, tail in around:
        key, name = graph.key(tail), graph.relation_label(relation)
        if name in own and key.startswith('"'):
            texts.setdefault(name, {}).setdefault(language_of(key), []).append(graph.label(tail))
    return {name: by_tag for name, by_tag in texts.items() if by_tag.keys() != {""}}


def _described(graph: Any, texts: Mapping[str, Texts], wanted: Sequence[str]) -> str:
    """Return the description in a wanted language other than that of the graph; empty where there is none."""
    named = {local_name(iri) for iri in DESCRIPTION_IRIS}
    found = [by_tag for name, by_tag in texts.items() if name in named and is_in(by_tag, wanted[0])]
    return next((chosen_texts(by_tag, wanted)[0] for by_tag in found), "")


def _facts(card: Card) -> Iterator[tuple[str, str]]:
    """Yield the short facts of a card, as name and value: relations with one end, properties, then all others."""
    few = [group for group in card.groups if group.forward and group.count == 1 and not group.is_value]
    for group in few:
        yield group.name, group.best[0].label
    for name, value in card.properties.items():
        text = shown_value(value)
        if len(text) <= len(name) + _DISTINGUISHING * _LINES:
            yield name, text
    for group in card.groups:
        if group not in few:
            yield group.name, ", ".join(end.label for end in group.best)


def _of_folder(graph: Graph, entity: int, own: Properties) -> Iterator[Group]:
    """Yield the relations of an entity of a folder graph."""
    csr, values = graph.csr, literal_types(graph)
    elsewhere = _counted(graph.remote, graph.key(entity))
    for forward in (True, False):
        row = csr.row(entity, forward)
        relations = csr.relation[row] if forward else csr.relation[csr.in_triple[row]]
        ends = csr.tail[row] if forward else csr.in_head[row]
        order = np.argsort(relations, kind="stable")
        each, first = np.unique(relations[order], return_index=True)
        for relation, group in zip(each.tolist(), np.split(ends[order], first)[1:], strict=True):
            distinct = np.unique(group)
            degrees = csr.out_end[distinct] - csr.out_begin[distinct] + csr.in_end[distinct] - csr.in_begin[distinct]
            best = distinct[np.argsort(-degrees.astype(np.int64), kind="stable")[:_BEST]].tolist()
            key, label = graph.relation_key(relation), graph.relation_label(relation)
            counted = elsewhere.get((key, forward))
            triples, count = counted or (len(group), len(distinct))
            yield Group(
                key,
                label,
                forward,
                triples,
                count,
                tuple(Neighbour(graph.key(end), graph.label(end)) for end in best),
                is_cut=counted is None and graph.key(entity) in graph.cut,
                is_value=forward and (label in own or relation in values),
            )


def _of_database(graph: Any, entity: int, own: Properties) -> Iterator[Group]:
    """Yield the relations of an entity of a database, with neighbours in its order."""
    key = graph.key(entity)
    for forward, direction in ((True, "out"), (False, "in")):
        around = graph.neighbours([entity], direction=direction, limit=_MOST_ASKED)[0]
        counted = _counted(graph, key) if around.is_cut else {}
        groups: dict[int, list[int]] = {}
        for head, relation, tail in around.triples.tolist():
            groups.setdefault(relation, []).append(tail if forward else head)
        for relation, ends in groups.items():
            distinct, label = list(dict.fromkeys(ends)), graph.relation_label(relation)
            triples, count = counted.get((graph.relation_key(relation), forward), (len(ends), len(distinct)))
            best = tuple(Neighbour(graph.key(end), graph.label(end)) for end in distinct[:_BEST])
            is_cut = around.is_cut and not counted
            yield Group(
                graph.relation_key(relation), label, forward, triples, count, best, is_cut, forward and label in own
            )


def _counted(graph: Any, key: str) -> Mapping[tuple[str, bool], tuple[int, int]]:
    """Return the numbers of triples and neighbours by relation and direction, if a database counts them itself."""
    if graph is None or isinstance(graph, Graph) or getattr(graph, "language", "") != "Cypher":
        return {}
    from graphbrick.graphs.databases.cypher.around import relation_counts  # most graphs are folders

    return relation_counts(graph, graph.handle(graph.entity(key)))


def _place(name: str) -> int:
    """Return the place of a property on a card: prose first, identifiers and addresses last."""
    return 0 if name.lower() in _ABOUT else 2 if is_reference(name) else 1


def is_reference(name: str) -> bool:
    """Return whether a property is an identifier or an address, by its name.

    >>> is_reference("user_id"), is_reference("homepage"), is_reference("budget")
    (True, True, False)
    """
    return _REFERENCE.search(name) is not None


def _named(label: str, key: str) -> str:
    return f"{label} [{key}]" if key else label


def _first(lines: Sequence[str], noun: str, most: int) -> list[str]:
    """Return the first lines, and how many more there are."""
    return [*lines[:most], *([f"and {len(lines) - most:,} more {noun}"] if len(lines) > most else [])]


def _group_json(group: Group) -> dict[str, Any]:
    """Return a group as plain JSON types."""
    facts = asdict(group)
    direction = "out" if facts.pop("forward") else "in"
    return facts | {"name": group.name, "direction": direction, "best": [asdict(end) for end in group.best]}
