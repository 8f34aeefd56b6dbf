"""Rows of a prepared graph on the workers, in the form that each way of walking needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.spark.prepared import Prepared
from graphbrick.spark.walks.blocks import BLOCK, build_block, over_blocks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Rows:
    """The rows of a graph, kept on the workers from their first use until `release`.

    Args:
        prepared: The graph.
        direction: "both", "out" or "in": the walks to come.
        partitions: Parts that the rows are cut into.
    """

    def __init__(self, prepared: Prepared, direction: str, partitions: int) -> None:
        self.prepared, self.direction, self.partitions = prepared, direction, partitions
        self._blocks: DataFrame | None = None
        self._table: DataFrame | None = None

    def blocks(self) -> DataFrame:
        """Return a row of arrays for each partition, for the functions of `graphbrick.spark.walks.blocks`."""
        if self._blocks is None:
            rows = self.prepared.rows(self.direction, self.partitions).select("id", "targets")
            self._blocks = over_blocks(rows, build_block, BLOCK).persist()
        return self._blocks

    def table(self) -> DataFrame:
        """Return ``id``, ``chunk``, ``targets``, partitioned by id and chunk, for joins."""
        if self._table is None:
            self._table = self.prepared.rows(self.direction, self.partitions).persist()
        return self._table

    def degrees(self) -> npt.NDArray[np.int64]:
        """Return the degree of every entity, here."""
        table = self.prepared.degrees(self.direction).toArrow()
        degrees = np.zeros(table.num_rows, np.int64)
        degrees[table.column("id").to_numpy()] = table.column("degree").to_numpy()
        return degrees

    def release(self) -> None:
        """Free the memory of the workers."""
        for frame in (self._blocks, self._table):
            if frame is not None:
                frame.unpersist()
        self._blocks = self._table = None
