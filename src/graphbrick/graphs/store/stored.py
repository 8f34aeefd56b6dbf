"""A graph on disk, opened by memory map."""

from __future__ import annotations

import errno
import time
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr, Ints, from_arrays
from graphbrick.core.errors import GraphbrickError, GraphFormatError, LinkError
from graphbrick.core.files.claims import recover
from graphbrick.core.files.digests import file_stamp, sha256
from graphbrick.core.graph import NeighbourList, follow
from graphbrick.graphs.store.extents import check_lengths, check_rows
from graphbrick.graphs.store.manifest import NAME, Manifest
from graphbrick.graphs.store.names import NameIndex, names_of
from graphbrick.graphs.store.overlay.delta_files import read_deltas
from graphbrick.graphs.store.overlay.overlay import ChangedNames, ChangedTable, Changes, ChangesSince, Texts
from graphbrick.graphs.store.overlay.overlay_rows import changed_rows
from graphbrick.graphs.store.properties import StoredProperties
from graphbrick.graphs.store.strings import StringTable, open_array
from graphbrick.language.folding import nfc, tokens
from graphbrick.language.hashing import hash64

_SEARCHED_WORDS = 32  # of a question
_OPENINGS, _PAUSE = 40, 0.01  # attempts, and seconds between them, while a graph is being replaced


