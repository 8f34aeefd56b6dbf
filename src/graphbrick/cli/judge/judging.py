"""The commands about judges of answers: `graphbrick judge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from graphbrick.cli.compare.ending import finish, model_of
from graphbrick.cli.compare.evaluate import NoExchanges, StudyFile
from graphbrick.cli.judge import labelling as cli_labelling
from graphbrick.cli.judge.judge_options import (
    GOLD,
    Groups,
    LabelNames,
    SampleSize,
    Seed,
    judge_of,
    labels_from,
    labels_named,
    rater_of,
)
from graphbrick.cli.llm import BudgetText, CacheFile, CacheMode, limits
from graphbrick.cli.options import Json

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.judge.verdicts import Judge, Label
    from graphbrick.pipeline.budget import StoppedError

_STUDY = "study"


class JudgeCommands(TyperGroup):
    """The commands of the group; a first word that is none of them is a study to judge."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command that judges a study before a study or an option."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [_STUDY, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="judge",
    cls=JudgeCommands,
    help="Judge the answers of a study, and check the judge.\n\n"
    "graphbrick judge RUNS is short for graphbrick judge study RUNS.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.callback()
def start() -> None:
    """Judge the answers of a study, and check the judge.

    graphbrick judge RUNS is short for graphbrick judge study RUNS.
    """


@app.command(_STUDY)
def study(
    runs: StudyFile,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="JUDGE",
            help="Rates every answer by labels: a language model, one-word:MODEL, likelihood:MODEL, the folder of a "
            "trained judge, or a baseline.",
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|gold",
            help="Labels by people, as graphbrick judge sample asks for them; or gold, labels that follow from the "
            "gold answers.",
        ),
    ] = None,
    label: LabelNames = None,
    llm: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Instead of --judge: a language model says whether first answers are right (Judge@1).",
        ),
    ] = None,
    n: SampleSize = 150,
    seed: Seed = 0,
    by: Groups = None,
    pool: Annotated[
        bool, typer.Option("--pool", help="Correct each system by the labels of all systems together.")
    ] = False,
    level: Annotated[float, typer.Option(help="Confidence level of intervals.")] = 0.95,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a page that needs nothing else.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Forget what this judge said; with --llm alone, what any judge said.")
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Ask again where there is no verdict.")] = False,
    further: Annotated[
        bool, typer.Option("--further", help="With --llm, judge beside the judge of the study.")
    ] = False,
    no_exchanges: NoExchanges = False,
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    as_json: Json = False,
) -> None:
    """Judge the answers of a study, corrected by labels of people.

    The answers are those that the study has kept: no pipeline is run.

    After a kill, Ctrl-C or the end of the budget, the same command goes on. Without --judge, it reports what is there.
    """
    from graphbrick.core.errors import InputError

    if llm is not None:
        if judge is not None or labels is not None or label or html is not None:
            raise InputError("--llm is for Judge@1 alone; name the model with --judge to rate answers by labels")
        with limits(budget, cache, cache_file):
            _judge_at_1(
                runs, llm, fresh=fresh, retry=retry, further=further, exchanges=not no_exchanges, as_json=as_json
            )
        return
    if further:
        raise InputError("--further is for Judge@1; name the model with --llm", code="judge.further_without_llm")
    if judge is None and (fresh or retry):
        raise InputError("--fresh and --retry are for a judge; name it with --judge or --llm")
    if not 0 < level < 1:
        raise InputError(f"--level must be in (0, 1), got {level}; try 0.95")
    if html is not None:
        _check_page(html, runs, labels)
    chosen, chosen_judge = labels_named(label), None if judge is None else judge_of(judge)
    with limits(budget, cache, cache_file):
        stopped = _rate(runs, chosen_judge, judge or "", chosen, fresh=fresh, retry=retry)
    try:
        _report(runs, chosen_judge, labels, chosen, (n, seed, by, pool, level), html, as_json=as_json)
    except InputError as error:
        if stopped is None:
            raise
        raise stopped from error  # with a few verdicts or none there may be nothing to report yet
    if stopped is not None:
        raise stopped


def _check_page(html: Path, runs: Path, labels: str | None) -> None:
    """Raise InputError if a page would overwrite the study or its labels, or is a folder."""
    from graphbrick.core.errors import InputError

    if html.is_dir():
        raise InputError(f"{html} is a folder; name a file for --html")
    read = {"the study": runs} | ({} if labels in (None, GOLD) else {"the labels": Path(str(labels))})
    for what, file in read.items():
        if html.resolve() == file.resolve():
            raise InputError(f"--html {html} would overwrite {what}; name another file")


def _rate(
    runs: Path, judge: Judge | None, name: str, labels: list[Label] | None, *, fresh: bool, retry: bool
) -> StoppedError | None:
    """Let the judge rate what it has not rated yet; return why it stopped early."""
    from graphbrick.cli.progress import progress
    from graphbrick.judge.rating import rate_study
    from graphbrick.pipeline.budget import StoppedError

    if judge is None:
        return None
    with progress("rating") as report:
        try:
            rate_study(runs, judge, labels, name=name, fresh=fresh, retry=retry, progress=report).close()
        except StoppedError as error:
            return error
    return None


def _report(
    runs: Path,
    judge: Judge | None,
    labels: str | None,
    chosen: list[Label] | None,
    options: tuple[int, int, str | None, bool, float],
    html: Path | None,
    *,
    as_json: bool,
) -> None:
    """Print the report of a study, and write its page."""
    from graphbrick.cli.printing.judging import print_judge_report
    from graphbrick.judge.cases import cases_of
    from graphbrick.judge.report.judged import judge_report
    from graphbrick.judge.report.page import write_judge_page
    from graphbrick.judge.verdicts import Label
    from graphbrick.study.store.reader import Study

    n, seed, by, pool, level = options
    with Study.open(runs) as study:
        cases = cases_of(study, by=by)
        rater = rater_of(study, judge)
        names = chosen or ([Label(name) for name in rater.labels] if rater else None)
        known, rule = labels_from(labels, cases, names, n, seed)
        report = judge_report(study, cases, known, rater, chosen=chosen, rule=rule, pooled=pool, level=level)
    print_judge_report(report, as_json=as_json)
    if html is not None:
        write_judge_page(report, html)
        if not as_json:
            typer.echo(f"written: {html}")


def _judge_at_1(
    runs: Path, llm: str, *, fresh: bool, retry: bool, further: bool, exchanges: bool, as_json: bool
) -> None:
    """Let a language model say whether first answers are right."""
    from graphbrick.cli.printing.studies import print_judged
    from graphbrick.cli.progress import progress
    from graphbrick.judge.gold_answers.judging import judge_study
    from graphbrick.pipeline.budget import StoppedError
    from graphbrick.study.report.summary import summarize_study
    from graphbrick.study.store.reader import Study

    chosen = model_of(llm)
    stopped: StoppedError | None = None
    with progress() as report:
        try:
            judge_study(
                runs, chosen, fresh=fresh, retry=retry, further=further, exchanges=exchanges, progress=report
            ).close()
        except StoppedError as error:
            stopped = error
    with Study.open(runs) as study:
        summary = summarize_study(study)
    print_judged(summary, as_json=as_json)
    finish(stopped, summary)


for _name in ("sample", "label", "agree", "power"):
    app.command(_name)(getattr(cli_labelling, _name))
