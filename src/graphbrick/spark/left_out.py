"""What a source says beside its triples and labels, which Spark does not carry along."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from graphbrick.core.properties.values import Properties
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store.strings import StringTable


def folder_left_out(folder: str) -> LeftOut:
    """Return what Spark leaves out of a graph folder: properties, types, descriptions and aliases."""
    left_out, graph = LeftOut(), Graph.open(Path(folder.removeprefix("file:")).expanduser().absolute())
    for column in graph.columns:
        left_out.add(_values(of_triples=column.of_triples), column.name, len(column))
    facts = graph.changes.facts.values()
    _add_changed((changed.properties for changed in facts if changed.properties), left_out, of_triples=False)
    _add_changed(graph.changes.added_properties, left_out, of_triples=True)
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


def _add_changed(several: Iterable[Properties], left_out: LeftOut, *, of_triples: bool) -> None:
    for properties in several:
        for name in properties:
            left_out.add(_values(of_triples=of_triples), name)


def _values(*, of_triples: bool) -> str:
    return f"values of properties of {'triples' if of_triples else 'entities'}"


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
