"""The sections of a study's page: pipelines, answers, comparisons, charts and questions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup

from graphbrick.questions.question import natural_order
from graphbrick.study.report.against.sections import cost_section, size_section
from graphbrick.study.report.answers import (
    answers_table,
    judge_notes,
    judges_table,
    published_notes,
    published_table,
    rows_by_hops,
    rows_of,
)
from graphbrick.study.report.browser import Listing
from graphbrick.study.report.charts import Part, Row, grouped_bars, milliseconds, percent, stacked_bars
from graphbrick.study.report.confidence import confidence_section
from graphbrick.study.report.costs.memory import memory_section
from graphbrick.study.report.costs.spent import spent_table
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
from graphbrick.study.report.papers.sections import paper_sections
from graphbrick.study.report.stage_tables import task_tables
from graphbrick.study.report.tables import table_html
from graphbrick.study.statistics.comparison import Comparison
from graphbrick.study.statistics.intervals import Interval

_PAIRS = 15  # comparisons that are shown at once, at most
_INVISIBLE = 100  # times as long: a bar beside another that is hardly seen
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
    sections += paper_sections(results.papers, results.questions)
    sections += _answers(figures, results)
    sections += [
        Section(task.key, task.title, [task.note], [table_figure(task.table)]) for task in task_tables({"": figures})
    ]
    if results.comparisons:
        sections.append(_pairs(results.comparisons, figures, results.metric))
    confidence = confidence_section(figures)
    sections += [] if confidence is None else [confidence]
    sections += _charts(figures, results.metric, results.by, results.min_recall)
    return [*sections, *([_browser(listing)] if listing.questions else [])]


def _answers(figures: Sequence[PipelineFigures], results: Results) -> list[Section]:
    """Return the section with every measure of answers; none if no pipeline answers."""
    table, judge = answers_table(rows_of(figures)), results.judge
    if table is None:
        return []
    note = "Every measure of the answers by text, in percent; a question without an answer counts 0."
    if judge is not None:
        note += (
            " In Judge@1 a verdict that could not be read counts 0. Answers on which the judge failed are left out; "
            "the number of the others is then beside the share."
        )
    shown = [Figure(table_html(table) + paragraphs(judge_notes(figures, judge)))]
    judges = judges_table(results.agreements)
    if judges is not None:
        shown.append(table_figure(judges, "How far the judges agree", f"Beside {judge}, the judge of the study."))
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


def _charts(
    figures: Sequence[PipelineFigures], decisive: str, by: str | None, min_recall: float | None
) -> list[Section]:
    """Return the sections with charts; none if no question is done."""
    done = [one for one in figures if one.results]
    if not done:
        return []
    sections = [cost_section(done, decisive), size_section(done, decisive, min_recall), _stages(done)]
    sections.append(memory_section(done))
    sections += [_by(done, group, decisive) for group in groups_shown(by)]
    return [section for section in (*sections, _lost(done)) if section is not None]


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
    gaps = [(b / a, b) for a, b in pairwise(times) if a > 0]
    limit = next((b for gap, b in gaps if gap > 8), None)
    if limit is None and gaps and times[-1] > _INVISIBLE * min(one for one in times if one > 0):
        limit = max(gaps)[1]  # many small gaps: cut at the largest
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
    spent = spent_table(figures, by)
    if spent is not None:
        shown.append(table_figure(spent, "Time, calls and tokens", folded=True))
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
