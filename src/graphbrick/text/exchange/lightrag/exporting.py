"""Write a graph made from text as a storage folder of LightRAG."""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import md5
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.corpus import OCCURS_WITH, TextGraph
from graphbrick.graphs.export.place import Export, Written, new_export_folder, tell_left_out
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.models.llm.context_budget import text_tokens
from graphbrick.models.vectors.store import store_of
from graphbrick.text.documents.store import TextStore
from graphbrick.text.exchange.left_out import facts_left_out
from graphbrick.text.exchange.lightrag.storage import (
    BETWEEN,
    CHUNKS,
    DOCUMENTS,
    ENTITY_CHUNKS,
    GRAPH,
    RELATION_CHUNKS,
    UNKNOWN,
)
from graphbrick.text.reporting.reports import reports_of, reports_place

STATUS, REPLIES = "kv_store_doc_status.json", "kv_store_llm_response_cache.json"
DOCUMENT_ENTITIES, DOCUMENT_RELATIONS = "kv_store_full_entities.json", "kv_store_full_relations.json"
VECTORS = {kind: f"vdb_{kind}.json" for kind in ("chunks", "entities", "relationships")}
_BATCH, _SUMMARY = 1024, 100
_LONG_AGO = "1970-01-01T00:00:00+00:00"  # the same graph gives the same files
_FIELDS = {
    "node": ("entity_id", "entity_type", "description", "source_id", "file_path", "created_at", "truncate"),
    "edge": ("weight", "description", "keywords", "source_id", "file_path", "created_at", "truncate"),
}
_TYPES = {"weight": "double", "created_at": "long"}


class _Chunk(NamedTuple):
    id: str
    document: str
    address: str
    number: int
    text: str


def to_lightrag(
    graph: TextGraph,
    target: str | PathLike[str],
    *,
    embedder: Embedder | None = None,
    overwrite: bool = False,
    left_out: LeftOut | None = None,
) -> Written:
    """Write a graph as a storage folder that LightRAG 1.5 opens, and `import_lightrag` reads again.

    Relations are undirected there, with one for each pair of entities: triples between the same two become one, with
    all descriptions and keywords. A triple without description is described by its words, and one without keywords
    has its relation as keyword. Two entities that only occur in one sentence have no relation. LightRAG must embed
    questions by the same model.

    Args:
        graph: The graph.
        target: The folder to make, the ``working_dir`` of LightRAG.
        embedder: Embeds entities, relations and chunks, by default MiniLM() (all-MiniLM-L6-v2, 384 dimensions).
        overwrite: Replace an earlier export.
        left_out: Receives what the files cannot hold: aliases, further types, properties, claims, reports of
            communities, and triples that are joined.

    Returns:
        The folder, and the number of relations.

    Raises:
        GraphbrickError: The target exists or cannot be written, or the documents of the graph are missing.
    """
    content = _Content(graph)
    files = {**content.key_values(), **{VECTORS[kind]: rows for kind, rows in content.vectors(embedder or MiniLM())}}
    path = Path(target)
    with new_export_folder(path, (".json", ".graphml"), overwrite=overwrite) as work:
        (work / GRAPH).write_text("\n".join(content.graphml()), encoding="utf-8")
        for name, value in files.items():
            (work / name).write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    left_out = LeftOut() if left_out is None else left_out
    facts_left_out(graph, len(content.edges), left_out)
    for what, n in (("claims", len(graph.claims)), ("reports of communities", _count_reports(graph))):
        if n:
            left_out.add(what, n=n)
    tell_left_out(left_out)
    return Written(path, len(content.edges))


EXPORT = Export(to_lightrag, takes=("embedder", "left_out"), needs_text=True)


def _count_reports(graph: TextGraph) -> int:
    is_there = reports_place(graph).facts() is not None
    return len(reports_of(graph).of) if is_there else 0


