"""The sections of a study's page: pipelines, answers, comparisons, charts and questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from markupsafe import Markup

from graphbrick.questions.question import natural_order
from graphbrick.study.report.answers import (
    answers_table,
    judge_notes,
    published_notes,
    published_table,
    rows_by_hops,
    rows_of,
)
from graphbrick.study.report.browser import Listing
from graphbrick.study.report.charts import Part, Row, grouped_bars, milliseconds, percent, short, stacked_bars
from graphbrick.study.report.confidence import confidence_section
from graphbrick.study.report.figures import STRATA, PipelineFigures
from graphbrick.study.report.markup import macro
from graphbrick.study.report.overview import (
    STAGES,
    Results,
    comparison_table,
    group_name,
    groups_shown,
    lost_parts,
    measure_name,
    pipelines_table,
    strata_table,
)
from graphbrick.study.report.page import Figure, Section, paragraphs, table_figure
from graphbrick.study.report.scatter import Point, scatter
from graphbrick.study.report.stage_tables import task_tables
from graphbrick.study.report.tables import table_html
from graphbrick.study.statistics.comparison import Comparison
from graphbrick.study.statistics.intervals import Interval

_PAIRS = 15  # comparisons that are shown at once, at most
_GROUPS = 5  # colours that can be told apart in a group
_TOGETHER = ("h1", "h2", "h3", "h4", "h5")
_APART = ("extract", "rerank", "retrieve", "link", "prune")


def sections_of(results: Results, listing: Listing) -> list[Section]:
    """Return the sections of the page but the last, which says how the study was run."""
    figures = results.figures
    if not figures:
        return [Section("pipelines", "Pipelines", ["This study has no runs yet; graphbrick evaluate adds them."])]
    note = (
        "Figures in percent are means with 95 % intervals. A question where a pipeline failed or gave no answer "
        "counts 0; the best of a column is bold. A heading sorts the table."
    )
    sections = [Section("pipelines", "Pipelines", [note], [table_figure(pipelines_table(figures))])]
    sections += _answers(figures, results.judge)
    sections += [
        Section(task.key, task.title, [task.note], [table_figure(task.table)]) for task in task_tables({"": figures})
    ]
    if results.comparisons:
        sections.append(_pairs(results.comparisons, figures, results.metric))
    confidence = confidence_section(figures)
    sections += [] if confidence is None else [confidence]
    sections += _charts(figures, results.metric, results.by)
    return [*sections, *([_browser(listing)] if listing.questions else [])]


def _answers(figures: Sequence[PipelineFigures], judge: str | None) -> list[Section]:
    """Return the section with every measure of answers; none if no pipeline answers."""
    table = answers_table(rows_of(figures))
    if table is None:
        return []
    note = "Every measure of the answers by text, in percent; a question without an answer counts 0."
    if judge is not None:
        note += (
            " In Judge@1 a verdict that could not be read counts 0. Answers on which the judge failed are left out; "
            "the number of the others is then beside the share."
        )
    shown = [Figure(table_html(table) + paragraphs(judge_notes(figures, judge)))]
    by_hops, others = answers_table(rows_by_hops(figures), by="hops"), published_table(figures)
    if by_hops is not None:
        shown.append(table_figure(by_hops, "By hops", folded=True))
    if others is not None:
        content = macro("parts.html", "scorers", published_notes()) + table_html(others)
        shown.append(Figure(content, "As others publish such figures", folded=True))
    return [Section("answers", "Answers", [note], shown)]


def _pairs(comparisons: Sequence[Comparison], figures: Sequence[PipelineFigures], decisive: str) -> Section:
    """Return the section of comparisons.

    If there are many, only those with the best pipeline are unfolded.
    """
    count = len(comparisons)
    note = (
        f"Pairs of pipelines on the questions that both are done with, by {measure_name(decisive)}. Bold: p below "
        f"0.05 after Holm's correction for {count} comparison{'s' * (count > 1)}."
    )
    best = figures[0].name
    many = count > _PAIRS
    first = [row for row in comparisons if not many or best in (row.first, row.second)]
    others = [row for row in comparisons if many and best not in (row.first, row.second)]
    shown = [table_figure(comparison_table(first, figures, decisive))] if first else []
    if others:
        table = comparison_table(others, figures, decisive)._replace(name="comparison-others")
        title = Markup("{} pairs without {}").format(len(others), macro("parts.html", "label", best))
        shown.append(table_figure(table, title, folded=True))
    return Section("comparison", "Comparison", [note], shown)


def _browser(listing: Listing) -> Section:
    total, detailed = len(listing.questions), len(listing.detailed)
    note = "Every question with what came of it; press one for its gold answers, paths and answers."
    if detailed < total:
        note += (
            f" Answers and paths of {detailed:,} of {total:,} questions, evenly spread, are in this page; the "
            f"other {total - detailed:,} are listed with their scores alone. graphbrick report --details all takes all."
        )
    return Section("questions", "Questions", [note])


def _charts(figures: Sequence[PipelineFigures], decisive: str, by: str | None) -> list[Section]:
    """Return the sections with charts; none if no question is done."""
    done = [one for one in figures if one.results]
    if not done:
        return []
    sections = [_cost(done, decisive), _size(done), _stages(done)]
    sections += [_by(done, group, decisive) for group in groups_shown(by)]
    return [section for section in (*sections, _lost(done)) if section is not None]


def _cost(figures: Sequence[PipelineFigures], decisive: str) -> Section:
    name = f"{measure_name(decisive)}, %"
    time = _scatter(
        figures, lambda one: one.times.median if one.times else None, decisive,
        title=f"{measure_name(decisive)} against time", x_name="time a question, median", y_name=name,
        shown=milliseconds,
    )  # fmt: skip
    tokens = None
    if any(_tokens(one) for one in figures):
        tokens = _scatter(
            figures, _tokens, decisive, title=f"{measure_name(decisive)} against tokens",
            x_name="tokens a question, read and written", y_name=name, shown=short,
        )  # fmt: skip
    note = (
        "Over all questions, with 95 % intervals. Filled points are on the Pareto front: no other pipeline is better "
        "at the same cost or less. Point at one for its recipe."
    )
    if tokens is None:
        note += " No pipeline called a language model: no tokens were used."
    shown = [chart for chart in (time, tokens) if chart is not None]
    return Section("cost", "Quality against cost", [note], shown, pair=True)


def _size(figures: Sequence[PipelineFigures]) -> Section | None:
    charts = [
        _scatter(
            figures, lambda one: one.averages["nodes"], measure, title=f"{title} against subgraph size",
            x_name="entities of the subgraph, mean",
            y_name=f"{title}, %", shown=short, front=False,
        )
        for measure, title in (("subgraph_recall", "Subgraph recall"), ("f1", "F1 of the answers"))
    ]  # fmt: skip
    shown = [chart for chart in charts if chart is not None]
    if not shown:
        return None
    note = "Whether larger subgraphs hold more of the gold answers, and whether that helps the answers in the end."
    return Section("size", "Subgraph size", [note], shown, pair=True)


def _scatter(
    figures: Sequence[PipelineFigures],
    cost: Callable[[PipelineFigures], float | None],
    measure: str,
    *,
    title: str,
    x_name: str,
    y_name: str,
    shown: Callable[[float], str],
    front: bool = True,
) -> Figure | None:
    """Return the chart of the pipelines that have both figures; None if none has."""
    points = []
    for one in figures:
        x, interval = cost(one), one.means[measure].all
        if x is not None and interval is not None:
            note = _note(one, interval, y_name, shown(x), x_name)
            points.append(Point(one.number, one.name, x, *_fitting(interval), note))
    if not points:
        return None
    left = len(figures) - len(points)
    note = f"{left} of {len(figures)} pipelines have no such figure." if left else ""
    return Figure(scatter(points, x_name=x_name, y_name=y_name, shown=shown, front=front), title, note)


def _fitting(interval: Interval) -> tuple[float, float, float]:
    """Return the mean and the ends of the interval, clipped to [0, 1]."""
    return interval.mean, max(0.0, interval.low), min(1.0, interval.high)


def _note(one: PipelineFigures, interval: Interval, y_name: str, x: str, x_name: str) -> str:
    lines = [f"{one.number}  {one.name}"]
    if one.run.recipe != one.name:
        lines.append(one.run.recipe)
    y = f"{percent(interval.mean)} ({percent(interval.low)} to {percent(interval.high)})"
    return "\n".join([*lines, f"{y_name}: {y}", f"{x_name}: {x}"])


def _tokens(one: PipelineFigures) -> float:
    return one.a_question("tokens_in") + one.a_question("tokens_out")


def _stages(figures: Sequence[PipelineFigures]) -> Section:
    known = {part.name for part in STAGES}
    parts = [part for part in STAGES if any(one.times and part.name in one.times.stages for one in figures)]
    other = {kind for one in figures if one.times for kind in one.times.stages} - known
    parts += [Part(kind, "union") for kind in sorted(other)]
    rows = []
    for one in figures:
        stages = one.times.stages if one.times else {}
        rows.append(Row(one.number, one.name, [stages.get(part.name) for part in parts]))
    times = sorted(sum(v or 0 for v in row.values) for row in rows)
    note = "The mean time of a question. What pipelines compute together is counted for each of them."
    return Section("stages", "Time by stage", [note], _by_scale(rows, parts, times))


def _by_scale(rows: Sequence[Row], parts: Sequence[Part], times: Sequence[float]) -> list[Figure]:
    """Return one chart, or two if the fast pipelines would be invisible beside the slow ones."""
    limit = next((b for a, b in pairwise(times) if a > 0 and b / a > 8), None)
    if limit is None:
        return [Figure(stacked_bars(rows, parts, shown=milliseconds))]
    fast = [row for row in rows if sum(v or 0 for v in row.values) < limit]
    slow = [row for row in rows if sum(v or 0 for v in row.values) >= limit]
    titles = (("The slower ones", slow), ("The faster ones, on a scale of their own", fast))
    return [Figure(stacked_bars(part, parts, shown=milliseconds), title) for title, part in titles]


def _by(figures: Sequence[PipelineFigures], by: str, decisive: str) -> Section | None:
    """Return the section with groups of bars; None if all questions are in one group."""
    counts: dict[str, int] = {}
    for one in figures:
        for name, summary in one.by[by].items():
            counts[name] = max(counts.get(name, 0), summary.questions)
    if len(counts) < 2:
        return None
    largest = set(sorted(counts, key=lambda name: -counts[name])[:_GROUPS])
    names = sorted((name for name in counts if name in largest), key=natural_order)
    parts = []
    for name, colour in zip(names, _TOGETHER if by == "hops" else _APART, strict=False):
        unit = "" if by not in ("hops", "distance") else " hop" if name == "1" else " hops"
        title = f"{name}{unit}" if name else "unknown"
        parts.append(Part(f"{title} ({counts[name]:,})", "union" if not name else colour))
    rows, intervals = [], list[list[Interval | None]]()
    for one in figures:
        rows.append(Row(one.number, one.name, ()))
        summaries = [one.by[by].get(name) for name in names]
        intervals.append([None if summary is None else summary.all for summary in summaries])
    note = f"{measure_name(decisive)} in percent over all questions, with 95 % intervals."
    if len(counts) > len(names):
        note += f" The {len(names)} largest of {len(counts)} groups; the table has all."
    table = strata_table(figures, by, decisive)
    shown = [Figure(grouped_bars(rows, parts, intervals))]
    if table is not None:
        shown.append(table_figure(table, "As a table", folded=True))
    key = by if by in STRATA else "group"  # facts have any name
    return Section(key, f"Results by {group_name(by)}", [note], shown)


def _lost(figures: Sequence[PipelineFigures]) -> Section | None:
    parts = lost_parts(figures)
    if not parts:
        return None
    rows = []
    for one in figures:
        total = sum(one.lost.values())
        values = [one.lost.get(part.name, 0) / total if total else None for part in parts]
        rows.append(Row(one.number, one.name, values, "" if total else "no question with gold answers"))
    terms = Markup("").join(Markup("<b>{}</b>: {}. ").format(part.name, part.note) for part in parts if part.note)
    note = Markup("Of the questions with gold answers, in percent. ") + terms
    shown = [Figure(stacked_bars(rows, parts, shown=percent, whole=1.0))]
    return Section("lost", "Where questions are lost", [note], shown)
