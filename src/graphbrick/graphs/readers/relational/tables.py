"""Tables of a source before it is known what they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from graphbrick.graphs.readers.fields import cell_text, one_of
from graphbrick.graphs.readers.reader import FileReading

Cells: TypeAlias = Sequence[Any]
Rows: TypeAlias = Iterator[tuple[int, Cells]]
"""(line or row number, cells)"""

NOTHING = frozenset(("", "\\N", "NULL", "null"))
"""Texts of cells that hold no value."""


@dataclass(frozen=True)
class ForeignKey:
    """A foreign key that the source declares.

    Attributes:
        columns: The names of the columns.
        table: The name of the other table.
        others: The names of its columns; empty for its primary key.
        is_elsewhere: Whether the other table is known to be there, and not read.
    """

    columns: tuple[str, ...]
    table: str
    others: tuple[str, ...] = ()
    is_elsewhere: bool = False


@dataclass(frozen=True)
class SourceTable:
    """A table of a source.

    Attributes:
        file: Its file; the address of a database.
        name: Its name, which tells the class of its rows.
        title: What it is called in reports: `orders.csv`, `table orders`, `sheet Orders`.
        columns: The names of its columns.
        samples: Some of its rows as texts.
        open: Returns its rows anew; it reports what it does not take to the reading.
        typed: Whether cells are Python values, not texts.
        primary: The names of the columns of the primary key that the source declares.
        foreign: The foreign keys that it declares.
        remark: How its header was found, where that is not plain.
        mark: The mark for decimals that its delimiter shows; else empty.
    """

    file: Path | str
    name: str
    title: str
    columns: tuple[str, ...]
    samples: list[list[str]]
    open: Callable[[FileReading], Rows]
    typed: bool = False
    primary: tuple[str, ...] = ()
    foreign: tuple[ForeignKey, ...] = field(default=())
    remark: str = ""
    mark: str = ""

    def places(self, names: Sequence[str]) -> tuple[int, ...] | None:
        """Return the indices of columns by name, in whatever case; None if one of them is not there."""
        if set(names) <= set(self.columns):
            return tuple(map(self.columns.index, names))
        folded = [column.casefold() for column in self.columns]
        wanted = [name.casefold() for name in names]
        return tuple(map(folded.index, wanted)) if set(wanted) <= set(folded) else None

    def text(self, cell: Any) -> str:
        """Return a cell as the text of a key; empty without a value."""
        text = one_of(cell_text(cell)) if self.typed else cell.strip()
        return "" if text in NOTHING else text

    def key(self, cells: Cells, places: Sequence[int]) -> str:
        """Return the key of a row in some columns; empty if one of them is empty.

        The parts of a key of several columns are separated by slashes.
        """
        if len(places) == 1:
            return self.text(cells[places[0]])
        parts = [self.text(cells[place]) for place in places]
        return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts) if all(parts) else ""
