"""A figure with the pipelines as points: a measure with its interval against something else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphbrick.study.report.against.sweeps import Sweep
from graphbrick.study.report.charts import percent
from graphbrick.study.report.figures import PipelineFigures
from graphbrick.study.report.page import Figure
from graphbrick.study.report.scatter import Line, Point, Rule, scatter
from graphbrick.study.statistics.intervals import Interval

_COLOURS = ("extract", "rerank", "retrieve", "link", "prune")


def points_figure(
    figures: Sequence[PipelineFigures],
    across: Callable[[PipelineFigures], float | None],
    measure: str,
    *,
    title: str,
    x_name: str,
    y_name: str,
    shown: Callable[[float], str],
    front: bool = True,
    sweeps: Sequence[Sweep] = (),
    rule: Rule | None = None,
    x_is_share: bool = False,
) -> Figure | None:
    """Return the chart of the pipelines that have both figures; None if none has.

    Args:
        figures: The pipelines.
        across: Gives the x of a pipeline; None if it has none.
        measure: The measure of the y axis.
        title: Its title.
        x_name: Name of the x axis.
        y_name: Name of the y axis.
        shown: Writes an x.
        front: Whether to draw the Pareto front.
        sweeps: Sweeps, whose points are joined by a line if their x differs.
        rule: A line to draw across.
        x_is_share: Whether the x axis is a share from 0 to 1.
    """
    points = {}
    for one in figures:
        x, interval = across(one), one.means[measure].all
        if x is not None and interval is not None:
            note = _note(one, interval, y_name, shown(x), x_name)
            points[one.number] = Point(one.number, one.name, x, *_fitting(interval), note)
    if not points:
        return None
    lines = []
    for place, sweep in enumerate(sweeps):
        joined = [points[one.number] for one in sweep.figures if one.number in points]
        if len({point.x for point in joined}) > 1:
            lines.append(Line(_COLOURS[place % len(_COLOURS)], str(sweep), joined))
    left = len(figures) - len(points)
    note = f"{left} of {len(figures)} pipelines have no such figure." if left else ""
    drawn = scatter(
        list(points.values()), x_name=x_name, y_name=y_name, shown=shown, front=front, lines=lines, rule=rule,
        x_is_share=x_is_share,
    )  # fmt: skip
    return Figure(drawn, title, note)


def _fitting(interval: Interval) -> tuple[float, float, float]:
    """Return the mean and the ends of the interval, clipped to [0, 1]."""
    return interval.mean, max(0.0, interval.low), min(1.0, interval.high)


def _note(one: PipelineFigures, interval: Interval, y_name: str, x: str, x_name: str) -> str:
    lines = [f"{one.number}  {one.name}"]
    if one.run.recipe != one.name:
        lines.append(one.run.recipe)
    y = f"{percent(interval.mean)} ({percent(interval.low)} to {percent(interval.high)})"
    return "\n".join([*lines, f"{y_name}: {y}", f"{x_name}: {x}"])
