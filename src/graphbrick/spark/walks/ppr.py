"""Personalized PageRank for many sets of seeds at once, by the parameters of the brick `PPR`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from graphbrick.bricks.extract.ppr import PPR
from graphbrick.core.compute import Progress, silent
from graphbrick.spark.walks.progress import WalkProgress, Way
from graphbrick.spark.walks.rows import Rows
from graphbrick.spark.walks.walks import Walks, walk

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FINER = 100  # factor on the tolerance, as `PPR` has for graphs that it sweeps as a whole
_LEAST_EDGES = 20_000  # with a few hubs at the beginning, the rule may hold too early


def personalized_page_rank(
    rows: Rows, seeds: DataFrame, ppr: PPR, *, keep: int | None = None, work: str, progress: Progress = silent
) -> Walks:
    """Return the scores of all entities that walks from each set of seeds reach.

    The scores are those of `PPR` with the same parameters. There is no completion and no pull at the end, which need
    reads of single rows; instead the tolerance is a hundred times smaller, as `PPR` has it in small graphs.

    Args:
        rows: The rows of the graph, for the direction of the walks.
        seeds: ``set`` (int) and ``id``, each pair once.
        ppr: k, restart, direction, tolerance and edge_budget (for each set).
        keep: Entities of each set that the caller needs, besides seeds; there may be more. None for all.
        work: A folder for the state of the walks, on storage that all workers share.
        progress: Called with the name of each step.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    share = 1.0 / F.count(F.lit(1)).over(Window.partitionBy("set"))
    start = seeds.join(rows.prepared.degrees(ppr.direction), "id").withColumn("residual", share)

    def threshold(found: WalkProgress) -> float:
        if found.edges > ppr.edge_budget:
            return math.inf
        few = found.edges < _LEAST_EDGES
        return 0.0 if few else float(ppr.tolerance) / _FINER * found.kth / float(ppr.restart)

    way = Way(float(ppr.restart), ppr.direction == "both", rows.prepared.row_length)
    return walk(rows, start, seeds.count(), way, threshold, k=ppr.k, keep=keep, work=work, progress=progress)
