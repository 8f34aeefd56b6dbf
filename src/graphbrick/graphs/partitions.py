"""Partitions of a graph by the Leiden method, stored beside it.

The partitions of ``films.graph`` are in ``films.graph.partitions/``. Finding them needs the extra
``graphbrick[communities]``; reading them does not.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, check_limits, silent
from graphbrick.core.errors import GraphbrickError, GraphFormatError
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.beside import Earlier, FolderBeside
from graphbrick.graphs.store.strings import open_array

_LARGE = 2_000_000  # most triples partitioned during a run; more take minutes or hours, so the user has to ask
_AT_ONCE = 10_000_000  # triples whose ends are in memory at a time

Ids = npt.NDArray[np.int32]


class Method(NamedTuple):
    """The parameters of a partitioning.

    Attributes:
        resolution: Above 0; higher gives more and smaller partitions.
        seed: The seed of the random numbers.
        size: A partition of more entities than this is partitioned again.
    """

    resolution: float = 1.0
    seed: int = 0
    size: int = 100_000


class Partitions:
    """The partition of every entity of a graph; partitions are numbered by their lowest entity.

    Attributes:
        label: int32 [entities], the partition of each entity.
        place: int32 [entities], the position of each entity within its partition.
        pointer: int64 [partitions + 1], the begin of the entities of each partition in ``member``.
        member: int32 [entities], the entities of each partition, ascending.
    """

    FILES = ("label", "place", "pointer", "member")

    def __init__(self, label: Ids, place: Ids, pointer: npt.NDArray[np.int64], member: Ids) -> None:
        self.label, self.place, self.pointer, self.member = label, place, pointer, member

    @classmethod
    def of(cls, label: Ids) -> Partitions:
        """Return the partitions given by arbitrary labels."""
        _, first, place = np.unique(label, return_index=True, return_inverse=True)
        number = np.empty(len(first), dtype=np.int32)
        number[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        ordered: Ids = number[place]
        pointer = np.zeros(len(first) + 1, dtype=np.int64)
        np.cumsum(np.bincount(ordered, minlength=len(first)), out=pointer[1:])
        member = np.argsort(ordered, kind="stable").astype(np.int32)
        place_of = np.empty(len(label), dtype=np.int32)
        place_of[member] = np.arange(len(label)) - pointer[ordered[member]]
        return cls(ordered, place_of, pointer, member)

    @classmethod
    def open(cls, folder: Path, entities: int) -> Partitions:
        """Open stored partitions by memory map.

        Raises:
            ValueError: The files are not the partitions of a graph with this number of entities.
        """
        opened = cls(*(open_array(folder / f"{name}.npy") for name in cls.FILES))
        kinds = [getattr(opened, name).dtype.name for name in cls.FILES]
        lengths = [*(len(getattr(opened, name)) for name in ("label", "place", "member")), int(opened.pointer[-1])]
        if kinds != ["int32", "int32", "int64", "int32"] or lengths != [entities] * 4:
            raise ValueError(f"arrays {kinds} of {lengths[0]:,} entities instead of {entities:,}")
        return opened

    def save(self, folder: Path) -> None:
        """Write the arrays into a folder."""
        for name in self.FILES:
            np.save(folder / f"{name}.npy", getattr(self, name))

    def __len__(self) -> int:
        return len(self.pointer) - 1

    def modularity(self, graph: Graph) -> float:
        """Return Newman's modularity, from -0.5 to 1: the share of triples inside partitions beyond what chance gives.

        Triples count without direction, parallel ones each, those from an entity to itself not. Without any it is 0.
        """
        inside, degree = 0, np.zeros(len(self), dtype=np.int64)
        for ids in np.array_split(graph.triple_ids(), 1 + graph.n_triples // _AT_ONCE):
            head, tail = graph.csr.heads(ids), graph.csr.tail[ids]
            parts = self.label[head[head != tail]], self.label[tail[head != tail]]
            inside += int((parts[0] == parts[1]).sum())
            degree += sum(np.bincount(one, minlength=len(self)) for one in parts)
        ends = int(degree.sum())
        return 2 * inside / ends - float(((degree / ends) ** 2).sum()) if ends else 0.0

    def inside(self, graph: Graph, entities: Ids, follow_out: bool, follow_in: bool) -> Inside:
        """Return the partitions of entities as a separate graph, without triples between partitions.

        Raises:
            GraphFormatError: The stored arrays contradict each other.
        """
        from graphbrick.kernels.paths.inside_rows import inside_rows

        parts = np.unique(self.label[entities])
        if len(parts) and not 0 <= parts[0] <= parts[-1] < len(self):
            raise GraphFormatError(
                "the stored partitions are damaged (no such partition); make them "
                "again with graphbrick prepare partitions",
                code="partitions.no_such_partition",
            )
        sizes = self.pointer[parts + 1] - self.pointer[parts]
        offset = (np.cumsum(sizes) - sizes).astype(np.int32)
        each = [self.member[self.pointer[part] : self.pointer[part + 1]] for part in parts.tolist()]
        members = np.concatenate([np.empty(0, dtype=np.int32), *each])
        place = np.concatenate([np.empty(0, dtype=np.int32), *(np.arange(size, dtype=np.int32) for size in sizes)])
        chosen = offset[np.searchsorted(parts, self.label[entities])] + self.place[entities]
        in_range = len(members) == 0 or (members.min() >= 0 and members.max() < len(self.label))
        if (
            not in_range
            or (self.label[members] != np.repeat(parts, sizes)).any()
            or (self.place[members] != place).any()
            or not np.isin(entities, members).all()
        ):
            raise GraphFormatError(
                "the stored partitions are damaged (entities and their partitions do not agree); "
                "make them again with graphbrick prepare partitions",
                code="partitions.disagree",
            )
        rows = graph.csr.rows
        label, place = self.label.view(), self.place.view()
        for ids in (label, place):
            ids.setflags(write=False)  # those of a folder are read-only, and the kernel is compiled for one type
        pointers, neighbours = inside_rows(rows, label, place, parts, offset, members, follow_out, follow_in, True)
        for array in (pointers, neighbours):
            array.setflags(write=False)  # the type that kernels are compiled for
        return Inside(members, chosen.astype(np.int32), pointers, neighbours)


class Inside(NamedTuple):
    """Partitions as a separate graph with local ids.

    Attributes:
        members: int32, the entity of each local id; ascending within each partition.
        chosen: int32, the local ids of the requested entities.
        pointers: uint32 [members + 1], the begin of the row of each local id, and the end of the last row.
        neighbours: int32, the rows: the local ids that one step leads to.
    """

    members: Ids
    chosen: Ids
    pointers: npt.NDArray[np.uint32]
    neighbours: Ids


def partitions_of(graph: Graph, method: Method) -> Partitions:
    """Return the partitions of a graph; for a small graph, compute and store missing ones with an event.

    Raises:
        GraphbrickError: There are no partitions yet, and the graph is too large to compute them during a run or the
            required library is not installed.
    """
    return current_session().get(("partitions", method), lambda: _open_or_make(graph, method), of=graph)


def folder_of(graph: Graph, method: Method) -> FolderBeside:
    """Return the folder of a graph's partitions."""
    name = f"leiden-resolution{method.resolution!r}-seed{method.seed}-size{method.size}"
    return FolderBeside(graph, "partitions", name)


