"""The files of the changes of a graph since it was built: ``delta-000001.changes`` and so on, in the graph's folder.

A file is one change. It is written under a hidden name, flushed to the disk and renamed, so that it is there whole or
not at all. Its first line names the graph that it belongs to and the sizes of its parts; a checksum comes last.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import GraphbrickError, GraphFormatError
from graphbrick.core.files.claims import recover
from graphbrick.core.files.digests import file_stamp
from graphbrick.core.files.writing import write_in
from graphbrick.core.properties.values import Properties
from graphbrick.graphs.records.columns import from_json, to_json
from graphbrick.graphs.store import manifest, seal
from graphbrick.graphs.store.seal import UNFINISHED, Seal

FORMAT, VERSION = "graphbrick-delta", 1
_NAME = re.compile(r"delta-(\d{6,})\.changes")
_UNFINISHED = re.compile(r"\.delta-\d{6,}\.changes\.\d+")
_CHECKSUM = 64
_COUNTS = ("texts", "added", "deleted")
_PROPERTIES = ("added_properties", "deleted_properties")

Triples = npt.NDArray[np.int32]
_NONE: Triples = np.empty((0, 3), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Facts:
    """The facts of one entity that have changed since the graph was built; None for each that has not.

    Label and aliases always come together. ``properties`` are all properties of the entity after the change.
    """

    label: str | None = None
    aliases: list[str] | None = None
    types: list[str] | None = None
    description: str | None = None
    properties: Properties | None = None


@dataclass(frozen=True, eq=False)
class Delta:
    """One change of a graph.

    Attributes:
        base: `Manifest.hash` of the graph that was built.
        parent: `Graph.hash` before the change.
        added: int32 [triples, 3]: head, relation and tail of triples that were not there before.
        deleted: int32 [triples, 3]: head, relation and tail of triples that were there before.
        entities: Keys of new entities; their ids follow the ids before.
        relations: Keys of new relations; likewise.
        facts: New facts about entities, by id.
        relation_labels: New labels of relations, by id.
        added_properties: The properties of each added triple; empty if none has any.
        deleted_properties: Likewise of each deleted triple.
    """

    base: str
    parent: str
    added: Triples = field(default_factory=_NONE.copy)
    deleted: Triples = field(default_factory=_NONE.copy)
    entities: list[str] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)
    facts: dict[int, Facts] = field(default_factory=dict)
    relation_labels: dict[int, str] = field(default_factory=dict)
    added_properties: Sequence[Properties] = ()
    deleted_properties: Sequence[Properties] = ()

    @property
    def is_empty(self) -> bool:
        """True if the change has no effect."""
        return not (len(self.added) or len(self.deleted) or self.entities or self.facts or self.relation_labels)

    def encode(self) -> bytes:
        """Return the content of the file."""
        changed = {
            entity: {k: v for k, v in vars(facts).items() if v is not None} for entity, facts in self.facts.items()
        }
        for facts in changed.values():
            if "properties" in facts:
                facts["properties"] = to_json(facts["properties"])
        details: dict[str, Any] = {
            "entities": self.entities, "relations": self.relations, "facts": changed, "labels": self.relation_labels
        }  # fmt: skip
        for name in _PROPERTIES:
            if any(getattr(self, name)):
                details[name] = list(map(to_json, getattr(self, name)))
        texts = json.dumps(details).encode()  # ASCII, as a key may not be valid Unicode
        counts = dict(zip(_COUNTS, (len(texts), len(self.added), len(self.deleted)), strict=True))
        header = {"format": FORMAT, "version": VERSION, "base": self.base, "parent": self.parent, **counts}
        columns = (np.ascontiguousarray(part, dtype="<i4").tobytes() for part in (self.added, self.deleted))
        content = b"".join((json.dumps(header).encode(), b"\n", texts, *columns))
        return content + hashlib.sha256(content).hexdigest().encode()

    @classmethod
    def decode(cls, content: bytes, file: Path) -> tuple[Delta, str]:
        """Return the change that a file holds, and its checksum.

        Raises:
            GraphFormatError: The file was cut short or has changed, or has another format version.
        """
        checksum = content[-_CHECKSUM:].decode(errors="replace")
        if hashlib.sha256(content[:-_CHECKSUM]).hexdigest() != checksum:
            raise GraphFormatError(
                f"{file} is damaged (its checksum differs); restore it, or remove it, all later "
                f"ones and {seal.NAME} to lose the changes since then",
                code="delta.damaged",
                file=file,
            )
        try:
            first, _, rest = content[:-_CHECKSUM].partition(b"\n")
            header = json.loads(first)
            if (header["format"], header["version"]) != (FORMAT, VERSION):
                raise GraphFormatError(
                    f"{file} has change format version {header['version']}, this graphbrick reads version {VERSION}; "
                    "install the graphbrick that wrote it",
                    code="delta.other_version",
                    version=header["version"],
                )
            size, added, deleted = (header[name] for name in _COUNTS)
            details = json.loads(rest[:size])
            columns = np.frombuffer(rest, dtype="<i4", offset=size).astype(np.int32).reshape(added + deleted, 3)
            for known in details["facts"].values():
                if "properties" in known:
                    known["properties"] = from_json(known["properties"])
            facts = {int(entity): Facts(**known) for entity, known in details["facts"].items()}
            labels = {int(relation): label for relation, label in details["labels"].items()}
            parts = (columns[:added], columns[added:], details["entities"], details["relations"], facts, labels)
            properties = (list(map(from_json, details.get(name, ()))) for name in _PROPERTIES)
            return cls(header["base"], header["parent"], *parts, *properties), checksum
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            text = f"{file} is not a change of a graph ({error}); remove it"
            raise GraphFormatError(text, code="delta.not_a_change", file=file) from error


def is_delta(name: str) -> bool:
    """Tell by its name whether a file of a graph folder is a change, finished or not."""
    return any(pattern.fullmatch(name) for pattern in (_NAME, _UNFINISHED, UNFINISHED))


def delta_files(folder: Path) -> list[Path]:
    """Return the files of all changes, in the order they were made."""
    numbered = ((_NAME.fullmatch(file.name), file) for file in folder.iterdir())
    return [file for _, file in sorted((int(match[1]), file) for match, file in numbered if match)]


def read_deltas(folder: Path, built: str) -> tuple[list[Delta], str]:
    """Return all changes of a graph in order, and the hash of the graph with them.

    Args:
        folder: The graph.
        built: Hash of the graph as it was built.

    Raises:
        GraphFormatError: A file is damaged or missing, or belongs to another graph.
    """
    deltas: list[Delta] = []
    state, known = built, Seal.read(folder)  # before the files are listed, as another process may add one
    files = delta_files(folder)
    names = {file.name for file in files}
    last = max(len(files), 0 if known is None else known.changes)
    for number in range(1, last + 1):
        if _name(number) not in names:
            raise GraphFormatError(
                f"{folder / _name(number)} is missing, a change of the graph; restore it, or build the graph again "
                "from its source",
                code="delta.missing",
                number=number,
            )
        file = folder / _name(number)
        delta, checksum = Delta.decode(file.read_bytes(), file)
        if delta.base != built or delta.parent != state:
            text = f"{file} is a change of another graph than the one in {folder}; remove it"
            raise GraphFormatError(text, code="delta.of_another_graph", file=file)
        deltas.append(delta)
        state = hashlib.sha256(f"{state} {checksum}".encode()).hexdigest()[:16]
    return deltas, state


class Writing:
    """Write lock on a graph, held by one process at a time; see `writing`."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        self._folder, self._descriptor = folder, descriptor

    def write(self, delta: Delta) -> None:
        """Append a change; after this it survives a crash, if the file system can sync folders.

        Raises:
            GraphbrickError: It cannot be written, or the graph was replaced meanwhile.
        """
        # By descriptor: if the folder is replaced now, the change goes into the old folder, not into the new one.
        at = self._descriptor
        try:
            name = _name(sum(map(bool, map(_NAME.fullmatch, os.listdir(at)))) + 1)  # noqa: PTH208 - by descriptor
            write_in(at, name, delta.encode())
            self._seal()
            with suppress(OSError):  # some network file systems cannot sync a folder; the change is there all the same
                os.fsync(at)
        except OSError as error:
            if not _is_at(self._folder, at):
                self.check_in_place()
            reason = f"the change of {self._folder} cannot be written: {error.strerror or error}; nothing was changed"
            raise GraphbrickError(reason, code="delta.not_written", reason=error.strerror) from error
        self.check_in_place()

    def _seal(self) -> None:
        """Note the number of changes; without the note, a change that vanishes later is not noticed."""
        at = self._descriptor
        with suppress(OSError):
            handle = os.open(manifest.NAME, os.O_RDONLY, dir_fd=at)
            with os.fdopen(handle, "rb") as file:
                content = file.read()
            n = sum(map(bool, map(_NAME.fullmatch, os.listdir(at))))  # noqa: PTH208 - by descriptor
            Seal.of(content, n).write(at)

    def check_in_place(self) -> None:
        """Raise GraphbrickError if another process has replaced the graph since it was locked."""
        if not _is_at(self._folder, self._descriptor):
            text = f"{self._folder} was replaced while it was changed; make the change again"
            raise GraphbrickError(text, code="delta.graph_replaced")

    def clear_up(self) -> None:
        """Remove the files of writers that were killed, and graphs that they had replaced."""
        from graphbrick.core.files.folders import remove_replaced  # most processes write nothing

        remove_replaced(self._folder, lambda folder: (folder / manifest.NAME).exists())
        for name in os.listdir(self._descriptor):  # noqa: PTH208 - by descriptor
            if _UNFINISHED.fullmatch(name) or UNFINISHED.fullmatch(name):
                os.unlink(name, dir_fd=self._descriptor)


