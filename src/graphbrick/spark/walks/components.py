"""Connected components by alternating stars; rounds grow with the logarithm of the size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.compute import Progress, silent
from graphbrick.spark.errors import SparkError
from graphbrick.spark.prepared import Prepared
from graphbrick.spark.storage import Storage, location, write_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MOST_ROUNDS = 100


def components(prepared: Prepared, *, work: str, progress: Progress = silent) -> DataFrame:
    """Return the component of every entity, regardless of the direction of triples.

    The method of Kiveris et al., "Connected Components in MapReduce and Beyond" (SoCC 2014): in each round every
    entity links its larger neighbours, then its smaller ones, to the smallest of them, until all link to one.

    Args:
        prepared: The graph.
        work: A folder for the links of each round, on storage that all workers share.
        progress: Called with the name of each round.

    Returns:
        ``id`` and ``component``, the lowest id in it.
    """
    from pyspark.sql import functions as F  # noqa: N812

    spark, storage, before = prepared.spark, Storage(prepared.spark, work), None
    links = prepared.triples().where("head != tail").selectExpr("greatest(head, tail) AS id", "least(head, tail) AS to")
    for number in range(_MOST_ROUNDS):
        place = f"{work}/round-{number}"
        write_table(links.distinct(), place)
        links = spark.read.parquet(location(place))
        if number:
            storage.delete(f"{work}/round-{number - 1}")
        # A sum of hashes does not depend on the order of the rows.
        mark = links.agg(F.count("*"), F.sum(F.xxhash64("id", "to").cast("decimal(38)"))).first()
        progress(f"linking; round {number}", 0, 1)
        if mark == before:
            linked = prepared.entities().select("id").join(links, "id", "left")
            return linked.selectExpr("id", "coalesce(to, id) AS component")
        before, links = mark, _small_star(_large_star(links))
    raise SparkError(f"the components were not found within {_MOST_ROUNDS} rounds", code="components.rounds")


def _large_star(links: DataFrame) -> DataFrame:
    """Link the larger neighbours of every entity to the smallest of it and all its neighbours."""
    both = links.union(links.selectExpr("to", "id"))
    least = both.groupBy("id").agg({"to": "min"}).selectExpr("id", "least(id, `min(to)`) AS least")
    return both.join(least, "id").where("to > id").selectExpr("to AS id", "least AS to").distinct()


def _small_star(links: DataFrame) -> DataFrame:
    """Link every entity and its smaller neighbours to the smallest of them."""
    least = links.groupBy("id").agg({"to": "min"}).withColumnRenamed("min(to)", "least")
    others = links.join(least, "id").where("to != least").selectExpr("to AS id", "least AS to")
    return others.union(least)
