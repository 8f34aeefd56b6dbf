"""A small graph and how tests build it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import Record

TRIPLES = [("a", "r", "b"), ("b", "r", "c"), ("c", "s", "a")]


def built(folder: Path, *records: Record, **options: Any) -> Graph:
    return build(records, folder / "g.graph", **options)


def built_from_tables(folder: Path, tables: Mapping[str, str]) -> Graph:
    """Build a graph from the texts of tables by the names of their files, and open it."""
    source = folder / "tables"
    source.mkdir()
    for name, text in tables.items():
        (source / f"{name}.csv").write_text(text, encoding="utf-8")
    return build(source, folder / "tables.graph")


def built_from_nodes_and_edges(folder: Path, nodes: Mapping[str, str], edges: Mapping[str, str]) -> Graph:
    """Build a graph from the texts of tables of nodes and of edges, and open it."""
    tables = {f"nodes_{name}": text for name, text in nodes.items()}
    return built_from_tables(folder, tables | {f"edges_{name}": text for name, text in edges.items()})


def content(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def content_of(graph: Graph) -> tuple[Any, ...]:
    """Return what a graph says, whatever its ids: its entities, its triples, and the labels of relations in use."""
    facts = {
        graph.key(i): (graph.label(i), graph.types(i), graph.description(i), sorted(graph.aliases(i)))
        for i in range(graph.n_entities)
    }
    labels = {graph.relation_key(r): graph.relation_label(r) for r in set(graph.csr.relation.tolist())}
    return facts, Counter(graph.key_triples()), labels
