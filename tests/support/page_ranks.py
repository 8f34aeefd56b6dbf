"""Measures of a ranking of the k best nodes against the exact scores of all nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_CHUNK = 1 << 22  # scores processed at a time, so that extra memory does not grow with the graph
_CLOSE = 0.99


class Best(NamedTuple):
    """The k best nodes by exact score, the reference for a ranking.

    Attributes:
        nodes: int32, ascending ids of the nodes with the highest scores above 0, ties to the lower id. Fewer than k if
            fewer nodes have a score.
        cut: The lowest score among them; 0 if there are none.
        mass: The sum of their scores.
    """

    nodes: npt.NDArray[np.int32]
    cut: float
    mass: float


class Quality(NamedTuple):
    """Quality of a ranking.

    Attributes:
        recall: The share of the best nodes that were returned.
        within: The share of the returned nodes with an exact score of at least 0.99 of the cut, which is fair to ties
            and near ties at the cut. If fewer nodes were returned than there are best nodes, the missing ones count as
            below the cut.
        mass: The sum of the exact scores of the returned nodes, divided by that of the best nodes.
        error: The greatest absolute error of a returned score.
    """

    recall: float
    within: float
    mass: float
    error: float


def best_nodes(exact: npt.NDArray[np.float64], k: int) -> Best:
    """Return the k best nodes.

    Args:
        exact: float64 [nodes], the exact scores.
        k: Number of nodes, at least 1.

    Raises:
        ValueError: ``k`` is below 1.

    Example:
        >>> best_nodes(np.array([0.5, 0.1, 0.0, 0.3, 0.1]), 3).nodes.tolist()
        [0, 1, 3]
    """
    if k < 1:
        raise ValueError(f"best_nodes k must be at least 1, got {k}; try 1000")
    chosen: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
    cut = 0.0
    for first in range(0, len(exact), _CHUNK):
        part = exact[first : first + _CHUNK]
        # Ties go to the lower id, and later nodes have higher ids: only scores above the cut can enter.
        chosen = np.concatenate([chosen, first + np.flatnonzero(part > cut)])
        if len(chosen) > k:
            chosen = chosen[np.lexsort((chosen, -exact[chosen]))][:k]
            cut = float(exact[chosen[-1]])
    chosen.sort()
    scores = exact[chosen]
    return Best(chosen.astype(np.int32), float(scores.min(initial=np.inf)) if len(chosen) else 0.0, float(scores.sum()))


def quality(
    exact: npt.NDArray[np.float64], best: Best, nodes: npt.NDArray[np.int32], scores: npt.NDArray[np.float64]
) -> Quality:
    """Return the quality of a ranking.

    Args:
        exact: float64 [nodes of the graph], the exact scores.
        best: Result of `best_nodes` for these scores, with the k of the ranking.
        nodes: int32, the returned nodes, each once, in any order.
        scores: float64, the scores of the returned nodes.

    Raises:
        ValueError: A node is returned twice, ``nodes`` and ``scores`` differ in length, or no node has a score.

    Example:
        >>> exact = np.array([0.5, 0.1, 0.0, 0.3, 0.1])
        >>> found = np.array([0, 3, 4], dtype=np.int32)
        >>> [round(float(x), 3) for x in quality(exact, best_nodes(exact, 3), found, np.array([0.4, 0.3, 0.1]))]
        [0.667, 1.0, 1.0, 0.1]
    """
    if len(nodes) != len(scores):
        raise ValueError(f"quality needs a score for each node, got {len(nodes)} nodes and {len(scores)} scores")
    if len(np.unique(nodes)) != len(nodes):
        raise ValueError(f"quality needs each node once, got {len(nodes) - len(np.unique(nodes))} twice")
    if not len(best.nodes):
        raise ValueError("quality needs at least one node with an exact score above 0, got none; were there seeds?")
    true = exact[nodes]
    wanted = max(len(nodes), len(best.nodes))
    return Quality(
        recall=len(np.intersect1d(nodes, best.nodes)) / len(best.nodes),
        within=int(np.count_nonzero(true >= _CLOSE * best.cut)) / wanted,
        mass=float(true.sum()) / best.mass,
        error=float(np.abs(true - scores).max(initial=0.0)),
    )
