"""The rows of a changed graph: the built rows, with new copies of the changed rows after them.

Every changed row is written again after the entries of the file, in the same sort order, and the pointers of its node
point to the copy. Kernels that walk along rows need no special case. The triples of a changed outgoing row get new
ids; the entries of incoming rows that refer to them are corrected in place.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr, ScatteredCsr
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.store.overlay.overlay_map import open_with_spare

_MOST = 2**31 - 1  # ids are int32
_GONE = -1

Longs = npt.NDArray[np.int64]
Triples = npt.NDArray[np.int32]
_Pairs = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class Merged(NamedTuple):
    """Rows after a change.

    Attributes:
        sizes: Number of entries of each row.
        is_new: True for each entry that was added; the others stayed, in their order.
    """

    sizes: Longs
    is_new: npt.NDArray[np.bool_]

    def column(self, old: npt.NDArray[Any], added: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Merge a column: combine the values of old and added entries into one array in entry order."""
        values = np.empty(len(self.is_new), dtype=np.int64)
        values[self.is_new], values[~self.is_new] = added, old
        return values


def find_triples(csr: Csr, triples: Triples) -> Longs:
    """Return the ids of triples (head, relation, tail); -1 for missing triples, also for unknown heads or tails."""
    head, relation, tail = (triples[:, i].astype(np.int64) for i in range(3))
    known = head < csr.n_nodes
    node = np.where(known, head, 0)
    if not csr.n_nodes or not len(head):
        return np.full(len(head), _GONE, dtype=np.int64)
    last = np.where(known, csr.out_end[node], csr.out_begin[node]).astype(np.int64)
    at = _lower_bounds(csr.out_begin[node].astype(np.int64), last, _below(csr.tail, csr.relation, tail, relation))
    inside = np.minimum(at, max(len(csr.tail) - 1, 0))
    hit = (at < last) & (csr.tail[inside] == tail) & (csr.relation[inside] == relation) if len(csr.tail) else at < 0
    return np.where(hit, at, _GONE)


def changed_rows(base: Csr, folder: Path, n_nodes: int, added: Triples, dropped: Longs) -> tuple[Csr, Longs]:
    """Return the rows of a graph after a change, and where the triples with new ids come from.

    The second array has for each id from ``base.n_triples`` on the id in ``base``, or -1 - i for row i of ``added``.

    Args:
        base: The rows as they were built.
        folder: The folder of their files.
        n_nodes: Number of nodes after the change; new nodes have the highest ids.
        added: int32 [triples, 3]: head, relation, tail. Equal triples differ in their properties.
        dropped: Ids in ``base``, ascending and distinct.

    Raises:
        GraphbrickError: The changed rows have so many entries that ids would not fit 32 bits.
    """
    source = np.lexsort((added[:, 1], added[:, 2], added[:, 0]))
    added = added[source]
    size = base.n_triples
    heads = np.union1d(added[:, 0], base.heads(dropped)).astype(np.int64)
    tails = np.union1d(added[:, 2], base.tail[dropped]).astype(np.int64)
    old, row = _entries(base.out_begin, base.out_end, heads, size)
    in_old, in_row = _entries(base.in_begin, base.in_end, tails, size)
    if size + max(len(old), len(in_old)) + len(added) > _MOST:
        text = f"{folder} has too many changes beside its {size:,} triples; run graphbrick compact"
        raise GraphbrickError(text, code="delta.too_many_changes", triples=size)
    tail, relation, in_head, in_triple = (
        open_with_spare(folder / f"{name}.npy", max(len(old), len(in_old)) + len(added))
        for name in ("tail", "relation", "in_head", "in_triple")
    )

    # Outgoing rows
    keep = np.ones(len(old), dtype=np.bool_)
    keep[np.searchsorted(old, dropped)] = False
    stays = old[keep]
    columns: tuple[_Pairs, _Pairs] = (tail[stays], relation[stays]), (added[:, 2], added[:, 1])
    merged = _merge(len(heads), row[keep], columns[0], np.searchsorted(heads, added[:, 0]), columns[1])
    end = size + len(merged.is_new)
    tail[size:end], relation[size:end] = (merged.column(*pair) for pair in zip(*columns, strict=True))
    new_ids = np.flatnonzero(merged.is_new) + size
    origin = merged.column(stays, -1 - source)

    # Correct the incoming entries of moved and deleted triples in place
    entry = _incoming(base, heads[row], old, row)
    in_triple[entry[keep]] = np.flatnonzero(~merged.is_new) + size
    in_triple[entry[~keep]] = _GONE

    # Incoming rows
    in_keep = in_triple[in_old] != _GONE
    stays = in_old[in_keep]
    order = np.lexsort((new_ids, added[:, 0], added[:, 2]))
    columns = (in_head[stays], in_triple[stays]), (added[order, 0], new_ids[order])
    in_merged = _merge(len(tails), in_row[in_keep], columns[0], np.searchsorted(tails, added[order, 2]), columns[1])
    in_end = size + len(in_merged.is_new)
    in_head[size:in_end], in_triple[size:in_end] = (in_merged.column(*pair) for pair in zip(*columns, strict=True))

    new = n_nodes - base.n_nodes
    out_pointers = _pointers(folder / "out_ptr.npy", new, heads, size + _starts(merged.sizes))
    in_pointers = _pointers(folder / "in_ptr.npy", new, tails, size + _starts(in_merged.sizes))
    arrays = (*out_pointers, tail[:end], relation[:end], *in_pointers, in_head[:in_end], in_triple[:in_end])
    for array in arrays:
        array.setflags(write=False)
    return ScatteredCsr.moved(Csr(*arrays), base, heads.astype(np.int32)), origin


