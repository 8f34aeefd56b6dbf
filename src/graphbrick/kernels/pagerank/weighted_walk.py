"""A step of a walk over weighted edges, and the passages that one is linked with.

Indices are unsigned, so that none has to be tested for counting from the end: it halves the time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit

Begins = npt.NDArray[np.uint64]
Ids = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float64]


@jit
def chebyshev_step(
    begin: Begins,
    other: Ids,
    weight: Floats,
    start: Floats,
    score: Floats,
    share: Floats,
    before: Floats,
    go_on: float,
    omega: float,
) -> float:
    """Change ``before`` from the scores before ``score`` to those after it; return how far a plain step moves.

    Args:
        begin: [nodes + 1], where the edges of each node begin.
        other: [edges], the other end of each edge.
        weight: [edges].
        start: [nodes], what a restart gives each node.
        score: [nodes], the scores.
        share: [nodes], the score that a node passes on for each unit of weight.
        before: [nodes], the scores of the step before, which are replaced.
        go_on: Probability of no restart.
        omega: Weight of the new scores against ``before``.

    Returns:
        The sum of absolute differences of ``score`` and one step of the walk from it.
    """
    moved = 0.0
    for node in range(len(start)):
        passed = 0.0
        for edge in range(begin[node], begin[node + 1]):
            passed += weight[edge] * share[other[edge]]
        walked = start[node] + go_on * passed
        moved += abs(walked - score[node])
        before[node] += omega * (walked - before[node])
    return moved


@jit
def strongest(begin: Begins, other: Ids, strength: Floats, nodes: Ids, total: int) -> Floats:
    """Return the strongest edge from any of some nodes to each other end, float64 [total]; 0 for none.

    Args:
        begin: [nodes + 1], where the edges of each node begin.
        other: [edges], the other end of each edge, below ``total``.
        strength: [edges], at least 0.
        nodes: The nodes.
        total: Number of other ends.
    """
    best = np.zeros(total)
    for node in nodes:
        for edge in range(begin[node], begin[node + 1]):
            if strength[edge] > best[other[edge]]:
                best[other[edge]] = strength[edge]
    return best