class StoredGraph(StoredProperties):
    """The files of a folder graph; `graphbrick.Graph` answers queries besides.

    Opening takes constant time: arrays and strings are memory maps, read on demand. Changes since the build
    (``changes``) are merged at opening. An open graph never changes; any number of threads and processes may read it
    at once.

    An id that the graph does not have raises IndexError. ``names`` is the index over labels and aliases.
    """

    ARRAYS = ("out_ptr", "tail", "relation", "in_ptr", "in_head", "in_triple")

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path, self.manifest = path, manifest
        self.place = path.absolute()  # stays valid if the working folder changes
        self.vectors_place = self.place.with_name(f"{self.place.name}.vectors")
        """The folder of the embeddings of its texts; local graphs share that of the graph they were copied from."""
        self.origin = ""  # where a local graph was copied from: the address of a database, or a folder
        self.changes = Changes()
        self.csr: Csr = from_arrays(*(self._array(name) for name in self.ARRAYS))
        labels = StringTable.open(path, "labels")
        self._labels: Texts = labels
        self._keys: Texts = StringTable.open(path, "keys") if self._has("keys") else labels
        self._relation_labels: Texts = StringTable.open(path, "relation_labels")
        self._relation_keys: Texts = StringTable.open(path, "relation_keys")
        self._key_hash, self._key_entity = self._array("key_hash"), self._array("key_entity")
        self._descriptions: Texts | None = StringTable.open(path, "descriptions") if self._has("descriptions") else None
        self._types = (
            (self._array("type_ptr"), self._array("type_id"), StringTable.open(path, "types"))
            if self._has("types")
            else None
        )
        self.has_keys = self._keys is not labels
        """True if keys differ from labels in this graph."""
        tables = {"labels": labels, "keys": self._keys, "descriptions": self._descriptions}
        tables |= {"relation_labels": self._relation_labels, "relation_keys": self._relation_keys}
        check_lengths(manifest, self.csr, tables, (self._key_hash, self._key_entity), self._types)
        if manifest.properties:
            from graphbrick.graphs.store.columns import open_columns  # which most graphs do without

            self.columns = open_columns(path, manifest.properties)
        self._n_built = manifest.triples
        # Opened with the other files, so that an open graph stays intact when its folder is overwritten.
        self.names: NameIndex | ChangedNames = NameIndex(path, labels, manifest.max_name_tokens, near=manifest.near)
        self._deltas, self.hash = read_deltas(path, manifest.hash)
        """A hash of the content, 16 hexadecimal digits; every change gives a new one."""
        if self._deltas:
            self._change(Changes.of(self._deltas, manifest.entities, manifest.relations))
        self.csr.unchecked = partial(check_rows, path, self.n_relations)
        self._relation_of = memoryview(self.csr.relation)  # type: ignore[arg-type]  # its items are plain integers

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Self:
        """Open a graph folder.

        Raises:
            GraphFormatError: The folder holds no graph, or a damaged one, or one of another format version.
        """
        folder = Path(path)
        for _ in range(_OPENINGS):
            before = file_stamp(folder / NAME)
            try:
                graph = cls(folder, Manifest.read(folder))
            except (GraphFormatError, OSError, ValueError, IndexError) as error:
                failure = error
                if not recover(folder) and before == file_stamp(folder / NAME):
                    break
            else:
                # Accept the graph only if the folder was not replaced meanwhile, so that files of two graphs never mix.
                if before == file_stamp(folder / NAME):
                    return graph
                text = f"{folder} was replaced while it was opened; try again"
                failure = GraphFormatError(text, code="graph.replaced_while_opened")
            time.sleep(_PAUSE)
        if isinstance(failure, GraphFormatError):
            raise failure
        if getattr(failure, "errno", None) in (errno.EMFILE, errno.ENFILE):
            raise GraphbrickError(
                f"{folder} cannot be opened: too many files are open; raise the limit (ulimit -n)",
                code="graph.too_many_files",
            ) from failure
        text = f"{folder} cannot be opened ({failure}); build the graph again"
        raise GraphFormatError(text, code="graph.cannot_open", reason=str(failure)) from failure

    def _change(self, changes: Changes) -> None:
        """Apply the changes to the tables, names and rows."""
        n, names, facts = self.n_entities, self.names, changes.facts
        assert isinstance(names, NameIndex)
        deleted = self.ids_of(changes.deleted, changes.deleted_properties)
        if (deleted < 0).any():
            raise ValueError("a change deletes a triple that is not there")
        self.changes = changes
        if len(changes.added) or len(deleted) or changes.entities:
            deleted.sort()
            self.csr, self._origin = changed_rows(self.csr, self.path, self.n_entities, changes.added, deleted)
        entities, relations = list(changes.entities), list(changes.relations)
        labels = {entity: changed.label for entity, changed in facts.items() if changed.label is not None}
        texts = {entity: changed.description for entity, changed in facts.items() if changed.description is not None}
        keys = ChangedTable(self._keys, n, {}, entities)
        self.has_keys = self.has_keys or any(keys[entity] != label for entity, label in labels.items())
        self._keys, self._labels = keys, ChangedTable(self._labels, n, labels, entities)
        self._descriptions = ChangedTable(self._descriptions, n, texts, [""] * len(entities))
        built = len(self._relation_keys)
        self._relation_keys = ChangedTable(self._relation_keys, built, {}, relations)
        self._relation_labels = ChangedTable(self._relation_labels, built, changes.relation_labels, relations)
        aliases = {entity: changed.aliases for entity, changed in facts.items() if changed.aliases is not None}
        self.names = ChangedNames(names, n, self._labels, aliases)

    def _has(self, table: str) -> bool:
        return StringTable.file(table) in self.manifest.files

    def _array(self, name: str) -> npt.NDArray[Any]:
        return open_array(self.path / f"{name}.npy")

    def __repr__(self) -> str:
        counts = f"entities={self.n_entities}, relations={self.n_relations}, triples={self.n_triples}"
        return f"Graph({self.path.name!r}, {counts})"

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return reopen, (type(self), self.place, self.hash)

    @property
    def n_entities(self) -> int:
        """Number of entities."""
        return self.manifest.entities + len(self.changes.entities)

    @property
    def n_relations(self) -> int:
        """Number of relations (edge labels)."""
        return self.manifest.relations + len(self.changes.relations)

    @property
    def n_triples(self) -> int:
        """Number of distinct triples."""
        return self.manifest.triples + len(self.changes.added) - len(self.changes.deleted)

    def _checked(self, entity: int) -> int:
        """Return the id if it is valid, as numpy would accept a negative id; else raise IndexError."""
        if not 0 <= entity < self.n_entities:
            raise IndexError(f"there is no entity {entity}: the graph has {self.n_entities:,}, from 0")
        return entity

    @property
    def type_table(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], StringTable] | None:
        """The types as built: where those of each entity begin, type ids, and their names; None without types."""
        return self._types

    # Entities

    def label(self, entity: int) -> str:
        """Return the label of an entity; not unique."""
        return self._labels[entity]

    def key(self, entity: int) -> str:
        """Return the unique name of an entity in its source (IRI, MID, row id; the label if there is nothing else)."""
        return self._keys[entity]

    def aliases(self, entity: int) -> list[str]:
        """Return the other names of an entity."""
        return self.names.aliases(self._checked(entity))

    def description(self, entity: int) -> str:
        """Return a sentence about an entity, or an empty text."""
        entity = self._checked(entity)
        return "" if self._descriptions is None else self._descriptions[entity]

    def types(self, entity: int) -> list[str]:
        """Return the types of an entity, in the order of the source; may be empty."""
        entity = self._checked(entity)
        changed = self.changes.facts.get(entity)
        if changed is not None and changed.types is not None:
            return list(changed.types)
        return self.built_types(entity)

    def built_types(self, entity: int) -> list[str]:
        """Return the types that an entity had when the graph was built."""
        if self._types is None or entity >= self.manifest.entities:
            return []
        pointers, ids, names = self._types
        return [names[int(i)] for i in ids[pointers[entity] : pointers[entity + 1]]]

    def first_type(self, entity: int) -> str:
        """Return the first type of an entity; empty if it has none."""
        if self._types is None and not self.changes.facts:
            return ""
        return next(iter(self.types(entity)), "")

    def type_labels(self) -> list[str]:
        """Return the distinct types of all entities; those that came with changes are last."""
        table = () if self._types is None else self._types[2]
        added = (name for changed in self.changes.facts.values() for name in changed.types or ())
        return list(dict.fromkeys([*(table[i] for i in range(len(table))), *added]))

    def degree(self, entity: int) -> int:
        """Return the number of triples that leave or enter an entity; a self loop counts twice."""
        csr, entity = self.csr, self._checked(entity)
        rows = (csr.row(entity, True), csr.row(entity, False))
        return sum(row.stop - row.start for row in rows)

    def describe(self, entity: int) -> str:
        """Return a text that distinguishes homonyms: label, key if it differs, description or types."""
        key = f" [{self.key(entity)}]" if self.has_keys else ""
        more = self.description(entity) or ", ".join(self.types(entity))
        return f"{self.label(entity)}{key}" + (f", {more}" if more else "")

    # Relations and triples

    def relation_label(self, relation: int) -> str:
        """Return the label of a relation."""
        return self._relation_labels[relation]

    def relation_of(self, triple: int) -> int:
        """Return the relation of a triple."""
        if triple < 0:
            raise IndexError(f"there is no triple {triple}: the graph has {self.n_triples:,}")
        return self._relation_of[triple]

    def relation_key(self, relation: int) -> str:
        """Return the unique name of a relation in its source."""
        return self._relation_keys[relation]

    def head(self, triple: int) -> int:
        """Return the head of a triple."""
        if 0 <= triple < len(self.csr.tail):
            head = int(self.csr.heads(np.array([triple]))[0])
            row = self.csr.row(head, True)
            if row.start <= triple < row.stop:  # else it was deleted, or has another id since its head was changed
                return head
        raise IndexError(f"there is no triple {triple}: the graph has {self.n_triples:,}")

    def triple(self, triple: int) -> tuple[int, int, int]:
        """Return (head, relation, tail) of a triple id."""
        return self.head(triple), int(self.csr.relation[triple]), int(self.csr.tail[triple])

    def triple_text(self, triple: int) -> str:
        """Return a triple as text: ``Kenya -> capital -> Nairobi``."""
        head, relation, tail = self.triple(triple)
        return f"{self.label(head)} -> {self.relation_label(relation)} -> {self.label(tail)}"

    def triples_from(self, entity: int) -> range:
        """Return the ids of the triples that leave an entity."""
        row = self.csr.row(self._checked(entity), True)
        return range(row.start, row.stop)

    def triples_to(self, entity: int) -> list[int]:
        """Return the ids of the triples that enter an entity, ascending."""
        csr, entity = self.csr, self._checked(entity)
        return sorted(csr.in_triple[csr.row(entity, False)].tolist())

    def triple_ids(self) -> Ints:
        """Return the ids of all triples, int32, ascending: 0 to n_triples - 1, with gaps in a changed graph."""
        return self.csr.ids()

    def key_triples(self) -> Iterator[tuple[str, str, str]]:
        """Yield all triples as (head key, relation key, tail key), sorted by (head, tail, relation) ids."""
        for head in range(self.n_entities):
            for t in self.triples_from(head):
                yield self.key(head), self.relation_key(int(self.csr.relation[t])), self.key(int(self.csr.tail[t]))

    # Finding entities

    def entity(self, key: str) -> int:
        """Return the entity with exactly this key.

        Raises:
            LinkError: There is none.
        """
        new = self.changes.entities.get(key)
        if new is not None:
            return new
        value = np.uint64(hash64(key))
        first = np.searchsorted(self._key_hash, value, "left")
        last = np.searchsorted(self._key_hash, value, "right")
        for entity in self._key_entity[first:last]:
            if self.key(int(entity)) == key:
                return int(entity)
        raise LinkError(f"no entity has the key {key!r}", code="graph.unknown_key", key=key)

    def named(self, text: str) -> list[int]:
        """Return all entities with a label or alias equal to a text after folding, ascending.

        Folding ignores case, accents and punctuation.
        """
        return sorted({self.names.entity(name) for name in names_of(self.names, text)})

    def search(self, text: str, n: int) -> list[int]:
        """Return at most ``n`` entities whose names occur in a text or resemble it, best first."""
        words = [token.text for token in tokens(nfc(text))[:_SEARCHED_WORDS]]
        spans = [" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)]
        exact = [entity for span in sorted(spans, key=len, reverse=True) for entity in self.named(span)]
        near = [match.entity for match in self.names.near(text, n)] if len(exact) < n else []
        return list(dict.fromkeys(exact + near))[:n]

    def neighbours(
        self,
        entities: Sequence[int],
        *,
        direction: str = "both",
        relations: Collection[int] | None = None,
        limit: int = 1000,
    ) -> list[NeighbourList]:
        """Return the triples of each entity, first those that leave it; see `graphbrick.core.graph.Neighbours`."""
        selected = None if relations is None else np.array(list(relations), dtype=np.int32)
        return [self._neighbours(self._checked(entity), *follow(direction), selected, limit) for entity in entities]

    def _neighbours(
        self, entity: int, follow_out: bool, follow_in: bool, relations: Ints | None, limit: int
    ) -> NeighbourList:
        csr = self.csr
        parts = [np.empty((0, 4), dtype=np.int32)]
        if follow_out:
            row = csr.row(entity, True)
            tails, ids = csr.tail[row], np.arange(row.start, row.stop)
            parts.append(np.stack([np.full_like(tails, entity), csr.relation[row], tails, ids], axis=1))
        if follow_in:
            row = csr.row(entity, False)
            heads, ids = csr.in_head[row], csr.in_triple[row]
            entering = np.stack([heads, csr.relation[ids], np.full_like(heads, entity), ids], axis=1)
            parts.append(entering[heads != entity] if follow_out else entering)  # a self loop is one triple
        triples = np.concatenate(parts, dtype=np.int32)
        if relations is not None:
            triples = triples[np.isin(triples[:, 1], relations)]
        rows = triples[:limit]
        around = NeighbourList(rows[:, :3], len(triples) > limit)
        if not self.triples_have_properties:
            return around
        return around.with_properties([[self.triple_properties(t)] for t in rows[:, 3].tolist()])

    def changes_since(self, version: str) -> ChangesSince | None:
        """Return the changes since an earlier version of this graph.

        Args:
            version: The `hash` that the graph had then.

        Returns:
            The changes; None if the hash is that of another graph, or of this version.
        """
        parents = [delta.parent for delta in self._deltas]
        if version not in parents:
            return None
        return ChangesSince.of(parents.index(version), self._deltas, self.n_entities, self.n_triples)

    def check(self) -> None:
        """Read every file, compare its checksum with the manifest, and check that the files fit each other.

        Raises:
            GraphFormatError: A file differs, or ids, rows or hashes are not as a build writes them.
        """
        changed = [name for name, entry in self.manifest.files.items() if sha256(self.path / name) != entry.sha256]
        if changed:
            text = f"{', '.join(changed)} of {self.path} changed since it was built: damaged; build the graph again"
            raise GraphFormatError(text, code="graph.changed_file", file=changed[0], files=changed)
        from graphbrick.graphs.store.check import check_invariants  # which runs do without

        check_invariants(self.path, self.manifest)
        read_deltas(self.path, self.manifest.hash)


def reopen(kind: Any, place: Path, content: str) -> Any:
    """Open what was pickled as its place and hash, and check the hash: ids are only valid for the same content."""
    opened = kind.open(place)
    if opened.hash != content:
        text = f"{place} holds another graph than when it was pickled; open it again"
        raise GraphFormatError(text, code="graph.other_content")
    return opened
