"""What the command line prints about a change of a graph."""

from __future__ import annotations

from rich.console import Console

from graphbrick.graphs.delta import Change
from graphbrick.show import console, graph_facts, pending, plain, print_json

_SHOWN = 20


def print_change(change: Change, *, as_json: bool) -> None:
    """What was added or deleted, and what was left out."""
    if as_json:
        counts = {name: getattr(change, name) for name in ("added", "known", "deleted", "entities", "described")}
        bad = {"skipped": change.bad.count, "reasons": list(map(str, change.bad.kept))}
        print_json({"graph": graph_facts(change.graph), **counts, "missing": change.missing, **bad})
        return
    out, graph = console(), change.graph
    out.print(
        f"{graph.path}: {change.added:,} triples added, {change.deleted:,} deleted, {change.entities:,} entities new, "
        f"{change.described:,} described anew; it has {graph.n_triples:,} triples now"
    )
    if change.known:
        out.print(f"{change.known:,} triples were there already, or were given more than once")
    if change.missing:
        out.print(f"{len(change.missing):,} triples to delete were not there:")
        _print_some(out, [" -> ".join(triple) for triple in change.missing], len(change.missing))
    if change.bad.count:
        out.print(f"{change.bad.count:,} bad records were left out:")
        _print_some(out, list(map(str, change.bad.kept)), change.bad.count)
    if graph.changes.advise_compact(graph.manifest.triples):
        out.print(pending(graph))


def _print_some(out: Console, lines: list[str], count: int) -> None:
    for line in lines[:_SHOWN]:
        out.print(plain(f"  {line}"))
    if count > _SHOWN:
        out.print(f"  ... and {count - _SHOWN:,} more")
