"""A small storage folder as LightRAG 1.5.7 writes it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.sax.saxutils import escape

TEXT = "Kisumu is a port on Lake Victoria. The lake borders Kenya. Kericho grows tea."
CHUNKS = {"doc-1-chunk-000": TEXT[:58], "doc-1-chunk-001": TEXT[59:], "doc-2-chunk-000": "Tea & milk is a drink."}
NODES = {  # type, descriptions, chunks
    "Kisumu": ("location", "Kisumu is a port.<SEP>A town.", "doc-1-chunk-000"),
    "Lake Victoria": ("location", "A large lake.", "doc-1-chunk-000"),
    "Kenya": ("UNKNOWN", "The lake borders Kenya.", "doc-1-chunk-000"),
    "Kericho": ("location", "Kericho grows tea.", "doc-1-chunk-001"),
    "Tea": ("product", "Tea is a drink.", "doc-1-chunk-001"),
}
EDGES = {  # weight, description, keywords, chunks
    ("Kisumu", "Lake Victoria"): (2.0, "Kisumu is a port on it.<SEP>It lies there.", "port,shore", "doc-1-chunk-000"),
    ("Lake Victoria", "Kenya"): (1.0, "The lake borders Kenya.", "border", "doc-1-chunk-000"),
    ("Kericho", "Tea"): (1.0, "Kericho grows tea.", "farming", "doc-1-chunk-001"),
}
NODE_KEYS = ("entity_id", "entity_type", "description", "source_id", "file_path", "created_at", "truncate")
EDGE_KEYS = ("weight", "description", "keywords", "source_id", "file_path", "created_at", "truncate")


def _data(keys: dict[str, str], **values: object) -> str:
    return "".join(f'<data key="{keys[name]}">{escape(str(value))}</data>' for name, value in values.items())


def graphml() -> str:
    """Return the graph as networkx writes it."""
    of_nodes = {name: f"d{i}" for i, name in enumerate(NODE_KEYS)}
    of_edges = {name: f"d{i + len(NODE_KEYS)}" for i, name in enumerate(EDGE_KEYS)}
    lines = ['<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    for kind, keys in (("edge", of_edges), ("node", of_nodes)):
        lines += [f'<key id="{id_}" for="{kind}" attr.name="{name}" attr.type="string"/>' for name, id_ in keys.items()]
    lines.append('<graph edgedefault="undirected">')
    for name, (type_, description, chunk) in NODES.items():
        data = _data(of_nodes, entity_id=name, entity_type=type_, description=description, source_id=chunk, truncate="")
        lines.append(f'<node id="{name}">{data}</node>')
    for (one, other), (weight, description, keywords, chunk) in EDGES.items():
        data = _data(of_edges, weight=weight, description=description, keywords=keywords, source_id=chunk)
        lines.append(f'<edge source="{one}" target="{other}">{data}</edge>')
    return "\n".join([*lines, "</graph></graphml>"])


def write_storage(folder: Path) -> Path:
    """Write the storage folder and return it."""
    folder.mkdir(parents=True)
    (folder / "graph_chunk_entity_relation.graphml").write_text(graphml(), encoding="utf-8")
    documents = {
        "doc-1": {"content": TEXT, "file_path": "lakes.txt"},
        "doc-2": {"content": CHUNKS["doc-2-chunk-000"], "file_path": "unknown_source"},
    }
    chunks = {
        key: {
            "tokens": 9,
            "content": text,
            "chunk_order_index": int(key[-3:]),
            "full_doc_id": key[:5],
            "file_path": documents[key[:5]]["file_path"],
        }
        for key, text in reversed(CHUNKS.items())
    }
    of_entities = {"Tea": {"chunk_ids": ["doc-1-chunk-001", "doc-2-chunk-000"], "count": 2}}
    for name, value in (("full_docs", documents), ("text_chunks", chunks), ("entity_chunks", of_entities)):
        (folder / f"kv_store_{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return folder
