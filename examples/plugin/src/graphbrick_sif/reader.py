"""Reader of SIF, the simple interaction format of Cytoscape: lines ``a relation b c d``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graphbrick import EntityRecord, FileReading, Reader
from graphbrick.core.errors import InputError


def read(file: Path, reading: FileReading) -> Iterator[tuple[str, str, str] | EntityRecord]:
    """Yield the triples of a file, and nodes that stand alone on a line; cells end at tabs if the line has any."""
    for number, line in reading.lines(file):
        cells = [cell.strip() for cell in (line.split("\t") if "\t" in line else line.split())]
        if len(cells) == 2 or "" in cells:
            fault = "a line of SIF is a node, or a node, a relation and one or more nodes"
            reading.bad.add(InputError(fault, file, number, line))
        elif len(cells) == 1:
            yield EntityRecord(cells[0])
        else:
            for tail in cells[2:]:
                yield cells[0], cells[1], tail


SIF = Reader(read)
