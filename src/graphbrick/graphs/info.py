"""Facts about a graph folder as plain values: counts, origin, and the most frequent relations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.properties.values import Kind, PropertyColumn
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.languages import language_of
from graphbrick.graphs.store.beside_text import has_text
from graphbrick.graphs.store.literals import literal_types

_LANGUAGES = 4  # that the kind of a property names
_BLOCK = 1 << 22  # entries of a large array that are read together
TOP = 20
"""Relations and types that `graph_info` lists by default."""


def graph_info(graph: Graph, *, top: int | None = TOP) -> dict[str, Any]:
    """Return counts and origin of a graph, its most frequent relations and types, and its properties.

    Args:
        graph: The graph.
        top: Most relations, and most types, that are listed; "more_relations" and "more_types" count the others.
            None for all.

    Returns:
        Plain JSON types.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> info = graph_info(tiny_graph())
        >>> info["entities"], info["triples"], info["top_relations"][0]
        (8, 10, {'label': 'borders', 'triples': 4})
    """
    counts = relation_counts(graph)
    used = [relation for relation in np.argsort(-counts, kind="stable").tolist() if counts[relation]]
    manifest, types = graph.manifest, type_counts(graph)
    return {
        "graph": str(graph.path),
        "entities": graph.n_entities,
        "relations": graph.n_relations,
        "triples": graph.n_triples,
        **({"changes": change_counts(graph)} if graph.changes.files else {}),
        "isolated": isolated(graph),
        "duplicates": manifest.duplicates,
        "left_out": manifest.left_out,
        "labels_read": manifest.labels_read,
        "near_misses": manifest.near,
        "skipped": manifest.skipped,
        "bytes": size(graph),
        "source": manifest.source,
        "hash": graph.hash,
        "format_version": manifest.version,
        "created_by": manifest.created_by,
        "literals": {
            graph.relation_label(relation): str(kind) for relation, kind in sorted(literal_types(graph).items())
        },
        "top_relations": [{"label": graph.relation_label(r), "triples": int(counts[r])} for r in used[:top]],
        "more_relations": len(used[top:]) if top is not None else 0,
        "types": [{"type": name, "entities": count} for name, count in types[:top]],
        "more_types": len(types[top:]) if top is not None else 0,
        **graph_properties(graph),
        "not_kept": manifest.not_kept,
    }


def graph_properties(graph: Graph) -> dict[str, Any]:
    """Return the properties of entities and triples, as plain JSON types."""
    languages = _languages(graph)
    facts = [property_facts(column, languages.get(column.name, ())) for column in graph.property_columns()]
    return {
        "properties": facts,
        "triple_properties": list(map(property_facts, graph.triple_columns())),
    }


def _languages(graph: Graph) -> dict[str, list[str]]:
    """Return the languages of a few texts of each property by its name."""
    tags: dict[str, set[str]] = {}
    for relation, known in graph.value_relations().items():
        tags.setdefault(graph.relation_label(relation), set()).update(language_of(graph.key(t)) for t in known.examples)
    return {name: sorted(found - {""}) for name, found in tags.items()}


def property_facts(column: PropertyColumn, languages: Sequence[str] = ()) -> dict[str, Any]:
    """Return a property with its kind, count and examples, as plain JSON types.

    Args:
        column: The property.
        languages: Tags of the languages of its texts.
    """
    kind = f"list of {column.kind}" if column.is_list else str(column.kind)
    kind += f" in {column.unit}" if column.unit else ""
    if column.kind == Kind.TEXT and languages:
        kind += f" in {', '.join(languages[:_LANGUAGES])}" + (", ..." if len(languages) > _LANGUAGES else "")
    return {"name": column.name, "kind": kind, "count": column.count, "examples": list(column.examples)}


def type_counts(graph: Graph) -> list[tuple[str, int]]:
    """Return the types of entities with the number of their entities, most frequent first."""
    counts: Counter[str] = Counter()
    if graph.type_table is not None:
        _, ids, names = graph.type_table
        numbers = np.bincount(ids, minlength=len(names)).tolist()
        counts.update({names[i]: number for i, number in enumerate(numbers)})
    for entity, changed in graph.changes.facts.items():
        if changed.types is not None:
            counts.update(changed.types)
            counts.subtract(graph.built_types(entity))
    return [(name, count) for name, count in counts.most_common() if count]


def change_counts(graph: Graph) -> dict[str, int | bool]:
    """Return counts of the changes of a graph; graphs made from documents are never advised to be compacted."""
    counts = graph.changes.counts(graph.manifest.triples)
    return {**counts, "compact_advised": False} if has_text(graph.path) else counts


def relation_counts(graph: Graph) -> npt.NDArray[np.int64]:
    """Return the number of triples of each relation, int64 [relations]."""
    counts = np.zeros(graph.n_relations, dtype=np.int64)
    for run in graph.csr.runs():
        for start in range(run.start, run.stop, _BLOCK):
            block = graph.csr.relation[start : min(start + _BLOCK, run.stop)]
            counts += np.bincount(block, minlength=graph.n_relations)
    return counts


def isolated(graph: Graph) -> int:
    """Return the number of entities without any triple."""
    csr, count = graph.csr, 0
    for start in range(0, csr.n_nodes, _BLOCK):
        part = slice(start, start + _BLOCK)
        alone = (csr.out_begin[part] == csr.out_end[part]) & (csr.in_begin[part] == csr.in_end[part])
        count += int(np.count_nonzero(alone))
    return count


def size(graph: Graph) -> int:
    """Return the size of a graph on disk in bytes."""
    return sum(entry.bytes for entry in graph.manifest.files.values())


def skipped(graph: Graph) -> list[dict[str, Any]]:
    """Return the bad records that a build left out, as far as they were stored."""
    file = graph.path / "skipped.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line] if file.is_file() else []
