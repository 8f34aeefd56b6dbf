"""Records of nodes and edges from the rows of a table, whatever its format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import NO_PROPERTIES, Properties
from graphbrick.graphs.readers.columns import EdgeColumns, NodeColumns
from graphbrick.graphs.readers.fields import (
    Cell,
    Field,
    all_of,
    cell_text,
    cells_properties,
    one_of,
    own_list,
    several_of,
    split_list,
    split_type,
    text_properties,
)
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, Record, RelationRecord

Rows: TypeAlias = Iterable[tuple[int, Sequence[Any]]]
"""(row number, cells); cells are texts, or Python values of a typed table."""

_SHOWN = 8
UNDIRECTED = "undirected"
"""The property of an edge that Gephi calls undirected; a directed edge has none."""


def padded(cells: list[str], width: int) -> list[str]:
    """Return a row with empty cells at its end up to a width, and without empty ones beyond it."""
    if len(cells) > width and not "".join(cells[width:]).strip():
        return cells[:width]
    return cells + [""] * (width - len(cells))


def no_values(file: Path) -> str:
    """Return what rows of empty cells are counted as."""
    return f"rows of {file.name} without any value"


def too_few_cells(file: Path) -> str:
    """Return what rows with fewer cells than the header are counted as."""
    return f"rows of {file.name} with too few cells (the last ones are empty)"


def note_ignored(columns: NodeColumns | EdgeColumns, name: str, reading: FileReading) -> None:
    """Report the columns of a table that are not read."""
    for reason, column in columns.ignored:
        reading.left_out.add(f"columns of {name} {reason}", column)


def entity_maker(
    columns: NodeColumns, header: Sequence[str], reading: FileReading, name: str, *, typed: bool
) -> Callable[[Sequence[Any]], EntityRecord | None]:
    """Return the function that makes the entity of a row; None for a row without a key.

    Args:
        columns: The columns of the table.
        header: The names of the columns.
        reading: Receives what is not read.
        name: The name of the table, for reports.
        typed: Whether cells are Python values, not texts.
    """
    prefix = f"{columns.space}/" if columns.space and reading.table.spaces else ""
    fields = columns.properties(reading.table.spaces)
    properties = cells_properties(fields) if typed else text_properties(fields, reading.left_out, name)
    lists = {place for place in columns.names if columns.header and split_type(header[place])[1].endswith("[]")}
    key_place, names, aliases = columns.key, columns.names, columns.aliases
    types_place, description = columns.types, columns.description
    own_types = (reading.table.type,) if reading.table.type and types_place is None else ()

    def several(cell: Cell) -> tuple[str, ...]:
        if columns.is_exact and isinstance(cell, str):
            return own_list(cell)
        return several_of(cell)

    def name_of(cells: Sequence[Any]) -> tuple[str | None, tuple[str, ...]]:
        """Return the first name of a row and the further names of a list."""
        for place in names:
            cell: Cell = cell_text(cells[place])
            if place in lists and isinstance(cell, str):
                cell = tuple(split_list(cell, ";"))
            if cell:
                return (cell, ()) if isinstance(cell, str) else (cell[0], cell[1:])
        return None, ()

    def make(cells: Sequence[Any]) -> EntityRecord | None:
        key = one_of(cell_text(cells[key_place]))
        if not key:
            return None
        label, more = name_of(cells)
        if aliases:
            texts = (text for place in aliases for text in several(cell_text(cells[place])))
            more = (*more, *(text for text in texts if text != label))
        types = own_types if types_place is None else several(cell_text(cells[types_place]))
        text = None if description is None else one_of(cell_text(cells[description])) or None
        return EntityRecord(prefix + key, label, more, types, text, properties(cells))

    return make


def entities(
    rows: Rows, make: Callable[[Sequence[Any]], EntityRecord | None], file: Path, reading: FileReading
) -> Iterator[EntityRecord]:
    """Yield the entities of rows; a row without a key is a bad record."""
    for row, cells in rows:
        record = make(cells)
        if record is None:
            reading.bad.add(empty_key(file, row, cells))
        else:
            yield record


def empty_key(file: Path | str, row: int, cells: Sequence[Any], *, of: str = "") -> InputError:
    """Return the error about a row without a key; ``of`` names the columns and the table."""
    text = ",".join(str(cell) for cell in cells if cell is not None)
    advice = "; choose another column with --key, or say --skip-bad to leave such rows out"
    reason = f"the key {of} is empty{advice}" if of else "the key is empty"
    return InputError(reason, file, row, text, code="reader.empty_key")


class EdgeMaker:
    """The maker of the edges of a table.

    A list as head, relation or tail gives an edge for each of its elements. A row without a relation has that of the
    options, if they state one.

    Args:
        columns: The columns of the table.
        reading: Receives what is not read.
        name: The name of the table, for reports.
        typed: Whether cells are Python values, not texts.
    """

    def __init__(self, columns: EdgeColumns, reading: FileReading, name: str, *, typed: bool) -> None:
        self._columns, self._typed = columns, typed
        self._default = reading.options.relation or ""
        has_spaces = reading.table.spaces
        self._prefixes = [f"{space}/" if space and has_spaces else "" for space in columns.spaces]
        make = cells_properties if typed else None
        self._properties = make(columns.fields) if make else text_properties(columns.fields, reading.left_out, name)
        self._has_fields = bool(columns.fields) or columns.direction is not None
        self._labels: set[str] = set()
        self.is_plain = not (self._has_fields or columns.relation_label is not None or any(self._prefixes))
        """Whether rows with one head, relation and tail are triples as they stand."""

    def records(self, cells: Sequence[Any]) -> list[Record]:
        """Return the edges of a row; none if head, relation or tail is empty."""
        columns = self._columns
        head, tail = cells[columns.head], cells[columns.tail]
        relation = self._default if columns.relation is None else cells[columns.relation]
        if self._typed and not (isinstance(head, str) and isinstance(relation, str) and isinstance(tail, str)):
            heads, relations, tails = (all_of(cell_text(cell)) for cell in (head, relation, tail))
            if not relations or relations == ("",):
                relations = (self._default,)
            triples = list(product(heads, relations, tails))
        else:
            triples = [(head.strip(), relation.strip() or self._default, tail.strip())]
        if not (triples and all(map(all, triples))):
            return []
        first, last = self._prefixes
        if first or last:
            triples = [(first + head, relation, last + tail) for head, relation, tail in triples]
        records: list[Record] = []
        if columns.relation_label is not None:
            records = self._relation(triples[0][1], cells[columns.relation_label])
        properties = self._edge_properties(cells) if self._has_fields else NO_PROPERTIES
        if properties:
            records += (EdgeRecord(*triple, properties) for triple in triples)
        else:
            records += triples
        return records

    def _edge_properties(self, cells: Sequence[Any]) -> Properties:
        properties = self._properties(cells)
        place = self._columns.direction
        if place is not None and str(cells[place]).strip().casefold() in ("undirected", "mutual"):
            return {UNDIRECTED: True, **properties}
        return properties

    def _relation(self, relation: str, label: object) -> list[Record]:
        """Return the label of a relation when it comes first."""
        text = one_of(cell_text(label))
        if relation in self._labels or not text:
            return []
        self._labels.add(relation)
        return [RelationRecord(relation, text)]


def understood_nodes(columns: NodeColumns, header: Sequence[str], reading: FileReading) -> str:
    """Return in one line how a table of nodes is read."""
    titles = _titles(columns, header)
    parts = [f"key {titles[columns.key]}"]
    parts.append(f"name {' or else '.join(titles[place] for place in columns.names)}" if columns.names else "no names")
    if columns.types is not None:
        parts.append(f"type {titles[columns.types]}")
    elif reading.table.type:
        parts.append(f"type {reading.table.type} (the name of the file)")
    if columns.description is not None:
        parts.append(f"description {titles[columns.description]}")
    if columns.aliases:
        parts.append(f"further names {', '.join(titles[place] for place in columns.aliases)}")
    if columns.space and reading.table.spaces:
        parts.append(f"keys begin with {columns.space}/")
    return ", ".join(parts) + _shown_rest(columns.properties(reading.table.spaces), columns.ignored)


def understood_edges(columns: EdgeColumns, header: Sequence[str], reading: FileReading) -> str:
    """Return in one line how a table of edges is read."""
    titles = _titles(columns, header)
    relation = f"{reading.options.relation} for all" if columns.relation is None else titles[columns.relation]
    parts = [f"head {titles[columns.head]}", f"relation {relation}", f"tail {titles[columns.tail]}"]
    if columns.direction is not None:
        parts.append(f"{titles[columns.direction]} tells the direction")
    spaces = [space for space in dict.fromkeys(columns.spaces) if space]
    if spaces and reading.table.spaces:
        parts.append(f"keys begin with {', '.join(f'{space}/' for space in spaces)}")
    return ", ".join(parts) + _shown_rest(columns.fields, columns.ignored)


def _titles(columns: NodeColumns | EdgeColumns, header: Sequence[str]) -> list[str]:
    if not columns.header:
        return [f"column {place + 1}" for place in range(max(columns.width, len(header), 3))]
    return [re.sub(r"(?<=.):\w*ID$", "", split_type(cell)[0]) for cell in header]


def _shown_rest(fields: Sequence[Field], unread: Iterable[tuple[str, str]]) -> str:
    """Return the properties of a table, and the columns that are not read."""
    names = [field.name for field in fields]
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    text = f"; {len(names)} {'property' if len(names) == 1 else 'properties'} ({shown})" if names else ""
    ignored = ", ".join(column for _, column in unread)
    return text + (f"; not read: {ignored}" if ignored else "")
