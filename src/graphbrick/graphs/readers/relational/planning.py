"""Find out how related tables are read: two passes over their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.columns import field_columns
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.relational.candidates import candidates, is_number, own_keys
from graphbrick.graphs.readers.relational.joins import has_names, joins
from graphbrick.graphs.readers.relational.names import Chosen, names_in, row_noun
from graphbrick.graphs.readers.relational.plan import Names, Plan, Reference, TablePlan
from graphbrick.graphs.readers.relational.profile import Places, Profile, profiled
from graphbrick.graphs.readers.relational.references import References, stated_references
from graphbrick.graphs.readers.relational.sqlite import binary_values
from graphbrick.graphs.readers.relational.tables import SourceTable
from graphbrick.graphs.readers.relational.words import (
    Words,
    class_name,
    relation_name,
    singular_of,
    stem_of,
    table_words,
    words_of,
)
from graphbrick.graphs.readers.relational.written_columns import written_fields
from graphbrick.graphs.readers.roles import named_column
from graphbrick.graphs.records.records import BadRecords, LeftOut

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions


def planned(tables: Sequence[SourceTable], options: ReadOptions, notes: LeftOut, source: object) -> Plan:
    """Return how tables are read.

    Args:
        tables: The tables.
        options: How to read files; may name columns of keys, names and types, and references.
        notes: Receives what is not taken.
        source: The source, for error messages.

    Raises:
        InputError: No table has rows, or an option names what is not there.
    """
    reading = FileReading(options, BadRecords(skip=True))
    words = table_words([table.name for table in tables])
    by_name = [own_keys(table, words[place], words, tables) for place, table in enumerate(tables)]
    keys = [_with_declared(table, own) for table, own in zip(tables, by_name, strict=True)]
    found = [candidates(tables, words, keys, place) for place in range(len(tables))]
    declared = stated_references(tables, words, options.references, notes, source)
    chosen = _Chosen(tables, options, source)
    wanted: list[set[Places]] = [{(place,) for place in keys} for keys in by_name]
    for place, table in enumerate(tables):
        wanted[place] |= {places for places in (table.places(table.primary), chosen.key(place)) if places}
    for candidate in (candidate for of_table in found for candidate in of_table if candidate.others is not None):
        wanted[candidate.target].add((candidate.others or 0,))
    for one in declared:
        if one.others:
            wanted[one.target].add(one.others)
    profiles = [profiled(table, reading, wanted[place]) for place, table in enumerate(tables)]
    kept = [place for place, profile in enumerate(profiles) if profile.rows]
    for place, table in enumerate(tables):
        if not profiles[place].rows:
            notes.add("tables without rows", table.title)
    if not kept:
        reason = "no table with rows" if tables else "no table"
        raise InputError(f"{reason} is in it; a graph needs at least one row", str(source), code="related.no_rows")
    _note_empty_columns(tables, profiles, reading.left_out, notes)
    chosen_keys = [_key(tables[n], by_name[n], profiles[n], chosen.key(n)) for n in range(len(tables))]
    references = References(tables, words, profiles, chosen_keys, reading, notes).found(found, declared)
    return _Assembly(tables, words, profiles, chosen_keys, references, chosen, notes, options).plan(kept)


def _with_declared(table: SourceTable, own: Sequence[int]) -> list[int]:
    """Return the columns that may be the key of a table by their names, and the one that it declares."""
    primary = table.places(table.primary) or ()
    return list(dict.fromkeys((*own, *(primary if len(primary) == 1 else ()))))


class _Chosen:
    """The columns that the options name, in the tables that have them.

    Raises:
        InputError: No table has a column that an option names.
    """

    def __init__(self, tables: Sequence[SourceTable], options: ReadOptions, source: object) -> None:
        self._places: list[dict[str, int]] = [{} for _ in tables]
        for role in ("key", "name", "type"):
            column = getattr(options, role)
            if column is None:
                continue
            for place, table in enumerate(tables):
                if (places := table.places((column,))) is not None or (len(tables) == 1 and column.isdecimal()):
                    at = named_column(column, table.columns, True, table.file) if places is None else places[0]
                    self._places[place][role] = at
            if not any(role in places for places in self._places):
                every = list(dict.fromkeys(name for table in tables for name in table.columns))
                named_column(column, every, True, str(source))  # raises, with the closest name

    def key(self, place: int) -> Places:
        """Return the column of keys that the options name; empty without one."""
        return (self._places[place]["key"],) if "key" in self._places[place] else ()

    def names(self, place: int) -> Chosen:
        """Return the columns of names and types that the options name."""
        return Chosen(self._places[place].get("name"), self._places[place].get("type"))


def _key(table: SourceTable, by_name: Sequence[int], profile: Profile, chosen: Places) -> Places:
    """Return the key of a table: as chosen, as declared, by its name, or what others refer to; empty for none."""
    primary = table.places(table.primary)
    if chosen or primary:
        return chosen or primary or ()
    of_name = [(column,) for column in by_name]
    others = sorted(places for places in profile.keys if places not in of_name)
    return next((places for places in (*of_name, *others) if profile.identifies(places)), ())


def _note_empty_columns(
    tables: Sequence[SourceTable], profiles: Sequence[Profile], left_out: LeftOut, notes: LeftOut
) -> None:
    """Report columns without values, except those of binary values, which are reported as such."""
    for table, profile in zip(tables, profiles, strict=True):
        for column, count in zip(table.columns, profile.filled, strict=True):
            if profile.rows and not count and column not in left_out.examples.get(binary_values(table.title), ()):
                notes.add("columns without values", f"{table.title}: {column or '(no name)'}")


class _Assembly:
    """The parts of a plan: classes, relations, properties."""

    def __init__(
        self,
        tables: Sequence[SourceTable],
        words: Sequence[Words],
        profiles: Sequence[Profile],
        keys: Sequence[Places],
        references: Sequence[Sequence[Reference]],
        chosen: _Chosen,
        notes: LeftOut,
        options: ReadOptions,
    ) -> None:
        self._options = options
        self._tables, self._words, self._profiles = tables, words, profiles
        self._keys, self._references, self._chosen, self._notes = keys, references, chosen, notes
        self._classes = _classes(tables, words)

    def plan(self, kept: Sequence[int]) -> Plan:
        """Return the plan of the tables that have rows."""
        number = {place: n for n, place in enumerate(kept)}
        tables, keys = [], {}
        for place in kept:
            own = [reference for reference in self._references[place] if reference.target in number]
            tables.append(self._table(place, own, number))
        for table in tables:
            for reference in table.references:
                target = tables[reference.target]
                keys[reference.target, reference.others] = target.profile.keys[reference.others]
        return Plan(tuple(tables), keys, self._notes)

    def _table(self, place: int, references: Sequence[Reference], number: dict[int, int]) -> TablePlan:
        table, key, profile = self._tables[place], self._keys[place], self._profiles[place]
        is_target = any(one.target == place for own in self._references for one in own)
        taken = [column for reference in references for column in reference.columns]
        names = names_in(table, self._words[place], key, taken, self._chosen.names(place))
        is_join = joins(self._words, self._words[place], profile, key, references)
        is_join = is_join and not is_target and not has_names(names)
        single = {reference.columns[0] for reference in references if len(reference.columns) == 1}
        if not is_join and len(key) == 1 and is_number(table.columns[key[0]]):
            single.add(key[0])
        used = {*single, *(() if is_join else (*names.aliases, *names.columns[:1], names.types, names.description))}
        empty = {column for column, count in enumerate(profile.filled) if not count}
        fields, ignored = field_columns(table.columns, table.samples, used | empty)
        for reason, column in ignored:
            self._notes.add(f"columns of {table.title} {reason}", column)
        own = tuple(
            replace(one, target=number[one.target], relation=name)
            for one, name in zip(references, self._relations(place, references), strict=True)
        )
        relation = " ".join(self._words[place]) if is_join else ""
        fields, written = written_fields(table, fields, profile, {*key, *taken, *names.columns}, self._options)
        self._notes.update(written.notes)
        return TablePlan(
            table,
            self._words[place],
            self._classes[place],
            profile,
            key,
            names,
            own,
            fields,
            is_join,
            relation,
            written.columns,
            self._noun(table, names) if len(number) == 1 and not is_join else "",
        )

    def _noun(self, table: SourceTable, names: Names) -> str:
        """Return what the column of names of the only table is called, if that says what the rows are."""
        noun = row_noun(table.columns[names.columns[0]]) if names.columns and names.types is None else ""
        return "" if noun in self._classes else noun

    def _relations(self, place: int, references: Sequence[Reference]) -> list[str]:
        """Return different names for the relations of a table.

        A relation is called as its column; one of several columns as the other table, and one of a table to itself
        that is called as the table «parent».
        """
        names: list[str] = []
        for reference in references:
            columns = [self._tables[place].columns[column] for column in reference.columns]
            target = self._words[reference.target]
            name = relation_name(columns[0]) if len(columns) == 1 else " ".join(target)
            if reference.target == place and singular_of(stem_of(columns[0])[0]) == target:
                name = "parent"
            if name in names:
                name = " ".join(words_of(" ".join(columns)))
            names.append(name)
        return names


def _classes(tables: Sequence[SourceTable], words: Sequence[Words]) -> list[str]:
    """Return a different class for each table: `customer` and `customers` are Customer and Customers."""
    classes: list[str] = []
    for table, own in zip(tables, words, strict=True):
        name = class_name(own)
        if name in classes or [class_name(other) for other in words].count(name) > 1:
            name = class_name(words_of(table.name)) or name
        count = 2
        while name in classes:
            name, count = f"{class_name(own)}{count}", count + 1
        classes.append(name)
    return classes
