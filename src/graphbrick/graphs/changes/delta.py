"""Adding triples and facts to a graph, and deleting triples, without building it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import GraphbrickError, InputError, LinkError
from graphbrick.core.properties.values import NO_PROPERTIES, Kind, Properties
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.info import graph_info
from graphbrick.graphs.readers import ReadOptions, naming_of, read_source
from graphbrick.graphs.records.blocks import cells_of
from graphbrick.graphs.records.called import is_other_name
from graphbrick.graphs.records.checked import checked_records
from graphbrick.graphs.records.columns import properties_text, read_raw
from graphbrick.graphs.records.rdf_names import local_name, local_words
from graphbrick.graphs.records.records import (
    BadRecords,
    EdgeRecord,
    EntityRecord,
    LeftOut,
    Record,
    RelationRecord,
    TripleRecord,
)
from graphbrick.graphs.store.overlay.delta_files import Delta, Facts, writing
from graphbrick.graphs.store.overlay.overlay_rows import find_triples

_PROGRESS = 1 << 12
_SHOWN = 3

Source = str | PathLike[str] | Iterable[Record]
Ids = tuple[int, int, int]


@dataclass(frozen=True)
class Change:
    """The result of a change.

    Attributes:
        graph: The graph after the change.
        added: Number of triples added.
        known: Number of triples to add that the graph already had, or that were repeated.
        deleted: Number of triples deleted.
        missing: Triples to delete that the graph did not have.
        entities: Number of new entities.
        described: Number of older entities whose labels, aliases, types or description changed.
        bad: Bad records that were left out.
        left_out: What the source says and the graph does not keep.
    """

    graph: Graph
    added: int
    known: int
    deleted: int
    missing: tuple[TripleRecord, ...]
    entities: int
    described: int
    bad: BadRecords = field(repr=False)
    left_out: LeftOut = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain JSON types."""
        counts = {name: getattr(self, name) for name in ("added", "known", "deleted", "entities", "described")}
        bad = {"skipped": self.bad.count, "reasons": list(map(str, self.bad.errors))}
        bad |= {"not_kept": self.left_out.to_dict()}
        return {"graph": graph_info(self.graph), **counts, "missing": self.missing, **bad}


def change(
    path: str | PathLike[str],
    *,
    add: Source = (),
    delete: Source = (),
    nodes: str | PathLike[str] | None = None,
    options: ReadOptions | None = None,
    skip_bad: bool = False,
    ignore_missing: bool = False,
    version: str | None = None,
    progress: Progress = silent,
) -> Change:
    """Delete triples of a graph, and add triples and facts about entities and relations, in one step.

    The change is a small file in the graph's folder, merged when the graph is opened; processes that have the graph
    open keep the old version. The file is complete or absent, even if the process is killed. If several processes
    change a graph, one waits for the other. Facts add up as in a build: a later label or description replaces the
    earlier one. An entity stays when its last triple is deleted.

    Args:
        path: The graph's folder.
        add: A file or folder as for `build`, or records from Python.
        delete: Likewise; its triples are deleted, its other records are ignored. Deletions come first.
        nodes: A table of keys, labels, types, descriptions and aliases, when ``add`` is a file of edges.
        options: How to read the files.
        skip_bad: Leave bad records out and count them.
        ignore_missing: Ignore triples to delete that are not there.
        version: Change only this version of the graph (`Graph.hash`), and nothing if others have changed it.
        progress: Called now and then with the number of records read.

    Raises:
        InputError: A bad record.
        GraphbrickError: A triple to delete is not there, the graph is of another version, or it cannot be written;
            nothing was changed.

    >>> import tempfile
    >>> from graphbrick.graphs.build.builder import build
    >>> graph = build([("Kenya", "capital", "Nairobi")], Path(tempfile.mkdtemp()) / "kenya.graph")
    >>> done = change(graph.path, add=[("Kenya", "borders", "Uganda")], delete=[("Kenya", "capital", "Nairobi")])
    >>> done.added, done.deleted, list(done.graph.key_triples())
    (1, 1, [('Kenya', 'borders', 'Uganda')])
    """
    folder, bad, left_out = Path(path), BadRecords(skip=skip_bad), LeftOut()
    with writing(folder) as held:
        graph = Graph.open(folder)
        if version not in (None, graph.hash):
            raise GraphbrickError(
                f"{folder} was changed by another process meanwhile; nothing was changed: start again",
                code="change.other_version",
            )
        pending = _Pending(graph)
        counted = 0
        for source, table, take in ((delete, None, pending.delete), (add, nodes, pending.add)):
            records, has_defaults = _records(source, table, options, bad, left_out)
            for record in records:
                take(record, has_defaults)
                counted += 1
                if counted % _PROGRESS == 0:
                    progress("", counted, None)
        delta, missing = pending.delta()
        if missing and not ignore_missing:
            raise GraphbrickError(
                f"{len(missing):,} of the triples to delete are not in {folder}, such as {_shown(missing)}; nothing "
                "was changed; --ignore-missing (ignore_missing=True) passes over them",
                code="change.missing_triples",
                triples=missing,
            )
        if not delta.is_empty:
            held.write(delta)
        return Change(
            Graph.open(folder),
            len(delta.added),
            pending.n_added - len(delta.added),
            len(delta.deleted),
            tuple(missing),
            len(delta.entities),
            len(delta.facts) - len(delta.entities),
            bad,
            left_out,
        )


