"""Tables that are written as HTML and as Markdown from one description."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup

from graphbrick.study.metrics.confidence import Bin
from graphbrick.study.report.charts import percent, round_percent
from graphbrick.study.report.markup import macro, visible
from graphbrick.study.statistics.intervals import Interval
from graphbrick.study.statistics.prediction_powered import Estimate

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$&])")


class Column(NamedTuple):
    """One column.

    Attributes:
        title: Its heading.
        group: The heading above this and its neighbours with the same group.
        note: An explanation.
        text: Whether it holds words, not numbers.
        only: "page" or "file" if it is left out of the other.
        small: The meaning of small letters in its cells.
    """

    title: str
    group: str = ""
    note: str = ""
    text: bool = False
    only: str = ""
    small: str = ""


class Cell(NamedTuple):
    """One cell.

    Attributes:
        text: Its plain text.
        value: The value to sort by; None for no value, sorted last.
        small: Text beside it, in small letters.
        markup: Its content on a page; None for the texts.
        name: Whether it names its row.
        strong: Whether it is the best of its column.
    """

    text: str
    value: float | str | None = None
    small: str = ""
    markup: Markup | None = None
    name: bool = False
    strong: bool = False


class Table(NamedTuple):
    """A table.

    Attributes:
        name: Its id in the page.
        caption: A sentence that says what it shows.
        columns: Left to right.
        rows: Top to bottom, one cell for each column.
    """

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


PIPELINE_COLUMNS = (Column("#", note="its number in the charts"), Column("pipeline", text=True))
"""The columns that name the pipeline of a row; see `pipeline_cells`."""


NONE = Cell("–")
"""The cell of a value that there is none of."""


def pipeline_cells(number: int, name: str) -> list[Cell]:
    """Return the cells of `PIPELINE_COLUMNS`."""
    return [Cell(str(number), number), name_cell(name)]


def name_cell(name: str) -> Cell:
    """Return the cell that names its row."""
    return Cell(name, name, name=True)


def number_cell(value: float | None, digits: int = 0, small: str = "") -> Cell:
    """Return a cell with a number."""
    return NONE if value is None else Cell(f"{value:,.{digits}f}", value, small)


def share_cell(value: float | None, small: str = "", *, strong: bool = False) -> Cell:
    """Return a cell with a share in percent."""
    return NONE if value is None else Cell(percent(value), value, small, strong=strong)


def interval_cell(interval: Interval | Estimate | None, *, strong: bool = False) -> Cell:
    """Return a cell with a mean in percent and its interval."""
    return NONE if interval is None else share_cell(interval.mean, bounds(interval.low, interval.high), strong=strong)


def bounds(low: float, high: float) -> str:
    """Return an interval in percent."""
    return f"{percent(low)}–{percent(high)}"


def difference_cell(difference: Interval | Estimate, scale: float = 1, *, strong: bool = False) -> Cell:
    """Return a cell with a difference, times a scale, and its interval."""
    mean, low, high = (f"{scale * value:+.1f}" for value in (difference.mean, difference.low, difference.high))
    return Cell(mean, difference.mean, f"{low} to {high}", strong=strong)


def bin_cells(part: Bin) -> list[Cell]:
    """Return the cells of an interval of confidence: ends, number, mean confidence, share of right ones."""
    ends = Cell(f"{round_percent(part.low)}–{round_percent(part.high)}", part.low)
    shares = (Cell(percent(value or 0.0), value) for value in (part.confidence, part.right))
    return [ends, number_cell(part.n), *shares]


def columns_of(table: Table, wanted: Callable[[Column], bool]) -> Table:
    """Return the table with some of its columns."""
    columns = [i for i, column in enumerate(table.columns) if wanted(column)]
    rows = [[row[i] for i in columns] for row in table.rows]
    return table._replace(columns=[table.columns[i] for i in columns], rows=rows)


def table_html(table: Table) -> Markup:
    """Return the table for a page."""
    table = columns_of(table, lambda column: column.only != "file")
    groups = [(name, len(list(members))) for name, members in groupby(table.columns, key=lambda column: column.group)]
    return macro("parts.html", "table", table, groups if any(name for name, _ in groups) else [])


def table_markdown(table: Table) -> str:
    """Return the table as Markdown."""
    table = columns_of(table, lambda column: column.only != "page")
    titles = [_title(column) for column in table.columns]
    lines = [_line(titles), _line(["---" if column.text else "---:" for column in table.columns])]
    lines += [_line(list(map(_markdown_cell, row))) for row in table.rows]
    return "\n".join(lines) + "\n"


def markdown(text: str) -> str:
    """Return Markdown of one line that shows a text.

    >>> markdown("a|b *c* <script>")
    'a\\\\|b \\\\*c\\\\* \\\\<script\\\\>'
    """
    return _SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


def _title(column: Column) -> str:
    text = f"{column.group}: {column.title}" if column.group else column.title
    return markdown(f"{text} ({column.small})" if column.small else text)


def _markdown_cell(cell: Cell) -> str:
    text = markdown(cell.text)
    if cell.strong and text:
        text = f"**{text}**"
    return f"{text} ({markdown(cell.small)})" if cell.small else text


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
