"""Answer quality and time a stage of pipelines on files of questions, split by hops.

    python benchmarks/questions.py GRAPH QUESTIONS ... [--pipeline "..."] [--limit 500]

Question files are of any form that ``graphbrick.questions.load`` reads. Their seeds are given, so linking is
not measured; ``--link`` finds them in the text instead. Every question with gold answers counts: one that gets no
answer scores 0, and a gold answer that the graph does not have cannot be given.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphbrick import Graph, GraphbrickError, Pipeline, parse
from graphbrick import questions as datasets
from graphbrick.questions.grounding import GroundedQuestion, ground
from graphbrick.questions.question import grouped
from graphbrick.study.metrics.sets import answer_scores

PIPELINES = (
    "PPR(k=1000) >> ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()",
    "PPR(k=1000) >> ShortestPaths(max_hops=3) >> Rerank(BM25(), n=32, by='pattern') >> PathAnswer()",
    "PPR(k=1000) >> ShortestPaths(max_hops=3) >> Rerank(MiniLM(), n=32, by='pattern') >> PathAnswer()",
)


def load(graph: Graph, files: list[Path], limit: int) -> dict[str, tuple[GroundedQuestion, ...]]:
    """At most ``limit`` questions of each hop count, evenly spaced over the files, with what the graph has of them."""
    questions = [question for file in files for question in datasets.load(file)]
    scored = [question for question in questions if question.answers]
    if len(scored) < len(questions):
        print(f"{len(questions) - len(scored)} questions without gold answers are left out")
    return {
        hops: ground(
            graph, [some[i * len(some) // limit] for i in range(limit)] if len(some) > limit else some
        ).questions
        for hops, some in grouped(scored, "hops").items()
    }


def measure(graph: Graph, pipeline: Pipeline, questions: Sequence[GroundedQuestion], *, link: bool) -> dict[str, Any]:
    """Mean Hits@1 and F1 over all questions, and the median milliseconds of every stage."""
    first, both, unanswered = 0.0, 0.0, 0
    milliseconds: dict[str, list[float]] = {}
    for done, question in enumerate(questions, 1):
        try:
            run = pipeline.run(graph, question.question.text if link else question.query())
        except GraphbrickError:
            unanswered += 1
            continue
        assert run.answer is not None
        first += answer_scores(run.answer.entities, question.gold).hits_at_1
        both += answer_scores(run.answer.entities, question.gold).f1
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
    by_hops = load(graph, given.questions, given.limit)
    print(f"{graph}, seeds {'linked' if given.link else 'given'}\n")
    for text in given.pipeline or PIPELINES:
        pipeline = parse(text)
        pipeline.run(graph, next(iter(by_hops.values()))[0].query())  # compile and load before the clock runs
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
