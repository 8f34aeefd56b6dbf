"""The vocabulary of a graph: names of classes, and the words of its relations.

The words of a relation are those of its label and those in ``words.toml``, which `graphbrick learn` writes and the user
corrects. Words are compared by their stems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick.core.deferred import cached_property
from graphbrick.core.errors import InputError
from graphbrick.core.files.claims import recover
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.literals import literal_types
from graphbrick.graphs.types import entities_by_type
from graphbrick.kernels.distinct import distinct
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import WORD, Stems, spaced, stem, stems
from graphbrick.patterns.text import in_words
from graphbrick.patterns.words_file import WORDS, EntityClass, RelationWords, read_words

Ints = npt.NDArray[np.int64]

_MOST_RELATIONS, _LABELS_READ, _SAME_WORD = 500, 200, 0.6  # of names that end in one word
_MOST_TRIPLES = 2_000_000  # of a graph whose classes are found when it is asked
_ADVICE = "name the folder that graphbrick learn made"
_NUMBERED = Expression(r"[a-z]?\d+[a-z]?|[a-z]")
_PREFIXES = frozenset(("sub", "sup", "co"))
_MODULE, _IN_MODULE = 3, 2  # names of classes that begin with a module; words of one in it: `hr_job`
_NO_HEADS = frozenset(
    map(
        stem,
        "type kind class sort category group level status number code name id key record item thing object entity unit"
        " set list line part value system area state place time date year info data entry node".split(),
    )
)
STAFF = frozenset("staff personnel crew workforce".split())
"""Nouns for people that the dictionary has as groups."""
SMALL = frozenset("of in by at with for to from on the a an has have is was".split())
"""Words of labels without a meaning of their own."""


@dataclass(frozen=True, slots=True)
class RelationNames:
    """The names of a relation.

    Attributes:
        tail: What its tails are called, such as «currency».
        head: What its heads are called, such as «owner».
        words: All single words that speak of it.
        spoken: The words as people write them.
        nouns: The nouns for its tails and heads.
        verb: The verb that joins both ends, as in a dictionary; "" for none.
        subject: Which end does it: "head", "tail", or "" for a state.
    """

    tail: frozenset[Stems]
    head: frozenset[Stems]
    words: frozenset[str]
    spoken: frozenset[str] = frozenset()
    nouns: frozenset[str] = frozenset()
    verb: str = ""
    subject: str = ""


@dataclass(frozen=True)
class Lexicon:
    """The words of one graph.

    Attributes:
        classes: Entities of each class by its name, int64, ascending.
        relations: What each relation is called, by id.
        by_class: The names of classes by their stems.
    """

    classes: Mapping[str, Ints]
    relations: tuple[RelationNames, ...]
    by_class: Mapping[Stems, tuple[str, ...]] = field(repr=False)

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of all names of classes and relations."""
        return frozenset(word for name in self.by_class for word in name) | frozenset(
            word for names in self.relations for word in names.words
        )

    @cached_property
    def roles(self) -> frozenset[Stems]:
        """The names of heads or tails of relations, such as «driver», if it is known which end they name."""
        return frozenset(name for one in self.relations for name in one.tail ^ one.head)

    @cached_property
    def class_of_people(self) -> str:
        """The one class of persons, such as employees; "" without one, and for patients beside staff."""
        from graphbrick.language import forms  # most questions speak of no «people»

        nouns = {name: forms.head_of(spaced(name).lower()) for name in self.classes} if forms.is_installed() else {}
        found = [name for name, noun in nouns.items() if noun in STAFF or forms.kind_of(noun) == forms.PERSON]
        same = all(np.array_equal(self.classes[name], self.classes[found[0]]) for name in found)
        return found[0] if found and same else ""

    def class_named(self, words: Sequence[str]) -> str:
        """Return the class that some stems name; the largest if several have the name, "" for none."""
        return next(iter(self.by_class.get(tuple(words), ())), "")

    def classes_in(self, text: str) -> list[str]:
        """Return the classes that a text names, in order; longer names win."""
        words, classes, at = stems(text), list[str](), 0
        longest = max(map(len, self.by_class), default=0)
        while at < len(words):
            for size in range(longest, 0, -1):
                name = self.class_named(words[at : at + size]) if at + size <= len(words) else ""
                if name:
                    classes.append(name)
                    at += size - 1
                    break
            at += 1
        return classes

    def classes_of(self, entities: Ints) -> str:
        """Return the class that more than half of the entities have, the smallest of several; "" for none."""
        sample = entities[:: max(1, len(entities) // 50)]
        shares = (
            {name: np.isin(sample, members).mean() for name, members in self.classes.items()} if len(sample) else {}
        )
        fits = [name for name, share in shares.items() if share > 0.5]
        return max(fits, key=lambda name: (shares[name], -len(self.classes[name])), default="")


def lexicon_of(graph: Graph, learned: str | None = None) -> Lexicon:
    """Return the words of a graph; a session makes them once, and again when the file of words changes.

    Args:
        graph: The graph.
        learned: The folder that `graphbrick learn` wrote, whose file of words counts; None for none.

    Raises:
        InputError: There is no such folder, or the file of words is damaged; see `read_words`.
    """
    file = None if learned is None else _folder(learned) / WORDS
    stamp = file.stat().st_mtime_ns if file is not None and file.is_file() else 0
    key = ("lexicon", graph.place, graph.hash, file, stamp)
    return current_session().get(key, lambda: _lexicon(graph, file if stamp else None), at_most=8)


def _folder(learned: str) -> Path:
    """Return the folder of a name; raise `InputError` if there is none, as a name may be misspelt."""
    folder = Path(learned)
    try:
        folder = folder.expanduser()
        if not folder.is_dir():
            recover(folder)  # a killed process may have left it aside
    except (OSError, ValueError, RuntimeError) as error:  # also a null character, or the home of an unknown user
        raise InputError(
            f"cannot be read ({getattr(error, 'strerror', None) or error}); {_ADVICE}",
            folder,
            code="lexicon.not_readable",
        ) from error
    if not folder.is_dir():
        raise InputError(f"there is no such folder; {_ADVICE}", folder, code="lexicon.no_folder")
    return folder


def _lexicon(graph: Graph, file: Path | None) -> Lexicon:
    labels = [graph.relation_label(relation) for relation in range(graph.n_relations)]
    tables, entries = _by_labels(graph) if file is None else read_words(file)
    relations = tuple(_names(label, tables.get(label)) for label in labels)
    typed = entities_by_type(graph)
    classes = dict(typed)
    numbers = {label: i for i, label in enumerate(labels)}
    values = {labels[relation] for relation in literal_types(graph)}
    for entry in entries:
        names = entry.names or _nouns(entry, tables)
        known = next((name for name in typed if {stems(name)} & set(map(stems, names))), None)
        if not names or (not entry.heads and set(entry.tails) <= values):
            continue  # a class of numbers is not a class of entities
        members = _members(graph, entry, numbers) if known is None else typed[known]
        for name in names:  # several classes may have one name: doctors and patients are people
            if known is None or stems(name) not in (stems(known), stems(spaced(known))):
                classes[name] = np.union1d(classes.get(name, members), members)
    if not graph.type_table and len(labels) <= _MOST_RELATIONS:
        classes = {**_classes_by_label(graph, values), **classes}
    by_class: dict[Stems, tuple[str, ...]] = {}
    for name in sorted(classes, key=lambda name: -len(classes[name])):
        for words in dict.fromkeys((stems(name), stems(spaced(name)))):  # EggGroup is also asked for as «egg group»
            by_class[words] = (*by_class.get(words, ()), name)
    by_class |= _heads(graph, classes, by_class, relations)
    # «city» of «capital city» speaks of the class, not of the relation.
    general = {word for name in by_class for word in name}
    relations = tuple(_apart(names, label, general) for label, names in zip(labels, relations, strict=True))
    return Lexicon(classes, relations, by_class)


def stems_of_name(name: str) -> frozenset[str]:
    """Return the stems of the name of a class, and of its parts.

    >>> sorted(stems_of_name("GraphicsCard"))
    ['card', 'graphic', 'graphicscard']
    """
    return frozenset((*stems(name), *stems(spaced(name))))


def _heads(
    graph: Graph,
    classes: Iterable[str],
    by_class: Mapping[Stems, tuple[str, ...]],
    relations: Sequence[RelationNames],
) -> dict[Stems, tuple[str, ...]]:
    """Return the last words of names of classes that mean nothing else: «cards» are those of GraphicsCard.

    Names of tables that begin with a module, as several do, go without it: `hr_employee`, `hr_job`, `hr_holidays`.
    """
    found: dict[Stems, list[str]] = {}
    in_module = set[str]()
    modules = Counter(name[0] for name in by_class if len(name) > 1)
    for name in classes:
        words = stems(spaced(name).replace("_", " "))
        if len(words) > 1 and words[-1] not in _NO_HEADS:
            found.setdefault(words[-1:], []).append(name)
            in_module |= {words[-1]} if len(words) == _IN_MODULE and modules[words[0]] >= _MODULE else set()
    columns = {stems(spaced(column.name).replace("_", " ")) for column in getattr(graph, "columns", ())}
    taken = {word for one in relations for word in one.words} | {word for name in by_class for word in name[:-1]}
    taken |= {word for name in columns for word in name}
    taken -= {word for word in in_module if (word,) not in columns}
    return {
        head: tuple(names)
        for head, names in found.items()
        if len(names) == 1 and head not in by_class and head[0] not in taken
    }


def _by_labels(graph: Graph) -> tuple[Mapping[str, RelationWords], list[EntityClass]]:
    """Return the words of relations and the classes of a graph that was not learned; none without a dictionary."""
    from graphbrick.language import forms

    if graph.n_relations > _MOST_RELATIONS or graph.n_triples > _MOST_TRIPLES or not forms.is_installed():
        return {}, []
    from graphbrick.patterns.words.phrasebook import Phrasebook  # the dictionary takes a while

    book = Phrasebook.of(graph)
    return book.relations, [] if book.has_types else book.classes


def _members(graph: Graph, entry: EntityClass, numbers: Mapping[str, int]) -> Ints:
    """Return the entities that have the relations of a class."""
    ids = graph.triple_ids()
    relation = graph.csr.relation[ids]
    heads = [numbers[label] for label in entry.heads if label in numbers]
    tails = [numbers[label] for label in entry.tails if label in numbers]
    at_head, at_tail = ids[np.isin(relation, heads)], ids[np.isin(relation, tails)]
    return distinct(np.concatenate([graph.csr.heads(at_head), graph.csr.tail[at_tail]])).astype(np.int64)


def _nouns(entry: EntityClass, tables: Mapping[str, RelationWords]) -> list[str]:
    """Return the nouns for a class in labels of relations that lead to it: `onAlbum`, album."""
    nouns = [
        noun
        for label in entry.tails
        if label in tables
        for noun in tables[label].tail
        if set(stems(noun)) <= set(label_stems(label))
    ]
    return list(dict.fromkeys(nouns))


def _classes_by_label(graph: Graph, values: Set[str]) -> dict[str, Ints]:
    """Return classes inferred from labels: ends of a relation that share a word, such as «Ward 3».

    Args:
        graph: The graph.
        values: Labels of relations whose tails are numbers or dates.
    """
    ids = graph.triple_ids()
    relation, classes = graph.csr.relation[ids], dict[str, Ints]()
    for number in range(graph.n_relations):
        triples = ids[relation == number]
        sides = [graph.csr.heads(triples)]
        if graph.relation_label(number) not in values:
            sides.append(graph.csr.tail[triples])
        for entities in map(distinct, sides):
            sample = entities[:: max(1, len(entities) // _LABELS_READ)].tolist()
            shared = Counter(filter(None, (_class_word(graph.label(entity)) for entity in sample)))
            word, count = shared.most_common(1)[0] if shared else ("", 0)
            if count >= 2 and count >= _SAME_WORD * len(sample):
                members = [entity for entity in entities.tolist() if _class_word(graph.label(entity)) == word]
                classes[word] = np.union1d(classes.get(word, []), members).astype(np.int64)
    return classes


def _class_word(label: str) -> str:
    """Return the last word of a label, or the one before a number or letter, as its class.

    >>> _class_word("Platform Team"), _class_word("Ward 3"), _class_word("Gate B12"), _class_word("Oslo")
    ('team', 'ward', 'gate', '')
    """
    words = WORD.findall(label.lower())
    if len(words) < 2:
        return ""
    word = words[-2] if _NUMBERED.fullmatch(words[-1]) else words[-1]
    return word if word.isalpha() and len(word) > 1 else ""


def label_stems(label: str) -> Stems:
    """Return the stems of the words of a relation label.

    >>> label_stems("onAlbum"), label_stems("people.person.place_of_birth")
    (('on', 'album'), ('person', 'plac', 'of', 'birth'))
    """
    return stems(in_words(label))


def verb_forms(verb: str) -> list[str]:
    """Return a verb with its forms that follow no rule: drive, drove, driven."""
    from graphbrick.language import forms

    return [verb, forms.past(verb), forms.participle(verb)] if verb and forms.is_installed() else [verb]


def _apart(names: RelationNames, label: str, general: Set[str]) -> RelationNames:
    """Return the names of a relation without words that name classes, unless its label has no others: `CAUSED_BY`."""
    own = set(label_stems(label)) - SMALL
    return replace(names, words=names.words - (general - own if own <= general else general) or names.words)


def _acts(verb: str) -> list[str]:
    """Return the nouns for what a verb does: evolution of evolve."""
    from graphbrick.language import forms

    return forms.acts(verb) if verb and forms.is_installed() else []


def _joined(noun: str) -> str:
    """Return a noun with its prefix, as people write it: `subClassOf` is read as «sub class», and asked as «subclass».

    >>> _joined("sub class"), _joined("head coach")
    ('subclass', 'head coach')
    """
    first, _, rest = noun.partition(" ")
    return f"{first}{rest}" if first in _PREFIXES else noun


def _names(label: str, entry: RelationWords | None) -> RelationNames:
    """Return the names of a relation, from its label and its entry in the file of words."""
    plain = label_stems(label)
    if entry is None or entry.is_empty:
        tail, head, phrases = {plain}, {plain}, {plain}  # which end it names is not known
    else:
        tail, head = (set(map(stems, (*nouns, *map(_joined, nouns)))) for nouns in (entry.tail, entry.head))
        phrases = {plain, *tail, *head, *map(stems, (*verb_forms(entry.verb), *_acts(entry.verb)))}
    words = {word for phrase in phrases for word in phrase if word not in SMALL}
    nouns = frozenset() if entry is None else frozenset((*entry.tail, *entry.head))
    verb, subject = ("", "") if entry is None else (entry.verb, entry.subject)
    spoken = {*WORD.findall(in_words(label)), *(word for noun in nouns for word in WORD.findall(noun))}
    return RelationNames(
        frozenset(tail),
        frozenset(head),
        frozenset(words),
        frozenset({*spoken, *verb_forms(verb)}),
        nouns,
        verb,
        subject,
    )
