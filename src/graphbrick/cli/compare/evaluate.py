"""The commands that measure pipelines; `graphbrick.cli.app` gives them their names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphbrick.cli.compare.ending import finish, model_of
from graphbrick.cli.graphs.spark import spark_settings
from graphbrick.cli.llm import BudgetText, CacheFile, CacheMode, LLMName, MaxTokens, limits, with_max_tokens
from graphbrick.cli.options import Json, as_folder, open_any
from graphbrick.cli.pipelines import MinConfidence, withholding

# Everything else is imported where it is used, so that help is shown at once.
if TYPE_CHECKING:
    from graphbrick.graphs.databases.graph import DatabaseGraph
    from graphbrick.graphs.graph import Graph
    from graphbrick.graphs.local.extracted import ExtractedGraph
    from graphbrick.pipeline import Pipeline
    from graphbrick.pipeline.budget import StoppedError
    from graphbrick.study.runs.experiment import Runner

StudyFile = Annotated[Path, typer.Argument(metavar="RUNS", help="What graphbrick evaluate wrote.", show_default=False)]


NoExchanges = Annotated[
    bool, typer.Option("--no-exchanges", help="Do not keep the prompts and replies of language models.")
]
Memory = Annotated[
    bool, typer.Option("--memory", help="Measure the peak of memory of each stage, one question at a time.")
]
By = Annotated[
    str | None,
    typer.Option(help="Also for each group: hops, hop_group (1, 2, multi), complexity, dataset, distance, or a fact."),
]
MinRecall = Annotated[
    float | None,
    typer.Option("--min-recall", metavar="SHARE", help="Leave out pipelines whose subgraphs have less recall, as 0.6."),
]


def evaluate(
    graph: Annotated[
        Path | None,
        typer.Argument(
            metavar="GRAPH|FILE.toml",
            help="Folder of the graph, or an experiment file.",
            show_default=False,
            parser=as_folder,
        ),
    ] = None,
    questions: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="QUESTIONS...",
            help="Files of questions with answers, or splits of fetched data sets, such as webqsp:test.",
            show_default=False,
        ),
    ] = None,
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
    max_tokens: MaxTokens = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The study to write or to continue [runs.sqlite].")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Ask only so many questions, of each hop count its share.")] = None,
    seed: Annotated[int, typer.Option(help="Which questions --limit draws.")] = 0,
    link: Annotated[
        bool, typer.Option("--link", help="Find the seeds in the questions, also where the files give them.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(help="Questions at once [1, or as many as the language model takes calls].")
    ] = None,
    spark: Annotated[
        str | None,
        typer.Option(metavar="MASTER", help="Answer on the executors of Spark, such as spark://host:7077 or local[4]."),
    ] = None,
    conf: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A setting of Spark; may be repeated.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin these pipelines again.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Ask again what ended in an error.")] = False,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="Let a language model judge the first answers: as for --llm, or LLM('gpt-4.1')."
        ),
    ] = None,
    min_confidence: MinConfidence = None,
    no_exchanges: NoExchanges = False,
    memory: Memory = False,
    by: By = None,
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="Of an experiment file, what has this in its name; may be repeated."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Of an experiment file, say what is left: questions, hours, calls, US$.")
    ] = False,
    shipped: Annotated[
        bool, typer.Option("--list", help="Show the experiment files that come with graphbrick.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Measure pipelines on questions: quality, time and cost.

    It also tells at which stage answers are lost.

    Results are written at once. After a kill, Ctrl-C or the end of the budget, the same command goes on. An experiment
    file says all of it at once: graphs, questions, recipes, pipelines with sweeps, models.
    """
    from graphbrick.cli.compare import experiments
    from graphbrick.core.errors import InputError

    if shipped:
        experiments.print_shipped(as_json=as_json)
        return
    if graph is not None and graph.suffix == ".toml":
        refused = {"--recipe": recipe, "--pipeline": pipeline, "--set": parts, "--llm": llm, "--max-tokens": max_tokens,
                   "--seed": seed, "--link": link, "--spark": spark, "--conf": conf,
                   "--min-confidence": min_confidence, "a file of questions": questions}  # fmt: skip
        experiments.run_file(
            graph, only or [], refused, dry_run=dry_run, out=out, limit=limit, workers=workers, fresh=fresh,
            retry=retry, judge=judge, exchanges=not no_exchanges, memory=memory, by=by, budget=budget, cache=cache,
            cache_file=cache_file, as_json=as_json,
        )  # fmt: skip
        return
    if graph is None or not questions:
        raise InputError(
            "give a graph and files of questions, or an experiment file; graphbrick evaluate --list shows some",
            code="evaluate.nothing_given",
        )
    if only or dry_run:
        raise InputError("--only and --dry-run are for an experiment file", code="evaluate.not_of_a_file")
    from graphbrick.cli.printing.studies import print_summary
    from graphbrick.cli.progress import progress
    from graphbrick.graphs.databases.graph import DatabaseGraph
    from graphbrick.pipeline.budget import StoppedError
    from graphbrick.study.report.summary import summarize_study
    from graphbrick.study.runs.experiment import evaluate as run
    from graphbrick.study.store.identity import content_of, identity_of, on_graph
    from graphbrick.study.store.reader import Study

    opened, out = open_any(graph), out or Path("runs.sqlite")
    named = chosen_pipelines(recipe or [], pipeline or [], parts or [], with_max_tokens(llm, max_tokens), opened)
    chosen = {name: withholding(one, min_confidence) for name, one in named.items()}
    _check_group(by, questions, out)
    judged_by = None if judge is None else model_of(judge)
    assert not isinstance(opened, DatabaseGraph)  # an address is refused when the arguments are read
    stopped: StoppedError | None = None
    with limits(budget, cache, cache_file), runner_of(spark, conf or [], workers) as runner, progress() as report:
        try:
            run(
                opened, questions, chosen, out=out, limit=limit, seed=seed, link=link, workers=workers, fresh=fresh,
                retry=retry, judge=judged_by, exchanges=not no_exchanges, memory=memory, runner=runner, progress=report,
            ).close()  # fmt: skip
        except StoppedError as error:
            stopped = error
    with Study.open(out) as study:
        identities = {on_graph(identity_of(pipeline), pipeline, opened) for pipeline in chosen.values()}
        content = content_of(opened)
        numbers = {
            run.id
            for run in study.runs()
            if run.identity in identities and (run.graph_hash, run.linked) == (content, link)
        }
        summary = summarize_study(study, runs=numbers, by=by)
    print_summary(summary, as_json=as_json)
    finish(stopped, summary)


