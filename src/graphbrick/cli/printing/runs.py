"""Terminal output of `graphbrick ask` and the demo."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphbrick.cli.printing.terminal import console, plain, print_json
from graphbrick.core import Answer, Citation, Item
from graphbrick.core import Path as GraphPath
from graphbrick.core.trace import Trace
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.run import Run

_ANSWERS_SHOWN = 20
_PATHS_SHOWN = 10
_PLACES_SHOWN = 3


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


def print_run(run: Run, pipeline: Pipeline, *, explain: bool, as_json: bool) -> None:
    """The answers of a run, with their paths; with ``explain`` also how they came about."""
    if as_json:
        print_json({"pipeline": repr(pipeline)} | run.to_dict())
        return
    out = console()
    if explain:
        _print_start(out, run, pipeline)
        if run.answer is not None:
            _print_paths(out, run)
    print_answers(out, run)
    if run.answer is not None and run.answer.texts and run.answer.confidence is not None:
        out.print(Text(f"confidence {run.answer.confidence:.2f}", style="dim"))
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
    proofs = _proofs(run.answer.evidence.items)
    for i, (text, entity) in enumerate(zip(run.answer.texts, run.answer.entities, strict=True)):
        if i == _ANSWERS_SHOWN:
            break
        out.print(Text(plain(text), style="bold green"))
        places = _places(run.answer, i)
        for place in places:
            out.print(Text(plain(f"  {place}")))
        if places:
            continue
        if entity in proofs:
            out.print(Text(plain(f"  {proofs[entity].text}")))
        elif run.answer.from_model:
            out.print(Text("  from the model's own knowledge, not from the graph", style="yellow"))
        elif entity is None and not run.answer.evidence.has_answers:
            out.print(Text("  on no path of the evidence: the model may have made it up", style="yellow"))
    if len(run.answer.texts) > _ANSWERS_SHOWN:
        out.print(Text(f"... and {len(run.answer.texts) - _ANSWERS_SHOWN:,} more answers (--json gives all)"))


def _places(answer: Answer, i: int) -> list[str]:
    """Return the places in documents that support an answer."""
    items = [answer.evidence.items[number] for number in answer.support[i]] if answer.support else []
    if "[1]" in answer.texts[i] or "[1," in answer.texts[i]:  # the text cites its support by number
        return [f"[{number}] {_place_or_text(item)}" for number, item in enumerate(items, 1)]
    return [cited(citation) for item in items for citation in item.citations if citation.document][:_PLACES_SHOWN]


def _place_or_text(item: Item) -> str:
    """Return the places of an item in documents, or the item itself if it has none."""
    places = [cited(citation) for citation in item.citations if citation.document][:_PLACES_SHOWN]
    return "; ".join(places) or item.text


def cited(citation: Citation) -> str:
    """Return a place in a document for a terminal: path, section and characters; paths from the working folder.

    >>> cited(Citation("/notes/kenya.md", 10, 42, section="Land > Lakes"))
    '/notes/kenya.md, Land > Lakes (characters 10-42)'
    """
    name = citation.document.removeprefix(f"{Path.cwd()}{os.sep}")
    section = f", {citation.section}" if citation.section else ""
    span = "" if citation.start is None else f" (characters {citation.start}-{citation.end})"
    return f"{name}{section}{span}"


def _print_unfinished(out: Console, run: Run) -> None:
    """Print the result of a pipeline without a generate stage."""
    if run.evidence is None:
        found = {"seeds": len(run.query.seeds), **(run.counts(run.level) if run.subgraph is not None else {})}
        out.print(f"{_counts(found)}; no stage retrieved paths (--json and Python's run() give all there is)")
    elif not run.evidence.items:
        out.print("no path found")
    else:
        _print_paths(out, run)


def _proofs(items: Iterable[Item]) -> dict[int | None, Item]:
    """Return for each entity the first path that ends there, or else the first item that speaks of it."""
    ending: dict[int | None, Item] = {}
    speaking: dict[int | None, Item] = {}
    for item in items:
        if isinstance(item, GraphPath):
            ending.setdefault(item.end, item)
        for entity in item.entities:
            speaking.setdefault(entity, item)
    return speaking | ending


def stage_table(trace: Trace) -> Table:
    """Seconds, counts and model use of every stage."""
    cost = ("cost",) if trace.ledger["cost"] else ()
    table = Table("stage", "ms", "in", "out", "calls", "kept", "tokens in/out", *cost, box=None, pad_edge=False)
    for column in (1, *range(4, 7 + len(cost))):
        table.columns[column].justify = "right"
    for depth, stage in trace.walk():
        used = {name: getattr(stage, name) for name in trace.ledger}
        counts = _counts(stage.counts_in), _counts(stage.counts_out)
        table.add_row(Text(f"{'  ' * depth}{stage.stage}"), f"{1000 * stage.seconds:,.1f}", *counts, *_used(used, cost))
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
