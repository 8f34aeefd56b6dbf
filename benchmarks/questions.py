"""Answer quality and time a stage of pipelines on a file of questions, split by hops.

    python benchmarks/questions.py GRAPH QUESTIONS.jsonl[.gz] ... [--pipeline "..."] [--limit 500]

Question files are JSON lines with ``question``, ``seeds`` (entity keys), ``answers`` (entity keys) and ``hops``. The
seeds are given, so linking is not measured; ``--link`` finds them in the text instead. Every question counts: one
without an answer scores 0.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import sys
from pathlib import Path
from typing import Any

from graphbrick import Graph, GraphbrickError, Pipeline, parse
from graphbrick.evaluate.metrics import f1, hits_at_1

PIPELINES = (
    "PPR(k=1000) >> ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()",
    "PPR(k=1000) >> ShortestPaths(max_hops=3) >> Rerank(BM25(), n=32, by='pattern') >> PathAnswer()",
    "PPR(k=1000) >> ShortestPaths(max_hops=3) >> Rerank(MiniLM(), n=32, by='pattern') >> PathAnswer()",
)


def load(files: list[Path], limit: int) -> dict[int, list[dict[str, Any]]]:
    """At most ``limit`` questions of each hop count, evenly spaced over the files."""
    by_hops: dict[int, list[dict[str, Any]]] = {}
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
            for line in lines:
                question = json.loads(line)
                by_hops.setdefault(question["hops"], []).append(question)
    return {
        hops: [questions[i * len(questions) // limit] for i in range(limit)] if len(questions) > limit else questions
        for hops, questions in sorted(by_hops.items())
    }


def measure(graph: Graph, pipeline: Pipeline, questions: list[dict[str, Any]], *, link: bool) -> dict[str, Any]:
    """Mean Hits@1 and F1 over all questions, and the median milliseconds of every stage."""
    first, both, unanswered = 0.0, 0.0, 0
    milliseconds: dict[str, list[float]] = {}
    for done, question in enumerate(questions, 1):
        gold = {graph.entity(key) for key in question["answers"]}
        try:
            run = pipeline.run(graph, question["question"], seeds=() if link else question["seeds"])
        except GraphbrickError:
            unanswered += 1
            continue
        assert run.answer is not None
        first += hits_at_1(run.answer.entities, gold)
        both += f1(run.answer.entities, gold)
        unanswered += not run.answer.texts
        for stage in run.trace.stages:
            milliseconds.setdefault(stage.stage, []).append(1000 * stage.seconds)
        milliseconds.setdefault("all", []).append(1000 * run.trace.seconds)
        if sys.stderr.isatty():
            print(f"\r{done}/{len(questions)}", end="", file=sys.stderr)
    n = len(questions)
    medians = {stage: statistics.median(values) for stage, values in milliseconds.items()}
    return {"n": n, "hits_at_1": first / n, "f1": both / n, "unanswered": unanswered, "ms": medians}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graph", type=Path)
    arguments.add_argument("questions", type=Path, nargs="+")
    arguments.add_argument("--pipeline", action="append", help="recipe text; may be repeated")
    arguments.add_argument("--limit", type=int, default=500, help="questions of each hop count")
    arguments.add_argument("--link", action="store_true", help="find the seeds in the question instead of giving them")
    given = arguments.parse_args()
    graph = Graph.open(given.graph)
    by_hops = load(given.questions, given.limit)
    print(f"{graph}, seeds {'linked' if given.link else 'given'}\n")
    for text in given.pipeline or PIPELINES:
        pipeline = parse(text)
        some = next(iter(by_hops.values()))[0]
        pipeline.run(graph, some["question"], seeds=some["seeds"])  # compile and load before the clock runs
        print(f"{pipeline!r}\n")
        print("| hops | questions | Hits@1 | F1 | no answer | median ms a stage |\n|---|---|---|---|---|---|")
        for hops, questions in by_hops.items():
            row = measure(graph, pipeline, questions, link=given.link)
            stages = ", ".join(f"{stage.split('(')[0]} {ms:.1f}" for stage, ms in row["ms"].items())
            print(
                f"| {hops} | {row['n']} | {row['hits_at_1']:.3f} | {row['f1']:.3f} | {row['unanswered']} | {stages} |",
                flush=True,
            )
        print()


if __name__ == "__main__":
    main()
