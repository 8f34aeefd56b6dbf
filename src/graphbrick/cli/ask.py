"""The command that answers a question; `graphbrick.cli.app` gives it its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from graphbrick.cli.llm import BudgetText, CacheFile, CacheMode, LLMName, limits
from graphbrick.cli.options import Json, open_any
from graphbrick.cli.pipelines import (
    MinConfidence,
    chosen_pipeline,
    load_encoder_early,
    set_parts,
    withholding,
)
from graphbrick.learn.default import DEFAULT_PIPELINE

# Everything else is imported where it is used, so that help is shown at once.


class NothingFoundError(Exception):
    """A command that worked but found nothing; exit code 2."""


def ask(
    graph: Annotated[
        str,
        typer.Argument(
            metavar="GRAPH",
            help="Folder of the graph, or its address, such as bolt://localhost:7687/films; with --server its name.",
            show_default=False,
        ),
    ],
    question: Annotated[
        str | None,
        typer.Argument(metavar="[QUESTION]", help="The question; without it, examples are shown.", show_default=False),
    ] = None,
    pipeline: Annotated[str | None, typer.Option("--pipeline", "-p", help=f"Recipe text [{DEFAULT_PIPELINE}].")] = None,
    recipe: Annotated[
        str | None, typer.Option("--recipe", "-r", help="A published recipe, such as 12 (graphbrick recipes).")
    ] = None,
    parts: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PART=BRICK", help="A part of the recipe, such as llm=\"LLM('my-model')\"."),
    ] = None,
    llm: LLMName = None,
    seed: Annotated[
        list[str] | None, typer.Option("--seed", "-s", help="Where to start: a key or label; may be repeated.")
    ] = None,
    min_confidence: MinConfidence = None,
    budget: BudgetText = None,
    cache: CacheMode = "off",
    cache_file: CacheFile = None,
    server: Annotated[
        str | None, typer.Option(metavar="URL", help="Ask this server of graphbrick serve, over its graph and recipes.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(metavar="TEXT", envvar="GRAPHBRICK_TOKEN", help="The token of the server.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show subgraph, ranked paths and stages.")] = False,
    as_json: Json = False,
) -> None:
    """Answer a question over a graph, or show questions that it can answer."""
    if question is None:
        _show_examples(graph, server, token or "", as_json=as_json)
        return
    if server is not None:
        if llm is not None or cache != "off" or cache_file is not None:
            from graphbrick.core.errors import InputError

            raise InputError("--llm and --cache are for graphs of this machine; a server has its own models")
        options = {
            "question": question,
            "graph": graph,
            "pipeline": pipeline,
            "recipe": recipe,
            "parts": set_parts(parts or []),
            "seeds": seed or [],
            "min_confidence": min_confidence,
            "budget": _budget(budget),
        }
        facts = _ask_server(server, options, token or "")
    else:
        load_encoder_early(graph, pipeline, recipe)  # before the imports, which it overlaps with
        from graphbrick.cli.printing.runs import answering
        from graphbrick.models.llm.chat import streaming
        from graphbrick.pipeline.run_json import run_json

        opened = open_any(graph)
        chosen = withholding(chosen_pipeline(pipeline, recipe, parts or [], llm, opened), min_confidence)
        with limits(budget, cache, cache_file), answering() as on_token, streaming(on_token):
            run = chosen.run(opened, question, seeds=seed or [])
        facts = run_json(run, chosen)
    _print(facts, explain=explain, as_json=as_json)


def _show_examples(graph: str, server: str | None, token: str, *, as_json: bool) -> None:
    """Print questions that a graph can answer; raise the error that sets the exit code if none was found."""
    from graphbrick.cli.printing.runs import print_examples
    from graphbrick.cli.printing.terminal import print_json

    if server is not None:
        from graphbrick.serve.client import examples_of

        questions = examples_of(server, graph, token=token)
    else:
        load_encoder_early(graph, None, None)
        from graphbrick.learn.examples import example_questions

        questions = [one.to_dict() for one in example_questions(open_any(graph))]
    if as_json:
        print_json({"graph": graph, "questions": questions})
    else:
        print_examples(questions)
    if not questions:
        raise NothingFoundError


def _ask_server(server: str, options: Mapping[str, Any], token: str) -> dict[str, Any]:
    """Return the run of a question on a server, as JSON."""
    from graphbrick.cli.printing.runs import answering
    from graphbrick.serve.client import ask_server

    body = {name: value for name, value in options.items() if value not in (None, [], {})}
    with answering() as on_token:
        return ask_server(server, body, token=token, on_token=on_token)


def _budget(text: str | None) -> dict[str, float]:
    """Return the limits that ``--budget`` names."""
    from graphbrick.pipeline.budget import Budget

    if text is None:
        return {}
    budget = Budget.parse(text)
    limits = {"tokens": budget.tokens, "usd": budget.usd, "seconds": budget.seconds}
    return {name: limit for name, limit in limits.items() if limit is not None}


def _print(facts: dict[str, Any], *, explain: bool, as_json: bool) -> None:
    """Print a run; raise the error that sets the exit code."""
    from graphbrick.cli.printing.runs import print_run
    from graphbrick.pipeline.budget import StoppedError

    print_run(facts, explain=explain, as_json=as_json)
    if facts["stopped"] is not None:
        raise StoppedError(f"{facts['stopped']['reason']}; left undone: {', '.join(facts['stopped']['undone'])}")
    held = {"answer": facts["answers"], "evidence": facts["evidence"], "query": facts["seeds"]}
    subgraph = facts["subgraph"] or {}
    if not held.get(facts["level"], subgraph.get("nodes")):
        raise NothingFoundError
