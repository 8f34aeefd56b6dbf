"""Scatter chart of pipelines, quality against cost, with the Pareto front."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple, TypeAlias

from markupsafe import Markup

from graphbrick.study.report.charts import round_percent, round_step
from graphbrick.study.report.markup import macro

_WIDTH, _HEIGHT = 560, 370
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 18, 16, 48
_RADIUS = 8.5
_LETTER = 6.6  # pixels of a letter of a name
_LINE = 15  # pixels of a line of text
_LONGEST = 22  # letters of a name beside a point
_WIDE = 12.0  # the axis is logarithmic if largest x / smallest x is at least this
_NONE = 40  # pixels at the left of a log axis, for points with x = 0


_Box: TypeAlias = tuple[float, float, float, float]


class Point(NamedTuple):
    """A pipeline.

    Attributes:
        number: Its number in the table.
        name: Its name.
        x: Its cost, at least 0.
        y: Its quality in [0, 1].
        low: The lower end of the interval of y.
        high: The upper end.
        note: Tooltip text.
    """

    number: int
    name: str
    x: float
    y: float
    low: float
    high: float
    note: str


class Line(NamedTuple):
    """A line that joins points.

    Attributes:
        colour: Its class in ``style.css``.
        name: Tooltip text.
        points: The points, in order.
    """

    colour: str
    name: str
    points: Sequence[Point]


class Rule(NamedTuple):
    """A straight line across the chart at a share, either upright or level.

    Attributes:
        name: Its name.
        x: Place on the x axis; None for a level line.
        y: Place on the y axis; None for an upright line.
    """

    name: str
    x: float | None = None
    y: float | None = None


class _Mark(NamedTuple):
    """A point where it is drawn."""

    number: int
    x: float
    y: float
    low: float
    high: float
    best: bool
    note: str


_BOX = {
    "width": _WIDTH,
    "height": _HEIGHT,
    "left": _LEFT,
    "right": _WIDTH - _RIGHT,
    "top": _TOP,
    "bottom": _HEIGHT - _BOTTOM,
    "radius": _RADIUS,
}


class _Axis(NamedTuple):
    """The position of a value, and the values that are marked."""

    place: Callable[[float], float]
    ticks: list[float]
    log: bool


def scatter(
    points: Sequence[Point],
    *,
    x_name: str,
    y_name: str,
    shown: Callable[[float], str],
    front: bool = True,
    lines: Sequence[Line] = (),
    rule: Rule | None = None,
    x_is_share: bool = False,
) -> Markup:
    """Draw the chart; its x axis is logarithmic if the values are far apart.

    Args:
        points: In any order.
        x_name: Name of the x axis; less is better.
        y_name: Name of the y axis; more is better.
        shown: Writes an x.
        front: Whether to draw the front (`pareto`).
        lines: Lines that join some of the points.
        rule: A line across; the y axis reaches a level one.
        x_is_share: Whether the x axis is linear from 0 to 1.
    """
    x_axis = _share_axis() if x_is_share else _x_axis([point.x for point in points])
    level = [rule.y] if rule is not None and rule.y is not None else []
    y_axis = _y_axis([*(v for point in points for v in (point.low, point.high)), *level])
    best = pareto(points) if front else []
    places = {p: (x_axis.place(p.x), y_axis.place(p.y)) for p in points}
    steps = _steps([places[p] for p in best])
    marks = [
        _Mark(p.number, *places[p], y_axis.place(p.low), y_axis.place(p.high), p in best, p.note)
        for p in sorted(points, key=lambda p: -p.number)  # the first of the table is drawn last, on top
    ]
    names = [(_cut(p.name), *at) for p, at in _names(places, steps).items()]
    drawn = [(line.colour, line.name, [places[point] for point in line.points]) for line in lines]
    return macro(
        "scatter.html", "chart", _BOX, x_axis, y_axis, x_name, y_name, shown, round_percent, steps, marks, names,
        drawn, None if rule is None else _across(rule, x_axis, y_axis),
    )  # fmt: skip


def pareto(points: Sequence[Point]) -> list[Point]:
    """Return the Pareto front: the points that no other point beats.

    A point is beaten by one with more y for at most the same x, or with the same y for less x.

    >>> points = [Point(i, str(i), x, y, y, y, "") for i, (x, y) in enumerate([(1, 0.5), (2, 0.4), (3, 0.9), (3, 0.7)])]
    >>> [point.number for point in pareto(points)]
    [0, 2]
    """
    front: list[Point] = []
    for point in sorted(points, key=lambda p: (p.x, -p.y, p.number)):
        same = front and (point.x, point.y) == (front[-1].x, front[-1].y)
        if not front or point.y > front[-1].y or same:
            front.append(point)
    return front


def _x_axis(values: Sequence[float]) -> _Axis:
    above = [value for value in values if value > 0]
    if above and max(above) / min(above) >= _WIDE:
        return _log_axis(min(above), max(above), zero=len(above) < len(values))
    end = max(above, default=1.0)
    step = round_step(end / 5)
    ticks = [i * step for i in range(ceil(end / step - 1e-9) + 1)]
    width = _WIDTH - _LEFT - _RIGHT - 2 * _RADIUS

    def place(value: float) -> float:
        return _LEFT + _RADIUS + width * value / ticks[-1]

    return _Axis(place, ticks, log=False)


def _share_axis() -> _Axis:
    width = _WIDTH - _LEFT - _RIGHT - 2 * _RADIUS
    return _Axis(lambda value: _LEFT + _RADIUS + width * value, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0], log=False)


def _across(rule: Rule, x_axis: _Axis, y_axis: _Axis) -> tuple[float, float, float, float, str]:
    """Return both ends of a rule and its name."""
    if rule.x is not None:
        x = x_axis.place(rule.x)
        return x, _TOP, x, _HEIGHT - _BOTTOM, rule.name
    y = y_axis.place(rule.y or 0.0)
    return _LEFT, y, _WIDTH - _RIGHT, y, rule.name


def _log_axis(least: float, most: float, *, zero: bool) -> _Axis:
    first, last = log10(least), log10(most)
    first, last = first - 0.06 * (last - first), last + 0.06 * (last - first)
    start = _LEFT + (_NONE if zero else 0)
    width = _WIDTH - _RIGHT - start

    def place(value: float) -> float:
        return _LEFT + _NONE / 2 if value <= 0 else start + width * (log10(value) - first) / (last - first)

    steps = (1, 2, 5) if last - first < 2.5 else (1,) if last - first > 4 else (1, 3)
    powers = range(floor(first), ceil(last) + 1)
    ticks = [float(f"{digit}e{power}") for power in powers for digit in steps]
    return _Axis(place, [0.0] * zero + [t for t in ticks if first <= log10(t) <= last], log=True)


def _y_axis(values: Sequence[float]) -> _Axis:
    low, high = min(values), max(values)
    step = round_step(max(high - low, 0.02) / 5)
    start, end = max(0.0, floor(low / step) * step), min(1.0, ceil(high / step) * step)
    if end <= start:
        start, end = max(0.0, end - step), min(1.0, start + step)
    count = round((end - start) / step)
    height = _HEIGHT - _TOP - _BOTTOM

    def place(value: float) -> float:
        return _TOP + height * (1 - (value - start) / (end - start))

    return _Axis(place, [start + i * step for i in range(count + 1) if start + i * step <= end + 1e-9], log=False)


def _steps(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of the front: between two points, the cheaper one is the best available."""
    if not places:
        return []
    steps = [places[0]]
    for x, y in places[1:]:
        steps += [(x, steps[-1][1]), (x, y)]
    return [*steps, (float(_WIDTH - _RIGHT), steps[-1][1])]


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"


