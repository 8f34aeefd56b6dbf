"""PageRank of a whole graph."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from graphbrick.core.compute import Progress, silent
from graphbrick.spark.prepared import Prepared
from graphbrick.spark.walks.walks import WalkProgress, Walks, Way, walk

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def page_rank(
    prepared: Prepared, restart: float, direction: str, tolerance: float,
    *, rows: DataFrame, work: str, progress: Progress = silent,
) -> Walks:  # fmt: skip
    """Return the PageRank of all entities, as the scores of the set 0.

    A walker restarts at any entity with the same probability, also at a dead end.

    Args:
        prepared: The graph.
        restart: Probability of going back, in (0, 1); igraph's damping is 1 - restart.
        direction: "both", "out" or "in".
        tolerance: Bound on the sum of absolute errors of the scores (which sum to 1).
        rows: `Prepared.rows` for the same direction.
        work: A folder for the state of the walks, on storage that all workers share.
        progress: Called with the name of each step.
    """
    n = prepared.facts["counts"]["entities"]
    start = prepared.degrees(direction).selectExpr("0 AS set", "id", "degree", f"{1 / n!r}D AS residual")

    def threshold(found: WalkProgress) -> float:
        return math.inf if found.error_bound(restart) <= tolerance else 0.0

    way = Way(restart, direction == "both", prepared.row_length)
    return walk(prepared.spark, rows, start, way, threshold, k=1, work=work, progress=progress)
