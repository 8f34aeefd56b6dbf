"""Terminal output of the commands about graphs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphbrick.cli.printing.properties import print_not_kept, print_properties, print_types
from graphbrick.cli.printing.terminal import console, plain, print_json
from graphbrick.graphs.info import TOP, change_counts, graph_info, graph_properties, isolated, size, skipped
from graphbrick.language.counting import counted

if TYPE_CHECKING:  # so that `info` does not load what changes graphs, and numba
    from graphbrick.graphs.changes.delta import Change
    from graphbrick.graphs.changes.refreshing import Refreshed
    from graphbrick.graphs.databases.graph import DatabaseGraph
    from graphbrick.graphs.graph import Graph
    from graphbrick.graphs.local.extracted import ExtractedGraph
    from graphbrick.graphs.partitions import Partitions

_MISMATCH = "; are these the nodes of these edges?"
_SKIPPED_SHOWN = 20
_SHOWN = 20


def print_refreshed(place: Path, done: Refreshed, *, as_json: bool) -> None:
    """Print the report of a refresh."""
    counts = {name: getattr(done, name) for name in ("copied", "replaced", "added", "deleted", "described")}
    if as_json:
        print_json({"graph": str(place), "changed": done.changed, **counts})
        return
    if done.replaced:
        told = "replaced by a new copy"
    elif done.changed:
        told = (
            f"{counted(done.added, 'triple')} added, {done.deleted:,} deleted, {done.described:,} described; what lies "
            "beside it was kept"
        )
    else:
        told = "nothing has changed"
    console().print(plain(f"{place}: {told}"))


def print_understood(lines: Sequence[str]) -> None:
    """Print how the files of a build are read."""
    for line in lines:
        console().print(plain(line))


def print_built(
    graph: Graph, *, as_json: bool, learning: bool = False, understood: Sequence[str] | None = None
) -> None:
    """Print the report of a build.

    Args:
        graph: The graph.
        as_json: Print JSON.
        learning: Whether its relations are learned next.
        understood: How its files were read, for JSON; None if it was not built from files.
    """
    if as_json:
        print_json(graph_info(graph) | ({} if understood is None else {"understood": list(understood)}))
        return
    out, facts = console(), graph.manifest
    out.print(
        f"{graph.path}: {counted(facts.entities, 'entity')}, {counted(facts.relations, 'relation')}, "
        f"{counted(facts.triples, 'triple')} "
        f"({size(graph) / 1e6:,.1f} MB)"
    )
    if facts.duplicates:
        out.print(f"given more than once, and stored once: {counted(facts.duplicates, 'triple')}")
    if facts.left_out:
        out.print(f"left out by the rules: {counted(facts.left_out, 'triple')}")
    if facts.labels_read:
        out.print(f"read as labels: {counted(facts.labels_read, 'triple')}")
    if not facts.near:
        out.print("there is no index for near misses of names (--near)")
    print_properties(out, graph_properties(graph))
    print_not_kept(out, facts.not_kept)
    alone = isolated(graph) if facts.triples else 0  # a table of records may have no triples
    if alone:
        is_described = bool(graph.first_type(graph.triple(0)[0]))  # so edges lead to nodes of the tables
        mismatch = _MISMATCH if alone > facts.entities / 2 and not is_described else ""
        out.print(f"without a triple: {counted(alone, 'entity')}{mismatch}")
    if facts.triples >= 100 and facts.relations > facts.triples / 2:
        out.print("note: most triples have a relation of their own; are the columns right? (--columns)")
    if facts.skipped:
        rows = skipped(graph)
        first = f"the first {len(rows):,} of " if len(rows) < facts.skipped else ""
        out.print(
            f"left out: {counted(facts.skipped, 'bad record')}; {graph.path / 'skipped.jsonl'} lists {first}them:"
        )
        for row in rows[:_SKIPPED_SHOWN]:
            where = f"{row['file']}, line {row['line']}" if row["line"] else row["file"]
            out.print(plain(f"  {where}: {row['reason']}"))
        if facts.skipped > _SKIPPED_SHOWN:
            out.print(f"  ... and {facts.skipped - _SKIPPED_SHOWN:,} more")
    from graphbrick.learn.learned import is_learned, learned_place

    if facts.triples and not learning and not is_learned(learned_place(graph)):
        out.print(f"learn its relations first, for better answers: graphbrick learn {shlex.quote(str(graph.path))}")
    out.print(f'ask it: graphbrick ask {shlex.quote(str(graph.path))} "your question"')


def print_info(graph: Graph, *, checked: bool, as_json: bool) -> None:
    """Print counts, relations, types, properties and the manifest of a graph."""
    facts = graph_info(graph, top=None if as_json else TOP)
    if as_json:
        print_json({**facts, "checked": checked})
        return
    out = console()
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in facts.items():
        if not isinstance(value, list | dict) and not name.startswith("more_"):
            table.add_row(Text(name, style="bold"), Text(f"{value:,}" if isinstance(value, int) else str(value)))
    out.print(table)
    if graph.changes.files:
        out.print(pending(graph))
    if checked:
        out.print("every file has the checksum it was built with, and all fit each other")
    relations = Table("relation", "triples", "values", box=None, pad_edge=False)
    for row in facts["top_relations"]:
        relations.add_row(Text(plain(row["label"])), f"{row['triples']:,}", facts["literals"].get(row["label"], ""))
    out.print(relations)
    if facts["more_relations"]:
        out.print(f"... and {facts['more_relations']:,} relations more (--json)")
    print_types(out, facts)
    print_properties(out, facts)
    print_not_kept(out, facts["not_kept"])


def print_schema(graph: DatabaseGraph, *, as_json: bool) -> None:
    """Print the classes and relations of a graph in a database."""
    schema = graph.schema()
    if as_json:
        print_json({"address": graph.path, "language": graph.language, **asdict(schema)})
        return
    out = console()
    out.print(f"{graph.path}: {graph.language}")
    classes = Table("class", "entities", "properties", box=None, pad_edge=False)
    for one in schema.classes[:_SHOWN]:
        classes.add_row(
            Text(plain(one.name)), _count(one.count), Text(plain(", ".join(p.name for p in one.properties)))
        )
    out.print(classes)
    table = Table("from", "relation", "to", "triples", box=None, pad_edge=False)
    for link in schema.connections[:_SHOWN]:
        name = f"{link.relation} {{label: {link.label!r}}}" if link.label else link.relation
        table.add_row(Text(plain(link.head)), Text(plain(name)), Text(plain(link.tail)), _count(link.count))
    out.print(table)
    more = max(len(schema.classes) - _SHOWN, 0) + max(len(schema.connections) - _SHOWN, 0)
    if more:
        out.print(f"... and {more:,} rows more (--json)")
    if not schema.is_complete:
        out.print("read from a sample, so that there may be more")


def print_extracted(graph: ExtractedGraph, *, checked: bool, as_json: bool) -> None:
    """Print settings, counts and the first sets of extracted subgraphs."""
    if as_json:
        sets = {name: list(seeds) for name, seeds in graph.sets.items()}
        print_json({**graph.settings, "hash": graph.hash, "sets": sets, "checked": checked})
        return
    out = console()
    out.print(
        plain(f"{graph.path}: {counted(len(graph.sets), 'subgraph')} extracted from {graph.settings.get('source')}")
    )
    for name in ("settings", "counts"):
        facts = graph.settings.get(name)
        if isinstance(facts, dict):
            out.print(plain(f"{name}: {', '.join(f'{key} {value}' for key, value in facts.items())}"))
    print_not_kept(out, graph.left_out)
    table = Table("set", "seeds", box=None, pad_edge=False)
    for name, seeds in list(graph.sets.items())[:_SHOWN]:
        table.add_row(Text(plain(name)), Text(plain(", ".join(seeds))))
    out.print(table)
    if len(graph.sets) > _SHOWN:
        out.print(f"... and {len(graph.sets) - _SHOWN:,} more (--json)")
    if checked:
        out.print("every row could be read, and all tables fit each other")


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def print_partitions(graph: Graph, partitions: Partitions, folder: str, *, seconds: float, as_json: bool) -> None:
    """Print the number of partitions of a graph, their sizes and their modularity."""
    sizes, modularity = np.sort(np.diff(partitions.pointer))[::-1].tolist(), partitions.modularity(graph)
    if as_json:
        print_json({"partitions": len(sizes), "entities": sum(sizes), "largest": sizes[:20], "folder": folder,
                    "modularity": modularity, "seconds": seconds})  # fmt: skip
        return
    largest = ", ".join(f"{size:,}" for size in sizes[:5])
    console().print(
        f"{counted(len(sizes), 'partition')}, the largest of {largest or 0} entities, modularity {modularity:.3f}, "
        f"in {seconds:,.1f} s, kept in {folder}"
    )


def pending(graph: Graph) -> str:
    """Describe the changes since a graph was built."""
    facts = change_counts(graph)
    advice = f"; fold them in: graphbrick compact {shlex.quote(str(graph.path))}" if facts["compact_advised"] else ""
    return (
        f"changed since it was built: {counted(facts['triples_added'], 'triple')} and "
        f"{counted(facts['entities_added'], 'entity')} added, {counted(facts['triples_deleted'], 'triple')} deleted, "
        f"{counted(facts['entities_described'], 'entity')} described anew"
        f"{advice}"
    )


def print_change(change: Change, *, as_json: bool) -> None:
    """Print the number of triples added, deleted and left out."""
    if as_json:
        print_json(change.to_dict())
        return
    out, graph = console(), change.graph
    out.print(
        f"{graph.path}: {counted(change.added, 'triple')} added, {change.deleted:,} deleted, "
        f"{counted(change.entities, 'entity')} new, {change.described:,} described anew; "
        f"it has {counted(graph.n_triples, 'triple')} now"
    )
    if change.known:
        out.print(f"there already, or given more than once: {counted(change.known, 'triple')}")
    if change.missing:
        out.print(f"not there to delete: {counted(len(change.missing), 'triple')}")
        _print_first(out, [" -> ".join(triple) for triple in change.missing], len(change.missing))
    if change.bad.count:
        out.print(f"left out: {counted(change.bad.count, 'bad record')}")
        _print_first(out, list(map(str, change.bad.errors)), change.bad.count)
    print_not_kept(out, change.left_out.to_dict())
    if change_counts(graph)["compact_advised"]:
        out.print(pending(graph))


def _print_first(out: Console, lines: list[str], count: int) -> None:
    for line in lines[:_SHOWN]:
        out.print(plain(f"  {line}"))
    if count > _SHOWN:
        out.print(f"  ... and {count - _SHOWN:,} more")
