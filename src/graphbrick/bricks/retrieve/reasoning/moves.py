"""Moves: the relations at an entity, each with the entities it leads to, and paths extended by them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.paths.beam import Partial
from graphbrick.core import Query, Subgraph, seeds_of
from graphbrick.core.compute import check_limits
from graphbrick.core.graph import follow
from graphbrick.language.expressions.expression import Expression
from graphbrick.models.llm.replies.replies import one_line

Ints = npt.NDArray[np.int64]
_UNNAMED = Expression(r"[mg]\.[0-9a-z_]+")


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """One relation in one direction from one entity.

    Attributes:
        name: The label of the relation.
        forward: Whether it is followed from head to tail.
        ends: Local ids of the entities that it leads to, each once, in the order of their triples.
        triples: Local ids of the triples, one for each end.
    """

    name: str
    forward: bool
    ends: Ints
    triples: Ints

    @property
    def text(self) -> str:
        """The move as a model is shown it: ``-> capital`` or ``<- capital``."""
        return f"{'->' if self.forward else '<-'} {self.name}"

    def take(self, places: Ints) -> Move:
        """Return the move to some of its ends only, by place."""
        return replace(self, ends=self.ends[places], triples=self.triples[places])


def starts(query: Query, subgraph: Subgraph) -> list[Partial]:
    """Return a path without steps for each seed that is in the subgraph, in the order of the query."""
    return [Partial((seed,)) for seed in seeds_of(query, subgraph).tolist()]


def moves_from(subgraph: Subgraph, path: Partial, direction: str = "both", *, no_way_back: bool = False) -> list[Move]:
    """Return the moves from the end of a path to new entities, outgoing first, then by frequency.

    Relations with the same label are one move. Ties are broken by label.

    Args:
        subgraph: Where to walk.
        path: The path so far.
        direction: "both", "out" or "in".
        no_way_back: Whether to leave out the relation of the last step in the opposite direction.
    """
    csr, graph = subgraph.csr, subgraph.graph
    every: list[Move] = []
    for forward, wanted in zip((True, False), follow(direction), strict=True):
        if not wanted:
            continue
        row = csr.row(path.nodes[-1], forward)
        ends = (csr.tail[row] if forward else csr.in_head[row]).astype(np.int64)
        triples = np.arange(row.start, row.stop) if forward else csr.in_triple[row].astype(np.int64)
        fresh = ~np.isin(ends, np.array(path.nodes))
        ends, triples = ends[fresh], triples[fresh]
        relations = csr.relation[triples]
        by_name: dict[str, list[int]] = {}
        for relation in np.unique(relations).tolist():
            by_name.setdefault(one_line(graph.relation_label(relation)), []).append(relation)
        moves = []
        for name, ids in by_name.items():
            which = np.flatnonzero(np.isin(relations, ids))
            _, first = np.unique(ends[which], return_index=True)
            which = which[np.sort(first)]
            moves.append(Move(name, forward, ends[which], triples[which]))
        every += sorted(moves, key=lambda move: (-len(move.ends), move.name))
    if no_way_back and path.triples:
        last = one_line(graph.relation_label(int(csr.relation[path.triples[-1]])))
        every = [move for move in every if (move.name, move.forward) != (last, not path.forward[-1])]
    return every


def extended(path: Partial, move: Move, score: float = 0.0) -> list[Partial]:
    """Return the path with one step more, once for each end of a move."""
    return [
        replace(
            path,
            nodes=(*path.nodes, end),
            triples=(*path.triples, triple),
            forward=(*path.forward, move.forward),
            score=score,
        )
        for end, triple in zip(move.ends.tolist(), move.triples.tolist(), strict=True)
    ]


def text_of(subgraph: Subgraph, path: Partial) -> str:
    """Return a path as a model is shown it; the label of its start if it has no step."""
    return one_line(path.path(subgraph, "").text)


def name_of(subgraph: Subgraph, node: int) -> str:
    """Return the label of a local node on one line."""
    return one_line(subgraph.graph.label(node if subgraph.nodes is None else int(subgraph.nodes[node])))


def is_unnamed(subgraph: Subgraph, node: int) -> bool:
    """Return whether a local node has no name, such as a mediator: its label is a machine identifier."""
    return bool(_UNNAMED.fullmatch(name_of(subgraph, node)))


def offers(subgraph: Subgraph, paths: list[Partial], direction: str, most: int) -> dict[str, list[Partial]]:
    """Return the moves from the ends of all paths: the text of each, and the paths that it gives.

    A move to a mediator, a node without a name, goes on to the next entity, so that a fact told by two triples is one
    offer, such as ``-> marriage -> spouse``. Outgoing moves come first, by the order of the paths; of one path by
    frequency.

    Args:
        subgraph: Where to walk.
        paths: The paths so far.
        direction: "both", "out" or "in".
        most: Paths of an offer that are of use. An offer with more has some more than that, but not all: a hub has
            thousands.
    """
    offered: dict[str, list[Partial]] = {}
    for path in paths:
        check_limits()
        for move in moves_from(subgraph, path, direction):
            for step in extended(path, move.take(np.arange(min(len(move.ends), most + 1)))):
                if not is_unnamed(subgraph, step.nodes[-1]):
                    _add(offered, move.text, [step], most)
                    continue
                for onward in moves_from(subgraph, step, direction):
                    ends = extended(step, onward.take(np.arange(min(len(onward.ends), most + 1))))
                    named = [end for end in ends if not is_unnamed(subgraph, end.nodes[-1])]
                    _add(offered, f"{move.text} {onward.text}", named, most)
    return offered


def _add(offered: dict[str, list[Partial]], text: str, paths: list[Partial], most: int) -> None:
    """Add paths to an offer, until it has more than are of use."""
    if paths:
        held = offered.setdefault(text, [])
        held += paths[: max(most + 1 - len(held), 0)]
