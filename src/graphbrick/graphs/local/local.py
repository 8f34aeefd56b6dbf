"""Copy the part of another graph around seeds into a folder graph, on which every brick runs."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Protocol, TypeAlias

from graphbrick.core.deferred import cached_property, repr_html
from graphbrick.core.errors import GraphbrickError, LinkError
from graphbrick.core.graph import DIRECTIONS, Copied, Labels, Neighbours
from graphbrick.core.properties.protocol import HasProperties
from graphbrick.core.properties.values import NO_PROPERTIES, Properties
from graphbrick.core.trace import REFUSAL, event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.local.seeds import listed, readings, seeds_in
from graphbrick.graphs.records.checked import checked_records
from graphbrick.graphs.records.columns import properties_text
from graphbrick.graphs.records.languages import usual_languages
from graphbrick.graphs.records.records import BadRecords, EdgeRecord, EntityRecord, Record, RelationRecord

Triple: TypeAlias = tuple[int, int, int]

_BATCH = 1024  # entities per call


class RemoteGraph(Labels, Neighbours, Protocol):
    """The minimum that a graph must provide for making a local graph from it."""


def local_graph(
    remote: RemoteGraph,
    seeds: Sequence[int],
    *,
    hops: int = 2,
    limit_per_node: int = 1000,
    max_triples: int = 200_000,
    direction: str = "both",
    relations: Collection[int] | None = None,
) -> Graph:
    """Copy the part of a graph around seeds into a temporary folder graph.

    Keys, labels, types, descriptions and properties are copied; ids are new. The folder is removed when the graph is
    collected, and nothing is kept beside it for later graphs. If a limit leaves triples out, that is an event.

    Args:
        remote: The graph; its neighbours are requested hop by hop, 1,024 entities per call.
        seeds: Entity ids of ``remote``.
        hops: Maximum number of triples between a seed and an entity, at least 1.
        limit_per_node: Maximum number of triples requested for one entity; also applies to seeds.
        max_triples: Requests stop once there are this many triples.
        direction: Which triples to follow: "out", "in" or "both".
        relations: Follow only these relations of ``remote``; None for all.

    Raises:
        GraphbrickError: Seeds have neither triples nor properties, or a parameter is out of range.
    """
    _check_parameters(hops, limit_per_node, max_triples, direction)
    distinct = list(dict.fromkeys(seeds))
    if not distinct:
        raise GraphbrickError(
            "a local graph needs at least one seed; give seeds, or a question that names an entity",
            code="local.no_seeds",
        )
    reached, frontier = dict.fromkeys(distinct), distinct
    triples: dict[Triple, dict[str, Properties]] = {}
    cut: list[int] = []
    is_full = False
    for hop in range(1, hops + 1):
        following: dict[int, None] = {}
        for start in range(0, len(frontier), _BATCH):
            is_full = len(triples) >= max_triples
            if is_full:
                text = f"the local graph stopped in hop {hop} of {hops}: it has {len(triples):,} triples (max_triples)"
                event(text, "local.stopped", hop=hop, triples=len(triples))
                break
            batch = frontier[start : start + _BATCH]
            lists = remote.neighbours(batch, direction=direction, relations=relations, limit=limit_per_node)
            for entity, around in zip(batch, lists, strict=True):
                rows, properties = around.triples.tolist(), around.properties
                cut += [entity] * (around.is_cut and len(rows) >= limit_per_node)
                for (head, relation, tail), own in zip(rows, properties or repeat(()), strict=False):
                    known = triples.setdefault((head, relation, tail), {})
                    known |= {properties_text(values): values for values in own}
                    following[tail if head == entity else head] = None
        frontier = [entity for entity in following if entity not in reached]
        reached.update(dict.fromkeys(frontier))
        if is_full or not frontier:
            break
    if not triples and not any(_own_properties(remote, distinct)):
        text = f"no triple leads from or to {listed(remote, distinct)}; choose other seeds"
        raise GraphbrickError(text, code="local.no_triples", seeds=[remote.key(seed) for seed in distinct])
    if cut:
        event(
            f"only {limit_per_node:,} triples each were copied of {len(cut):,} larger entities: {listed(remote, cut)}; "
            "raise limit_per_node for all",
            "local.entities_cut",
            limit=limit_per_node,
            entities=[remote.key(entity) for entity in cut],
        )
    local = _temporary(_records(remote, reached, triples), usual_languages(remote)[0])
    local.cut = frozenset(map(remote.key, cut))
    return local


def _check_parameters(hops: int, limit_per_node: int, max_triples: int, direction: str) -> None:
    for name, value in (("hops", hops), ("limit_per_node", limit_per_node), ("max_triples", max_triples)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            text = f"{name} of a local graph must be a whole number from 1, got {value!r}"
            raise GraphbrickError(text, code="local.bad_number", name=name)
    if direction not in DIRECTIONS:
        text = f"direction must be one of {', '.join(DIRECTIONS)}, got {direction!r}"
        raise GraphbrickError(text, code="local.bad_direction")


def _records(
    remote: RemoteGraph, entities: Iterable[int], triples: Mapping[Triple, Mapping[str, Properties]]
) -> Iterable[Record]:
    reached = list(entities)
    for start in range(0, len(reached), _BATCH):
        batch = reached[start : start + _BATCH]
        for entity, properties in zip(batch, _own_properties(remote, batch), strict=True):
            yield EntityRecord(
                remote.key(entity),
                remote.label(entity),
                tuple(remote.aliases(entity)),
                tuple(remote.types(entity)),
                remote.description(entity) or None,
                properties,
            )
    written: set[int] = set()
    for (head, relation, tail), parallels in triples.items():
        if relation not in written:
            written.add(relation)
            yield RelationRecord(remote.relation_key(relation), remote.relation_label(relation))
        triple = remote.key(head), remote.relation_key(relation), remote.key(tail)
        for properties in parallels.values() or (NO_PROPERTIES,):
            yield EdgeRecord(*triple, properties) if properties else triple


def _own_properties(remote: RemoteGraph, entities: Sequence[int]) -> Sequence[Properties]:
    if isinstance(remote, HasProperties):
        return remote.own_properties_of(entities)
    return [NO_PROPERTIES] * len(entities)


def _temporary(records: Iterable[Record], language: str = "en") -> Graph:
    """Build a graph in a temporary folder, which is removed together with the graph."""
    from graphbrick.graphs.build.builder import GraphBuilder, Origin  # load numba, which most runs over a folder lack

    folder = tempfile.TemporaryDirectory(prefix="graphbrick-local-", ignore_cleanup_errors=True)
    origin = Origin("Python records", language, may_be_empty=True)
    try:
        with GraphBuilder(Path(folder.name) / "local.graph", source=origin) as builder:
            for record in checked_records(records, BadRecords()):
                builder.add(record)
            graph = builder.finish()
    except BaseException:
        folder.cleanup()
        raise
    weakref.finalize(graph, folder.cleanup)
    return graph


@dataclass(frozen=True)
class LocalAround:
    """A graph that is copied around the seeds of each question, so that every brick runs on it.

    Pass it to a pipeline instead of a graph. Without seeds, the entities whose names occur in the question are used.
    Texts that were embedded for one question are kept for the next ones: beside the graph if it is a folder graph, in
    the user's cache if it is in a database, else in a temporary folder, as long as this object exists.

    Args:
        graph: A graph with labels and neighbours.
        hops: Maximum number of triples between a seed and an entity, at least 1.
        limit_per_node: Maximum number of triples requested for one entity.
        max_triples: Requests stop once there are this many triples.
        required: Whether a question that names nothing is an error; if not, its copy is empty, which is an event.
        fault: Why not all of the graph was copied, although it is small; empty if nothing failed.

    Example:
        >>> from graphbrick import BM25, PathAnswer, Rerank, ShortestPaths
        >>> from graphbrick.testing import NeighboursOnly, TINY
        >>> pipeline = ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
        >>> pipeline(LocalAround(NeighboursOnly(TINY), hops=2), "What is the capital of Kenya?").texts
        ('Nairobi',)
    """

    graph: RemoteGraph
    hops: int = 2
    limit_per_node: int = 1000
    max_triples: int = 200_000
    required: bool = True
    fault: str = ""

    def __post_init__(self) -> None:
        _check_parameters(self.hops, self.limit_per_node, self.max_triples, "both")

    @cached_property
    def _vectors_place(self) -> Path:
        """The folder of embeddings that all local graphs share."""
        place = getattr(self.graph, "vectors_place", None)
        if place is not None:
            return Path(place)
        folder = tempfile.TemporaryDirectory(prefix="graphbrick-local-", ignore_cleanup_errors=True)
        weakref.finalize(self, folder.cleanup)
        return Path(folder.name) / "local.graph.vectors"

    _repr_html_ = repr_html

    def __repr__(self) -> str:
        return f"LocalAround({type(self.graph).__name__}, hops={self.hops})"

    def for_question(self, question: str, seeds: Iterable[str | int], question_id: str = "") -> tuple[Graph, list[str]]:
        """Return the local graph for a question, and the keys of the seeds.

        Args:
            question: The question.
            seeds: Ids, keys or names in the whole graph; if empty, the entities that the question names are used.
            question_id: Not used.

        Raises:
            LinkError: A seed does not exist, or the question names nothing.
        """
        given = list(seeds)
        named = {} if given else readings(self.graph, question)
        ids = seeds_in(self.graph, question, given) if given else list(named)
        if not ids:
            return self._naming_nothing(question[:80]), []
        copied = [*ids, *(other for same in named.values() for other in same)]
        local = local_graph(
            self.graph,
            copied,
            hops=self.hops,
            limit_per_node=self.limit_per_node,
            max_triples=self.max_triples,
        )
        local.has_namesakes = not given
        return self._of_this(local), [self.graph.key(entity) for entity in ids]

    def _of_this(self, local: Graph) -> Graph:
        local.vectors_place = self._vectors_place
        if isinstance(self.graph, Copied):  # elsewhere: the copy says where it came from
            local.origin, local.remote = self.graph.path, self.graph
        return local

    def _naming_nothing(self, question: str) -> Graph:
        """Return an empty graph for a question that names no entity.

        Raises:
            LinkError: It must name one.
        """
        text = f"«{question}» names no entity of {getattr(self.graph, 'path', type(self.graph).__name__)}"
        if isinstance(self.graph, Copied):
            text += ", and only what is around an entity is copied to be asked"
            text += f", as a copy of all failed: {self.fault}" if self.fault else ""
            text += f"; for questions about all of it: graphbrick build {self.graph.path} my.graph, and ask that"
        if self.required:
            raise LinkError(text, code="local.no_entity", question=question)
        event(text, "local.nothing_named", REFUSAL, question=question)
        return self._of_this(_temporary(()))