class _Content:
    """The contents of the files."""

    def __init__(self, graph: TextGraph) -> None:
        self._graph = graph
        labels = [graph.label(entity) for entity in range(graph.n_entities)]
        counts = Counter(labels)
        self._names = [one if counts[one] == 1 else f"{one} ({graph.key(i)})" for i, one in enumerate(labels)]
        self._documents = self._read_documents()
        self._chunks = list(self._read_chunks())
        self._nodes = {self._names[entity]: self._node(entity) for entity in range(graph.n_entities)}
        self.edges = self._read_edges()

    def _read_documents(self) -> dict[str, tuple[str, str]]:
        """Return the id and the text of each document, by address."""
        documents: dict[str, tuple[str, str]] = {}
        with TextStore(text_folder(self._graph.place)) as store:
            for passage in range(self._graph.n_passages):
                address = self._graph.passage(passage).document
                if address in documents:
                    continue
                document = store.document(address)
                if document is None:
                    raise GraphbrickError(
                        f"{store.folder} does not have the document {address}, which {self._graph.path} was made from; "
                        "index again",
                        code="export_lightrag.no_document",
                    )
                documents[address] = _id("doc-", address), document[1]
        return documents

    def _read_chunks(self) -> Iterator[_Chunk]:
        counts: dict[str, int] = {}
        for passage in range(self._graph.n_passages):
            text, address, *_ = self._graph.passage(passage)
            number = counts[address] = counts.get(address, -1) + 1
            document = self._documents[address][0]
            yield _Chunk(f"{document}-chunk-{number:03}", document, address, number, text)

    def _node(self, entity: int) -> dict[str, Any]:
        name, chunks = self._names[entity], self._graph.mentioned_in(entity).tolist()
        return {
            "entity_id": name,
            "entity_type": self._graph.first_type(entity) or UNKNOWN,
            "description": self._graph.description(entity) or name,
            **self._sources(chunks),
        }

    def _sources(self, passages: Sequence[int]) -> dict[str, Any]:
        chunks = [self._chunks[passage] for passage in passages]
        return {
            "source_id": BETWEEN.join(chunk.id for chunk in chunks),
            "file_path": BETWEEN.join(dict.fromkeys(chunk.address for chunk in chunks)),
            "created_at": 0,
            "truncate": "",
        }

    def _read_edges(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Return the relations by their ends, in order."""
        graph, triples = self._graph, dict[tuple[str, str], list[int]]()
        for triple in graph.triple_ids().tolist():
            head, relation, tail = graph.triple(triple)
            if head != tail and graph.relation_key(relation) != OCCURS_WITH:
                one, other = sorted((self._names[head], self._names[tail]))
                triples.setdefault((one, other), []).append(triple)
        begin, support = graph.support or (np.zeros(graph.n_triples + 1, dtype=np.int64), np.zeros(0, dtype=np.int32))
        edges = {}
        for ends, ids in triples.items():
            passages = {int(one) for triple in ids for one in support[begin[triple] : begin[triple + 1]]}
            keywords = (word for triple in ids for word in self._keywords(triple))
            edges[ends] = {
                "weight": float(sum(1.0 if graph.weights is None else graph.weights[triple] for triple in ids)),
                "description": BETWEEN.join(dict.fromkeys(map(self._description, ids))),
                "keywords": ",".join(dict.fromkeys(keywords)),
                **self._sources(sorted(passages)),
            }
        return edges

    def _description(self, triple: int) -> str:
        head, relation, tail = self._graph.triple(triple)
        words = f"{self._names[head]} {self._graph.relation_label(relation)} {self._names[tail]}"
        return self._graph.triple_description(triple) or words

    def _keywords(self, triple: int) -> tuple[str, ...]:
        return self._graph.triple_keywords(triple) or (self._graph.relation_label(self._graph.relation_of(triple)),)

    # Files

    def graphml(self) -> Iterator[str]:
        """Yield the lines of the graph."""
        yield '<?xml version="1.0" encoding="utf-8"?>'
        yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        for kind, fields in _FIELDS.items():
            for name in fields:
                type_ = _TYPES.get(name, "string")
                yield f'<key id="{kind}_{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>'
        yield '<graph edgedefault="undirected">'
        for name, node in self._nodes.items():
            yield f"<node id={quoteattr(_xml(name))}>{_data('node', node)}</node>"
        for (one, other), edge in self.edges.items():
            ends = f"source={quoteattr(_xml(one))} target={quoteattr(_xml(other))}"
            yield f"<edge {ends}>{_data('edge', edge)}</edge>"
        yield "</graph></graphml>"

    def key_values(self) -> dict[str, dict[str, Any]]:
        """Return the content of the key-value files by name."""
        files: dict[str, dict[str, Any]] = {
            CHUNKS: {chunk.id: self._chunk(chunk) for chunk in self._chunks},
            DOCUMENTS: {id_: {"content": text, "file_path": at} for at, (id_, text) in self._documents.items()},
            ENTITY_CHUNKS: {name: _listed(node) for name, node in self._nodes.items()},
            RELATION_CHUNKS: {BETWEEN.join(ends): _listed(edge) for ends, edge in self.edges.items()},
            STATUS: {},
            DOCUMENT_ENTITIES: {id_: {"entity_names": [], "count": 0} for id_, _ in self._documents.values()},
            DOCUMENT_RELATIONS: {id_: {"relation_pairs": [], "count": 0} for id_, _ in self._documents.values()},
            REPLIES: {},
        }
        listed: dict[str, list[str]] = {}
        for chunk in self._chunks:
            listed.setdefault(chunk.address, []).append(chunk.id)
        for address, (id_, text) in self._documents.items():
            chunks = listed[address]
            files[STATUS][id_] = {
                "status": "processed",
                "content_summary": text[:_SUMMARY],
                "content_length": len(text),
                "created_at": _LONG_AGO,
                "updated_at": _LONG_AGO,
                "file_path": address,
                "chunks_count": len(chunks),
                "chunks_list": chunks,
            }
        for file, field, rows in (
            (DOCUMENT_ENTITIES, "entity_names", self._nodes),
            (DOCUMENT_RELATIONS, "relation_pairs", self.edges),
        ):
            for key, row in rows.items():
                for document in dict.fromkeys(one.rpartition("-chunk-")[0] for one in _listed(row)["chunk_ids"]):
                    files[file][document][field].append(key)
                    files[file][document]["count"] += 1
        return files

    def _chunk(self, chunk: _Chunk) -> dict[str, Any]:
        return {
            "tokens": text_tokens(chunk.text),
            "content": chunk.text,
            "chunk_order_index": chunk.number,
            "full_doc_id": chunk.document,
            "file_path": chunk.address,
            "llm_cache_list": [],
        }

    def vectors(self, embedder: Embedder) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the content of each file of vectors."""
        chunks = [
            {"__id__": chunk.id, "content": chunk.text, "full_doc_id": chunk.document, "file_path": chunk.address}
            for chunk in self._chunks
        ]
        entities = [
            {
                "__id__": _id("ent-", name),
                "entity_name": name,
                "content": f"{name}\n{node['description']}",
                "source_id": node["source_id"],
                "file_path": node["file_path"],
            }
            for name, node in self._nodes.items()
        ]
        relations = [
            {
                "__id__": _id("rel-", one + other),
                "src_id": one,
                "tgt_id": other,
                "content": f"{edge['keywords']}\t{one}\n{other}\n{edge['description']}",
                "source_id": edge["source_id"],
                "file_path": edge["file_path"],
            }
            for (one, other), edge in self.edges.items()
        ]
        for kind, rows in (("chunks", chunks), ("entities", entities), ("relationships", relations)):
            yield kind, self._embedded(embedder, rows)

    def _embedded(self, embedder: Embedder, rows: list[dict[str, Any]]) -> dict[str, Any]:
        store = store_of(self._graph)
        texts = [str(row["content"]) for row in rows]
        parts = [store.get(embedder, texts[i : i + _BATCH]) for i in range(0, len(texts), _BATCH)]
        width = parts[0].shape[1] if parts else len(store.query_vector(embedder, "a"))
        matrix = np.concatenate([np.zeros((0, width), dtype=np.float32), *parts]).astype(np.float32)
        for row, vector in zip(rows, matrix, strict=True):
            row["__created_at__"] = 0
            row["vector"] = _packed(zlib.compress(vector.astype(np.float16).tobytes()))
        return {"embedding_dim": width, "data": rows, "matrix": _packed(matrix.tobytes())}


def _listed(row: Mapping[str, Any]) -> dict[str, Any]:
    ids = [one for one in str(row["source_id"]).split(BETWEEN) if one]
    return {"chunk_ids": ids, "count": len(ids)}


def _packed(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _id(prefix: str, text: str) -> str:
    return prefix + md5(text.encode(), usedforsecurity=False).hexdigest()


def _xml(text: str) -> str:
    """Return a text without the control characters that XML does not have."""
    return "".join(letter for letter in text if letter >= " " or letter in "\t\n")


def _data(kind: str, row: Mapping[str, Any]) -> str:
    return "".join(f'<data key="{kind}_{name}">{escape(_xml(str(row[name])))}</data>' for name in _FIELDS[kind])
