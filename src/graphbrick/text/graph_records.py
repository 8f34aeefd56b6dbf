"""The graph as a function of passages and extraction results."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from graphbrick.core.graph import PassageText
from graphbrick.graphs.corpus import OCCURS_WITH
from graphbrick.graphs.records import EntityRecord, Record
from graphbrick.text.chunks import sentences
from graphbrick.text.extraction import Extraction, Kind
from graphbrick.text.naming import Names
from graphbrick.text.store import StoredPassage

_MOST_IN_SENTENCE = 20  # entities; in longer lists each is joined with as many after it
_TITLE_WORDS = 8
_LEAST, _ROUNDING = 0.01, 1e-9


@dataclass
class TextRecords:
    """What a graph is built from.

    Attributes:
        names: The entities.
        passages: All passages.
        mentions: The keys of the entities that each passage mentions, in order.
        triples: Number of supporting passages of each triple of keys.
        weights: Normalized pointwise mutual information of the entities of each co-occurrence, from 0.01 to 1.
    """

    names: Names
    passages: list[PassageText] = field(default_factory=list)
    mentions: list[list[str]] = field(default_factory=list)
    triples: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    weights: dict[tuple[str, str, str], float] = field(default_factory=dict)

    def records(self) -> Iterator[Record]:
        """Yield the records of the graph, in an order that depends on the content only."""
        for key in sorted(self.names.entities):
            entity = self.names.entities[key]
            types = tuple(type_ for type_, _ in sorted(entity.types.items(), key=lambda item: (-item[1], item[0]))[:1])
            yield EntityRecord(key, entity.label(), entity.aliases(), types)
        yield from sorted({*self.triples, *self.weights})

    def weight(self, triple: tuple[str, str, str]) -> float:
        """Return how strongly a triple is supported: its passages, or the information of its ends about each other."""
        return self.triples[triple] + self.weights.get(triple, 0.0)


def text_records(
    passages: Callable[[], Iterable[tuple[StoredPassage, Extraction]]], merges: Mapping[str, str]
) -> TextRecords:
    """Return what a graph of passages is built from.

    Two entities in one sentence make a triple `OCCURS_WITH`, unless they are in one sentence less often than by chance
    (pointwise mutual information below 0). The title of a document counts as a part of each of its sentences.

    Args:
        passages: Returns the passages and what was found in each, in the order of their ids; called twice, so that
            they need not all be in memory.
        merges: Keys that a user has merged into others.
    """
    result = TextRecords(Names(merges))
    for passage, extraction in passages():
        result.names.add(_named(passage, extraction))
    result.names.resolve()
    pairs, units = _Pairs(), 0
    for passage, extraction in passages():
        rows = _sentence_keys(passage, extraction, result.names)
        ends = [key for triple in extraction.triples for key in (triple[0], triple[2])]
        keys = list(dict.fromkeys([*(key for row in rows for key in row), *map(result.names.key, ends)]))
        result.mentions.append([key for key in keys if key])
        result.passages.append(
            PassageText(passage.text, passage.address, passage.start, passage.end, passage.title, passage.section)
        )
        for row in rows:
            pairs.add(row)
            units += 1
        for head, relation, tail in extraction.triples:
            triple = result.names.key(head), relation, result.names.key(tail)
            if triple[0] and triple[2] and triple[0] != triple[2]:
                result.triples[triple] += 1
    result.weights = {(a, OCCURS_WITH, b): weight for (a, b), weight in pairs.weights(units)}
    return result


def _named(passage: StoredPassage, extraction: Extraction) -> Iterator[tuple[str, Kind, str]]:
    text = passage.full_text
    if passage.title and len(passage.title.split()) <= _TITLE_WORDS:
        yield passage.title, Kind.NAME, ""
    for found in extraction.found:
        yield text[found.start : found.end], found.kind, found.type
    for head, _, tail in extraction.triples:
        yield head, Kind.NAME, ""
        yield tail, Kind.NAME, ""


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


class _Pairs:
    """Counts of entities, and of pairs of them, in sentences."""

    def __init__(self) -> None:
        self._single: Counter[str] = Counter()
        self._pair: Counter[tuple[str, str]] = Counter()

    def add(self, keys: list[str]) -> None:
        """Count the entities of one sentence; the first, which may be the title, is joined with all others."""
        self._single.update(keys)
        for i, one in enumerate(keys):
            others = keys[i + 1 :] if i == 0 else keys[i + 1 : i + 1 + _MOST_IN_SENTENCE]
            self._pair.update((one, other) if one < other else (other, one) for other in others)

    def weights(self, units: int) -> Iterator[tuple[tuple[str, str], float]]:
        """Yield the pairs that occur together not less often than by chance, and their normalized information."""
        for (one, other), count in self._pair.items():
            information = math.log(count * units / (self._single[one] * self._single[other]))
            if information > -_ROUNDING:
                share = information / math.log(units / count) if count < units else 1.0
                yield (one, other), min(1.0, max(_LEAST, share))
