"""Walks with restart by joins: forward push of residual mass, for many sets of seeds at once.

This is the push of `PPR` (Andersen et al., FOCS 2006), done for all entities of a step together. The state has a row
for each set and entity that has any mass: the residual, which still has to walk, and the settled mass, which is the
score. In each step, every entity whose residual is above a threshold per triple settles ``restart`` of it and passes
the rest on.

Walks both ways are reversible. Their steps are accelerated by momentum (second-order Richardson iteration; Golub and
Varga, 1961), which needs a third of the steps: an entity moves a little more than its residual, and a share of what it
moved in the step before. Residuals may then be negative.

The state is written after every step, so a lost worker costs that step only.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from graphbrick.core.compute import Progress, silent
from graphbrick.spark.errors import SparkError
from graphbrick.spark.storage import Storage, location, write_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FACTOR = 1e4  # residuals per triple down to this fraction of the largest are pushed in a step
_GONE = 1e-12  # a residual mass that changes no digit of a score
_MOST_STEPS = 1000
_BUCKETS = 8  # classes of scores for each factor of two
_STATE = "set int, id long, degree long, residual double, settled double, moved double, walked long"


class WalkProgress(NamedTuple):
    """The progress of the walks of a set.

    Attributes:
        left: The residual mass; sum of absolute values.
        given: Settled and residual mass; less than 1 where walks came to dead ends.
        worst: Largest residual per triple.
        kth: The k-th highest score so far, at most a tenth too low; 0 if there are fewer.
        edges: Triples walked.
    """

    left: float
    given: float
    worst: float
    kth: float
    edges: int

    def error_bound(self, restart: float) -> float:
        """Return the bound on the sum of absolute errors of the scores."""
        return 2 * (1 - restart) * self.left / self.given


@dataclass(frozen=True)
class Walks:
    """Finished walks.

    Attributes:
        scores: ``set`` (int), ``id``, ``score``: the scores of each set, which sum to 1 but for what is left.
        progress: The last progress of each set.
        steps: Number of steps made.
    """

    scores: DataFrame
    progress: dict[int, WalkProgress]
    steps: int


Threshold = Callable[[WalkProgress], float]
"""Gives the residual per triple that need not be pushed any more; infinite when a set is done."""


class Way(NamedTuple):
    """The parameters of walks.

    Attributes:
        restart: Probability of going back to the start.
        reversible: True if walks follow triples in both directions.
        row_length: Most targets in a chunk of a row.
    """

    restart: float
    reversible: bool
    row_length: int

    @property
    def omega(self) -> float:
        """The share of its residual that an entity moves; 1 more than its share of what it moved before."""
        return 2 / (1 + math.sqrt(1 - (1 - self.restart) ** 2)) if self.reversible else 1.0


def walk(
    spark: SparkSession,
    rows: DataFrame,
    start: DataFrame,
    way: Way,
    threshold: Threshold,
    *,
    k: int,
    work: str,
    progress: Progress = silent,
) -> Walks:
    """Walk from all sets at once, until each is done.

    Args:
        spark: The session.
        rows: ``id``, ``chunk``, ``targets``, as `Prepared.rows` gives them.
        start: ``set`` (int), ``id``, ``degree``, ``residual``: where the walks start; residuals of a set sum to 1.
        way: The parameters of the walks.
        threshold: Gives the residual that need not be pushed any more.
        k: Rank of the score in `WalkProgress.kth`.
        work: A folder for the state, on storage that all workers share; deleted by the caller.
        progress: Called with the name of each step.

    Raises:
        SparkError: The walks do not end within a thousand steps.
    """
    from pyspark.sql import functions as F  # noqa: N812

    storage = Storage(spark, work)
    state = start.selectExpr("set", "id", "degree", "residual", "0D AS settled", "0D AS moved", "0L AS walked")
    for step in range(_MOST_STEPS):
        place = f"{work}/step-{step}"
        write_table(state, place)
        state = spark.read.schema(_STATE).parquet(location(place))
        if step:
            storage.delete(f"{work}/step-{step - 1}")
        far = _progress(state, way.restart, k)
        limits = _limits(far, threshold)
        progress(f"walking; step {step}, {len(far) - len(limits)} of {len(far)} sets done", 0, 1)
        if not limits:
            mass = _by_set(spark, {number: each.given for number, each in far.items()})
            score = (F.col("settled") + way.restart * F.col("residual")) / F.col("value")
            scores = state.join(mass, "set").select("set", "id", score.alias("score")).where("score > 0")
            return Walks(scores, far, step)
        state = _step(state, rows, _by_set(spark, limits), way)
    text = f"the walks did not end within {_MOST_STEPS:,} steps; try a larger tolerance or restart"
    raise SparkError(text, code="walks.steps")


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
    bucket = F.when(score > 0, F.floor(F.log2(score) * _BUCKETS))
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
            return float(2.0 ** (bucket / _BUCKETS))
    return 0.0


def _limits(far: dict[int, WalkProgress], threshold: Threshold) -> dict[int, float]:
    """Return the residual per triple above which each unfinished set pushes in the next step."""
    limits = {}
    for number, found in far.items():
        end = threshold(found)
        if found.worst > end and found.left >= _GONE:
            limits[number] = max(end, found.worst / _FACTOR)
    return limits


def _by_set(spark: SparkSession, values: dict[int, float]) -> DataFrame:
    """Return the columns ``set`` and ``value``, which are sent to all workers."""
    frame = spark.createDataFrame(list(values.items()), "set int, value double")
    return frame.hint("broadcast")