def _names(
    places: dict[Point, tuple[float, float]], front: Sequence[tuple[float, float]]
) -> dict[Point, tuple[float, float, str]]:
    """Find positions for names that cover no other name or point; leave out the other names."""
    r = _RADIUS + 1
    taken = [(x - r, y - r, x + r, y + r) for x, y in places.values()]
    lines = [(min(a, c), min(b, d) - 1, max(a, c), max(b, d) + 1) for (a, b), (c, d) in pairwise(front)]
    chosen: dict[Point, tuple[float, float, str]] = {}
    for point in sorted(places, key=lambda p: p.number):
        candidates = list(_candidates(*places[point], _LETTER * len(_cut(point.name))))
        free = [(box, at) for box, at in candidates if _inside(box) and not any(_overlap(box, t) for t in taken)]
        clear = [(box, at) for box, at in free if not any(_overlap(box, line) for line in lines)]
        for box, at in (clear or free)[:1]:
            taken.append(box)
            chosen[point] = at
    return chosen


def _inside(box: _Box) -> bool:
    return box[0] >= _LEFT and box[2] <= _WIDTH and box[1] >= 0 and box[3] <= _HEIGHT - _BOTTOM


def _candidates(x: float, y: float, width: float) -> Iterator[tuple[_Box, tuple[float, float, str]]]:
    away, half = _RADIUS + 4, _LINE / 2
    aside = half + _RADIUS + 1.5
    for dy in (0.0, -aside, aside):
        shift = away if dy == 0 else away / 2
        yield (x + shift, y + dy - half, x + shift + width, y + dy + half), (x + shift, y + dy + 4, "start")
        yield (x - shift - width, y + dy - half, x - shift, y + dy + half), (x - shift, y + dy + 4, "end")
    for dy in (-aside, aside):
        yield (x - width / 2, y + dy - half, x + width / 2, y + dy + half), (x, y + dy + 4, "middle")


def _overlap(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
