"""Questions about two entities: how they are connected, and what they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.sets import CannotPlanError, Ints, Place, Shown, TextPlan
from graphbrick.core.items import Item
from graphbrick.core.path import Path
from graphbrick.core.trace import event

APART = "connection.nothing"
"""The code of the error that nothing connects two entities."""

_MOST = 20  # paths, those over the least connected entities first
_LOOKED_AT = 1_000_000  # triples that are read for a path of three hops or more


@dataclass(frozen=True)
class Connection(TextPlan):
    """The shortest paths between two entities.

    Attributes:
        one: The first entity.
        other: The second entity.
        paths: The paths.
        is_common: Whether the entities in the middle are the answer; else the paths are.
    """

    one: int
    other: int
    paths: tuple[Path, ...]
    is_common: bool

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        names = f"{place.graph.label(self.one)} and {place.graph.label(self.other)}"
        return f"what {names} have in common" if self.is_common else f"shortest paths between {names}"

    def shown(self, place: Place) -> list[Shown]:
        """Return the entities in the middle, or the paths as texts."""
        if self.is_common:
            middles = dict.fromkeys(path.nodes[1] for path in self.paths)
            return [Shown(place.graph.label(entity), entity) for entity in middles]
        return [Shown(path.text) for path in self.paths]

    def proofs(self, place: Place) -> list[Item]:
        """Return the paths."""
        return list(self.paths)


def connection_in(parser: Parser, text: str) -> Connection | None:
    """Return the plan of a question about what is between two entities; None for another question.

    Raises:
        CannotPlanError: Nothing connects them.
    """
    common, connected = (parser.english.match(name, text) for name in ("both_have", "connection"))
    match = common or connected
    if match is None:
        return None
    one, other = (parser.entity(match[name]) for name in ("one", "other"))
    paths = paths_between(parser.place, one, other, common=common is not None)
    if not paths:
        names = " and ".join(map(parser.place.graph.label, (one, other)))
        said = f"{names} have nothing in common" if common else f"nothing connects {names}"
        raise CannotPlanError(f"{said} in this graph", code=APART)
    return Connection(one, other, paths, common is not None)


def paths_between(place: Place, one: int, other: int, *, common: bool = False) -> tuple[Path, ...]:
    """Return the paths of one triple between two entities, else those of two, else one of the shortest; none if apart.

    Args:
        place: The graph.
        one: An entity.
        other: Another entity.
        common: Return only the paths over an entity that both are joined to.
    """
    ends = place.subgraph.local([one, other])
    if len(ends) < 2:
        return ()
    start, end = ends
    direct = [] if common else _paths(place, [start, end])
    if direct:
        return tuple(direct)
    csr = place.subgraph.csr
    middles = np.setdiff1d(np.intersect1d(_neighbours(place, start), _neighbours(place, end)), [start, end])
    if len(middles):
        degrees = csr.out_end[middles] - csr.out_begin[middles] + csr.in_end[middles] - csr.in_begin[middles]
        middles = middles[np.argsort(degrees, kind="stable")]
        if len(middles) > _MOST:
            text = f"{len(middles):,} entities are joined to both; the {_MOST} least connected are given"
            event(text, "connection.many", n=len(middles))
        return tuple(path for node in middles[:_MOST].tolist() for path in _paths(place, [start, node, end])[:1])
    if common:
        return ()
    from graphbrick.kernels.paths.components import shortest_link

    source, target = (np.array([node], dtype=np.int32) for node in (start, end))
    link, looked = shortest_link(csr.rows, source, target, _LOOKED_AT)
    if not len(link) and looked >= _LOOKED_AT:
        text = f"the search for a longer path ended after {_LOOKED_AT:,} triples"
        event(text, "connection.budget", triples=int(looked))
    return tuple(_paths(place, link[::-1].tolist())[:1]) if len(link) else ()


def _neighbours(place: Place, node: int) -> Ints:
    csr = place.subgraph.csr
    both = [csr.tail[csr.row(node, True)], csr.in_head[csr.row(node, False)]]
    return np.unique(np.concatenate(both)).astype(np.int64)


def _paths(place: Place, nodes: list[int]) -> list[Path]:
    """Return the paths along nodes: of two nodes by all triples between them, of more by the first of each pair."""
    steps = [_between(place, u, v) for u, v in pairwise(nodes)]
    if not all(steps):
        return []
    chosen = [[step] for step in steps[0]] if len(steps) == 1 else [[pair[0] for pair in steps]]
    view = place.subgraph
    own = nodes if view.nodes is None else view.nodes[nodes].tolist()
    paths = []
    for path in chosen:
        triples = [triple for triple, _ in path]
        triples = triples if view.triples is None else view.triples[triples].tolist()
        paths.append(Path(view.graph, tuple(own), tuple(triples), tuple(forward for _, forward in path)))
    return paths


def _between(place: Place, u: int, v: int) -> list[tuple[int, bool]]:
    """Return the triples from one node to another, and those back."""
    csr = place.subgraph.csr
    out, back = csr.row(u, True), csr.row(u, False)
    there = out.start + np.flatnonzero(csr.tail[out] == v)
    here = csr.in_triple[back][csr.in_head[back] == v]
    return [(int(triple), True) for triple in there] + [(int(triple), False) for triple in here]
