"""Readers of delimited tables of nodes and edges, also of APOC and KGTK."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.columns import EdgeColumns, NodeColumns, edge_columns, field_columns, node_columns
from graphbrick.graphs.readers.delimited import BLANK, Row, Table, spelled_delimiter, wrong_width
from graphbrick.graphs.readers.ends import counted_ends
from graphbrick.graphs.readers.formats.kgtk import is_kgtk, kgtk_records
from graphbrick.graphs.readers.own import own_text_edges, own_text_nodes
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.readers.roles import is_header
from graphbrick.graphs.readers.row_blocks import can_block, edge_blocks, node_blocks
from graphbrick.graphs.readers.rows import (
    EdgeMaker,
    entity_maker,
    no_values,
    note_ignored,
    understood_edges,
    understood_nodes,
)
from graphbrick.graphs.readers.triples import bad_triple, blocks_of_triples, in_blocks
from graphbrick.graphs.records.blocks import FactBlock, Part
from graphbrick.graphs.records.records import Record

_FEW = 4  # rows that show that the first one differs from them
_APOC = ("_id", "_labels", "_start", "_end", "_type")


def _open_edges(file: Path, reading: FileReading) -> Table:
    """Open a table of edges; two columns are enough if the options state the relation."""
    options = reading.options
    has_relation = options.relation is not None or (options.columns is not None and len(options.columns) == 2)
    table = Table.open(file, reading, 2 if has_relation else 3)
    rows = [table.first, *table.samples] if table.first else []
    if rows and all(row[0].startswith(('("', "('")) and row[-1].rstrip().endswith(")") for row in rows):
        reason = "the lines are Python tuples; write them as CSV, without the brackets"
        raise InputError(reason, file, 1, code="reader.python_tuples")
    _refuse_weights(table, reading)
    return table


def _refuse_weights(table: Table, reading: FileReading) -> None:
    """Raise if three columns of numbers, separated by blanks, may be triples or edges with weights."""
    options = reading.options
    if table.delimiter != BLANK or spelled_delimiter(options) or options.columns or options.relation:
        return
    rows = [table.first, *table.samples]
    if all(len(row) == 3 and all(cell.replace(".", "", 1).isdecimal() for cell in row) for row in rows):
        reason = (
            "the rows are three numbers; if the third is a weight, give the relation of all edges with --relation "
            "NAME, and if they are head, relation and tail, say --columns 1,2,3 (in another order: 1,3,2)"
        )
        raise InputError(reason, table.file, 1, code="reader.three_numbers")


def _read_edges(file: Path, reading: FileReading) -> Iterator[Part]:
    """Yield the records of a delimited table of edges.

    The file has three columns, or a header or the options name the columns to use; of its other columns the named
    ones are properties.

    Raises:
        InputError: No rows, a missing column, or the first bad record unless ``bad`` skips them.
    """
    table = _open_edges(file, reading)
    if set(_APOC) <= set(table.first):
        yield from counted_ends(_apoc(table, reading), reading.left_out)
        return
    if not table.first:
        table.check(reading)
        return
    columns = _edge_columns(table, reading)
    note_ignored(columns, file.name, reading)
    if in_blocks(table, columns, reading):
        yield from blocks_of_triples(table, columns, reading)
        return
    rows = _rows_of(table, columns, reading, _triple_fault(table, columns))
    if is_kgtk(table.first) and columns.relation is not None:
        yield from kgtk_records(_complete(rows, table, columns, reading), columns, reading, file.name)
        return
    if can_block(columns):
        yield from edge_blocks(rows, columns, reading, file, _triple_fault(table, columns))
        return
    maker = EdgeMaker(columns, reading, file.name, typed=False)
    for line, cells in rows:
        records = maker.records(cells)
        if not records:
            reading.bad.add(_triple_fault(table, columns)(line, cells))
        yield from records


def _triple_fault(table: Table, columns: EdgeColumns) -> Callable[[int, list[str]], InputError]:
    """Return the function that makes the error about a row."""
    places = (columns.head, columns.relation, columns.tail)
    return lambda line, cells: bad_triple(table.file, line, cells, table.delimiter, columns.width, places)


def _complete(rows: Iterator[Row], table: Table, columns: EdgeColumns, reading: FileReading) -> Iterator[Row]:
    """Yield the rows that have head, relation and tail."""
    places = [place for place in (columns.head, columns.relation, columns.tail) if place is not None]
    for line, cells in rows:
        if all(cells[place].strip() for place in places):
            yield line, cells
        else:
            reading.bad.add(_triple_fault(table, columns)(line, cells))


def _rows_of(
    table: Table,
    columns: NodeColumns | EdgeColumns,
    reading: FileReading,
    fault: Callable[[int, list[str]], InputError],
) -> Iterator[Row]:
    """Yield the rows below the header that have the right number of cells; others are bad records.

    Rows without any value are left out, and counted.
    """
    header, width = columns.header, columns.width
    rows = table.rows(reading)
    if header and not reading.table.header:
        next(rows, None)
    for line, cells in rows:
        if not cells[0].strip() and not any(map(str.strip, cells)):
            reading.left_out.add(no_values(table.file))
        elif len(cells) == width:
            yield line, cells
        else:
            reading.bad.add(fault(line, cells))


def _read_nodes(file: Path, reading: FileReading) -> Iterator[FactBlock]:
    """Yield the entities of a delimited node table.

    A header names the columns (see `node_columns`). A table without a header has two columns, key and name. Several
    types or aliases in one cell are separated by ``|`` or ``;``.

    Raises:
        InputError: No rows, no key column, or the first bad record unless ``bad`` skips them.
    """
    table = Table.open(file, reading, 2, required=False)
    if not table.first:
        table.check(reading)
        return
    columns = _node_columns(table, reading)
    note_ignored(columns, file.name, reading)
    need = (
        f"the header has {columns.width}" if columns.header else "a node table without a header needs 2, key and name"
    )

    def fault(line: int, cells: list[str]) -> InputError:
        return wrong_width(file, line, cells, table.delimiter, need, columns.width)

    rows = _rows_of(table, columns, reading, fault)
    yield from node_blocks(rows, columns, table.first, reading, file)


def _apoc(table: Table, reading: FileReading) -> Iterator[Record]:
    """Yield the nodes and edges that APOC exported: rows with ``_id`` are nodes, the others edges."""
    header, file = table.first, table.file
    nodes, edges = _apoc_columns(table, reading)
    make = entity_maker(nodes, header, reading, file.name, typed=False)
    maker = EdgeMaker(edges, reading, file.name, typed=False)
    for line, cells in _rows_of(table, edges, reading, _triple_fault(table, edges)):
        entity = make(cells)
        records = maker.records(cells) if entity is None else [entity]
        if not records:
            reason = "the row has neither an _id nor _start, _end and _type"
            text = table.delimiter.join(cells)
            reading.bad.add(InputError(reason, file, line, text, code="reader.neither_node_nor_edge"))
        yield from records


def _apoc_columns(table: Table, reading: FileReading) -> tuple[NodeColumns, EdgeColumns]:
    """Return the columns of the nodes and of the edges of a file that APOC exported."""
    header, options = table.first, reading.options
    options = replace(options, key=options.key or "_id", type=options.type or "_labels")
    nodes = node_columns(header, table.samples, options, table.file)
    reserved = {header.index(name) for name in _APOC}
    nodes = replace(nodes, fields=tuple(field for field in nodes.fields if field.place not in reserved), ignored=())
    fields, _ = field_columns(header, table.samples, reserved)
    start, end, kind = (header.index(name) for name in _APOC[2:])
    return nodes, EdgeColumns(start, kind, end, fields=fields, width=len(header))


def _understood(file: Path, reading: FileReading) -> str:
    """Return in one line how a delimited table is read."""
    if reading.table.role == "nodes":
        table = Table.open(file, reading, 2, required=False)
        nodes = _node_columns(table, reading) if table.first else None
        is_whole = nodes is not None and nodes.width == len(table.first)
        return understood_nodes(nodes, table.first, reading) if nodes and is_whole else ""
    table = _open_edges(file, reading)
    if not table.first:
        return ""
    if set(_APOC) <= set(table.first):
        nodes, edges = _apoc_columns(table, reading)
        told = understood_nodes(nodes, table.first, reading), understood_edges(edges, table.first, reading)
        return f"nodes: {told[0]}. Edges: {told[1]}"
    edges = _edge_columns(table, reading)
    has_default = not edges.header and edges.relation is not None and not reading.options.columns
    is_told = edges.width == len(table.first) and not has_default
    if has_default and _may_be_header(table, reading):
        first = ", ".join(cell.strip()[:40] for cell in table.first)
        return f"triples without a header, the first is {first}; if it names the columns, say --header"
    return understood_edges(edges, table.first, reading) if is_told else ""


def _may_be_header(table: Table, reading: FileReading) -> bool:
    """Return whether the first row of triples may name columns: its cells are in no other row, others come again."""
    if reading.options.header is not None or len(table.samples) < _FEW or not is_header(table.first):
        return False
    values = [{row[place].strip() for row in table.samples} for place in range(len(table.first))]
    is_new = not any(cell.strip() in known for cell, known in zip(table.first, values, strict=True))
    return is_new and len(values[1]) <= len(table.samples) / 2


def _node_columns(table: Table, reading: FileReading) -> NodeColumns:
    options = reading.options
    own = None if options.key or options.name or options.type else own_text_nodes(table.first)
    return own or node_columns(table.first, table.samples, options, table.file)


def _edge_columns(table: Table, reading: FileReading) -> EdgeColumns:
    options = reading.options
    own = None if options.columns or options.header is False else own_text_edges(table.first)
    return own or edge_columns(table.first, table.samples, options, table.file)


DELIMITED = Reader(_read_edges, _read_nodes, is_checked=True, understood=_understood)
