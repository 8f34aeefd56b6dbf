"""The hubs of a large graph, and the stored scores of walks from each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.core.graph import follow
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.beside import MOST_CHANGED, FolderBeside
from graphbrick.graphs.store.overlay.overlay import ChangesSince
from graphbrick.graphs.store.strings import open_array

HUB_DEGREE = 10_000
"""Entities from which a walk can take at least this many triples are hubs: their scores are stored."""

_LEADING = 4096  # entities with the most triples leading to them: any of them may be among the best for any seed
_LARGE = 2_000_000  # from this many triples on, the list is stored on disk

Ids: TypeAlias = npt.NDArray[np.int32]
Arrays: TypeAlias = dict[str, npt.NDArray[Any]]


class Scores(NamedTuple):
    """The scores of entities for walks from seeds.

    Attributes:
        nodes: int32, the entities that have a score.
        values: float64, one for each node.
        error: Bound on the sum of the absolute errors over all entities; None if the method has none.
        edges: Number of edges read; 0 for stored scores.
    """

    nodes: Ids
    values: npt.NDArray[np.float64]
    error: float | None
    edges: int


def hubs_of(graph: Graph, direction: str) -> Ids:
    """Return the entities from which a walk can take at least `HUB_DEGREE` triples, int32, ascending."""
    return np.flatnonzero(_degrees(graph, *follow(direction)) >= HUB_DEGREE).astype(np.int32)


def is_hub(graph: Graph, entity: int, direction: str) -> bool:
    """Tell whether an entity is one of `hubs_of`."""
    rows = [graph.csr.row(entity, way) for way, goes in zip((True, False), follow(direction), strict=True) if goes]
    return bool(sum(row.stop - row.start for row in rows) >= HUB_DEGREE)


def leading_hubs(graph: Graph, direction: str) -> tuple[Ids, Ids]:
    """Return the 4,096 entities to which most triples of a walk lead, and how many lead to each.

    For a large graph they are stored beside it.

    Returns:
        Entities, int32, ascending; and the number of triples for each, int32.
    """

    def open_or_make() -> tuple[Ids, Ids]:
        if graph.n_triples < _LARGE:
            return _leading(graph, direction)
        place = FolderBeside(graph, "hubs", f"leading-{direction}")
        arrays, _ = _earlier_arrays(place)
        if arrays:
            return _with_degrees(graph, direction, arrays["nodes"])
        arrays = _read_or_make(place, lambda: dict(zip(("nodes", "degrees"), _leading(graph, direction), strict=True)))
        return arrays["nodes"], arrays["degrees"]

    return current_session().get(("leading hubs", direction), open_or_make, of=graph)


def hub_scores(
    graph: Graph, hub: int, direction: str, restart: float, name: str, compute: Callable[[], Scores], *, renew: bool
) -> Scores:
    """Return the stored scores of walks from a hub; if missing, compute and store them (an event).

    After a small change of the graph the stored scores are still used, which is an event too. Entities added since then
    get the score that one step of the walk from the other entities gives them.

    Args:
        graph: The graph.
        hub: The entity.
        direction: Which triples the walk follows.
        restart: Probability of going back to the hub.
        name: Part of a file name: the settings that the scores depend on, besides graph and entity.
        compute: Computes the scores.
        renew: Recompute scores that were stored for an earlier version of the graph.
    """
    edges = 0

    def make() -> Arrays:
        nonlocal edges
        scores = compute()
        edges = scores.edges
        event(
            f"the scores of walks from {graph.describe(hub)}, a hub, were computed; later runs read them",
            "hubs.computed",
            hub=hub,
        )
        return {"nodes": scores.nodes, "values": scores.values, "error": np.array([scores.error])}

    place, degree = FolderBeside(graph, "hubs", f"{name}-{hub}"), graph.degree(hub)
    if not renew and not place.folder.exists():

        def reuse() -> tuple[Scores | None, str]:
            arrays, since = _earlier_arrays(place, degree)
            if since is None:
                return None, ""
            earlier = Scores(arrays["nodes"], arrays["values"], float(arrays["error"][0]), 0)
            return _with_new_entities(graph, earlier, since.n_entities, direction, restart), str(since)

        scores, when = current_session().get(("earlier hub scores", name, hub), reuse, of=graph)
        if scores is not None:
            event(
                f"the scores of walks from {graph.describe(hub)}, a hub, were computed {when}",
                "hubs.updated",
                hub=hub,
                when=when,
            )
            return scores
    arrays = _read_or_make(place, make, {"degree": degree})
    return Scores(arrays["nodes"], arrays["values"], float(arrays["error"][0]), edges)


def _with_new_entities(graph: Graph, scores: Scores, first: int, direction: str, restart: float) -> Scores:
    """Return the scores with those of the entities from ``first`` on added, from one step of the walk."""
    csr, (out, into) = graph.csr, follow(direction)
    value = np.zeros(graph.n_entities)
    value[scores.nodes] = scores.values / np.maximum(_degrees(graph, out, into)[scores.nodes], 1)
    new = np.arange(first, graph.n_entities, dtype=np.int32)
    sums = np.zeros(len(new))
    if out:
        sums += [value[csr.in_head[csr.row(entity, False)]].sum() for entity in new.tolist()]
    if into:
        sums += [value[csr.tail[csr.row(entity, True)]].sum() for entity in new.tolist()]
    reached = sums > 0
    nodes = np.concatenate([scores.nodes, new[reached]]).astype(np.int32)
    values = np.concatenate([scores.values, (1 - restart) * sums[reached]])
    for array in (nodes, values):
        array.setflags(write=False)
    return Scores(nodes, values, scores.error, scores.edges)


def _earlier_arrays(place: FolderBeside, degree: int = 0) -> tuple[Arrays, ChangesSince | None]:
    """Return the arrays stored for an earlier version of the graph, if they are still usable.

    Args:
        place: Where they would be for this version.
        degree: Number of triples of the hub, if they belong to one; it must not have changed much either.

    Returns:
        The arrays and the changes since then; no arrays and None if no usable ones exist.
    """
    earlier = None if place.folder.exists() else place.earlier()
    if earlier is None or not earlier.is_usable:
        return {}, None
    before = earlier.facts.get("degree", degree)
    if abs(degree - before) > MOST_CHANGED * before:
        return {}, None
    try:
        return _arrays(earlier.folder, earlier.facts), earlier.since
    except (ValueError, OSError) as error:
        event(f"{earlier.folder} is damaged ({error}); it is made again", "hubs.earlier_damaged")
        return {}, None


def _arrays(folder: Path, facts: Mapping[str, Any]) -> Arrays:
    return {Path(name).stem: open_array(folder / name) for name in facts["files"]}


def _read_or_make(place: FolderBeside, make: Callable[[], Arrays], more: Mapping[str, Any] | None = None) -> Arrays:
    """Return the arrays in a folder beside a graph, or make and store them; a failing folder is an event.

    Args:
        place: The folder.
        make: Makes the arrays.
        more: Further facts to store with new arrays.
    """
    try:
        facts = place.facts()
        if facts is not None:
            return _arrays(place.folder, facts)
    except (ValueError, OSError) as error:
        event(f"{place.folder} is damaged ({error}); it is made again", "hubs.damaged")
    arrays = make()

    def fill(folder: Path) -> dict[str, object]:
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)
        return dict(more or {})

    try:
        place.write(fill)
    except OSError as error:
        event(
            f"{place.parent} cannot be written ({error.strerror or error}); its content is computed for every run",
            "hubs.not_writable",
        )
    for array in arrays.values():
        array.setflags(write=False)  # like the arrays that are read: kernels are compiled for one type
    return arrays


def _leading(graph: Graph, direction: str) -> tuple[Ids, Ids]:
    out, into = follow(direction)
    degrees = _degrees(graph, into, out)  # triples leading to an entity are those that a backward walk can take
    many = np.argpartition(-degrees, _LEADING)[:_LEADING] if len(degrees) > _LEADING else np.arange(len(degrees))
    return _with_degrees(graph, direction, np.sort(many[degrees[many] > 0]).astype(np.int32))


def _with_degrees(graph: Graph, direction: str, nodes: Ids) -> tuple[Ids, Ids]:
    """Return entities and the number of triples that lead to each; both arrays are read-only."""
    out, into = follow(direction)
    csr = graph.csr
    degrees = np.zeros(len(nodes), dtype=np.int32)
    if into:
        degrees += (csr.out_end[nodes] - csr.out_begin[nodes]).astype(np.int32)
    if out:
        degrees += (csr.in_end[nodes] - csr.in_begin[nodes]).astype(np.int32)
    nodes = np.array(nodes)
    for array in (nodes, degrees):
        array.setflags(write=False)
    return nodes, degrees


def _degrees(graph: Graph, out: bool, into: bool) -> npt.NDArray[np.int64]:
    csr = graph.csr
    degrees: npt.NDArray[np.int64] = np.zeros(csr.n_nodes, dtype=np.int64)
    if out:
        degrees += csr.out_end - csr.out_begin
    if into:
        degrees += csr.in_end - csr.in_begin
    return degrees
