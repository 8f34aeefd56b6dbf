"""Graph folders as tables for Spark; the workers map the folder themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphbrick.graphs.graph import Graph

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

_ROWS = 1 << 16  # of a graph folder that one task reads together
_LABELS = ["entity", "label"]
_COLUMNS = ["head", "relation", "tail"]


def folder_triples(spark: SparkSession, folder: str) -> DataFrame:
    """Return the triples of a graph folder in the columns of `read_triples`; workers map the folder.

    Raises:
        GraphFormatError: The folder is damaged.
    """
    path = _absolute(folder)
    blocks = [
        (first, min(first + _ROWS, run.stop))
        for run in Graph.open(path).csr.runs()
        for first in range(run.start, run.stop, _ROWS)
    ]

    def read(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        graph = Graph.open(path)
        for batch in batches:
            for row in batch.to_pylist():
                yield _keys(graph, row["first"], row["last"])

    ranges = spark.createDataFrame(blocks, "first long, last long").repartition(max(1, min(len(blocks), 4096)))
    triples = ranges.mapInArrow(read, "head string, relation string, tail string")
    return triples.selectExpr(*_COLUMNS, "CAST(NULL AS double) AS weight", "CAST(NULL AS string) AS bad")


def _absolute(folder: str) -> str:
    return str(Path(folder.removeprefix("file:")).expanduser().absolute())


def folder_labels(spark: SparkSession, folder: str) -> DataFrame:
    """Return ``entity`` and ``label`` of entities and relations whose label is not their key."""
    path = _absolute(folder)
    graph = Graph.open(path)
    relations = [(graph.relation_key(number), graph.relation_label(number)) for number in range(graph.n_relations)]
    blocks = [(first, min(first + _ROWS, graph.n_entities)) for first in range(0, graph.n_entities, _ROWS)]

    def read(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        opened = Graph.open(path)
        for batch in batches:
            for row in batch.to_pylist():
                entities = range(row["first"], row["last"])
                texts = [[text(entity) for entity in entities] for text in (opened.key, opened.label)]
                yield pyarrow.record_batch([pyarrow.array(part, pyarrow.string()) for part in texts], names=_LABELS)

    ranges = spark.createDataFrame(blocks, "first long, last long").repartition(max(1, min(len(blocks), 4096)))
    labels = ranges.mapInArrow(read, "entity string, label string")
    return labels.union(spark.createDataFrame(relations, "entity string, label string")).where("entity != label")


def _keys(graph: Graph, first: int, last: int) -> pyarrow.RecordBatch:
    """Return the keys of the triples with these ids."""
    import pyarrow

    ids = np.arange(first, last, dtype=np.int32)
    ends, place = np.unique(np.concatenate([graph.csr.heads(ids), graph.csr.tail[ids]]), return_inverse=True)
    keys = pyarrow.array([graph.key(entity) for entity in ends.tolist()], pyarrow.string())
    relations = pyarrow.array(map(graph.relation_key, range(graph.n_relations)), pyarrow.string())
    heads, tails = (keys.take(pyarrow.array(part)) for part in np.split(place, 2))
    relation = relations.take(pyarrow.array(graph.csr.relation[ids]))
    return pyarrow.record_batch([heads, relation, tails], names=_COLUMNS)
