"""The commands that measure pipelines; `graphbrick.cli` gives them their names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphbrick.cli_graphs import GraphFolder, Json, open_graph
from graphbrick.cli_llm import BudgetText, CacheFile, CacheMode, LLMName, limits

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.pipeline import Pipeline

StudyFile = Annotated[Path, typer.Argument(metavar="RUNS", help="What graphbrick evaluate wrote.", show_default=False)]


def evaluate(
    graph: GraphFolder,
    questions: Annotated[
        list[Path], typer.Argument(metavar="QUESTIONS...", help="Files of questions with answers.", show_default=False)
    ],
    recipe: Annotated[
        list[str] | None, typer.Option("--recipe", "-r", help="A published recipe, such as 12; may be repeated.")
    ] = None,
    pipeline: Annotated[
        list[str] | None,
        typer.Option("--pipeline", "-p", metavar="[NAME:]TEXT", help="A recipe text, named or not; may be repeated."),
    ] = None,
    parts: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PART=BRICK", help="A part of the recipes, such as embedder='BM25()'."),
    ] = None,
    llm: LLMName = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The study to write or to go on with.")] = Path(
        "runs.sqlite"
    ),
    limit: Annotated[int | None, typer.Option(help="Ask only so many questions, of each hop count its share.")] = None,
    seed: Annotated[int, typer.Option(help="Which questions --limit draws.")] = 0,
    link: Annotated[
        bool, typer.Option("--link", help="Find the seeds in the questions, also where the files give them.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(help="Questions at once [1, or as many as the language model takes calls].")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin these pipelines again.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Ask again what ended in an error.")] = False,
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    as_json: Json = False,
) -> None:
    """Measure pipelines on questions: quality, time, cost, and where answers are lost.

    Results are written at once. After a kill, Ctrl-C or the end of the budget, the same command goes on.
    """
    from graphbrick.budget import StoppedError
    from graphbrick.evaluate.experiment import evaluate as run
    from graphbrick.evaluate.store import Study
    from graphbrick.show_evaluate import evaluating, print_study

    chosen = _pipelines(recipe or [], pipeline or [], parts or [], llm)
    opened = open_graph(graph)
    stopped: StoppedError | None = None
    with limits(budget, cache, cache_file), evaluating() as watch:
        try:
            run(
                opened, questions, chosen, out=out, limit=limit, seed=seed, link=link, workers=workers, fresh=fresh,
                retry=retry, watch=watch,
            ).close()  # fmt: skip
        except StoppedError as error:
            stopped = error
    with Study.open(out) as study:
        texts = {repr(one) for one in chosen.values()}
        runs = [one for one in study.runs() if (one.recipe, one.graph_hash, one.linked) in
                {(text, opened.hash, link) for text in texts}]  # fmt: skip
        print_study(study, runs, as_json=as_json)
    if stopped is not None:
        raise stopped


def compare(
    runs: StudyFile,
    baseline: Annotated[
        str | None, typer.Option(metavar="NAME", help="Compare all with this pipeline [every pair].")
    ] = None,
    metric: Annotated[str, typer.Option(help="What they are compared by, such as hits_at_1, hit, f1.")] = "hits_at_1",
    by: Annotated[
        str | None, typer.Option(help="Also for each group: hops, dataset, distance, or a fact of the questions.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare the pipelines of a study by paired tests, corrected for their number."""
    from graphbrick.evaluate.store import Study
    from graphbrick.show_evaluate import print_comparison

    with Study.open(runs) as study:
        print_comparison(study, baseline=baseline, metric=metric, by=by, as_json=as_json)


def _pipelines(recipes: list[str], texts: list[str], parts: list[str], llm: str | None) -> dict[str, Pipeline]:
    """The pipelines that the options name, by what tables are to call them."""
    from graphbrick.cli import _pipeline as pipeline_of
    from graphbrick.errors import InputError
    from graphbrick.parsing import parse
    from graphbrick.recipes import recipe as find

    used: set[str] = set()
    found: dict[str, Pipeline] = {}
    for number in dict.fromkeys(recipes):
        recipe = find(number)
        own = [part for part in parts if part.partition("=")[0].strip() in recipe.parts]
        used.update(own)
        notes = [f"llm={llm}"] if llm is not None and {"llm", "tuned_llm", "answer"} & set(recipe.parts) else []
        found[", ".join([f"recipe {recipe.name}", *notes, *own])] = pipeline_of(None, recipe.name, own, llm)
    unused = [part for part in parts if part not in used]
    if unused:
        raise InputError(f"--set {unused[0]!r} is a part of none of the recipes given; graphbrick recipes shows parts")
    for text in texts:
        name, pipeline = _named(text)
        parsed = parse(pipeline)
        found[name or repr(parsed)] = parsed
    if not found:
        parsed = pipeline_of(None, None, [], llm)
        found["default" if llm is None else f"default, llm={llm}"] = parsed
    return found


def _named(text: str) -> tuple[str, str]:
    """Name and recipe text of ``name: recipe``; no recipe text begins with a word and a colon.

    >>> _named("mine: PPR() >> ShortestPaths()"), _named("PPR()")
    (('mine', 'PPR() >> ShortestPaths()'), ('', 'PPR()'))
    """
    name, colon, recipe = text.partition(":")
    if colon and recipe.strip() and not re.search(r"[()'\"|>]", name):
        return name.strip(), recipe.strip()
    return "", text
