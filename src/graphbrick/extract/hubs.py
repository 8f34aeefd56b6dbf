"""The hubs of a large graph: which entities they are, and the kept scores of walks from each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.core.directions import follow
from graphbrick.core.trace import event
from graphbrick.graphs.beside import Kept
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.strings import open_array
from graphbrick.session import current_session

HUB_DEGREE = 10_000
"""An entity from which a walk can take this many triples has its scores kept."""

_LEADING = 4096  # entities to which most triples lead: any of them may be among the best for any seed
_LARGE = 2_000_000  # triples from which on the list is kept on disk

Ids: TypeAlias = npt.NDArray[np.int32]
Arrays: TypeAlias = dict[str, npt.NDArray[Any]]


class Scores(NamedTuple):
    """The scores of entities for walks from seeds.

    Attributes:
        nodes: int32, the entities that have a score.
        values: float64, one for each node.
        error: Bound on the sum of the absolute errors over all entities.
        edges: Number of edges that were looked at; 0 for kept scores.
    """

    nodes: Ids
    values: npt.NDArray[np.float64]
    error: float
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

    For a large graph they are kept beside it.

    Returns:
        Entities, int32, ascending; and the number of triples for each, int32.
    """

    def open_or_make() -> tuple[Ids, Ids]:
        if graph.n_triples < _LARGE:
            return _leading(graph, direction)
        arrays = _kept_or_made(
            Kept(graph, "hubs", f"leading-{direction}"),
            lambda: dict(zip(("nodes", "degrees"), _leading(graph, direction), strict=True)),
        )
        return arrays["nodes"], arrays["degrees"]

    return current_session().get(("leading hubs", direction), open_or_make, of=graph)


def hub_scores(graph: Graph, hub: int, name: str, compute: Callable[[], Scores]) -> Scores:
    """Return the kept scores of walks from a hub; if there are none, compute and keep them, which is an event.

    Args:
        graph: The graph.
        hub: The entity.
        name: What the scores depend on besides graph and entity, as part of a file name.
        compute: Computes the scores.
    """
    edges = 0

    def make() -> Arrays:
        nonlocal edges
        scores = compute()
        edges = scores.edges
        event(f"the scores of walks from {graph.describe(hub)}, a hub, were computed; later runs read them")
        return {"nodes": scores.nodes, "values": scores.values, "error": np.array([scores.error])}

    arrays = _kept_or_made(Kept(graph, "hubs", f"{name}-{hub}"), make)
    return Scores(arrays["nodes"], arrays["values"], float(arrays["error"][0]), edges)


def _kept_or_made(place: Kept, make: Callable[[], Arrays]) -> Arrays:
    """Return the arrays of a folder beside a graph, or make and keep them; a folder that fails is an event."""
    try:
        facts = place.facts()
        if facts is not None:
            return {Path(name).stem: open_array(place.folder / name) for name in facts["files"]}
    except (ValueError, OSError) as error:
        event(f"{place.folder} is damaged ({error}); it is made again")
    arrays = make()

    def fill(folder: Path) -> dict[str, object]:
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)
        return {}

    try:
        place.write(fill)
    except OSError as error:
        event(f"{place.parent} cannot be written ({error.strerror or error}); its content is computed for every run")
    for array in arrays.values():
        array.setflags(write=False)  # like the arrays that are read: kernels are compiled for one type
    return arrays


def _leading(graph: Graph, direction: str) -> tuple[Ids, Ids]:
    out, into = follow(direction)
    degrees = _degrees(graph, into, out)  # the triples to an entity are those that a walk backwards can take from it
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
