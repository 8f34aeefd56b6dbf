"""Export a graph to Parquet tables, which ``graphbrick build`` reads again."""

from __future__ import annotations

import tempfile
from os import PathLike
from pathlib import Path
from typing import Any

from graphbrick.graphs.export.blocks import Step, mapped_texts, silent, triple_blocks, writable
from graphbrick.graphs.export.entities import entity_records
from graphbrick.graphs.export.place import Export, new_export_folder
from graphbrick.graphs.store.stored import StoredGraph

_ROWS = 1 << 17  # per row group
_FILES = ("nodes.parquet", "edges.parquet", "relations.parquet")


def to_parquet(
    graph: StoredGraph, target: str | PathLike[str], *, overwrite: bool = False, progress: Step = silent
) -> Path:
    """Write a graph as a folder with ``nodes.parquet``, ``edges.parquet`` and ``relations.parquet``.

    Nodes have the columns id, label, types, description and aliases (types and aliases are lists); edges have head,
    relation and tail, which are keys; relations have key and label. ``graphbrick build TARGET NEW --labels
    TARGET/relations.parquet`` gives a graph with the same entities and triples. Memory does not grow with the graph.

    Args:
        graph: The graph.
        target: The folder to make.
        overwrite: Replace an earlier export.
        progress: Called now and then with the name of the step, what is done and the total.

    Raises:
        GraphbrickError: The target exists or cannot be written.
    """
    import pyarrow

    path, text = Path(target), pyarrow.string()
    texts = pyarrow.list_(text)
    with new_export_folder(path, _FILES, overwrite=overwrite) as work, tempfile.TemporaryDirectory(dir=work) as scratch:
        columns = {"id": text, "label": text, "types": texts, "description": text, "aliases": texts}
        with _writer(work / "nodes.parquet", columns) as nodes:
            for first in range(0, graph.n_entities, _ROWS):
                last = min(first + _ROWS, graph.n_entities)
                rows = [
                    {
                        "id": writable(record.key),
                        "label": writable(record.label or ""),
                        "types": list(map(writable, record.types)),
                        "description": None if record.description is None else writable(record.description),
                        "aliases": list(map(writable, record.aliases)),
                    }
                    for record in entity_records(graph, first, last)
                ]
                nodes.write_table(pyarrow.Table.from_pylist(rows, nodes.schema))
                progress("nodes", last, graph.n_entities)
        keys = mapped_texts(Path(scratch) / "keys", map(graph.key, range(graph.n_entities)))
        relations = [writable(graph.relation_key(relation)) for relation in range(graph.n_relations)]
        labels = [writable(graph.relation_label(relation)) for relation in range(graph.n_relations)]
        with _writer(work / "relations.parquet", {"key": text, "label": text}) as table:
            table.write_table(pyarrow.table({"key": relations, "label": labels}, table.schema))
        done, between = 0, pyarrow.array(relations, text)
        with _writer(work / "edges.parquet", {"head": text, "relation": text, "tail": text}) as edges:
            for block in triple_blocks(graph):
                parts = (
                    table.take(pyarrow.array(ids)).cast(text)
                    for table, ids in zip((keys, between, keys), block, strict=True)
                )
                edges.write_table(pyarrow.table(list(parts), schema=edges.schema))
                done += len(block.heads)
                progress("triples", done, graph.n_triples)
    return path


EXPORT = Export(to_parquet, takes=("progress",))


def _writer(file: Path, columns: dict[str, Any]) -> Any:
    import pyarrow
    from pyarrow import parquet

    return parquet.ParquetWriter(file, pyarrow.schema(list(columns.items())), compression="zstd")
