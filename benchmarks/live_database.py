"""Questions answered live by a large graph in a database: seconds for the first and the later ones, and memory.

    python benchmarks/live_database.py FOLDER [--triples 1e7] [--memory 1024] [--questions 20]

FOLDER gets a synthetic graph (`synthetic.py`: hubs, Zipf) of 12 types, names of two made-up words, and 144 relations,
each between two types; its folder graph; and the ladybug database of it. What is there is not made again. Each step,
and each pipeline, runs in a fresh process: its peak is that of the process, with the page cache of ladybug.

A question names an entity and a relation of it («What is the directed film of Karomi Telosa?»), of entities with at
most 50 triples, or of hubs, which have over 1,000; shortest paths get two entities. It is right if the answer has all
entities that the relation leads to. Seconds of the processor are shown, too, for a machine that others use.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

import graphbrick
from graphbrick import Graph, parse
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.learn.default import DEFAULT_PIPELINE
from memory import resident
from synthetic import edges, n_entities

TYPES = (
    *("person", "film", "city", "country", "band", "song", "book", "company"),
    *("school", "river", "award", "sport"),
)
VERBS = (
    "directed",
    "founded",
    "visited",
    "owned",
    "praised",
    "hosted",
    "joined",
    "named",
    "led",
    "funded",
    "built",
    "won",
)
PIPELINES = {
    "default patterns": DEFAULT_PIPELINE,
    "PPR": "PPR(k=1000) >> ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()",
    "shortest paths": "ShortestPaths(max_hops=2) >> Rerank(BM25(), n=32) >> PathAnswer()",
}
_CHUNK = 1 << 20
_SYLLABLES = np.array([c + v for c in "bdfgklmnprstvz" for v in "aeiou"] + ["sha", "cho"])


@numba.njit(cache=False)
def _types_of(entities, n_types):
    """Types by id: the first types are frequent, and neighbouring ids differ."""
    types = np.empty(len(entities), dtype=np.int64)
    for i, entity in enumerate(entities):
        fraction = ((np.int64(entity) * 2_654_435_761) % 1_000_003) / 1_000_003.0
        types[i] = np.int64(n_types * fraction * fraction)
    return types


def names_of(ids: np.ndarray) -> np.ndarray:
    """Return a name of two words for each id."""
    parts, rest = [], ids.astype(np.int64) * 5_000_011 % 64_000_009 + 373_248
    for _ in range(6):
        parts.append(_SYLLABLES[rest % 72])
        rest = rest // 20
    first = np.char.capitalize(np.char.add(np.char.add(parts[0], parts[1]), parts[2]))
    last = np.char.capitalize(np.char.add(np.char.add(parts[3], parts[4]), parts[5]))
    return np.char.add(np.char.add(first, " "), last)


def write(triples: int, folder: Path) -> None:
    """Write ``triples.tsv`` and ``nodes.parquet``."""
    import pyarrow
    import pyarrow.parquet

    n, n_types = n_entities(triples), len(TYPES)
    kinds = np.array(TYPES)
    with pyarrow.parquet.ParquetWriter(
        folder / "nodes.parquet", pyarrow.schema({name: pyarrow.string() for name in ("id", "name", "type")})
    ) as writer:
        for first in range(0, n, _CHUNK):
            ids = np.arange(first, min(first + _CHUNK, n))
            columns = (np.char.add("e", ids.astype(str)), names_of(ids), kinds[_types_of(ids, n_types)])
            writer.write_table(pyarrow.table(dict(zip(("id", "name", "type"), columns, strict=True))))
    labels = np.array([f"{VERBS[head]} {TYPES[tail]}" for head in range(12) for tail in range(12)])
    with (folder / "triples.tsv").open("w", encoding="utf-8") as file:
        for first in range(0, triples, _CHUNK // 4):
            heads, _, tails = edges(first, min(first + _CHUNK // 4, triples), n, 150)
            pair = _types_of(heads, n_types) * n_types + _types_of(tails, n_types)
            columns = zip(heads.tolist(), labels[pair].tolist(), tails.tolist(), strict=True)
            file.writelines(f"e{head}\t{relation}\te{tail}\n" for head, relation, tail in columns)


def questions(graph: Graph, n: int) -> list[dict[str, object]]:
    """Return ``n`` questions about ordinary entities, and the same number about hubs."""
    chosen, found = np.random.default_rng(7), list[dict[str, object]]()
    csr = graph.csr
    out = csr.out_end.astype(np.int64) - csr.out_begin
    degrees = out + csr.in_end - csr.in_begin
    for kind, among in (("ordinary", (degrees <= 50) & (out > 0)), ("hub", (degrees > 1_000) & (out > 0))):
        for entity in chosen.choice(np.flatnonzero(among), n, replace=False).tolist():
            ids = np.array(graph.triples_from(entity))
            relation = int(chosen.choice(csr.relation[ids]))
            tails = {graph.label(int(tail)) for tail in csr.tail[ids[csr.relation[ids] == relation]]}
            text = f"What is the {graph.relation_label(relation)} of {graph.label(entity)}?"
            end = int(csr.tail[ids[0]])
            found.append(
                {"kind": kind, "text": text, "answers": sorted(tails), "ends": [graph.key(entity), graph.key(end)]}
            )
    return found


def ask(database: Path, name: str, memory: int, asked: list[dict[str, object]]) -> None:
    """Print one line of the table."""
    pipeline = parse(PIPELINES[name])
    times, right, cut = list[tuple[str, float, float]](), 0, 0
    started, used = time.perf_counter(), time.process_time()
    graph = graphbrick.open(f"ladybug:{database}?memory={memory}")
    for question in asked:
        seeds = question["ends"] if name == "shortest paths" else ()
        run = pipeline.run(graph, str(question["text"]), seeds=seeds)
        times.append((str(question["kind"]), time.perf_counter() - started, time.process_time() - used))
        assert run.answer is not None
        right += set(question["answers"]) <= set(run.answer.texts)
        cut += any("local graph stopped" in event or "were copied of" in event for event in run.trace.events)
        started, used = time.perf_counter(), time.process_time()
    shown = [f"{times[0][1]:.2f} ({times[0][2]:.2f})"]
    for kind in ("ordinary", "hub"):
        wall, cpu = zip(*(row[1:] for row in times[1:] if row[0] == kind), strict=True)
        shown.append(f"{statistics.median(wall):.2f} / {max(wall):.2f} ({statistics.median(cpu):.2f})")
    counts = f"{right}/{len(asked)} | {cut} | {resident('VmHWM'):,.0f}"
    print(f"| {name} | {' | '.join(shown)} | {counts} |", flush=True)


def _until_exit(command: Callable[[], None]) -> None:
    try:
        command()
    except SystemExit as end:
        if end.code:
            raise


def step(what: str, done: Path, work: Callable[[], object]) -> None:
    """Do a step whose result is not there yet, and print its seconds and the peak of memory."""
    if not done.exists():
        started = time.perf_counter()
        work()
        size = sum(f.stat().st_size for f in ([done] if done.is_file() else done.rglob("*"))) / 1e6
        print(
            f"{what}: {time.perf_counter() - started:,.0f} s, {size:,.0f} MB on disk, {resident('VmHWM'):,.0f} MB peak"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--triples", type=lambda text: int(float(text)), default=10_000_000)
    parser.add_argument("--memory", type=int, default=1024, help="megabytes of ladybug's page cache")
    parser.add_argument("--questions", type=int, default=10, help="about ordinary entities, and about hubs")
    parser.add_argument("--only", help="a step (write, build, questions, export) or the name of a pipeline")
    given = parser.parse_args()
    folder: Path = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    graph, database, asked = folder / "graph", folder / "graph.lbdb", folder / "questions.json"
    if given.only in PIPELINES:
        ask(database, given.only, given.memory, json.loads(asked.read_text()))
    elif given.only == "write":
        step("writing", folder / "triples.tsv", lambda: write(given.triples, folder))
    elif given.only == "build":
        from graphbrick.cli.__main__ import main as graphbrick

        sys.argv = [
            "graphbrick",
            "build",
            str(folder / "triples.tsv"),
            str(graph),
            "--nodes",
            str(folder / "nodes.parquet"),
        ]
        step("build", graph, lambda: _until_exit(graphbrick))
    elif given.only == "questions":
        step("questions", asked, lambda: asked.write_text(json.dumps(questions(Graph.open(graph), given.questions))))
    elif given.only == "export":
        step("export", database, lambda: to_ladybug(Graph.open(graph), database))
    else:
        steps = ["write", "build", "questions", "export", *PIPELINES]
        for name in steps:
            if name == next(iter(PIPELINES)):
                print("| pipeline | first, s (CPU) | ordinary: median / worst (CPU) | hubs | right | cut | peak MB |")
                print("|---|---|---|---|---|---|---|", flush=True)
            subprocess.run([sys.executable, *sys.argv, "--only", name], check=True)


if __name__ == "__main__":
    main()
