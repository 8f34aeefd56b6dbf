"""Numbering the entities of a graph and writing the rows that walks need, as `Prepared` reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.graphs.records.records import LeftOut
from graphbrick.spark.left_out import tell_left_out
from graphbrick.spark.prepared import KIND, Prepared, is_prepared
from graphbrick.spark.reading import TripleSource, write_triples
from graphbrick.spark.statistics import statistics
from graphbrick.spark.storage import Storage, location, write_settings, write_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROW_LENGTH = 4096
"""Most targets in a chunk of a row."""


def prepare(
    spark: SparkSession,
    source: TripleSource,
    place: str,
    *,
    directions: Sequence[str] = ("both",),
    skip_bad: bool = False,
    row_length: int = ROW_LENGTH,
    progress: Progress = silent,
) -> Prepared:
    """Number the entities of a source and write a prepared folder.

    Args:
        spark: The session.
        source: The triples.
        place: The folder to write; it must not be there, or be empty.
        directions: Directions of the walks to come; rows are written for each.
        skip_bad: Leave out rows that are not triples, and count them.
        row_length: Most targets in a chunk of a row.
        progress: Called with the name of each step.

    Raises:
        InputError: A row is not a triple (the message quotes the first), or there is none; or the source is prepared.
        SparkError: A job failed.
    """
    if is_prepared(spark, source.place):
        Prepared.open(spark, source.place)  # an error if it is another result
        text = "it is prepared: give it to graphbrick spark extract, rank, components or build"
        raise InputError(text, source.place, code="triples.prepared")
    progress("reading the triples", 0, 1)
    left_out = LeftOut()
    counts = write_triples(spark, source, f"{place}/.distinct", once=True, skip_bad=skip_bad, left_out=left_out)
    tell_left_out(left_out)
    distinct = spark.read.parquet(location(f"{place}/.distinct"))
    progress("numbering the entities", 0, 1)
    numbered = f"{place}/.entities"
    keys = distinct.selectExpr("head AS entity").union(distinct.select("tail")).distinct()
    write_table(keys.orderBy("entity").zipWithIndex("id"), numbered)
    entities = spark.read.parquet(location(numbered))
    write_table(_numbered_triples(distinct, entities), f"{place}/triples")
    prepared = Prepared(spark, place, {"row_length": row_length, "directions": list(directions)})
    write_table(_with_degrees(entities, prepared.triples()), f"{place}/entities")
    for direction in directions:
        progress(f"writing the rows of walks: {direction}", 0, 1)
        write_table(_rows(prepared, direction, row_length), f"{place}/rows-{direction}")
    if source.is_graph:
        from graphbrick.spark.folder_tables import folder_labels

        write_table(folder_labels(spark, source.place), f"{place}/labels")
    prepared.facts["labels"] = source.is_graph
    progress("counting", 0, 1)
    prepared.facts.update(source=source.place, counts=counts, statistics=statistics(prepared))
    if left_out.counts:
        prepared.facts["left_out"] = left_out.to_dict()
    counts["entities"] = prepared.facts["statistics"]["entities"]
    storage = Storage(spark, place)
    for name in (".distinct", ".entities"):
        storage.delete(f"{place}/{name}")
    write_settings(spark, place, KIND, prepared.facts)
    return prepared


def _numbered_triples(distinct: DataFrame, entities: DataFrame) -> DataFrame:
    heads = entities.selectExpr("entity AS head", "id AS head_id")
    tails = entities.selectExpr("entity AS tail", "id AS tail_id")
    joined = distinct.join(heads, "head").join(tails, "tail")
    return joined.selectExpr("head_id AS head", "relation", "tail_id AS tail", "weight")


def _with_degrees(entities: DataFrame, triples: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    heads = triples.selectExpr("head AS id", "1 AS out", "0 AS into")
    ends = heads.union(triples.selectExpr("tail", "0", "1"))
    degrees = ends.groupBy("id").agg(F.sum("out").alias("out_degree"), F.sum("into").alias("in_degree"))
    return entities.join(degrees, "id").select("id", "entity", "out_degree", "in_degree")


def edges(triples: DataFrame, direction: str) -> DataFrame:
    """Return ``source`` and ``target`` of every step that a walk can make; both ways, a triple gives two."""
    forward = triples.selectExpr("head AS source", "tail AS target")
    backward = triples.selectExpr("tail AS source", "head AS target")
    return forward if direction == "out" else backward if direction == "in" else forward.union(backward)


def _rows(prepared: Prepared, direction: str, row_length: int) -> DataFrame:
    """Return the rows of all entities, the targets of each chunk in one array."""
    from pyspark.sql import functions as F  # noqa: N812

    degrees = prepared.degrees(direction)
    sources = degrees.selectExpr("id AS source", "degree AS source_degree")
    targets = degrees.selectExpr("id AS target", "degree AS target_degree")
    chunks = F.ceil(F.col("source_degree") / row_length)
    chunk = F.pmod(F.xxhash64("target"), chunks).cast("int")
    joined = edges(prepared.triples(), direction).join(sources, "source").join(targets, "target")
    target = F.struct(F.col("target").alias("id"), F.col("target_degree").alias("degree"))
    grouped = joined.groupBy(F.col("source").alias("id"), chunk.alias("chunk"))
    return grouped.agg(F.collect_list(target).alias("targets"))
