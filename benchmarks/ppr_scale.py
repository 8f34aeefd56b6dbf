"""Subgraph extraction by personalized PageRank on graphs of up to Freebase's size, beside other libraries and methods.

    python benchmarks/ppr_scale.py --work FOLDER 1.3e5 2e6 3e7 298458255
    python benchmarks/ppr_scale.py --work FOLDER 3e7 --libraries igraph,FORA      # only some; "none" for none

For each size: makes the text of a synthetic graph (`synthetic.py`), builds it in a process of its own (seconds, peak
memory), and measures the size on disk and the time to open it. Then, for ordinary entities, pairs of them and hubs:
milliseconds of ``PPR(k=1000)`` with the triples among what it finds, the first time and warm, and its quality. Exact
scores come from the rows that the generator makes by itself, not from the graph that was built, and are kept in the
folder; so is the graph. At Freebase's size exact scores take more than an hour and 16 GB: --no-exact takes only those
that are in the folder. Where there are none, quality is measured against a push a hundred times finer, and marked *.

Quality: **recall** of the set of the best 1,000; **within** = share of the returned entities whose exact score is at
least 0.99 of the 1,000th, fair to ties; **mass** = exact score of what is returned, over the best possible.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import synthetic
from graphbrick import PPR, Graph, Query
from graphbrick.bricks.extract.seeds import best_of
from graphbrick.core.csr import Csr
from graphbrick.core.graph import follow
from graphbrick.kernels.pagerank.exact_ppr import exact_ppr
from node_ranking import best_nodes, quality

K = 1000
SETTINGS = [(restart, direction) for restart in (0.8, 0.2) for direction in ("out", "both")]
LARGE = 100_000_000  # from here on fewer sets of seeds, because exact scores of one take minutes
TOP = 20_000  # so many exact scores of a set of seeds are kept
Sets = list[tuple[str, list[int]]]


def build(triples: int, work: Path) -> Graph:
    """The graph of this size, built from text where it is not there yet."""
    graph, text = work / f"{triples}.graph", work / f"{triples}.tsv"
    if not graph.exists():
        synthetic.write_text(triples, text)
        # Of a large graph the first rows have no head twice, and are read as records unless the columns are named.
        command = [sys.executable, "-m", "graphbrick.cli.app", "build", str(text), str(graph), "--columns", "1,2,3"]
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(command)} ended with {process.returncode}")
        seconds = time.perf_counter() - started
        (work / f"{triples}.build").write_text(f"{seconds:.0f} {usage.ru_maxrss / 1024:.0f} {text.stat().st_size}\n")
        text.unlink()
    return Graph.open(graph)


def describe(triples: int, work: Path) -> str:
    """One line: what building and opening take, and what lies on disk."""
    graph = build(triples, work)
    openings = []
    for _ in range(5):
        started = time.perf_counter()
        Graph.open(graph.place)
        openings.append(1000 * (time.perf_counter() - started))
    sizes = {name: entry.bytes for name, entry in graph.manifest.files.items()}
    rows = sum(sizes[f"{name}.npy"] for name in Graph.ARRAYS)
    seconds, peak, text = (work / f"{triples}.build").read_text().split()
    return (
        f"| {graph.n_triples:,} | {graph.n_entities:,} | {int(text) / 1e6:,.0f} | {seconds} | {peak} "
        f"| {rows / graph.n_triples:.1f} | {(sum(sizes.values()) - rows) / graph.n_entities:.1f} "
        f"| {statistics.median(openings):.1f} |"
    )


def chosen(csr: Csr) -> Sets:
    """Sets of seeds for the exact scores, by number of the generator: ordinary entities, pairs and hubs."""
    rng, degrees = np.random.default_rng(1), csr.degrees()
    ordinary = np.flatnonzero((csr.out_degrees() > 0) & (degrees < 1000))
    singles, pairs, hubs = (2, 1, 1) if csr.n_triples >= LARGE else (4, 4, 2)
    found: Sets = [("ordinary", [int(u)]) for u in rng.choice(ordinary, singles)]
    found += [("pair", sorted(int(u) for u in pair)) for pair in rng.choice(ordinary, (pairs, 2))]
    return found + [("hub", [int(u)]) for u in np.argsort(-degrees, kind="stable")[:hubs]]


def exact(
    triples: int, work: Path, *, make: bool
) -> dict[tuple[float, str], list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]]:
    """The best exact scores of each set of seeds, for each setting, by number of the generator; kept in the folder."""
    found, csr = {}, None
    for restart, direction in SETTINGS:
        file = work / f"{triples}-{restart}-{direction}.npz"
        if not file.exists():
            if not make:
                continue
            csr = csr or synthetic.csr_of(triples)
            sets = [np.array(seeds, dtype=np.int32) for _, seeds in chosen(csr)]
            arrays: dict[str, Any] = {}
            for first in range(0, len(sets), 4):
                scores = exact_ppr(csr, sets[first : first + 4], restart, *follow(direction), error=1e-7)
                for column in range(scores.shape[1]):
                    kept = best_nodes(scores[:, column], TOP).nodes
                    arrays |= {f"n{first + column}": kept, f"s{first + column}": scores[kept, column]}
            np.savez(file, **arrays)
        arrays = dict(np.load(file))
        found[restart, direction] = [(arrays[f"n{i}"], arrays[f"s{i}"]) for i in range(len(arrays) // 2)]
    if not (work / f"{triples}-sets.json").exists() and make:
        sets_of = chosen(csr or synthetic.csr_of(triples))
        (work / f"{triples}-sets.json").write_text(json.dumps(sets_of))
    return found


def numbers(graph: Graph, nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """The generator's numbers of entities, from their keys."""
    digits = {chr(digit): value for value, digit in enumerate(synthetic._DIGITS)}
    found = []
    for node in nodes.tolist():
        number = 0
        for letter in graph.key(node)[3:]:
            number = 32 * number + digits[letter]
        found.append(number)
    return np.array(found, dtype=np.int32)


