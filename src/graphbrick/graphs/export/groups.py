"""Sort triples by relation and by the tables of their ends, on disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.export.blocks import Ints, Step, triple_blocks
from graphbrick.graphs.graph import Graph

Group: TypeAlias = tuple[int, int, int]
"""(relation, number of the head's table, number of the tail's table)"""


@dataclass(frozen=True)
class Groups:
    """The triples of a graph by group, in two arrays that are mapped from files.

    Attributes:
        bounds: Where the triples of each group begin and end, in ascending order of the groups.
        heads: int32 [triples]; ascending within a group.
        tails: int32 [triples]; ascending for each head of a group.
    """

    bounds: dict[Group, tuple[int, int]]
    heads: npt.NDArray[np.int32]
    tails: npt.NDArray[np.int32]

    def blocks(self, group: Group, size: int) -> Iterator[tuple[Ints, Ints]]:
        """Yield the heads and tails of a group, at most ``size`` at a time."""
        begin, end = self.bounds[group]
        for at in range(begin, end, size):
            part = slice(at, min(at + size, end))
            yield self.heads[part].astype(np.int64), self.tails[part].astype(np.int64)

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


def grouped(graph: Graph, table_of: Ints, n_tables: int, scratch: Path, progress: Step) -> Groups:
    """Sort the triples of a graph into groups; memory does not grow with their number.

    Args:
        graph: The graph.
        table_of: int64 [entities]; the number of each entity's table.
        n_tables: Number of tables.
        scratch: A folder for the files of the arrays.
        progress: Called after each block of triples.
    """
    shape = (graph.n_relations, n_tables, n_tables)
    counts: dict[int, int] = {}
    for heads, relations, tails in triple_blocks(graph):
        codes = np.ravel_multi_index((relations, table_of[heads], table_of[tails]), shape)
        for code, count in zip(*(part.tolist() for part in np.unique(codes, return_counts=True)), strict=True):
            counts[code] = counts.get(code, 0) + count
    ordered = np.array(sorted(counts), dtype=np.int64)
    sizes = np.array([counts[code] for code in ordered.tolist()], dtype=np.int64)
    ends = np.cumsum(sizes)
    begins = ends - sizes
    sorted_heads, sorted_tails = (_array(scratch / name, graph.n_triples) for name in ("heads", "tails"))
    following, done = begins.copy(), 0
    for heads, relations, tails in triple_blocks(graph):
        codes = np.ravel_multi_index((relations, table_of[heads], table_of[tails]), shape)
        group = np.searchsorted(ordered, codes)
        order = np.argsort(group, kind="stable")
        group = group[order]
        numbers, first, count = np.unique(group, return_index=True, return_counts=True)
        places = following[group] + np.arange(len(group)) - np.repeat(first, count)
        sorted_heads[places], sorted_tails[places] = heads[order], tails[order]
        following[numbers] += count
        done += len(heads)
        progress("sorting", done, graph.n_triples)
    names = zip(*(part.tolist() for part in np.unravel_index(ordered, shape)), strict=True)
    bounds = dict(zip(names, zip(begins.tolist(), ends.tolist(), strict=True), strict=True))
    return Groups(bounds, sorted_heads, sorted_tails)


def _array(file: Path, length: int) -> npt.NDArray[np.int32]:
    if not length:
        return np.zeros(0, dtype=np.int32)
    return np.memmap(file, dtype=np.int32, mode="w+", shape=(length,))
