"""The graph as a function of passages and extraction results."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.corpus import OCCURS_WITH
from graphbrick.graphs.records.records import EntityRecord, Record
from graphbrick.text.documents.sentences import sentences
from graphbrick.text.documents.store import StoredPassage
from graphbrick.text.extract.describing import joined_descriptions
from graphbrick.text.extract.extraction import Extraction, FoundClaim, Kind
from graphbrick.text.extract.naming import Names

_MOST_IN_SENTENCE = 20  # entities; in longer lists each is joined with as many after it
_TITLE_WORDS = 8
_LEAST, _ROUNDING = 0.01, 1e-9
_MOST_KEYWORDS = 10  # of one triple
_MOST_TIMES = (1 << 16) - 1  # that a pair counts in one passage
_HALF = 32  # bits of an entity in a pair
_LOW = (1 << _HALF) - 1
_TOGETHER = 1 << 18  # rows that are worked on at once

Ids = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Passages = Callable[[], Iterable[tuple[StoredPassage, Extraction]]]


@dataclass
class TripleRows:
    """Triples as numbers, with the passages that support them.

    Attributes:
        relations: Names of the relations.
        head: int32 [triples], places of the keys of entities in `TextRecords.keys`.
        relation: int32 [triples], places in ``relations``.
        tail: int32 [triples], like ``head``.
        weight: float64 [triples]: the sum of the strengths in the passages that state it, or, for `OCCURS_WITH`, the
            normalized pointwise mutual information of its ends, from 0.01 to 1.
        begin: int64 [triples + 1], where the passages of each triple begin.
        passages: int32, the passages that support each triple, ascending.
        descriptions: How often each description was given, by triple.
        keywords: How often each keyword was given, by triple.
    """

    relations: list[str]
    head: Numbers
    relation: Numbers
    tail: Numbers
    weight: Floats
    begin: Ids
    passages: npt.NDArray[np.int32]
    descriptions: Mapping[int, Counter[str]] = field(default_factory=dict)
    keywords: Mapping[int, Counter[str]] = field(default_factory=dict)

    def description(self, triple: int) -> str:
        """Return the description of a triple; empty for none."""
        descriptions = self.descriptions.get(triple)
        return joined_descriptions(descriptions) if descriptions else ""

    def topics(self, triple: int) -> tuple[str, ...]:
        """Return the keywords of a triple, most frequent first."""
        counts = self.keywords.get(triple)
        return tuple(word for word, _ in counts.most_common(_MOST_KEYWORDS)) if counts else ()


@dataclass
class TextRecords:
    """The records that a graph is built from, without the texts of its passages.

    Attributes:
        names: The entities.
        keys: Their keys, sorted.
        begin: int64 [passages + 1], where the mentions of each passage begin.
        mentions: int32, the entities that each passage mentions, as places in ``keys``.
        triples: The triples among them.
        claims: Claims with the keys of subject and object (empty for none), and the passage of each.
        empty: Addresses of the documents in which no entity was found besides their titles.
    """

    names: Names
    keys: list[str]
    begin: Ids
    mentions: npt.NDArray[np.int32]
    triples: TripleRows
    claims: list[tuple[FoundClaim, int]]
    empty: list[str]

    def records(self) -> Iterator[Record]:
        """Yield the records of the graph, in an order that depends on the content only."""
        for key in self.keys:
            entity = self.names.entities[key]
            description = joined_descriptions(entity.descriptions) if entity.descriptions else None
            yield EntityRecord(key, entity.label(), entity.aliases(), entity.main_types(), description)
        rows = self.triples
        for first in range(0, len(rows.head), _TOGETHER):
            part = slice(first, first + _TOGETHER)
            ends = zip(rows.head[part].tolist(), rows.relation[part].tolist(), rows.tail[part].tolist(), strict=True)
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
        names.count(_named(passage, extraction))
    names.resolve()
    pairs, stated = _Pairs(), _Stated()
    begin, mentions = array("q", [0]), array("i")
    claims, empty = list[tuple[FoundClaim, int]](), dict[str, bool]()
    for i, (passage, extraction) in enumerate(passages()):
        names.add(_named(passage, extraction))
        for entity in extraction.entities:
            names.describe(entity.name, entity.description)
        rows = [[names.id(key) for key in row] for row in _sentence_keys(passage, extraction, names)]
        others = (names.id(key) for name, _ in _mentioned(extraction) if (key := names.key(name)))
        mentions.extend(dict.fromkeys([*(entity for row in rows for entity in row), *others]))
        begin.append(len(mentions))
        empty[passage.address] = empty.get(passage.address, True) and not _names_something(passage, extraction, names)
        pairs.add(i, rows)
        stated.add(i, extraction, names)
        for claim in extraction.claims:
            ends = names.key(claim.subject), names.key(claim.object) if claim.object else ""
            if ends[0]:
                claims.append((claim._replace(subject=ends[0], object=ends[1]), i))
    keys = sorted(names.entities)
    ranks = np.empty(len(keys), dtype=np.int32)
    ranks[[names.id(key) for key in keys]] = np.arange(len(keys))
    mentioned = ranks[np.frombuffer(mentions, dtype=np.int32)]
    triples = _together(stated.rows(ranks), pairs.rows(ranks))
    without = [address for address, is_empty in empty.items() if is_empty]
    return TextRecords(names, keys, np.frombuffer(begin, dtype=np.int64), mentioned, triples, claims, without)


def _named(passage: StoredPassage, extraction: Extraction) -> Iterator[tuple[str, Kind, str]]:
    text = passage.full_text
    if passage.title and len(passage.title.split()) <= _TITLE_WORDS:
        yield passage.title, Kind.NAME, ""
    for mention in extraction.found:
        yield text[mention.start : mention.end], mention.kind, mention.type
    for name, type_ in _mentioned(extraction):
        yield name, Kind.NAME, type_


def _names_something(passage: StoredPassage, extraction: Extraction, names: Names) -> bool:
    """Return whether an entity was found in a passage itself, not only in the title above it."""
    text = passage.full_text
    start = len(text) - len(passage.text)
    mentions = (text[one.start : one.end] for one in extraction.found if one.start >= start)
    return any(map(names.key, mentions)) or any(names.key(name) for name, _ in _mentioned(extraction))


def _mentioned(extraction: Extraction) -> Iterator[tuple[str, str]]:
    """Yield the certain names with their types: those of entities, and the ends of triples and claims."""
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
            mention = extraction.found[place]
            if mention.start >= start:
                keys.append(names.key(text[mention.start : mention.end]))
            place += 1
        row = [key for key in dict.fromkeys(keys) if key]
        if row:
            rows.append(row)
    return rows


class _Stated:
    """The triples that extractors found, each with the passages that state it."""

    def __init__(self) -> None:
        self._relations: dict[str, int] = {}
        self._triples: dict[tuple[int, int, int], int] = {}
        self._triple, self._passage, self._strength = array("q"), array("i"), array("d")
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
            ends = names.id(head), relation, names.id(tail)
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

    def rows(self, ranks: Numbers) -> TripleRows:
        """Return the triples, in the order in which they were found; `ranks` are the places of the entities."""
        ends = np.array(list(self._triples), dtype=np.int32).reshape(-1, 3)
        triple, strength = np.frombuffer(self._triple, dtype=np.int64), np.frombuffer(self._strength, dtype=np.float64)
        order = np.argsort(triple, kind="stable")
        weight: Floats = np.bincount(triple, weights=strength, minlength=len(ends)).astype(np.float64)
        begin = np.concatenate([[0], np.cumsum(np.bincount(triple, minlength=len(ends)))])
        return TripleRows(
            list(self._relations),
            ranks[ends[:, 0]],
            ends[:, 1],
            ranks[ends[:, 2]],
            weight,
            begin,
            np.frombuffer(self._passage, dtype=np.int32)[order],
            self._descriptions,
            self._keywords,
        )


class _Pairs:
    """Counts of entities and of their pairs in sentences; 14 bytes for a pair and passage."""

    def __init__(self) -> None:
        self._units = 0
        self._single = array("q")
        self._pair, self._count, self._passage = array("q"), array("H"), array("i")

    def add(self, passage: int, rows: list[list[int]]) -> None:
        """Count the entities of the sentences of a passage.

        The first of a sentence, which may be the title, is joined with all others.
        """
        pairs: Counter[int] = Counter()
        for row in rows:
            self._units += 1
            self._single.extend([0] * (max(row) + 1 - len(self._single)))
            for i, one in enumerate(row):
                self._single[one] += 1
                others = row[i + 1 :] if i == 0 else row[i + 1 : i + 1 + _MOST_IN_SENTENCE]
                pairs.update((min(one, other) << _HALF) + max(one, other) for other in others)
        self._pair.extend(pairs)
        self._count.extend(min(count, _MOST_TIMES) for count in pairs.values())
        self._passage.extend([passage] * len(pairs))

    def rows(self, ranks: Numbers) -> TripleRows:
        """Return the pairs at least as frequent as by chance, with their normalized information.

        They are sorted by head and tail; `ranks` are the places of the entities. The counts are gone after it.
        """
        pairs = self._ranked(ranks)
        order = np.argsort(pairs, kind="stable")  # so that passages stay in order
        pairs = pairs[order]
        passages = np.frombuffer(self._passage, dtype=np.int32)[order]
        counts = np.frombuffer(self._count, dtype=np.uint16)[order]
        del order, self._passage, self._count
        first = np.flatnonzero(np.diff(pairs, prepend=-1))
        pairs, size = pairs[first], np.diff(first, append=len(pairs))
        count = np.add.reduceat(counts, first, dtype=np.int64) if len(first) else counts
        single = np.zeros(len(ranks), dtype=np.int64)
        single[ranks[: len(self._single)]] = self._single
        head, tail = pairs >> _HALF, pairs & _LOW
        information = np.log(count * self._units / (single[head] * single[tail]))
        chance = np.log(self._units / count)
        share = np.divide(information, chance, out=np.ones(len(pairs)), where=chance > 0)
        stays = information > -_ROUNDING
        begin = np.concatenate([[0], np.cumsum(size[stays])])
        head, tail, weight = head[stays], tail[stays], np.clip(share[stays], _LEAST, 1.0)
        relation = np.zeros(len(head), dtype=np.int32)
        head, tail = head.astype(np.int32), tail.astype(np.int32)
        return TripleRows([OCCURS_WITH], head, relation, tail, weight, begin, passages[np.repeat(stays, size)])

    def _ranked(self, ranks: Numbers) -> Ids:
        """Return each pair as one number: place of the head, place of the tail, the lower first."""
        pairs = np.array(self._pair, dtype=np.int64)
        del self._pair
        for first in range(0, len(pairs), _TOGETHER):
            part = pairs[first : first + _TOGETHER]
            one, other = ranks[part >> _HALF], ranks[part & _LOW]
            part[:] = (np.minimum(one, other).astype(np.int64) << _HALF) + np.maximum(one, other)
        return pairs


def _together(stated: TripleRows, pairs: TripleRows) -> TripleRows:
    """Return the triples of both, which have no relation in common."""
    if not len(stated.head):
        return pairs
    return TripleRows(
        [*stated.relations, *pairs.relations],
        np.concatenate([stated.head, pairs.head]),
        np.concatenate([stated.relation, pairs.relation + len(stated.relations)]),
        np.concatenate([stated.tail, pairs.tail]),
        np.concatenate([stated.weight, pairs.weight]),
        np.concatenate([stated.begin, pairs.begin[1:] + stated.begin[-1]]),
        np.concatenate([stated.passages, pairs.passages]),
        stated.descriptions,
        stated.keywords,
    )
