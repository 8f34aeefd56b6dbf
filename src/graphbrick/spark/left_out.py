"""What a source says beside its triples and labels, which Spark does not carry along."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from graphbrick.core.trace import event
from graphbrick.graphs.export.columns import properties_left_out
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store.strings import StringTable


def folder_left_out(folder: str) -> LeftOut:
    """Return what Spark leaves out of a graph folder: properties, types, descriptions and aliases."""
    left_out, graph = LeftOut(), Graph.open(Path(folder.removeprefix("file:")).expanduser().absolute())
    properties_left_out(graph, left_out)
    facts = graph.changes.facts.values()
    types = 0 if graph.type_table is None else len(graph.type_table[1])
    types += sum(len(changed.types or ()) for changed in facts)
    if types:
        left_out.add("types of entities", next(iter(graph.type_labels()), ""), types)
    for name, has_any in (
        ("descriptions", any(changed.description for changed in facts)),
        ("aliases", any(changed.aliases for changed in facts) or len(StringTable.open(graph.path, "aliases")) > 0),
    ):
        if has_any or (name == "descriptions" and StringTable.file(name) in graph.manifest.files):
            left_out.add(f"table of {name} of entities")
    return left_out


def columns_left_out(columns: Sequence[str], read: Collection[int | None], left_out: LeftOut) -> None:
    """Report the columns of a table that are not read.

    Args:
        columns: The names of all columns.
        read: The indices of those that are read.
        left_out: Receives the others.
    """
    for place, name in enumerate(columns):
        if place not in read:
            left_out.add("columns of the table", name)


def tell_left_out(left_out: LeftOut) -> None:
    """Record an event for each kind of what is left out."""
    for what, n in left_out.counts.items():
        event(f"Spark does not carry along {n:,} {what}", "spark.left_out", what=what, n=n)
