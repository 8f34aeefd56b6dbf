"""What graphbrick costs before it answers: start-up time, opening a large graph, memory of one question.

    python benchmarks/footprint.py [--triples 1000000]
    python benchmarks/footprint.py --ask films.graph "who directed Heat?" [--ask ...] [--before CHECKOUT]

Every figure comes from a fresh process; times are the median of seven. ``--ask`` (which may be repeated) measures only
``graphbrick ask`` over existing graphs: seconds from start to end, and seconds of processor time, which other work on
the machine changes less. With ``--before``, another checkout answers the same question in turn with this one.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from graphbrick import build

REPEATS = 7


def seconds(*command: str) -> float:
    """Median wall-clock time of a command, after one run that warms the caches."""
    times = []
    for _ in range(REPEATS + 1):
        start = time.perf_counter()
        subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def triples(n: int) -> Iterator[tuple[str, str, str]]:
    """Random triples with heavy-tailed degrees over n / 4 entities."""
    random = np.random.default_rng(7)
    entities = n // 4
    heads = (entities * random.random(n) ** 2).astype(int)
    tails = (entities * random.random(n) ** 2).astype(int)
    for head, relation, tail in zip(heads.tolist(), random.integers(0, 300, n).tolist(), tails.tolist(), strict=True):
        yield f"entity number {head}", f"relation {relation}", f"entity number {tail}"


def ask_seconds(graph: str, question: str, trees: Sequence[Path]) -> list[tuple[float, float]]:
    """Return the median wall-clock and processor seconds of ``graphbrick ask`` for each source tree, taking turns."""
    command = [sys.executable, "-m", "graphbrick.cli", "ask", graph, question]
    times: list[list[tuple[float, float]]] = [[] for _ in trees]
    for _ in range(REPEATS + 1):  # the first run warms the caches
        for tree, row in zip(trees, times, strict=True):
            environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
            start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                command, check=True, stdout=subprocess.DEVNULL, env={**environment, "PYTHONPATH": str(tree / "src")}
            )
            seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
            row.append((seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return [
        (statistics.median(wall for wall, _ in row[1:]), statistics.median(processor for _, processor in row[1:]))
        for row in times
    ]


OPEN = """
import time, sys
from graphbrick import Graph
start = time.perf_counter()
graph = Graph.open(sys.argv[1])
print(1000 * (time.perf_counter() - start))
"""
# VmHWM and not ru_maxrss, which a process inherits from the one that started it.
ASK = r"""
import re, sys
from graphbrick.cli.app import main
try:
    main(["ask", sys.argv[1], "which relation 7 has entity number 11", "--pipeline", sys.argv[2]])
except SystemExit:
    pass
print(int(re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1]) / 1024)
"""
PIPELINE = "PPR(k=1000) >> ShortestPaths() >> Rerank({scorer}, n=32) >> PathAnswer()"


def last_number(script: str, *arguments: str) -> float:
    """The last number that a script prints in a fresh process."""
    done = subprocess.run([sys.executable, "-c", script, *arguments], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--triples", type=int, default=1_000_000)
    arguments.add_argument("--ask", nargs=2, action="append", metavar=("GRAPH", "QUESTION"))
    arguments.add_argument("--before", type=Path, help="another checkout, to compare with")
    given = arguments.parse_args()
    if given.ask:
        trees = [*([given.before] if given.before else []), Path(__file__).resolve().parents[1]]
        for graph, question in given.ask:
            for tree, (wall, processor) in zip(trees, ask_seconds(graph, question, trees), strict=True):
                print(f"ask {Path(graph).name:<20} {tree.name:<12} {wall:.2f} s, {processor:.2f} s of processor time")
        return
    n = given.triples
    print(f"python -c pass                 {seconds('-c', 'pass'):.3f} s")
    print(f"import graphbrick              {seconds('-c', 'import graphbrick'):.3f} s")
    print(f"graphbrick --help              {seconds('-m', 'graphbrick.cli.app', '--help'):.3f} s")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.graph"
        start = time.perf_counter()
        graph = build(triples(n), path)
        print(f"build {graph.n_triples:,} triples      {time.perf_counter() - start:.1f} s")
        print(f"peak memory of that build      {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
        opened = [last_number(OPEN, str(path)) for _ in range(REPEATS)]
        print(f"Graph.open                     {statistics.median(opened):.1f} ms")
        for scorer in ("BM25()", "MiniLM()"):
            pipeline = PIPELINE.format(scorer=scorer)
            last_number(ASK, str(path), pipeline)  # compiles the kernels, if that was not done before
            print(f"ask with {scorer:<10} peak memory {last_number(ASK, str(path), pipeline):,.0f} MB resident")


if __name__ == "__main__":
    main()
