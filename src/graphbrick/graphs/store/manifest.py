"""The manifest of a graph folder: format version, counts, and the size and checksum of every file."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphFormatError
from graphbrick.core.files.writing import naming
from graphbrick.core.properties.values import Kind
from graphbrick.graphs.store import seal
from graphbrick.graphs.store.seal import Seal

FORMAT = "graphbrick-graph"
VERSION, PLAIN_VERSION = 3, 2
"""Format versions of graphs with properties, and without; both open."""

NAME = "manifest.json"
SMALL = 1 << 16
"""Bytes of a file whose checksum is compared whenever the graph is opened; larger ones are checked on request."""
SKIPPED = "skipped.jsonl"
_NEW_FIELDS = ("properties", "not_kept", "language")  # earlier readers do not know them: written only where needed


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of the folder: its size in bytes and its SHA-256."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class PropertyFiles:
    """One column of properties in the manifest; its number is its place in the list.

    Attributes:
        name: The name of the property.
        kind: The kind of its values, a `Kind`.
        is_list: Whether values are lists.
        of_triples: Whether it belongs to triples, not to entities.
        count: Number of entities or triples that have a value.
        unit: The unit of its numbers; empty for none.
    """

    name: str
    kind: str
    is_list: bool
    of_triples: bool
    count: int
    unit: str = ""

    def check(self) -> None:
        """Raise TypeError or ValueError if a value has a type that a manifest does not allow."""
        Kind(self.kind)
        flags = type(self.is_list) is type(self.of_triples) is bool
        texts = isinstance(self.name, str) and isinstance(self.unit, str)
        if not texts or not flags or type(self.count) is not int or self.count < 1:
            raise TypeError(f"a property is {self!r}")


@dataclass(frozen=True, slots=True)
class Manifest:
    """Contents of a graph folder.

    ``triples_read`` is the number of triples in the source, ``duplicates`` the number of repeated ones among them.
    ``skipped`` is the number of bad records that were left out (see ``skipped.jsonl`` in the folder). ``left_out``
    triples were excluded by the rules of the build, and ``labels_read`` triples were labels. If ``near`` is false,
    the graph has no index for near misses. ``literals`` has the kind and unit of each relation, by id, whose tails are
    numbers or dates; None in graphs of earlier versions, which did not record them. ``properties`` has the columns of
    properties (`graphbrick.graphs.store.columns`). ``not_kept`` has what the source says and the graph does not keep,
    by kind, with "count" and "examples". ``language`` is the preferred one of RDF texts; empty for English.
    """

    entities: int
    relations: int
    triples: int
    triples_read: int
    duplicates: int
    skipped: int
    max_name_tokens: int
    source: str
    created_by: str
    files: dict[str, FileEntry] = field(default_factory=dict)
    format: str = FORMAT
    version: int = PLAIN_VERSION
    left_out: int = 0
    labels_read: int = 0
    near: bool = True
    literals: dict[str, list[str]] | None = None
    properties: list[dict[str, Any]] = field(default_factory=list)
    not_kept: dict[str, dict[str, Any]] = field(default_factory=dict)
    language: str = ""

    @property
    def hash(self) -> str:
        """A hash of the graph's content, 16 hexadecimal digits; independent of the names of source and folder."""
        # The list of skipped records contains the source's name, so it does not count as content.
        content = sorted((name, entry) for name, entry in self.files.items() if name != SKIPPED)
        listing = "\n".join(f"{name} {entry.sha256}" for name, entry in content)
        return hashlib.sha256(listing.encode()).hexdigest()[:16]

    def _check_types(self) -> None:
        """Raise TypeError if a value has a type that a manifest does not allow."""
        counts = (
            *("entities", "relations", "triples", "triples_read", "duplicates", "skipped", "max_name_tokens"),
            *("left_out", "labels_read"),
        )
        numbers = {name: getattr(self, name) for name in counts}
        numbers |= {f"the size of {name}": entry.bytes for name, entry in self.files.items()}
        for name, number in numbers.items():
            if type(number) is not int or number < 0:
                raise TypeError(f"{name} is {number!r}")
        if type(self.near) is not bool:
            raise TypeError(f"near is {self.near!r}")
        for column in self.properties:
            PropertyFiles(**column).check()
        for relation, entry in (self.literals or {}).items():
            if not relation.isdigit() or len(entry) != 2 or not all(isinstance(part, str) for part in entry):
                raise TypeError(f"the literals of relation {relation!r} are {entry!r}")
        texts = {"source": self.source, "created_by": self.created_by, "language": self.language}
        texts |= {f"the checksum of {name}": entry.sha256 for name, entry in self.files.items()}
        for name, text in texts.items():
            if not isinstance(text, str):
                raise TypeError(f"{name} is {text!r}")

    def write(self, folder: Path) -> None:
        """Write the manifest; this is the last step of a build, as a folder without it does not open."""
        raw = {name: value for name, value in asdict(self).items() if value or name not in _NEW_FIELDS}
        text = json.dumps(raw, indent=1, ensure_ascii=False) + "\n"
        # A file name that is not valid Unicode contains lone surrogates; they become JSON escapes.
        content = text.encode("utf-8", "backslashreplace")
        for name, data in ((seal.NAME, Seal.of(content).encode()), (NAME, content)):
            with naming(folder / name):
                (folder / name).write_bytes(data)

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read a manifest, and compare the sizes of all files and the checksums of small ones.

        Raises:
            GraphFormatError: There is no graph, it has another format version, or a file is missing, truncated or
                damaged.
        """
        path = folder / NAME
        if not folder.exists():
            text = f"{folder} does not exist; build a graph with: graphbrick build SOURCE {folder}"
            raise GraphFormatError(text, code="graph.no_folder", folder=folder)
        if not path.is_file():
            raise GraphFormatError(
                f"{folder} holds no graph (no {NAME}); build one with: graphbrick build SOURCE {folder}",
                code="graph.no_manifest",
                folder=folder,
            )
        try:
            content, known = path.read_bytes(), Seal.read(folder)
            raw = json.loads(content.decode("utf-8"))
            if raw["format"] != FORMAT:
                raise GraphFormatError(
                    f"{path} is not the manifest of a graphbrick graph (format "
                    f"{raw['format']!r}); name the folder of a graph",
                    code="graph.other_manifest",
                )
            if raw["version"] not in (VERSION, PLAIN_VERSION):
                raise GraphFormatError(
                    f"{folder} has graph format version {raw['version']}, this graphbrick reads versions "
                    f"{PLAIN_VERSION} and {VERSION}; "
                    "build the graph again from its source, or install the graphbrick that wrote it",
                    code="graph.other_version",
                    version=raw["version"],
                )
            raw["files"] = {name: FileEntry(**entry) for name, entry in raw["files"].items()}
            manifest = cls(**raw)
            manifest._check_types()
            if known is not None and known.manifest != Seal.of(content).manifest:
                raise ValueError("it is not what was written")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            text = f"{path} is damaged ({error}); build the graph again from its source"
            raise GraphFormatError(text, code="graph.damaged_manifest", reason=str(error)) from error
        for name, entry in manifest.files.items():
            file = folder / name
            try:
                size = file.stat().st_size
            except FileNotFoundError:
                size = -1
            fault = "missing" if size < 0 else f"{size:,} bytes instead of {entry.bytes:,}"
            if size == entry.bytes:
                if size > SMALL or hashlib.sha256(file.read_bytes()).hexdigest() == entry.sha256:
                    continue
                fault = "not what was written"
            text = f"{file} is {fault}; the graph is damaged, build it again from its source"
            raise GraphFormatError(text, code="graph.damaged_file", file=name, is_missing=size < 0)
        return manifest