def _shown(triples: list[TripleRecord]) -> str:
    return "; ".join(" -> ".join(triple) for triple in triples[:_SHOWN])


def _records(
    source: Source,
    nodes: str | PathLike[str] | None,
    options: ReadOptions | None,
    bad: BadRecords,
    left_out: LeftOut,
) -> tuple[Iterable[Record], bool]:
    """Return the records of a source, and whether labels in them may be derived from IRIs."""
    if isinstance(source, str | PathLike):
        file, table = Path(source), None if nodes is None else Path(nodes)
        options = options or ReadOptions()
        read = read_source(file, nodes=table, options=options, bad=bad, left_out=left_out, json_nodes=True)
        return read, naming_of(file) is not None
    if nodes is not None:
        raise InputError("nodes is for files; records from Python take none", code="change.nodes_for_files")
    return checked_records(source, bad), False


class _Pending:
    """An unfinished change of a graph: looks up keys and assigns ids to new ones."""

    def __init__(self, graph: Graph) -> None:
        self.n_added = 0
        self._graph = graph
        self._kinds: dict[str, set[Kind]] = {}
        for column in graph.columns:
            self._kinds.setdefault(column.name, set()).add(column.kind)
        self._ids: dict[str, int | None] = {}
        self._entities: dict[str, int] = {}
        self._relation_ids: Mapping[str, int] | None = None
        self._relations: dict[str, int] = {}
        self._records: dict[str, EntityRecord] = {}
        self._relation_labels: dict[str, str] = {}
        self._named: dict[str, bool] = {}  # columns, whether they have further names
        self._labelled: set[str] = set()  # keys with a label in a source of RDF
        self._added: dict[tuple[Ids, str], Properties] = {}
        self._deleted: dict[tuple[TripleRecord, str | None], Ids | None] = {}

    def delete(self, record: Record, has_defaults: bool) -> None:
        """Process a record to delete: a triple with all its parallels, or only the one with these properties."""
        if isinstance(record, tuple | EdgeRecord):
            triple, own = cells_of(record), None
            if isinstance(record, EdgeRecord):
                own = properties_text(read_raw(record.properties, self._kinds))
            head, tail, relation = self._known(triple[0]), self._known(triple[2]), self._relation(triple[1])
            known = head is not None and tail is not None and relation is not None
            self._deleted[triple, own] = (head, relation, tail) if known else None  # type: ignore[assignment]

    def add(self, record: Record, has_defaults: bool) -> None:
        """Process a record to add; ``has_defaults`` tells that its label may be derived from its key."""
        if isinstance(record, EntityRecord):
            if has_defaults and record.label is not None and self._is_default(record.key, record.label):
                # The words of a local name are no news about an entity that has a name.
                words = local_words(record.label) if self._is_old(record.key) else None
                aliases = tuple(alias for alias in record.aliases if alias != words)
                record = replace(record, label=None, aliases=aliases)
            elif has_defaults and record.label is not None:
                self._labelled.add(record.key)
            before = self._records.get(record.key, EntityRecord(record.key, may_be_relation=True))
            self._records[record.key] = _together(before, record)
        elif isinstance(record, RelationRecord):
            known = self._relation(record.key) is not None
            if not (has_defaults and known and record.label == local_name(record.key)):
                self._relation_labels[record.key] = record.label
        else:
            self.n_added += 1
            head, relation, tail = cells_of(record)
            properties = record.properties if isinstance(record, EdgeRecord) else NO_PROPERTIES
            properties = read_raw(properties, self._kinds)
            ids = self._entity(head), self._new_relation(relation), self._entity(tail)
            self._added[ids, properties_text(properties)] = properties

    def delta(self) -> tuple[Delta, list[TripleRecord]]:
        """Return the change, and the triples to delete that are not there."""
        graph = self._graph
        deleted, missing = self._deleted_there()
        added = list(self._added.items())
        ids = graph.ids_of(_array(triple for (triple, _), _ in added), [own for _, own in added])
        new = [(triple, own) for ((triple, _), own), number in zip(added, ids.tolist(), strict=True) if number < 0]
        # A triple that is deleted and added in one change stays.
        gone = [(triple, own) for (triple, text), own in deleted.items() if (triple, text) not in self._added]
        facts = self._facts()
        labels = {}
        for key, label in self._relation_labels.items():
            relation = self._relation(key)
            if relation is not None and label != (
                graph.relation_label(relation) if relation < graph.n_relations else key
            ):
                labels[relation] = label
        keys = list(self._entities), list(self._relations)
        return (
            Delta(
                graph.manifest.hash,
                graph.hash,
                _array(triple for triple, _ in new),
                _array(triple for triple, _ in gone),
                *keys,
                facts,
                labels,
                [own for _, own in new],
                [own for _, own in gone],
            ),
            missing,
        )

    def _deleted_there(self) -> tuple[dict[tuple[Ids, str], Properties], list[TripleRecord]]:
        """Return the triples to delete that the graph has, with their properties, and those that it has not."""
        graph = self._graph
        known = [ids for ids in self._deleted.values() if ids is not None]
        first = dict(zip(known, find_triples(graph.csr, _array(known)).tolist(), strict=True))
        deleted: dict[tuple[Ids, str], Properties] = {}
        missing = []
        for (triple, own), ids in self._deleted.items():
            at = -1 if ids is None else first[ids]
            parallels = graph.parallels(at) if at >= 0 else []
            texts = {properties_text(properties): properties for properties in map(graph.triple_properties, parallels)}
            selected = [text for text in texts if own in (None, text)]
            if ids is None or not selected:
                missing.append(triple)
                continue
            deleted |= {(ids, text): texts[text] for text in selected}
        return deleted, missing

    def _facts(self) -> dict[int, Facts]:
        """Return the facts of all new entities, and of older ones whose facts change, by id."""
        for key, record in self._records.items():
            # As in a build, a record that may be about a relation with this key does not create an entity.
            if self._known(key) is None and not (record.may_be_relation and self._relation(key) is not None):
                self._entity(key)
        changed = {}
        for key in {**self._entities, **self._records}:
            entity = self._known(key)
            if entity is None:
                continue
            facts = self._merged(entity, key, self._records.get(key, EntityRecord(key)))
            if facts is not None:
                changed[entity] = facts
        return changed

    def _merged(self, entity: int, key: str, record: EntityRecord) -> Facts | None:
        """Return the facts of an entity merged with a record about it; None if nothing changes."""
        graph, is_new = self._graph, entity >= self._graph.n_entities
        label, description = (key, "") if is_new else (graph.label(entity), graph.description(entity))
        aliases, types = ([], []) if is_new else (graph.aliases(entity), graph.types(entity))
        new_label = label if record.label is None else record.label
        # In RDF a further label is a further name.
        before = [label] if not is_new and key in self._labelled and label not in (key, local_name(key)) else []
        told = read_raw(record.properties, self._kinds)
        own = [text for name, text in told.items() if isinstance(text, str) and self._has_names(name)]
        new_aliases = [one for one in dict.fromkeys([*aliases, *before, *record.aliases, *own]) if one != new_label]
        new_types = list(dict.fromkeys([*types, *record.types]))
        new_description = description if record.description is None else record.description
        properties = NO_PROPERTIES if is_new else graph.own_properties(entity)
        new_properties = {**properties, **told}
        named = is_new or (label, aliases) != (new_label, new_aliases)
        changes = properties_text(properties) != properties_text(new_properties)
        if not (named or types != new_types or description != new_description or changes):
            return None
        return Facts(
            new_label if named else None,
            new_aliases if named else None,
            new_types if types != new_types else None,
            new_description if description != new_description else None,
            new_properties if changes else None,
        )

    def _has_names(self, column: str) -> bool:
        """Return whether the values of a property are aliases, as they are in the graph if it has the property."""
        if column not in self._named:
            built = next((one for one in self._graph.columns if one.name == column and not one.of_triples), None)
            owner = int(built.owners[0]) if built is not None and len(built.owners) else None
            names = () if owner is None else (self._graph.label(owner), *self._graph.aliases(owner))
            is_used = owner is None or self._graph.own_properties(owner).get(column) in names
            self._named[column] = is_other_name(column) and is_used
        return self._named[column]

    def _is_default(self, key: str, label: str) -> bool:
        """Return whether a label is only derived from the key, and the entity already has a label."""
        return label == (key if key.startswith("_:") else local_name(key)) and (
            self._known(key) is not None or (key in self._records and self._records[key].label is not None)
        )

    def _is_old(self, key: str) -> bool:
        """Return whether an entity is in the graph already."""
        return self._known(key) is not None and key not in self._entities

    def _known(self, key: str) -> int | None:
        """Return the id of an entity of the graph or of this change; None if there is none."""
        if key in self._entities:
            return self._entities[key]
        if key not in self._ids:
            try:
                self._ids[key] = self._graph.entity(key)
            except LinkError:
                self._ids[key] = None
        return self._ids[key]

    def _entity(self, key: str) -> int:
        known = self._known(key)
        if known is not None:
            return known
        return self._entities.setdefault(key, self._graph.n_entities + len(self._entities))

    def _relation(self, key: str) -> int | None:
        """Return the id of a relation of the graph or of this change; None if there is none."""
        graph = self._graph
        if self._relation_ids is None:
            self._relation_ids = {graph.relation_key(relation): relation for relation in range(graph.n_relations)}
        return self._relation_ids.get(key, self._relations.get(key))

    def _new_relation(self, key: str) -> int:
        known = self._relation(key)
        if known is not None:
            return known
        return self._relations.setdefault(key, self._graph.n_relations + len(self._relations))


def _together(first: EntityRecord, then: EntityRecord) -> EntityRecord:
    """Merge two records of one key; the second wins."""
    return EntityRecord(
        first.key,
        first.label if then.label is None else then.label,
        (*first.aliases, *then.aliases),
        (*first.types, *then.types),
        first.description if then.description is None else then.description,
        {**first.properties, **then.properties},
        may_be_relation=first.may_be_relation and then.may_be_relation,
    )


def _array(triples: Iterable[Ids]) -> npt.NDArray[np.int32]:
    return np.array(list(triples), dtype=np.int32).reshape(-1, 3)
