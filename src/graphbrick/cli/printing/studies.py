"""What the commands that measure pipelines print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphbrick.cli.printing.terminal import console, plain, print_json
from graphbrick.core.errors import InputError
from graphbrick.evaluate.metrics.lost import PLACES
from graphbrick.evaluate.report.answers import (
    AnswerRow,
    answers_table,
    judge_notes,
    published_notes,
    published_table,
    rows_of,
)
from graphbrick.evaluate.report.figures import PipelineFigures, read_figures
from graphbrick.evaluate.report.overview import QUALITY_GROUPS, compared
from graphbrick.evaluate.report.tables import Table as ReportTable
from graphbrick.evaluate.report.tables import columns_of
from graphbrick.evaluate.statistics.comparison import Comparison
from graphbrick.evaluate.statistics.intervals import Interval
from graphbrick.evaluate.statistics.paired import benjamini_hochberg, holm
from graphbrick.evaluate.study.identity import changed_files
from graphbrick.evaluate.study.reader import Study
from graphbrick.evaluate.study.records import StudyQuestion, StudyRun

_DECISIVE = "hits_at_1"
_QUALITY = {"hits_at_1": "Hits@1", "hit": "Hit", "f1": "F1"}
_ERRORS_SHOWN = 3


def print_study(study: Study, runs: Sequence[StudyRun], *, as_json: bool) -> None:
    """The figures of some runs of a study, best first."""
    chosen = {run.id for run in runs}
    figures = [one for one in read_figures(study, study.questions(), _DECISIVE) if one.run.id in chosen]
    if as_json:
        print_json({"study": str(study.path), "runs": [_facts(study, one) for one in figures]})
        return
    out = console()
    out.print(_quality_table(figures, "all"))
    out.print()
    if any(one.answerable < one.results for one in figures):
        out.print(_quality_table(figures, "answerable"))
        out.print()
    if any(one.judged is not None for one in figures):
        _print_answers(out, rows_of(figures))
    out.print(_cost_table(figures))
    out.print()
    out.print(_lost_table(figures))
    out.print()
    for number, one in enumerate(figures, 1):
        out.print(Text(f"{number}  {one.name}: {plain(one.run.recipe)}"), soft_wrap=True)
    for note in _notes(study, figures):
        out.print(Text(plain(f"note: {note}"), style="dim"), soft_wrap=True)
    if all(one.answerable == one.results > 0 for one in figures):
        out.print(Text("note: all of these questions are answerable in the graph", style="dim"))
    out.print(Text(plain(f"kept in {study.path}; graphbrick compare and graphbrick report read it"), style="dim"))


def failures(study: Study, runs: Sequence[StudyRun]) -> list[str]:
    """What did not work at all: pipelines that failed on every question, and a judge that failed on every answer."""
    found = []
    for run in runs:
        results = study.results(run.id)
        errors = [result.error for result in results if result.error is not None]
        if results and len(errors) == len(results):
            why, count = Counter(errors).most_common(1)[0]
            found.append(f"{run.name} failed on all of its {len(results):,} questions, {count:,} times with: {why}")
    return found + judge_failures(study, runs)


def judge_failures(study: Study, runs: Sequence[StudyRun]) -> list[str]:
    """That the judge failed whenever it was asked, and why; empty where it did not."""
    asked = [one for run in runs for one in study.judgements(run.id, words=False) if one.by == "model"]
    errors = [one.error for one in asked if one.error is not None]
    if not asked or len(errors) < len(asked):
        return []
    why, count = Counter(errors).most_common(1)[0]
    return [f"the judge failed on all of {len(asked):,} answers, {count:,} times with: {why}"]


def _quality_table(figures: Sequence[PipelineFigures], part: str) -> Table:
    """Answers, in percent with their intervals, over all questions or over those that are answerable."""
    title = f"answers, % [95 % interval], over {part} questions"
    table = Table("", "pipeline", "questions", *_QUALITY.values(), title=title, **_PLAIN)
    for number, one in enumerate(figures, 1):
        means = [_shown(getattr(one.means[name], part)) for name in _QUALITY]
        done = f"{one.results:,}" if one.results == one.run.asked else f"{one.results:,} of {one.run.asked:,}"
        asked = done if part == "all" else f"{one.answerable:,}"
        table.add_row(str(number), Text(plain(one.name)), asked, *means)
    return table


def _cost_table(figures: Sequence[PipelineFigures]) -> Table:
    """Stages, and what a question takes."""
    table = Table(
        *("", "subgraph recall", "entities", "path F1", "ms, median", "ms, 95 %", "calls", "tokens in/out", "cost"),
        title="stages, and a question on average",
        **_PLAIN,
    )
    for number, one in enumerate(figures, 1):
        about = "~" if one.used["estimated"] else ""
        table.add_row(
            str(number),
            _shown(one.means["subgraph_recall"].all),
            _number(one.averages["nodes"], "{:,.0f}"),
            _number(one.averages["path_f1"], "{:.1%}"),
            _number(one.times and one.times.median, "{:,.1f}"),
            _number(one.times and one.times.p95, "{:,.1f}"),
            f"{one.a_question('calls'):,.1f}",
            f"{about}{one.a_question('tokens_in'):,.0f}/{one.a_question('tokens_out'):,.0f}",
            f"${one.a_question('cost'):.5f}" if one.used["cost"] else "",
        )
    return table


def _lost_table(figures: Sequence[PipelineFigures]) -> Table:
    """The share of questions lost at each stage."""
    places = ("not lost", *PLACES[1:])
    table = Table("", *places, "errors", title="where answers are lost, % of questions", **_PLAIN)
    for number, one in enumerate(figures, 1):
        total = sum(one.lost.values())
        shares = [f"{100 * one.lost.get(place, 0) / total:.1f}" if total else "" for place in places]
        table.add_row(str(number), *shares, f"{one.errors:,}")
    return table


_PLAIN: dict[str, Any] = {"box": None, "pad_edge": False, "title_justify": "left", "title_style": "bold"}


def _notes(study: Study, figures: Sequence[PipelineFigures]) -> Iterator[str]:
    """What a reader should know beside the figures."""
    sessions = {session.id: session for session in study.sessions()}
    changes = changed_files(study.runs())
    for one in figures:
        if one.run.id in changes:
            before, files = changes[one.run.id]
            yield f"{one.name} is another run than {before}, because a file changed: {', '.join(files) or 'unknown'}"
        own = [sessions[number] for number in one.run.sessions]
        changed = sorted(
            {name for a in own for b in own for name in a.versions.keys() | b.versions.keys()
             if a.versions.get(name) != b.versions.get(name)}
        )  # fmt: skip
        if changed:
            yield f"{one.name} was begun with other versions of {', '.join(changed)}; --fresh begins it again"
        yield from judge_notes([one], study.judge)
        if one.errors:
            said = Counter(result.error for result in study.results(one.run.id) if result.error is not None)
            shown = "; ".join(f"{count:,} times {error}" for error, count in said.most_common(_ERRORS_SHOWN))
            yield f"{one.name} failed on {one.errors:,} questions, which score 0: {shown}"
        unscored = one.means[_DECISIVE].unscored
        if unscored:
            yield f"{unscored:,} questions of {one.name} cannot be scored: no gold answers, or no generate stage"


def print_judged(study: Study, *, as_json: bool) -> None:
    """How good the answers of a study are, by every measure, and what the judge took."""
    figures = read_figures(study, study.questions(), _DECISIVE)
    if as_json:
        print_json({"study": str(study.path), "judge": study.judge, "runs": [_facts(study, one) for one in figures]})
        return
    out = console()
    _print_answers(out, rows_of(figures))
    for note in judge_notes(figures, study.judge) or ["there is no answer that could be judged"]:
        out.print(Text(plain(f"note: {note}"), style="dim"), soft_wrap=True)


def _print_answers(out: Console, rows: Sequence[AnswerRow], by: str = "") -> None:
    """Every measure of answers, over all questions and then over those that are answerable."""
    table = answers_table(rows, by=by)
    if table is None:
        return
    same = all(row.answers.answerable == row.answers.questions for row in rows)
    for group in QUALITY_GROUPS[:1] if same else QUALITY_GROUPS:
        part = columns_of(table, lambda column, group=group: column.group in ("", group))  # type: ignore[misc]
        out.print(_rich(part, f"measures of answers over {group}"))
        out.print()


def _rich(table: ReportTable, title: str) -> Table:
    """A table of a report for the terminal."""
    shown = Table(title=title, **_PLAIN)
    for column in table.columns:
        shown.add_column(f"{column.title} ({column.small})" if column.small else column.title,
                         justify="left" if column.text else "right")  # fmt: skip
    for row in table.rows:
        cells = [f"{cell.text} ({cell.small})" if cell.small else cell.text for cell in row]
        shown.add_row(*(Text(plain(text), style="bold" if cell.strong else "")
                        for text, cell in zip(cells, row, strict=True)))  # fmt: skip
    return shown


def print_comparison(
    study: Study, *, baseline: str | None, metric: str, by: str | None, published: bool, as_json: bool
) -> None:
    """Pipelines compared pair by pair, over all questions or for each group of them."""
    runs, questions = study.runs(), study.questions()
    name = _name_of(runs, baseline)
    if len(runs) < 2:
        raise InputError("there are not two pipelines to compare; evaluate another one into this study", study.path)
    groups = {"": questions} | (_groups(questions, by) if by is not None else {})
    figures = {group: read_figures(study, some, metric) for group, some in groups.items()}
    rows = [(group, row) for group, some in figures.items() for row in compared(some, baseline=name)]
    rows = _corrected(rows)
    if as_json:
        print_json(
            {
                "metric": metric,
                "by": by,
                "pipelines": [
                    {"group": group} | _means(one, metric) for group, some in figures.items() for one in some
                ],
                "answers": [{"group": group} | _answers(one) for group, some in figures.items() for one in some],
                "comparisons": [
                    {"group": group} | row._asdict() | {"difference": row.difference._asdict()} for group, row in rows
                ],
            }
        )
        return
    out = console()
    out.print(_means_table(figures, metric, by))
    out.print()
    shown = [row for group, some in figures.items() for row in rows_of(some, group or "all" * bool(by))]
    _print_answers(out, shown, by or "")
    if published:
        _print_published(out, figures[""])
    out.print(_comparison_table(rows, metric, by))
    out.print(Text(f"Corrected for all {len(rows)} comparisons of this table.", style="dim"))


def _print_published(out: Console, figures: Sequence[PipelineFigures]) -> None:
    """The scores as others count them, and what they count wrongly."""
    table = published_table(figures)
    if table is None:
        out.print("The study has no scores as published; it was made by an older version, or has no answers.")
        return
    for group in dict.fromkeys(column.group for column in table.columns if column.group.startswith("as")):
        part = columns_of(table, lambda column, group=group: column.group in ("", "here", group))  # type: ignore[misc]
        out.print(_rich(part, f"answers {group}, over all questions"))
        out.print()
    for note in published_notes():
        out.print(Text(plain(f"note: {note}"), style="dim"), soft_wrap=True)
    out.print()


def _means_table(figures: dict[str, list[PipelineFigures]], metric: str, by: str | None) -> Table:
    table = Table(
        *([by] if by else []), "pipeline", "questions", metric, "answerable", metric,
        title=f"{metric}, % [95 % interval]", **_PLAIN,
    )  # fmt: skip
    for group, some in figures.items():
        for one in some:
            mean = one.means[metric]
            cells = [plain(one.name), f"{one.results:,}", _shown(mean.all)]
            cells += [f"{one.answerable:,}", _shown(mean.answerable)]
            table.add_row(*([Text(plain(group or "all"))] if by else []), *map(Text, cells))
    return table


def _comparison_table(rows: Sequence[tuple[str, Comparison]], metric: str, by: str | None) -> Table:
    table = Table(
        *([by] if by else []), "pipeline", "against", "questions", "difference", "better", "worse", "p", "Holm", "B-H",
        "test", title=f"differences of {metric}, points [95 % interval]", **_PLAIN,
    )  # fmt: skip
    for group, row in rows:
        found = row.difference
        cells = [plain(row.first), plain(row.second), f"{found.n:,}", _shown(found, signed=True), f"{row.better:,}"]
        cells += [f"{row.worse:,}", *(_p(value) for value in (row.p, row.p_holm, row.p_bh)), row.test]
        table.add_row(*([Text(plain(group or "all"))] if by else []), *map(Text, cells))
    return table


def _groups(questions: Sequence[StudyQuestion], by: str) -> dict[str, list[StudyQuestion]]:
    """The questions by group, in natural order; ``unknown`` for those without one."""
    known = {"hops", "dataset", "distance", *(fact for question in questions for fact in question.facts)}
    if by not in known:
        raise InputError(f"questions cannot be grouped by {by!r}; there is {', '.join(sorted(known))}")
    groups: dict[str, list[StudyQuestion]] = {}
    for question in questions:
        groups.setdefault(question.group(by) or "unknown", []).append(question)
    order = sorted(groups, key=lambda name: (not name.isdecimal(), int(name) if name.isdecimal() else 0, name))
    return {name: groups[name] for name in order}


def _corrected(rows: Sequence[tuple[str, Comparison]]) -> list[tuple[str, Comparison]]:
    """The same with p-values corrected for the comparisons of all groups."""
    p_values = [row.p for _, row in rows]
    corrected = zip(rows, holm(p_values), benjamini_hochberg(p_values), strict=True)
    return [(group, row._replace(p_holm=p_holm, p_bh=p_bh)) for (group, row), p_holm, p_bh in corrected]


def _name_of(runs: Sequence[StudyRun], baseline: str | None) -> str | None:
    """The pipeline that a name, a number or a recipe text means."""
    if baseline is None:
        return None
    for run in runs:
        if baseline in (run.name, run.recipe, str(run.id)):
            return run.name
    names = ", ".join(repr(run.name) for run in runs) or "none"
    raise InputError(f"the baseline must be a pipeline of the study, got {baseline!r}; there is {names}")


def _facts(study: Study, one: PipelineFigures) -> dict[str, Any]:
    """The figures of a run as plain JSON types."""
    return {
        "run": one.run.id,
        "name": one.name,
        "recipe": one.run.recipe,
        "graph": {"path": one.run.graph_path, "hash": one.run.graph_hash},
        "linked": one.run.linked,
        "asked": one.run.asked,
        "done": one.results,
        "answerable": one.answerable,
        "errors": one.errors,
        "means": {name: _means(one, name) for name in one.means},
        "answers": _answers(one)["measures"],
        "judged": None if one.judged is None else one.judged._asdict(),
        "averages": dict(one.averages),
        "milliseconds": None if one.times is None else one.times._asdict(),
        "used": {name: one.a_question(name) for name in one.used},
        "lost": dict(one.lost),
        "notes": list(_notes(study, [one])),
    }


def _answers(one: PipelineFigures) -> dict[str, Any]:
    """All measures of answers, also as published, over all questions and those that are answerable."""
    return {"pipeline": one.name, "measures": {name: mean._asdict() for name, mean in one.answers.means.items()}}


def _means(one: PipelineFigures, metric: str) -> dict[str, Any]:
    summary = one.means[metric]
    parts = {"all": summary.all, "answerable": summary.answerable}
    return {
        "pipeline": one.name,
        "unscored": summary.unscored,
        **{name: None if part is None else part._asdict() for name, part in parts.items()},
    }


def _shown(found: Interval | None, *, signed: bool = False) -> str:
    """A mean with its interval, in percent."""
    if found is None:
        return ""
    sign = "+" if signed else ""
    return f"{100 * found.mean:{sign}.1f} [{100 * found.low:{sign}.1f}, {100 * found.high:{sign}.1f}]"


def _number(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)


def _p(value: float) -> str:
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"
