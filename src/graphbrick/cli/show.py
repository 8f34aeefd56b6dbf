"""What the command line prints, as tables for people or as JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from graphbrick.core import Answer, Item, Path, Query, Report
from graphbrick.core.trace import Trace
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import Pipeline, Stage
from graphbrick.pipeline.run import Run
from graphbrick.recipes import Recipe

_ANSWERS_SHOWN = 20
_PATHS_SHOWN = 10
_LONGEST = 2_000  # characters of one text that are printed
_FILE_WIDTH = 140  # columns of tables that go to a file or a pipe


def console() -> Console:
    """Where tables go; labels of a graph are never read as markup."""
    out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    if not out.is_terminal:
        out.width = _FILE_WIDTH
    return out


def plain(text: str) -> str:
    """A text that is safe to print: control characters escaped, the middle of a very long one left out.

    >>> plain("Evil\\x1b[31m")
    'Evil\\\\x1b[31m'
    """
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:_LONGEST])
    return shown if len(text) <= _LONGEST else f"{shown} ... ({len(text):,} characters)"


def print_json(value: object) -> None:
    """A value as one JSON document on standard output, in ASCII where that cannot show all of it."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=1)
    sys.stdout.write(text + "\n")


@contextmanager
def progress(title: str) -> Iterator[Callable[[int], None]]:
    """A spinner on standard error with a running count; silent where that is not a terminal."""
    err = Console(stderr=True, highlight=False, markup=False)
    if not err.is_terminal:
        yield lambda count: None
        return
    with err.status(title) as status:
        yield lambda count: status.update(f"{title}: {count:,} records")


