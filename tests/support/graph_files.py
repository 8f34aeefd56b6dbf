"""Reading of source files into nodes, edges and what is left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from graphbrick import ReadOptions
from graphbrick.graphs.readers import FileReading, read_parts, source_files
from graphbrick.graphs.readers.ends import ENDS, NAMELESS
from graphbrick.graphs.records.records import BadRecords, EdgeRecord, EntityRecord, RelationRecord

__all__ = ["ENDS", "FileRecords", "read_file"]


@dataclass
class FileRecords:
    """The records of a file by kind; edges are (head, relation, tail, properties)."""

    nodes: dict[str, EntityRecord] = field(default_factory=dict)
    edges: list[tuple[str, str, str, dict[str, object]]] = field(default_factory=list)
    relations: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    nameless: int = 0
    bad: list[str] = field(default_factory=list)


def read_file(file: Path, text: str | bytes | None = None, *, skip: bool = False, **options: str) -> FileRecords:
    """Read a file, after writing its text; with ``skip``, the codes of bad records are kept."""
    if isinstance(text, bytes):
        file.write_bytes(text)
    elif text is not None:
        file.write_text(text, encoding="utf-8")
    reading = FileReading(ReadOptions(**options), BadRecords(skip=skip))  # type: ignore[arg-type]
    records = FileRecords()
    for part in read_parts(source_files(file, None, reading.options), reading):
        if isinstance(part, EntityRecord):
            records.nodes[part.key] = part
        elif isinstance(part, RelationRecord):
            records.relations[part.key] = part.label
        elif isinstance(part, EdgeRecord):
            records.edges.append((*part.triple, dict(part.properties)))
        else:
            assert isinstance(part, tuple)
            records.edges.append((*part, {}))
    records.left_out = dict(reading.left_out.counts)
    records.nameless = records.left_out.pop(NAMELESS, 0)
    records.bad = [error.code for error in reading.bad.errors]
    return records
