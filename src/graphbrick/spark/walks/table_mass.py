"""Walks whose mass is in tables on the workers, for mass that outgrows the driver.

The state has a row for each set and entity that has any mass: the residual, which still has to walk, and the settled
mass. A step joins the mass that leaves with the rows of the graph. The state is written after every step, so a lost
worker costs that step only.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from graphbrick.spark.storage import Storage, location, write_table
from graphbrick.spark.walks.progress import BUCKETS, WalkProgress, Way
from graphbrick.spark.walks.rows import Rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_STATE = "set int, id long, degree long, residual double, settled double, moved double, walked long"


class TableMass:
    """The mass of several sets.

    Args:
        rows: The rows of the graph.
        start: ``set`` (int), ``id``, ``degree``, ``residual``: where the walks start; residuals of a set sum to 1.
        way: The parameters of the walks.
        work: A folder for the state, on storage that all workers share; deleted by the caller.
    """

    def __init__(self, rows: Rows, start: DataFrame, way: Way, work: str) -> None:
        self._rows, self._way, self._work, self._steps = rows, way, work, 0
        self._spark = rows.prepared.spark
        self._state = self._written(
            start.selectExpr("set", "id", "degree", "residual", "0D AS settled", "0D AS moved", "0L AS walked")
        )

    def progress(self, k: int) -> dict[int, WalkProgress]:
        """Return how far the walks of each set are."""
        return _progress(self._state, self._way.restart, k)

    def step(self, limits: dict[int, float]) -> None:
        """Push the residuals above the limit of each set, and pass them on."""
        after = _step(self._state, self._rows.table(), _by_set(self._spark, limits), self._way)
        self._steps += 1
        self._state = self._written(after)
        Storage(self._spark, self._work).delete(f"{self._work}/step-{self._steps - 1}")

    def scores(self, far: dict[int, WalkProgress]) -> DataFrame:
        """Return ``set``, ``id`` and ``score``, which sum to 1 but for what is left."""
        from pyspark.sql import functions as F  # noqa: N812

        mass = _by_set(self._spark, {number: each.given for number, each in far.items()})
        score = (F.col("settled") + self._way.restart * F.col("residual")) / F.col("value")
        return self._state.join(mass, "set").select("set", "id", score.alias("score")).where("score > 0")

    def _written(self, state: DataFrame) -> DataFrame:
        place = f"{self._work}/step-{self._steps}"
        write_table(state, place)
        return self._spark.read.schema(_STATE).parquet(location(place))


def _step(state: DataFrame, rows: DataFrame, limits: DataFrame, way: Way) -> DataFrame:
    """Return the state after a push of every residual above its set's limit; finished sets have none."""
    from pyspark.sql import functions as F  # noqa: N812

    zero = F.lit(0.0)
    move = way.omega * F.col("residual") + (way.omega - 1) * F.col("moved")
    is_pushed = F.abs(move) > F.col("value") * F.greatest("degree", F.lit(1))
    # Values of the sets are joined, not written into the expressions: their compiled code serves every step.
    pushing = state.join(limits, "set", "left").withColumn("moved", F.when(is_pushed, move).otherwise(zero))
    pushed = pushing.select(
        "set",
        "id",
        "degree",
        (F.col("residual") - F.col("moved")).alias("residual"),
        (F.col("settled") + way.restart * F.col("moved")).alias("settled"),
        "moved",
        (F.col("walked") + F.when(F.col("moved") != 0, F.col("degree")).otherwise(F.lit(0))).alias("walked"),
    )
    chunks = F.sequence(F.lit(0), F.floor((F.col("degree") - 1) / way.row_length).cast("int"))
    # The mass at a dead end is dropped; the final division gives it back, which equals a restart.
    leaving = pushing.where("moved != 0 AND degree > 0").select(
        "set",
        "id",
        ((1 - way.restart) * F.col("moved") / F.col("degree")).alias("share"),
        F.explode(chunks).alias("chunk"),
    )
    arriving = leaving.join(rows, ["id", "chunk"]).select("set", "share", F.inline("targets").alias("id", "degree"))
    both = pushed.union(arriving.selectExpr("set", "id", "degree", "share", "0D", "0D", "0L"))
    sums = [F.sum(name).alias(name) for name in ("residual", "settled", "moved", "walked")]
    return both.groupBy("set", "id").agg(F.max("degree").alias("degree"), *sums)


def _progress(state: DataFrame, restart: float, k: int) -> dict[int, WalkProgress]:
    """Return the progress of each set, in one aggregation by classes of scores, which give the k-th score."""
    from pyspark.sql import functions as F  # noqa: N812

    residual, settled = F.col("residual"), F.col("settled")
    score = settled + restart * residual
    bucket = F.when(score > 0, F.floor(F.log2(score) * BUCKETS))
    classes = state.groupBy("set", bucket.alias("bucket")).agg(
        F.count(F.lit(1)).alias("count"),
        F.sum(F.abs(residual)).alias("left"),
        F.sum(residual + settled).alias("given"),
        F.max(F.abs(residual) / F.greatest("degree", F.lit(1))).alias("worst"),
        F.sum("walked").alias("edges"),
    )
    by_set = defaultdict(list)
    for row in classes.collect():
        by_set[row["set"]].append(row)
    far = {}
    for number, rows in by_set.items():
        sums = {name: sum(row[name] for row in rows) for name in ("left", "given", "edges")}
        counts = {row["bucket"]: row["count"] for row in rows if row["bucket"] is not None}
        far[number] = WalkProgress(worst=max(row["worst"] for row in rows), kth=_kth(counts, k), **sums)
    return far


def _kth(counts: dict[int, int], k: int) -> float:
    """Return the lower end of the class that holds the k-th highest score; 0 if there are fewer.

    >>> _kth({-8: 2, -16: 5}, 2), _kth({-8: 2, -16: 5}, 3), _kth({-8: 2, -16: 5}, 8)
    (0.5, 0.25, 0.0)
    """
    entities = 0
    for bucket in sorted(counts, reverse=True):
        entities += counts[bucket]
        if entities >= k:
            return float(2.0 ** (bucket / BUCKETS))
    return 0.0


def _by_set(spark: SparkSession, values: dict[int, float]) -> DataFrame:
    """Return the columns ``set`` and ``value``, which are sent to all workers."""
    frame = spark.createDataFrame(list(values.items()), "set int, value double")
    return frame.hint("broadcast")
