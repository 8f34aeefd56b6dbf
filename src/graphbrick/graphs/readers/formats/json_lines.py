"""Reader of JSON lines: triples, nodes and edges, and what Neo4j's APOC exports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.formats.elements import Element, records_of, understood
from graphbrick.graphs.readers.formats.json_elements import JsonElements
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.records.blocks import Part


def _elements(file: Path, reading: FileReading) -> Iterator[Element]:
    converter = JsonElements(file, reading, has_positions=False)
    for number, line in reading.lines(file):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            reading.bad.add(InputError(f"not JSON: {error}", file, number, line, code="json.bad_line"))
        else:
            yield from converter.taken(value, "", partial(int, number))


def _read(file: Path, reading: FileReading) -> Iterator[Part]:
    """Yield the nodes and edges of a file of JSON lines.

    Raises:
        InputError: The first line that is not a node, an edge or a triple, unless ``bad`` skips them.
    """
    return records_of(_elements(file, reading), reading)


def _understood(file: Path, reading: FileReading) -> str:
    return understood(_elements(file, reading), reading)


READER = Reader(_read, is_checked=True, understood=_understood)
