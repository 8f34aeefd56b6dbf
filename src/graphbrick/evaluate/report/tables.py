"""Tables that are written as HTML and as Markdown from one description."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from graphbrick.evaluate.report.charts import percent
from graphbrick.evaluate.report.markup import Html, element, join, visible
from graphbrick.evaluate.statistics.intervals import Interval

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$&])")


class Column(NamedTuple):
    """One column.

    Attributes:
        title: What stands above it.
        group: What stands above this and its neighbours with the same group.
        note: What it means.
        text: Whether it holds words, and not numbers.
        only: "page" or "file" where it is left out of the other.
        small: What the small letters of its cells are.
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
        text: What it says, as plain text.
        value: What it is sorted by; None for what has no value, which comes last.
        small: What is said beside it, in small letters.
        markup: What stands in its place on a page; None for the texts.
        name: Whether it names its row.
        strong: Whether it is the best of its column.
    """

    text: str
    value: float | str | None = None
    small: str = ""
    markup: Html | None = None
    name: bool = False
    strong: bool = False


class Table(NamedTuple):
    """A table.

    Attributes:
        name: Its id in the page.
        caption: What it shows, in a sentence.
        columns: Left to right.
        rows: Top to bottom, one cell for each column.
    """

    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


def interval_cell(found: Interval | None, *, strong: bool = False) -> Cell:
    """A mean in percent with its interval."""
    if found is None:
        return Cell("–", None)
    return Cell(percent(found.mean), found.mean, f"{percent(found.low)}–{percent(found.high)}", strong=strong)


def columns_of(table: Table, wanted: Callable[[Column], bool]) -> Table:
    """The same rows with a part of the columns."""
    kept = [i for i, column in enumerate(table.columns) if wanted(column)]
    rows = [[row[i] for i in kept] for row in table.rows]
    return table._replace(columns=[table.columns[i] for i in kept], rows=rows)


def table_html(table: Table) -> Html:
    """The table for a page; a script sorts it when a heading is pressed."""
    table = columns_of(table, lambda column: column.only != "file")
    head = [element("tr", *_groups(table.columns), class_="groups")] if any(c.group for c in table.columns) else []
    head.append(element("tr", *map(_heading, table.columns)))
    body = (element("tr", *map(_cell, row, table.columns)) for row in table.rows)
    return element(
        "div",
        element(
            "table",
            element("caption", table.caption, class_="unseen"),
            element("thead", *head),
            element("tbody", *body),
            class_="sortable",
            id=table.name,
        ),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label=table.caption,
    )


def table_markdown(table: Table) -> str:
    """The table for a file of Markdown."""
    table = columns_of(table, lambda column: column.only != "page")
    titles = [_title(column) for column in table.columns]
    lines = [_line(titles), _line(["---" if column.text else "---:" for column in table.columns])]
    lines += [_line(list(map(_markdown_cell, row))) for row in table.rows]
    return "\n".join(lines) + "\n"


def markdown(text: str) -> str:
    """A text as Markdown that shows it, in one line.

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


def _groups(columns: Sequence[Column]) -> list[Html]:
    cells, at = [], 0
    while at < len(columns):
        group = columns[at].group
        width = next((i for i in range(at, len(columns)) if columns[i].group != group), len(columns)) - at
        spread = {"colspan": width, "scope": "colgroup"} if group else {"colspan": width}
        cells.append(element("th" if group else "td", group or None, **spread))
        at += width
    return cells


def _heading(column: Column) -> Html:
    kind = "text" if column.text else "number"
    button = element("button", column.title, type="button", title=column.note or None)
    return element("th", button, element("small", column.small) if column.small else None, scope="col", class_=kind)


def _cell(cell: Cell, column: Column) -> Html:
    value = None if cell.value is None else str(cell.value)
    kind = " ".join(filter(None, ["text" if column.text else "number", "strong" if cell.strong else ""]))
    shown = cell.markup
    if shown is None:
        shown = join(cell.text, element("small", cell.small) if cell.small else None)
    given = {"scope": "row"} if cell.name else {}
    return element("th" if cell.name else "td", shown, class_=kind, data_v=value, **given)
