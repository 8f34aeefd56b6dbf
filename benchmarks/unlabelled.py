"""Answers on graphs that nobody has labelled: Hits@1, F1 and milliseconds with and without ``graphbrick learn``.

    python benchmarks/unlabelled.py [DATA] [--graph world --graph metaqa] [--limit 300] [--written 4000] [--json FILE]

DATA (or GRAPHBRICK_DATA, or ``../shared/data``) holds ``metaqa``; the world graph comes with packages. Seeds are given,
so that linking is not measured; every question counts, and one without an answer scores 0. The questions measured teach
nothing: what is learned is written from the graph alone. «films named» is MetaQA with a name for what has a director
(``--call directed_by=film,movie``), which the graph itself never says.

- «before»: ``PPR(k=1000) >> ShortestPaths(max_hops=3) >> Rerank(MiniLM(), n=32, by='pattern') >> PathAnswer()``
- «default»: ``Patterns(MiniLM(), n=32) >> PathAnswer()``
- «learned»: the same over what ``graphbrick learn`` wrote
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from graphbrick import Graph, build, parse
from graphbrick.demo.graph import world_graph
from graphbrick.evaluate.datasets import Question, ground, load, sample_each
from graphbrick.learn import learn
from metaqa import measure

DATA = Path(os.environ.get("GRAPHBRICK_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
WORLD = Path(__file__).resolve().parents[1] / "src/graphbrick/demo/questions.jsonl"
BEFORE = "PPR(k=1000) >> ShortestPaths(max_hops=3) >> Rerank(MiniLM(), n=32, by='pattern') >> PathAnswer()"
DEFAULT = "Patterns(MiniLM(), n=32) >> PathAnswer()"
FILMS = {"directed_by": ["film", "movie"]}


def world(data: Path, work: Path) -> tuple[Graph, list[Question]]:
    """Return the world graph of the demo and its questions."""
    return world_graph(), list(load(WORLD))


def metaqa(data: Path, work: Path) -> tuple[Graph, list[Question]]:
    """Return the film graph of MetaQA and its development questions."""
    place, folder = work / "metaqa.graph", data / "metaqa"
    graph = Graph.open(place) if place.is_dir() else build(folder / "kb.txt.gz", place)
    return graph, [question for hops in (1, 2, 3) for question in load(folder / f"dev_{hops}hop.jsonl.gz")]


GRAPHS = {"world": world, "metaqa": metaqa}


def main() -> None:
    """Learn, measure, print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments.add_argument(
        "--graph", action="append", choices=[*GRAPHS], help="may be repeated; world and metaqa without"
    )
    arguments.add_argument("--limit", type=int, default=300, help="measured questions of each hop count")
    arguments.add_argument("--slow", type=int, default=50, help="the same for «before», which lists all paths; 0: none")
    arguments.add_argument("--written", type=int, default=4_000, help="questions to write")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--json", type=Path, help="write the figures here too")
    given = arguments.parse_args()
    rows: list[dict[str, Any]] = []
    print(
        "| graph | pipeline | hops | n | Hits@1 | F1 | median ms | learned in s |\n|---|---|---|---|---|---|---|---|",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as temporary:
        for name in given.graph or ("world", "metaqa"):
            graph, questions = GRAPHS[name](given.data, Path(temporary))
            sides: list[tuple[str, str, float | None]] = [("before", BEFORE, None)] * bool(given.slow)
            sides.append(("default", DEFAULT, None))
            for label, call in [("learned", {}), *([("learned, films named", FILMS)] if name == "metaqa" else [])]:
                place, started = Path(temporary) / f"{name}-{len(sides)}.patterns", time.perf_counter()
                learn(graph, place, n=given.written, call=call, seed=given.seed)
                taken = time.perf_counter() - started
                sides.append((label, f"Patterns(PatternScorer({str(place)!r}), n=32) >> PathAnswer()", taken))
            for label, text, taken in sides:
                limit = given.slow if label == "before" else given.limit
                pipeline = parse(text)
                chosen = ground(graph, sample_each(questions, limit, seed=given.seed))
                pipeline.run(graph, chosen.questions[0].query())  # compile and load before the clock runs
                for hops, some in chosen.split("hops").items():
                    row = measure(graph, pipeline, some.questions)
                    rows.append({"graph": name, "pipeline": label, "hops": hops, "seconds": taken, **row})
                    print(f"| {name} | {label} | {hops} | {row['n']} | {row['hits_at_1']:.3f} | {row['f1']:.3f} | "
                          f"{row['ms']:.1f} | {'' if taken is None else f'{taken:.0f}'} |", flush=True)  # fmt: skip
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
