"""Bar charts of a report page, and number formatting.

Colours are classes of ``style.css``, which has them for light and dark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from markupsafe import Markup

from graphbrick.study.report.markup import macro
from graphbrick.study.statistics.intervals import Interval

QUARTERS = (0, 0.25, 0.5, 0.75, 1.0)
_HEIGHT = 330  # pixels of a box of curves
_LETTERS = 0.011  # share of a bar's row that a letter needs, where the page is not narrow
_BAR, _GAP, _PAD = 12, 2, 5  # pixels of a bar in a group, between bars, above and below a group


class Part(NamedTuple):
    """One colour of a chart.

    Attributes:
        name: Its meaning.
        colour: Its class in ``style.css``.
        note: An explanation.
    """

    name: str
    colour: str
    note: str = ""


class Row(NamedTuple):
    """One row of a chart.

    Attributes:
        number: The number of the pipeline in the table.
        name: Its name.
        values: One for each part; None for no value.
        note: Text in the place of bars.
    """

    number: int
    name: str
    values: Sequence[float | None]
    note: str = ""


class Curve(NamedTuple):
    """A line in a box.

    Attributes:
        number: Its number, such as that of a pipeline.
        name: Its name.
        colour: Its class in ``style.css``.
        points: Its points, x from 0 to 1.
    """

    number: int
    name: str
    colour: str
    points: Sequence[tuple[float, float]]


class _Mark(NamedTuple):
    """A part of a stacked bar, from ``start`` on; or, with ``group``, a bar with its interval."""

    colour: str
    title: str
    start: float = 0.0
    width: float = 0.0
    text: str = ""
    group: bool = False
    top: int = 0
    height: int = _BAR
    mean: float | None = None
    low: float = 0.0
    high: float = 0.0


def stacked_bars(
    rows: Sequence[Row], parts: Sequence[Part], *, shown: Callable[[float], str], whole: float | None = None
) -> Markup:
    """Draw rows of parts, one after the other.

    Args:
        rows: Top to bottom.
        parts: Left to right, in the order of the rows' values.
        shown: Writes a value.
        whole: The value of a full row; None to fit the scale to the longest row.
    """
    longest = max((sum(v or 0 for v in row.values) for row in rows), default=0)
    ticks = [whole * i / 4 for i in range(5)] if whole else round_ticks(longest)
    end = whole or ticks[-1] or 1
    body = [(row, 22, _stacked(row.values, parts, end, shown, row.name)) for row in rows]
    return macro("bars.html", "chart", parts, body, ticks, end, round_percent if whole else shown)


def stack(values: Sequence[float], parts: Sequence[Part], title: str) -> Markup:
    """Draw a row of parts for a cell of a table, without letters."""
    return macro("bars.html", "stack", _stacked(values, parts, sum(values) or 1), title)


def _stacked(
    values: Sequence[float | None],
    parts: Sequence[Part],
    end: float,
    shown: Callable[[float], str] = str,
    name: str = "",
) -> list[_Mark]:
    at, marks = 0.0, []
    for value, part in zip(values, parts, strict=True):
        if value:
            text = shown(value)
            fits = value / end > _LETTERS * (len(text) + 1)
            title = f"{name}\n{part.name}: {text}"
            marks.append(_Mark(part.colour, title, at / end, value / end, text if fits else ""))
            at += value
    return marks


def grouped_bars(rows: Sequence[Row], parts: Sequence[Part], intervals: Sequence[Sequence[Interval | None]]) -> Markup:
    """Draw for each row a group of bars on a scale from 0 to 1, each with its interval.

    Args:
        rows: Top to bottom; their values are not read.
        parts: Top to bottom within a group.
        intervals: For each row one for each part; None if there is no question.
    """
    height = len(parts) * (_BAR + _GAP) + 2 * _PAD
    body = [
        (
            row,
            height,
            [
                _bar(mean, part, _PAD + i * (_BAR + _GAP))
                for i, (mean, part) in enumerate(zip(group, parts, strict=True))
            ],
        )
        for row, group in zip(rows, intervals, strict=True)
    ]
    return macro("bars.html", "chart", parts, body, QUARTERS, 1.0, round_percent)


def reaching_bars(
    rows: Sequence[Row],
    parts: Sequence[Part],
    values: Sequence[Sequence[tuple[float, float] | None]],
    *,
    shown: Callable[[float], str],
) -> Markup:
    """Draw for each row a group of bars, each as long as a mean, with a line from there to a maximum.

    Args:
        rows: Top to bottom; their values are not read.
        parts: Top to bottom within a group; those that a row has no value of are left out of it.
        values: For each row mean and maximum of each part; None if there are none.
        shown: Writes a value.
    """
    end = round_ticks(max((most for group in values for _, most in filter(None, group)), default=0))[-1] or 1
    body = []
    for row, group in zip(rows, values, strict=True):
        own = [(part, *pair) for part, pair in zip(parts, group, strict=True) if pair is not None]
        marks = [
            _Mark(part.colour, f"{row.name}\n{part.name}: mean {shown(mean)}, maximum {shown(most)}", group=True,
                  top=_PAD + i * (_BAR + _GAP), mean=mean / end, low=mean / end, high=most / end)
            for i, (part, mean, most) in enumerate(own)
        ]  # fmt: skip
        body.append((row, len(own) * (_BAR + _GAP) + 2 * _PAD, marks))
    return macro("bars.html", "chart", parts, body, round_ticks(end), end, shown)


def _bar(mean: Interval | None, part: Part, top: int) -> _Mark:
    if mean is None:
        return _Mark(part.colour, f"{part.name}: no question", group=True, top=top)
    title = f"{part.name}: {percent(mean.mean)} %, interval {percent(mean.low)} to {percent(mean.high)}, n = {mean.n:,}"
    return _Mark(part.colour, title, group=True, top=top, mean=mean.mean, low=mean.low, high=mean.high)


def curves(
    lines: Sequence[Curve], names: tuple[str, str, str], *, width: int = 560, y_ticks: Sequence[float] = QUARTERS
) -> Markup:
    """Draw curves of shares.

    Args:
        lines: The curves.
        names: Names of the chart, of the x axis and of the y axis.
        width: Width in pixels.
        y_ticks: The values that are marked, from 0 to the end of the y axis.
    """
    left, right, top, bottom = 52, width - 18, 16, _HEIGHT - 48

    def at(x: float, y: float) -> tuple[float, float]:
        return left + x * (right - left), bottom - y / y_ticks[-1] * (bottom - top)

    drawn = [line._replace(points=[at(*point) for point in line.points]) for line in lines]
    axes = ([(at(tick, 0)[0], round_percent(tick)) for tick in QUARTERS],
            [(at(0, tick)[1], round_percent(tick)) for tick in y_ticks])  # fmt: skip
    box = {"width": width, "height": _HEIGHT, "left": left, "right": right, "top": top, "bottom": bottom}
    return macro("curves.html", "chart", box, *axes, drawn, names)


def badge(number: int) -> Markup:
    """Return the number of a pipeline as it is shown in all tables and charts."""
    return macro("parts.html", "badge", number)


def percent(value: float) -> str:
    """Return a share in percent; only exact 0 and 1 are shown as 0 and 100.

    >>> percent(0.5), percent(0.973), percent(0.9999), percent(0.0002), percent(1)
    ('50.0', '97.3', '>99.9', '<0.1', '100')
    """
    if 0 < value < 0.0005 or 0.9995 <= value < 1:
        return "<0.1" if value < 0.5 else ">99.9"
    return f"{100 * value:.0f}" if value in (0, 1) else f"{100 * value:.1f}"


def round_percent(value: float) -> str:
    """Write a round share in percent, for an axis.

    >>> round_percent(0.25), round_percent(0.925)
    ('25', '92.5')
    """
    return f"{100 * value:.3g}"


def milliseconds(value: float) -> str:
    """Write milliseconds with three digits; in seconds or minutes if they are many.

    >>> milliseconds(0.1234), milliseconds(12.34), milliseconds(1234.5), milliseconds(120_000)
    ('0.12 ms', '12.3 ms', '1.23 s', '2 min')
    """
    if value < 1:
        return f"{value:.2g} ms" if value else "0 ms"
    for limit, unit, size in ((1000, "ms", 1), (100_000, "s", 1000), (float("inf"), "min", 60_000)):
        if value < limit:
            return f"{float(f'{value / size:.3g}'):,g} {unit}"
    raise AssertionError


def megabytes(value: float) -> str:
    """Write megabytes with three digits; in gigabytes if they are many.

    >>> megabytes(0), megabytes(7.9e-05), megabytes(0.0031), megabytes(12.345), megabytes(2048)
    ('0 MB', '< 0.001 MB', '0.0031 MB', '12.3 MB', '2 GB')
    """
    if 0 < value < 0.001:
        return "< 0.001 MB"
    if value >= 1000:
        return f"{float(f'{value / 1024:.3g}'):,g} GB"
    return f"{value:.3g} MB" if value >= 1 else f"{value:.2g} MB"


def short(value: float) -> str:
    """Write a count with three digits.

    >>> short(0), short(12), short(1234), short(5_600_000)
    ('0', '12', '1.23k', '5.6M')
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def round_step(rough: float) -> float:
    """Return the least round number that is about as large as another or larger.

    >>> round_step(0.13), round_step(42)
    (0.2, 50.0)
    """
    size = 10.0 ** floor(log10(rough))
    return next(size * nice for nice in (1, 2, 2.5, 5, 10) if size * nice >= rough * 0.999)


def round_ticks(longest: float, about: int = 5) -> list[float]:
    """Return round numbers from 0 to at least ``longest``.

    >>> round_ticks(42), round_ticks(0)
    ([0.0, 10.0, 20.0, 30.0, 40.0, 50.0], [0.0])
    """
    if longest < 1e-12:
        return [0.0]
    step = round_step(longest / about)
    return [float(f"{i * step:.12g}") for i in range(ceil(longest / step - 1e-9) + 1)]
