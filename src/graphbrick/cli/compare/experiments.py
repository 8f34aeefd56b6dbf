"""Experiment files on the command line: what they are, what they take, and carrying them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import typer

from graphbrick.cli.llm import limits

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.study.experiments.forecast import Forecast
    from graphbrick.study.experiments.places import Places
    from graphbrick.study.experiments.plan import Experiment

_UNITS = {"seconds": 3600.0, "calls": 1.0, "tokens": 1.0, "cost": 1.0}


def print_shipped(*, as_json: bool) -> None:
    """Print the experiment files that come with the package."""
    from graphbrick.cli.printing.terminal import console, print_json, table
    from graphbrick.study.experiments.shipped import shipped
    from graphbrick.study.experiments.tables import read_toml

    contents = {name: read_toml(file) for name, file in shipped().items()}
    rows = [
        {"file": name, "title": one["title"], "about": " ".join(one["about"].split())} for name, one in contents.items()
    ]
    if as_json:
        print_json(rows)
        return
    shown = table("file", "title", "what it does")
    for row in rows:
        shown.add_row(row["file"], row["title"], row["about"])
    console().print(shown)


def run_file(
    file: Path,
    only: Sequence[str],
    refused: Mapping[str, object],
    *,
    dry_run: bool,
    out: Path | None,
    limit: int | None,
    workers: int | None,
    fresh: bool,
    retry: bool,
    judge: str | None,
    exchanges: bool,
    memory: bool,
    by: str | None,
    budget: str | None,
    cache: str,
    cache_file: Path | None,
    as_json: bool,
) -> None:
    """Carry out an experiment file, or say what that takes.

    Raises:
        GraphbrickError: The file says something that cannot be done, or an option is of the file.
    """
    from dataclasses import replace

    from graphbrick.cli.progress import progress
    from graphbrick.core.errors import InputError

    given = [name for name, value in refused.items() if value not in (None, False, 0, [], ())]
    if given:
        raise InputError(f"{given[0]} is for one evaluation; write what it says into {file}", code="experiment.option")
    places = places_of()
    experiment = read(file, places).only(only).checked()
    experiment = replace(experiment, out=out or experiment.out)
    if judge:  # in place of those of the file
        experiment = replace(experiment, judge=judge, further_judges=())
    if dry_run:
        from graphbrick.study.experiments.forecast import forecast
        from graphbrick.study.experiments.prepared import unprepared

        with progress() as report:
            rows = forecast(experiment, places, limit=limit, progress=report)
            missing = list(unprepared(experiment, places, report))
        _print_forecast(experiment, rows, as_json=as_json)
        for reason in missing:
            typer.echo(f"note: {reason}", err=True)
        return
    with limits(budget or experiment.budget or None, cache, cache_file):
        _carry_out(
            experiment, places, by, as_json=as_json, limit=limit, workers=workers, fresh=fresh, retry=retry,
            exchanges=exchanges,
            memory=memory,
        )  # fmt: skip


def places_of() -> Places:
    """Return the names in experiment files that stand for the graph of the demo and its questions."""
    from importlib.resources import files

    from graphbrick.demo.graph import world_graph
    from graphbrick.study.experiments.places import Place

    questions = Path(str(files("graphbrick.demo") / "questions.jsonl"))
    return {"world": Place(lambda progress: world_graph(progress=progress), questions)}


def read(file: Path, places: Places) -> Experiment:
    """Read an experiment file, or one that comes with the package; paths in that are of the working folder."""
    from graphbrick.study.experiments.plan import Experiment
    from graphbrick.study.experiments.shipped import shipped_or

    found = shipped_or(file)
    return Experiment.read(found, None if found is file else Path(), places)


def _carry_out(experiment: Experiment, places: Places, by: str | None, *, as_json: bool, **options: Any) -> None:
    """Run an experiment with its progress; print the figures of its study, and write its report."""
    from graphbrick.cli.compare.ending import finish, model_of
    from graphbrick.cli.printing.studies import print_summary
    from graphbrick.cli.printing.terminal import console, note
    from graphbrick.cli.progress import progress
    from graphbrick.judge.gold_answers.judging import judge_study
    from graphbrick.pipeline.budget import StoppedError
    from graphbrick.study.experiments.running import carry_out
    from graphbrick.study.report.summary import summarize_study
    from graphbrick.study.report.writing import write_report
    from graphbrick.study.store.reader import Study

    judge = model_of(experiment.judge) if experiment.judge else None
    further = [model_of(name) for name in experiment.further_judges]  # a name that is wrong is told at once
    stopped: StoppedError | None = None
    with progress() as report:
        try:
            for _ in carry_out(experiment, places, judge=judge, progress=report, **options):
                pass  # each data set is in the study when the next one begins
            for other in further:
                judge_study(
                    experiment.out, other, further=True, retry=options["retry"], exchanges=options["exchanges"],
                    progress=report,
                ).close()  # fmt: skip
        except StoppedError as error:
            stopped = error
    with Study.open(experiment.out) as study:
        summary = summarize_study(study, by=by or ("dataset" if len(experiment.data) > 1 else None))
    print_summary(summary, as_json=as_json)
    write_report(experiment.out, html=experiment.report, title=experiment.title)
    if not as_json:
        note(console(), f"the report is in {experiment.report}")
    finish(stopped, summary)


def _print_forecast(experiment: Experiment, rows: Sequence[Forecast], *, as_json: bool) -> None:
    """Print what is left to do: questions, hours, calls, tokens and dollars, by pipeline and in all."""
    from graphbrick.cli.printing.terminal import console, note, print_json, table

    totals = {figure: _sum([row.total(figure) for row in rows]) for figure in _UNITS}
    if as_json:
        listed = [
            {"data": row.data, "pipeline": row.run, "questions": row.questions, "done": row.done}
            | {f"{figure}_left": row.total(figure) for figure in _UNITS}
            for row in rows
        ]
        print_json({"runs": listed, "left": totals, "out": str(experiment.out), "report": str(experiment.report)})
        return
    shown = table("data", "pipeline", "questions", "done", "hours left", "calls", "tokens", "US$")
    for row in rows:
        figures = [_shown(row.total(figure), unit) for figure, unit in _UNITS.items()]
        shown.add_row(row.data, row.run, f"{row.questions:,}", f"{row.done:,}", *figures)
    figures = [_shown(totals[figure], unit) for figure, unit in _UNITS.items()]
    shown.add_row("all", "", f"{sum(row.questions for row in rows):,}", f"{sum(row.done for row in rows):,}", *figures)
    out = console()
    out.print(shown)
    unknown = sum(row.seconds is None for row in rows)
    if unknown:
        note(
            out,
            f"note: for {unknown} of {len(rows)} nothing is known yet; "
            f"graphbrick evaluate {quote(str(experiment.file))} --limit 3 asks three questions of each data set, "
            "and then this table has figures",
        )


def _sum(figures: Sequence[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) if len(known) == len(figures) else None


def _shown(figure: float | None, unit: float) -> str:
    if figure is None:
        return "?"
    value = figure / unit
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:,.2f}"
