"""The words of a graph's relations and the names of its classes, in a file that users can correct."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.patterns.dotted import spoken_part
from graphbrick.patterns.english.labels import english_table, kind_in, names_kind_of_tails, read_label
from graphbrick.patterns.text import in_words
from graphbrick.patterns.words.classes import inferred_classes, shares_of_slots, types_in_labels, types_of_slots
from graphbrick.patterns.words.merged_classes import merged_classes
from graphbrick.patterns.words_file import HEAD, TAIL, EntityClass, RelationWords, read_words, words_text

NAMELESS = ("thing", "one", "item")
_OF_ALL = 0.8  # share of a class that is at the tails of a relation, for the relation to name it


@dataclass
class Phrasebook:
    """The words of every relation and the names of every class.

    Attributes:
        relations: The words of each relation, by label.
        classes: The classes of entities.
        has_types: Whether the classes are the types of a graph.
    """

    relations: dict[str, RelationWords]
    classes: list[EntityClass]
    has_types: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, graph: Graph) -> Phrasebook:
        """Read the relation labels and the types of a graph; without types, classes are inferred."""
        labels = [graph.relation_label(number) for number in range(graph.n_relations)]
        relations = {label: read_label(label) for label in labels}
        types = types_of_slots(graph)
        in_labels = {} if types else types_in_labels(graph)
        groups = [] if types or in_labels else inferred_classes(graph)
        shares = shares_of_slots(graph, groups)
        classes = []
        for name, slots in types.items() or in_labels.items() or ((None, group) for group in groups):
            heads = list(dict.fromkeys(labels[number // 2] for number in slots if number % 2 == 0))
            tails = list(dict.fromkeys(labels[number // 2] for number in slots if number % 2))
            if name is None:
                of_all = {labels[slot // 2] for slot in slots if slot % 2 and shares[slot] >= _OF_ALL}
                classes.append(_nameless(heads, tails, relations, of_all))
            elif in_labels:
                classes.append(_named_in_labels(name, heads, tails))
            else:
                is_person = forms.kind_of(forms.singular(name.lower())) == forms.PERSON
                classes.append(EntityClass([name.lower()], heads, tails, is_person))
        if in_labels:
            _leave_only_people(classes)
        return cls(relations, classes, bool(types))

    def call(self, relation: str, names: Iterable[str]) -> None:
        """Give names to the class of the heads of a relation, or of its tails for «<-relation».

        Raises:
            InputError: The relation is not in the graph, or the names are a single text.
        """
        if isinstance(names, str):
            raise InputError(
                f"names of a class are a list, got {names!r}; try {[names]!r}", code="phrasebook.not_a_list"
            )
        label, is_tail = relation.removeprefix("<-").strip(), relation.startswith("<-")
        chosen = [one for one in self.classes if label in (one.tails if is_tail else one.heads)]
        if not chosen:
            known = ", ".join(sorted(self.relations)[:8])
            raise InputError(
                f"the graph has no relation {label!r} to name a class by; it has {known}",
                code="phrasebook.no_relation",
                label=label,
            )
        lowered = [name.strip().lower() for name in names if name.strip()]
        for one in chosen[:1]:
            one.names = list(dict.fromkeys([*lowered, *one.names]))
            one.person |= any(forms.kind_of(name) == forms.PERSON for name in lowered)

    def names(self, label: str, *, head: bool) -> list[str]:
        """Return nouns for the heads or tails of a relation, those in its label first, then the most specific ones."""
        chosen = [one for one in self.classes if label in (one.heads if head else one.tails)]
        names, said = dict.fromkeys(name for one in chosen for name in one.names), in_words(label).split()
        return sorted(names, key=lambda name: not set(name.split()) <= set(said))

    def only_names(self, label: str, *, forward: bool) -> list[str]:
        """Return the names of the class that no other step leads to from where this one starts: «X's band»."""
        starts = [one for one in self.classes if label in (one.heads if forward else one.tails)]
        steps = {(step, True) for one in starts for step in one.heads} | {
            (step, False) for one in starts for step in one.tails
        }
        leading = [
            {(step, way) for step, way in steps if step in (one.tails if way else one.heads)} for one in self.classes
        ]
        names = [one.names for one, ways in zip(self.classes, leading, strict=True) if ways == {(label, forward)}]
        return list(dict.fromkeys(name for of_class in names for name in of_class))

    def is_person(self, label: str, *, head: bool) -> bool:
        """Return whether the heads or tails of a relation are people."""
        return any(one.person for one in self.classes if label in (one.heads if head else one.tails))

    @property
    def unreadable(self) -> list[str]:
        """The relations in whose labels no word was found."""
        return [label for label, entry in self.relations.items() if entry.is_empty]

    def to_toml(self) -> str:
        """Return the text of the file that users correct."""
        return words_text(self.relations, self.classes)

    @classmethod
    def read(cls, file: Path) -> Phrasebook:
        """Read the file.

        Raises:
            InputError: See `read_words`.
        """
        return cls(*read_words(file))

    def merged(self, fresh: Phrasebook) -> Phrasebook:
        """Return this book for a changed graph: words of users stay, the rest is as in the fresh book."""
        relations = {label: self.relations.get(label, entry) for label, entry in fresh.relations.items()}
        classes = merged_classes(
            self.classes, fresh.classes, self.relations.keys(), _is_by_rules, has_types=fresh.has_types
        )
        return Phrasebook(relations, classes, fresh.has_types)


