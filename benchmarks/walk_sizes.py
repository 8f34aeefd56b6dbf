"""Counts the rows that walks of ``graphbrick spark extract`` move, without Spark, on graphs of several sizes.

    python benchmarks/walk_sizes.py 1e5 1e6 1e7 --restart 0.8 --direction both

The rule by which entities are pushed is that of `graphbrick.spark.walks.progress` and `graphbrick.spark.walks.ppr`; the
graphs are those of benchmarks/synthetic.py. `benchmarks/spark_sizes.py` turns the counts into bytes, memory and
seconds.
"""

from __future__ import annotations

import argparse
import math
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from graphbrick import PPR
from graphbrick.core.csr import Csr
from graphbrick.spark.prepare import ROW_LENGTH
from graphbrick.spark.walks import ppr as spark_ppr
from graphbrick.spark.walks import progress as spark_walks
from synthetic import csr_of

Floats = npt.NDArray[np.float64]


class Moved(NamedTuple):
    """Rows that the walk of one set moves, summed over its steps.

    Attributes:
        steps: Steps until the set is done.
        state: Rows of the state, which every step reads, groups and writes.
        chunks: Chunks of rows that are looked up.
        arriving: Triples walked: rows made of the targets of pushed entities, before they are grouped.
        widest: Most rows of state and arriving in one step.
        touched: Entities with any mass at the end.
    """

    steps: float
    state: float
    chunks: float
    arriving: float
    widest: float
    touched: float


@numba.njit(nogil=True)
def _pass_on(nodes, share, out_begin, out_end, tail, in_begin, in_end, in_head, follow_out, follow_in, residual):
    """Add its share to every neighbour of each node."""
    for i in range(len(nodes)):
        node = nodes[i]
        if follow_out:
            for e in range(out_begin[node], out_end[node]):
                residual[tail[e]] += share[i]
        if follow_in:
            for e in range(in_begin[node], in_end[node]):
                residual[in_head[e]] += share[i]


def walked(csr: Csr, seed: int, ppr: PPR) -> Moved:
    """Walk from one seed as Spark does, and count the rows."""
    out, into = ppr.direction != "in", ppr.direction != "out"
    degree = out * csr.out_degrees() + into * csr.in_degrees()
    way = spark_walks.Way(float(ppr.restart), ppr.direction == "both", ROW_LENGTH)
    residual, settled, moved = np.zeros(csr.n_nodes), np.zeros(csr.n_nodes), np.zeros(csr.n_nodes)
    residual[seed] = 1.0
    per_triple = np.maximum(degree, 1)
    steps = state = chunks = arriving = widest = 0
    while True:
        worst, left = float(np.max(np.abs(residual) / per_triple)), float(np.abs(residual).sum())
        kth = _kth(settled + way.restart * residual, ppr.k)
        few = arriving < spark_ppr._LEAST_EDGES
        end = 0.0 if few else ppr.tolerance / spark_ppr._FINER * kth / way.restart
        end = math.inf if arriving > ppr.edge_budget else end
        rows = int(np.count_nonzero((residual != 0) | (settled != 0)))
        if worst <= end or left < spark_walks.GONE:
            return Moved(steps, state + rows, chunks, arriving, widest, rows)
        limit = max(end, worst / spark_walks.FACTOR)
        move = way.omega * residual + (way.omega - 1) * moved
        pushed = np.flatnonzero(np.abs(move) > limit * per_triple)
        moved = np.zeros(csr.n_nodes)
        moved[pushed] = move[pushed]
        residual -= moved
        settled += way.restart * moved
        sending = pushed[degree[pushed] > 0]
        share = (1 - way.restart) * moved[sending] / degree[sending]
        _pass_on(
            sending, share, csr.out_begin, csr.out_end, csr.tail, csr.in_begin, csr.in_end, csr.in_head, out, into,
            residual,
        )  # fmt: skip
        sent = int(degree[sending].sum())
        steps, state, arriving = steps + 1, state + rows, arriving + sent
        chunks += int(np.ceil(degree[sending] / ROW_LENGTH).sum())
        widest = max(widest, rows + sent)


def _kth(scores: Floats, k: int) -> float:
    """Return the k-th highest score, at most a class of `graphbrick.spark.walks.progress` too low."""
    positive = scores[scores > 0]
    if len(positive) < k:
        return 0.0
    kth = float(np.partition(positive, -k)[-k])
    return float(2.0 ** (math.floor(math.log2(kth) * spark_walks.BUCKETS) / spark_walks.BUCKETS))


def mean_moved(triples: int, ppr: PPR, seeds: int) -> Moved:
    """Return the mean over walks from random seeds in a graph of so many triples."""
    csr = csr_of(triples)
    drawn = np.random.default_rng(7).choice(csr.n_nodes, size=4 * seeds, replace=False)
    with_triples = [int(node) for node in drawn if csr.degrees()[node] > 0][:seeds]
    return Moved(*np.mean([walked(csr, seed, ppr) for seed in with_triples], axis=0).tolist())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("triples", nargs="+", type=lambda text: int(float(text)))
    parser.add_argument("--restart", type=float, default=PPR().restart)
    parser.add_argument("--direction", default=PPR().direction)
    parser.add_argument("--tolerance", type=float, default=PPR().tolerance)
    parser.add_argument("--k", type=int, default=PPR().k)
    parser.add_argument("--seeds", type=int, default=10)
    given = parser.parse_args()
    ppr = PPR(k=given.k, restart=given.restart, direction=given.direction, tolerance=given.tolerance)
    print(f"{ppr!r}, means of {given.seeds} seeds")
    print("triples\tsteps\tstate rows\tchunks\ttriples walked\twidest step\ttouched")
    for triples in given.triples:
        print(f"{triples:.0e}", *(f"{value:,.0f}" for value in mean_moved(triples, ppr, given.seeds)), sep="\t")


if __name__ == "__main__":
    main()
