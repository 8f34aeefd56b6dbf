"""Reader of SIF, the simple interaction format of Cytoscape: lines ``a relation b c d``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.records.records import EntityRecord, Record


def _read(file: Path, reading: FileReading) -> Iterator[Record]:
    """Yield the triples of a file and its lone nodes; tabs end the cells of a line that has any."""
    for number, line in reading.lines(file):
        cells = [cell.strip() for cell in (line.split("\t") if "\t" in line else line.split())]
        while cells and not cells[-1]:
            cells.pop()
        if len(cells) == 2 or "" in cells:
            reason = "a line of SIF is a node, or a node, a relation and one or more nodes"
            reading.bad.add(InputError(reason, file, number, line, code="sif.bad_line", cells=len(cells)))
        elif len(cells) == 1:
            yield EntityRecord(cells[0])
        else:
            yield from ((cells[0], cells[1], tail) for tail in cells[2:])


READER = Reader(_read, is_checked=True)