def command(graph: Graph, method: Method) -> str:
    """Return the command that makes the partitions."""
    defaults = Method()
    options = [f" --{name} {value}" for name, value in method._asdict().items() if value != getattr(defaults, name)]
    return f"graphbrick prepare partitions {shlex.quote(str(graph.path))}{''.join(options)}"


def _open_or_make(graph: Graph, method: Method) -> Partitions:
    place = folder_of(graph, method)
    advice = command(graph, method)
    try:
        if place.facts() is not None:
            return Partitions.open(place.folder, graph.n_entities)
        earlier = place.earlier()
        if earlier is not None and earlier.is_usable:
            return _extended(graph, method, earlier)
        why = place.missing_because().replace("was ", "were ", 1).replace("is ", "are ", 1)
        state = "missing" if not place.older() else "of another version" if earlier is None else "changed too much"
    except (OSError, ValueError) as error:
        why, state = f"are damaged ({error})", "damaged"
    if graph.n_triples > _LARGE:
        raise GraphbrickError(
            f"the partitions in {place.parent} {why}; as the graph is large, make them first with: {advice}",
            code="partitions.graph_is_large",
            state=state,
            command=advice,
        )
    partitions = part(graph, method)
    text = f"the partitions in {place.parent} {why}; {len(partitions):,} were made now (beforehand: {advice})"
    event(text, "partitions.made", state=state, n=len(partitions), command=advice)
    try:
        keep(graph, method, partitions)
    except OSError as error:
        text = f"partitions cannot be kept in {place.parent} ({error.strerror or error}); they will be made again"
        event(text, "partitions.not_kept")
    return partitions


def _extended(graph: Graph, method: Method, earlier: Earlier) -> Partitions:
    """Return the partitions of an earlier version, with each new entity assigned to its main neighbours.

    They are stored for this version, but are still recorded as computed for the earlier one.
    """
    partitions = Partitions.open(earlier.folder, earlier.since.n_entities)
    new = graph.n_entities - earlier.since.n_entities
    more = f"; {new:,} new entities joined the partitions of their neighbours" if new else ""
    advice = command(graph, method)
    text = f"the partitions were made {earlier.since}{more} (anew: {advice})"
    event(text, "partitions.of_earlier_version", new=new, changed=earlier.since.share, command=advice)
    if new:
        partitions = Partitions.of(with_new_entities(graph, partitions.label))
        try:
            keep(graph, method, partitions, made=earlier.facts.get("made", earlier.facts["graph"]))
        except OSError as error:
            text = f"extended partitions cannot be kept ({error.strerror or error}); they will be extended again"
            event(text, "partitions.extended_not_kept")
    return partitions


