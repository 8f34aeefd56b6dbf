"""Properties in the first phase of a build: number the columns, classify cells without types, keep values of triples.

The text of a property fact begins with the number of its column (u32). Values of triples go to a file in source order,
with the number of the triple; the marks of triples, which tell equal ones apart, to another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.files.writing import FileWriter
from graphbrick.core.properties.values import Kind, is_exact_float
from graphbrick.graphs.records.blocks import KIND, FactBlock, TripleBlock
from graphbrick.graphs.records.called import is_other_name
from graphbrick.graphs.records.columns import ColumnKey
from graphbrick.graphs.records.interner import text_at
from graphbrick.graphs.records.records import PROPERTY
from graphbrick.graphs.store.writing.buckets import COUNT, BucketWriter
from graphbrick.kernels.strings import cells
from graphbrick.kernels.strings.spans import Bytes, Offsets, hash_spans

TRIPLE_FACTS, MARKS = "triple_facts.tmp", "marks.tmp"
"""Values of triples in buckets by triple; rows (mark, low and high half of a hash of the properties), one a triple."""

MARK = np.dtype([("mark", "<u4"), ("low", "<u4"), ("high", "<u4")])
"""The row of a triple in `MARKS`: 1 + its number if it has properties, else 0; and the hash of its properties."""

TRIPLES_A_BUCKET = (1 << 32) // COUNT
"""Consecutive triples whose values share a bucket."""

_SHARE = 0.95  # of the cells of a column that must read as values of a kind
_LONG = 16  # digits of whole numbers that a number with decimals may not hold
_EXPONENT = re.compile(r"[0-9]+[eE][0-9]+")  # such as 1E5, which is a code if no cell has a sign or a point
_KINDS = {
    cells.INTEGER: Kind.INTEGER,
    cells.NUMBER: Kind.NUMBER,
    cells.BOOLEAN: Kind.BOOLEAN,
    cells.DATE: Kind.DATE,
    cells.DATETIME: Kind.DATETIME,
}
_OWN_NAMES = 0.98  # share of different values of a column of names
_MOST_HASHES = 1 << 18  # of values that are compared
_FAMILIES = ((cells.INTEGER, cells.NUMBER), (cells.BOOLEAN,), (cells.DATE, cells.DATETIME))


@dataclass
class _Column:
    """A column while it is read: its key, its owners' kind, and how many cells read as what."""

    key: ColumnKey
    of_triples: bool
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(cells.CODE + 1, dtype=np.int64))
    large: int = 0
    may_be_codes: bool = True
    hashes: npt.NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    sampled: int = 0

    def add(self, data: Bytes, starts: Offsets, ends: Offsets) -> None:
        """Classify cells, and look for those that a number with decimals would change."""
        kinds = cells.cell_kinds(data, starts, ends)
        self.counts += np.bincount(kinds, minlength=cells.CODE + 1)
        for row in np.flatnonzero((kinds == cells.INTEGER) & (ends - starts >= _LONG)).tolist():
            self.large += not is_exact_float(int(text_at(data, starts[row], ends[row])))
        if self.may_be_codes:
            rows = np.flatnonzero(kinds == cells.NUMBER).tolist()
            self.may_be_codes = all(_EXPONENT.fullmatch(text_at(data, starts[row], ends[row])) for row in rows)

    def meet(self, data: Bytes, starts: Offsets, ends: Offsets) -> None:
        """Keep hashes of the values, if they may be further names; of many only a sample, in which equal ones stay."""
        found = np.concatenate([self.hashes, hash_spans(data, starts, ends)])
        self.hashes = found[found & np.uint64(self.sampled) == 0]
        while len(self.hashes) > _MOST_HASHES:
            self.sampled = 2 * self.sampled + 1
            self.hashes = self.hashes[self.hashes & np.uint64(self.sampled) == 0]

    @property
    def are_names(self) -> bool:
        """Whether the values are further names of their entities, by the name of the column: hardly one comes twice."""
        return len(self.hashes) > 0 and len(np.unique(self.hashes)) >= _OWN_NAMES * len(self.hashes)

    def kinds(self) -> list[Kind]:
        """Return the kinds that cells are stored as if they read as one; all other cells are texts."""
        if self.key.kind is not None:
            return [self.key.kind]
        total, best = int(self.counts.sum()), max(_FAMILIES, key=lambda family: int(self.counts[list(family)].sum()))
        if self.counts[cells.NUMBER] and (self.large or self.may_be_codes):
            return []
        if self.counts[cells.CODE] or self.counts[list(best)].sum() < _SHARE * total:
            return []
        kinds = [_KINDS[kind] for kind in best if self.counts[kind]]
        return [Kind.NUMBER] if Kind.NUMBER in kinds else kinds


