"""Sort triples by relation and by the tables of their ends, on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress
from graphbrick.graphs.export.blocks import Ints, Triples, triple_blocks
from graphbrick.graphs.store.stored import StoredGraph

Group: TypeAlias = tuple[int, int, int]
"""(number of the relation's table, number of the head's table, number of the tail's table)"""


@dataclass(frozen=True)
class Groups:
    """The triples of a graph by group, in three arrays that are mapped from files.

    Attributes:
        bounds: Begin and end of the triples of each group, in ascending order of the groups.
        heads: int32 [triples]; ascending within a group.
        relations: int32 [triples].
        tails: int32 [triples]; ascending for each head of a group.
        ids: int32 [triples], the ids of the triples; empty if no triple of the graph has a property.
    """

    bounds: dict[Group, tuple[int, int]]
    heads: npt.NDArray[np.int32]
    relations: npt.NDArray[np.int32]
    tails: npt.NDArray[np.int32]
    ids: npt.NDArray[np.int32]

    def blocks(self, group: Group, size: int) -> Iterator[Triples]:
        """Yield the triples of a group, at most ``size`` at a time."""
        begin, end = self.bounds[group]
        for at in range(begin, end, size):
            part = slice(at, min(at + size, end))
            arrays = (self.heads, self.relations, self.tails, self.ids)
            yield Triples(*(array[part].astype(np.int64) for array in arrays))

    def of_heads(self, relation: int, table: int, first: int, last: int) -> tuple[Ints, Ints]:
        """Return heads and tails of the triples of a relation whose heads are in a table and in a range of ids.

        Returns:
            Sorted by head, then by tail; both ids of the range belong to it.
        """
        parts = []
        for (number, head, _), (begin, end) in self.bounds.items():
            if number == relation and head == table:
                heads = self.heads[begin:end]
                part = slice(
                    begin + int(np.searchsorted(heads, first)), begin + int(np.searchsorted(heads, last, "right"))
                )
                parts.append(np.stack((self.heads[part], self.tails[part])))
        both = np.concatenate(parts, axis=1).astype(np.int64)
        both = both[:, np.lexsort((both[1], both[0]))]
        return both[0], both[1]


def grouped(
    graph: StoredGraph,
    relation_table: Ints,
    table_of: Ints,
    sizes: Mapping[Group, int],
    scratch: Path,
    progress: Progress,
) -> Groups:
    """Sort the triples of a graph into groups; memory does not grow with their number.

    Args:
        graph: The graph.
        relation_table: int64 [relations]; the number of each relation's table.
        table_of: int64 [entities]; the number of each entity's table.
        sizes: The number of triples of each group.
        scratch: A folder for the files of the arrays.
        progress: Called after each block of triples.
    """
    groups = sorted(sizes)
    shape = np.array(groups).max(axis=0, initial=0) + 1 if groups else (1, 1, 1)
    ordered = np.ravel_multi_index(np.array(groups, dtype=np.int64).reshape(-1, 3).T, shape)
    ends = np.cumsum([sizes[group] for group in groups], dtype=np.int64)
    begins = np.concatenate(([0], ends[:-1])).astype(np.int64)
    arrays = [_array(scratch / name, graph.n_triples) for name in ("heads", "relations", "tails")]
    arrays.append(_array(scratch / "ids", graph.n_triples if graph.triples_have_properties else 0))
    following, done = begins.copy(), 0
    for block in triple_blocks(graph):
        codes = np.ravel_multi_index(
            (relation_table[block.relations], table_of[block.heads], table_of[block.tails]), shape
        )
        group = np.searchsorted(ordered, codes)
        order = np.argsort(group, kind="stable")
        group = group[order]
        numbers, first, count = np.unique(group, return_index=True, return_counts=True)
        places = following[group] + np.arange(len(group)) - np.repeat(first, count)
        for array, column in zip(arrays, block, strict=True):
            if len(array):
                array[places] = column[order]
        following[numbers] += count
        done += len(group)
        progress("sorting", done, graph.n_triples)
    return Groups(dict(zip(groups, zip(begins.tolist(), ends.tolist(), strict=False), strict=True)), *arrays)


def _array(file: Path, length: int) -> npt.NDArray[np.int32]:
    if not length:
        return np.zeros(0, dtype=np.int32)
    return np.memmap(file, dtype=np.int32, mode="w+", shape=(length,))
