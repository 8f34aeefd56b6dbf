"""What the columns of tables refer to: as declared, as the user says, or as names and values show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.ends import KeySet
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.relational.candidates import BY_LAST_WORD, Candidate
from graphbrick.graphs.readers.relational.plan import Reference
from graphbrick.graphs.readers.relational.profile import Fit, Places, Profile, fits
from graphbrick.graphs.readers.relational.tables import SourceTable
from graphbrick.graphs.readers.relational.words import Words, class_name, words_of
from graphbrick.graphs.readers.roles import listed
from graphbrick.graphs.records.records import LeftOut

NO_REFERENCES = "columns that are named like a table or its key, and hold other values (read as properties)"
SEVERAL = "columns that fit several tables, and are read as properties (--reference TABLE.COLUMN=TABLE)"

NO_KEYS = "columns that are named like a table without a key, and are read as properties (--key)"
UNREAD = "foreign keys to tables that are not read, whose columns are read as properties"
BROKEN = "foreign keys to what is not there, whose columns are read as properties"

_LEAST = 0.95  # of the values of a column that refers to a table are its keys


@dataclass(frozen=True)
class Stated:
    """A reference that the source or the user states.

    Attributes:
        table: The index of the table.
        columns: Its columns.
        target: The index of the other table; -1 if the columns refer to nothing.
        others: Its columns; empty for its key.
        option: What the user wrote; empty for what the source declares.
    """

    table: int
    columns: Places
    target: int
    others: Places = ()
    option: str = ""


def stated_references(
    tables: Sequence[SourceTable], words: Sequence[Words], options: Sequence[str], notes: LeftOut, source: object
) -> list[Stated]:
    """Return the references that the user states, such as ``orders.buyer=customers``, and those that tables declare.

    Args:
        tables: The tables.
        words: The words of their names.
        options: What the user states.
        notes: Receives foreign keys to tables or columns that are not there.
        source: The source, for error messages.

    Raises:
        InputError: The user names a table or a column that is not there.
    """
    found = [_of_option(option, tables, words, source) for option in options]
    taken = {(one.table, one.columns) for one in found}
    by_name = {table.name.casefold(): place for place, table in enumerate(tables)}
    for place, table in enumerate(tables):
        for key in table.foreign:
            columns, target = table.places(key.columns), by_name.get(key.table.casefold())
            if (place, columns) in taken:
                continue
            if key.is_elsewhere:
                notes.add(UNREAD, f"{table.title}: {' and '.join(key.columns)} of {key.table}")
                found += [Stated(place, columns, -1)] if columns else []
                continue
            others = None if target is None else tables[target].places(key.others or tables[target].primary)
            if columns and others and target is not None and len(others) == len(columns):
                found.append(Stated(place, columns, target, others))
            else:
                notes.add(BROKEN, f"{table.title}: {' and '.join(key.columns)} of {key.table}")
    return found


def _of_option(option: str, tables: Sequence[SourceTable], words: Sequence[Words], source: object) -> Stated:
    left, equals, right = option.partition("=")
    named, dot, column = left.rpartition(".")
    if not equals or not dot:
        reason = f"a reference is written TABLE.COLUMN=TABLE, as orders.buyer=customers, got {option!r}"
        raise InputError(reason, str(source), code="related.bad_reference", reference=option)
    place = _table(named, tables, words, source)
    columns = _columns(column, tables[place])
    if not right.strip():
        return Stated(place, columns, -1, option=option)
    target, _, other = right.strip().partition(".")
    number = _table(target, tables, words, source)
    return Stated(place, columns, number, _columns(other, tables[number]) if other else (), option)


def _table(name: str, tables: Sequence[SourceTable], words: Sequence[Words], source: object) -> int:
    """Return the index of a table by its name, or by its class."""
    folded = name.strip().casefold()
    for place, table in enumerate(tables):
        if folded in (table.name.casefold(), table.title.casefold(), class_name(words[place]).casefold()):
            return place
    reason = f"there is no table {name.strip()!r}; the tables are {listed([table.name for table in tables])}"
    raise InputError(reason, str(source), code="related.no_table", table=name)


def _columns(name: str, table: SourceTable) -> Places:
    places = table.places((name.strip(),))
    if places is None:
        reason = f"{table.title} has no column {name.strip()!r}; its columns are {listed(table.columns)}"
        raise InputError(reason, table.file, code="related.no_column", column=name)
    return places


class References:
    """The search for what columns refer to.

    Args:
        tables: The tables.
        words: The words of their names.
        profiles: What their rows show.
        keys: Their keys.
        reading: How to read them.
        notes: Receives columns that are named like a table and are no reference.
    """

    def __init__(
        self,
        tables: Sequence[SourceTable],
        words: Sequence[Words],
        profiles: Sequence[Profile],
        keys: Sequence[Places],
        reading: FileReading,
        notes: LeftOut,
    ) -> None:
        self._tables, self._words, self._profiles, self._keys = tables, words, profiles, keys
        self._reading, self._notes = reading, notes

    def found(self, candidates: Sequence[Sequence[Candidate]], stated: Sequence[Stated]) -> list[list[Reference]]:
        """Return the references of each table, in the order of its columns."""
        return [self._of_table(place, candidates[place], stated) for place in range(len(self._tables))]

    def _of_table(self, place: int, candidates: Sequence[Candidate], stated: Sequence[Stated]) -> list[Reference]:
        own = [one for one in stated if one.table == place]
        found = [
            Reference(one.columns, one.target, others, True)
            for one in own
            if one.target >= 0 and (others := self._others(one))
        ]
        taken = {column for one in own for column in one.columns}
        if not self._profiles[place].rows:
            return []
        free = [one for one in candidates if one.column not in taken and self._profiles[place].filled[one.column]]
        pairs = [(one, others) for one in free if (others := self._target(one))]
        self._note_without_keys(place, free, {one.column for one, _ in pairs})
        tried = [((one.column,), self._keys_of(one.target, others)) for one, others in pairs]
        measured = fits(self._tables[place], self._reading, tried) if tried else []
        by_column: dict[int, list[tuple[Candidate, Places, Fit]]] = defaultdict(list)
        for (one, others), fit in zip(pairs, measured, strict=True):
            by_column[one.column].append((one, others, fit))
        for column, options in by_column.items():
            best = self._best(place, column, options)
            if best is not None:
                found.append(best)
        return _without_copies(sorted(found, key=lambda one: one.columns), self._tables[place])

    def _others(self, one: Stated) -> Places:
        """Return the columns of the other table that a stated reference names, by default its key.

        A foreign key to columns whose values repeat is reported, and refers to nothing.

        Raises:
            InputError: The user states a reference to a table without a key, or to a column whose values repeat.
        """
        target, others = self._tables[one.target], one.others or self._keys[one.target]
        profile = self._profiles[one.target]
        if others and (not profile.rows or profile.is_unique(others)):
            return others
        columns = " and ".join(target.columns[place] for place in others)
        fault = f"values of {columns} in {target.title} repeat" if others else f"{target.title} has no key"
        if one.option:
            reason = (
                f"--reference {one.option}: {fault}; name one whose values differ, as in orders.buyer=customers.email"
            )
            raise InputError(reason, target.file, code="related.no_key", reference=one.option)
        columns = " and ".join(self._tables[one.table].columns[place] for place in one.columns)
        self._notes.add(BROKEN, f"{self._tables[one.table].title}: {columns} ({fault})")
        return ()

    def _note_without_keys(self, place: int, candidates: Sequence[Candidate], tried: Set[int]) -> None:
        """Report columns that are named like a table in which nothing identifies a row."""
        for one in candidates:
            if one.others is None and one.strength > BY_LAST_WORD and one.column not in tried:
                name = f"{self._tables[place].title}: {self._tables[place].columns[one.column]}"
                self._notes.add(NO_KEYS, f"{name} ({self._tables[one.target].name})")

    def _target(self, one: Candidate) -> Places:
        """Return the columns that a candidate refers to; empty if they do not identify a row."""
        profile = self._profiles[one.target]
        if one.others is None:
            key = self._keys[one.target]
            return key if len(key) == 1 and key in profile.keys else ()
        return (one.others,) if profile.is_unique((one.others,)) else ()

    def _keys_of(self, target: int, others: Places) -> KeySet:
        return self._profiles[target].keys[others]

    def _best(self, place: int, column: int, options: Sequence[tuple[Candidate, Places, Fit]]) -> Reference | None:
        """Return what a column refers to; None if nothing fits, or two tables fit equally."""
        name = f"{self._tables[place].title}: {self._tables[place].columns[column]}"
        good = [option for option in options if option[2].share >= _LEAST]
        if not good:
            one, _, fit = max(options, key=lambda option: (option[2].share, option[0].strength))
            if fit.values and one.strength > 1:
                known = f"{max(fit.hits, fit.whole_hits):,} of {fit.values:,} in {self._tables[one.target].name}"
                self._notes.add(NO_REFERENCES, f"{name} ({known})")
            return None
        strength = max(one.strength for one, _, _ in good)
        best = [option for option in good if option[0].strength == strength]
        targets = list(dict.fromkeys(self._tables[one.target].name for one, _, _ in best))
        if len(targets) > 1:
            self._notes.add(SEVERAL, f"{name} ({', '.join(targets)})")
            return None
        one, others, fit = best[0]
        return Reference((column,), one.target, others, False, fit.is_whole)


def _without_copies(references: Sequence[Reference], table: SourceTable) -> list[Reference]:
    """Return the references without those that only repeat another by a further column of its target.

    Beside ``customer_id``, a column ``customer_name`` is a property.
    """
    kept: list[Reference] = []
    for one in sorted(references, key=lambda one: not one.is_declared):
        first = words_of(table.columns[one.columns[0]])[:1]
        copies = [
            other
            for other in kept
            if other.target == one.target
            and other.others != one.others
            and words_of(table.columns[other.columns[0]])[:1] == first
        ]
        if not copies:
            kept.append(one)
    return sorted(kept, key=lambda one: one.columns)
