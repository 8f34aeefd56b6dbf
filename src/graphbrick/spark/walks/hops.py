"""Distances from sets of seeds, hop by hop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.bricks.extract.k_hop import KHop
from graphbrick.core.compute import Progress, silent
from graphbrick.spark.storage import location, write_table
from graphbrick.spark.walks.rows import Rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def nearest(rows: Rows, seeds: DataFrame, k_hop: KHop, *, work: str, progress: Progress = silent) -> DataFrame:
    """Return the entities near each set of seeds and how far they are.

    A hop is not begun for a set that has ``cap`` entities already.

    Args:
        rows: The rows of the graph, for the direction of the walks.
        seeds: ``set`` (int) and ``id``, each pair once.
        k_hop: max_hops, direction and cap.
        work: A folder for the hops, on storage that all workers share.
        progress: Called with the name of each step.

    Returns:
        ``set``, ``id``, ``hops`` (0 for a seed).
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    prepared, spark = rows.prepared, rows.prepared.spark
    place, schema = f"{work}/hops", "set int, id long, degree long, hops int"
    starts = seeds.join(prepared.degrees(k_hop.direction), "id").select("set", "id", "degree")
    write_table(starts, f"{place}/hops=0")
    for hop in range(1, k_hop.max_hops + 1):
        progress(f"walking; hop {hop} of {k_hop.max_hops}", 0, 1)
        reached = spark.read.schema(schema).parquet(location(place))
        size = F.count(F.lit(1)).over(Window.partitionBy("set"))
        last = reached.withColumn("size", size).where((F.col("size") < k_hop.cap) & (F.col("hops") == hop - 1))
        chunks = F.sequence(F.lit(0), F.floor((F.col("degree") - 1) / prepared.row_length).cast("int"))
        leaving = last.where("degree > 0").select("set", "id", F.explode(chunks).alias("chunk"))
        ends = leaving.join(rows.table(), ["id", "chunk"]).select("set", F.inline("targets").alias("id", "degree"))
        new = ends.distinct().join(reached.select("set", "id"), ["set", "id"], "left_anti")
        write_table(new.select("set", "id", "degree"), f"{place}/hops={hop}")
    return spark.read.schema(schema).parquet(location(place))
