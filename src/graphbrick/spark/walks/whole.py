"""Results about every entity, as folders of Parquet files: PageRank and connected components."""

from __future__ import annotations

from typing import Any

from graphbrick.bricks.extract.page_rank import PageRank
from graphbrick.core.compute import Progress, silent
from graphbrick.spark.cluster import default_partitions
from graphbrick.spark.prepared import Prepared
from graphbrick.spark.storage import Storage, location, write_settings, write_table
from graphbrick.spark.walks.components import components
from graphbrick.spark.walks.extract import DIGITS
from graphbrick.spark.walks.graphx import GraphX
from graphbrick.spark.walks.page_rank import page_rank
from graphbrick.spark.walks.rows import Rows

RANKS = "page ranks"
COMPONENTS = "connected components"
_TOP = 20


def write_ranks(
    prepared: Prepared,
    place: str,
    brick: PageRank,
    *,
    partitions: int,
    graphx: bool = False,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Write the PageRank of every entity: ``scores`` with ``entity``, ``score``, ``rank``, in order.

    Args:
        prepared: The graph.
        place: The folder to write.
        brick: restart, direction and tolerance.
        partitions: Parts that the rows of the graph are cut into.
        graphx: Compute by GraphX.
        progress: Called with the name of each step.

    Returns:
        The contents of its ``settings.json``.
    """
    from pyspark.sql import functions as F  # noqa: N812

    work, restart, tolerance = f"{place}/.work", float(brick.restart), float(brick.tolerance)
    if graphx:
        progress("GraphX", 0, 1)
        scores = GraphX(prepared, brick.direction, work, partitions).page_rank(restart, tolerance)
    else:
        rows = Rows(prepared, brick.direction, partitions)
        scores = page_rank(rows, restart, tolerance, work=work, progress=progress).scores
        rows.release()
    progress("ranking", 0, 1)
    keyed = prepared.entities().select("id", "entity").join(scores.select("id", "score"), "id")
    ordered = keyed.orderBy(F.desc(F.round("score", DIGITS)), "id").select("entity", "score").zipWithIndex("place")
    ranked = ordered.selectExpr("entity", "score", "place + 1 AS rank")
    write_table(ranked, f"{place}/scores")
    top = prepared.spark.read.parquet(location(f"{place}/scores")).orderBy("rank").limit(_TOP).collect()
    settings = {"restart": restart, "direction": brick.direction, "tolerance": tolerance, "graphx": graphx}
    shown = [{"entity": row["entity"], "score": row["score"]} for row in top]
    return _finished(prepared, place, RANKS, {"settings": settings, "top": shown})


def write_components(
    prepared: Prepared, place: str, *, graphx: bool = False, progress: Progress = silent
) -> dict[str, Any]:
    """Write ``components``: each ``entity`` with its ``component``, the first entity in it.

    Args:
        prepared: The graph.
        place: The folder to write.
        graphx: Compute by GraphX.
        progress: Called with the name of each step.

    Returns:
        The contents of its ``settings.json``.
    """
    from pyspark.sql import functions as F  # noqa: N812

    work = f"{place}/.work"
    if graphx:
        component = GraphX(prepared, "out", work, default_partitions(prepared, "out")).components()
    else:
        component = components(prepared, work=work, progress=progress)
    keys = prepared.entities().select("id", "entity")
    firsts = keys.selectExpr("id AS component", "entity AS first")
    named = component.join(keys, "id").join(firsts, "component").selectExpr("entity", "first AS component")
    write_table(named, f"{place}/components")
    sizes = prepared.spark.read.parquet(location(f"{place}/components")).groupBy("component").count()
    largest = sizes.orderBy(F.desc("count"), "component").limit(_TOP).collect()
    shown = [{"component": row["component"], "entities": row["count"]} for row in largest]
    facts = {"settings": {"graphx": graphx}, "components": sizes.count(), "largest": shown}
    return _finished(prepared, place, COMPONENTS, facts)


def _finished(prepared: Prepared, place: str, kind: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Delete what only the computation needed, and write the settings."""
    Storage(prepared.spark, place).delete(f"{place}/.work")
    facts |= {"source": prepared.facts["source"], "counts": prepared.facts["counts"]}
    write_settings(prepared.spark, place, kind, facts)
    return facts
