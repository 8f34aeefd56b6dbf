"""Numbered entities, triples of numbers and rows to walk on, written as Parquet by Spark.

A *prepared* folder holds

- ``entities``: ``id`` (long, from 0 in the order of the keys), ``entity``, ``out_degree``, ``in_degree``;
- ``triples``: ``head``, ``tail`` (ids), ``relation`` (text), ``weight`` (double or null), each triple once;
- ``rows-both`` (or ``-out``, ``-in``): compressed sparse rows: ``id``, ``chunk``, ``targets`` (array of id, degree).
  The row of a hub is cut into chunks that lie in different partitions, so that no worker has a hub to itself;
- ``labels``: ``entity``, ``label`` of what has a label other than its key, if the source is a graph folder;
- ``settings.json``: counts and statistics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphbrick.spark.errors import SparkError
from graphbrick.spark.reading import TripleSource, write_triples
from graphbrick.spark.statistics import statistics
from graphbrick.spark.storage import SETTINGS, Storage, location, read_settings, write_settings

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

KIND = "prepared graph"

ROW_LENGTH = 4096
"""Most targets in a chunk of a row."""

Report = Callable[[str], None]
"""Called with the name of each step when it begins."""


def silent(step: str) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Prepared:
    """A prepared graph on some storage.

    Args:
        spark: The session.
        place: Its folder.
        facts: The contents of its ``settings.json``.
    """

    spark: SparkSession
    place: str
    facts: dict[str, Any]

    @classmethod
    def open(cls, spark: SparkSession, place: str) -> Prepared:
        """Open a prepared folder.

        Raises:
            GraphFormatError: It is damaged, or of another kind or version.
        """
        return cls(spark, place, read_settings(spark, place, KIND))

    @property
    def row_length(self) -> int:
        """Most targets in a chunk of a row."""
        return int(self.facts["row_length"])

    def entities(self) -> DataFrame:
        """Return ``id``, ``entity``, ``out_degree``, ``in_degree``."""
        return self._read("entities")

    def triples(self) -> DataFrame:
        """Return ``head``, ``relation``, ``tail``, ``weight``."""
        return self._read("triples")

    def labels(self) -> DataFrame | None:
        """Return ``entity`` and ``label`` of what has a label other than its key; None if the source tells none."""
        return self._read("labels") if self.facts["labels"] else None

    def degrees(self, direction: str) -> DataFrame:
        """Return ``id`` and ``degree``: the triples that a walk in this direction can take from each entity."""
        return self.entities().select("id", _degree(direction).alias("degree"))

    def rows(self, direction: str, partitions: int) -> DataFrame:
        """Return ``id``, ``chunk``, ``targets``, kept in memory and on local disks, partitioned by id and chunk.

        Raises:
            SparkError: The folder has no rows for this direction.
        """
        if direction not in self.facts["directions"]:
            raise SparkError(
                f"{self.place} was prepared for walks in the direction {', '.join(self.facts['directions'])}, not "
                f"{direction}; prepare it with --direction {direction}"
            )
        return self._read(f"rows-{direction}").repartition(partitions, "id", "chunk").persist()

    def _read(self, name: str) -> DataFrame:
        return self.spark.read.parquet(location(f"{self.place}/{name}"))


def is_prepared(spark: SparkSession, place: str) -> bool:
    """Return whether a place holds a prepared graph."""
    return Storage(spark, place).exists(f"{place}/{SETTINGS}")


def prepare(
    spark: SparkSession,
    source: TripleSource,
    place: str,
    *,
    directions: Sequence[str] = ("both",),
    skip_bad: bool = False,
    row_length: int = ROW_LENGTH,
    report: Report = silent,
) -> Prepared:
    """Number the entities of a source and write a prepared folder.

    Args:
        spark: The session.
        source: The triples.
        place: The folder to write; it must not be there, or be empty.
        directions: Directions of the walks to come; rows are written for each.
        skip_bad: Leave rows out that are no triples, and count them.
        row_length: Most targets in a chunk of a row.
        report: Called with the name of each step.

    Raises:
        InputError: A row is no triple (the message quotes the first), or there is none.
        SparkError: A job failed.
    """
    report("reading the triples")
    counts = write_triples(spark, source, f"{place}/.distinct", once=True, skip_bad=skip_bad)
    distinct = spark.read.parquet(location(f"{place}/.distinct"))
    counts["triples"] = distinct.count()
    report("numbering the entities")
    numbered = f"{place}/.entities"
    keys = distinct.selectExpr("head AS entity").union(distinct.select("tail")).distinct()
    keys.orderBy("entity").zipWithIndex("id").write.parquet(location(numbered))
    entities = spark.read.parquet(location(numbered))
    _numbered_triples(distinct, entities).write.parquet(location(f"{place}/triples"))
    prepared = Prepared(spark, place, {"row_length": row_length, "directions": list(directions)})
    _with_degrees(entities, prepared.triples()).write.parquet(location(f"{place}/entities"))
    for direction in directions:
        report(f"writing the rows of walks: {direction}")
        _rows(prepared, direction, row_length).write.parquet(location(f"{place}/rows-{direction}"))
    if source.is_graph:
        from graphbrick.spark.folder_tables import folder_labels

        folder_labels(spark, source.place).write.parquet(location(f"{place}/labels"))
    prepared.facts["labels"] = source.is_graph
    report("counting")
    prepared.facts.update(source=source.place, counts=counts, statistics=statistics(prepared))
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


def _degree(direction: str) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    out, into = F.col("out_degree"), F.col("in_degree")
    return out if direction == "out" else into if direction == "in" else out + into


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
