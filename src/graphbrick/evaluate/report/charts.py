"""Bars as inline SVG, in rows of a table: their text keeps its size however narrow the page is, and can be read out.

Colours are classes of ``style.css``, which has them for light and dark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from graphbrick.evaluate.report.markup import Html, element, join, label
from graphbrick.evaluate.statistics.intervals import Interval

_LETTERS = 0.011  # share of a bar's row that a letter needs, where the page is not narrow
_BAR, _GAP, _PAD = 12, 2, 5  # pixels of a bar in a group, between bars, above and below a group


class Part(NamedTuple):
    """One colour of a chart.

    Attributes:
        name: What it stands for.
        colour: Its class in ``style.css``.
        note: What it means, for those who ask.
    """

    name: str
    colour: str
    note: str = ""


class Row(NamedTuple):
    """One row of a chart.

    Attributes:
        number: The number of the pipeline in the table.
        name: Its name.
        values: One for each part; None where there is none.
        note: What stands in place of bars, where there are none.
    """

    number: int
    name: str
    values: Sequence[float | None]
    note: str = ""


def legend(parts: Sequence[Part]) -> Html:
    """What the colours stand for."""
    return element(
        "ul",
        *(
            element("li", element("i", class_=f"key {part.colour}"), part.name, title=part.note or None)
            for part in parts
        ),
        class_="legend",
    )


def stacked_bars(
    rows: Sequence[Row], parts: Sequence[Part], *, shown: Callable[[float], str], whole: float | None = None
) -> Html:
    """A row of parts, one after the other.

    Args:
        rows: Top to bottom.
        parts: Left to right, in the order of the rows' values.
        shown: How a value is written.
        whole: The value of a full row; None for a scale that holds the longest.
    """
    longest = max((sum(v or 0 for v in row.values) for row in rows), default=0)
    ticks = [whole * i / 4 for i in range(5)] if whole else round_ticks(longest)
    end = whole or ticks[-1] or 1
    body = [_row(row, _stack(row, parts, end, shown, ticks), 22) for row in rows]
    return element("div", legend(parts), _table(ticks, end, body, round_percent if whole else shown), class_="chart")


def stack(values: Sequence[float], parts: Sequence[Part], title: str) -> Html:
    """A row of parts for a cell of a table, without letters."""
    total, at, marks = sum(values) or 1, 0.0, []
    for value, part in zip(values, parts, strict=True):
        if value:
            marks.append(
                element("rect", x=_share(at / total), width=_share(value / total), height=12, class_=part.colour)
            )
            at += value
    return element("svg", element("title", title), *marks, class_="stack", height=12, role="img", aria_label=title)


def grouped_bars(rows: Sequence[Row], parts: Sequence[Part], intervals: Sequence[Sequence[Interval | None]]) -> Html:
    """For each row a group of bars on a scale of 0 to 1, each with its interval.

    Args:
        rows: Top to bottom; their values are not read.
        parts: Top to bottom within a group.
        intervals: For each row one for each part, None where there is no question.
    """
    ticks = [0, 0.25, 0.5, 0.75, 1.0]
    body = []
    for row, group in zip(rows, intervals, strict=True):
        height = len(parts) * (_BAR + _GAP) + 2 * _PAD
        marks = [_grid(ticks, 1.0, height)]
        for place, (found, part) in enumerate(zip(group, parts, strict=True)):
            marks.append(_bar(found, part, _PAD + place * (_BAR + _GAP)))
        body.append(_row(row, join(*marks), height))
    return element("div", legend(parts), _table(ticks, 1.0, body, round_percent), class_="chart")


def percent(value: float) -> str:
    """A share in percent; what is not 0 or all is not shown as if it were.

    >>> percent(0.5), percent(0.973), percent(0.9999), percent(0.0002), percent(1)
    ('50.0', '97.3', '>99.9', '<0.1', '100')
    """
    if 0 < value < 0.0005 or 0.9995 <= value < 1:
        return "<0.1" if value < 0.5 else ">99.9"
    return f"{100 * value:.0f}" if value in (0, 1) else f"{100 * value:.1f}"


def round_percent(value: float) -> str:
    """A round share in percent, for an axis.

    >>> round_percent(0.25), round_percent(0.925)
    ('25', '92.5')
    """
    return f"{100 * value:.3g}"


def milliseconds(value: float) -> str:
    """Milliseconds with three digits, in seconds or minutes where they are many.

    >>> milliseconds(0.1234), milliseconds(12.34), milliseconds(1234.5), milliseconds(120_000)
    ('0.12 ms', '12.3 ms', '1.23 s', '2 min')
    """
    if value < 1:
        return f"{value:.2g} ms" if value else "0 ms"
    for limit, unit, size in ((1000, "ms", 1), (100_000, "s", 1000), (float("inf"), "min", 60_000)):
        if value < limit:
            return f"{float(f'{value / size:.3g}'):,g} {unit}"
    raise AssertionError


def short(value: float) -> str:
    """A count in three digits.

    >>> short(0), short(12), short(1234), short(5_600_000)
    ('0', '12', '1.23k', '5.6M')
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def round_ticks(longest: float, about: int = 5) -> list[float]:
    """Round numbers from 0 to at least ``longest``.

    >>> round_ticks(42), round_ticks(0)
    ([0.0, 10.0, 20.0, 30.0, 40.0, 50.0], [0.0])
    """
    if longest < 1e-12:
        return [0.0]
    rough = longest / about
    size = 10.0 ** floor(log10(rough))
    step = next(size * nice for nice in (1, 2, 2.5, 5, 10) if size * nice >= rough * 0.999)
    return [float(f"{i * step:.12g}") for i in range(ceil(longest / step - 1e-9) + 1)]