class ValueIngest:
    """The properties of entities and triples in the first phase of a build.

    Args:
        work: The folder of the build.
    """

    def __init__(self, work: Path) -> None:
        self._work = work
        self._columns: dict[tuple[ColumnKey, bool], int] = {}
        self._known: list[_Column] = []
        self._marks: FileWriter | None = None
        self._facts: BucketWriter | None = None
        self._marked = 0

    def stop(self) -> None:
        """Stop writing and discard what is still in memory."""
        if self._marks is not None:
            self._marks.abandon()
        if self._facts is not None:
            self._facts.stop()

    def close(self) -> None:
        """Write what is still in memory."""
        if self._marks is not None:
            self._marks.close()
        if self._facts is not None:
            self._facts.close()

    def columns(self) -> list[dict[str, Any]]:
        """Return name, kinds, whether values are lists and whether they belong to triples, for each column."""
        return [
            {
                "name": column.key.name,
                "kinds": [str(kind) for kind in column.kinds()],
                "list": column.key.is_list,
                "raw": column.key.kind is None,
                "of_triples": column.of_triples,
                "unit": column.key.unit,
                "large": column.large if column.counts[cells.NUMBER] else 0,
                "names": column.are_names,
                "codes": int(column.counts[cells.NUMBER]) if column.may_be_codes else 0,
            }
            for column in self._known
        ]

    def texts_of(self, block: FactBlock) -> tuple[Bytes, Offsets, Offsets]:
        """Return the texts of facts; those of properties begin with the numbers of their columns."""
        if block.column is None:
            return block.data, block.starts, block.ends
        rows = np.flatnonzero((block.kind & KIND) == PROPERTY)
        starts, ends = block.starts[rows], block.ends[rows]
        numbers = self._numbers(block.columns, block.column[rows], block.data, starts, ends, of_triples=False)
        text, text_starts, text_ends = cells.numbered_spans(block.data, starts, ends, numbers)
        all_starts, all_ends = block.starts.copy(), block.ends.copy()
        all_starts[rows], all_ends[rows] = text_starts + len(block.data), text_ends + len(block.data)
        return np.concatenate([block.data, text]), all_starts, all_ends

    def mark(self, block: TripleBlock, first: int) -> None:
        """Keep the properties of the triples of a block, whose numbers begin with ``first``."""
        values, count = block.values, block.starts.shape[1]
        if values is None or not len(values.triple):
            if self._marks is not None:
                self._marks.write(np.zeros(count, dtype=MARK))
            return
        if self._marks is None or self._facts is None:
            self._marks = FileWriter(self._work / MARKS)
            self._marks.write(b"\0" * (MARK.itemsize * first))
            self._facts = BucketWriter(self._work / TRIPLE_FACTS, pack=True)
        data = block.data
        numbers = self._numbers(values.columns, values.column, data, values.starts, values.ends, of_triples=True)
        marks = np.zeros(count, dtype=MARK)
        marks["mark"][values.triple] = first + values.triple + 1
        hashes = _hashes(count, values.triple, numbers, hash_spans(data, values.starts, values.ends))
        marks["low"], marks["high"] = hashes & np.uint64(0xFFFFFFFF), hashes >> np.uint64(32)
        self._marks.write(marks)
        triple = (first + values.triple).astype(np.uint32)
        none = np.zeros(len(triple), dtype=np.uint8)
        bucket = (triple // np.uint32(TRIPLES_A_BUCKET)).astype(np.int32)
        self._facts.texts((data, values.starts, values.ends), triple, none, none, numbers.astype(np.uint32), bucket)

    def _numbers(
        self,
        keys: tuple[ColumnKey, ...],
        column: npt.NDArray[np.int32],
        data: Bytes,
        starts: Offsets,
        ends: Offsets,
        *,
        of_triples: bool,
    ) -> npt.NDArray[np.int32]:
        """Return the number of the column of each value, and classify the cells of columns without a kind."""
        local = np.array([self._number(key, of_triples=of_triples) for key in keys], dtype=np.int32)
        for place, key in enumerate(keys):
            if key.is_list:
                continue
            rows, known = np.flatnonzero(column == place), self._known[local[place]]
            if key.kind is None:
                known.add(data, starts[rows], ends[rows])
            if key.kind in (None, Kind.TEXT) and not of_triples and is_other_name(key.name):
                known.meet(data, starts[rows], ends[rows])
        return local[column]

    def _number(self, key: ColumnKey, *, of_triples: bool) -> int:
        number = self._columns.setdefault((key, of_triples), len(self._known))
        if number == len(self._known):
            self._known.append(_Column(key, of_triples))
        return number


def _hashes(
    count: int, triple: Offsets, column: npt.NDArray[np.int32], texts: npt.NDArray[np.uint64]
) -> npt.NDArray[np.uint64]:
    """Return a hash of the properties of each triple, which does not depend on their order; 0 for none."""
    mixed = (texts ^ (column.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)) * np.uint64(
        0xD6E8FEB86659FD93
    )
    hashes = np.zeros(count, dtype=np.uint64)
    np.add.at(hashes, triple, mixed)
    return hashes
