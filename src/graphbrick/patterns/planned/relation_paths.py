"""Instances of a path of relations, or the triples on them, in bounded time and memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.graph import Graph
from graphbrick.core.trace import event

Ids = npt.NDArray[np.int32]
Hop = frozenset[tuple[int, bool]]
"""The ways that one hop may take: relation, and whether it is followed from head to tail."""

LOOKED_AT = 1_000_000  # triples that one search looks at; more take seconds and hundreds of megabytes
_TRIES = 200_000  # steps of one search for paths that do not meet themselves; more take seconds


class Edges(NamedTuple):
    """Triples as they are followed, int32 each.

    Attributes:
        start: Where a step begins.
        end: Where it ends.
        triple: The triple followed.
    """

    start: Ids
    end: Ids
    triple: Ids

    def where(self, which: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> Edges:
        """Return some of the edges, by mask or index."""
        return Edges(self.start[which], self.end[which], self.triple[which])


def edges_of(graph: Graph, nodes: Ids, forward: bool, limit: int) -> Edges:
    """Return the first ``limit`` triples that leave some entities, or enter them if not ``forward``.

    Ordered by entity, then as in the graph.
    """
    csr = graph.csr
    begin, end = (csr.out_begin, csr.out_end) if forward else (csr.in_begin, csr.in_end)
    first, last = begin[nodes].astype(np.int64), end[nodes].astype(np.int64)
    until = np.minimum(np.cumsum(last - first), limit)
    count = np.diff(until, prepend=0)
    row = np.repeat(first - (until - count), count) + np.arange(count.sum())
    start = np.repeat(nodes, count)
    if forward:
        return Edges(start, csr.tail[row], row.astype(np.int32))
    return Edges(start, csr.in_head[row], csr.in_triple[row])


def relations_near(graph: Graph, nodes: Ids, hops: int) -> set[int]:
    """Return the relations of the triples within some hops of entities, whichever way they are followed.

    Only the first `LOOKED_AT` triples are looked at; that there are more is an event.

    Args:
        graph: The graph.
        nodes: int32, ascending.
        hops: How far to look, at least 1.
    """
    seen, frontier, budget = np.zeros(graph.n_entities, dtype=np.bool_), nodes, LOOKED_AT
    relations: set[int] = set()
    for _ in range(hops):
        seen[frontier] = True
        ends = []
        for forward in (True, False):
            edges = edges_of(graph, frontier, forward, budget)
            budget -= len(edges.triple)
            relations.update(np.unique(graph.csr.relation[edges.triple]).tolist())
            ends.append(edges.end)
        frontier = np.unique(np.concatenate(ends))
        frontier = frontier[~seen[frontier]]
    if budget <= 0:
        event(
            f"only {LOOKED_AT:,} triples were searched for relations; farther ones are missing",
            "relation_paths.search_limit",
            limit=LOOKED_AT,
        )
    return relations


class Instance(NamedTuple):
    """One path of the given hops.

    Attributes:
        nodes: Entities along the path, one more than there are triples.
        triples: Triple ids.
        forward: For each triple, whether it is followed from head to tail.
    """

    nodes: tuple[int, ...]
    triples: tuple[int, ...]
    forward: tuple[bool, ...]


def instances(graph: Graph, seed: int, hops: Sequence[Hop], within: Ids | None = None) -> Iterator[Instance]:
    """Yield every simple path of the given hops from a seed, in order of its triples.

    If the search for them grows beyond its bounds, it ends with an event.

    Args:
        graph: The graph.
        seed: Where the paths start.
        hops: The relations to follow.
        within: int32, ascending; the triples that may be used. None for all.
    """
    search = _Search(_complete_layers(graph, seed, hops, within))
    heads = [graph.csr.heads(layer.triple) for layer in search.layers]
    ways = [head == layer.start for head, layer in zip(heads, search.layers, strict=True)]
    for edges in search.forwards(0, seed, frozenset((seed,))):
        columns = list(zip(search.layers, edges, strict=True))
        yield Instance(
            (seed, *(int(layer.end[j]) for layer, j in columns)),
            tuple(int(layer.triple[j]) for layer, j in columns),
            tuple(bool(way[j]) for way, j in zip(ways, edges, strict=True)),
        )
    search.report(graph, seed)


def match(graph: Graph, seed: int, hops: Sequence[Hop]) -> Iterator[list[int]]:
    """Yield paths of the given hops from a seed on which no entity is visited twice, each as its triples.

    Not all of them, of which there may be billions, but enough that every triple which is on any is on one of them. If
    a search grows beyond its bounds, it ends with an event.
    """
    search = _Search(_complete_layers(graph, seed, hops))
    seen: set[int] = set()
    for i, layer in enumerate(search.layers):
        for j in range(len(layer.triple)):
            if int(layer.triple[j]) not in seen:
                path = search.through(i, j)
                if path is not None:
                    seen.update(path)
                    yield path
    search.report(graph, seed)


def _complete_layers(graph: Graph, seed: int, hops: Sequence[Hop], within: Ids | None = None) -> list[Edges]:
    """Return the layers of `_layers`; record an event if they may be incomplete."""
    layers, complete = _layers(graph, seed, hops, within)
    if not complete:
        event(
            f"only {LOOKED_AT:,} triples were looked at for a plan from {graph.label(seed)!r}; there may be more",
            "relation_paths.triples_limit",
            limit=LOOKED_AT,
            seed=graph.label(seed),
        )
    return layers


def _layers(graph: Graph, seed: int, hops: Sequence[Hop], within: Ids | None) -> tuple[list[Edges], bool]:
    """Return the edges of each hop on complete walks, by start and triple, and whether all are there."""
    layers, left = list[Edges](), LOOKED_AT
    frontier = np.array([seed], dtype=np.int32)
    for hop in hops:
        parts = []
        for forward in (True, False):
            relations = [relation for relation, way in hop if way == forward]
            if relations:
                edges = edges_of(graph, frontier, forward, left)
                left -= len(edges.triple)
                fits = np.isin(graph.csr.relation[edges.triple], relations)
                if within is not None:
                    fits &= np.isin(edges.triple, within)
                parts.append(edges.where(fits & (edges.end != seed) & (edges.end != edges.start)))
        layer = Edges(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
        layers.append(layer.where(np.lexsort((layer.triple, layer.start))))
        frontier = np.unique(layer.end)
    for i in range(len(layers) - 2, -1, -1):
        layers[i] = layers[i].where(np.isin(layers[i].end, layers[i + 1].start))
    return layers, left > 0


class _Search:
    """A search for paths through given edges.

    Attributes:
        layers: The edges of each hop.
        tries: Steps that may still be taken.
    """

    def __init__(self, layers: Sequence[Edges]) -> None:
        self.layers = layers
        self._by_end = [np.argsort(layer.end, kind="stable") for layer in layers]
        self._ends = [layer.end[order] for layer, order in zip(layers, self._by_end, strict=True)]
        self.tries = _TRIES

    def through(self, i: int, j: int) -> list[int] | None:
        """Return the triples of a path through edge ``j`` of layer ``i``; None if there is none."""
        start, end, triple = (int(column[j]) for column in self.layers[i])
        ends = frozenset((start, end))
        if next(self.forwards(i + 1, end, ends), None) is None:
            return None  # checked here once, and not again for every way that leads here
        for before, nodes in self._backwards(i - 1, start, ends):
            for after in self.forwards(i + 1, end, nodes):
                layers = self.layers[i + 1 :]
                return [*before, triple, *(int(layer.triple[j]) for layer, j in zip(layers, after, strict=True))]
        return None

    def forwards(self, i: int, node: int, visited: frozenset[int]) -> Iterator[tuple[int, ...]]:
        """Yield the ways from an entity to the end of a path, each as an index into every layer from ``i`` on."""
        if i == len(self.layers):
            yield ()
            return
        layer = self.layers[i]
        for j in range(*np.searchsorted(layer.start, [node, node + 1]).tolist()):
            if not self._try():
                return
            end = int(layer.end[j])
            if end not in visited:
                for rest in self.forwards(i + 1, end, visited | {end}):
                    yield j, *rest

    def report(self, graph: Graph, seed: int) -> None:
        """Record an event if the search was given up."""
        if self.tries <= 0:
            label = graph.label(seed)
            event(
                f"gave up the search for paths that do not meet themselves from {label!r}; there may be more",
                "relation_paths.gave_up",
                seed=label,
            )

    def _try(self) -> bool:
        """Count a step; return whether it may be taken."""
        self.tries -= 1
        if self.tries % 1024 == 0:
            check_limits()
        return self.tries > 0

    def _backwards(
        self, i: int, node: int, visited: frozenset[int]
    ) -> Iterator[tuple[tuple[int, ...], frozenset[int]]]:
        """Yield the triples of each way from the seed to an entity, and the entities visited on it."""
        if i < 0:
            yield (), visited
            return
        layer, order = self.layers[i], self._by_end[i]
        for at in range(*np.searchsorted(self._ends[i], [node, node + 1]).tolist()):
            if not self._try():
                return
            j = int(order[at])
            start = int(layer.start[j])
            if start not in visited:
                for before, nodes in self._backwards(i - 1, start, visited | {start}):
                    yield (*before, int(layer.triple[j])), nodes
