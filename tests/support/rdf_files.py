"""Files of RDF that tests write and read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphbrick.graphs.readers import ReadOptions, read_source
from graphbrick.graphs.records.records import BadRecords, EdgeRecord, EntityRecord, LeftOut, Record

EX = "http://example.org/"
PREFIXES = """
@prefix : <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def read(file: Path, **options: Any) -> tuple[list[Record], LeftOut]:
    """Return the records of a file, and what its reader left out."""
    left_out = LeftOut()
    read_as = ReadOptions(**options)
    return list(read_source(file, nodes=None, options=read_as, bad=BadRecords(), left_out=left_out)), left_out


def names(records: list[Record], key: str) -> tuple[str | None, set[str]]:
    """Return the label of an entity and its aliases."""
    own = [record for record in records if isinstance(record, EntityRecord) and record.key == key]
    label = [record.label for record in own if record.label is not None][-1:]
    return label[0] if label else None, {alias for record in own for alias in record.aliases}


def triples(records: list[Record]) -> list[tuple[str, str, str]]:
    """Return the triples without properties; keys in the namespace `EX` are shortened."""
    return [(short(h), short(r), short(t)) for h, r, t in (row for row in records if isinstance(row, tuple))]


def edges(records: list[Record]) -> list[tuple[str, str, str, dict[str, Any]]]:
    """Return the triples with properties; keys in the namespace `EX` are shortened."""
    rows = [record for record in records if isinstance(record, EdgeRecord)]
    return [(short(row.head), short(row.relation), short(row.tail), dict(row.properties)) for row in rows]


def short(key: str) -> str:
    """Return a key without the namespace `EX`."""
    return key.removeprefix(EX)
