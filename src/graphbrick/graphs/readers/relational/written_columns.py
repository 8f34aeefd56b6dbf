"""Columns whose numbers and dates are not written as plain numbers and ISO dates."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from graphbrick.core.properties.values import Kind, Scalar, is_exact_float
from graphbrick.core.properties.written import COMMA, POINT, Written
from graphbrick.graphs.readers.fields import Field
from graphbrick.graphs.readers.relational.profile import Profile
from graphbrick.graphs.readers.relational.tables import SourceTable
from graphbrick.graphs.records.records import LeftOut

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions


@dataclass
class WrittenColumns:
    """How the columns of a table are written.

    Attributes:
        columns: Those that are no plain numbers or ISO dates, by index.
        notes: What is told of them, and of those that stay texts.
    """

    columns: dict[int, Written] = field(default_factory=dict)
    notes: LeftOut = field(default_factory=LeftOut)


def written_fields(
    table: SourceTable, fields: Sequence[Field], profile: Profile, own: Collection[int], options: ReadOptions
) -> tuple[tuple[Field, ...], WrittenColumns]:
    """Return the properties of a table with their units, and how their columns are written.

    Args:
        table: The table.
        fields: Its properties.
        profile: What its rows show.
        own: The columns of keys, names and references, which stay as they are.
        options: May decide what the cells leave open.
    """
    found = WrittenColumns()
    asked = [one for one in fields if one.place not in own and one.kind != Kind.TEXT and not one.is_list]
    marks = {profile.cells[one.place].sure_mark for one in asked} - {""}
    mark = options.decimal or (marks.pop() if len(marks) == 1 else "") or table.mark
    changed = {}
    for one in asked:
        cells = profile.cells[one.place]
        written = cells.decided(mark, options.dates or "")
        if isinstance(written, Written):
            found.columns[one.place] = written
            changed[one.place] = replace(one, unit=one.unit or written.unit)
            found.notes.add(_told(table, one, written, cells.example), cells.example, cells.total - cells.words)
        elif written is not None:
            what = f"values of {one.name} in {table.title} that stay texts, as it is open {written}"
            found.notes.add(what, cells.example, cells.total)
    for one in fields:
        if one.place in profile.large and one.place not in own:
            what = (
                f"values of {one.name} in {table.title} that are kept as texts, as a number would change their digits"
            )
            found.notes.add(what, n=profile.filled[one.place])
    return tuple(changed.get(one.place, one) for one in fields), found


def _told(table: SourceTable, one: Field, written: Written, example: str) -> str:
    kind = "numbers" if not written.order else "date-times" if written.with_times else "dates"
    unit = f" in {written.unit}" if written.unit else ""
    how = {"dmy": ", the day first", "mdy": ", the month first", POINT: "", COMMA: ", with a comma for decimals"}
    said = f"«{example}» is {written.plain(example)}"
    keep = f"; the header {one.name}:string keeps texts"
    read = f"{kind}{unit}{how[written.order or written.mark]}"
    return f"values of {one.name} in {table.title} that are read as {read} ({said}{keep})"


def typed_cell(plain: str, written: Written) -> Scalar:
    """Return a number or date that `Written.plain` wrote as a Python value; large numbers stay texts."""
    if written.order:
        moment = datetime.datetime.fromisoformat(plain)
        return moment if written.with_times else moment.date()
    return float(plain) if not plain.lstrip("-").isdecimal() or is_exact_float(int(plain)) else plain
