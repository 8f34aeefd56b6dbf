"""The parts that a graph is built from: blocks and records of files."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

from graphbrick.graphs.build.prefetch import prefetched
from graphbrick.graphs.readers import ReadOptions, read_labels, read_parts
from graphbrick.graphs.readers.folders import SourceFiles
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.streams import Meter
from graphbrick.graphs.records.blocks import FactBlock, Part, TripleBlock
from graphbrick.graphs.records.records import BadRecords, LeftOut
from graphbrick.graphs.records.rules import Rules

_TOGETHER = 1 << 10


def file_parts(
    files: SourceFiles,
    labels: Path | None,
    options: ReadOptions,
    rules: Rules,
    bad: BadRecords,
    meter: Meter,
    left_out: LeftOut | None = None,
) -> Generator[Part]:
    """Yield the content of the files of a source, which another thread reads ahead until the generator is closed.

    A missing file is an error at once, not at the first part.
    """
    reading = FileReading(options, bad, rules.label_iris, meter, fast=True, left_out=left_out or LeftOut())
    named = iter(()) if labels is None else read_labels(labels, options, bad, reading.left_out)
    read = read_parts(files, reading)
    return _each(prefetched(_together(chain(named, read))))


def _each(batches: Generator[list[Part]]) -> Generator[Part]:
    with closing(batches):
        for batch in batches:
            yield from batch


def _together(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Yield the parts in lists, as passing each small part to another thread would cost more than reading it."""
    batch: list[Part] = []
    for part in parts:
        batch.append(part)
        if isinstance(part, TripleBlock | FactBlock) or len(batch) >= _TOGETHER:
            yield batch
            batch = []
    if batch:
        yield batch
