"""The files of a LightRAG storage folder, as rows of the tables that an import reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from graphbrick.core.errors import InputError
from graphbrick.language.counting import counted
from graphbrick.text.exchange.graphrag.tables import Row, text_of

BETWEEN = "<SEP>"
"""Stands between the descriptions and the passages of an entity or a relation."""

GRAPH, CHUNKS, DOCUMENTS = "graph_chunk_entity_relation.graphml", "kv_store_text_chunks.json", "kv_store_full_docs.json"
STATUS = "kv_store_doc_status.json"
ENTITY_CHUNKS, RELATION_CHUNKS = "kv_store_entity_chunks.json", "kv_store_relation_chunks.json"
UNKNOWN = "UNKNOWN"
_UNNAMED = frozenset({"", "unknown_source", "no-file-path"})
_XML = "{http://graphml.graphdrawing.org/xmlns}"


def is_lightrag(folder: Path) -> bool:
    """Return whether a folder is a storage folder of LightRAG."""
    return (folder / GRAPH).is_file() and (folder / CHUNKS).is_file()


class Storage:
    """The documents, chunks, entities and relations of a storage folder, as GraphRAG names them.

    An entity or relation with several descriptions or types has a row for each.

    Args:
        folder: The storage folder (``working_dir``), or the workspace in it.

    Raises:
        InputError: A file is missing or cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        if not is_lightrag(folder):
            raise InputError(
                f"{folder} has no {GRAPH} and {CHUNKS}; name the working_dir of LightRAG, or a workspace in it",
                code="import_lightrag.no_files",
            )
        self.folder = folder
        self.notes: list[str] = []
        self._entity_chunks, self._relation_chunks = self._json(ENTITY_CHUNKS), self._json(RELATION_CHUNKS)
        nodes, edges = list[Row](), list[Row]()
        for row in self._graph(folder / GRAPH):
            (edges if "source" in row else nodes).append(row)
        self._rows = {
            "documents": list(self._documents()),
            "text_units": list(self._chunks()),
            "entities": [part for node in nodes for part in self._entity(node)],
            "relationships": [part for edge in edges for part in self._relation(edge)],
        }

    def __getitem__(self, name: str) -> list[Row]:
        return self._rows.get(name, [])

    def _json(self, name: str) -> dict[str, Any]:
        """Return the entries of a key-value file; none if there is no such file."""
        file = self.folder / name
        if not file.is_file():
            return {}
        try:
            value = json.loads(file.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"it cannot be read as JSON ({error})", file, code="import_lightrag.not_json") from error
        if not isinstance(value, dict):
            raise InputError("it must be a JSON object", file, code="import_lightrag.not_an_object")
        return {str(key): entry for key, entry in value.items() if isinstance(entry, dict)}

    def _documents(self) -> Iterator[Row]:
        chunks: dict[str, list[str]] = {}
        names: dict[str, str] = {}
        for key, chunk in self._json(CHUNKS).items():
            id_ = text_of(chunk, "full_doc_id")
            chunks.setdefault(id_, []).append(key)
            names[id_] = names.get(id_) or _file_name(chunk)
        status = self._json(STATUS)
        for key, document in self._json(DOCUMENTS).items():
            title = _file_name(document) or _file_name(status.get(key, {})) or names.get(key, "")
            yield {
                "id": key,
                "title": title,
                "text": text_of(document, "content"),
                "text_unit_ids": chunks.get(key, []),
            }
        without = [key for key in status if key not in chunks]
        if without:
            few = ", ".join(_file_name(status[key]) or key for key in without[:3]) + (
                ", ..." if len(without) > 3 else ""
            )
            self.notes.append(f"LightRAG made no chunk of {counted(len(without), 'document')}: {few}")

    def _chunks(self) -> Iterator[Row]:
        order = {key: i for i, key in enumerate(self._json(DOCUMENTS))}
        chunks, status = self._json(CHUNKS).items(), self._json(STATUS)

        def place(entry: tuple[str, Mapping[str, Any]]) -> tuple[int, str, int, str]:
            key, chunk = entry
            number, document = chunk.get("chunk_order_index"), text_of(chunk, "full_doc_id")
            return order.get(document, len(order)), document, number if isinstance(number, int) else 0, key

        for i, (key, chunk) in enumerate(sorted(chunks, key=place)):
            text, document = text_of(chunk, "content"), text_of(chunk, "full_doc_id")
            file = _file_name(chunk) or _file_name(status.get(document, {}))
            yield {"id": key, "human_readable_id": i, "text": text, "document_id": document, "file_path": file}

    def _entity(self, node: Row) -> Iterator[Row]:
        name = str(node["id"])
        type_ = text_of(node, "entity_type").strip('"')
        units = self._units(node, self._entity_chunks.get(name, {}))
        for description in _parts(text_of(node, "description")) or [""]:
            yield {
                "id": name,
                "title": name.strip('"'),
                "type": "" if type_.upper() == UNKNOWN else type_,
                "description": description,
                "text_unit_ids": units,
            }

    def _relation(self, edge: Row) -> Iterator[Row]:
        source, target = str(edge["source"]), str(edge["target"])
        key = BETWEEN.join(sorted((source, target)))
        units = self._units(edge, self._relation_chunks.get(key, {}))
        words = text_of(edge, "keywords").strip('"').replace(BETWEEN, ",").split(",")
        weight = text_of(edge, "weight") or "1"
        for i, description in enumerate(_parts(text_of(edge, "description")) or [""]):
            yield {
                "id": key,
                "source": source.strip('"'),
                "target": target.strip('"'),
                "description": description,
                "weight": 0.0 if i else weight,
                "keywords": [word.strip() for word in words if word.strip()],
                "text_unit_ids": units,
            }

    def _units(self, row: Row, chunks: Mapping[str, Any]) -> list[str]:
        """Return the chunks of an entity or a relation: those in the graph are cut at 200."""
        listed = chunks.get("chunk_ids")
        return list(dict.fromkeys([*_parts(text_of(row, "source_id")), *(listed if isinstance(listed, list) else [])]))

    def _graph(self, file: Path) -> Iterator[Row]:
        """Yield the attributes of every node (with its ``id``) and edge (with ``source`` and ``target``)."""
        names: dict[str, str] = {}
        try:
            for _, element in ElementTree.iterparse(file):
                kind = element.tag.removeprefix(_XML)
                if kind == "key":
                    names[element.attrib["id"]] = element.attrib["attr.name"]
                elif kind in ("node", "edge"):
                    data = element.iter(f"{_XML}data")
                    yield {
                        **{names.get(one.attrib["key"], one.attrib["key"]): (one.text or "") for one in data},
                        **element.attrib,
                    }
                    element.clear()
        except (ElementTree.ParseError, LookupError, ValueError, OSError) as error:
            raise InputError(
                f"it cannot be read as GraphML ({error})", file, code="import_lightrag.not_graphml"
            ) from error


def _parts(text: str) -> list[str]:
    return [part.strip().strip('"') for part in text.split(BETWEEN) if part.strip().strip('"')]


def _file_name(row: Row) -> str:
    """Return the name of the file that a document or chunk is of; empty if LightRAG was told none."""
    name = text_of(row, "file_path").split(BETWEEN)[0]
    return "" if name in _UNNAMED else name
