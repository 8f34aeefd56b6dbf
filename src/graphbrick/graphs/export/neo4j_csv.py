"""Export a graph to the files that ``neo4j-admin database import full`` reads."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from graphbrick.graphs.export.blocks import Step, silent, triple_blocks, writable
from graphbrick.graphs.export.entities import entity_records
from graphbrick.graphs.export.ladybug_names import identifier, new_name
from graphbrick.graphs.export.place import Export, new_export_folder
from graphbrick.graphs.store.stored import StoredGraph

_FILES = ("nodes.csv", "edges.csv")
_PROGRESS = 1 << 14
_LINES = re.compile(r"[\r\n]+")
UNTYPED = "Entity"
"""The label of nodes without a type."""


def to_neo4j_csv(
    graph: StoredGraph, target: str | PathLike[str], *, overwrite: bool = False, progress: Step = silent
) -> Path:
    """Write a graph as a folder with ``nodes.csv`` and ``edges.csv`` for the import of Neo4j.

    Load it with ``neo4j-admin database import full NAME --nodes=TARGET/nodes.csv --relationships=TARGET/edges.csv``.
    Nodes have the properties key, label, description, aliases and types; their Neo4j labels are their types, as names
    that need no backticks, or Entity. Edges have the properties key and label of their relation. In lists, which
    Neo4j separates by semicolons, a semicolon becomes a comma; a line break becomes a space.

    Args:
        graph: The graph.
        target: The folder to make.
        overwrite: Replace an earlier export.
        progress: Called now and then with the name of the step, what is done and the total.

    Raises:
        GraphbrickError: The target exists or cannot be written.
    """
    path = Path(target)
    with new_export_folder(path, _FILES, overwrite=overwrite) as work:
        taken: set[str] = set()
        names: dict[str, str] = {}
        with (work / "nodes.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["key:ID", "label", "description", "aliases:string[]", "types:string[]", ":LABEL"])
            for done, record in enumerate(entity_records(graph), 1):
                for name in record.types:
                    if name not in names:
                        names[name] = new_name(identifier(name, "Type"), taken)
                labels = ";".join(names[name] for name in record.types) or UNTYPED
                texts = map(_cell, (record.key, record.label or "", record.description or ""))
                rows.writerow([*texts, _list(record.aliases), _list(record.types), labels])
                if done % _PROGRESS == 0 or done == graph.n_entities:
                    progress("nodes", done, graph.n_entities)
        taken, between = set(), []
        for relation in range(graph.n_relations):
            label, key = graph.relation_label(relation), graph.relation_key(relation)
            between.append((new_name(identifier(label, "relation"), taken), _cell(key), _cell(label)))
        with (work / "edges.csv").open("w", encoding="utf-8", newline="") as file:
            rows, done = csv.writer(file, lineterminator="\n"), 0
            rows.writerow([":START_ID", ":END_ID", ":TYPE", "key", "label"])
            for block in triple_blocks(graph):
                for head, relation, tail in zip(*(part.tolist() for part in block), strict=True):
                    rows.writerow([_cell(graph.key(head)), _cell(graph.key(tail)), *between[relation]])
                done += len(block.heads)
                progress("triples", done, graph.n_triples)
    return path


EXPORT = Export(to_neo4j_csv, takes=("progress",))


def _cell(text: str) -> str:
    return _LINES.sub(" ", writable(text))


def _list(texts: Iterable[str]) -> str:
    return ";".join(_cell(text).replace(";", ",") for text in texts)
