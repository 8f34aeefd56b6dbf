"""How related tables are read: the class, key, name and references of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from graphbrick.core.properties.written import Written
from graphbrick.graphs.readers.ends import KeySet
from graphbrick.graphs.readers.fields import Field
from graphbrick.graphs.readers.relational.profile import Places, Profile, whole
from graphbrick.graphs.readers.relational.tables import Cells, SourceTable
from graphbrick.graphs.readers.relational.words import Words
from graphbrick.graphs.records.records import LeftOut

_SHOWN = 8


@dataclass(frozen=True)
class Reference:
    """Columns whose values are keys of a table.

    Attributes:
        columns: The indices of the columns.
        target: The index of the other table.
        others: The columns of the other table; its key, or others that identify its rows.
        is_declared: Whether the source declares it.
        is_whole: Whether decimals that are zero are left out.
        relation: The name of the relation.
    """

    columns: Places
    target: int
    others: Places
    is_declared: bool = False
    is_whole: bool = False
    relation: str = ""


@dataclass(frozen=True)
class Names:
    """Where the names of the rows of a table come from.

    Attributes:
        columns: The columns of names; a row without a name takes it from the next.
        parts: The columns of first and last names, which are joined.
        aliases: Columns of further names.
        types: The column of types, if the class is not the table.
        description: The column of descriptions.
    """

    columns: Places = ()
    parts: Places = ()
    aliases: Places = ()
    types: int | None = None
    description: int | None = None


@dataclass(frozen=True)
class TablePlan:
    """How a table is read.

    Attributes:
        table: The table.
        words: The words of its name in the singular.
        type: The class of its rows.
        profile: What its rows show.
        key: The columns of the key; empty if rows are numbered.
        names: Where names come from.
        references: What its columns refer to.
        fields: The columns of properties.
        joins: Whether each row is a triple between its two references, and no entity.
        relation: The name of the relation of these triples.
        noun: A second class of its rows: what the column of names is called; empty for none.
        written: How the cells of columns are written that are no plain numbers or ISO dates, by column.
    """

    table: SourceTable
    words: Words
    type: str
    profile: Profile
    key: Places
    names: Names
    references: tuple[Reference, ...]
    fields: tuple[Field, ...]
    joins: bool = False
    relation: str = ""
    written: Mapping[int, Written] = field(default_factory=dict)
    noun: str = ""

    def key_of(self, cells: Cells, number: int) -> str:
        """Return the key of a row without its class; empty if the row has none.

        A row without the key that the source declares is numbered: SQLite allows NULL in most primary keys.
        """
        if not self.key:
            return str(number)
        return self.table.key(cells, self.key) or (f"row {number}" if self.is_declared else "")

    @property
    def is_declared(self) -> bool:
        """Whether the key is the one that the source declares."""
        return bool(self.table.primary) and self.key == self.table.places(self.table.primary)

    def text(self, cells: Cells, reference: Reference) -> str:
        """Return the key that a row refers to; empty if it refers to nothing."""
        text = self.table.key(cells, reference.columns)
        return whole(text) if reference.is_whole else text


@dataclass(frozen=True)
class Plan:
    """How the tables of a source are read.

    Attributes:
        tables: The tables that have rows.
        keys: The keys of the rows in the columns that others refer to, by table and columns.
        notes: What is not taken.
    """

    tables: tuple[TablePlan, ...]
    keys: dict[tuple[int, Places], KeySet] = field(repr=False)
    notes: LeftOut

    def understood(self) -> list[str]:
        """Return in one line for each table how it is read."""
        return [self._line(table) for table in self.tables]

    def _line(self, plan: TablePlan) -> str:
        title = plan.table.title
        parts = []
        if plan.joins:
            first, second = (self._reference(plan, reference) for reference in plan.references)
            parts.append(f"relation {plan.relation} from {first} to {second}")
        else:
            names = plan.table.columns
            also = f" and {plan.noun}" if plan.noun else ""
            parts.append(f"class {plan.type}{also}" if plan.names.types is None else f"type {names[plan.names.types]}")
            parts.append(f"key {' and '.join(names[place] for place in plan.key)}" if plan.key else "rows are numbered")
            parts.append(f"name {self._name(plan)}")
            parts += (f"{reference.relation} is {self._reference(plan, reference)}" for reference in plan.references)
        fields = [column.name for column in plan.fields]
        shown = ", ".join(fields[:_SHOWN]) + (f" and {len(fields) - _SHOWN} more" if len(fields) > _SHOWN else "")
        rest = f"; {len(fields)} {'property' if len(fields) == 1 else 'properties'} ({shown})" if fields else ""
        remark = f" ({plan.table.remark})" if plan.table.remark else ""
        return f"{title}: {', '.join(parts)}{rest}{remark}"

    def _reference(self, plan: TablePlan, reference: Reference) -> str:
        columns = " and ".join(plan.table.columns[place] for place in reference.columns)
        target = self.tables[reference.target]
        by = ""
        if reference.others != target.key:
            by = f", its {' and '.join(target.table.columns[place] for place in reference.others)}"
        return f"{target.type} ({columns}{by})"

    def _name(self, plan: TablePlan) -> str:
        columns = plan.table.columns
        if plan.names.parts:
            return " + ".join(columns[place] for place in plan.names.parts)
        if plan.names.columns:
            return " or else ".join(columns[place] for place in plan.names.columns)
        return f"{spoken(plan)} and {'key' if plan.key else 'number'}"


def spoken(plan: TablePlan) -> str:
    """Return the class of a table as words, which name a row without a name: «Order 10248»."""
    return " ".join(plan.words).capitalize()


class Related:
    """The tables of a source, and how they are read, which is found out once.

    Args:
        files: The files of the source.
        make: Goes through the tables, and returns how they are read.
    """

    def __init__(self, files: tuple[Path, ...], make: Callable[[], Plan]) -> None:
        self.files, self._make = files, make

    @cached_property
    def plan(self) -> Plan:
        """How the tables are read.

        Raises:
            InputError: A table cannot be read, or none has rows.
        """
        return self._make()
