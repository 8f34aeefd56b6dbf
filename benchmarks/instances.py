"""The published instances side by side: quality at every level, time a stage, tokens.

    python benchmarks/instances.py GRAPH QUESTIONS ... [--recipe 12 ...] [--limit 300] [--passes 2]

Question files are those of ``questions.py``; seeds are given. Every question counts, one without an answer as 0. The
first pass over the questions embeds what is new and counts the tokens; times are those of the last pass, so that with
two passes they are times with the vectors at hand. An instance that needs a language model runs where one is named:
``--set "llm=LLM('qwen', base_url='http://localhost:8080/v1')"`` (and, with a slow one, a low ``--limit``).
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from pathlib import Path

from graphbrick import Graph, GraphbrickError, Pipeline, parse, recipe
from graphbrick.questions.grounding import GroundedQuestion
from graphbrick.study.metrics.ranking_metrics import precision_at, recall_at
from graphbrick.study.metrics.sets import answer_scores, harmonic
from questions import load

FIRST = ("1", "2", "6", "10", "12", "14")
HEAD = (
    "| instance | hops | n | subgraph recall | subgraph F1 | path F1 | Hits@1 | F1 | tokens in | out | ms | of these |"
)


def measure(graph: Graph, pipeline: Pipeline, question: GroundedQuestion) -> dict[str, float]:
    """All figures of one question; an error scores 0."""
    gold = question.gold
    row: dict[str, float] = defaultdict(float)
    start = time.perf_counter()
    try:
        run = pipeline.run(graph, question.query())
    except GraphbrickError as error:
        print(f"{question.question.id}: {error}")
        return row | {"failed": 1.0}
    row["ms"] = 1000 * (time.perf_counter() - start)
    assert run.answer is not None
    assert run.evidence is not None
    nodes = [] if run.subgraph is None or run.subgraph.nodes is None else run.subgraph.nodes.tolist()
    inside, answered = answer_scores(nodes, gold), answer_scores(run.answer.entities, gold)
    row["subgraph_recall"], row["subgraph_f1"] = inside.recall, inside.f1
    paths = [path.nodes for path in run.evidence.paths]
    row["path_f1"] = harmonic(precision_at(paths, gold), recall_at(paths, gold))
    row["hits_at_1"], row["f1"] = answered.hits_at_1, answered.f1
    for stage in run.trace.stages:
        row["tokens_in"] += stage.tokens_in
        row["tokens_out"] += stage.tokens_out
        row[f"ms {stage.stage.split('(')[0]}"] += 1000 * stage.seconds
    return row


def show(name: str, hops: str, first: list[dict[str, float]], last: list[dict[str, float]]) -> None:
    """One line of the table."""

    def mean(figure: str) -> float:
        return statistics.fmean(row[figure] for row in first)

    quality = " | ".join(
        f"{mean(figure):.3f}" for figure in ("subgraph_recall", "subgraph_f1", "path_f1", "hits_at_1", "f1")
    )
    stages = dict.fromkeys(figure for row in last for figure in row if figure.startswith("ms "))
    times = ", ".join(f"{stage[3:]} {statistics.median(row[stage] for row in last):.1f}" for stage in stages)
    total = statistics.median(row["ms"] for row in last)
    print(
        f"| {name} | {hops} | {len(first)} | {quality} | {mean('tokens_in'):,.0f} | {mean('tokens_out'):,.0f} | "
        f"{total:.0f} | {times} |",
        flush=True,
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graph", type=Path)
    arguments.add_argument("questions", type=Path, nargs="+")
    arguments.add_argument("--recipe", action="append", help="name of a recipe; may be repeated")
    arguments.add_argument("--pipeline", action="append", default=[], help="recipe text to set beside them")
    arguments.add_argument("--set", action="append", default=[], metavar="PART=BRICK", help="a part of the recipes")
    arguments.add_argument("--limit", type=int, default=300, help="questions of each hop count")
    arguments.add_argument("--passes", type=int, default=2, help="times come from the last")
    given = arguments.parse_args()
    graph = Graph.open(given.graph)
    by_hops = load(graph, given.questions, given.limit)
    parts = dict(part.split("=", 1) for part in given.set)
    named: dict[str, Pipeline] = {}
    for name in given.recipe or ([] if given.pipeline else FIRST):
        found = recipe(name)
        named[f"No. {found.name}"] = found.pipeline(**{k: v for k, v in parts.items() if k in found.parts})
    named |= {text: parse(text) for text in given.pipeline}
    print(f"{graph}, seeds given, {given.passes} passes, times are medians of the last\n")
    for name, pipeline in named.items():
        print(f"{name}: `{pipeline!r}`\n")
    print(f"{HEAD}\n|{'---|' * 12}")
    for name, pipeline in named.items():
        pipeline.run(graph, next(iter(by_hops.values()))[0].query())  # compile and load before the clock runs
        for hops, questions in by_hops.items():
            passes = [[measure(graph, pipeline, question) for question in questions] for _ in range(given.passes)]
            show(name, hops, passes[0], passes[-1])


if __name__ == "__main__":
    main()
