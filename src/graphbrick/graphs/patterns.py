"""Follow a pattern of relations through a graph, with all entities of a hop at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from graphbrick.core import Path, Subgraph
from graphbrick.core.csr import Csr

Ints = npt.NDArray[np.int64]
Pattern = Sequence[tuple[int, bool]]
"""One (relation id, whether it is followed from head to tail) per hop."""

_CHUNK = 1_000_000  # triples visited between two checks of the budget


@dataclass(frozen=True, slots=True)
class _Hop:
    """The states after one hop. A state is an entity and whether its walk has returned to the start.

    Attributes:
        node: Local entity ids in order of discovery.
        back: Whether the walk has returned to the start.
        parent: Index of the previous state in the previous hop.
        triple: The local triple that leads to the state.
    """

    node: Ints
    back: npt.NDArray[np.bool_]
    parent: Ints
    triple: Ints


class Followed:
    """The entities at the end of a pattern, and one path to each.

    Attributes:
        ends: Distinct entity ids: first those whose walk returned to the start, then the others. Each group is in
            order of discovery (by the order of the previous entities, then by triple id).
    """

    def __init__(self, subgraph: Subgraph, pattern: Pattern, hops: list[_Hop]) -> None:
        self._subgraph, self._pattern, self._hops = subgraph, tuple(pattern), hops
        last = hops[-1]
        order = (~last.back).argsort(kind="stable")
        first = _firsts(last.node[order])
        self._states = order[first]
        local = last.node[self._states]
        self.ends: npt.NDArray[np.integer] = local if subgraph.nodes is None else subgraph.nodes[local]

    def path(self, index: int, source: str = "") -> Path:
        """Return the path to one of the ends, by its index in ``ends``."""
        state = int(self._states[index])
        nodes, triples = [], []
        for hop in reversed(self._hops[1:]):
            nodes.append(int(hop.node[state]))
            triples.append(int(hop.triple[state]))
            state = int(hop.parent[state])
        nodes.append(int(self._hops[0].node[0]))
        nodes.reverse()
        triples.reverse()
        view = self._subgraph
        if view.nodes is not None and view.triples is not None:
            nodes, triples = view.nodes[nodes].tolist(), view.triples[triples].tolist()
        forward = tuple(forward for _, forward in self._pattern)
        return Path(view.graph, tuple(nodes), tuple(triples), forward, source=source)


def follow(
    subgraph: Subgraph, start: int, pattern: Pattern, *, back: bool = False, check: Callable[[], None] = lambda: None
) -> Followed | None:
    """Follow a relation pattern from an entity within a subgraph.

    Without ``back``, the start is excluded from every later hop: «films that share an actor with this film» does not
    mean the film itself. With ``back``, a walk may return to the start, but not by undoing a step that left the start:
    a film does not share an actor with itself, while the parents of a person's child include that person.

    Args:
        subgraph: Where to search.
        start: Entity id.
        pattern: At least one hop.
        back: Whether walks may come back to the start.
        check: Called after every million triples; may raise an exception to stop.

    Returns:
        The ends; None if the start is not in the subgraph.

    >>> from graphbrick.testing import tiny_graph
    >>> graph = tiny_graph()
    >>> kenya, borders = graph.entity("Kenya"), 2
    >>> follow(Subgraph(graph), kenya, [(borders, True), (borders, False)]).path(0).text
    'Kenya -> borders -> Uganda <- borders <- Rwanda'
    """
    if not pattern:
        raise ValueError("a pattern has at least one relation, got none; give a sequence of relations and directions")
    local = subgraph.local([start])
    if not local:
        return None
    csr, origin = subgraph.csr, local[0]
    nothing = np.zeros(1, dtype=np.int64)
    hops = [_Hop(np.array(local, dtype=np.int64), np.zeros(1, dtype=np.bool_), nothing, nothing)]
    left: set[tuple[int, bool]] = set()  # the steps that left the start
    before: tuple[int, bool] | None = None
    for relation, forward in pattern:
        reverse = (relation, not forward)
        at = hops[-1]
        states = np.arange(len(at.node))
        if before == reverse:
            states = states[at.node != origin]  # do not undo the step that came back
        if (at.node[states] == origin).any():
            left.add((relation, forward))
        hops.append(_next_hop(csr, at, states, relation, forward, origin, back and reverse not in left, check))
        before = relation, forward
    return Followed(subgraph, pattern, hops)


def _next_hop(
    csr: Csr,
    at: _Hop,
    states: Ints,
    relation: int,
    forward: bool,
    origin: int,
    may_return: bool,
    check: Callable[[], None],
) -> _Hop:
    """Take one step from the given states; the first way to reach a state is kept."""
    parts = []
    for parent, triple, node in _entries(csr, at.node, states, forward):
        fits = csr.relation[triple] == relation
        if not may_return:
            fits &= node != origin
        parent, triple, node = parent[fits], triple[fits], node[fits]
        parts.append((node, at.back[parent] | (node == origin), parent, triple))
        check()
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return _Hop(nothing, nothing.astype(np.bool_), nothing, nothing)
    node, back, parent, triple = (np.concatenate(column) for column in zip(*parts, strict=True))
    first = _firsts(2 * node + back)
    return _Hop(node[first], back[first], parent[first], triple[first])


def _entries(csr: Csr, nodes: Ints, states: Ints, forward: bool) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield (state, triple, other end) for all triples of the states, about a million at a time at most."""
    begin, end = (csr.out_begin, csr.out_end) if forward else (csr.in_begin, csr.in_end)
    firsts = begin[nodes[states]].astype(np.int64)
    sizes = end[nodes[states]].astype(np.int64) - firsts
    before = sizes.cumsum()
    cuts = np.flatnonzero(np.diff(before // _CHUNK)) + 1 if len(states) and before[-1] >= _CHUNK else ()
    for first, last in pairwise([0, *cuts, len(states)]):
        chunk = slice(first, last)
        size = sizes[chunk]
        offsets = firsts[chunk] - size.cumsum() + size
        entries = offsets.repeat(size) + np.arange(size.sum())
        triples = entries if forward else csr.in_triple[entries].astype(np.int64)
        ends = (csr.tail if forward else csr.in_head)[entries].astype(np.int64)
        yield states[chunk].repeat(size), triples, ends


def _firsts(values: Ints) -> Ints:
    """Return the index of the first of each group of equal values, ascending."""
    order = values.argsort(kind="stable")
    ordered = values[order]
    is_first = np.ones(len(values), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    first: Ints = order[is_first]
    first.sort()
    return first
