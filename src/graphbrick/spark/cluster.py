"""The size of a cluster, and the number of parts that a graph is cut into on it."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from graphbrick.spark.prepared import Prepared

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TARGET_BYTES = 35  # of a target of a row in the memory of workers, by benchmarks/spark_sizes.py
_PART_BYTES = 256e6
_PARTS_PER_CORE = 2
_QUIET, _LONGEST, _LOOK = 3.0, 30.0, 0.2  # seconds


def default_partitions(prepared: Prepared, direction: str) -> int:
    """Return the number of parts for the rows of a graph: two for each core, at most 256 MB each.

    Args:
        prepared: The graph.
        direction: "both", "out" or "in": the walks to come. Both ways, a triple has two targets.
    """
    targets = int(prepared.facts["counts"]["triples"]) * (2 if direction == "both" else 1)
    by_size = math.ceil(targets * _TARGET_BYTES / _PART_BYTES)
    return max(_PARTS_PER_CORE * cores(prepared.spark), by_size)


def cores(spark: SparkSession) -> int:
    """Return the number of cores of all executors, at least 2 on a cluster.

    Executors register one after another when a session begins, and Spark counts those that did. So this waits for
    the first one however long that takes, as any job would, and then until none came for 3 seconds, at most 30.
    """
    context = spark.sparkContext
    if context.master == "local" or context.master.startswith("local["):
        return int(context.defaultParallelism)
    spark.range(0, 1, 1, 1).count()  # ends when there is an executor
    number, started = int(context.defaultParallelism), time.monotonic()
    changed = started
    while (now := time.monotonic()) < min(changed + _QUIET, started + _LONGEST):
        time.sleep(_LOOK)
        if context.defaultParallelism != number:
            number, changed = int(context.defaultParallelism), now
    return number
