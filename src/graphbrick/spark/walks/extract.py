"""The best entities of each set of seeds and their triples, as Parquet files (docs/spark.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphbrick.bricks.extract.k_hop import KHop
from graphbrick.bricks.extract.ppr import PPR
from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.core.errors import LinkError, PipelineError
from graphbrick.spark.prepared import Prepared
from graphbrick.spark.seed_sets import SeedSet
from graphbrick.spark.storage import Storage, location, write_settings, write_table
from graphbrick.spark.walks.hops import nearest
from graphbrick.spark.walks.ppr import personalized_page_rank
from graphbrick.spark.walks.rows import Rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KIND = "extracted subgraphs"

DIGITS = 14
"""Scores are ranked by so many decimals: the last bits of a sum differ between runs, and ties must stay ties."""


@dataclass
class Extracted:
    """The result of an extraction, in numbers.

    Attributes:
        sets: Number of sets of seeds.
        entities: Rows of scores.
        triples: Rows of triples.
        missing: Seeds that the source does not have, by set; a set without any seed has no entities.
        steps: Steps that the walks made, for each batch.
        error_bound: The largest bound on the sum of absolute errors of the scores of a set.
        stopped: Sets whose walks the edge budget ended.
        in_tables: Sets whose mass outgrew the driver, so that tables on the workers held it.
        without_seeds: Names of the questions without seeds, for which nothing was extracted.
        left_out: What the source says and the subgraphs do not have, with counts.
    """

    sets: int
    entities: int = 0
    triples: int = 0
    missing: dict[str, list[str]] = field(default_factory=dict)
    steps: list[int] = field(default_factory=list)
    error_bound: float = 0.0
    stopped: int = 0
    in_tables: int = 0
    without_seeds: list[str] = field(default_factory=list)
    left_out: dict[str, Any] = field(default_factory=dict)


def extract(
    prepared: Prepared,
    sets: Sequence[SeedSet],
    place: str,
    stage: PPR | KHop,
    *,
    partitions: int,
    batch: int,
    progress: Progress = silent,
) -> Extracted:
    """Write the ``k`` best entities of each set and the triples among them.

    Args:
        prepared: The graph.
        sets: The sets of seeds; those without seeds are left out, and listed in the result.
        place: The folder to write.
        stage: `PPR` (k, restart, direction, tolerance, edge_budget), or `KHop` (max_hops, direction, cap), by which the
            score is 1 / (1 + hops).
        partitions: Parts that the rows of the graph are cut into; some for each core of all workers.
        batch: Sets walked together; the memory needed grows with it.
        progress: Called with the name of each step.

    Raises:
        LinkError: The source has none of the seeds.
        SparkError: A job failed.
    """
    check_stage(stage)
    spark, without = prepared.spark, [seed_set.name for seed_set in sets if not seed_set.seeds]
    sets = [seed_set for seed_set in sets if seed_set.seeds]
    done = Extracted(len(sets), without_seeds=without)
    seeds = _found_seeds(prepared, sets)
    seeds_by_set = {(row["set"], row["entity"]) for row in seeds.select("set", "entity").collect()}
    for number, (name, keys) in enumerate(sets):
        missing = [key for key in keys if (number, key) not in seeds_by_set]
        if missing:
            done.missing[name] = missing
    if not seeds_by_set:
        raise LinkError(
            f"{prepared.facts['source']} has none of the seeds, such as {sets[0].seeds[0]!r}; seeds are keys of "
            "entities, as they stand in its head and tail columns",
            code="extract.no_seeds",
        )
    write_table(_names(prepared, sets), f"{place}/seeds")
    rows = Rows(prepared, stage.direction, partitions)
    try:
        for first in range(0, len(sets), batch):
            part = seeds.where(f"set >= {first} and set < {first + batch}")
            _extract_batch(
                rows, part, sets, place, stage, done,
                part_of(progress, "", 1.0, before=first / len(sets))
            )  # fmt: skip
    finally:
        rows.release()
        seeds.unpersist()
    written = {name: spark.read.parquet(location(f"{place}/{name}")).count() for name in ("scores", "triples")}
    done.entities, done.triples = written["scores"], written["triples"]
    _write_labels(prepared, place)
    counts = {name: prepared.facts["counts"][name] for name in ("entities", "triples")}
    facts = {
        "settings": _settings(stage),
        "source": prepared.facts["source"],
        "counts": {**counts, "sets": done.sets, "extracted_entities": done.entities, "extracted_triples": done.triples},
        "error_bound": done.error_bound,
        "in_tables": done.in_tables,
        "missing_seeds": sum(map(len, done.missing.values())),
    }
    done.left_out = prepared.facts.get("left_out", {})
    write_settings(spark, place, KIND, facts | ({"left_out": done.left_out} if done.left_out else {}))
    return done


def _write_labels(prepared: Prepared, place: str) -> None:
    """Write the labels of the entities and relations that were extracted, if the source tells any."""
    labels = prepared.labels()
    if labels is not None:
        entities, triples = (prepared.spark.read.parquet(location(f"{place}/{name}")) for name in ("scores", "triples"))
        used = entities.select("entity").union(triples.selectExpr("relation")).distinct()
        write_table(labels.join(used, "entity", "left_semi").coalesce(1), f"{place}/labels")


def check_stage(stage: PPR | KHop) -> None:
    """Raise PipelineError if Spark cannot run a brick with these parameters."""
    if stage.seeds != "together":
        text = f"Spark starts from all seeds of a set together, got {stage!r}; give each seed its own set"
        raise PipelineError(text, code="extract.each_seed")
    if isinstance(stage, PPR) and stage.solver is not None:
        text = f"{stage!r} has a solver, which needs a graph folder; leave it out for Spark"
        raise PipelineError(text, code="extract.solver")


def read_stage(text: str) -> PPR | KHop:
    """Return the brick that a text such as ``PPR(k=500)`` names.

    Raises:
        PipelineError: It is another brick, or none.
    """
    from graphbrick.pipeline.parsing import parse_brick

    stage = parse_brick(text)
    if not isinstance(stage, PPR | KHop):
        text = f"Spark extracts by PPR or KHop, got {stage!r}; try PPR(k=1000)"
        raise PipelineError(text, code="extract.other_brick")
    return stage


def _settings(stage: PPR | KHop) -> dict[str, Any]:
    names = ("k", "restart", "direction", "tolerance", "edge_budget", "max_hops", "cap")
    return {"pipeline": repr(stage), **{name: getattr(stage, name) for name in names if hasattr(stage, name)}}


def _names(prepared: Prepared, sets: Sequence[SeedSet]) -> DataFrame:
    pairs = [(name, key) for name, keys in sets for key in keys]
    return prepared.spark.createDataFrame(pairs, "set string, entity string").coalesce(1)


def _found_seeds(prepared: Prepared, sets: Sequence[SeedSet]) -> DataFrame:
    """Return ``set`` (int), ``id`` and ``entity`` of the seeds that the graph has."""
    pairs = [(number, key) for number, (_, keys) in enumerate(sets) for key in keys]
    named = prepared.spark.createDataFrame(pairs, "set int, entity string")
    return prepared.entities().join(named, "entity").select("set", "id", "entity").persist()


def _extract_batch(
    rows: Rows, seeds: DataFrame, sets: Sequence[SeedSet], place: str, stage: PPR | KHop, done: Extracted,
    progress: Progress,
) -> None:  # fmt: skip
    """Write the scores and triples of some of the sets."""
    prepared, work = rows.prepared, f"{place}/.walks"
    spark = prepared.spark
    if isinstance(stage, PPR):
        walks = personalized_page_rank(
            rows, seeds.select("set", "id"), stage, keep=stage.k, work=work, progress=progress
        )
        best = best_entities(walks.scores, seeds, stage.k)
        done.steps.append(walks.steps)
        done.in_tables += walks.in_tables
        bounds = [walked.error_bound(float(stage.restart)) for walked in walks.progress.values()]
        done.error_bound = max([done.error_bound, *bounds])
        done.stopped += sum(walked.edges > stage.edge_budget for walked in walks.progress.values())
    else:
        hops = nearest(rows, seeds.select("set", "id"), stage, work=work, progress=progress)
        best = best_entities(hops.selectExpr("set", "id", "1D / (1 + hops) AS score"), seeds, stage.cap)
    progress("ranking", 0, 1)
    numbered = [(i, seed_set.name) for i, seed_set in enumerate(sets)]
    named = spark.createDataFrame(numbered, "set int, name string").hint("broadcast")
    keys = prepared.entities().select("id", "entity")
    write_table(best.join(keys, "id").join(named, "set"), f"{work}/best")
    chosen = spark.read.parquet(location(f"{work}/best"))
    _append(chosen.selectExpr("name AS set", "entity", "score", "rank"), f"{place}/scores", "rank")
    progress("collecting the triples", 0, 1)
    _append(triples_among(prepared.triples(), chosen), f"{place}/triples", "head", "relation", "tail")
    Storage(spark, work).delete(work)


def _append(frame: DataFrame, place: str, *order: str) -> None:
    """Add the rows of a batch to a table, as one file that is sorted by set."""
    write_table(frame.coalesce(1).sortWithinPartitions("set", *order), place, append=True)


def best_entities(scores: DataFrame, seeds: DataFrame, k: int) -> DataFrame:
    """Return the ``k`` best entities of each set, with their rank from 1; seeds are always among them.

    Args:
        scores: ``set``, ``id``, ``score``.
        seeds: ``set``, ``id``.
        k: Entities kept; all seeds of a set where it has more. Ties go to the lower id.

    Returns:
        ``set``, ``id``, ``score``, ``rank`` (int).
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    order = [F.desc(F.round("score", DIGITS)), F.asc("id")]
    by_set = Window.partitionBy("set")
    marked = scores.join(seeds.select("set", "id", F.lit(1).alias("seed")), ["set", "id"], "left")
    place = F.row_number().over(by_set.orderBy(F.desc_nulls_last("seed"), *order))
    highest = marked.withColumn("place", place).where((F.col("place") <= k) | F.col("seed").isNotNull())
    rank = F.row_number().over(by_set.orderBy(*order))
    return highest.select("set", "id", "score", rank.alias("rank"))


def triples_among(triples: DataFrame, chosen: DataFrame) -> DataFrame:
    """Return the triples among the entities of each set.

    Args:
        triples: ``head``, ``relation``, ``tail``, ``weight``; heads and tails as ids.
        chosen: ``set``, ``name``, ``id``, ``entity``.

    Returns:
        ``set`` (its name), ``head``, ``relation``, ``tail`` (keys), ``weight``.
    """
    from pyspark.sql import functions as F  # noqa: N812

    # First by entity alone: a hub that is in many sets would otherwise bring all its triples once for each of them.
    ids = chosen.select("id").distinct()
    near = triples.join(ids.withColumnRenamed("id", "head"), "head", "left_semi")
    near = near.join(ids.withColumnRenamed("id", "tail"), "tail", "left_semi")
    heads = chosen.select("set", "name", F.col("id").alias("head"), F.col("entity").alias("head_key"))
    tails = chosen.select("set", F.col("id").alias("tail"), F.col("entity").alias("tail_key"))
    joined = near.join(heads, "head").join(tails, ["set", "tail"])
    return joined.select(
        F.col("name").alias("set"),
        F.col("head_key").alias("head"),
        "relation",
        F.col("tail_key").alias("tail"),
        "weight",
    )
