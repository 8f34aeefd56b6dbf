"""Check the invariants between the files of a graph, in memory that does not grow with the graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import GraphFormatError
from graphbrick.graphs.store.columns import open_columns
from graphbrick.graphs.store.manifest import Manifest
from graphbrick.graphs.store.strings import StringTable, open_array

_PIECE = 1 << 21
_MIX = np.uint64(0x9E3779B97F4A7C15)

Array: TypeAlias = npt.NDArray[Any]


def check_invariants(folder: Path, manifest: Manifest) -> None:
    """Check that the arrays of a graph folder are consistent.

    Pointers and hashes must ascend, ids must be in range, and rows must be sorted and agree in both directions.

    Raises:
        GraphFormatError: An invariant is violated: the files were not written by a build, or by a faulty build.
    """
    _Files(folder, manifest).check()


class _Files:
    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder, self._manifest = folder, manifest
        self._n, self._m = manifest.entities, manifest.triples

    def check(self) -> None:
        """Check all invariants."""
        sums = [self._rows(*names) for names in (("out_ptr", "tail", "relation"), ("in_ptr", "in_head", "in_triple"))]
        self._demand(sums[0] == sums[1], "in_triple", "triples", "does not hold the triples of the outgoing rows")
        names = self._n + len(self._array("alias_entity"))
        self._sorted_hashes("key_hash", "key_entity", self._n, self._n)
        self._sorted_hashes("name_hash", "name_id", None, names)
        self._ascends("alias_entity")
        self._in_range("alias_entity", self._n)
        if self._manifest.near:
            self._ascends("gram", strictly=True)
            self._pointers("gram_end", len(self._array("gram_name")), first=None)
            self._in_range("gram_name", names)
        if "type_ptr.npy" in self._manifest.files:
            self._pointers("type_ptr", len(self._array("type_id")))
            self._in_range("type_id", len(StringTable.open(self._folder, "types")))
        for number, column in enumerate(open_columns(self._folder, self._manifest.properties)):
            fault = column.check(self._m if column.of_triples else self._n)
            self._demand(not fault, f"property-{number}-{fault}", fault, "is not as a build writes it")
        for table in ("labels", "keys", "descriptions"):
            if StringTable.file(table) in self._manifest.files:
                count = len(StringTable.open(self._folder, table))
                self._demand(count == self._n, table, "length", f"has {count:,} texts instead of {self._n:,}")

    def _array(self, name: str) -> Array:
        return open_array(self._folder / f"{name}.npy")

    def _demand(self, holds: bool, name: str, rule: str, fault: str) -> None:
        """Raise the error about a file unless a rule holds; ``fault`` is its second half."""
        if not holds:
            text = f"{name} of {self._folder} {fault}; build the graph again from its source"
            raise GraphFormatError(text, code="graph.broken_invariant", array=name, rule=rule)

    def _pieces(self, name: str, overlap: int = 0) -> Iterator[Array]:
        array = self._array(name)
        for start in range(0, len(array), _PIECE):
            yield array[start : start + _PIECE + overlap]

    def _ascends(self, name: str, *, strictly: bool = False) -> None:
        for piece in self._pieces(name, overlap=1):
            holds = piece[1:] > piece[:-1] if strictly else piece[1:] >= piece[:-1]
            self._demand(bool(holds.all()), name, "ascending", "is not in ascending order")

    def _in_range(self, name: str, end: int) -> None:
        for piece in self._pieces(name):
            is_inside = bool(((piece >= 0) & (piece < end)).all())
            self._demand(is_inside, name, "range", f"holds ids that are not below {end:,}")

    def _pointers(self, name: str, last: int, *, first: int | None = 0) -> None:
        array = self._array(name)
        self._ascends(name)
        holds = len(array) == 0 or (int(array[-1]) == last and first in (None, int(array[0])))
        self._demand(holds, name, "end", f"does not end at {last:,}")

    def _sorted_hashes(self, hashes: str, ids: str, count: int | None, end: int) -> None:
        sizes = {len(self._array(name)) for name in (hashes, ids)}
        is_equal = len(sizes) == 1 and count in (None, *sizes)
        self._demand(is_equal, ids, "length", "has another length than its hashes or entities")
        self._ascends(hashes)
        self._in_range(ids, end)

    def _rows(self, pointers: str, first: str, second: str) -> int:
        """Check the rows of one direction; return an order-independent hash of all triples (head, tail, id)."""
        outgoing = pointers == "out_ptr"
        ptr, ends, others = (self._array(name) for name in (pointers, first, second))
        self._demand(len(ptr) == self._n + 1, pointers, "length", f"has not {self._n + 1:,} entries")
        self._pointers(pointers, self._m)
        self._in_range(first, self._n)
        self._in_range(second, self._manifest.relations if outgoing else self._m)
        total = 0
        # Triples that differ in their properties only are equal here.
        may_repeat = outgoing and any(column["of_triples"] for column in self._manifest.properties)
        for start in range(0, self._m, _PIECE):
            stop = min(start + _PIECE, self._m)
            low, high = int(np.searchsorted(ptr, start, "right")) - 1, int(np.searchsorted(ptr, stop, "left"))
            bounds = np.clip(ptr[low : high + 1].astype(np.int64), start, stop)
            row = np.repeat(np.arange(low, low + len(bounds) - 1, dtype=np.int64), np.diff(bounds))
            end, other = (array[start:stop].astype(np.int64) for array in (ends, others))
            again = (row[1:] == row[:-1]) & (
                (end[1:] < end[:-1]) | ((end[1:] == end[:-1]) & _before(other, may_repeat=may_repeat))
            )
            self._demand(not again.any(), first, "order", "has rows that are not in order")
            ids = np.arange(start, stop, dtype=np.int64) if outgoing else other
            total += _sum(row, end, ids) if outgoing else _sum(end, row, ids)
        return total & 0xFFFFFFFFFFFFFFFF


def _before(values: Array, *, may_repeat: bool) -> Array:
    """Return where a value is less than the one before it, or equal to it unless values may repeat."""
    falls: Array = values[1:] < values[:-1] if may_repeat else values[1:] <= values[:-1]
    return falls


def _sum(head: Array, tail: Array, triple: Array) -> int:
    value = np.zeros(len(head), dtype=np.uint64)
    for part in (head, tail, triple):
        value = (value ^ part.astype(np.uint64)) * _MIX
        value ^= value >> np.uint64(32)
    return int(value.sum(dtype=np.uint64))
