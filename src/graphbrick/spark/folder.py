"""Graph folders built from triples on any storage that Spark reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphbrick.core.compute import Progress, silent
from graphbrick.graphs.build.builder import GraphBuilder
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.readers import ReadOptions, read_labels
from graphbrick.graphs.records.blocks import TripleBlock
from graphbrick.graphs.records.records import BadRecords
from graphbrick.spark.folder_tables import folder_labels
from graphbrick.spark.prepared import Prepared, is_prepared
from graphbrick.spark.reading import TripleSource, write_triples
from graphbrick.spark.storage import write_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TRIPLES = 1 << 16  # per block
_COLUMNS = ("head", "relation", "tail")


def build_folder(
    spark: SparkSession,
    source: TripleSource,
    path: Path,
    work: str,
    *,
    near: bool | None = None,
    skip_bad: bool = False,
    overwrite: bool = False,
    progress: Progress = silent,
) -> Graph:
    """Build a graph folder on this machine from triples on any storage.

    Spark reads the source and writes plain triples in the order of the source; this machine builds the folder from
    them, in memory that does not grow with the graph. Labels of a graph folder or a prepared graph are kept; other
    facts and properties are left out and counted.

    Args:
        spark: The session.
        source: The triples.
        path: The folder to make.
        work: A place for the plain triples that this machine and all workers share; deleted by the caller.
        near: Whether misspelt names can be found; by default in graphs of at most 20,000,000 entities.
        skip_bad: Leave out rows that are not triples, and count them.
        overwrite: Replace a graph that is there.
        progress: Called now and then with the name of the step and the share of it that is done.

    Raises:
        InputError: A row is not a triple, or there is none.
        GraphbrickError: The folder exists, or cannot be written.
    """
    with GraphBuilder(path, source=source.place, overwrite=overwrite, near=near, progress=progress) as builder:
        progress("reading with Spark", 0.0, 1.0)
        counts = write_triples(
            spark, source, f"{work}/triples", once=False, skip_bad=skip_bad, left_out=builder.left_out
        )
        files = sorted(Path(work, "triples").glob("*.parquet"))
        bad = BadRecords(skip=True, count=counts["bad"])
        for file in _label_files(spark, source, f"{work}/labels"):
            for facts in read_labels(file, ReadOptions(), bad):
                builder.add(facts)
        for number, file in enumerate(files):
            progress("reading", number / len(files), 1.0)
            for block in _blocks(file):
                builder.add(block)
        return builder.finish(bad)


def _label_files(spark: SparkSession, source: TripleSource, place: str) -> list[Path]:
    """Write the labels that a source tells beside its triples, as tables of nodes; return the files."""
    if source.is_graph:
        labels = folder_labels(spark, source.place)
    elif is_prepared(spark, source.place):
        labels = Prepared.open(spark, source.place).labels()
    else:
        return []
    if labels is not None:
        write_table(labels.toDF("id", "label"), place)
    return sorted(Path(place).glob("*.parquet"))


def _blocks(file: Path) -> Iterator[TripleBlock]:
    """Yield the triples of a Parquet file in blocks."""
    from pyarrow import parquet

    with parquet.ParquetFile(file) as table:
        for batch in table.iter_batches(_TRIPLES, columns=list(_COLUMNS)):
            columns = [column.cast("large_string") for column in batch.columns]
            texts = [np.frombuffer(column.buffers()[2] or b"", dtype=np.uint8) for column in columns]
            offsets = np.stack([np.frombuffer(c.buffers()[1], np.int64)[c.offset :][: len(c) + 1] for c in columns])
            places = offsets + np.cumsum([0, *map(len, texts[:2])])[:, np.newaxis]
            # Two arrays, as a builder moves starts and ends when it strips a prefix.
            yield TripleBlock(np.concatenate(texts), places[:, :-1].copy(), places[:, 1:].copy())
