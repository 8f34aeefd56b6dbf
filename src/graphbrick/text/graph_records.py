"""The graph as a function of passages and extraction results."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graphbrick.core.graph import PassageText
from graphbrick.graphs.corpus import OCCURS_WITH
from graphbrick.graphs.records import EntityRecord, Record
from graphbrick.text.chunks import sentences
from graphbrick.text.describing import joined_descriptions
from graphbrick.text.extraction import Extraction, FoundClaim, Kind
from graphbrick.text.naming import Names
from graphbrick.text.store import StoredPassage

_MOST_IN_SENTENCE = 20  # entities; in longer lists each is joined with as many after it
_TITLE_WORDS = 8
_LEAST, _ROUNDING = 0.01, 1e-9
_MOST_KEYWORDS = 10  # of one triple

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Passages = Callable[[], Iterable[tuple[StoredPassage, Extraction]]]


@dataclass
class TripleRows:
    """Triples as numbers, with the passages that support them.

    Attributes:
        relations: Names of the relations.
        head: int64 [triples], places of the keys of entities in `TextRecords.keys`.
        relation: int64 [triples], places in ``relations``.
        tail: int64 [triples], like ``head``.
        weight: float64 [triples]: the sum of the strengths in the passages that state it, or, for `OCCURS_WITH`, the
            normalized pointwise mutual information of its ends, from 0.01 to 1.
        support: int64 [supports, 2], triple and passage, each pair once.
        descriptions: How often each description was given, by triple.
        keywords: How often each keyword was given, by triple.
    """

    relations: list[str]
    head: Ids
    relation: Ids
    tail: Ids
    weight: Floats
    support: Ids
    descriptions: Mapping[int, Counter[str]] = field(default_factory=dict)
    keywords: Mapping[int, Counter[str]] = field(default_factory=dict)

    def description(self, triple: int) -> str:
        """Return the description of a triple; empty for none."""
        return joined_descriptions(self.descriptions.get(triple, Counter()))

    def topics(self, triple: int) -> tuple[str, ...]:
        """Return the keywords of a triple, most frequent first."""
        words = self.keywords.get(triple, Counter())
        return tuple(word for word, _ in words.most_common(_MOST_KEYWORDS))


@dataclass
class TextRecords:
    """What a graph is built from.

    Attributes:
        names: The entities.
        keys: Their keys, sorted.
        passages: All passages.
        mentions: The keys of the entities that each passage mentions, in order.
        triples: The triples among them.
        claims: Claims with the keys of subject and object (empty for none), and the passage of each.
    """

    names: Names
    keys: list[str]
    passages: list[PassageText]
    mentions: list[list[str]]
    triples: TripleRows
    claims: list[tuple[FoundClaim, int]]

    def records(self) -> Iterator[Record]:
        """Yield the records of the graph, in an order that depends on the content only."""
        for key in self.keys:
            entity = self.names.entities[key]
            description = joined_descriptions(entity.descriptions) or None
            yield EntityRecord(key, entity.label(), entity.aliases(), entity.main_types(), description)
        rows = self.triples
        ends = zip(rows.head.tolist(), rows.relation.tolist(), rows.tail.tolist(), strict=True)
        yield from ((self.keys[head], rows.relations[relation], self.keys[tail]) for head, relation, tail in ends)


def text_records(passages: Passages, merges: Mapping[str, str]) -> TextRecords:
    """Return what a graph of passages is built from.

    Two entities in one sentence make a triple `OCCURS_WITH`, unless they are in one sentence less often than by chance
    (pointwise mutual information below 0). The title of a document counts as a part of each of its sentences. Entities
    that a model named have no place in a sentence, and make no such triple.

    Args:
        passages: Returns the passages and what was found in each, in the order of their ids; called twice, so that
            they need not all be in memory.
        merges: Keys that a user has merged into others.
    """
    names = Names(merges)
    for passage, extraction in passages():
        names.add(_named(passage, extraction))
        for entity in extraction.entities:
            names.describe(entity.name, entity.description)
    names.resolve()
    keys = sorted(names.entities)
    number = {key: i for i, key in enumerate(keys)}
    pairs, stated = _Pairs(len(keys)), _Stated(number)
    result = TextRecords(names, keys, [], [], pairs.rows(), [])
    for i, (passage, extraction) in enumerate(passages()):
        rows = _sentence_keys(passage, extraction, names)
        others = (names.key(name) for name, _ in _mentioned(extraction))
        mentioned = dict.fromkeys([*(key for row in rows for key in row), *others])
        result.mentions.append([key for key in mentioned if key])
        result.passages.append(
            PassageText(passage.text, passage.address, passage.start, passage.end, passage.title, passage.section)
        )
        pairs.add(i, [[number[key] for key in row] for row in rows])
        stated.add(i, extraction, names)
        for claim in extraction.claims:
            ends = names.key(claim.subject), names.key(claim.object) if claim.object else ""
            if ends[0]:
                result.claims.append((claim._replace(subject=ends[0], object=ends[1]), i))
    result.triples = _together(stated.rows(), pairs.rows())
    return result


def _named(passage: StoredPassage, extraction: Extraction) -> Iterator[tuple[str, Kind, str]]:
    text = passage.full_text
    if passage.title and len(passage.title.split()) <= _TITLE_WORDS:
        yield passage.title, Kind.NAME, ""
    for found in extraction.found:
        yield text[found.start : found.end], found.kind, found.type
    for name, type_ in _mentioned(extraction):
        yield name, Kind.NAME, type_


def _mentioned(extraction: Extraction) -> Iterator[tuple[str, str]]:
    """Yield the names that are entities in any case, with their types: of entities, and the ends of triples, claims."""
    for entity in extraction.entities:
        yield entity.name, entity.type
    for triple in extraction.triples:
        yield triple.head, ""
        yield triple.tail, ""
    for claim in extraction.claims:
        yield claim.subject, ""
        if claim.object:
            yield claim.object, ""


def _sentence_keys(passage: StoredPassage, extraction: Extraction, names: Names) -> list[list[str]]:
    """Return the keys of the entities in each sentence of a passage, each once, after that of the title."""
    text = passage.full_text
    title = names.key(passage.title) if passage.title else ""
    rows = []
    place = 0
    for start, end in sentences(text):
        keys = [title] if title else []
        while place < len(extraction.found) and extraction.found[place].start < end:
            found = extraction.found[place]
            if found.start >= start:
                keys.append(names.key(text[found.start : found.end]))
            place += 1
        row = [key for key in dict.fromkeys(keys) if key]
        if row:
            rows.append(row)
    return rows


class _Stated:
    """The triples that extractors found, each with the passages that state it."""

    def __init__(self, number: Mapping[str, int]) -> None:
        self._number = number
        self._relations: dict[str, int] = {}
        self._triples: dict[tuple[int, int, int], int] = {}
        self._triple, self._passage, self._strength = array("q"), array("q"), array("d")
        self._descriptions: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._keywords: defaultdict[int, Counter[str]] = defaultdict(Counter)

    def add(self, passage: int, extraction: Extraction, names: Names) -> None:
        """Add the triples of one passage; a triple counts once for it, with the greatest strength."""
        strengths: dict[int, float] = {}
        for one in extraction.triples:
            head, tail = names.key(one.head), names.key(one.tail)
            if not head or not tail or head == tail or one.relation == OCCURS_WITH:
                continue
            relation = self._relations.setdefault(one.relation, len(self._relations))
            ends = self._number[head], relation, self._number[tail]
            triple = self._triples.setdefault(ends, len(self._triples))
            strengths[triple] = max(strengths.get(triple, 0.0), one.strength)
            if one.description:
                self._descriptions[triple][one.description] += 1
            if one.keywords:
                self._keywords[triple].update(one.keywords)
        for triple, strength in strengths.items():
            self._triple.append(triple)
            self._passage.append(passage)
            self._strength.append(strength)

    def rows(self) -> TripleRows:
        """Return the triples, in the order in which they were found."""
        ends = np.array(list(self._triples), dtype=np.int64).reshape(-1, 3)
        triple, passage = np.array(self._triple, dtype=np.int64), np.array(self._passage, dtype=np.int64)
        weight: Floats = np.bincount(triple, weights=np.array(self._strength), minlength=len(ends)).astype(np.float64)
        head, relation, tail = ends.T
        support = np.stack([triple, passage], axis=1)
        return TripleRows(
            list(self._relations), head, relation, tail, weight, support, self._descriptions, self._keywords
        )


class _Pairs:
    """Counts of entities, and of pairs of them, in sentences.

    Args:
        n_entities: Number of entities; a pair is one number, first * n_entities + second.
    """

    def __init__(self, n_entities: int) -> None:
        self._n = n_entities
        self._units = 0
        self._single = np.zeros(n_entities, dtype=np.int64)
        self._pair, self._count, self._passage = array("q"), array("q"), array("q")

    def add(self, passage: int, rows: list[list[int]]) -> None:
        """Count the entities of the sentences of a passage.

        The first of a sentence, which may be the title, is joined with all others.
        """
        pairs: Counter[int] = Counter()
        for row in rows:
            self._units += 1
            self._single[row] += 1
            for i, one in enumerate(row):
                others = row[i + 1 :] if i == 0 else row[i + 1 : i + 1 + _MOST_IN_SENTENCE]
                pairs.update(min(one, other) * self._n + max(one, other) for other in others)
        self._pair.extend(pairs)
        self._count.extend(pairs.values())
        self._passage.extend([passage] * len(pairs))

    def rows(self) -> TripleRows:
        """Return the pairs that occur together not less often than by chance, with their normalized information."""
        pairs, place = np.unique(np.array(self._pair, dtype=np.int64), return_inverse=True)
        count = np.bincount(place, weights=np.array(self._count, dtype=np.int64), minlength=len(pairs))
        head, tail = np.divmod(pairs, max(self._n, 1))
        information = np.log(count * self._units / (self._single[head] * self._single[tail]))
        chance = np.log(self._units / count)
        share = np.divide(information, chance, out=np.ones(len(pairs)), where=chance > 0)
        stays = information > -_ROUNDING
        moved = np.cumsum(stays) - 1
        of_these = stays[place]
        support = np.stack([moved[place[of_these]], np.array(self._passage, dtype=np.int64)[of_these]], axis=1)
        head, tail, weight = head[stays], tail[stays], np.clip(share[stays], _LEAST, 1.0)
        return TripleRows([OCCURS_WITH], head, np.zeros(len(head), dtype=np.int64), tail, weight, support)


def _together(stated: TripleRows, pairs: TripleRows) -> TripleRows:
    """Return the triples of both, which have no relation in common."""
    relations, triples = len(stated.relations), len(stated.head)
    return TripleRows(
        [*stated.relations, *pairs.relations],
        np.concatenate([stated.head, pairs.head]),
        np.concatenate([stated.relation, pairs.relation + relations]),
        np.concatenate([stated.tail, pairs.tail]),
        np.concatenate([stated.weight, pairs.weight]),
        np.concatenate([stated.support, pairs.support + np.array([triples, 0])]),
        stated.descriptions,
        stated.keywords,
    )
