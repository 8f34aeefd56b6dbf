"""RBS: randomised backward search; a published baseline for our push.

Wang et al., "Personalized PageRank to a Target Node, Revisited" (KDD 2020) solve a different problem: the score of *one
target for every source*. A backward search goes from the target against the steps, level by level. At a node with
residue r, a predecessor of degree d gets (1 - restart) r / d if that is large. Otherwise it gets a fixed small amount,
with the probability that makes the result unbiased. Predecessors are sorted by degree, so those that get something
come first and the others are not read.

This module derives a single-source ranking from it:

- For walks both ways, scores are symmetric up to the degrees: score(s, t) * degree(s) = score(t, s) * degree(t). One
  search *to* the seeds therefore gives the scores *from* them. The result is unbiased.
- For walks in one direction there is no such symmetry, so the same idea is applied forward. If the share that a node
  passes on is large, all successors get it; otherwise a few successors drawn at random get a fixed small amount (Wang
  et al., "Approximate Graph Propagation", KDD 2021, by authors of RBS). This is unbiased, too.
- `rbs_to_target` alone, with the seed as target, ranks the nodes by how often they reach the seed. That is a different
  ranking.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr, Rows
from graphbrick.core.limits import check_limits
from graphbrick.kernels.degrees import walk_degree
from graphbrick.kernels.fora import Result, first_state
from graphbrick.kernels.hashing import GOLDEN, slot_for
from graphbrick.kernels.jit import jit
from graphbrick.kernels.random_walk import mix
from graphbrick.kernels.slices import SLICE
from graphbrick.kernels.touched import Touched, best_touched, nothing_touched, touch, with_room

_BLOCK = 32  # rows that are prefetched at once, so that the reads overlap
_READY, _POSITION, _WAITING = range(3)

Ids = npt.NDArray[np.int32]


class ByDegree(NamedTuple):
    """The rows of a graph, each sorted by the degree of its entries; the index of the backward search.

    Attributes:
        leaving: int32 [triples], like ``tail``, sorted by degree within a row; empty if walks never go against triples.
        leaving_degree: int32 [triples], the degree of each entry.
        entering: int32 [triples], like ``in_head``, sorted by degree within a row; empty if walks never go along them.
        entering_degree: int32 [triples], the degree of each entry.
    """

    leaving: npt.NDArray[np.int32]
    leaving_degree: npt.NDArray[np.int32]
    entering: npt.NDArray[np.int32]
    entering_degree: npt.NDArray[np.int32]


def by_degree(csr: Csr, follow_out: bool, follow_in: bool) -> ByDegree:
    """Return the index of the backward search: 8 bytes per triple and direction walked."""
    degrees = csr.out_degrees() * follow_out + csr.in_degrees() * follow_in
    rows = _sort_rows(csr.rows, np.argsort(degrees, kind="stable"), follow_out, follow_in)
    for array in rows:
        array.setflags(write=False)
    return ByDegree(*rows)


@jit
def _sort_rows(
    rows: Rows, order: npt.NDArray[np.int64], follow_out: bool, follow_in: bool
) -> tuple[Ids, Ids, Ids, Ids]:
    """Return sorted rows, by adding each node, in order of degree, to the rows of its neighbours."""
    out_begin, out_end, tail, _, in_begin, in_end, in_head, _ = rows
    n_out = len(tail) if follow_in else 0
    n_in = len(tail) if follow_out else 0
    leaving, leaving_degree = np.empty(n_out, dtype=np.int32), np.empty(n_out, dtype=np.int32)
    entering, entering_degree = np.empty(n_in, dtype=np.int32), np.empty(n_in, dtype=np.int32)
    out_at, in_at = out_begin.copy(), in_begin.copy()
    for v in order:
        degree = walk_degree(rows, v, follow_out, follow_in)
        if follow_out:
            for e in range(np.int64(out_begin[v]), np.int64(out_end[v])):
                u = tail[e]
                entering[in_at[u]], entering_degree[in_at[u]] = v, degree
                in_at[u] += np.uint32(1)
        if follow_in:
            for e in range(np.int64(in_begin[v]), np.int64(in_end[v])):
                u = in_head[e]
                leaving[out_at[u]], leaving_degree[out_at[u]] = v, degree
                out_at[u] += np.uint32(1)
    return leaving, leaving_degree, entering, entering_degree


def rbs_to_target(rows: Rows, index: ByDegree, target: int, restart: float, theta: float, seed: int) -> Result:
    """Return the score of one node for every source: how often a walk that restarts at the source is at the target.

    All scores are unbiased, and those above ``theta`` have a small expected relative error. A walk at a dead end is
    lost, so the scores of one source need not sum to 1.

    Args:
        rows: The rows of the graph.
        index: Result of `by_degree`, which also determines the direction of the walks.
        target: The node.
        restart: Probability of going back to the source.
        theta: Smallest score that is found reliably.
        seed: The seed of the random numbers; the same one gives the same result.

    Returns:
        int32, all sources found, unordered; float64, their scores; the number of edges read.
    """
    near = nothing_touched(1024)
    near.residual[touch(near, target)] = restart
    near, edges = _search_back(rows, index, near, restart, restart * theta, seed)
    count = near.used[0]
    return near.node[:count].copy(), near.estimate[:count].copy(), edges


def rbs_both_ways(rows: Rows, index: ByDegree, seeds: Ids, restart: float, k: int, theta: float, seed: int) -> Result:
    """Return the ``k`` best nodes for walks both ways, by one search to the seeds; see the module docstring.

    Args:
        rows: The rows of the graph.
        index: From `by_degree`, both ways.
        seeds: int32, at least one.
        restart: Probability of going back to the seeds.
        k: How many nodes.
        theta: As in `rbs_to_target`; with several seeds, for the mean of their scores.
        seed: The seed of the random numbers; the same one gives the same result.

    Returns:
        int32 and float64 [at most k], highest score first, ties to the lower id; the number of edges looked at.
    """
    near = nothing_touched(max(1024, len(seeds)))
    amount, total = 0.0, 1.0
    for s in seeds.tolist():
        i = touch(near, s)
        degree = int(walk_degree(rows, s, True, True))
        near.degree[i] = max(1, degree)
        if degree == 0:
            total -= (1.0 - restart) / len(seeds)  # walks at this dead end are dropped
        near.residual[i] += restart / (len(seeds) * near.degree[i])
        amount += restart * theta / (len(seeds) * near.degree[i])
    near, edges = _search_back(rows, index, near, restart, amount, seed)
    count = near.used[0]
    near.estimate[:count] *= near.degree[:count]
    return *best_touched(near, near.estimate, k, total), edges


def _search_back(
    rows: Rows, index: ByDegree, near: Touched, restart: float, amount: float, seed: int
) -> tuple[Touched, int]:
    """Propagate residues backwards, level by level (Algorithm 1); a node's estimate sums its residues.

    Args:
        rows: The rows of the graph.
        index: From `by_degree`.
        near: The targets, each with a residue.
        restart: Probability that a walk restarts.
        amount: Amount for a predecessor with a smaller share, given with the probability that makes it unbiased.
        seed: The seed of the random numbers.
    """
    cursor, state, edges = _first_level(near), first_state(seed), 0
    while cursor[_READY]:
        check_limits()
        near, state, read = _search_on(rows, index, near, cursor, restart, amount, np.uint64(state), SLICE)
        edges += read
    return near, edges


def _first_level(near: Touched) -> npt.NDArray[np.int64]:
    """Queue every node; return the cursor: queue length, next queue position, and length of the next queue."""
    count = int(near.used[0])
    near.queue[:count] = np.arange(count)
    return np.array([count, 0, 0])


@jit
def _search_on(
    rows: Rows,
    index: ByDegree,
    near: Touched,
    cursor: npt.NDArray[np.int64],
    restart: float,
    amount: float,
    state: np.uint64,
    most_edges: int,
) -> tuple[Touched, np.uint64, np.int64]:
    """Continue the backward search for about ``most_edges`` edges; return the number of edges read."""
    out_begin, out_end, _, _, in_begin, in_end, _, _ = rows
    leaving, leaving_degree, entering, entering_degree = index
    table, counter, node, degrees, score, residual, estimate, queued, queue, following = near
    count, edges = counter[0], np.int64(0)
    ready, position, waiting = cursor[_READY], cursor[_POSITION], cursor[_WAITING]
    while ready and edges < most_edges:
        if position == 0:
            for place in range(ready):
                i = queue[place]
                estimate[i] += residual[i]
                score[i] = residual[i]
                residual[i] = 0.0
            waiting = np.int64(0)
        read = np.int64(0)
        while position < ready and edges < most_edges:
            if position % _BLOCK == 0:
                for ahead in range(position, min(position + _BLOCK, ready)):
                    u = node[queue[ahead]]
                    if len(entering) and in_begin[u] < in_end[u]:
                        read |= entering[in_begin[u]] | entering_degree[in_begin[u]]
                    if len(leaving) and out_begin[u] < out_end[u]:
                        read |= leaving[out_begin[u]] | leaving_degree[out_begin[u]]
            i = queue[position]
            position += 1
            u, passed = node[i], (1.0 - restart) * score[i]
            state += GOLDEN
            sure = passed / amount
            limit = sure / (np.float64((mix(state) >> np.uint64(11)) + np.uint64(1)) * 2.0**-53)
            for way in range(2):
                if way == 0:
                    if not len(entering):
                        continue
                    begin, end = np.int64(in_begin[u]), np.int64(in_end[u])
                else:
                    if not len(leaving):
                        continue
                    begin, end = np.int64(out_begin[u]), np.int64(out_end[u])
                for e in range(begin, end):
                    degree = entering_degree[e] if way == 0 else leaving_degree[e]
                    edges += 1
                    if degree > limit:
                        break
                    if count == len(node):
                        counter[0] = count
                        near = Touched(
                            table, counter, node, degrees, score, residual, estimate, queued, queue, following
                        )
                        near = with_room(near, 1)
                        table, counter, node, degrees, score, residual, estimate, queued, queue, following = near
                    v = entering[e] if way == 0 else leaving[e]
                    j = slot_for(table, v, count)
                    if j == count:
                        count += 1
                        node[j] = v
                        residual[j] = estimate[j] = 0.0
                        degrees[j] = degree
                    if residual[j] == 0.0:
                        following[waiting] = j
                        waiting += 1
                    residual[j] += passed / degree if degree <= sure else amount
        if read < 0:  # never, as ids are at least 0; but without a use the reads ahead would be left out
            edges += 1
        if position == ready:
            queue[:waiting] = following[:waiting]
            ready, position = waiting, np.int64(0)
    counter[0] = count
    cursor[_READY], cursor[_POSITION], cursor[_WAITING] = ready, position, waiting
    return Touched(table, counter, node, degrees, score, residual, estimate, queued, queue, following), state, edges


def randomized_forward(
    rows: Rows,
    seeds: Ids,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    k: int,
    theta: float,
    seed: int,
) -> Result:
    """Return the ``k`` best nodes by forward propagation; small shares go to a few random neighbours.

    Args:
        rows: The rows of the graph.
        seeds: int32, at least one.
        restart: Probability of going back to the seeds.
        follow_out: Walk along the triples.
        follow_in: Walk against the triples.
        k: How many nodes.
        theta: A share below ``theta`` is passed on as ``theta``, with the probability that makes it unbiased.
        seed: The seed of the random numbers; the same one gives the same result.

    Returns:
        The same as `rbs_both_ways`.
    """
    near = nothing_touched(max(1024, len(seeds)))
    for s in seeds.tolist():
        near.residual[touch(near, s)] += 1.0 / len(seeds)
    cursor, state, edges = _first_level(near), first_state(seed), 0
    while cursor[_READY]:
        check_limits()
        near, state, read = _forward_on(
            rows, near, cursor, restart, follow_out, follow_in, theta, np.uint64(state), SLICE
        )
        edges += read
    estimate = near.estimate
    return *best_touched(near, estimate, k, estimate[: near.used[0]].sum()), edges


@jit
def _forward_on(
    rows: Rows,
    near: Touched,
    cursor: npt.NDArray[np.int64],
    restart: float,
    follow_out: bool,
    follow_in: bool,
    theta: float,
    state: np.uint64,
    most_edges: int,
) -> tuple[Touched, np.uint64, np.int64]:
    """Continue the forward propagation for about ``most_edges`` edges; return the number of edges read."""
    out_begin, out_end, tail, _, in_begin, in_end, in_head, _ = rows
    table, counter, node, degrees, score, residual, estimate, queued, queue, following = near
    count, edges = counter[0], np.int64(0)
    ready, position, waiting = cursor[_READY], cursor[_POSITION], cursor[_WAITING]
    while ready and edges < most_edges:
        if position == 0:
            for place in range(ready):
                i = queue[place]
                estimate[i] += restart * residual[i]
                score[i] = residual[i]
                residual[i] = 0.0
            waiting = np.int64(0)
        read = np.int64(0)
        while position < ready and edges < most_edges:
            if position % _BLOCK == 0:
                for ahead in range(position, min(position + _BLOCK, ready)):
                    u = node[queue[ahead]]
                    if follow_out and out_begin[u] < out_end[u]:
                        read |= tail[out_begin[u]]
                    if follow_in and in_begin[u] < in_end[u]:
                        read |= in_head[in_begin[u]]
            i = queue[position]
            position += 1
            u = node[i]
            o0, i0 = np.int64(out_begin[u]), np.int64(in_begin[u])
            n_out = np.int64(out_end[u]) - o0 if follow_out else np.int64(0)
            degree = n_out + (np.int64(in_end[u]) - i0 if follow_in else np.int64(0))
            if degree == 0:
                continue
            i0 -= n_out
            share = (1.0 - restart) * score[i] / degree
            # Small shares: draw the gap to the next chosen neighbour (geometric), instead of a number per neighbour.
            skip = 0.0 if share >= theta else 1.0 / np.log1p(-share / theta)
            share = max(share, theta)
            e = np.int64(-1)
            while True:
                e += 1
                if skip < 0.0:
                    state += GOLDEN
                    drawn = np.float64((mix(state) >> np.uint64(11)) + np.uint64(1)) * 2.0**-53
                    e += np.int64(min(np.log(drawn) * skip, np.float64(degree)))
                if e >= degree:
                    break
                v = tail[o0 + e] if e < n_out else in_head[i0 + e]
                edges += 1
                if count == len(node):
                    counter[0] = count
                    near = Touched(table, counter, node, degrees, score, residual, estimate, queued, queue, following)
                    near = with_room(near, 1)
                    table, counter, node, degrees, score, residual, estimate, queued, queue, following = near
                j = slot_for(table, v, count)
                if j == count:
                    count += 1
                    node[j] = v
                    residual[j] = estimate[j] = 0.0
                if residual[j] == 0.0:
                    following[waiting] = j
                    waiting += 1
                residual[j] += share
        if read < 0:  # never, as ids are at least 0; but without a use the reads ahead would be left out
            edges += 1
        if position == ready:
            queue[:waiting] = following[:waiting]
            ready, position = waiting, np.int64(0)
    counter[0] = count
    cursor[_READY], cursor[_POSITION], cursor[_WAITING] = ready, position, waiting
    return Touched(table, counter, node, degrees, score, residual, estimate, queued, queue, following), state, edges
