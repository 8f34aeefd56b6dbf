"""Neighbourhoods and personalized PageRank by this package, by libraries and by databases, on growing graphs.

    python benchmarks/scale_of_all.py --work FOLDER 1e5 1e6 1e7 [--seeds 10] [--patience 60] > rows.md
    python benchmarks/plot_scale.py rows.md > docs/figures/scale.svg

The graphs are those of `ppr_scale.py`. Two tasks around ordinary entities (degree below 1,000), walking both ways:

- **two hops**: the set of entities within two triples of a seed. All systems must find equally many. `KHop` finds the
  triples among them as well.
- **ppr**: the 1,000 entities of the highest personalized PageRank at restart 0.8. «same» is the share of those that
  `PPR(k=1000)` finds too.

Every system gets the graph in its own form, in memory except for ladybug, which gets a file. ``load s``
is what that takes; ``first ms`` is the first question, which compiles or warms up. Each seed is asked for ``--repeats``
times. A system gets no further question after ``--patience`` seconds for a task and size, and no larger graph when one
question took longer than that. ``cpu ms`` is the processor time of all threads a question, which other work on the
machine changes less.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphbrick import PPR, Graph, KHop, Query
from ppr_libraries import SOLVERS, ends, step_counts
from ppr_scale import K, build, timed

RESTART = 0.8
_STEPS = 12  # of power iteration in SQL: 0.2 ** 12 is below 1e-8
_CAP = 100_000_000
Ask = Callable[[int], Any]
"""Gives the numbers of entities, in any form that can be iterated over."""


@dataclass(frozen=True)
class System:
    """One system: loads a graph, and answers each task that it has.

    Args:
        load: ``load(graph, work)`` gives a question of each task.
        most: Triples up to which it fits into memory, or ends in time.
    """

    load: Callable[[Graph, Path], dict[str, Ask]]
    most: float = 1e9


def _ours(graph: Graph, work: Path) -> dict[str, Ask]:
    hops, ppr = KHop(max_hops=2, cap=_CAP), PPR(k=K, restart=RESTART)
    return {
        "two hops": lambda seed: hops.run(graph, Query("?", seeds=(seed,))).subgraph.nodes,
        "ppr": lambda seed: ppr.run(graph, Query("?", seeds=(seed,))).subgraph.nodes,
    }


def _solved(name: str, graph: Graph, state: Any = None) -> Ask:
    """Return PPR by a solver of `ppr_libraries.py`."""
    state = SOLVERS[name].prepare(graph, "both") if state is None else state
    return lambda seed: SOLVERS[name].query(state, np.array([seed], dtype=np.int32), RESTART, K)[0]


def _igraph(graph: Graph, work: Path) -> dict[str, Ask]:
    state = SOLVERS["igraph"].prepare(graph, "both")
    return {"two hops": lambda seed: state.neighborhood(seed, order=2), "ppr": _solved("igraph", graph, state)}


def _networkx(graph: Graph, work: Path) -> dict[str, Ask]:
    import networkx

    state = SOLVERS["networkx"].prepare(graph, "both")
    near = networkx.single_source_shortest_path_length
    return {"two hops": lambda seed: near(state, seed, cutoff=2), "ppr": _solved("networkx", graph, state)}


def _sknetwork(graph: Graph, work: Path) -> dict[str, Ask]:
    return {"ppr": _solved("scikit-network", graph)}


def _scipy(graph: Graph, work: Path) -> dict[str, Ask]:
    counts = step_counts(graph, "both")

    def two_hops(seed: int) -> Any:
        first = counts.indices[counts.indptr[seed] : counts.indptr[seed + 1]]
        return np.unique(np.concatenate([[seed], first, counts[np.unique(first)].indices]))

    return {"two hops": two_hops, "ppr": _solved("scipy", graph)}


def _duckdb(graph: Graph, work: Path) -> dict[str, Ask]:
    import duckdb

    source, target = ends(graph.csr, "both")
    arrays = {"src": source, "dst": target}  # noqa: F841 - read by name in the query
    connection = duckdb.connect()
    connection.execute("CREATE TABLE edges AS SELECT src, dst FROM arrays ORDER BY src")
    connection.execute("CREATE TABLE degrees AS SELECT src, count(*) AS degree FROM edges GROUP BY src")
    near = """
        WITH RECURSIVE near(node, hop) USING KEY (node) AS (
            SELECT ?::INTEGER, 0
            UNION SELECT dst, hop + 1 FROM near JOIN edges ON src = node WHERE hop < 2
                AND NOT EXISTS (FROM recurring.near AS known WHERE known.node = dst)
        ) SELECT node FROM near"""
    step = f"""
        CREATE OR REPLACE TEMP TABLE following AS SELECT node, sum(score) AS score FROM (
            SELECT dst AS node, {1 - RESTART} * score / degree AS score
                FROM scores JOIN degrees ON degrees.src = node JOIN edges ON edges.src = node
            UNION ALL SELECT ?::INTEGER, {RESTART}
        ) GROUP BY node"""

    def two_hops(seed: int) -> Any:
        return connection.execute(near, [seed]).fetchnumpy()["node"]

    def ppr(seed: int) -> Any:
        connection.execute(
            "CREATE OR REPLACE TEMP TABLE scores AS SELECT ?::INTEGER AS node, 1::DOUBLE AS score", [seed]
        )
        for _ in range(_STEPS):
            connection.execute(step, [seed])
            connection.execute("DROP TABLE scores; ALTER TABLE following RENAME TO scores")
        return connection.execute(f"SELECT node FROM scores ORDER BY score DESC, node LIMIT {K}").fetchnumpy()["node"]

    return {"two hops": two_hops, "ppr": ppr}


def _ladybug(graph: Graph, work: Path) -> dict[str, Ask]:
    import duckdb
    import ladybug

    folder = work / "ladybug"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    source, target = ends(graph.csr, "out")
    arrays = {"src": source.astype(np.int64), "dst": target.astype(np.int64)}  # noqa: F841 - read by name
    duckdb.execute(f"COPY (SELECT range AS id FROM range({graph.n_entities})) TO '{folder}/nodes.parquet'")
    duckdb.execute(f"COPY (SELECT src, dst FROM arrays) TO '{folder}/edges.parquet'")
    database = ladybug.Database(str(folder / "graph.db"), buffer_pool_size=6 << 30)
    connection = ladybug.Connection(database)
    connection.execute("CREATE NODE TABLE Node(id INT64, PRIMARY KEY(id))")
    connection.execute("CREATE REL TABLE Edge(FROM Node TO Node)")
    connection.execute(f"COPY Node FROM '{folder}/nodes.parquet'")
    connection.execute(f"COPY Edge FROM '{folder}/edges.parquet'")
    connection.set_query_timeout(60_000)
    near = "MATCH (a:Node {id: $seed})-[:Edge*SHORTEST 1..2]-(b:Node) RETURN DISTINCT b.id"

    def two_hops(seed: int) -> Any:
        return {seed, *(row[0] for row in connection.execute(near, {"seed": seed}).get_all())}

    return {"two hops": two_hops}  # PageRank is in an extension that has to be fetched


SYSTEMS = {
    "graphbrick": System(_ours),
    "igraph": System(_igraph, 5e7),
    "networkx": System(_networkx, 3e6),
    "scipy": System(_scipy, 1e8),
    "scikit-network": System(_sknetwork, 1e8),
    "DuckDB": System(_duckdb),
    "ladybug": System(_ladybug),
}


def measured(ask: Ask, seeds: list[int], repeats: int, patience: float) -> Iterator[tuple[int, set[int], float, float]]:
    """Yield the seed, what is found, and milliseconds of the clock and of the processor, until patience ends."""
    begun = time.perf_counter()
    for seed in [seed for seed in seeds for _ in range(repeats)]:
        start, used = time.perf_counter(), time.process_time()
        nodes = ask(seed)
        wall, processor = time.perf_counter() - start, time.process_time() - used
        yield seed, {int(node) for node in nodes}, 1000 * wall, 1000 * processor
        if time.perf_counter() - begun > patience:
            return


def rows(graph: Graph, name: str, known: dict[tuple[str, int], set[int]], given: Any) -> float:
    """Print the rows of a system; return the longest question in seconds. ``known`` has what this package finds."""
    start = time.perf_counter()
    asks = SYSTEMS[name].load(graph, given.work)
    loaded, longest = time.perf_counter() - start, 0.0
    seeds = [seed for (seed,) in timed(graph, "ordinary", given.seeds)]
    for task, ask in asks.items():
        found = list(measured(ask, seeds, given.repeats, given.patience))
        shares = []
        for seed, nodes, _, _ in found:
            ours = known.setdefault((task, seed), nodes)
            if task == "two hops" and nodes != ours:
                raise SystemExit(f"{name} finds {len(nodes):,} entities around {seed}, graphbrick {len(ours):,}")
            shares.append(len(nodes & ours) / len(ours))
        walls = [wall for *_, wall, _ in found]
        warm = walls[1:] or walls
        processor = statistics.median([used for *_, used in found][1:] or [found[0][3]])
        longest = max(longest, *walls)
        median, highest = statistics.median(warm), np.percentile(warm, 95)
        print(
            f"| {task} | {name} | {graph.n_triples:,} | {loaded:.1f} | {walls[0]:,.1f} | {median:,.2f} "
            f"| {highest:,.2f} | {processor:,.2f} | {len(walls)} | {np.mean(shares):.3f} |",
            flush=True,
        )
    return longest / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("triples", type=lambda text: int(float(text)), nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--patience", type=float, default=60)
    parser.add_argument("--only", nargs="*", default=list(SYSTEMS))
    given = parser.parse_args()
    given.work.mkdir(exist_ok=True)
    print("| task | system | triples | load s | first ms | median ms | p95 ms | cpu ms | questions | same |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    slow: set[str] = set()
    for triples in sorted(given.triples):
        graph, known = build(triples, given.work), dict[tuple[str, int], set[int]]()
        for name in given.only:
            if triples <= SYSTEMS[name].most and name not in slow and rows(graph, name, known, given) > given.patience:
                slow.add(name)


if __name__ == "__main__":
    main()
