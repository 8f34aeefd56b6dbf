"""Records of nodes and edges from the rows of a table, whatever its format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import NO_PROPERTIES, Properties
from graphbrick.graphs.readers.columns import EdgeColumns, NodeColumns
from graphbrick.graphs.readers.fields import (
    Cell,
    all_of,
    cell_text,
    cells_properties,
    one_of,
    several_of,
    split_list,
    split_type,
    text_properties,
)
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.records.blocks import FactBlock
from graphbrick.graphs.records.columns import ColumnKey
from graphbrick.graphs.records.records import (
    ALIAS,
    DESCRIBED,
    DESCRIPTION,
    LABEL,
    LATEST,
    PROPERTY,
    TYPE,
    EdgeRecord,
    EntityRecord,
    Record,
    RelationRecord,
)

Rows: TypeAlias = Iterable[tuple[int, Sequence[Any]]]
"""(row number, cells); cells are texts, or Python values of a typed table."""

_SHOWN = 8
_BLOCK_ROWS = 1 << 14
UNDIRECTED = "undirected"
"""The property of an edge that Gephi calls undirected; a directed edge has none."""


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
    fields = [field for field in columns.fields if prefix or field.place != columns.key]
    properties = cells_properties(fields) if typed else text_properties(fields, reading.left_out, name)
    lists = {place for place in columns.names if columns.header and split_type(header[place])[1].endswith("[]")}
    key_place, names, aliases = columns.key, columns.names, columns.aliases
    types_place, description = columns.types, columns.description
    own_types = (reading.table.type,) if reading.table.type and types_place is None else ()

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
            texts = (text for place in aliases for text in several_of(cell_text(cells[place])))
            more = (*more, *(text for text in texts if text != label))
        types = own_types if types_place is None else several_of(cell_text(cells[types_place]))
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
            reading.bad.add(_empty_key(file, row, cells))
        else:
            yield record


def _empty_key(file: Path, row: int, cells: Sequence[Any]) -> InputError:
    text = ",".join(str(cell) for cell in cells if cell is not None)
    return InputError("the key is empty", file, row, text, code="reader.empty_key")


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
        has_more = self._has_fields or columns.relation_label is not None or any(self._prefixes)
        self.plain = None if has_more else (columns.head, columns.relation, columns.tail)
        """The columns of head, relation and tail of a table that has nothing else; None for other tables."""

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
    return ", ".join(parts) + _shown_rest(columns)


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
    return ", ".join(parts) + _shown_rest(columns)


def _titles(columns: NodeColumns | EdgeColumns, header: Sequence[str]) -> list[str]:
    if not columns.header:
        return [f"column {place + 1}" for place in range(max(columns.width, len(header), 3))]
    return [re.sub(r"(?<=.):\w*ID$", "", split_type(cell)[0]) for cell in header]


def _shown_rest(columns: NodeColumns | EdgeColumns) -> str:
    """Return the properties of a table, and the columns that are not read."""
    own = columns.key if isinstance(columns, NodeColumns) else None
    names = [field.name for field in columns.fields if field.place != own]
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    text = f"; {len(names)} {'property' if len(names) == 1 else 'properties'} ({shown})" if names else ""
    ignored = ", ".join(column for _, column in columns.ignored)
    return text + (f"; not read: {ignored}" if ignored else "")


def in_fact_blocks(columns: NodeColumns, header: Sequence[str], reading: FileReading) -> bool:
    """Return whether the nodes of a table of texts may be yielded in blocks: its cells are texts without types."""
    has_lists = any(split_type(header[place])[1].endswith("[]") for place in columns.names if columns.header)
    return reading.fast and not has_lists and all(field.kind is None for field in columns.fields)


def entity_blocks(rows: Rows, columns: NodeColumns, file: Path, reading: FileReading) -> Iterator[FactBlock]:
    """Yield the entities of rows of texts in blocks of facts; they are those of `entities`."""
    rows = iter(rows)
    while chunk := list(islice(rows, _BLOCK_ROWS)):
        good = [(row, cells) for row, cells in chunk if cells[columns.key].strip()]
        if len(good) < len(chunk):
            for row, cells in chunk:
                if not cells[columns.key].strip():
                    reading.bad.add(_empty_key(file, row, cells))
        if good:
            yield _fact_block([cells for _, cells in good], columns, reading)


def _fact_block(rows: Sequence[Sequence[str]], columns: NodeColumns, reading: FileReading) -> FactBlock:
    """Return the facts of rows: first that the entities exist, then column by column."""
    import pyarrow
    from pyarrow import compute

    cells = list(zip(*rows, strict=True))
    every = np.arange(len(rows))

    def texts(place: int) -> Any:
        return compute.utf8_trim_whitespace(pyarrow.array(cells[place], pyarrow.string()))

    prefix = f"{columns.space}/" if columns.space and reading.table.spaces else ""
    keys = texts(columns.key)
    keys = compute.binary_join_element_wise(prefix, keys, "") if prefix else keys
    facts: list[tuple[npt.NDArray[np.int64], Any, int, int]] = []  # (rows, texts, kind, column)

    def add(values: Any, kind: int, column: int = 0, without: Sequence[str] = ("",)) -> None:
        has_text = compute.invert(compute.is_in(values, pyarrow.array(without, pyarrow.string())))
        facts.append((every[has_text.to_numpy(zero_copy_only=False)], values.filter(has_text), kind, column))

    def add_several(place: int, kind: int) -> None:
        pairs = [(row, text) for row, cell in enumerate(cells[place]) for text in several_of(cell.strip())]
        if kind == ALIAS:
            labels = names.to_pylist()
            pairs = [(row, text) for row, text in pairs if text != labels[row]]
        owners = np.fromiter((row for row, _ in pairs), dtype=np.int64, count=len(pairs))
        facts.append((owners, pyarrow.array([text for _, text in pairs], pyarrow.string()), kind, 0))

    names = pyarrow.array([""] * len(rows), pyarrow.string())
    for place in reversed(columns.names):
        own = texts(place)
        names = compute.if_else(compute.equal(own, ""), names, own)
    add(names, LABEL)
    for place in columns.aliases:
        add_several(place, ALIAS)
    if columns.types is not None:
        add_several(columns.types, TYPE)
    elif reading.table.type:
        add(pyarrow.array([reading.table.type] * len(rows), pyarrow.string()), TYPE)
    if columns.description is not None:
        add(texts(columns.description), DESCRIPTION)
    fields = [field for field in columns.fields if prefix or field.place != columns.key]
    for number, field in enumerate(fields):
        add(texts(field.place), PROPERTY, number, ("", "\\N"))
    return _joined(keys, facts, tuple(ColumnKey(field.name, None) for field in fields))


def _joined(
    keys: Any, facts: Sequence[tuple[npt.NDArray[np.int64], Any, int, int]], columns: tuple[ColumnKey, ...]
) -> FactBlock:
    """Return a block of the facts that entities exist, and of further facts given as (rows, texts, kind, column)."""
    import pyarrow

    n = len(keys)
    joined = pyarrow.concat_arrays([keys, *(texts for _, texts, _, _ in facts)])
    _, offset_buffer, data = joined.buffers()
    offsets = np.frombuffer(offset_buffer, dtype=np.int32)[joined.offset :][: len(joined) + 1].astype(np.int64)
    owners = np.concatenate([np.arange(n), *(rows for rows, *_ in facts)])
    sizes = [len(rows) for rows, *_ in facts]
    starts = np.concatenate([np.zeros(n, dtype=np.int64), offsets[n:-1]])
    ends = np.concatenate([np.zeros(n, dtype=np.int64), offsets[n + 1 :]])
    kinds = np.repeat(np.array([DESCRIBED, *(kind for _, _, kind, _ in facts)], dtype=np.uint8), [n, *sizes])
    column = np.repeat(np.array([0, *(column for *_, column in facts)], dtype=np.int32), [n, *sizes])
    text = np.frombuffer(data or b"", dtype=np.uint8)[: int(offsets[-1])].copy()
    block = FactBlock(
        text, offsets[owners], offsets[owners + 1], starts, ends, kinds, np.full(len(kinds), LATEST, np.uint8)
    )
    return replace(block, columns=columns, column=column) if columns else block