def key_of(number: int) -> str:
    out = np.empty(12, dtype=np.uint8)
    return "m.0" + bytes(out[: synthetic._digits(number, synthetic._DIGITS, out, 0)]).decode()


def timed(graph: Graph, kind: str, n: int) -> Iterator[tuple[int, ...]]:
    """Seeds to take times with: more of them than for the quality, and others."""
    csr, rng = graph.csr, np.random.default_rng(7)
    if kind == "hub":
        degrees = csr.degrees()
        yield from ((int(u),) for u in np.argpartition(-degrees, 5)[:5])
        return
    while n:
        pair = rng.integers(0, graph.n_entities, 2 if kind == "pair" else 1).tolist()
        if all(0 < graph.degree(u) < 1000 and len(graph.triples_from(u)) for u in pair):
            yield tuple(pair)
            n -= 1


def ours(graph: Graph, sets: Sets, truth: Any, n: int) -> None:
    """The table of PPR(k=1000)."""
    print(
        "| triples | restart | direction | seeds | first ms | warm ms | p95 | recall | within | mass | bound | edges |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for restart, direction in SETTINGS:
        brick = PPR(k=K, restart=restart, direction=direction)
        brick.extract(graph, Query("?", seeds=next(timed(graph, "ordinary", 1))))  # compile, and find the hubs
        for kind in ("ordinary", "pair", "hub"):
            first, warm, bounds, edges = [], [], [], []
            for seeds in timed(graph, kind, n):
                query = Query("?", seeds=seeds)
                for repeat in range(3):
                    started = time.perf_counter()
                    run = brick.run(graph, query)
                    (warm if repeat else first).append(1000 * (time.perf_counter() - started))
                facts = run.trace.stages[-1].facts
                bounds.append(float(facts["error_bound"]))
                edges.append(int(facts["edges_seen"]))
            rows = []
            known = truth.get((restart, direction)) or [None] * len(sets)
            for (of, numbered), scores in zip(sets, known, strict=True):
                if of == kind:
                    seeds = tuple(graph.entity(key_of(number)) for number in numbered)
                    found = brick.scores(graph, np.array(sorted(seeds), dtype=np.int32))
                    score = dict(zip(found.nodes.tolist(), found.values.tolist(), strict=True))
                    best = best_of(found.nodes, found.values, np.array(sorted(seeds), dtype=np.int32), K)
                    of_found = best, np.array([score[node] for node in best.tolist()])
                    if scores is None:
                        rows.append(compare_to_finer(graph, brick, seeds, *of_found))
                    else:
                        rows.append(compare(graph, scores, *of_found))
            shown = mean(rows) + (" *" if known[:1] == [None] else "")
            print(
                f"| {graph.n_triples:,} | {restart} | {direction} | {kind} | {statistics.median(first):.1f} "
                f"| {statistics.median(warm):.1f} | {np.percentile(warm, 95):.1f} | {shown} "
                f"| {statistics.median(bounds):.3f} | {statistics.median(edges):,.0f} |",
                flush=True,
            )


def mean(rows: list[Any]) -> str:
    """Recall, within and mass, each the mean over the rows; empty cells where there are none."""
    return " | ".join(f"{np.mean(column):.4f}" for column in list(zip(*rows, strict=True))[:3]) if rows else "| |"


def compare(graph: Graph, truth: Any, nodes: npt.NDArray[np.int32], values: npt.NDArray[np.float64]) -> Any:
    numbered = numbers(graph, nodes)
    dense = np.zeros(max(int(numbered.max()), int(truth[0].max())) + 1)
    dense[truth[0]] = truth[1]
    return quality(dense, best_nodes(dense, K), numbered, values)


def compare_to_finer(graph: Graph, brick: PPR, seeds: Any, nodes: npt.NDArray[np.int32], values: Any) -> Any:
    finer = replace(brick, tolerance=brick.tolerance / 100, edge_budget=2**31 - 1)
    found = finer._walked(graph, np.array(sorted(seeds), dtype=np.int32))  # also where the scores of a hub are kept
    dense = np.zeros(graph.n_entities)
    dense[found.nodes] = found.values
    return quality(dense, best_nodes(dense, K), nodes, values)


def others(graph: Graph, names: list[str], sets: Sets, truth: Any, patience: float) -> None:
    """The table of the libraries and the rivals, over the same graph in the same run."""
    from ppr_libraries import SOLVERS

    print("| solver | triples | restart | direction | prepare s | ms | recall | within | mass |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, solver in SOLVERS.items():
        if graph.n_triples > solver.max_triples or (names and name not in names):
            continue
        for direction in ("out", "both"):
            started = time.perf_counter()
            state = solver.prepare(graph, direction)
            prepared = time.perf_counter() - started
            for restart in (0.8, 0.2):
                times, rows = [], []
                scores_of = truth.get((restart, direction)) or [None] * len(sets)
                for (kind, numbered), scores in list(zip(sets, scores_of, strict=True)):
                    if kind == "hub":
                        continue
                    seeds = np.array(sorted(graph.entity(key_of(number)) for number in numbered), dtype=np.int32)
                    started = time.perf_counter()
                    nodes, values = solver.query(state, seeds, restart, K)
                    times.append(1000 * (time.perf_counter() - started))
                    if scores is not None:
                        rows.append(compare(graph, scores, nodes, values))
                    if sum(times) > 1000 * patience:
                        break
                shown = mean(rows)
                print(
                    f"| {name} | {graph.n_triples:,} | {restart} | {direction} | {prepared:.1f} "
                    f"| {statistics.median(times):,.1f} | {shown} |",
                    flush=True,
                )


def memory(graph: Graph) -> str:
    """Anonymous memory of this process, and what of the graph's files is mapped into it, in MB."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines())
    anonymous, mapped = (int(status[name].split()[0]) // 1024 for name in ("RssAnon", "RssFile"))
    return f"memory: {anonymous:,} MB of the process, {mapped:,} MB of mapped files ({graph.place.name})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("triples", type=lambda text: int(float(text)), nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=50, help="Of each kind, to take times with.")
    parser.add_argument("--libraries", default="", help="Names, separated by commas; all by default, none for none.")
    parser.add_argument("--patience", type=float, default=60, help="Seconds for a solver and setting; no query after.")
    parser.add_argument("--no-exact", action="store_true", help="Take only the exact scores that are there.")
    arguments = parser.parse_args()
    arguments.work.mkdir(exist_ok=True)
    print("| triples | entities | MB of text | build s | peak MB | bytes a triple | more, bytes an entity | open ms |")
    print("|---|---|---|---|---|---|---|---|")
    for triples in arguments.triples:
        print(describe(triples, arguments.work), flush=True)
    for triples in arguments.triples:
        graph = build(triples, arguments.work)
        truth = exact(triples, arguments.work, make=not arguments.no_exact)
        listed = arguments.work / f"{triples}-sets.json"
        sets: Sets = json.loads(listed.read_text()) if listed.exists() else []
        print()
        ours(graph, sets, truth, arguments.queries)
        print(f"\n{memory(graph)}\n")
        if arguments.libraries != "none" and sets:
            others(graph, [name for name in arguments.libraries.split(",") if name], sets, truth, arguments.patience)


if __name__ == "__main__":
    main()