@contextmanager
def writing(folder: Path) -> Iterator[Writing]:
    """Wait until no other process changes a graph, and keep others from changing it.

    The lock is released when the process ends, even if it is killed. It is on the manifest, because building locks the
    folder itself.

    Raises:
        GraphbrickError: There is no graph, it cannot be written, or the system is Windows.
    """
    try:
        import fcntl
    except ImportError as error:  # Windows
        text = (
            f"{folder} cannot be changed on Windows, which can neither lock folders nor change files that are open; "
            "build it again from its source with: graphbrick build SOURCE GRAPH --overwrite"
        )
        raise GraphbrickError(text, code="delta.not_on_windows", folder=folder) from error
    while True:
        before = file_stamp(folder / manifest.NAME)
        try:
            manifest.Manifest.read(folder)  # raises the error about a folder that holds no graph
        except GraphFormatError:
            if recover(folder) or before != file_stamp(folder / manifest.NAME):
                continue  # another process replaces it now
            raise
        try:
            at = os.open(folder, os.O_RDONLY)
        except OSError as error:
            raise _not_writable(folder, error) from error
        try:
            lock = os.open(manifest.NAME, os.O_RDONLY, dir_fd=at)
        except FileNotFoundError:
            os.close(at)
            continue
        except OSError as error:
            os.close(at)
            raise _not_writable(folder, error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_at(folder, at):
                continue  # replaced, as by a compaction, while this process waited
            held = Writing(folder, at)
            try:
                held.clear_up()
            except OSError as error:
                raise _not_writable(folder, error) from error
            yield held
            return
        finally:
            os.close(lock)
            os.close(at)


def _not_writable(folder: Path, error: OSError) -> GraphbrickError:
    reason = error.strerror or str(error)
    return GraphbrickError(f"{folder} cannot be changed ({reason})", code="delta.not_writable", reason=reason)


def _is_at(folder: Path, descriptor: int) -> bool:
    """Tell whether an open folder is still the one at a path."""
    try:
        there: Any = folder.stat()
    except OSError:
        return False
    return os.path.samestat(there, os.fstat(descriptor))


def _name(number: int) -> str:
    return f"delta-{number:06}.changes"
