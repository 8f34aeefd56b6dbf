"""Personalized PageRank by Spark beside `PPR` on one machine: the same scores, and what they cost.

    python benchmarks/spark.py --triples 1e5 --sets 1 10 100
    python benchmarks/spark.py --triples 1e7 --sets 100 --tolerance 0.1 1e-4 --keep work
    python benchmarks/spark.py --triples 1e6 --sets 10 --workers 1       # a standalone master, one worker process
    python benchmarks/spark.py --triples 1e6 --sets 10 --workers 2       # two
    python benchmarks/spark.py --triples 1e6 --sets 10 --hub 0.3                     # a third of the tails are one
    python benchmarks/spark.py --triples 1e6 --sets 10 --hub 0.3 --row-length 1e9    # and its row is in one piece

Prints a line of JSON for each number of sets: seconds, and seconds of processor time of all processes of Spark. At the
end, a line for each phase with what its tasks spent, from Spark's event log: the longest task shows whether work is
spread evenly. The graph is a random one with heavy tails (`synthetic.py`). Scores of the hundred best entities are
compared with exact ones. Needs the extra ``spark`` and Java 17.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from graphbrick import PPR, Graph, Query, build
from graphbrick.kernels.pagerank.exact_ppr import exact_ppr
from spark_sizes import event_log, phase, spends
from synthetic import edges, n_entities, n_relations

SEED_DEGREE = 6  # triples of a seed: an ordinary entity
CHECKED = 10  # sets whose scores are compared: exact ones need 48 bytes for each entity and set


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--triples", type=float, default=1e5)
    parser.add_argument("--sets", type=int, nargs="+", default=[1, 10, 100], help="walked together")
    parser.add_argument("--workers", type=int, default=0, help="worker processes of a standalone master; 0: local[2]")
    parser.add_argument("--cores", type=int, default=1, help="of each worker")
    parser.add_argument("--hub", type=float, default=0.0, help="share of the triples whose tail is one entity")
    parser.add_argument("--row-length", type=float, default=4096, help="most targets in a chunk of a row")
    parser.add_argument("--tolerance", type=float, nargs="+", default=[1e-4])
    parser.add_argument("--keep", type=Path, help="folder for the graph and what is prepared, used if it is there")
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument(
        "--edge-budget", type=float, default=2e9, help="edges walked for a set; few make scores less exact"
    )
    given = parser.parse_args()
    bricks = [PPR(k=given.k, tolerance=each, edge_budget=int(given.edge_budget)) for each in given.tolerance]
    with tempfile.TemporaryDirectory() as folder, master(given.workers, given.cores) as url:
        kept = given.keep or Path(folder)
        table, place = kept / "triples.parquet", kept / "here.graph"
        if not place.exists():
            kept.mkdir(exist_ok=True)
            write_triples(int(given.triples), table, given.hub)
            build(table, place, near=False)
        graph = Graph.open(place)
        facts = {"triples": graph.n_triples, "entities": graph.n_entities, "workers": given.workers or "local[2]"}
        facts["hub"] = given.hub
        measure(folder, table, graph, url, bricks, given.sets, int(given.row_length), facts)


def write_triples(count: int, file: Path, hub: float) -> None:
    """Write the triples of a random graph; a share of them leads to its first entity."""
    n, relations = n_entities(count), n_relations(count)
    parts = edges(0, count, n, relations)
    parts[2][np.random.default_rng(1).random(count) < hub] = 0
    names = [pa.array([f"{letter}{i}" for i in range(size)]) for letter, size in (("e", n), ("r", relations))]
    columns = [names[which].take(pa.array(part)) for which, part in zip((0, 1, 0), parts, strict=True)]
    pq.write_table(pa.table(dict(zip(("head", "relation", "tail"), columns, strict=True))), file)


def measure(
    folder: str, table: Path, graph: Graph, url: str, bricks: list[PPR], sizes: list[int], row_length: int, facts: dict
) -> None:
    """Prepare the graph once, extract for each number of sets, and print what it took."""
    from graphbrick.spark.prepare import prepare
    from graphbrick.spark.prepared import Prepared
    from graphbrick.spark.reading import TripleSource
    from graphbrick.spark.seed_sets import SeedSet
    from graphbrick.spark.session import spark_session
    from graphbrick.spark.walks.extract import extract

    ordinary = np.flatnonzero(graph.csr.degrees() == SEED_DEGREE).astype(np.int32)
    seeds = np.random.default_rng(0).choice(ordinary, max(sizes), replace=False)
    log, started = Path(folder) / "log", time.perf_counter()
    log.mkdir()
    conf = {"spark.executor.memory": "2g", "spark.sql.shuffle.partitions": "4", **event_log(log)}
    with spark_session(url, conf) as spark:
        facts["start_s"] = round(time.perf_counter() - started, 1)
        started, used = time.perf_counter(), processor_seconds()
        place = table.parent / "prepared"
        with phase(spark, "prepare"):
            if place.exists():
                prepared = Prepared.open(spark, str(place))
            else:
                prepared = prepare(spark, TripleSource(str(table)), str(place), row_length=row_length)
        facts |= {"row_length": row_length, "prepare_s": round(time.perf_counter() - started, 1)}
        facts["prepare_cpu_s"] = round(processor_seconds() - used, 1)
        facts["largest_degree"] = prepared.facts["statistics"]["largest_degree"]
        for brick, size in product(bricks, sizes):
            sets = [SeedSet(f"q{i:04}", (graph.key(int(seed)),)) for i, seed in enumerate(seeds[:size])]
            name = f"extract {size} sets, tolerance {brick.tolerance:g}"
            place, started, used = f"{folder}/{name}", time.perf_counter(), processor_seconds()
            with phase(spark, name):
                done = extract(prepared, sets, place, brick, partitions=4, batch=size)
            times = {"extract_s": round(time.perf_counter() - started, 1),
                     "extract_cpu_s": round(processor_seconds() - used, 1)}  # fmt: skip
            reached = {"tolerance": brick.tolerance, "sets": size, "steps": done.steps[0], "stopped": done.stopped}
            found = compared(graph, brick, seeds[:size], place)
            print(json.dumps({**facts, **reached, **times, **found}), flush=True)
    for name, spent in spends(log).items():
        print(json.dumps({"phase": name, **asdict(spent)}), flush=True)


def processor_seconds() -> float:
    """Return the processor time of all processes below this one: the driver, the master, workers and executors."""
    parents, times = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        parents[int(stat.parent.name)], times[int(stat.parent.name)] = int(fields[1]), int(fields[11]) + int(fields[12])
    below, total = {os.getpid()}, 0
    for _ in range(6):  # levels of processes
        below = {pid for pid, parent in parents.items() if parent in below}
        total += sum(times[pid] for pid in below)
    return total / os.sysconf("SC_CLK_TCK")


def compared(graph: Graph, brick: PPR, seeds: np.ndarray, place: str) -> dict[str, float]:
    """Return the largest error of the hundred best scores, the share of exact entities, and the time on one machine.

    Scores are compared for the first `CHECKED` sets; all sets are walked on one machine.
    """
    rows = pq.read_table(f"{place}/scores").to_pylist()
    checked = min(len(seeds), CHECKED)
    exact = exact_ppr(graph.csr, [seeds[i : i + 1] for i in range(checked)], brick.restart, True, True, error=1e-11)
    worst, shared = 0.0, 0.0
    for i in range(checked):
        own = {graph.entity(row["entity"]): row["score"] for row in rows if row["set"] == f"q{i:04}"}
        best = np.argsort(-exact[:, i], kind="stable")
        worst = max(worst, *(abs(own.get(node, 0.0) - exact[node, i]) for node in best[:100].tolist()))
        cut = exact[best[brick.k - 1], i] * (1 - 1e-9)
        shared += sum(exact[node, i] >= cut for node in own) / len(own) / checked
    queries = [Query("?", seeds=(int(seed),)) for seed in seeds]
    brick.extract(graph, queries[0])  # compiles
    started = time.perf_counter()
    for query in queries:
        brick.extract(graph, query)
    return {"worst_error_of_100": worst, "same_entities": round(shared, 4),
            "one_machine_s": round(time.perf_counter() - started, 3)}  # fmt: skip


@contextmanager
def master(workers: int, cores: int) -> Iterator[str]:
    """Start a standalone master with worker processes on this machine, and stop them at the end."""
    if not workers:
        yield "local[2]"
        return
    import pyspark

    home = Path(pyspark.__file__).parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url, common = f"spark://127.0.0.1:{port}", {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    start = [str(home / "bin" / "spark-class")]
    commands = [[*start, "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port),
                 "--webui-port", "0"]]  # fmt: skip
    for _ in range(workers):
        commands.append([*start, "org.apache.spark.deploy.worker.Worker", "--cores", str(cores), "--memory", "2g",
                         "--host", "127.0.0.1", "--webui-port", "0", url])  # fmt: skip
    with tempfile.TemporaryDirectory() as work:
        running = [subprocess.Popen(command, env=environment, cwd=work, **common) for command in commands]
        try:
            while True:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.2)
            yield url
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait()


if __name__ == "__main__":
    main()
