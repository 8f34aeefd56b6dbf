"""Prepared graphs: numbered entities, triples of numbers and rows to walk on, as Parquet.

A *prepared* folder holds

- ``entities``: ``id`` (long, from 0 in the order of the keys), ``entity``, ``out_degree``, ``in_degree``;
- ``triples``: ``head``, ``tail`` (ids), ``relation`` (text), ``weight`` (double or null), each triple once;
- ``rows-both`` (or ``-out``, ``-in``): compressed sparse rows: ``id``, ``chunk``, ``targets`` (array of id, degree).
  The row of a hub is cut into chunks that lie in different partitions, so that no worker has a hub to itself;
- ``labels``: ``entity``, ``label`` of what has a label other than its key, if the source is a graph folder;
- ``settings.json``: counts and statistics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphbrick.spark.errors import SparkError
from graphbrick.spark.storage import SETTINGS, Storage, location, read_settings

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

KIND = "prepared graph"


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

    def key_triples(self) -> DataFrame:
        """Return ``head``, ``relation``, ``tail`` (keys) and ``weight``, in the order of the keys of heads."""
        ends = self.entities().select("id", "entity")
        heads, tails = (ends.toDF(name, f"{name}_key") for name in ("head", "tail"))
        joined = self.triples().join(heads, "head").join(tails, "tail").orderBy("head", "relation", "tail")
        return joined.selectExpr("head_key AS head", "relation", "tail_key AS tail", "weight")

    def labels(self) -> DataFrame | None:
        """Return ``entity`` and ``label`` of labels that differ from keys; None without labels."""
        return self._read("labels") if self.facts["labels"] else None

    def degrees(self, direction: str) -> DataFrame:
        """Return ``id`` and ``degree``: the triples that a walk in this direction can take from each entity."""
        return self.entities().select("id", _degree(direction).alias("degree"))

    def rows(self, direction: str, partitions: int) -> DataFrame:
        """Return ``id``, ``chunk``, ``targets``, partitioned by id and chunk.

        Raises:
            SparkError: The folder has no rows for this direction.
        """
        if direction not in self.facts["directions"]:
            raise SparkError(
                f"{self.place} was prepared for walks in the direction {', '.join(self.facts['directions'])}, not "
                f"{direction}; prepare it with --direction {direction}",
                code="prepared.no_direction",
                direction=direction,
            )
        return self._read(f"rows-{direction}").repartition(partitions, "id", "chunk")

    def _read(self, name: str) -> DataFrame:
        return self.spark.read.parquet(location(f"{self.place}/{name}"))


def is_prepared(spark: SparkSession, place: str) -> bool:
    """Return whether a place holds a prepared graph."""
    return Storage(spark, place).exists(f"{place}/{SETTINGS}")


def _degree(direction: str) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    out, into = F.col("out_degree"), F.col("in_degree")
    return out if direction == "out" else into if direction == "in" else out + into
