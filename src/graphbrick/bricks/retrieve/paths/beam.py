"""One step of a beam search: all extensions of the paths of a beam, within a cap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core import Path, PathPattern, Subgraph
from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Csr

Ints = npt.NDArray[np.int64]


_NOTHING = PathPattern("", (), str)


@dataclass(frozen=True, slots=True)
class Partial:
    """A path in local ids.

    Attributes:
        nodes: Local ids; the first is the seed.
        triples: Local triple ids.
        forward: For each triple, whether it is followed from head to tail.
        walked: The path as text and steps, the input of scorers.
        score: Score given by the scorer.
        rank: Rank among the paths of its seed in its step, from 0.
    """

    nodes: tuple[int, ...]
    triples: tuple[int, ...] = ()
    forward: tuple[bool, ...] = ()
    walked: PathPattern = _NOTHING
    score: float = 0.0
    rank: int = 0

    def path(self, subgraph: Subgraph, source: str) -> Path:
        """Return the path with the ids of the graph."""
        nodes = self.nodes if subgraph.nodes is None else tuple(subgraph.nodes[list(self.nodes)].tolist())
        triples = self.triples if subgraph.triples is None else tuple(subgraph.triples[list(self.triples)].tolist())
        return Path(subgraph.graph, nodes, triples, self.forward, self.score, source)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Possible steps: row i extends path ``parent[i]`` along ``triple[i]`` to ``node[i]``."""

    parent: Ints
    triple: Ints
    node: Ints
    forward: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.parent)

    def take(self, rows: Ints) -> Candidates:
        """Return some of the rows, in the given order."""
        return Candidates(self.parent[rows], self.triple[rows], self.node[rows], self.forward[rows])


def expand(beam: list[Partial], csr: Csr, *, follow_out: bool, follow_in: bool, cap: int) -> tuple[Candidates, int]:
    """Return the triples at the end of each path that lead to an entity not yet on the path, within a cap.

    Order: by path, outgoing triples before incoming ones, each by id.

    Returns:
        At most ``cap`` candidates, selected by `in_turns`; the number of candidates before the cap.
    """
    parts: list[Candidates] = []
    total = held = 0
    for index, path in enumerate(beam):
        check_limits()
        u = path.nodes[-1]
        for is_forward, follow in ((True, follow_out), (False, follow_in)):
            if not follow:
                continue
            row = csr.row(u, is_forward)
            reached = csr.tail[row] if is_forward else csr.in_head[row]
            fresh = np.flatnonzero(~np.isin(reached, np.array(path.nodes, dtype=np.int32)))
            part = Candidates(
                np.full(len(fresh), index, dtype=np.int64),
                (fresh + row.start) if is_forward else csr.in_triple[row][fresh].astype(np.int64),
                reached[fresh].astype(np.int64),
                np.full(len(fresh), is_forward),
            )
            total, held = total + len(part), held + len(part)
            parts.append(part)
            if held > 4 * cap:
                # Candidates beyond the cap here would be beyond it at the end, too; dropping them bounds memory.
                parts = [in_turns(_joined(parts), csr.relation, cap)]
                held = len(parts[0])
    return in_turns(_joined(parts), csr.relation, cap), total


def _joined(parts: list[Candidates]) -> Candidates:
    if not parts:
        nothing = np.zeros(0, dtype=np.int64)
        return Candidates(nothing, nothing, nothing, nothing.astype(np.bool_))
    return Candidates(*(np.concatenate([getattr(part, name) for part in parts]) for name in Candidates.__slots__))


def in_turns(candidates: Candidates, relation: npt.NDArray[np.int32], cap: int) -> Candidates:
    """Return at most ``cap`` candidates, taken round-robin over the paths and their relations.

    Each round takes one candidate of every relation of every path, the first relations of all paths before their second
    ones. So no relation or path crowds out the others.
    """
    if len(candidates) <= cap:
        return candidates
    rows = np.arange(len(candidates))
    group = np.stack([candidates.parent, relation[candidates.triple], candidates.forward])
    order = np.lexsort((rows, *group[::-1]))
    by_group = group[:, order]
    starts = np.flatnonzero(np.r_[True, (by_group[:, 1:] != by_group[:, :-1]).any(axis=0)])
    sizes = np.diff(np.r_[starts, len(rows)])
    turn, place = np.empty_like(rows), np.empty_like(rows)
    turn[order] = rows - np.repeat(starts, sizes)
    # The index of a group among the groups of its path, in order of appearance.
    parent, number = by_group[0, starts], np.empty_like(starts)
    appearance = np.lexsort((order[starts], parent))
    number[appearance] = np.arange(len(starts)) - np.searchsorted(parent, parent)
    place[order] = np.repeat(number, sizes)
    return candidates.take(np.sort(np.lexsort((rows, place, turn))[:cap]))
