"""Bring the copy of a database up to date, with as little work as the database allows."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import GraphbrickError, LinkError
from graphbrick.core.files.folders import put_in_place
from graphbrick.core.trace import event
from graphbrick.graphs import opening
from graphbrick.graphs.changes.copying import copy_graph, mark_of
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.changes.difference import Difference, difference, has_lost, record_of
from graphbrick.graphs.databases.address import is_address, is_sql_address
from graphbrick.graphs.databases.changes import ChangedTriple, changed_since
from graphbrick.graphs.databases.cypher.cypher import CypherGraph
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.graphs.databases.nodes import Node
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, Record, RelationRecord
from graphbrick.graphs.store.beside import MOST_CHANGED
from graphbrick.graphs.store.overlay.delta_files import writing
from graphbrick.graphs.store.overlay.overlay_rows import find_triples
from graphbrick.graphs.store.source_mark import SourceMark


@dataclass(frozen=True)
class Refreshed:
    """The result of `refresh_graph`.

    Attributes:
        graph: The graph after it.
        copied: "nothing", if the database reports no change; "new" triples only; or "all".
        replaced: Whether the folder was replaced, so that the folders beside it have to be made again.
        added: Number of triples added, if it was not replaced.
        deleted: Number of triples deleted, if it was not replaced.
        described: Number of entities whose names, types or description changed, if it was not replaced.
    """

    graph: Graph
    copied: str
    replaced: bool = False
    added: int = 0
    deleted: int = 0
    described: int = 0

    @property
    def changed(self) -> bool:
        """True if the graph differs from the one before."""
        return self.replaced or bool(self.added or self.deleted or self.described)


def refresh_graph(path: str | PathLike[str], *, full: bool = False, progress: Progress = silent) -> Refreshed:
    """Bring a copy up to date with the database that it was copied from.

    Nothing is copied if the database reports no change (`DatabaseGraph.mark`). If its address names the
    property with the time of changes (``?changed=updated_at``), only newer nodes and triples are copied, unless the
    numbers of nodes and relations show that some were deleted. Else everything is copied. Differences of up to 10 % are
    written as a change of the folder (`change`), so that the folders beside it stay valid; else the folder is replaced.

    Args:
        path: The folder.
        full: Copy everything, even if the database reports no change.
        progress: Called after each page.

    Raises:
        GraphbrickError: The graph was not copied from a database, was changed by others since, or the copy failed.
    """
    graph = Graph.open(path)
    address, known = graph.manifest.source, SourceMark.of(graph)
    if is_sql_address(address):
        text = f"{path} was built from tables, which are not refreshed; build it again with --overwrite from {address}"
        raise GraphbrickError(text, code="refresh.of_tables")
    if not is_address(address):
        text = f"{path} was built from {address}, not from a database; build it again with --overwrite"
        raise GraphbrickError(text, code="refresh.not_from_a_database")
    if known is not None and known.address != address:
        known = None
    if graph.changes.files and (known is None or known.graph != graph.hash):
        raise GraphbrickError(
            f"{path} was changed since it was copied; refreshing would lose that: copy to another place",
            code="refresh.has_changes",
        )
    source = opening.open(address)
    assert isinstance(source, DatabaseGraph)
    mark = mark_of(source)
    if not full and known is not None and known.mark is not None and mark is not None:
        if known.mark == mark:
            return Refreshed(graph, "nothing")
        if isinstance(source, CypherGraph) and source.stamp:
            newer = _newer(source, graph, known.mark, mark)
            if newer is not None:
                return _changed(graph, newer, "new", SourceMark(address, "", mark))
            text = f"not all that changed in {address} can be told by time, so everything is copied"
            event(text, "refresh.time_is_not_enough")
    return _copied(graph, address, progress)


def refreshed_of(place: Path) -> Path:
    """Return the folder where a new copy is until it changes or replaces one."""
    return place.with_name(f".{place.name}.refreshed")


def _copied(graph: Graph, address: str, progress: Progress) -> Refreshed:
    """Copy everything, and change the folder or replace it."""
    fresh = refreshed_of(graph.place)
    marked = fresh.with_name(f"{fresh.name}.source.json")
    try:
        copied = copy_graph(address, fresh, near=graph.manifest.near, overwrite=True, progress=progress)
        mark = SourceMark.of(copied)
        assert mark is not None
        changes = Difference([], []) if copied.hash == graph.hash else difference(graph, copied)
        if changes is not None:
            return _changed(graph, changes, "all", mark)
        _replace(graph, fresh)
        mark.write(graph.place)
        return Refreshed(Graph.open(graph.place), "all", replaced=True)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        marked.unlink(missing_ok=True)


def _replace(graph: Graph, fresh: Path) -> None:
    """Put a new copy in the place of a graph, unless another process has changed or replaced that meanwhile."""
    with writing(graph.place) as held:
        if Graph.open(graph.place, passages=False).hash != graph.hash:
            raise GraphbrickError(
                f"{graph.place} was changed by another process while it was copied; nothing was changed: start again",
                code="refresh.changed_meanwhile",
            )
        put_in_place(fresh, graph.place, held.check_in_place)


def _changed(graph: Graph, changes: Difference, copied: str, mark: SourceMark) -> Refreshed:
    """Write a difference as a change of the folder, and note the mark of the source."""
    after, added, deleted, described = graph, 0, 0, 0
    if changes.add or changes.delete:
        done = change(graph.place, add=changes.add, delete=changes.delete, version=graph.hash)
        after, added, deleted = done.graph, done.added, done.deleted
        described = done.described + done.entities
    SourceMark(mark.address, after.hash, mark.mark).write(graph.place)
    return Refreshed(after, copied, added=added, deleted=deleted, described=described)


def _newer(source: CypherGraph, graph: Graph, before: dict[str, Any], now: dict[str, Any]) -> Difference | None:
    """Return the newer part of a database; None if something else has changed, or too much for a change."""
    newer = changed_since(source, source.stamp, before["latest"])
    if newer is None or type(before["latest"]) is not type(now["latest"]):
        return None
    nodes, triples = newer
    ends = [node for triple in triples for node in (triple.head, triple.tail)]
    records: dict[str, Record] = {}
    new_nodes = 0
    for node in {node.key: node for node in [*ends, *nodes]}.values():
        record = _record(source, node)
        earlier = _earlier(graph, node.key)
        if earlier is None:
            new_nodes += 1
        elif has_lost(earlier, record):
            return None
        if record != earlier:
            records[node.key] = record
    labels = {triple.relation: triple.label for triple in triples if triple.label != triple.relation}
    changed = _changed_triples(graph, _distinct(triples))
    n = now["relations"] - before["relations"]
    if changed is None or now["nodes"] != before["nodes"] + new_nodes or n not in changed.by_number:
        return None
    delete = changed.replaced if n == len(changed.new) else []
    new = [*changed.new, *changed.other]
    if len(new) > MOST_CHANGED * max(graph.n_triples, 1):
        return None
    named = (RelationRecord(key, label) for key, label in labels.items())
    return Difference([*records.values(), *named, *new], delete)


def _record(source: CypherGraph, node: Node) -> EntityRecord:
    own = source.without_repeated(node.handle, node.properties)
    return EntityRecord(node.key, node.label, tuple(sorted(node.aliases)), node.types, node.description or None, own)


def _distinct(triples: list[ChangedTriple]) -> list[EdgeRecord]:
    """Return the records of triples, equal ones once; triples with different properties are different."""
    records = [EdgeRecord(one.head.key, one.relation, one.tail.key, one.properties) for one in triples]
    return list({(*one.triple, repr(sorted(one.properties.items()))): one for one in records}.values())


def _earlier(graph: Graph, key: str) -> EntityRecord | None:
    """Return the record of an entity of a graph; None if the graph does not have it."""
    try:
        return record_of(graph, graph.entity(key))
    except LinkError:
        return None


class _ChangedTriples(NamedTuple):
    """Triples that a graph does not have with these properties.

    Attributes:
        new: Those whose ends it does not have in this relation.
        other: Those that it has with other properties: they were changed, or are parallel ones.
        replaced: What the graph has in place of ``other``.
    """

    new: list[Record]
    other: list[Record]
    replaced: list[Record]

    @property
    def by_number(self) -> tuple[int, int]:
        """How many triples more there are, if ``other`` were changed, and if they are new."""
        return len(self.new), len(self.new) + len(self.other)


def _changed_triples(graph: Graph, records: list[EdgeRecord]) -> _ChangedTriples | None:
    """Return the triples that a graph does not have so; None if it has several in the place of one."""
    relations = {graph.relation_key(number): number for number in range(graph.n_relations)}

    def entity(key: str) -> int:
        try:
            return graph.entity(key)
        except LinkError:
            return graph.n_entities  # an entity that is not there

    ids = [(entity(one.head), relations.get(one.relation, graph.n_relations), entity(one.tail)) for one in records]
    triples = np.array(ids, dtype=np.int32).reshape(-1, 3)
    first = find_triples(graph.csr, triples).tolist()
    there = graph.ids_of(triples, [one.properties for one in records]).tolist()
    changed = _ChangedTriples([], [], [])
    for record, place, is_there in zip(records, first, there, strict=True):
        if place < 0:
            changed.new.append(record if record.properties else record.triple)
        elif is_there < 0:
            parallels = graph.parallels(place)
            if len(parallels) > 1:
                return None
            changed.other.append(record)
            changed.replaced.append(EdgeRecord(*record.triple, graph.triple_properties(place)))
    return changed