def compare(
    runs: StudyFile,
    baseline: Annotated[
        str | None, typer.Option(metavar="NAME", help="Compare all with this pipeline [every pair].")
    ] = None,
    metric: Annotated[str, typer.Option(help="What they are compared by, such as hits_at_1, hit, f1.")] = "hits_at_1",
    by: By = None,
    min_recall: MinRecall = None,
    published: Annotated[
        bool, typer.Option("--published", help="Also the scores as RoG, ToG and LEGO-GraphRAG count them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare the pipelines of a study by paired tests.

    The tests are corrected for their number. A single pipeline is shown with its interval.
    """
    from graphbrick.cli.printing.studies import print_comparison
    from graphbrick.study.report.summary import compare_study
    from graphbrick.study.store.reader import Study

    with Study.open(runs) as study:
        comparison = compare_study(study, baseline=baseline, metric=metric, by=by, min_recall=min_recall)
    print_comparison(comparison, published=published, as_json=as_json)


def chosen_pipelines(
    recipes: list[str],
    texts: list[str],
    parts: list[str],
    llm: str | None,
    graph: Graph | DatabaseGraph | ExtractedGraph | None = None,
) -> dict[str, Pipeline]:
    """Return the pipelines that the options name, by their names for tables; by default what ``ask`` runs."""
    from graphbrick.cli.pipelines import chosen_pipeline, embed_first, parts_of_each
    from graphbrick.pipeline.parsing import parse

    chosen: dict[str, Pipeline] = {}
    for recipe, own in parts_of_each(dict.fromkeys(recipes), parts):
        notes = [f"llm={llm}"] if llm is not None and {"llm", "tuned_llm", "answer"} & set(recipe.parts) else []
        _add(chosen, ", ".join([f"recipe {recipe.name}", *notes, *own]), chosen_pipeline(None, recipe.name, own, llm))
    for text in texts:
        name, pipeline = _named(text)
        parsed = parse(pipeline)
        _add(chosen, name or repr(parsed), parsed)
    if not chosen:
        embed_first(graph)
        chosen["default" if llm is None else f"default, llm={llm}"] = chosen_pipeline(None, None, [], llm, graph)
    return chosen


def _add(chosen: dict[str, Pipeline], name: str, pipeline: Pipeline) -> None:
    """Add a pipeline by its name for tables.

    Raises:
        InputError: Another pipeline has this name.
    """
    from graphbrick.core.errors import InputError

    if repr(chosen.setdefault(name, pipeline)) != repr(pipeline):
        raise InputError(f"two pipelines are called {name!r}; give each a name of its own: --pipeline 'NAME: TEXT'")


def _check_group(by: str | None, questions: list[Path], out: Path) -> None:
    """Refuse a group that no question has before anything is asked, not when all is done."""
    from graphbrick.study.report.summary import GROUPS, require_group
    from graphbrick.study.runs.inputs import read_questions
    from graphbrick.study.store.reader import Study

    if by is None or by in GROUPS:
        return
    facts = {fact for entry in read_questions(questions) for fact in entry.question.facts}
    if by not in facts and out.is_file():
        with Study.open(out) as study:
            facts |= {fact for question in study.questions() for fact in question.facts}
    require_group(by, facts)


@contextmanager
def runner_of(master: str | None, conf: list[str], workers: int | None) -> Iterator[Runner | None]:
    """Start Spark at the master of ``--spark``, and yield the runner of questions on it; None without one.

    Raises:
        InputError: Options do not go together, or ``--conf`` is not NAME=VALUE.
    """
    from graphbrick.core.errors import InputError

    if master is None:
        if conf:
            raise InputError("--conf is a setting of Spark; give --spark MASTER too")
        yield None
        return
    if workers is not None:
        raise InputError("--workers are of this machine, and --spark has executors; leave one out")
    settings = spark_settings(conf)
    from graphbrick.spark.executors import spark_runner

    with spark_runner(master, settings) as runner:
        yield runner


def _named(text: str) -> tuple[str, str]:
    """Return name and recipe text of ``name: recipe``; colons in quotes or parentheses do not count.

    >>> _named("mine (2): PPR() >> ShortestPaths()"), _named("PPR()")
    (('mine (2)', 'PPR() >> ShortestPaths()'), ('', 'PPR()'))
    """
    name, colon, recipe = text.partition(":")
    if colon and recipe.strip() and not re.search(r"['\"]", name) and name.count("(") == name.count(")"):
        return name.strip(), recipe.strip()
    return "", text