def _table(ticks: Sequence[float], end: float, body: Sequence[Html], shown: Callable[[float], str]) -> Html:
    """The rows below an axis."""
    axis = []
    for tick in ticks:
        anchor = "start" if tick == 0 else "end" if tick == end else "middle"
        axis.append(element("text", shown(tick), x=_share(tick / end), y=13, text_anchor=anchor))
    scale = element("svg", *axis, height=18, class_="axis", aria_hidden="true")
    head = element("tr", element("th", element("span", "pipeline", class_="unseen"), scope="col"), element("td", scale))
    return element("table", element("thead", head), element("tbody", *body), class_="bars")


def _row(row: Row, marks: Html, height: int) -> Html:
    name = element("th", badge(row.number), " ", label(row.name), scope="row", title=row.name)
    if row.note:
        return element("tr", name, element("td", element("span", row.note, class_="faint")))
    return element("tr", name, element("td", element("svg", marks, height=height)))


def badge(place: int) -> Html:
    """The number that a pipeline has in all tables and charts."""
    return element("span", str(place), class_="badge")


def _stack(row: Row, parts: Sequence[Part], end: float, shown: Callable[[float], str], ticks: Sequence[float]) -> Html:
    at, marks = 0.0, [_grid(ticks, end, 22)]
    for value, part in zip(row.values, parts, strict=True):
        if not value:
            continue
        text = shown(value)
        title = element("title", f"{row.name}\n{part.name}: {text}")
        marks.append(
            element("rect", title, x=_share(at / end), width=_share(value / end), y=3, height=16, class_=part.colour)
        )
        if value / end > _LETTERS * (len(text) + 1):
            where = _share((at + value / 2) / end)
            marks.append(element("text", text, x=where, y=15, text_anchor="middle", class_=f"in {part.colour}"))
        at += value
    return join(*marks)


def _bar(found: Interval | None, part: Part, top: int) -> Html:
    middle = top + _BAR / 2
    if found is None:
        return element("text", f"{part.name}: no question", x=4, y=middle + 4, class_="faint")
    title = (
        f"{part.name}: {percent(found.mean)} %, interval {percent(found.low)} to {percent(found.high)}, n = {found.n:,}"
    )
    bar = element(
        "rect", element("title", title), x=0, width=_share(found.mean), y=top, height=_BAR, class_=part.colour
    )
    reach = join(
        *(element("line", x1=_share(found.low), x2=_share(found.high), y1=middle, y2=middle, class_=name)
          for name in ("halo", "reach"))
    )  # fmt: skip
    ends = (
        element("line", x1=_share(x), x2=_share(x), y1=middle - 3, y2=middle + 3, class_="reach")
        for x in (found.low, found.high)
    )
    return join(bar, reach, *ends)


def _grid(ticks: Sequence[float], end: float, height: int) -> Html:
    lines = (element("line", x1=_share(t / end), x2=_share(t / end), y1=0, y2=height, class_="grid") for t in ticks)
    return join(*lines)


def _share(value: float) -> str:
    return f"{100 * value:.2f}%"
