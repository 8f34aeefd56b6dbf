"""What is worth keeping of the hubs of a large graph: which they are, and where walks from each of them end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from graphbrick.core.directions import follow
from graphbrick.core.trace import event
from graphbrick.graphs.beside import Kept
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.strings import open_array

HUB_DEGREE = 10_000
"""An entity from which a walk can take so many triples has its scores kept."""

_LEADING = 4096  # entities to which most triples lead: any of them may be among the best of any seed
_LARGE = 2_000_000  # a graph of so many triples keeps the list on disk

Ids: TypeAlias = npt.NDArray[np.int32]
Arrays: TypeAlias = dict[str, npt.NDArray[Any]]


class Scores(NamedTuple):
    """The scores of some entities for walks from some seeds.

    Attributes:
        nodes: int32.
        values: float64, one a node.
        error: The bound on the sum of absolute errors of the scores of all entities.
        edges: Edges looked at.
    """

    nodes: Ids
    values: npt.NDArray[np.float64]
    error: float
    edges: int


_lists: WeakKeyDictionary[Graph, dict[str, tuple[Ids, Ids]]] = WeakKeyDictionary()
_lock = threading.Lock()


def hubs_of(graph: Graph, direction: str) -> Ids:
    """All entities from which a walk can take `HUB_DEGREE` triples or more, int32, ascending."""
    return np.flatnonzero(_degrees(graph, *follow(direction)) >= HUB_DEGREE).astype(np.int32)


def is_hub(graph: Graph, entity: int, direction: str) -> bool:
    """Whether an entity is one of `hubs_of`."""
    rows = [graph.csr.row(entity, way) for way, goes in zip((True, False), follow(direction), strict=True) if goes]
    return bool(sum(row.stop - row.start for row in rows) >= HUB_DEGREE)


def leading_hubs(graph: Graph, direction: str) -> tuple[Ids, Ids]:
    """The 4,096 entities that most triples of a walk lead to, int32, ascending, and how many lead to each.

    They are kept beside a large graph.
    """
    with _lock:
        known = _lists.setdefault(graph, {})
        if direction not in known:
            if graph.n_triples < _LARGE:
                known[direction] = _leading(graph, direction)
            else:
                kept = Kept(graph, "hubs", f"leading-{direction}")
                arrays = _kept_or_made(
                    kept, lambda: dict(zip(("nodes", "degrees"), _leading(graph, direction), strict=True))
                )
                known[direction] = arrays["nodes"], arrays["degrees"]
        return known[direction]


def hub_scores(graph: Graph, hub: int, name: str, work_out: Callable[[], Scores]) -> Scores:
    """The scores of walks from a hub, from beside the graph; worked out and kept where they are not there.

    Args:
        graph: The graph.
        hub: The entity.
        name: What the scores depend on beside graph and entity, as part of a file name.
        work_out: Gives the scores.
    """
    worked_out: list[int] = []

    def make() -> Arrays:
        found = work_out()
        worked_out.append(found.edges)
        event(f"the scores of walks from {graph.describe(hub)}, a hub, were worked out; they are kept from now on")
        return {"nodes": found.nodes, "values": found.values, "error": np.array([found.error])}

    kept = _kept_or_made(Kept(graph, "hubs", f"{name}-{hub}"), make)
    return Scores(kept["nodes"], kept["values"], float(kept["error"][0]), sum(worked_out))


def _kept_or_made(kept: Kept, make: Callable[[], Arrays]) -> Arrays:
    """The arrays of a folder beside a graph, made where there is none; what cannot be read or written is an event."""
    try:
        facts = kept.facts()
        if facts is not None:
            return {Path(name).stem: open_array(kept.folder / name) for name in facts["files"]}
    except (ValueError, OSError) as error:
        event(f"{kept.folder} is damaged ({error}); it is made anew")
    arrays = make()

    def fill(folder: Path) -> dict[str, object]:
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)
        return {}

    try:
        kept.write(fill)
    except OSError as error:
        event(f"{kept.parent} cannot be written ({error.strerror or error}); it is worked out every time")
    for array in arrays.values():
        array.setflags(write=False)  # as those that are read: kernels are compiled for one type
    return arrays


def _leading(graph: Graph, direction: str) -> tuple[Ids, Ids]:
    out, into = follow(direction)
    degrees = _degrees(graph, into, out)  # what leads to an entity is what a walk backwards can take from it
    many = np.argpartition(-degrees, _LEADING)[:_LEADING] if len(degrees) > _LEADING else np.arange(len(degrees))
    nodes: Ids = np.sort(many[degrees[many] > 0]).astype(np.int32)
    leading: Ids = degrees[nodes].astype(np.int32)
    for array in (nodes, leading):
        array.setflags(write=False)
    return nodes, leading


def _degrees(graph: Graph, out: bool, into: bool) -> npt.NDArray[np.int64]:
    csr = graph.csr
    degrees: npt.NDArray[np.int64] = np.zeros(csr.n_nodes, dtype=np.int64)
    if out:
        degrees += csr.out_end - csr.out_begin
    if into:
        degrees += csr.in_end - csr.in_begin
    return degrees
