"""The command `tune`; `graphbrick.cli.app` gives it its name."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphbrick.cli.llm import BudgetText, CacheFile, CacheMode, LLMName, MaxTokens, limits, with_max_tokens
from graphbrick.cli.options import GraphFolder, Json, open_graph
from graphbrick.cli.pipelines import default_pipeline, embed_first

if TYPE_CHECKING:
    from graphbrick.questions.question import Question

_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h)?")


def tune(
    graph: GraphFolder,
    questions: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[QUESTIONS]...",
            help="Files of questions with answers, or splits of fetched data sets, such as webqsp:test; without any, "
            "the graph writes its own.",
        ),
    ] = None,
    aims: Annotated[
        list[str] | None,
        typer.Option(
            "--for",
            metavar="AIM",
            help='"quality" [default], "latency<50ms", "cost<0.001" (dollars a question), "tokens<2000", or several '
            "joined by commas; may be repeated.",
        ),
    ] = None,
    time: Annotated[str, typer.Option(metavar="TIME", help="For all of it, such as 90s, 30m or 2h.")] = "30m",
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder to write or to go on with.")
    ] = Path("tuned"),
    metric: Annotated[str, typer.Option(help="The measure that counts as quality: hits_at_1, f1, ...")] = "hits_at_1",
    pipelines: Annotated[int | None, typer.Option(metavar="N", help="Pipelines to try at most.")] = None,
    space: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What is searched: TOML with [stages] and [models].")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STAGE=TEXT", help='Only these options of a stage, such as "extract=PPR()"; may be repeated.'
        ),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="BRICK", help="Leave a brick out, such as AllPaths; may be repeated.")
    ] = None,
    llm: LLMName = None,
    max_tokens: MaxTokens = None,
    link: Annotated[bool, typer.Option("--link", help="Find the seeds in the questions.")] = False,
    workers: Annotated[int, typer.Option(help="Questions at once; times are measured best with 1.")] = 1,
    seed: Annotated[int, typer.Option(help="Of the random numbers.")] = 0,
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    as_json: Json = False,
) -> None:
    """Search for the best pipeline of a graph.

    Half of the questions choose, the other half gives the final figures. The same command goes on after a kill; the
    result is a folder with a page, and recipes for --recipe tuned/tuned.toml.
    """
    from graphbrick.cli.printing.tuned import print_tuned
    from graphbrick.cli.progress import progress
    from graphbrick.models.llm.naming import model_text
    from graphbrick.study.tune.aims import Aim
    from graphbrick.study.tune.search import tune as run
    from graphbrick.study.tune.settings import Settings
    from graphbrick.study.tune.space.default_space import default_space, known_pipelines, permitted
    from graphbrick.study.tune.space.space import STAGES, only_options, read_space, restricted

    settings = Settings(
        aims=tuple(Aim.parse(text) for text in dict.fromkeys(aims or ["quality"])), metric=metric,
        seconds=_seconds(time), pipelines=pipelines, link=link, workers=workers, seed=seed,
    )  # fmt: skip
    opened = open_graph(graph)
    embed_first(opened)
    llm = with_max_tokens(llm, max_tokens)
    model = "" if llm is None else model_text(llm)
    searched = default_space(opened, llm=model, link=link)
    searched = restricted(searched if space is None else read_space(space, searched), only or [], without or [])
    searched.check()
    known, allowed = permitted(
        known_pipelines(opened, default=default_pipeline(opened), llm=model), searched, without=without or [],
        kinds=STAGES if space is not None else tuple(only_options(only or [])),
    )  # fmt: skip
    loaded = _loaded(questions) if questions else None
    with limits(budget, cache, cache_file), progress() as shown:
        result = run(
            opened, loaded, out, known=known, space=searched, settings=replace(settings, only_compared=not allowed),
            progress=shown,
        )  # fmt: skip
    print_tuned(result, out, graph, as_json=as_json)


def _loaded(questions: list[Path]) -> list[Question]:
    from graphbrick.study.runs.inputs import read_questions

    return [entry.question for entry in read_questions(questions, None, 0)]


def _seconds(text: str) -> float:
    """Return the seconds that a text such as ``30m`` names.

    >>> _seconds("90s"), _seconds("1.5h")
    (90.0, 5400.0)
    """
    from graphbrick.core.errors import InputError

    match = _TIME.fullmatch(text.strip().lower())
    if match is None:
        raise InputError(f"--time is a number with s, m or h, got {text!r}; try 30m")
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2] or "s"]
