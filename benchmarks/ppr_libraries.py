"""Personalized PageRank by other libraries and by published approximate methods, all behind one interface.

Every solver prepares its own form of a graph for one direction of walking, and then answers queries:

    solver = SOLVERS["igraph"]
    state = solver.prepare(csr, "both")
    nodes, scores = solver.query(state, seeds, restart, k)

The libraries give a score to every node, of which the k best are taken, ties to the lower id; the time for that is part
of the query, as ours is. All count parallel triples each, a self loop walked both ways twice, and let a walker at an
entity where it cannot go on start again at the seeds; only scikit-network means something else there, which makes
another ranking where walks go one way. Where a library stops by itself at a coarse default, it is told to go on until
the sum of absolute changes is below 1e-8, which is what the k-th score of a large graph needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr
from graphbrick.core.directions import follow
from graphbrick.evaluate.metrics.ranking import best_nodes
from graphbrick.extract.solvers import finer
from graphbrick.kernels.fora import fora_top_k
from graphbrick.kernels.rbs import by_degree, randomized_forward, rbs_both_ways
from graphbrick.kernels.top_ppr import top_ppr

Ids = npt.NDArray[np.int32]
Scores = npt.NDArray[np.float64]
Found = tuple[Ids, Scores]

_CHANGE = 1e-8  # sum of absolute changes of an iteration at which the libraries stop
_ITERATIONS = 1000
_RANDOM_SEED = 1


@dataclass(frozen=True)
class Solver:
    """One way to compute personalized PageRank.

    Args:
        name: What it is called in tables.
        prepare: ``prepare(csr, direction)`` gives what queries need, in the form the solver wants.
        query: ``query(state, seeds, restart, k)`` gives int32 nodes and float64 scores, highest first.
        max_triples: Up to how large a graph it is sensible on a machine with 24 GB.
        exact: Whether the scores are exact but for rounding and a stated tolerance.
    """

    name: str
    prepare: Callable[[Csr, str], Any]
    query: Callable[[Any, Ids, float, int], Found]
    max_triples: float
    exact: bool = True


def ends(csr: Csr, direction: str) -> tuple[Ids, Ids]:
    """From where to where the steps of a walk go: two int32 arrays, twice as long as the triples for "both"."""
    heads = np.repeat(np.arange(csr.n_nodes, dtype=np.int32), csr.out_degrees())
    if direction == "both":
        return np.concatenate([heads, csr.tail]), np.concatenate([csr.tail, heads])
    return (heads, csr.tail) if direction == "out" else (csr.tail, heads)


def step_counts(csr: Csr, direction: str) -> Any:
    """The number of steps from each node to each: a scipy sparse matrix in rows."""
    import scipy.sparse

    source, target = ends(csr, direction)
    ones = np.ones(len(source))
    return scipy.sparse.csr_matrix((ones, (source, target)), shape=(csr.n_nodes, csr.n_nodes))


def share_of_seeds(seeds: Ids) -> dict[int, float]:
    """The share of the walks that start at each seed; a seed given twice starts twice as many."""
    nodes, counts = np.unique(seeds, return_counts=True)
    return dict(zip(nodes.tolist(), (counts / len(seeds)).tolist(), strict=True))


def _best(scores: Scores, k: int) -> Found:
    nodes = best_nodes(scores, k).nodes
    nodes = nodes[np.lexsort((nodes, -scores[nodes]))]
    return nodes, scores[nodes]


def _igraph_prepare(csr: Csr, direction: str) -> Any:
    import igraph

    # Undirected where both ways are walked: then igraph needs each triple once.
    source, target = ends(csr, "out" if direction == "both" else direction)
    return igraph.Graph(n=csr.n_nodes, edges=np.stack([source, target], axis=1), directed=direction != "both")


def _igraph_query(graph: Any, seeds: Ids, restart: float, k: int) -> Found:
    if len(set(seeds.tolist())) == len(seeds):
        scores = graph.personalized_pagerank(damping=1 - restart, reset_vertices=seeds.tolist())
    else:
        reset = np.bincount(seeds, minlength=graph.vcount()).tolist()
        scores = graph.personalized_pagerank(damping=1 - restart, reset=reset)
    return _best(np.array(scores), k)


def _networkx_prepare(csr: Csr, direction: str) -> Any:
    import networkx

    # Parallel triples as weights, both ways as two edges: the smallest form that networkx understands.
    return networkx.from_scipy_sparse_array(step_counts(csr, direction), create_using=networkx.DiGraph)


def _networkx_query(graph: Any, seeds: Ids, restart: float, k: int) -> Found:
    import networkx

    start = share_of_seeds(seeds)
    found = networkx.pagerank(
        graph,
        alpha=1 - restart,
        personalization=start,
        nstart=start,  # otherwise a little is left at nodes that no walk leads to
        max_iter=_ITERATIONS,
        tol=_CHANGE / len(graph),  # networkx multiplies by the number of nodes
    )
    return _best(np.fromiter((found[u] for u in range(len(graph))), dtype=np.float64, count=len(graph)), k)


def _scipy_prepare(csr: Csr, direction: str) -> Any:
    import scipy.sparse

    counts = step_counts(csr, direction)
    degree = np.asarray(counts.sum(axis=1)).ravel()
    step = scipy.sparse.diags(1 / np.maximum(degree, 1)) @ counts
    return step.T.tocsr(), np.flatnonzero(degree == 0)


def _scipy_query(state: Any, seeds: Ids, restart: float, k: int) -> Found:
    back, dangling = state
    start = np.bincount(seeds, minlength=back.shape[0]) / len(seeds)
    scores = start
    for _ in range(_ITERATIONS):
        following = (1 - restart) * (back @ scores)
        following += (restart + (1 - restart) * scores[dangling].sum()) * start
        change = np.abs(following - scores).sum()
        scores = following
        if change < _CHANGE:
            break
    return _best(scores, k)


def _sknetwork_query(counts: Any, seeds: Ids, restart: float, k: int) -> Found:
    from sknetwork.ranking import PageRank

    ranking = PageRank(damping_factor=1 - restart, solver="piteration", n_iter=_ITERATIONS, tol=_CHANGE)
    return _best(np.asarray(ranking.fit_predict(counts, weights=share_of_seeds(seeds))), k)


def _walks_prepare(csr: Csr, direction: str) -> Any:
    return csr, follow(direction)


def _fora_query(state: Any, seeds: Ids, restart: float, k: int, *, epsilon: float) -> Found:
    csr, ways = state
    nodes, scores, _ = fora_top_k(csr.rows, seeds, restart, *ways, k, epsilon, 1 / csr.n_nodes, _RANDOM_SEED)
    return nodes, scores


def _top_ppr_query(state: Any, seeds: Ids, restart: float, k: int, *, precision: float, gap: float) -> Found:
    csr, ways = state
    nodes, scores, _ = top_ppr(
        csr.rows, seeds, restart, *ways, k, precision, gap, 1 / csr.n_nodes, _RANDOM_SEED
    )  # fmt: skip
    return nodes, scores


def _rbs_prepare(csr: Csr, direction: str) -> Any:
    return csr, follow(direction), by_degree(csr, True, True) if direction == "both" else None


def _rbs_query(state: Any, seeds: Ids, restart: float, k: int, *, theta: float) -> Found:
    csr, ways, index = state
    if index is None:
        nodes, scores, _ = randomized_forward(csr.rows, seeds, restart, *ways, k, finer(theta, restart), _RANDOM_SEED)
    else:
        nodes, scores, _ = rbs_both_ways(csr.rows, index, seeds, restart, k, finer(theta, restart), _RANDOM_SEED)
    return nodes, scores


def _agp_query(state: Any, seeds: Ids, restart: float, k: int, *, theta: float) -> Found:
    csr, ways = state
    nodes, scores, _ = randomized_forward(csr.rows, seeds, restart, *ways, k, finer(theta, restart), _RANDOM_SEED)
    return nodes, scores


def fora(epsilon: float = 0.5) -> Solver:
    """FORA for the k best, with the relative error that its paper uses."""
    return Solver(f"FORA eps={epsilon}", _walks_prepare, partial(_fora_query, epsilon=epsilon), 1e9, exact=False)


def top(precision: float = 0.99, gap: float = 0.1) -> Solver:
    """TopPPR-like; the paper asks for a precision of 0.99 and has no gap."""
    query = partial(_top_ppr_query, precision=precision, gap=gap)
    return Solver(f"TopPPR p={precision} gap={gap}", _walks_prepare, query, 1e9, exact=False)


def rbs(theta: float = 1e-6) -> Solver:
    """RBS where walks go both ways, and its forward form where they go one way; `graphbrick.kernels.rbs` says why."""
    return Solver(f"RBS theta={theta:g}", _rbs_prepare, partial(_rbs_query, theta=theta), 1e9, exact=False)


def agp(theta: float = 1e-6) -> Solver:
    """The forward form of RBS, whichever way walks go."""
    return Solver(f"AGP theta={theta:g}", _walks_prepare, partial(_agp_query, theta=theta), 1e9, exact=False)


_ALL = (
    Solver("igraph", _igraph_prepare, _igraph_query, 5e7),
    Solver("networkx", _networkx_prepare, _networkx_query, 3e6),
    Solver("scipy", _scipy_prepare, _scipy_query, 1e8),
    Solver("scikit-network", step_counts, _sknetwork_query, 1e8),
    fora(),
    top(),
    rbs(),
    agp(),
)
SOLVERS = {solver.name.split(" ")[0]: solver for solver in _ALL}
