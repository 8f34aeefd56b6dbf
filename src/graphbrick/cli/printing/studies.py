"""Terminal output of the commands about studies: `evaluate`, `judge`, `compare` and `report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphbrick.cli.printing.terminal import console, note, plain, print_json, table
from graphbrick.study.report.answers import (
    AnswerRow,
    answers_table,
    judge_notes,
    judges_table,
    published_notes,
    published_table,
    rows_of,
)
from graphbrick.study.report.confidence import confidence_table
from graphbrick.study.report.costs.spent import spent_table
from graphbrick.study.report.figures import PipelineFigures
from graphbrick.study.report.overview import QUALITY_GROUPS, measure_name, strata_table
from graphbrick.study.report.papers.sections import left_out, paper_tables
from graphbrick.study.report.stage_tables import task_tables
from graphbrick.study.report.summary import StudyComparison, StudySummary
from graphbrick.study.report.tables import Table as ReportTable
from graphbrick.study.report.tables import columns_of
from graphbrick.study.runs.lost import PLACES
from graphbrick.study.runs.scoring import SIZES
from graphbrick.study.statistics.intervals import Interval

_QUALITY = {"hits_at_1": "Hits@1", "hit": "Hit", "f1": "F1"}
_SECOND = (
    "a test needs a second pipeline: graphbrick evaluate adds one to this study with another --pipeline or --recipe"
)


def print_summary(summary: StudySummary, *, metric: str = "hits_at_1", as_json: bool = False) -> None:
    """Print the figures of a study, best first, with remarks."""
    if as_json:
        print_json(summary.to_dict())
        return
    out, figures = console(), summary.figures
    tables = [_quality_table(figures, "all")]
    if any(one.answerable < one.results for one in figures):
        tables.append(_quality_table(figures, "answerable"))
    if summary.by is not None:
        groups = strata_table(figures, summary.by, metric, least=1)
        if groups is not None:
            tables.append(rich_table(groups, f"{measure_name(metric)} by {summary.by}, % (95 % interval)"))
        spent = spent_table(figures, summary.by)
        if spent is not None:
            tables.append(rich_table(spent, f"time and cost of a question by {summary.by}"))
    for part in tables:
        out.print(part, "", sep="\n")
    if any(one.judged is not None for one in figures):
        _print_answers(out, rows_of(figures))
        _print_judges(out, summary)
    _print_tasks(out, {"": figures})
    confidence = confidence_table(figures)
    if confidence is not None:
        out.print(rich_table(confidence, "confidence in the first answers, %"), "", sep="\n")
    out.print(_cost_table(figures), "", _lost_table(figures), "", sep="\n")
    _print_papers(out, summary)
    for one in figures:
        out.print(Text(f"{one.number}  {one.name}: {plain(one.run.recipe)}"), soft_wrap=True)
    if summary.left_out:
        note(out, f"note: left out, because their mean subgraph recall is too low: {', '.join(summary.left_out)}")
    for one in figures:
        for text in summary.notes[one.run.id]:
            note(out, f"note: {text}")
    if all(one.answerable == one.results > 0 for one in figures):
        note(out, "note: all of these questions are answerable in the graph")
    note(out, f"kept in {summary.path}; graphbrick compare and graphbrick report read it")


def print_judged(summary: StudySummary, *, as_json: bool) -> None:
    """Print every measure of the answers, and the cost of the judge."""
    if as_json:
        print_json(summary.to_dict())
        return
    out = console()
    _print_answers(out, rows_of(summary.figures))
    for text in judge_notes(summary.figures, summary.judge) or ["there is no answer that could be judged"]:
        note(out, f"note: {text}")
    _print_judges(out, summary)


def _print_judges(out: Console, summary: StudySummary) -> None:
    """Print how far the judges of a study agree."""
    judges = judges_table(summary.agreements)
    if judges is not None:
        out.print(rich_table(judges, judges.caption), "", sep="\n")


def _print_papers(out: Console, summary: StudySummary) -> None:
    """Print the tables of papers, with their notes, and why others are not there."""
    for title, text, shown in paper_tables(summary.papers, summary.questions):
        out.print(rich_table(shown, title))
        if text:
            note(out, f"note: {text}")
        out.print()
    for line in left_out(summary.papers, summary.questions):
        note(out, f"note: {line}")


def print_comparison(comparison: StudyComparison, *, published: bool = False, as_json: bool = False) -> None:
    """Print pipelines compared pair by pair, over all questions or for each group of them."""
    if as_json:
        print_json(comparison.to_dict())
        return
    out, by = console(), comparison.by
    out.print(_means_table(comparison), "", sep="\n")
    rows = [row for group, figures in comparison.figures.items() for row in rows_of(figures, group or "all" * bool(by))]
    _print_answers(out, rows, by or "")
    _print_tasks(out, comparison.figures, by or "")
    spent = None if by is None else spent_table(comparison.figures[""], by)
    if spent is not None:
        out.print(rich_table(spent, f"time and cost of a question by {by}"), "", sep="\n")
    if published:
        _print_published(out, comparison.figures[""])
    print_tests(out, comparison)
    for text in comparison.notes:
        note(out, f"note: {text}")


def print_tests(out: Console, comparison: StudyComparison) -> None:
    """Print the paired tests of a comparison; for one pipeline say what is missing."""
    if not comparison.rows:
        alone = len(comparison.figures[""]) < 2
        note(out, _SECOND if alone else "no two pipelines on one graph were scored on the same question yet")
        return
    out.print(_tests_table(comparison))
    note(out, f"Corrected for all {len(comparison.rows)} comparisons of this table.")


def _quality_table(figures: Sequence[PipelineFigures], part: str) -> Table:
    """Make the table of answers over all questions, or over those that are answerable."""
    title = f"answers, % [95 % interval], over {part} questions"
    rows = table("", "pipeline", "questions", *_QUALITY.values(), title=title)
    for one in figures:
        means = [_interval(getattr(one.means[name], part)) for name in _QUALITY]
        done = f"{one.results:,}" if one.results == one.run.questions else f"{one.results:,} of {one.run.questions:,}"
        rows.add_row(str(one.number), Text(plain(one.name)), done if part == "all" else f"{one.answerable:,}", *means)
    return rows


def _cost_table(figures: Sequence[PipelineFigures]) -> Table:
    """Make the table of stages and of the average cost of a question."""
    titles = (
        *("subgraph recall", "entities", "path F1", "ms, median", "ms, 95 %"),
        *("calls", "LLM tokens in/out", "embedding tokens", "cost"),
    )
    rows = table("", *titles, title="stages, and a question on average")
    for one in figures:
        tokens_in = "tokens_in" if one.llm_tokens is None else "llm_tokens_in"
        about = "~" if one.used["estimated"] else ""
        rows.add_row(
            str(one.number),
            _interval(one.means["subgraph_recall"].all),
            _number(one.averages["nodes"], "{:,.0f}"),
            _number(one.averages["path_f1"], "{:.1%}"),
            _number(one.times and one.times.median, "{:,.1f}"),
            _number(one.times and one.times.p95, "{:,.1f}"),
            f"{one.a_question('calls'):,.1f}",
            f"{about}{one.a_question(tokens_in):,.0f}/{one.a_question('tokens_out'):,.0f}",
            _number(one.embedding_tokens, "{:,.0f}") or "not split",
            f"${one.a_question('cost'):.5f}" if one.used["cost"] else "",
        )
    return rows


def _lost_table(figures: Sequence[PipelineFigures]) -> Table:
    """Make the table of the share of questions lost at each stage."""
    places = ("not lost", *PLACES[1:])
    rows = table("", *places, "errors", title="where answers are lost, % of questions")
    for one in figures:
        total = sum(one.lost.values())
        shares = [f"{100 * one.lost.get(place, 0) / total:.1f}" if total else "" for place in places]
        rows.add_row(str(one.number), *shares, f"{one.errors:,}")
    return rows


def _print_answers(out: Console, rows: Sequence[AnswerRow], by: str = "") -> None:
    """Print every measure of answers, over all questions and then over those that are answerable."""
    answers = answers_table(rows, by=by)
    if answers is None:
        return
    same = all(row.answers.answerable == row.answers.questions for row in rows)
    for group in QUALITY_GROUPS[:1] if same else QUALITY_GROUPS:
        part = columns_of(answers, lambda column, group=group: column.group in ("", group))  # type: ignore[misc]
        out.print(rich_table(part, f"measures of answers over {group}"), "", sep="\n")


def _print_tasks(out: Console, groups: Mapping[str, Sequence[PipelineFigures]], by: str = "") -> None:
    """Print how well the pipelines found seeds or wrote queries, if they did."""
    for task in task_tables(groups, by=by):
        out.print(rich_table(task.table, task.unit), "", sep="\n")


def _print_published(out: Console, figures: Sequence[PipelineFigures]) -> None:
    """Print the scores of answers as others count them, and their mistakes."""
    scores = published_table(figures)
    if scores is None:
        out.print("The study has no scores as published; it was made by an older version, or has no answers.")
        return
    for group in dict.fromkeys(column.group for column in scores.columns if column.group.startswith("as")):
        part = columns_of(scores, lambda column, group=group: column.group in ("", "here", group))  # type: ignore[misc]
        out.print(rich_table(part, f"answers {group}, over all questions"), "", sep="\n")
    for line in published_notes():
        note(out, f"note: {line}")
    out.print()


def rich_table(shown: ReportTable, title: str) -> Table:
    """Turn a table of a report into one for the terminal."""
    rows = table(title=title)
    titles = [column.title for column in shown.columns]
    for column in shown.columns:
        own = column.title if titles.count(column.title) == 1 or not column.group else f"{column.group}: {column.title}"
        heading = f"{own} ({column.small})" if column.small else own
        rows.add_column(heading, justify="left" if column.text else "right")
    for row in shown.rows:
        cells = [(f"{cell.text} ({cell.small})" if cell.small else cell.text, cell.strong) for cell in row]
        rows.add_row(*(Text(plain(text), style="bold" if strong else "") for text, strong in cells))
    return rows


def _means_table(comparison: StudyComparison) -> Table:
    by, metric = comparison.by, comparison.metric
    titles = ([by] if by else []) + ["pipeline", "questions", metric, "answerable", metric]
    is_size = metric in SIZES
    rows = table(*titles, title=f"{metric}{'' if is_size else ', %'} [95 % interval]")
    for group, figures in comparison.figures.items():
        for one in figures:
            mean = one.means[metric]
            cells = [plain(one.name), f"{one.results:,}", _interval(mean.all, is_size=is_size)]
            cells += [f"{one.answerable:,}", _interval(mean.answerable, is_size=is_size)]
            rows.add_row(*([Text(plain(group or "all"))] if by else []), *map(Text, cells))
    return rows


def _tests_table(comparison: StudyComparison) -> Table:
    by = comparison.by
    titles = ("pipeline", "against", "questions", "difference", "better", "worse", "p", "Holm", "B-H", "test")
    is_size = comparison.metric in SIZES
    title = f"differences of {comparison.metric}{'' if is_size else ', points'} [95 % interval]"
    rows = table(*([by] if by else []), *titles, title=title)
    for group, row in comparison.rows:
        difference = _interval(row.difference, signed=True, is_size=is_size)
        cells = [plain(row.first), plain(row.second), f"{row.difference.n:,}", difference]
        cells += [f"{row.better:,}", f"{row.worse:,}", *map(row.shown, (row.p, row.p_holm, row.p_bh)), row.test]
        rows.add_row(*([Text(plain(group or "all"))] if by else []), *map(Text, cells))
    return rows


def _interval(mean: Interval | None, *, signed: bool = False, is_size: bool = False) -> str:
    """Write a mean with its interval, in percent unless it is a size."""
    if mean is None:
        return ""
    form, scale = f"{'+' if signed else ''}{',' if is_size else ''}.1f", 1 if is_size else 100
    return f"{scale * mean.mean:{form}} [{scale * mean.low:{form}}, {scale * mean.high:{form}}]"


def _number(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)
