"""Second phase of a build: find the first position of every key, which identifies the key from here on.

A bucket holds all occurrences of the keys that share the highest bits of their hash. Only the distinct keys of a few
buckets are in memory at a time. The id of an entity is the number of first positions before its own.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress
from graphbrick.core.files.writing import write_array
from graphbrick.graphs.build.ingest import FACTS, KEYS
from graphbrick.graphs.records.blocks import FOR_RELATION, KIND, NAMES_ONLY
from graphbrick.graphs.records.interner import Interner, text_at
from graphbrick.graphs.records.records import DESCRIBED, LABEL, LATEST, LeftOut
from graphbrick.graphs.store.writing.buckets import BucketReader, BucketWriter, groups, width_for
from graphbrick.kernels.positions import NOWHERE, Numbers, mark_positions, note_first
from graphbrick.kernels.strings.spans import Bytes, Offsets, hash_spans
from graphbrick.kernels.strings.spooling import read_occurrences, read_texts

PAIRS, TEXTS, FIRST = "pairs.tmp", "texts.tmp", "first.tmp"
"""Rows (position, first position of its key); texts of entities by first position; bitmap of first positions."""

UNPLACED = "names, types and other facts about keys that the graph does not have"
_EXAMPLES = 5

KEY = DESCRIBED
"""The text kind of the key itself."""


class Dictionary:
    """Finder of the first position of every key.

    A fact about a key that occurs in no triple also creates an entity, at a position after those of all triples. It
    does not if the fact is only for naming, or if it may be about a relation and a relation has the key.

    Args:
        work: The folder of the build.
        triples: Number of triples.
        facts: Number of facts.
        relations: The keys of the relations.
    """

    def __init__(self, work: Path, triples: int, facts: int, relations: Interner) -> None:
        self._work, self._relations, self._behind = work, relations, 2 * triples
        self._bits: npt.NDArray[np.uint64] = np.zeros((2 * triples + facts) // 64 + 1, dtype=np.uint64)
        self._width = width_for(2 * triples + facts)
        self._labels: dict[int, tuple[int, int, str]] = {}
        self.left_out = LeftOut()
        """Receives the facts about keys that are no entities."""

    @property
    def relation_labels(self) -> dict[int, str]:
        """The best label of each relation, by relation id."""
        return {relation: label for relation, (_, _, label) in self._labels.items()}

    def run(self, progress: Progress) -> int:
        """Write pairs, texts and the bitmap of first positions; return the number of entities."""
        with (
            BucketReader(self._work / KEYS) as keys,
            BucketReader(self._work / FACTS) as facts,
            BucketWriter(self._work / PAIRS) as pairs,
            BucketWriter(self._work / TEXTS, pack=True) as texts,
        ):
            for begin, end in groups([keys, facts], progress):
                self._group(keys, facts, begin, end, pairs, texts)
        write_array(self._work / FIRST, self._bits)
        return int(np.bitwise_count(self._bits).sum())

    def _group(
        self, keys: BucketReader, facts: BucketReader, begin: int, end: int, pairs: BucketWriter, texts: BucketWriter
    ) -> None:
        known = Interner()
        first: Numbers = np.empty(0, dtype=np.uint32)
        for stream in keys.pieces(begin, end):
            positions, starts, ends = read_occurrences(stream)
            numbers = known.number(stream, starts, ends)
            first = _longer(first, len(known))
            note_first(numbers, positions, np.ones(len(numbers), dtype=np.bool_), first)
            pairs.rows(np.column_stack([positions, first[numbers]]), (positions >> self._width).astype(np.int32))
        for stream in facts.pieces(begin, end):
            first = self._place(stream, known, first)
        mark_positions(self._bits, first)
        self._write_keys(known, first, texts)
        # All entities of the group are known only now, so the facts are read a second time.
        for stream in facts.pieces(begin, end):
            self._write_facts(stream, known, first, texts)

    def _place(self, stream: Bytes, known: Interner, first: Numbers) -> Numbers:
        """Return the first positions, extended by keys that occur only in facts."""
        _, key_starts, key_ends, kind, rank, serial, starts, ends = read_texts(stream, True)
        hashes = hash_spans(stream, key_starts, key_ends)
        numbers = known.number(stream, key_starts, key_ends, hashes)
        first = _longer(first, len(known))
        makes = (kind & NAMES_ONLY == 0) & (first[numbers] == NOWHERE)
        names = (kind & FOR_RELATION != 0) & (kind & KIND == LABEL)
        may_be_relation = np.flatnonzero(makes | names)
        relation = self._relations.find(
            stream, key_starts[may_be_relation], key_ends[may_be_relation], hashes[may_be_relation]
        )
        of_relation = may_be_relation[relation >= 0]
        makes[of_relation[kind[of_relation] != DESCRIBED]] = False
        note_first(numbers, serial + np.uint32(self._behind), makes, first)
        for i, number in zip(may_be_relation.tolist(), relation.tolist(), strict=True):
            if number >= 0 and names[i]:
                order = (int(rank[i]), -int(serial[i]) if rank[i] == LATEST else int(serial[i]))
                if number not in self._labels or order < self._labels[number][:2]:
                    label = text_at(stream, starts[i], ends[i])
                    self._labels[number] = (*order, label)
        return first

    def _write_keys(self, known: Interner, first: Numbers, texts: BucketWriter) -> None:
        data, starts, ends = known.texts
        placed = first != NOWHERE
        first = first[placed]
        same = np.zeros(len(first), dtype=np.uint8)
        serial = np.zeros(len(first), dtype=np.uint32)
        kind = np.full(len(first), KEY, dtype=np.uint8)
        texts.texts((data, starts[placed], ends[placed]), first, kind, same, serial, self._bucket(first))

    def _write_facts(self, stream: Bytes, known: Interner, first: Numbers, texts: BucketWriter) -> None:
        _, key_starts, key_ends, kind, rank, serial, starts, ends = read_texts(stream, True)
        where = first[known.number(stream, key_starts, key_ends)]
        self._note_unplaced(stream, key_starts, key_ends, kind, where)
        kind &= np.uint8(KIND)
        has_text = (where != NOWHERE) & (kind != DESCRIBED)
        where = where[has_text]
        about = (where, kind[has_text], rank[has_text], serial[has_text], self._bucket(where))
        texts.texts((stream, starts[has_text], ends[has_text]), *about)

    def _note_unplaced(self, stream: Bytes, starts: Offsets, ends: Offsets, kind: Bytes, where: Numbers) -> None:
        """Count the facts about keys that are no entities, other than labels of relations."""
        rows = np.flatnonzero((where == NOWHERE) & (kind & KIND != DESCRIBED))
        if not len(rows):
            return
        relation = self._relations.find(stream, starts[rows], ends[rows], hash_spans(stream, starts[rows], ends[rows]))
        labels = (kind[rows] & FOR_RELATION != 0) & (kind[rows] & KIND == LABEL)
        rows = rows[(relation < 0) | ~labels]
        for row in rows[:_EXAMPLES].tolist():
            self.left_out.add(UNPLACED, text_at(stream, starts[row], ends[row]), 0)
        if len(rows):
            self.left_out.add(UNPLACED, n=len(rows))

    def _bucket(self, first: Numbers) -> npt.NDArray[np.int32]:
        return (first >> self._width).astype(np.int32)


def _longer(first: Numbers, count: int) -> Numbers:
    """Return first positions extended to ``count`` keys; new keys get `NOWHERE`."""
    return np.concatenate([first, np.full(count - len(first), NOWHERE, dtype=np.uint32)])
