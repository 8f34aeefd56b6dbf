"""What part of the answers each extraction method keeps, against the size of the subgraph.

    python benchmarks/extraction_recall.py [DATA] [--set metaqa ...] [--limit 200] [--k 50 ...] [--vectors] [--json F]

DATA (or GRAPHBRICK_DATA, or ``../shared/data``) holds ``metaqa/``, ``freebase/`` and ``hetionet/``. Of each hop count
``--limit`` questions are drawn at random (``--random``); their seeds are given. Recall is the share of the gold
answers that are in the subgraph, the mean over the questions; «as exact» the share of the entities of exact PPR of the
same size (k, walks or cap) and restart (0.2 where it has none) that are in it. Hetionet has no questions here: its
seeds are entities drawn at random, and only «as exact» is told. Exact PPR is the sweep over the whole graph with an
error of at most 1e-6. ``--vectors`` adds VectorNeighbors; MiniLM first embeds every label, minutes of a processor,
unless ``--work`` names a folder that an earlier run left.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import random
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphbrick import PPR, Graph, KHop, MiniLM, Query, RandomWalk, Subgraph, build
from graphbrick.bricks.extract.communities import Communities
from graphbrick.bricks.extract.connect import parts_of
from graphbrick.bricks.extract.seeds import among, best
from graphbrick.bricks.extract.vector_neighbors import VectorNeighbors
from graphbrick.graphs.records.records import EntityRecord, Record
from graphbrick.kernels.pagerank.ppr import ppr_push
from graphbrick.models.indexes.vector_index import build_index, folder_of
from graphbrick.pipeline import ExtractStage
from graphbrick.study.metrics.sets import answer_scores

SETS = ("metaqa", "freebase", "hetionet")
RESTARTS = (0.2, 0.8)


@dataclass(frozen=True)
class Case:
    """One question, or one entity in the place of one."""

    query: Query
    hops: int
    gold: frozenset[int]


def table(file: Path) -> Iterator[list[str]]:
    """The rows of a gzip table, tabs between the cells."""
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        yield from csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def records(data: Path, name: str) -> Iterator[Record]:
    """A data set as records; MetaQA is read as the file that it is."""
    if name == "freebase":
        yield from (EntityRecord(key, label) for key, label in table(data / name / "labels.tsv.gz"))
        yield from ((head, relation, tail) for head, relation, tail in table(data / name / "triples.tsv.gz"))
    else:
        nodes, edges = table(data / name / "nodes.tsv.gz"), table(data / name / "edges.tsv.gz")
        next(nodes), next(edges)  # the names of the columns
        yield from (EntityRecord(key, label, types=(kind,)) for key, label, kind in nodes)
        yield from ((head, relation, tail) for head, relation, tail in edges)


def graph_of(data: Path, name: str, work: Path) -> Graph:
    """The graph of a data set, built unless an earlier run left it."""
    path = work / f"{name}.graph"
    if path.is_dir():
        return Graph.open(path)
    return build(data / name / "kb.txt.gz" if name == "metaqa" else records(data, name), path)


def cases_of(data: Path, name: str, graph: Graph, limit: int, rng: random.Random) -> list[Case]:
    """At most ``limit`` questions of each hop count, or so many entities with a triple."""
    if name == "hetionet":
        entities = np.flatnonzero(graph.csr.degrees()).tolist()
        return [Case(Query("?", seeds=(entity,)), 0, frozenset()) for entity in rng.sample(entities, limit)]
    by_hops: dict[int, list[Case]] = defaultdict(list)
    for file in sorted((data / name).glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for question in map(json.loads, lines):
                seeds = tuple(graph.entity(key) for key in question["seeds"])
                gold = frozenset(graph.entity(key) for key in question["answers"]) - set(seeds)
                if gold and question["hops"]:  # what is a seed is found by everyone
                    query = Query(question["question"], seeds=tuple(dict.fromkeys(seeds)), id=question["id"])
                    by_hops[question["hops"]].append(Case(query, question["hops"], gold))
    return [case for _, cases in sorted(by_hops.items()) for case in rng.sample(cases, min(limit, len(cases)))]


def methods(sizes: list[int], vectors: bool) -> list[ExtractStage]:
    """All methods at all sizes."""
    found: list[ExtractStage] = []
    for restart in (0.0, 0.2):
        found += [RandomWalk(walks=k, restart=restart) for k in sizes]
    found += [KHop(max_hops=hops) for hops in (1, 2, 3)]
    found += [KHop(max_hops=4, cap=k) for k in sizes]
    for restart in RESTARTS:
        found += [PPR(k=k, restart=restart) for k in sizes]
        found += [Communities(k=k, restart=restart) for k in sizes]
    if vectors:
        for n in (16, 64, 256):
            found += [VectorNeighbors(n=n), VectorNeighbors(n=n, connect=True)]
        found += [VectorNeighbors(n=64, max_hops=0, connect=True), VectorNeighbors(n=16, max_hops=2)]
    return found


def size_of(stage: ExtractStage) -> int:
    """The size that a method was given; 0 for one without."""
    if isinstance(stage, RandomWalk):
        return stage.walks
    return stage.cap if isinstance(stage, KHop) else int(getattr(stage, "k", 0))


def exact(graph: Graph, seeds: tuple[int, ...], restart: float) -> tuple[Callable[[int], Subgraph], float]:
    """What gives the subgraph of exact PPR for any k, and the seconds that the scores took."""
    ids = np.array(sorted(seeds), dtype=np.int32)
    start = time.perf_counter()
    scores = ppr_push(graph.csr.rows, ids, restart, True, True, 1e-6)[0]
    return lambda k: among(graph, [best(scores, ids, k)]), time.perf_counter() - start


def measured(graph: Graph, case: Case, subgraph: Subgraph, seconds: float) -> dict[str, float]:
    """The figures of one subgraph."""
    assert subgraph.nodes is not None
    return {
        "nodes": subgraph.n_nodes,
        "triples": subgraph.n_triples,
        "components": len(parts_of(graph, subgraph.nodes)),
        "ms": 1000 * seconds,
        **({f"recall {case.hops}": answer_scores(subgraph.nodes.tolist(), case.gold).recall} if case.gold else {}),
    }


def measure(graph: Graph, cases: list[Case], sizes: list[int], stages: list[ExtractStage]) -> list[dict[str, Any]]:
    """A row of means for each method and size."""
    figures: dict[str, list[dict[str, float]]] = defaultdict(list)
    for stage in stages:
        stage.extract(graph, cases[0].query)  # compile, open and load before the clock runs
    for case in cases:
        reference: dict[tuple[float, int], set[int]] = {}
        for restart in RESTARTS:
            give, seconds = exact(graph, case.query.seeds, restart)
            for k in sizes:
                start = time.perf_counter()
                subgraph = give(k)
                took = seconds + time.perf_counter() - start
                assert subgraph.nodes is not None
                reference[restart, k] = set(subgraph.nodes.tolist())
                figures[f"exact PPR(k={k}, restart={restart})"].append(measured(graph, case, subgraph, took))
        for stage in stages:
            start = time.perf_counter()
            subgraph = stage.extract(graph, case.query)
            row = measured(graph, case, subgraph, time.perf_counter() - start)
            wanted = reference.get((getattr(stage, "restart", 0.0) or RESTARTS[0], size_of(stage)))
            if wanted is not None:
                assert subgraph.nodes is not None
                row["as exact"] = len(wanted & set(subgraph.nodes.tolist())) / len(wanted)
            figures[repr(stage)].append(row)
    return [{"method": name, **summary(rows)} for name, rows in figures.items()]


def summary(rows: list[dict[str, float]]) -> dict[str, float]:
    """Means, of milliseconds the median and the 95th percentile."""
    columns = {name: [row[name] for row in rows if name in row] for name in dict.fromkeys(n for r in rows for n in r)}
    ms = sorted(columns.pop("ms"))
    means = {name: statistics.fmean(values) for name, values in columns.items()}
    return {**means, "ms": statistics.median(ms), "ms p95": ms[int(0.95 * (len(ms) - 1))]}


def show(graph: Graph, cases: list[Case], rows: list[dict[str, Any]]) -> None:
    """One table in markdown."""
    hops = sorted({case.hops for case in cases if case.gold})
    counts = ", ".join(f"{sum(case.hops == h for case in cases)} of {h} hops" for h in hops) or f"{len(cases)} entities"
    print(f"\n## {graph.path.stem}: {graph.n_entities:,} entities, {graph.n_triples:,} triples; {counts}\n")
    recalls = [f"recall {h}" for h in hops]
    names = ["method", *recalls, "as exact", "nodes", "triples", "components", "ms", "ms p95"]
    print(f"| {' | '.join(names)} |\n|{'---|' * len(names)}")
    for row in rows:
        shares = [f"{row[name]:.3f}" if name in row else "" for name in (*recalls, "as exact")]
        sizes = [f"{row[name]:,.0f}" for name in ("nodes", "triples")]
        others = [f"{row[name]:,.1f}" for name in ("components", "ms", "ms p95")]
        print(f"| `{row['method']}` | {' | '.join([*shares, *sizes, *others])} |", flush=True)


def prepare(graph: Graph, vectors: bool) -> None:
    """Make what the methods need, and say how long it took."""
    start = time.perf_counter()
    seed = int(np.argmax(graph.csr.degrees()))
    Communities().extract(graph, Query("?", seeds=(seed,)))
    print(f"partitions: {time.perf_counter() - start:.1f} s", flush=True)
    if vectors and folder_of(graph, MiniLM(), "entity").facts() is None:
        start = time.perf_counter()
        build_index(graph, MiniLM(), "entity")
        print(f"index over {graph.n_entities:,} labels: {time.perf_counter() - start:.1f} s", flush=True)


def run(given: argparse.Namespace, work: Path) -> list[dict[str, Any]]:
    """All data sets."""
    found = []
    for name in given.set or SETS:
        if not (given.data / name).is_dir():
            print(f"no {name} in {given.data}")
            continue
        graph = graph_of(given.data, name, work)
        cases = cases_of(given.data, name, graph, given.limit, random.Random(given.random))
        vectors = given.vectors and name != "hetionet"  # which has no questions
        prepare(graph, vectors)
        rows = measure(graph, cases, given.k, methods(given.k, vectors))
        show(graph, cases, rows)
        found += [{"set": name, **row} for row in rows]
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = Path(__file__).resolve().parents[2] / "shared" / "data"
    default = Path(os.environ.get("GRAPHBRICK_DATA") or here)
    arguments.add_argument("data", type=Path, nargs="?", default=default)
    arguments.add_argument("--set", action="append", choices=SETS, help="may be repeated; all by default")
    arguments.add_argument("--limit", type=int, default=200, help="questions of each hop count")
    arguments.add_argument("--k", type=int, nargs="+", default=[50, 100, 200, 500, 1000, 2000])
    arguments.add_argument("--random", type=int, default=0, help="where the random numbers start")
    arguments.add_argument("--vectors", action="store_true", help="also VectorNeighbors, over MiniLM")
    arguments.add_argument("--work", type=Path, help="where graphs and indexes are built, and left")
    arguments.add_argument("--json", type=Path, help="write the figures here too")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.work is not None:
            given.work.mkdir(parents=True, exist_ok=True)
        rows = run(given, given.work or Path(folder))
    if given.json is not None:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