def with_new_entities(graph: Graph, label: Ids) -> Ids:
    """Return labels for all entities of a graph from those of its first entities.

    An entity without a label gets the label that most of its triples lead to; ties go to the lowest label. New
    entities without any connection to a labelled one get a new label, shared by the entities connected to them.

    Args:
        graph: The graph.
        label: int32 [entities that have one].

    Returns:
        int32 [entities].
    """
    first, csr = len(label), graph.csr
    labels = np.concatenate([label, np.full(graph.n_entities - first, -1, dtype=np.int32)])

    def around(entity: int) -> Ids:
        return np.concatenate([csr.tail[csr.row(entity, True)], csr.in_head[csr.row(entity, False)]])

    candidates = list(range(first, graph.n_entities))
    while candidates:
        following: set[int] = set()
        for entity in candidates:
            neighbours = around(entity)
            known = labels[neighbours][labels[neighbours] >= 0]
            if len(known):
                labels[entity] = np.bincount(known).argmax()
                following.update(neighbours[labels[neighbours] < 0].tolist())
        candidates = sorted(entity for entity in following if labels[entity] < 0)
    own = int(labels.max(initial=-1))
    for start in range(first, graph.n_entities):
        if labels[start] < 0:  # not connected with any entity that has a label
            own, stack = own + 1, [start]
            while stack:
                entity = stack.pop()
                labels[entity] = own
                stack += [other for other in around(entity).tolist() if labels[other] < 0]
    return labels


def keep(graph: Graph, method: Method, partitions: Partitions, *, made: str = "") -> None:
    """Write the partitions of a graph beside it.

    Args:
        graph: The graph.
        method: The parameters of the partitioning.
        partitions: The partitions.
        made: The hash of the version of the graph that they were computed for; empty for this version.

    Raises:
        OSError: They cannot be written.
    """

    def fill(folder: Path) -> dict[str, Any]:
        partitions.save(folder)
        facts = {"graph": graph.hash, **method._asdict(), "partitions": len(partitions)}
        return facts | ({"made": made} if made else {})

    folder_of(graph, method).write(fill)


def part(graph: Graph, method: Method, *, progress: Progress = silent) -> Partitions:
    """Find the partitions of a graph with the Leiden method, on triples without direction, counting parallel ones.

    A partition of more than ``method.size`` entities is partitioned again, as long as that splits it. Memory: 12 bytes
    for each end of a triple, and about 150 bytes for each entity.

    Args:
        graph: The graph.
        method: The parameters of the partitioning.
        progress: Called with the number of entities whose partition is final.

    Raises:
        GraphbrickError: The extra ``graphbrick[communities]`` is not installed.
    """
    leiden = _library()
    label = np.zeros(graph.n_entities, dtype=np.int32)
    todo = [np.arange(graph.n_entities, dtype=np.int32)] * bool(graph.n_entities)
    following = settled = 0
    while todo:
        check_limits()
        members = todo.pop()
        community = _divide(graph, leiden, method, label, members)
        following += 1
        label[members] = following + community
        sizes = np.bincount(community)
        following += len(sizes)
        again = np.flatnonzero(sizes > method.size).tolist() if len(sizes) > 1 else []
        todo += [members[community == group] for group in again]
        settled += len(members) - sum(sizes[again].tolist())
        progress("", settled, graph.n_entities)
    return Partitions.of(label)


def _divide(graph: Graph, leiden: Callable[..., Any], method: Method, label: Ids, members: Ids) -> Ids:
    """Return the Leiden community of each of the entities with one label, int32 [members], from 0."""
    from graphbrick.kernels.paths.inside_rows import inside_rows

    place = np.zeros(graph.n_entities, dtype=np.int32)
    place[members] = np.arange(len(members), dtype=np.int32)
    parts, offset = label[members[:1]], np.zeros(1, dtype=np.int32)
    label = label.view()
    for array in (label, place):
        array.setflags(write=False)  # the type that the kernel is compiled for
    rows = graph.csr.rows
    pointers, neighbours = inside_rows(rows, label, place, parts, offset, members, True, True, False)
    if not len(neighbours):  # the library does not accept an empty graph
        return place[members]
    pointers, weights = pointers.astype(np.int64), np.ones(len(neighbours))
    _, communities = leiden(
        pointers, neighbours, weights, len(members), resolution=float(method.resolution), seed=method.seed
    )
    community = np.empty(len(members), dtype=np.int64)
    places = np.fromiter(communities.keys(), np.int64, len(communities))
    community[places] = np.fromiter(communities.values(), np.int64, len(communities))
    numbered: Ids = np.unique(community, return_inverse=True)[1].astype(np.int32)
    return numbered


def _library() -> Callable[..., Any]:
    try:
        from graspologic_native import leiden_csr
    except ImportError as error:
        raise GraphbrickError(
            "partitions need graspologic-native 1.3 or newer: pip install --upgrade 'graphbrick[communities]'",
            code="partitions.no_library",
        ) from error
    library: Callable[..., Any] = leiden_csr
    return library
