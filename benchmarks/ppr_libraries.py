"""Personalized PageRank by other libraries and by published approximate methods, all behind one interface.

Every solver prepares its own form of a graph for one direction of walking, and then answers queries:

    solver = SOLVERS["igraph"]
    state = solver.prepare(graph, "both")
    nodes, scores = solver.query(state, seeds, restart, k)

The libraries give a score to every node, of which the k best are taken, ties to the lower id; the time for that is part
of the query, as ours is. All count parallel triples each, a self loop walked both ways twice, and let a walker at an
entity where it cannot go on start again at the seeds; only scikit-network means something else there, which makes
another ranking where walks go one way. Where a library stops by itself at a coarse default, it is told to go on until
the sum of absolute changes is below 1e-8, which is what the k-th score of a large graph needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick import AGP, FORA, PPR, Graph
from graphbrick.bricks.extract.solvers import PageRankSolver
from graphbrick.core.csr import Csr

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from page_ranks import best_nodes

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
        prepare: ``prepare(graph, direction)`` gives what queries need, in the form the solver wants.
        query: ``query(state, seeds, restart, k)`` gives int32 nodes and float64 scores, highest first.
        max_triples: Up to how large a graph it is sensible on a machine with 24 GB.
        exact: Whether the scores are exact but for rounding and a stated tolerance.
    """

    name: str
    prepare: Callable[[Graph, str], Any]
    query: Callable[[Any, Ids, float, int], Found]
    max_triples: float
    exact: bool = True


def ends(csr: Csr, direction: str) -> tuple[Ids, Ids]:
    """From where to where the steps of a walk go: two int32 arrays, twice as long as the triples for "both"."""
    heads = np.repeat(np.arange(csr.n_nodes, dtype=np.int32), csr.out_degrees())
    if direction == "both":
        return np.concatenate([heads, csr.tail]), np.concatenate([csr.tail, heads])
    return (heads, csr.tail) if direction == "out" else (csr.tail, heads)


def step_counts(graph: Graph, direction: str) -> Any:
    """The number of steps from each node to each: a scipy sparse matrix in rows."""
    import scipy.sparse

    source, target = ends(graph.csr, direction)
    ones = np.ones(len(source))
    return scipy.sparse.csr_matrix((ones, (source, target)), shape=(graph.n_entities, graph.n_entities))


def share_of_seeds(seeds: Ids) -> dict[int, float]:
    """The share of the walks that start at each seed; a seed given twice starts twice as many."""
    nodes, counts = np.unique(seeds, return_counts=True)
    return dict(zip(nodes.tolist(), (counts / len(seeds)).tolist(), strict=True))


def _best(scores: Scores, k: int) -> Found:
    nodes = best_nodes(scores, k).nodes
    nodes = nodes[np.lexsort((nodes, -scores[nodes]))]
    return nodes, scores[nodes]


def _igraph_prepare(graph: Graph, direction: str) -> Any:
    import igraph

    # Undirected where both ways are walked: then igraph needs each triple once.
    source, target = ends(graph.csr, "out" if direction == "both" else direction)
    return igraph.Graph(n=graph.n_entities, edges=np.stack([source, target], axis=1), directed=direction != "both")


def _igraph_query(graph: Any, seeds: Ids, restart: float, k: int) -> Found:
    if len(set(seeds.tolist())) == len(seeds):
        scores = graph.personalized_pagerank(damping=1 - restart, reset_vertices=seeds.tolist())
    else:
        reset = np.bincount(seeds, minlength=graph.vcount()).tolist()
        scores = graph.personalized_pagerank(damping=1 - restart, reset=reset)
    return _best(np.array(scores), k)


def _networkx_prepare(graph: Graph, direction: str) -> Any:
    import networkx

    # Parallel triples as weights, both ways as two edges: the smallest form that networkx understands.
    return networkx.from_scipy_sparse_array(step_counts(graph, direction), create_using=networkx.DiGraph)


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


def _scipy_prepare(graph: Graph, direction: str) -> Any:
    import scipy.sparse

    counts = step_counts(graph, direction)
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


def _brick(name: str, solver: PageRankSolver) -> Solver:
    """Return a solver of this package, measured through ``PPR(solver=...)``."""

    def query(state: tuple[Graph, str], seeds: Ids, restart: float, k: int) -> Found:
        graph, direction = state
        found = PPR(k=k, restart=restart, direction=direction, solver=solver).scores(graph, seeds)
        order = np.lexsort((found.nodes, -found.values))[:k]
        return found.nodes[order], found.values[order]

    return Solver(name, lambda graph, direction: (graph, direction), query, 1e9, exact=False)


def fora(epsilon: float = 0.5) -> Solver:
    """FORA for the k best, with the relative error that its paper uses."""
    return _brick(f"FORA eps={epsilon}", FORA(epsilon=epsilon, seed=_RANDOM_SEED))


def agp(theta: float = 1e-6) -> Solver:
    """Randomized forward propagation."""
    return _brick(f"AGP theta={theta:g}", AGP(theta=theta, seed=_RANDOM_SEED))


_ALL = (
    Solver("igraph", _igraph_prepare, _igraph_query, 5e7),
    Solver("networkx", _networkx_prepare, _networkx_query, 3e6),
    Solver("scipy", _scipy_prepare, _scipy_query, 1e8),
    Solver("scikit-network", step_counts, _sknetwork_query, 1e8),
    fora(),
    agp(),
)
SOLVERS = {solver.name.split(" ")[0]: solver for solver in _ALL}
