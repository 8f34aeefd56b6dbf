"""Reader of the Trivial Graph Format: lines ``1 Kenya`` of nodes, then ``#``, then lines ``1 2 borders`` of edges."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graphbrick import EntityRecord, FileReading, Reader
from graphbrick.core.errors import InputError


def read(file: Path, reading: FileReading) -> Iterator[tuple[str, str, str] | EntityRecord]:
    """Yield the nodes and edges of a file; an edge without a name is called "related to"."""
    is_edge = False
    for number, line in reading.lines(file):
        if line.strip() == "#":
            is_edge = True
        elif not is_edge and line.strip():
            key, _, label = line.strip().partition(" ")
            yield EntityRecord(key, label.strip() or None)
        elif line.strip():
            head, *rest = line.split(maxsplit=2)
            if not rest:
                fault = "an edge is the numbers of two nodes, and a name"
                reading.bad.add(InputError(fault, file, number, line))
            else:
                yield head, rest[1].strip() if rest[1:] else "related to", rest[0]


TGF = Reader(read)