@contextmanager
def answering() -> Iterator[Callable[[str], None]]:
    """A spinner on standard error, and then what a language model writes, as it comes; silent without a terminal."""
    err = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
    if not err.is_terminal:
        yield lambda piece: None
        return
    status, heard = err.status("answering (the first time, kernels are compiled and models loaded)"), False
    status.start()

    def hear(piece: str) -> None:
        nonlocal heard
        status.stop()
        shown = "\n".join(plain(line) for line in piece.split("\n"))
        err.print(Text(("" if heard else "the model writes: ") + shown, style="dim"), end="")
        heard = True

    try:
        yield hear
    finally:
        status.stop()
        if heard:
            err.print()


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on standard error with the time that is left; silent where that is not a terminal."""
    err = Console(stderr=True, highlight=False, markup=False)
    if not err.is_terminal:
        yield lambda done: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def build_progress(title: str) -> Iterator[Callable[[str, float], None]]:
    """A bar on standard error for every step of a build, with the time it still takes; silent where no terminal is."""
    err = Console(stderr=True, highlight=False, markup=False)
    if not err.is_terminal:
        yield lambda step, share: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err) as bar:
        tasks: dict[str, TaskID] = {}

        def watch(step: str, share: float) -> None:
            name = step.partition(";")[0]  # what follows may change within the step
            if name not in tasks:
                for task in tasks.values():
                    bar.update(task, completed=1.0)
                tasks[name] = bar.add_task(f"{title}: {step}", total=1.0)
            bar.update(tasks[name], completed=share, description=f"{title}: {step}")

        yield watch


def print_run(run: Run, pipeline: Pipeline, *, explain: bool, as_json: bool) -> None:
    """The answers of a run, with their paths; with ``explain`` also how they came about."""
    if as_json:
        print_json(run_facts(run, pipeline))
        return
    out = console()
    if explain:
        _print_start(out, run, pipeline)
        if run.answer is not None:
            _print_paths(out, run)
    print_answers(out, run)
    for event in run.trace.events:
        out.print(Text(plain(f"note: {event}"), style="dim"))
    if explain:
        out.print(stage_table(run.trace))
        out.print(Text("the first question of a process also pays for loading kernels and models", style="dim"))


def _print_start(out: Console, run: Run, pipeline: Pipeline) -> None:
    out.print(Text(f"pipeline   {pipeline!r}"))
    out.print(Text("seeds      " + plain("; ".join(run.graph.describe(seed) for seed in run.query.seeds))))
    if run.subgraph is not None:
        out.print(f"subgraph   {run.subgraph.n_nodes:,} entities, {run.subgraph.n_triples:,} triples")


def _print_paths(out: Console, run: Run) -> None:
    if run.evidence is None:
        return
    table = Table("", "score", "path", box=None, pad_edge=False)
    for i, path in enumerate(run.evidence.items[:_PATHS_SHOWN], 1):
        table.add_row(str(i), f"{path.score:.3f}", Text(plain(path.text)))
    out.print(table)
    if len(run.evidence) > _PATHS_SHOWN:
        out.print(Text(f"... and {len(run.evidence) - _PATHS_SHOWN:,} more paths", style="dim"))


def print_answers(out: Console, run: Run) -> None:
    """The answers of a run, each with the path that proves it."""
    if run.answer is None:
        _print_unfinished(out, run)
        return
    if not run.answer.texts:
        out.print("no answer found")
    proofs = _proofs(run.answer.evidence.paths)
    for text, entity in list(zip(run.answer.texts, run.answer.entities, strict=True))[:_ANSWERS_SHOWN]:
        out.print(Text(plain(text), style="bold green"))
        if entity in proofs:
            out.print(Text(plain(f"  {proofs[entity].text}")))
        elif entity is None:
            out.print(Text("  on no path of the evidence: the model may have made it up", style="yellow"))
    if len(run.answer.texts) > _ANSWERS_SHOWN:
        out.print(Text(f"... and {len(run.answer.texts) - _ANSWERS_SHOWN:,} more answers (--json gives all)"))


def _print_unfinished(out: Console, run: Run) -> None:
    """What a pipeline without a generate stage has come to."""
    if run.evidence is None:
        found = {"seeds": len(run.query.seeds), **(run.counts(run.level) if run.subgraph is not None else {})}
        out.print(f"{_counts(found)}; no stage retrieved paths (--json and Python's run() give all there is)")
    elif not run.evidence.items:
        out.print("no path found")
    else:
        _print_paths(out, run)


def _proofs(paths: Iterable[Path]) -> dict[int | None, Path]:
    """The first path that ends at an entity, or else the first that passes it."""
    ending: dict[int | None, Path] = {}
    passing: dict[int | None, Path] = {}
    for path in paths:
        ending.setdefault(path.end, path)
        for node in path.nodes[1:]:
            passing.setdefault(node, path)
    return passing | ending


def stage_table(trace: Trace) -> Table:
    """Seconds, counts and model use of every stage."""
    cost = ("cost",) if trace.ledger["cost"] else ()
    table = Table("stage", "ms", "in", "out", "calls", "kept", "tokens in/out", *cost, box=None, pad_edge=False)
    for column in (1, *range(4, 7 + len(cost))):
        table.columns[column].justify = "right"
    for stage in trace.stages:
        used = {name: getattr(stage, name) for name in trace.ledger}
        counts = _counts(stage.counts_in), _counts(stage.counts_out)
        table.add_row(Text(stage.stage), f"{1000 * stage.seconds:,.1f}", *counts, *_used(used, cost))
    table.add_row(Text("all", style="bold"), f"{1000 * trace.seconds:,.1f}", "", "", *_used(trace.ledger, cost))
    return table


def _used(ledger: dict[str, float], cost: tuple[str, ...]) -> list[str]:
    """The cells about models: calls, hits, tokens (with ~ where some are estimated), dollars."""
    about = "~" if ledger["estimated"] else ""
    return [
        f"{ledger['calls']:,}" if ledger["calls"] else "",
        f"{ledger['cache_hits']:,}" if ledger["cache_hits"] else "",
        f"{about}{ledger['tokens_in']:,}/{ledger['tokens_out']:,}" if ledger["calls"] else "",
        *(f"${ledger[name]:.4f}" for name in cost),
    ]


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{value:,} {name}" for name, value in counts.items())


def run_facts(run: Run, pipeline: Pipeline) -> dict[str, Any]:
    """A run as plain JSON types."""
    graph = run.graph
    answer = run.answer or Answer()
    answers = zip(answer.texts, answer.entities, answer.support or ((),) * len(answer.texts), strict=True)
    return {
        "question": run.query.text,
        "pipeline": repr(pipeline),
        "graph": {"path": str(graph.path), "hash": graph.hash},
        "seeds": _seeds(graph, run.query),
        "subgraph": None
        if run.subgraph is None
        else {"nodes": run.subgraph.n_nodes, "triples": run.subgraph.n_triples},
        "answers": [
            {"text": text, "key": None if e is None else graph.key(e), "support": list(places)}
            for text, e, places in answers
        ],
        "support": [_item_facts(item) for item in answer.evidence.items],
        "stopped": None if run.stopped is None else {"reason": run.stopped.reason, "undone": list(run.stopped.undone)},
        "evidence": None if run.evidence is None else [_item_facts(item) for item in run.evidence.items],
        "trace": run.trace.to_dict(),
    }


def _seeds(graph: Graph, query: Query) -> list[dict[str, Any]]:
    mentions = {mention.entity: mention for mention in query.mentions}
    rows = []
    for seed in query.seeds:
        row: dict[str, Any] = {"key": graph.key(seed), "label": graph.label(seed)}
        if seed in mentions:
            mention = mentions[seed]
            others = [graph.key(other) for other in mention.others]
            row |= {"mention": mention.text, "score": mention.score, "others": others}
        rows.append(row)
    return rows


def _item_facts(path: Item) -> dict[str, Any]:
    graph = path.graph
    if isinstance(path, Report):
        keys = [graph.key(node) for node in path.nodes]
        return {"text": path.text, "score": path.score, "entities": keys, "source": path.source}
    triples = [tuple(graph.key(n) if i != 1 else graph.relation_key(n) for i, n in enumerate(graph.triple(t)))
               for t in path.triples]  # fmt: skip
    return {"text": path.text, "score": path.score, "triples": triples, "forward": path.forward, "source": path.source}


def print_bricks(*, as_json: bool) -> None:
    """Every brick with its parameters and paper."""
    rows = brick_facts()
    if as_json:
        print_json(rows)
        return
    out = console()
    for row in rows:
        out.print(Text.assemble((row["name"], "bold"), f"  ({row['kind']})  {row['summary']}"))
        for parameter in row["parameters"]:
            default = "" if parameter["default"] is None else f" = {parameter['default']}"
            out.print(Text(f"    {parameter['name']}: {parameter['type']}{default}  — {parameter['doc']}"))
        if row["paper"]:
            out.print(Text(f"    {row['paper']}", style="dim"))


def print_recipes(recipes: list[Recipe], *, as_json: bool) -> None:
    """The published recipes, a line each."""
    if as_json:
        print_json([recipe_facts(recipe) for recipe in recipes])
        return
    out = console()
    table = Table("recipe", "WebQSP", "CWQ", "what it does", "parts", box=None, pad_edge=False)
    for recipe in recipes:
        hits = [f"{recipe.figures[data]:.1f}" if data in recipe.figures else "" for data in ("webqsp", "cwq")]
        table.add_row(Text(recipe.name, style="bold"), *hits, Text(recipe.title), Text(", ".join(recipe.parts)))
    out.print(table)
    out.print("WebQSP, CWQ: published Hit in percent with Qwen2-72B. --set can replace the parts of a recipe.")


def print_recipe(recipe: Recipe, *, as_json: bool) -> None:
    """All that is known of a recipe."""
    facts = recipe_facts(recipe)
    if as_json:
        print_json(facts)
        return
    out = console()
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in facts.items():
        if isinstance(value, dict):
            value = ", ".join(
                f"{key} {entry}" if entry != "" else f"{key} (must be set)" for key, entry in value.items()
            )
        if value:
            table.add_row(Text(name, style="bold"), Text(str(value)))
    out.print(table)


def recipe_facts(recipe: Recipe) -> dict[str, Any]:
    """A recipe as plain JSON types; its text with the default parts, those without default as ``$name``."""
    return {
        "recipe": recipe.name,
        "title": recipe.title,
        "group": recipe.group,
        "paper": recipe.paper,
        "pipeline": recipe.shown,
        "parts": dict(recipe.parts),
        "figures": dict(recipe.figures),
        "note": recipe.note,
    }


def brick_facts() -> list[dict[str, Any]]:
    """Name, kind, summary, parameters and paper of every brick, from the code."""
    from dataclasses import asdict

    from graphbrick.pipeline.catalog import all_bricks

    return [
        {
            "name": name,
            "kind": brick.kind if issubclass(brick, Stage) else "model",
            "summary": brick.summary(),
            "parameters": [asdict(parameter) for parameter in brick.parameters()],
            "paper": brick.paper,
        }
        for name, brick in all_bricks().items()
    ]
