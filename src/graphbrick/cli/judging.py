"""The commands about judges of answers: `graphbrick judge`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from graphbrick.cli.evaluate import NoExchanges, StudyFile, finish, model_of
from graphbrick.cli.graphs import Json
from graphbrick.cli.llm import BudgetText, CacheFile, CacheMode, limits

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.evaluate.judge.verdicts import Judge

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
    help="Judge the answers of a study: graphbrick judge RUNS is short for graphbrick judge study RUNS.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


def judge_of(text: str) -> Judge:
    """Return the judge that ``--judge`` names: a language model, the folder of a trained judge, or a baseline.

    Raises:
        InputError: It names none of them.
    """
    from graphbrick.evaluate.judge.named import judge_of as named

    return named(text, model_of)


@app.callback()
def start() -> None:
    """Judge the answers of a study: graphbrick judge RUNS is short for graphbrick judge study RUNS."""


@app.command(_STUDY)
def study(
    runs: StudyFile,
    llm: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="The judge: a model of this machine, one of the server that OPENAI_BASE_URL names, or LLM('gpt-4.1').",
            show_default=False,
        ),
    ],
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget all judgements, also those of another judge.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Judge again the answers without a verdict.")] = False,
    no_exchanges: NoExchanges = False,
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    as_json: Json = False,
) -> None:
    """Let a language model judge the first answers that a study has kept; no pipeline is run.

    After a kill, Ctrl-C or the end of the budget, the same command goes on.
    """
    from graphbrick.cli.printing.studies import print_judged
    from graphbrick.cli.progress import progress
    from graphbrick.evaluate import Study, judge_study
    from graphbrick.evaluate.report.summary import summarize_study
    from graphbrick.pipeline.budget import StoppedError

    chosen = model_of(llm)
    stopped: StoppedError | None = None
    with limits(budget, cache, cache_file), progress() as report:
        try:
            judge_study(runs, chosen, fresh=fresh, retry=retry, exchanges=not no_exchanges, watch=report.step).close()
        except StoppedError as error:
            stopped = error
    with Study.open(runs) as study:
        summary = summarize_study(study)
    print_judged(summary, as_json=as_json)
    finish(stopped, summary)