def _named_in_labels(type_name: str, heads: list[str], tails: list[str]) -> EntityClass:
    """Return the class of a type that relation names give: `olympics.olympic_country`, olympic country and country."""
    name = forms.singular(spoken_part(type_name.rpartition(".")[2]))
    is_person = forms.kind_of(forms.head_of(name)) == forms.PERSON
    return EntityClass(list(dict.fromkeys(filter(None, (kind_in(name), name)))), heads, tails, is_person)


def _leave_only_people(classes: Sequence[EntityClass]) -> None:
    """Mark only those classes as people that mostly are where people are: an organization may be a member too."""
    people = {label for one in classes if "person" in one.names for label in one.tails}
    for one in classes:
        one.person &= not people or 2 * len(people.intersection(one.tails)) >= len(one.tails)


def _is_by_rules(one: EntityClass) -> bool:
    """Return whether a class without a type is as the rules make it: users changed nothing."""
    relations = {label: read_label(label) for label in (*one.heads, *one.tails)}
    # Which tails are all of the class is not in the file; a version before named a class by such labels only.
    ways = ((), [label for label in one.tails if set(relations[label].tail[:1]) & set(one.names)])
    return any(
        one == made or (one == replace(made, person=one.person) and not one.names)
        for made in (_nameless(one.heads, one.tails, relations, way) for way in ways)
    )


def _nameless(
    heads: list[str], tails: list[str], relations: Mapping[str, RelationWords], of_all: Collection[str] = ()
) -> EntityClass:
    """Return a class of entities without a type, named by what the relations say of their tails and heads.

    Args:
        heads: The relations that they are heads of.
        tails: The relations that they are tails of.
        relations: The words of relations.
        of_all: Those in `tails` whose tails are nearly all of the entities.
    """
    usual = _usual_names([relations[label].tail for label in heads])
    nouns = {label: relations[label].tail[0] for label in tails if relations[label].tail}
    kinds = Counter(filter(None, map(kind_in, nouns.values())))
    is_person = usual == ["person"] or _are_people(
        [relations[label] for label in heads], [relations[label] for label in tails]
    )
    is_person &= all(forms.kind_of(kind) not in (forms.GROUP, forms.PLACE) for kind in kinds)  # «winning team»
    if is_person or usual not in ([], ["person"]):
        return EntityClass(["person"] if is_person else usual, heads, tails, is_person)
    # Many nouns of tails are roles («director»); entities that have relations of their own are named only by labels
    # that say what kind of thing the tails are («on album», «winning team»), or whose tails they all are.
    naming = [
        noun
        for label, noun in nouns.items()
        if not heads or names_kind_of_tails(label) or (label in of_all and _is_kind(noun, label))
    ]
    return EntityClass(list(dict.fromkeys([*(kind for kind, _ in kinds.most_common()), *naming])), heads, tails, False)


def _is_kind(noun: str, label: str) -> bool:
    """Return whether a noun of a label may say what its tails are, not only what they do for the head."""
    is_said = noun in forms.singular(in_words(label))
    return is_said and forms.kind_of(noun) != forms.PERSON and noun not in _word_list("not_only_people")


def _are_people(heads: Sequence[RelationWords], tails: Sequence[RelationWords]) -> bool:
    """Return whether entities are people, as far as their roles say so.

    An agent noun made from a verb («sailor» of «sails under») is weak: ships sail as well. It counts unless somebody
    does something to the entities that is done to things (`done_to_people` in classes.toml has the others).

    Args:
        heads: The relations that they are heads of.
        tails: The relations that they are tails of.
    """
    roles = [entry for entry in heads if entry.head and _is_role_of_people(entry.head)]
    weak = [entry for entry in roles if entry.subject == HEAD and entry.head[0] in forms.agents(entry.verb)]
    if len(roles) > len(weak) or any(entry.tail and _is_role_of_people(entry.tail) for entry in tails):
        return True
    done_to = [entry.verb for entry in heads if entry.subject == TAIL]
    done_to += [entry.verb for entry in tails if entry.subject == HEAD and not entry.preposition]
    return bool(weak) and all(verb in _word_list("done_to_people") for verb in done_to)


def _is_role_of_people(nouns: Sequence[str]) -> bool:
    """Return whether only people have a role: an employer may be a company, and an owner anything."""
    kinds = [forms.kind_of(noun) for noun in nouns]
    is_for_all = not _word_list("not_only_people").isdisjoint(nouns)
    return not is_for_all and kinds[0] == forms.PERSON and forms.GROUP not in kinds and forms.PLACE not in kinds


def _usual_names(nouns: Iterable[Sequence[str]]) -> list[str]:
    """Return the usual noun for entities that have relations with these nouns; empty if unknown.

    Args:
        nouns: The nouns of each relation.
    """
    relations = [set(of_relation) for of_relation in nouns]
    best, names = 1, list[str]()
    for entry in english_table("classes")["class"]:
        sure, has = set(entry["sure"]), {*entry["sure"], *entry["has"]}
        fitting = sum(not has.isdisjoint(relation) for relation in relations)
        if fitting > best and not all(sure.isdisjoint(relation) for relation in relations):
            best, names = fitting, list(entry["names"])
    return names


@lru_cache(maxsize=2)
def _word_list(name: str) -> frozenset[str]:
    return frozenset(english_table("classes")[name].split())
