"""Entities and triples of the rows of related tables, many rows at a time."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from graphbrick.core.properties.values import shown_value
from graphbrick.graphs.readers.excel import note_formulas
from graphbrick.graphs.readers.fields import Field, cell_text, several_of, value_of
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.relational.plan import Plan, Reference, TablePlan, spoken
from graphbrick.graphs.readers.relational.profile import BATCH, MISSING, Places, hashes_of
from graphbrick.graphs.readers.relational.tables import Cells
from graphbrick.graphs.readers.relational.written_columns import typed_cell
from graphbrick.graphs.readers.row_blocks import ColumnValues, Group, fact_block, filled, triple_block
from graphbrick.graphs.readers.rows import empty_key
from graphbrick.graphs.records.blocks import FactBlock, Part, TripleBlock
from graphbrick.graphs.records.columns import ColumnKey, property_facts
from graphbrick.graphs.records.records import ALIAS, DESCRIPTION, LABEL, PROPERTY, TYPE, LeftOut

_Lookups = dict[tuple[int, Places], dict[str, str]]


def related_records(plan: Plan, reading: FileReading) -> Iterator[Part]:
    """Yield the entities and triples of tables; tables of joins come last.

    Args:
        plan: How the tables are read.
        reading: Receives bad records, progress, and what is not taken.
    """
    reading.left_out.update(plan.notes)
    for file in dict.fromkeys(table.table.file for table in plan.tables):
        if isinstance(file, Path) and file.suffix == ".xlsx":
            note_formulas(file, reading)
    lookups = _lookups(plan, reading)
    for joins in (False, True):
        for table in plan.tables:
            if table.joins == joins:
                yield from _Rows(plan, table, lookups, reading).parts()


def _lookups(plan: Plan, reading: FileReading) -> _Lookups:
    """Return the keys of rows by the values of the columns, other than keys, that references name."""
    wanted = {(one.target, one.others) for table in plan.tables for one in table.references}
    found: _Lookups = {}
    quiet = FileReading(reading.options, type(reading.bad)(skip=True))
    for target, others in sorted(wanted):
        table = plan.tables[target]
        if others != table.key:
            rows = enumerate((cells for _, cells in table.table.open(quiet)), 1)
            keys = ((table.table.key(cells, others), table.key_of(cells, n)) for n, cells in rows)
            found[target, others] = {other: key for other, key in keys if other and key}
    return found


class _Values(Protocol):
    """The reader of the columns of properties."""

    @property
    def columns(self) -> tuple[ColumnKey, ...]:
        """The columns, by number."""

    def number(self, key: ColumnKey) -> int:
        """Return the number of a column."""

    def groups(self, cells_of: Sequence[Sequence[Any]]) -> Iterator[Group]:
        """Yield the values of each property."""


class _TypedValues:
    """The reader of columns whose cells are Python values."""

    def __init__(self, fields: Sequence[Field], title: str, left_out: LeftOut) -> None:
        self._fields, self._title, self._left_out = fields, title, left_out
        self._numbers: dict[ColumnKey, int] = {}

    @property
    def columns(self) -> tuple[ColumnKey, ...]:
        """The columns, by number."""
        return tuple(self._numbers)

    def number(self, key: ColumnKey) -> int:
        """Return the number of a column."""
        return self._numbers.setdefault(key, len(self._numbers))

    def groups(self, cells_of: Sequence[Sequence[Any]]) -> Iterator[Group]:
        """Yield the values of each property."""
        for field in self._fields:
            by_column: dict[int, tuple[list[int], list[str]]] = {}
            for row, cell in enumerate(cells_of[field.place]):
                if isinstance(cell, str) and cell != (stripped := cell.strip()):
                    what = "with blanks around them, which are cut off" if stripped else "of blanks alone (no values)"
                    self._left_out.add(f"texts of {self._title} {what}", field.name)
                value = value_of(cell)
                if value is not None:
                    for key, text in property_facts({field.name: value}):
                        number = self.number(key._replace(unit=field.unit))
                        rows, texts = by_column.setdefault(number, ([], []))
                        rows.append(row)
                        texts.append(text)
            for column, (rows, texts) in by_column.items():
                yield Group(PROPERTY, rows, texts, column)


class _Row(NamedTuple):
    """A row with its number, its line and its key."""

    number: int
    line: int
    cells: Cells
    key: str


class _Rows:
    """The rows of one table.

    Args:
        plan: How all tables are read.
        table: How this one is read.
        lookups: See `_lookups`.
        reading: Receives bad records and what is not taken.
    """

    def __init__(self, plan: Plan, table: TablePlan, lookups: _Lookups, reading: FileReading) -> None:
        self._plan, self._table, self._lookups, self._reading = plan, table, lookups, reading
        source, fields = table.table, table.fields
        self._values: _Values
        self._values = (
            _TypedValues(fields, source.title, reading.left_out)
            if source.typed
            else ColumnValues(fields, reading, source.title)
        )
        self._spoken = spoken(table)
        own = self._own = {*table.key, *(place for one in table.references for place in one.columns)}
        self._midnights, self._mixed = table.profile.midnights - own, table.profile.mixed - own
        self._large = table.profile.large - own

    def parts(self) -> Iterator[Part]:
        """Yield the entities and triples of all rows."""
        numbered = enumerate(self._table.table.open(self._reading), 1)
        while batch := list(islice(numbered, BATCH)):
            if self._table.joins:
                yield from self._joined([self._even(cells) for _, (_, cells) in batch])
                continue
            rows = [
                _Row(number, line, self._even(cells), self._table.key_of(cells, number))
                for number, (line, cells) in batch
            ]
            self._note_keys(rows)
            rows = [row for row in rows if row.key]
            if rows:
                yield from self._entities(rows)

    def _note_keys(self, rows: Sequence[_Row]) -> None:
        """Report rows without a key: those of a declared key are numbered, others are bad records."""
        table = self._table.table
        named = " and ".join(table.columns[place] for place in self._table.key)
        for row in rows:
            if not row.key:
                self._reading.bad.add(empty_key(table.file, row.line, row.cells, of=f"{named} of {table.title}"))
            elif self._table.is_declared and row.key == f"row {row.number}":
                what = f"rows of {table.title} without the key {named}, which are numbered"
                self._reading.left_out.add(what, f"row {row.number}")

    def _even(self, cells: Cells) -> Cells:
        """Return a row with values of the same kind in each column: dates without midnight, numbers among numbers."""
        cells = self._without_missing(cells)
        midnights, mixed, large = self._midnights, self._mixed, self._large
        if not (midnights or mixed or self._table.written):
            return cells
        even = list(cells)
        for place, written in self._table.written.items():
            cell = even[place]
            if isinstance(cell, str) and cell:
                plain = written.plain(cell)
                even[place] = typed_cell(plain, written) if self._table.table.typed and plain != cell else plain
            elif type(cell) is int:
                even[place] = float(cell)
        for place in midnights:
            cell = even[place]
            if isinstance(cell, datetime.datetime):
                even[place] = cell.date()
            elif isinstance(cell, str):
                even[place] = cell[:10]
        for place in mixed:
            if place in large:
                even[place] = even[place] if even[place] is None else shown_value(even[place])
            elif type(even[place]) is int:
                even[place] = float(even[place])
        return even

    def _without_missing(self, cells: Cells) -> Cells:
        """Return a row without the texts that stand for a missing number or date; in other columns they are told."""
        if MISSING.isdisjoint(cell for cell in cells if isinstance(cell, str)):
            return cells
        row, table = list(cells), self._table.table
        for place, cell in enumerate(cells):
            if not isinstance(cell, str) or cell not in MISSING or place in self._own:
                continue
            shown = f"{table.columns[place]}: {cell}"
            if place in self._table.profile.values:
                row[place] = None if table.typed else ""
                self._reading.left_out.add(f"cells of {table.title} that say that a number or date is missing", shown)
            else:
                what = f"texts of {table.title} that may say that a value is missing (kept as they are)"
                self._reading.left_out.add(what, shown)
        return row

    def _ends(self, rows: Sequence[Cells], reference: Reference) -> list[str]:
        """Return the key of the entity that each row refers to; empty if there is none."""
        table, target = self._table, self._plan.tables[reference.target]
        texts = [table.text(cells, reference) for cells in rows]
        keys = self._plan.keys[reference.target, reference.others].has(hashes_of(texts)).tolist()
        lookup = self._lookups.get((reference.target, reference.others))
        ends = []
        columns = " and ".join(table.table.columns[place] for place in reference.columns)
        for text, is_key in zip(texts, keys, strict=True):
            if text and not is_key:
                what = f"values of {columns} in {table.table.title} that are in no row of {target.table.title}"
                self._reading.left_out.add(what, text)
            own = (text if lookup is None else lookup.get(text, "")) if text and is_key else ""
            ends.append(f"{target.type}/{own}" if own else "")
        return ends

    def _joined(self, rows: Sequence[Cells]) -> Iterator[TripleBlock]:
        """Yield the rows of a table of joins as triples."""
        heads, tails = (self._ends(rows, one) for one in self._table.references)
        kept = []
        for at, cells in enumerate(rows):
            if heads[at] and tails[at]:
                kept.append(at)
            else:
                what = f"rows of {self._table.table.title} that do not join two rows"
                self._reading.left_out.add(what, str(list(cells))[:80])
        if kept:
            groups = list(self._values.groups(list(zip(*(rows[at] for at in kept), strict=True))))
            ends = [heads[at] for at in kept], [self._table.relation] * len(kept), [tails[at] for at in kept]
            yield triple_block(ends, groups, self._values.columns)

    def _entities(self, rows: Sequence[_Row]) -> Iterator[Part]:
        """Yield rows as entities, and what they refer to as triples."""
        table = self._table
        cells = [row.cells for row in rows]
        keys = [f"{table.type}/{row.key}" for row in rows]
        ends = [self._ends(cells, one) for one in table.references]
        yield self._facts(rows, keys, ends)
        for reference, tails in zip(table.references, ends, strict=True):
            pairs = [(key, tail) for key, tail in zip(keys, tails, strict=True) if tail]
            if pairs:
                heads, others = map(list, zip(*pairs, strict=True))
                yield triple_block((heads, [reference.relation] * len(pairs), others), [], ())

    def _facts(self, rows: Sequence[_Row], keys: Sequence[str], ends: Sequence[Sequence[str]]) -> FactBlock:
        table, names = self._table, self._table.names
        labels = [self._name(row.cells) or self._keyed(row) for row in rows]
        groups = [filled(LABEL, labels), *self._types(rows)]
        for place in names.aliases:
            cells = [several_of(cell_text(row.cells[place])) for row in rows]
            more = [(at, text) for at, texts in enumerate(cells) for text in texts if text != labels[at]]
            groups.append(Group(ALIAS, [at for at, _ in more], [text for _, text in more]))
        if names.description is not None:
            groups.append(filled(DESCRIPTION, [table.table.text(row.cells[names.description]) for row in rows]))
        groups += self._values.groups(list(zip(*(row.cells for row in rows), strict=True)))
        for reference, tails in zip(table.references, ends, strict=True):
            if len(reference.columns) == 1:
                groups += self._dangling(rows, reference.columns[0], tails)
        return fact_block(keys, groups, self._values.columns)

    def _types(self, rows: Sequence[_Row]) -> Iterator[Group]:
        """Yield the classes of rows."""
        place = self._table.names.types
        if place is None:
            yield filled(TYPE, [self._table.type] * len(rows))
            if self._table.noun:
                yield filled(TYPE, [self._table.noun] * len(rows))
            return
        several = [several_of(cell_text(row.cells[place])) or (self._table.type,) for row in rows]
        found = [(at, text) for at, texts in enumerate(several) for text in texts]
        yield Group(TYPE, [at for at, _ in found], [text for _, text in found])

    def _name(self, cells: Cells) -> str:
        table, names = self._table.table, self._table.names
        if names.parts:
            return " ".join(text for place in names.parts if (text := table.text(cells[place])))
        return next((text for place in names.columns if (text := table.text(cells[place]))), "")

    def _keyed(self, row: _Row) -> str:
        """Return the name of a row by its key: «Order 10248», or «Austria, Graz» of texts."""
        table = self._table
        parts = [table.table.text(row.cells[place]) for place in table.key]
        if len(parts) > 1 and all(any(letter.isalpha() for letter in part) for part in parts):
            return ", ".join(parts)
        return f"{self._spoken} {row.key}"

    def _dangling(self, rows: Sequence[_Row], place: int, ends: Sequence[str]) -> Iterator[Group]:
        """Yield the values of a reference to nothing as properties."""
        table = self._table.table
        name = table.columns[place]
        for at, (row, end) in enumerate(zip(rows, ends, strict=True)):
            if end or not table.text(row.cells[place]):
                continue
            if not table.typed:
                yield Group(PROPERTY, [at], [table.text(row.cells[place])], self._values.number(ColumnKey(name, None)))
                continue
            value = value_of(row.cells[place])
            for key, text in property_facts({} if value is None else {name: value}):
                yield Group(PROPERTY, [at], [text], self._values.number(key))
