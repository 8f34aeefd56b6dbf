"""Rows of a graph as blocks of arrays, and the passing on of mass along them.

A block holds the rows of one partition: one record of arrays, which Spark keeps in memory and gives to Python as it is.
Workers need numpy and pyarrow for this module and nothing else, because `over_blocks` sends its code along.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Batches = Iterator["pyarrow.RecordBatch"]

BLOCK = "rows binary, begins binary, targets binary, known binary, degrees binary"
"""Columns of a block: the arrays of a `Block` as bytes."""

ARRIVING = "set int, block int, ids binary, sums binary, degrees binary"
"""Columns of what arrives from one block for one set: int64, float64 and int64 as bytes."""

ROWS = "block int, rows binary"
"""Columns of the entities of each block."""

_OFTEN = 4  # a set that walks more than this part of the known targets of a block is summed by counting, not by sorting


class Block(NamedTuple):
    """The rows of a part of the entities, as compressed sparse rows.

    Attributes:
        rows: int64 [rows], entities in ascending order. The row of a hub has parts in other blocks too.
        begins: int64 [rows + 1], where the targets of each row begin.
        targets: int32 [targets], places in ``known``.
        known: int64 [known], the distinct targets, ascending.
        degrees: int64 [known], their degrees.
    """

    rows: Longs
    begins: Longs
    targets: npt.NDArray[np.int32]
    known: Longs
    degrees: Longs


class Leaving(NamedTuple):
    """The mass that leaves entities in a step, for several sets.

    Attributes:
        sets: Numbers of the sets whose entities are listed.
        begins: int64 [sets + 1], where the entities of each set begin.
        ids: int64, entities in ascending order for each set.
        shares: float64, the mass that goes along each triple of the entity.
        whole_sets: Numbers of the sets that give a value for every entity; their walks go both ways.
        whole: float64 [whole sets, entities], the same by entity.
    """

    sets: list[int]
    begins: Longs
    ids: Longs
    shares: Floats
    whole_sets: list[int]
    whole: Floats


def over_blocks(frame: DataFrame, function: Callable[[Batches], Batches], columns: str) -> DataFrame:
    """Apply a function of this module to each partition, and send its code along: workers need not have the package."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    return frame.mapInArrow(function, columns)


def build_block(batches: Batches) -> Batches:
    """Make the block of a partition of rows (``id``, ``targets``: a list of id and degree); none without rows."""
    import pyarrow

    parts = []
    for batch in batches:
        lists = batch.column("targets")
        flat = lists.flatten()
        columns = (batch.column("id"), lists.value_lengths(), flat.field("id"), flat.field("degree"))
        parts.append([np.asarray(column).astype(np.int64) for column in columns])
    if parts:
        block = _block(*(np.concatenate(part) for part in zip(*parts, strict=True)))
        arrays = [pyarrow.array([part.data.cast("B")], pyarrow.binary()) for part in block]
        yield pyarrow.record_batch(arrays, names=list(Block._fields))


def passing_on(leaving: Any) -> Callable[[Batches], Batches]:
    """Return a function over blocks that passes mass on, and sums what arrives for each set and entity.

    Args:
        leaving: A broadcast of the fields of a `Leaving`.
    """

    def pass_on(batches: Batches) -> Batches:
        import pyarrow

        names = ["set", "block", "ids", "sums", "degrees"]
        types = [pyarrow.int32(), pyarrow.int32(), *[pyarrow.binary()] * 3]
        for batch in batches:
            for set_number, *arrays in _arriving(_read(batch), Leaving(*leaving.value)):
                values = [set_number, _number(), *(array.data.cast("B") for array in arrays)]
                columns = [pyarrow.array([value], kind) for value, kind in zip(values, types, strict=True)]
                yield pyarrow.record_batch(columns, names=names)

    return pass_on


def rows_of(batches: Batches) -> Batches:
    """Return the number of each block and its entities."""
    import pyarrow

    for batch in batches:
        columns = [pyarrow.array([_number()], pyarrow.int32()), batch.column("rows")]
        yield pyarrow.record_batch(columns, names=["block", "rows"])


def _number() -> int:
    """Return the number of the block, which is that of its partition."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context else 0


def _block(ids: Longs, lengths: Longs, targets: Longs, degrees: Longs) -> Block:
    known, first, places = np.unique(targets, return_index=True, return_inverse=True)
    order = np.argsort(ids, kind="stable")
    begins, ordered = np.cumsum(lengths) - lengths, lengths[order]
    # Chunks of one row lie side by side now, and become one.
    rows, starts = np.unique(ids[order], return_index=True)
    ends = np.concatenate([[0], np.cumsum(ordered)])
    row_begins = ends[np.concatenate([starts, [len(ids)]])]
    in_order = places.astype(np.int32)[_ranges(begins[order], ordered)]
    return Block(rows, row_begins, in_order, known, degrees[first])


def _ranges(begins: Longs, lengths: Longs) -> Longs:
    """Return the numbers of all ranges, one after the other.

    >>> _ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(lengths) - lengths
    return np.repeat(begins - before, lengths) + np.arange(int(lengths.sum()))


def _read(batch: pyarrow.RecordBatch) -> Block:
    kinds = (np.int64, np.int64, np.int32, np.int64, np.int64)
    buffers = (batch.column(place)[0].as_buffer() for place in range(len(kinds)))
    return Block(*(np.frombuffer(buffer, kind) for buffer, kind in zip(buffers, kinds, strict=True)))


def _arriving(block: Block, leaving: Leaving) -> Iterator[tuple[int, Longs, Floats, Longs]]:
    """Yield set, ids, sums and degrees; for whole sets the sums alone, in the order of the rows of the block."""
    none = np.empty(0, np.int64)
    for place, number in enumerate(leaving.sets):
        part = slice(leaving.begins[place], leaving.begins[place + 1])
        found, sums = _push(block, leaving.ids[part], leaving.shares[part])
        if len(found):
            yield number, block.known[found], sums, block.degrees[found]
    for place, number in enumerate(leaving.whole_sets):
        # Walks go both ways: what arrives at an entity comes from the targets of its own row.
        shares = leaving.whole[place][block.known]
        yield number, none, np.add.reduceat(shares[block.targets], block.begins[:-1]), none


def _push(block: Block, ids: Longs, shares: Floats) -> tuple[Longs, Floats]:
    """Return places of known targets, ascending, and the mass that arrives at each."""
    places = np.minimum(np.searchsorted(block.rows, ids), len(block.rows) - 1)
    here = block.rows[places] == ids
    rows, shares = places[here], shares[here]
    lengths = block.begins[rows + 1] - block.begins[rows]
    targets = block.targets[_ranges(block.begins[rows], lengths)]
    mass = np.repeat(shares, lengths)
    sums: Floats
    if len(targets) * _OFTEN > len(block.known):
        sums = np.bincount(targets, mass, len(block.known)).astype(np.float64, copy=False)
        found: Longs = np.flatnonzero(sums)
        return found, sums[found]
    if not len(targets):
        return np.empty(0, np.int64), np.empty(0)
    order = np.argsort(targets)
    ordered = targets[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    sums = np.add.reduceat(mass[order], starts)
    return ordered[starts].astype(np.int64), sums