def _entries(
    begin: npt.NDArray[np.uint32], end: npt.NDArray[np.uint32], nodes: Longs, size: int
) -> tuple[Longs, Longs]:
    """Return the concatenated entries of the rows of nodes, and the row index of each entry.

    Raises:
        ValueError: A row is outside the array of this size.
    """
    first, sizes = np.zeros(len(nodes), dtype=np.int64), np.zeros(len(nodes), dtype=np.int64)
    known = nodes < len(begin)
    first[known] = begin[nodes[known]]
    sizes[known] = end[nodes[known]].astype(np.int64) - first[known]
    if len(sizes) and (sizes.min() < 0 or (first + sizes).max() > size):
        raise ValueError("a row begins or ends outside its array")
    row = np.repeat(np.arange(len(nodes)), sizes)
    return (first - _starts(sizes)[:-1])[row] + np.arange(len(row)), row


def _merge(n_rows: int, row: Longs, pairs: _Pairs, added_row: Longs, added: _Pairs) -> Merged:
    """Merge rows of ascending pairs with added pairs, which also ascend in each row."""
    sizes = np.bincount(row, minlength=n_rows)
    starts = _starts(sizes)
    # Index of the old pair before which each added pair is inserted
    before = _lower_bounds(starts[added_row], starts[added_row + 1], _below(*pairs, *added))
    is_new = np.zeros(len(row) + len(added_row), dtype=np.bool_)
    is_new[before + np.arange(len(before))] = True
    return Merged(sizes + np.bincount(added_row, minlength=n_rows), is_new)


def _incoming(base: Csr, head: Longs, triple: Longs, row: Longs) -> Longs:
    """Return the incoming entries of triples; all triples of a row come together and in order."""
    if not len(triple):
        return np.empty(0, dtype=np.int64)
    tail = base.tail[triple]
    first = _lower_bounds(
        base.in_begin[tail].astype(np.int64),
        base.in_end[tail].astype(np.int64),
        lambda at, of: base.in_head[at] < head[of],
    )
    starts = np.ones(len(triple), dtype=np.bool_)
    starts[1:] = (row[1:] != row[:-1]) | (tail[1:] != tail[:-1])
    place = np.arange(len(triple))
    return first + place - np.maximum.accumulate(np.where(starts, place, 0))


def _pointers(file: Path, new: int, nodes: Longs, starts: Longs) -> tuple[npt.NDArray[np.uint32], ...]:
    """Return the begins and ends of all rows; the rows of ``nodes`` are at ``starts``, ``new`` nodes are appended."""
    begin, end = open_with_spare(file, new)[:-1], open_with_spare(file, new)[1:]
    begin[len(begin) - new :] = end[len(end) - new :] = 0
    begin[nodes], end[nodes] = starts[:-1], starts[1:]
    return begin, end


def _starts(sizes: Longs) -> Longs:
    """Return the begins of consecutive rows of these sizes, followed by the end of the last."""
    return np.concatenate(([0], np.cumsum(sizes)))


def _below(
    first: npt.NDArray[Any], second: npt.NDArray[Any], wanted_first: npt.NDArray[Any], wanted_second: npt.NDArray[Any]
) -> Callable[[Longs, Longs], npt.NDArray[np.bool_]]:
    """Return a function that tells whether the pair at an index sorts before a wanted pair."""

    def below(at: Longs, of: Longs) -> npt.NDArray[np.bool_]:
        a, b = first[at], wanted_first[of]
        is_below: npt.NDArray[np.bool_] = (a < b) | ((a == b) & (second[at] < wanted_second[of]))
        return is_below

    return below


def _lower_bounds(low: Longs, high: Longs, below: Callable[[Longs, Longs], npt.NDArray[np.bool_]]) -> Longs:
    """Bisect many ranges at once; return for each the first index that is not below the wanted value.

    Args:
        low: The begin of each range.
        high: Its end.
        below: Function of (indices, range numbers); true where the value at an index is below the wanted value.
    """
    start, until = low.copy(), high.copy()
    searching = np.flatnonzero(start < until)
    while len(searching):
        middle = (start[searching] + until[searching]) // 2
        less = below(middle, searching)
        start[searching[less]] = middle[less] + 1
        until[searching[~less]] = middle[~less]
        searching = searching[start[searching] < until[searching]]
    return start
