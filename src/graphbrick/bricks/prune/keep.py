"""Helpers shared by prune stages: selection by score, and the subgraph of the selection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core import Query, Subgraph, seeds_of
from graphbrick.core.errors import PipelineError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import PruneStage

Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, repr=False)
class ScoredPrune(PruneStage):
    """A prune stage that scores texts and keeps the best ``n``, those above a ``threshold``, or both."""

    scorer: Scorer = parameter(example="BM25()")
    n: int | None = parameter(64, at_least=1, search=(16, 64, 256))
    threshold: float | None = parameter(None, example=0.3)
    connected: bool = parameter(False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n is None and self.threshold is None:
            raise PipelineError(
                f"{type(self).__name__} needs n, threshold, or both; try n=64", code="prune.nothing_to_do"
            )

    def best(self, scores: npt.NDArray[np.float64], *ties: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        """Return the indices to keep, best first; equal scores are ordered by ``ties``, then by index."""
        keys: list[npt.NDArray[np.generic]] = [np.arange(len(scores)), *ties[::-1], -scores]
        order = np.lexsort(keys)
        if self.threshold is not None:
            order = order[scores[order] > self.threshold]
        return order if self.n is None else order[: self.n]


def distances(query: Query, subgraph: Subgraph) -> Ids:
    """Return the hops of every local node from the nearest seed; the int32 maximum if no seed reaches it."""
    from graphbrick.kernels.paths.distances import hop_distances

    csr = subgraph.csr
    hops = hop_distances(csr.rows, seeds_of(query, subgraph))
    return np.where(hops < 0, np.iinfo(np.int32).max, hops).astype(np.int32)


def heads(subgraph: Subgraph) -> Ids:
    """Return the local head of every local triple, int32 [triples]."""
    return subgraph.csr.all_heads()


def with_triples(query: Query, subgraph: Subgraph, kept: npt.NDArray[np.bool_], *, connected: bool) -> Subgraph:
    """Return the subgraph of the triples marked in ``kept`` (local), their ends, and the seeds."""
    csr = subgraph.csr
    stays = np.zeros(csr.n_nodes, dtype=np.bool_)
    stays[heads(subgraph)[kept]] = True
    stays[csr.tail[kept]] = True
    stays[seeds_of(query, subgraph)] = True
    return _finish(query, subgraph, stays, kept, connected=connected)


def with_nodes(query: Query, subgraph: Subgraph, stays: npt.NDArray[np.bool_], *, connected: bool) -> Subgraph:
    """Return the subgraph of the nodes marked in ``stays`` (local), and the triples among them."""
    selected = stays[heads(subgraph)] & stays[subgraph.csr.tail]
    return _finish(query, subgraph, stays, selected, connected=connected)


def _finish(
    query: Query, subgraph: Subgraph, stays: npt.NDArray[np.bool_], selected: npt.NDArray[np.bool_], *, connected: bool
) -> Subgraph:
    result = _part(subgraph, stays, selected)
    reached = distances(query, result) < np.iinfo(np.int32).max
    cut_off = len(reached) - int(np.count_nonzero(reached))
    fact(cut_off=cut_off)
    _report_lonely(query, subgraph, result)
    if not cut_off or not connected:
        return result
    event(f"{cut_off:,} entities that no seed reaches any more were left out", "prune.cut_off", n=cut_off)
    return _part(result, reached, reached[heads(result)] & reached[result.csr.tail])


def _report_lonely(query: Query, before: Subgraph, after: Subgraph) -> None:
    """Record an event for each seed that lost its last triple: no path can start from it any more."""
    lonely = _without_triples(query, after) - _without_triples(query, before)
    for seed in sorted(lonely):
        event(
            f"no triple of seed {after.graph.describe(seed)} was kept, so that no path starts from it",
            "prune.lonely_seed",
            seed=seed,
        )


def _without_triples(query: Query, subgraph: Subgraph) -> set[int]:
    """Return the seeds without triples in a subgraph, as entity ids."""
    csr, seeds = subgraph.csr, seeds_of(query, subgraph)
    degree = csr.degrees()
    alone = seeds[degree[seeds] == 0]
    return set((alone if subgraph.nodes is None else subgraph.nodes[alone]).tolist())


def _part(subgraph: Subgraph, stays: npt.NDArray[np.bool_], selected: npt.NDArray[np.bool_]) -> Subgraph:
    nodes, triples = np.flatnonzero(stays).astype(np.int32), np.flatnonzero(selected).astype(np.int32)
    return Subgraph(
        subgraph.graph,
        nodes if subgraph.nodes is None else subgraph.nodes[nodes],
        triples if subgraph.triples is None else subgraph.triples[triples],
    )
