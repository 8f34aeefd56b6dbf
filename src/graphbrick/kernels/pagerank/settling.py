"""One step of walks over all entities of a set of seeds, for `graphbrick.spark.walks`."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit

Longs: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


@jit
def settle(
    residual: Floats, settled: Floats, moved: Floats, degree: Longs, limit: float, omega: float, restart: float,
    share: Floats,
) -> int:  # fmt: skip
    """Push every residual above a limit: settle a part of it, and give what goes along each triple.

    Args:
        residual: What still has to walk, by entity; changed, like the next two.
        settled: The scores so far.
        moved: What moved in the step before, which becomes what moves in this one.
        degree: Triples that a walk can take from each entity.
        limit: Least mass for each triple that is pushed.
        omega: The share of its residual that an entity moves; 1 more than its share of what it moved before.
        restart: The share of what moves that settles.
        share: Set to the mass that goes along each triple of the entity; the mass of a dead end is dropped.

    Returns:
        The triples walked.
    """
    edges = 0
    for i in range(len(residual)):
        triples = degree[i]
        move = omega * residual[i] + (omega - 1.0) * moved[i]
        if abs(move) > limit * max(triples, 1):
            residual[i] -= move
            settled[i] += restart * move
            moved[i] = move
            share[i] = (1.0 - restart) * move / triples if triples > 0 else 0.0
            edges += triples
        else:
            moved[i] = 0.0
            share[i] = 0.0
    return edges


@jit
def standing(
    residual: Floats, settled: Floats, degree: Longs, restart: float, low: float, scores: Floats
) -> tuple[float, float, float, int]:
    """Return sums that tell how far the walks are.

    Args:
        residual: What still has to walk, by entity.
        settled: The scores so far.
        degree: Triples that a walk can take from each entity.
        restart: The share of the residual that counts to the score.
        low: Scores above it are collected.
        scores: Its first entries are set to them.

    Returns:
        The sum of absolute residuals, the sum of all mass, the largest residual for each triple, and the number of
        scores collected.
    """
    left, given, worst, count = 0.0, 0.0, 0.0, 0
    for i in range(len(residual)):
        left += abs(residual[i])
        given += residual[i] + settled[i]
        worst = max(worst, abs(residual[i]) / max(degree[i], 1))
        score = settled[i] + restart * residual[i]
        if score > low:
            scores[count] = score
            count += 1
    return left, given, worst, count
