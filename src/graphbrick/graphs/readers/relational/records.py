"""Entities and triples of the rows of related tables."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from graphbrick.core.properties.values import Properties, Raw
from graphbrick.graphs.readers.excel import note_formulas
from graphbrick.graphs.readers.fields import cell_text, cells_properties, several_of, text_properties
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.relational.plan import Plan, Reference, TablePlan, spoken
from graphbrick.graphs.readers.relational.profile import BATCH, Places, hashes_of
from graphbrick.graphs.readers.relational.tables import Cells
from graphbrick.graphs.readers.rows import empty_key
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, Record

Row = tuple[int, Cells]


def related_records(plan: Plan, reading: FileReading) -> Iterator[Record]:
    """Yield the entities and triples of tables; tables of joins come last.

    Args:
        plan: How the tables are read.
        reading: Receives bad records, progress, and what is not taken.
    """
    reading.left_out.update(plan.notes)
    for file in dict.fromkeys(table.table.file for table in plan.tables if table.table.file.suffix == ".xlsx"):
        note_formulas(file, reading)
    lookups = _lookups(plan, reading)
    for joins in (False, True):
        for table in plan.tables:
            if table.joins == joins:
                yield from _Rows(plan, table, lookups, reading).records()


def _lookups(plan: Plan, reading: FileReading) -> dict[tuple[int, Places], dict[str, str]]:
    """Return the keys of rows by the values of the columns, other than keys, that references name."""
    wanted = {(one.target, one.others) for table in plan.tables for one in table.references}
    found: dict[tuple[int, Places], dict[str, str]] = {}
    quiet = FileReading(reading.options, type(reading.bad)(skip=True))
    for target, others in sorted(wanted):
        table = plan.tables[target]
        if others != table.key:
            rows = enumerate((cells for _, cells in table.table.open(quiet)), 1)
            keys = ((table.table.key(cells, others), table.key_of(cells, n)) for n, cells in rows)
            found[target, others] = {other: key for other, key in keys if other and key}
    return found


class _Rows:
    """The rows of one table as records.

    Args:
        plan: How all tables are read.
        table: How this one is read.
        lookups: See `_lookups`.
        reading: Receives bad records and what is not taken.
    """

    def __init__(
        self,
        plan: Plan,
        table: TablePlan,
        lookups: dict[tuple[int, Places], dict[str, str]],
        reading: FileReading,
    ) -> None:
        self._plan, self._table, self._lookups, self._reading = plan, table, lookups, reading
        source = table.table
        make = cells_properties if source.typed else None
        fields = table.fields
        self._properties: Callable[[Sequence[Any]], Properties]
        self._properties = make(fields) if make else text_properties(fields, reading.left_out, source.title)
        self._spoken = spoken(table)
        self._own = {*table.key, *(place for one in table.references for place in one.columns)}

    def records(self) -> Iterator[Record]:
        """Yield the records of all rows."""
        numbered = enumerate(self._table.table.open(self._reading), 1)
        while batch := list(islice(numbered, BATCH)):
            rows = [(number, line, self._even(cells)) for number, (line, cells) in batch]
            ends = [self._ends([cells for _, _, cells in rows], one) for one in self._table.references]
            for at, (number, line, cells) in enumerate(rows):
                tails = [keys[at] for keys in ends]
                if self._table.joins:
                    yield from self._triple(cells, tails)
                else:
                    yield from self._entity(number, line, cells, tails)

    def _even(self, cells: Cells) -> Cells:
        """Return a row with values of the same kind in each column: dates without midnight, numbers among numbers."""
        midnights, mixed = self._table.profile.midnights, self._table.profile.mixed
        if not (midnights or mixed):
            return cells
        even = list(cells)
        for place in midnights:
            cell = even[place]
            if isinstance(cell, datetime.datetime):
                even[place] = cell.date()
            elif isinstance(cell, str):
                even[place] = cell[:10]
        for place in mixed - self._own:
            if type(even[place]) is int:
                even[place] = float(even[place])
        return even

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

    def _triple(self, cells: Cells, ends: Sequence[str]) -> Iterator[Record]:
        head, tail = ends
        if not (head and tail):
            self._reading.left_out.add(f"rows of {self._table.table.title} that do not join two rows", str(cells)[:80])
            return
        properties = self._properties(cells)
        relation = self._table.relation
        yield EdgeRecord(head, relation, tail, properties) if properties else (head, relation, tail)

    def _entity(self, number: int, line: int, cells: Cells, ends: Sequence[str]) -> Iterator[Record]:
        table, names = self._table, self._table.names
        own = table.key_of(cells, number)
        if not own:
            self._reading.bad.add(empty_key(table.table.file, line, cells))
            return
        label = self._name(cells) or self._keyed(cells, own)
        properties = dict(self._properties(cells))
        for reference, end in zip(table.references, ends, strict=True):
            if not end and len(reference.columns) == 1:
                properties.update(self._dangling(cells, reference))
        types: tuple[str, ...] = (table.type,)
        if names.types is not None:
            types = several_of(cell_text(cells[names.types])) or types
        description = None if names.description is None else table.table.text(cells[names.description]) or None
        aliases = tuple(
            text for place in names.aliases for text in several_of(cell_text(cells[place])) if text != label
        )
        key = f"{table.type}/{own}"
        yield EntityRecord(key, label, aliases, types, description, properties)
        for reference, end in zip(table.references, ends, strict=True):
            if end:
                yield key, reference.relation, end

    def _name(self, cells: Cells) -> str:
        table, names = self._table.table, self._table.names
        if names.parts:
            return " ".join(text for place in names.parts if (text := table.text(cells[place])))
        return next((text for place in names.columns if (text := table.text(cells[place]))), "")

    def _keyed(self, cells: Cells, own: str) -> str:
        """Return the name of a row by its key: «Order 10248», or «Austria, Graz» of texts."""
        table = self._table
        parts = [table.table.text(cells[place]) for place in table.key]
        if len(parts) > 1 and all(any(letter.isalpha() for letter in part) for part in parts):
            return ", ".join(parts)
        return f"{self._spoken} {own}"

    def _dangling(self, cells: Cells, reference: Reference) -> Properties:
        """Return the values of a reference to nothing as properties."""
        table = self._table.table
        values: dict[str, Any] = {}
        for place in reference.columns:
            text = table.text(cells[place])
            if text:
                values[table.columns[place]] = cells[place] if table.typed else Raw(text)
        return values
