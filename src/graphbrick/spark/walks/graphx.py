"""The same computations by GraphX, the graph library inside Spark: an option, and a test oracle.

GraphX knows neither relations nor seed sets. It holds the whole graph in the memory of the workers, reads a list
of edges, and gives every entity a score for every set. It makes a fixed number of steps.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import TYPE_CHECKING, Any

from graphbrick.spark.prepare import edges
from graphbrick.spark.prepared import Prepared
from graphbrick.spark.storage import location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FIRST_SET = 1 << 40  # number of the vertex of the first set; Python's numbers of this size become longs in Java


def steps_for(restart: float, error: float) -> int:
    """Return the steps until the sum of absolute errors is at most ``error``, without dead ends.

    >>> steps_for(0.2, 1e-3)
    35
    """
    return math.ceil(math.log(error / 2) / math.log(1 - restart))


class GraphX:
    """A graph in GraphX.

    Args:
        prepared: The graph.
        direction: "both", "out" or "in": the walks to come.
        work: A folder for lists of edges and results, on storage that all workers share.
        partitions: Parts that the list of edges is read in.
        seeds: ``set`` (int) and ``id``; None for computations without seeds.
    """

    def __init__(
        self, prepared: Prepared, direction: str, work: str, partitions: int, seeds: DataFrame | None = None
    ) -> None:
        self._spark, self._work = prepared.spark, work
        jvm: Any = prepared.spark._jvm
        self._library = jvm.org.apache.spark.graphx.lib
        self._tag = jvm.scala.reflect.ClassTag.Int()
        steps = edges(prepared.triples(), direction)
        self._sets: list[int] = []
        if seeds is not None:
            # One more vertex for each set, which leads to its seeds: GraphX starts from single vertices.
            self._sets = sorted(row["set"] for row in seeds.select("set").distinct().collect())
            steps = steps.union(seeds.selectExpr(f"set + {_FIRST_SET}L AS source", "id AS target"))
        place = location(f"{work}/edges")
        steps.selectExpr("concat(source, ' ', target) AS value").write.text(place)
        level = jvm.org.apache.spark.storage.StorageLevel.MEMORY_AND_DISK()
        context = prepared.spark._jsc.sc()
        load = jvm.org.apache.spark.graphx.GraphLoader.edgeListFile
        self._graph = load(context, place, False, partitions, level, level)

    def page_rank(self, restart: float, error: float) -> DataFrame:
        """Return ``id`` and ``score`` (they sum to 1) of all entities that have a triple."""
        ranked = self._library.PageRank.run(self._graph, steps_for(restart, error), restart, self._tag, self._tag)
        scores = self._result(ranked, "ranks").selectExpr("id", "CAST(value AS double) AS score")
        total = scores.agg({"score": "sum"}).collect()[0][0]
        return scores.selectExpr("id", f"score / {total!r}D AS score")

    def personalized_page_rank(self, restart: float, error: float) -> DataFrame:
        """Return ``set``, ``id`` and ``score`` of all entities with a score above 0.

        GraphX walks once for each set. Its method for many sources at once stops passing mass on after some steps.
        """
        jvm: Any = self._spark._jvm
        parts = []
        for number in self._sets:
            source = jvm.scala.Option.apply(_FIRST_SET + number)
            steps = steps_for(restart, error)
            ranked = self._library.PageRank.runWithOptions(self._graph, steps, restart, source, self._tag, self._tag)
            scores = self._result(ranked, f"ranks-{number}").selectExpr("id", "CAST(value AS double) AS score")
            reached = scores.where(f"id < {_FIRST_SET} AND score > 0")
            # Without the vertex of the set; what is left sums to less than 1.
            total = reached.agg({"score": "sum"}).collect()[0][0]
            parts.append(reached.selectExpr(f"{number} AS set", "id", f"score / {total!r}D AS score"))
        return reduce(lambda one, other: one.union(other), parts)

    def components(self) -> DataFrame:
        """Return ``id`` and ``component``, the lowest id in it, of all entities that have a triple."""
        labelled = self._library.ConnectedComponents.run(self._graph, self._tag, self._tag)
        return self._result(labelled, "components").selectExpr("id", "CAST(value AS long) AS component")

    def _result(self, graph: Any, name: str) -> DataFrame:
        """Return ``id`` and ``value`` (text) of all vertices: rows come slowly out of the JVM one by one."""
        place = location(f"{self._work}/{name}")
        graph.vertices().saveAsTextFile(place)
        return self._spark.read.text(place).selectExpr(
            r"CAST(regexp_extract(value, '^[(](\\d+),', 1) AS long) AS id",
            r"regexp_extract(value, '^[(]\\d+,(.*)[)]$', 1) AS value",
        )
