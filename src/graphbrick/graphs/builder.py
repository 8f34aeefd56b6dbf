"""Building a graph folder from records: streaming in, atomic at the end."""

from __future__ import annotations

import array
import json
from collections.abc import Callable, Container, Iterable, Sequence
from os import PathLike
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

from graphbrick import __version__
from graphbrick.errors import GraphbrickError, InputError
from graphbrick.graphs.atomic import AtomicFolder
from graphbrick.graphs.csr import row_pointers
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.manifest import SKIPPED, FileEntry, Manifest, sha256
from graphbrick.graphs.names import NameIndex
from graphbrick.graphs.readers import ReadOptions, read_source
from graphbrick.graphs.records import BadRecords, EntityRecord, Record, RelationRecord
from graphbrick.graphs.strings import StringTable
from graphbrick.graphs.text import hash64

_SPOOL = 1 << 18  # triples held in memory before they go to the spool file
_PROGRESS = 1 << 14


def build(
    source: str | PathLike[str] | Iterable[Record],
    path: str | PathLike[str],
    *,
    nodes: str | PathLike[str] | None = None,
    options: ReadOptions | None = None,
    skip_bad: bool = False,
    overwrite: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Graph:
    """Build a graph folder from a file, a folder of tables, or Python triples, and open it.

    The graph is written to a temporary folder beside ``path`` and renamed at the end: a build that fails or is killed
    leaves nothing that opens, and an existing graph untouched.

    Args:
        source: A file (``.txt .tsv .csv .parquet .nt .ttl``, also ``.gz``), a folder with ``nodes.*`` and ``edges.*``,
            or an iterable of (head, relation, tail) keys and entity records.
        path: The folder to make.
        nodes: A table with keys, labels, types, descriptions and aliases, when ``source`` is a file of edges.
        options: How to read the source; recognised from the files by default.
        skip_bad: Leave bad records out, count them, and list them in ``skipped.jsonl`` of the graph folder.
        overwrite: Replace a graph that is there already.
        progress: Called now and then with the number of records read.

    Raises:
        InputError: A bad record (its file and line are named), or nothing usable in the source.
        GraphbrickError: The target exists, or cannot be written.

    >>> import tempfile
    >>> from pathlib import Path
    >>> triples = [("Kenya", "capital", "Nairobi"), ("Kenya", "currency", "Kenyan shilling")]
    >>> build(triples, Path(tempfile.mkdtemp()) / "kenya.graph")
    Graph('kenya.graph', entities=3, relations=2, triples=2)
    """
    bad = BadRecords(skip=skip_bad)
    if isinstance(source, str | PathLike):
        node_path = None if nodes is None else Path(nodes)
        records: Iterable[Record] = read_source(
            Path(source), nodes=node_path, options=options or ReadOptions(), bad=bad
        )
        name = str(source)
    else:
        if nodes is not None or options is not None:
            raise InputError("nodes and options are for files; records from Python take neither")
        records, name = _checked(source, bad), "Python records"
    with GraphBuilder(path, source=name, overwrite=overwrite) as builder:
        try:
            for count, record in enumerate(records, 1):
                builder.add(record)
                if progress is not None and count % _PROGRESS == 0:
                    progress(count)
            return builder.finish(bad)
        except OSError as error:
            raise GraphbrickError(f"{path} cannot be written: {error.strerror or error}; is the disk full?") from error


def _checked(records: Iterable[Record], bad: BadRecords) -> Iterable[Record]:
    """Records that come from Python, each checked for its shape."""
    for number, record in enumerate(records, 1):
        if isinstance(record, EntityRecord | RelationRecord):
            fault = _record_fault(record)
            if fault:
                bad.add(InputError(f"{fault}, got {record!r}", line=number, text=repr(record)))
            else:
                yield record
        elif not isinstance(record, Sequence) or isinstance(record, str) or len(record) != 3:
            bad.add(InputError(f"a triple is (head, relation, tail), got {record!r}", line=number, text=repr(record)))
        elif not all(isinstance(part, str) and part.strip() for part in record):
            reason = f"head, relation and tail are texts that are not empty, got {record!r}"
            bad.add(InputError(reason, line=number, text=repr(record)))
        else:
            yield (record[0], record[1], record[2])


def _record_fault(record: EntityRecord | RelationRecord) -> str:
    """What is wrong with a record that comes from Python; empty where nothing is."""
    if not isinstance(record.key, str) or not record.key.strip():
        return "a key is a text that is not empty"
    if isinstance(record, EntityRecord):
        for name in ("aliases", "types"):
            values = getattr(record, name)
            if isinstance(values, str) or not all(isinstance(value, str) for value in values):
                return f"{name} is a tuple of texts"
    return ""


class _Entities:
    """Keys to ids in order of first appearance in a triple, and what is known of each key."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.labels: dict[str, str] = {}
        self.descriptions: dict[str, str] = {}
        self.aliases: dict[str, dict[str, None]] = {}
        self.types: dict[str, dict[str, None]] = {}
        self._described: dict[str, None] = {}

    def id(self, key: str) -> int:
        return self.ids.setdefault(key, len(self.ids))

    def add(self, record: EntityRecord) -> None:
        key = record.key
        self._described[key] = None
        if record.label is not None:
            self.labels[key] = record.label
        if record.description is not None:
            self.descriptions[key] = record.description
        if record.aliases:
            self.aliases.setdefault(key, {}).update(dict.fromkeys(record.aliases))
        if record.types:
            self.types.setdefault(key, {}).update(dict.fromkeys(record.types))

    def close(self, relations: Container[str]) -> list[str]:
        """All keys by id; an entity without a triple counts, unless it only describes a relation (as RDF does)."""
        for key in self._described:
            if key not in relations:
                self.id(key)
        return list(self.ids)


class GraphBuilder:
    """Takes records one by one and writes a graph folder; use it as a context manager.

    Triples go to a spool file as they come; keys and labels are held in memory. Leaving the ``with`` block without
    `finish` removes what was written.
    """

    def __init__(self, path: str | PathLike[str], *, source: str, overwrite: bool = False) -> None:
        self.path = Path(path)
        self.source = source
        self._folder = AtomicFolder(self.path, overwrite=overwrite)
        self._entities = _Entities()
        self._relations: dict[str, int] = {}
        self._relation_labels: dict[str, str] = {}
        self._buffer = array.array("i")
        self._read = 0

    def __enter__(self) -> GraphBuilder:
        self._work = self._folder.__enter__()
        self._spool = (self._work / "spool.tmp").open("wb")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._spool.close()
        self._folder.__exit__(kind, error, tb)

    def add(self, record: Record) -> None:
        """Take one record."""
        if isinstance(record, EntityRecord):
            self._entities.add(record)
        elif isinstance(record, RelationRecord):
            self._relation_labels[record.key] = record.label
        else:
            head, relation, tail = record
            relation_id = self._relations.setdefault(relation, len(self._relations))
            self._buffer.extend((self._entities.id(head), self._entities.id(tail), relation_id))
            self._read += 1
            if len(self._buffer) >= 3 * _SPOOL:
                self._flush()

    def _flush(self) -> None:
        self._buffer.tofile(self._spool)
        self._buffer = array.array("i")

    def finish(self, bad: BadRecords | None = None) -> Graph:
        """Write the folder, rename it into place and open it."""
        bad = bad or BadRecords()
        if not self._read:
            skipped = f" ({bad.count:,} bad records were left out)" if bad.count else ""
            raise InputError(f"no triple found{skipped}; a graph needs at least one", self.source)
        self._flush()
        self._spool.close()
        keys = self._entities.close(self._relations)
        triples = self._write_triples(len(keys))
        max_tokens = self._write_names(keys)
        self._write_types(keys)
        if bad.count:
            _write_skipped(self._work / SKIPPED, bad)
        (self._work / "spool.tmp").unlink()
        files = {file.name: FileEntry(file.stat().st_size, sha256(file)) for file in sorted(self._work.iterdir())}
        Manifest(
            entities=len(keys),
            relations=len(self._relations),
            triples=triples,
            triples_read=self._read,
            duplicates=self._read - triples,
            skipped=bad.count,
            max_name_tokens=max_tokens,
            source=self.source,
            created_by=f"graphbrick {__version__}",
            files=files,
        ).write(self._work)
        self._folder.commit()
        return Graph.open(self.path)

    def _write_triples(self, n: int) -> int:
        spool = np.memmap(self._work / "spool.tmp", dtype=np.int32, mode="r").reshape(-1, 3)
        order = np.lexsort((spool[:, 2], spool[:, 1], spool[:, 0]))
        ordered = spool[order]
        new = np.ones(len(ordered), dtype=np.bool_)
        new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
        head, tail, relation = (np.ascontiguousarray(column) for column in ordered[new].T)
        by_tail = np.argsort(tail, kind="stable").astype(np.int32)
        arrays = (row_pointers(n, head), tail, relation, row_pointers(n, tail), head[by_tail], by_tail)
        for name, content in zip(Graph.ARRAYS, arrays, strict=True):
            np.save(self._work / f"{name}.npy", content)
        return len(head)

    def _write_names(self, keys: list[str]) -> int:
        known = self._entities
        labels = [known.labels.get(key, key) for key in keys]
        StringTable.write(self._work, "labels", labels)
        if labels != keys:
            StringTable.write(self._work, "keys", keys)
        hashes = np.fromiter((hash64(key) for key in keys), dtype=np.uint64, count=len(keys))
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        np.save(self._work / "key_hash.npy", hashes[order])
        np.save(self._work / "key_entity.npy", order)
        StringTable.write(self._work, "relation_keys", self._relations)
        StringTable.write(self._work, "relation_labels", (self._relation_labels.get(k, k) for k in self._relations))
        if known.descriptions:
            StringTable.write(self._work, "descriptions", (known.descriptions.get(key, "") for key in keys))
        aliases = [
            (entity, alias)
            for entity, key in enumerate(keys)
            for alias in known.aliases.get(key, ())
            if alias != labels[entity]
        ]
        return NameIndex.write(self._work, labels, aliases)

    def _write_types(self, keys: list[str]) -> None:
        types = self._entities.types
        if not types:
            return
        names: dict[str, int] = {}
        ids = [[names.setdefault(t, len(names)) for t in types.get(key, ())] for key in keys]
        pointers: npt.NDArray[np.uint32] = np.zeros(len(ids) + 1, dtype=np.uint32)
        np.cumsum([len(row) for row in ids], out=pointers[1:])
        np.save(self._work / "type_ptr.npy", pointers)
        np.save(self._work / "type_id.npy", np.array([t for row in ids for t in row], dtype=np.int32))
        StringTable.write(self._work, "types", names)


def _write_skipped(path: Path, bad: BadRecords) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        for error in bad.kept:
            row = {"file": str(error.file or ""), "line": error.line, "reason": error.reason, "text": error.text}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
