"""Personalized PageRank for many sets of seeds at once, by the parameters of the brick `PPR`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from graphbrick.bricks.extract.ppr import PPR
from graphbrick.core.compute import Progress, silent
from graphbrick.spark.prepared import Prepared
from graphbrick.spark.walks.walks import WalkProgress, Walks, Way, walk

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FINER = 100  # factor on the tolerance, as `PPR` has for graphs that it sweeps as a whole
_LEAST_EDGES = 20_000  # with a few hubs at the beginning, the rule may hold too early


def personalized_page_rank(
    prepared: Prepared, seeds: DataFrame, ppr: PPR, *, rows: DataFrame, work: str, progress: Progress = silent
) -> Walks:
    """Return the scores of all entities that walks from each set of seeds reach.

    The scores are those of `PPR` with the same parameters. There is no completion and no pull at the end, which need
    reads of single rows; instead the tolerance is a hundred times smaller, as `PPR` has it in small graphs.

    Args:
        prepared: The graph.
        seeds: ``set`` (int) and ``id``, each pair once.
        ppr: k, restart, direction, tolerance and edge_budget (for each set).
        rows: `Prepared.rows` for the same direction.
        work: A folder for the state of the walks, on storage that all workers share.
        progress: Called with the name of each step.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    share = 1.0 / F.count(F.lit(1)).over(Window.partitionBy("set"))
    start = seeds.join(prepared.degrees(ppr.direction), "id").withColumn("residual", share)

    def threshold(found: WalkProgress) -> float:
        if found.edges > ppr.edge_budget:
            return math.inf
        few = found.edges < _LEAST_EDGES
        return 0.0 if few else float(ppr.tolerance) / _FINER * found.kth / float(ppr.restart)

    way = Way(float(ppr.restart), ppr.direction == "both", prepared.row_length)
    return walk(prepared.spark, rows, start, way, threshold, k=ppr.k, work=work, progress=progress)
