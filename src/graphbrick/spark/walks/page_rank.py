"""PageRank of a whole graph."""

from __future__ import annotations

import math

from graphbrick.core.compute import Progress, silent
from graphbrick.spark.walks.progress import WalkProgress, Way
from graphbrick.spark.walks.rows import Rows
from graphbrick.spark.walks.walks import Walks, walk


def page_rank(rows: Rows, restart: float, tolerance: float, *, work: str, progress: Progress = silent) -> Walks:
    """Return the PageRank of all entities, as the scores of the set 0.

    A walker restarts at any entity with the same probability, also at a dead end.

    Args:
        rows: The rows of the graph, for the direction of the walks.
        restart: Probability of going back, in (0, 1); igraph's damping is 1 - restart.
        tolerance: Bound on the sum of absolute errors of the scores (which sum to 1).
        work: A folder for the state of the walks, on storage that all workers share.
        progress: Called with the name of each step.
    """
    n = int(rows.prepared.facts["counts"]["entities"])
    start = rows.prepared.degrees(rows.direction).selectExpr("0 AS set", "id", "degree", f"{1 / n!r}D AS residual")

    def threshold(found: WalkProgress) -> float:
        return math.inf if found.error_bound(restart) <= tolerance else 0.0

    way = Way(restart, rows.direction == "both", rows.prepared.row_length)
    return walk(rows, start, n, way, threshold, k=1, work=work, progress=progress)
