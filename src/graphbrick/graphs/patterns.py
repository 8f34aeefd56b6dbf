"""Follow a pattern of relations through a graph, with all entities of a hop at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from graphbrick.core import Path, Subgraph
from graphbrick.core.csr import Csr

Ints = npt.NDArray[np.int64]
Pattern = Sequence[tuple[int, bool]]
"""One (relation id, whether it is followed from head to tail) per hop."""
Counts = Callable[[Ints, bool], npt.NDArray[np.bool_]]

_CHUNK = 1_000_000  # triples visited between two checks of the budget


def one_way(pattern: Pattern, symmetric: AbstractSet[int]) -> Pattern:
    """Return a pattern with symmetric relations forwards, so that patterns of one meaning are equal."""
    return tuple((relation, forward or relation in symmetric) for relation, forward in pattern)


@dataclass(frozen=True, slots=True)
class _Hop:
    """The states after one hop. A state is an entity and whether its walk has returned to the start.

    Attributes:
        node: Local entity ids in order of discovery.
        back: Whether the walk has returned to the start.
        parent: Index of the previous state in the previous hop.
        triple: The local triple that leads to the state.
        forward: Whether that triple is followed from head to tail.
    """

    node: Ints
    back: npt.NDArray[np.bool_]
    parent: Ints
    triple: Ints
    forward: npt.NDArray[np.bool_]


class Followed:
    """The entities at the end of a pattern, and one path to each.

    Attributes:
        ends: Distinct entity ids: first those whose walk returned to the start, then the others. Each group is in
            order of discovery (by the order of the previous entities, then by triple id).
    """

    def __init__(self, subgraph: Subgraph, hops: list[_Hop]) -> None:
        self._subgraph, self._hops = subgraph, hops
        last = hops[-1]
        order = (~last.back).argsort(kind="stable")
        first = _firsts(last.node[order])
        self._states = order[first]
        local = last.node[self._states]
        self.ends: npt.NDArray[np.integer] = local if subgraph.nodes is None else subgraph.nodes[local]

    def path(self, index: int, source: str = "") -> Path:
        """Return the path to one of the ends, by its index in ``ends``."""
        state = int(self._states[index])
        nodes, triples, forward = [], [], []
        for hop in reversed(self._hops[1:]):
            nodes.append(int(hop.node[state]))
            triples.append(int(hop.triple[state]))
            forward.append(bool(hop.forward[state]))
            state = int(hop.parent[state])
        nodes.append(int(self._hops[0].node[0]))
        nodes.reverse()
        triples.reverse()
        forward.reverse()
        view = self._subgraph
        if view.nodes is not None and view.triples is not None:
            nodes, triples = view.nodes[nodes].tolist(), view.triples[triples].tolist()
        return Path(view.graph, tuple(nodes), tuple(triples), tuple(forward), source=source)


def follow(
    subgraph: Subgraph, start: int, pattern: Pattern, *, back: bool = False, symmetric: AbstractSet[int] = frozenset(),
    check: Callable[[], None] = lambda: None, counts: Counts | None = None,
) -> Followed | None:  # fmt: skip
    """Follow a relation pattern from an entity within a subgraph.

    Without ``back``, the start is excluded from every later hop: «films that share an actor with this film» does not
    mean the film itself. With ``back``, a walk may return to the start, but not by undoing a step that left the start:
    a film does not share an actor with itself, while the parents of a person's child include that person.

    Args:
        subgraph: The subgraph to search.
        start: Entity id.
        pattern: At least one hop.
        back: Whether walks may come back to the start.
        symmetric: Relations that are followed both ways, first as the pattern says: of two neighbours the graph may
            hold only one triple, in either direction.
        check: Called after every million triples; may raise an exception to stop.
        counts: Tells which local triples of a relation are followed, forwards or not; None for all.

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
    unset = np.zeros(1, dtype=np.bool_)
    hops = [_Hop(np.array(local, dtype=np.int64), unset, nothing, nothing, unset)]
    left: set[tuple[int, bool]] = set()  # the steps that left the start
    before: tuple[int, bool] | None = None
    for relation, forward in pattern:
        at, both = hops[-1], relation in symmetric
        states = np.arange(len(at.node))
        if before == (relation, not forward) and not both:
            states = states[at.node != origin]  # do not undo the step that came back
        steps = []
        for way in (forward, not forward) if both else (forward,):
            # The start may have been left both ways; a walk that left it this way undoes nothing.
            undoes = (relation, not way) in left and not (both and (relation, way) in left)
            steps.append((way, back and not undoes))
        hops.append(_next_hop(csr, at, states, relation, steps, origin, check, counts))
        leaves = at.node[hops[-1].parent] == origin if both else at.node[states] == origin
        left.update((relation, way) for way, _ in steps if (leaves & (hops[-1].forward == way if both else True)).any())
        before = relation, forward
    return Followed(subgraph, hops)


def _next_hop(
    csr: Csr, at: _Hop, states: Ints, relation: int, steps: Sequence[tuple[bool, bool]], origin: int,
    check: Callable[[], None], counts: Counts | None,
) -> _Hop:  # fmt: skip
    """Take one step from states; the first way to reach a state is kept.

    ``steps`` holds for each direction whether it is forwards and whether it may return to the start.
    """
    parts = []
    for forward, may_return in steps:
        for parent, triple, node in _entries(csr, at.node, states, forward):
            fits = csr.relation[triple] == relation
            if counts is not None:
                fits[fits] = counts(triple[fits], forward)
            if not may_return:
                fits &= node != origin
            parent, triple, node = parent[fits], triple[fits], node[fits]
            ways = np.full(len(node), forward)
            parts.append((node, at.back[parent] | (node == origin), parent, triple, ways))
            check()
    node, back, parent, triple, forwards = (np.concatenate(column) for column in zip(*parts, strict=True))
    first = _firsts(2 * node + back)
    return _Hop(node[first], back[first], parent[first], triple[first], forwards[first])


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
