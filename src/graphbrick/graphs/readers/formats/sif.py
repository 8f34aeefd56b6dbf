"""Reader of SIF, the simple interaction format of Cytoscape: lines ``a relation b c d``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers import ReadOptions
from graphbrick.graphs.readers.columns import edge_columns, triple_columns
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.readers.roles import HEAD, RELATION, TAIL, find_column
from graphbrick.graphs.records.records import EntityRecord, Record

_IN_ORDER = (0, 1, 2)


class _Layout(NamedTuple):
    """Where a line has head, relation and tail, and whether the first line names the columns."""

    places: tuple[int, int, int] = _IN_ORDER
    header: bool = False


def _read(file: Path, reading: FileReading) -> Iterator[Record]:
    """Yield the triples of a file and its lone nodes; tabs end the cells of a line that has any.

    A first line of three names of columns, such as ``source metaedge target``, is a header, as other programs write it;
    the options say otherwise, or which columns to take.
    """
    layout: _Layout | None = None
    for number, line in reading.lines(file):
        cells = _cells(line)
        if layout is None and cells:
            layout = _layout(cells, reading.options, file)
            if layout.header:
                reading.left_out.add("first lines of SIF that name the columns", " ".join(cells)[:80])
                continue
        if len(cells) == 2 or "" in cells:
            reason = "a line of SIF is a node, or a node, a relation and one or more nodes"
            reading.bad.add(InputError(reason, file, number, line, code="sif.bad_line", cells=len(cells)))
        elif len(cells) == 1:
            yield EntityRecord(cells[0])
        elif layout is None or layout.places == _IN_ORDER:
            yield from ((cells[0], cells[1], tail) for tail in cells[2:])
        elif max(layout.places) >= len(cells):
            reason = f"the line has {len(cells)} cells, and column {max(layout.places) + 1} is asked for"
            reading.bad.add(InputError(reason, file, number, line, code="sif.no_column", cells=len(cells)))
        else:
            head, relation, tail = (cells[place] for place in layout.places)
            yield head, relation, tail


def _cells(line: str) -> list[str]:
    cells = [cell.strip() for cell in (line.split("\t") if "\t" in line else line.split())]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _layout(cells: list[str], options: ReadOptions, file: Path) -> _Layout:
    """Return the layout of a file by its first line and the options.

    Raises:
        InputError: The options name a column that the first line does not have.
    """
    if options.columns is not None:
        columns = edge_columns(cells, (), options, file)
        if columns.relation is None:
            reason = "a file of SIF has a relation in every line; name three columns, such as --columns 1,2,3"
            raise InputError(reason, file, code="sif.no_relation")
        return _Layout((columns.head, columns.relation, columns.tail), columns.header)
    if options.header is False or (options.header is None and not _is_header(cells)):
        return _Layout()
    return _Layout(*triple_columns(cells, options, file))


def _is_header(cells: list[str]) -> bool:
    """Return whether three cells are names of the columns of heads, relations and tails.

    >>> _is_header(["source", "metaedge", "target"]), _is_header(["Ann", "knows", "Bob"])
    (True, False)
    """
    head, tail = find_column(cells, HEAD), find_column(cells, TAIL)
    relation = find_column(cells, RELATION, without=(head, tail))
    return len(cells) == len(_IN_ORDER) and {head, relation, tail} == set(_IN_ORDER)


def _understood(file: Path, reading: FileReading) -> str:
    """Return in one line how a file with a header is read; empty for one without."""
    first = next((cells for _, line in reading.lines(file) if (cells := _cells(line))), [])
    layout = _layout(first, reading.options, file) if first else _Layout()
    if not layout.header:
        return ""
    names = (first[place] for place in layout.places)
    named = (f"{role} {name}" for role, name in zip(("head", "relation", "tail"), names, strict=True))
    return f"the first line names the columns: {', '.join(named)}"


READER = Reader(_read, is_checked=True, understood=_understood)
