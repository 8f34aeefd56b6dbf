"""The command that answers a question; `graphbrick.cli.app` gives it its name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphbrick.cli.llm import BudgetText, CacheFile, CacheMode, LLMName, MaxTokens, limits, with_max_tokens
from graphbrick.cli.options import ANSWERS_SHOWN, Json, open_any
from graphbrick.cli.pipelines import (
    MinConfidence,
    chosen_pipeline,
    set_parts,
    withholding,
)
from graphbrick.learn.default import DEFAULT_PIPELINE

if TYPE_CHECKING:
    from graphbrick.pipeline import Pipeline

_EXAMPLE_SECONDS = 10.0  # in which questions are found that a graph can answer
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
    max_tokens: MaxTokens = None,
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
    reading: Annotated[
        int | None, typer.Option("--reading", metavar="N", help="Take reading N of those that «Did you mean» offers.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, help="Answers to show at most; --json has all.")
    ] = ANSWERS_SHOWN,
    explain: Annotated[bool, typer.Option("--explain", help="Show subgraph, ranked paths and stages.")] = False,
    as_json: Json = False,
) -> None:
    """Answer a question over a graph.

    Without a question, it shows questions that the graph can answer.
    """
    if question is None:
        _show_examples(graph, server, token or "", as_json=as_json)
        return
    if server is not None and (llm is not None or cache != "off" or cache_file is not None):
        from graphbrick.core.errors import InputError

        raise InputError("--llm and --cache are for graphs of this machine; a server has its own models")
    if server is not None:
        options = {
            "graph": graph,
            "pipeline": pipeline,
            "recipe": recipe,
            "parts": set_parts(parts or []),
            "min_confidence": min_confidence,
            "budget": _budget(budget),
        }
        answer = partial(_ask_server, server, options, token or "")
    else:
        opened = open_any(graph)
        model = with_max_tokens(llm, max_tokens)
        chosen = withholding(chosen_pipeline(pipeline, recipe, parts or [], model, opened), min_confidence)
        answer = partial(_ask_here, opened, chosen, partial(limits, budget, cache, cache_file))
    facts = _facts(answer, question, seed or [])
    if reading is not None:
        facts = _facts(answer, *_reading(facts, reading))
    while True:
        _print(facts, limit, explain=explain, as_json=as_json)
        number = None if as_json or facts["answers"] else _choice(len(facts["readings"]))
        if number is None:
            break
        facts = _facts(answer, *_reading(facts, number))
    _end(facts)


def _show_examples(graph: str, server: str | None, token: str, *, as_json: bool) -> None:
    """Print questions that a graph can answer; raise the error that sets the exit code if none was found."""
    from graphbrick.cli.printing.runs import print_examples
    from graphbrick.cli.printing.terminal import print_json

    if server is not None:
        from graphbrick.serve.client import examples_of

        questions = examples_of(server, graph, token=token)
    else:
        from graphbrick.cli.progress import watching

        with watching("finding questions that this graph can answer"):
            from graphbrick.learn.examples import example_questions

            questions = [one.to_dict() for one in example_questions(open_any(graph))]
    if as_json:
        print_json({"graph": graph, "questions": questions})
    else:
        print_examples(questions)
    if not questions:
        raise NothingFoundError


def _facts(answer: Callable[[str, list[str]], dict[str, Any]], question: str, seeds: list[str]) -> dict[str, Any]:
    """Return the run of a question as JSON; one without answers if it names nothing of the graph, but may mean more."""
    from graphbrick.core.errors import LinkError
    from graphbrick.pipeline.run_json import refusal_json

    try:
        return answer(question, seeds)
    except LinkError as error:
        if not error.readings:
            raise
        return refusal_json(question, "", error)


def _ask_here(
    graph: Any,
    pipeline: Pipeline,
    limited: Callable[[], AbstractContextManager[None]],
    question: str,
    seeds: list[str],
) -> dict[str, Any]:
    """Return the run of a question over a graph of this machine, as JSON."""
    from graphbrick.cli.progress import answering
    from graphbrick.learn.examples import example_questions
    from graphbrick.learn.welcome import EXAMPLES, welcomed
    from graphbrick.models.llm.chat import streaming
    from graphbrick.pipeline.run_json import run_json

    def examples() -> list[str]:
        return [one.question for one in example_questions(graph, n=EXAMPLES, seconds=_EXAMPLE_SECONDS)]

    with limited(), answering() as on_token, streaming(on_token):
        run = welcomed(graph, pipeline, question, examples, seeds) or pipeline.run(graph, question, seeds=seeds)
    return run_json(run, pipeline)


def _reading(facts: Mapping[str, Any], number: int) -> tuple[str, list[str]]:
    """Return what to ask for a reading that was offered, by its number from 1.

    Raises:
        InputError: There is no such reading.
    """
    from graphbrick.core.errors import InputError

    readings = facts["readings"]
    if not 1 <= number <= len(readings):
        offered = f"there are {len(readings)}" if readings else "this question has none"
        raise InputError(f"there is no reading {number}; {offered}", code="ask.no_reading", number=number)
    return readings[number - 1]["question"], list(readings[number - 1]["seeds"])


def _choice(n: int) -> int | None:
    """Return the number of the reading that the user types, from 1; None for none, and without a terminal."""
    if not n or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    typed = input(f"1{f' to {n}' if n > 1 else ''}, or Enter for none: ").strip()
    return int(typed) if typed.isdecimal() and 1 <= int(typed) <= n else None


def _ask_server(server: str, options: Mapping[str, Any], token: str, question: str, seeds: list[str]) -> dict[str, Any]:
    """Return the run of a question on a server, as JSON."""
    from graphbrick.cli.progress import answering
    from graphbrick.core.compute import report
    from graphbrick.serve.client import ask_server

    given = {"question": question, "seeds": seeds, **options}
    body = {name: value for name, value in given.items() if value not in (None, [], {})}
    with answering() as on_token:
        return ask_server(server, body, token=token, on_token=on_token, on_progress=report)


def _budget(text: str | None) -> dict[str, float]:
    """Return the limits that ``--budget`` names."""
    from graphbrick.pipeline.budget import Budget

    if text is None:
        return {}
    budget = Budget.parse(text)
    limits = {"tokens": budget.tokens, "usd": budget.usd, "seconds": budget.seconds}
    return {name: limit for name, limit in limits.items() if limit is not None}


def _print(facts: dict[str, Any], limit: int, *, explain: bool, as_json: bool) -> None:
    """Print a run."""
    from graphbrick.cli.printing.runs import print_run

    print_run(facts, explain=explain, as_json=as_json, limit=limit)


def _end(facts: dict[str, Any]) -> None:
    """Raise the error that sets the exit code, if there is one."""
    from graphbrick.pipeline.budget import StoppedError

    if facts["stopped"] is not None:
        raise StoppedError(f"{facts['stopped']['reason']}; left undone: {', '.join(facts['stopped']['undone'])}")
    held = {"answer": facts["answers"], "evidence": facts["evidence"], "query": facts["seeds"]}
    subgraph = facts["subgraph"] or {}
    if not held.get(facts["level"], subgraph.get("nodes")):
        raise NothingFoundError
