"""What a language model adds to the published instances, and what it costs.

    python benchmarks/llm_instances.py GRAPH QUESTIONS ... --replies FILE [--llm qwen2.5-coder-1.5b] [--limit 20]
        [--recipe 12 ...] [--minutes 60]

Each instance retrieves once a question; its evidence is then answered both by `PathAnswer()` and by `Generate`. Replies
are kept in a file: a run that was stopped, by hand or by ``--minutes``, goes on where it was, and one over a full file
repeats the table without a call. Tokens and seconds are those of the calls when they were made. Questions are taken in
turns of the hop counts, so that what is done is spread evenly; the column n says how many those are.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from pathlib import Path

from graphbrick import Graph, GraphbrickError, PathAnswer, Pipeline, Session, recipe
from graphbrick.models.llm.naming import model_text
from graphbrick.questions.grounding import GroundedQuestion
from graphbrick.study.metrics.sets import answer_scores
from questions import load

RECIPES = ("12", "3", "13", "7", "15")
HEAD = (
    "| instance | hops | n | PathAnswer: Hits@1 | F1 | Generate: Hits@1 | F1 | calls | tokens in | out | "
    "seconds in retrieval | in Generate | events |"
)


def measure(graph: Graph, pipeline: Pipeline, question: GroundedQuestion) -> dict[str, float]:
    """All figures of one question; an error scores 0."""
    row: dict[str, float] = defaultdict(float)
    try:
        run = pipeline.run(graph, question.query())
    except GraphbrickError as error:
        print(f"{question.question.id}: {error}", flush=True)
        return row
    assert run.answer is not None
    assert run.evidence is not None
    without = PathAnswer().generate(run.query, run.evidence)
    for name, answer in (("path", without), ("model", run.answer)):
        row[f"{name} hits"], row[f"{name} f1"] = (
            answer_scores(answer.entities, question.gold).hits_at_1,
            answer_scores(answer.entities, question.gold).f1,
        )
    for stage in run.trace.stages:
        waited = sum(exchange.seconds for exchange in stage.exchanges)
        row["generate" if stage.kind == "generate" else "retrieve"] += waited
        row["events"] += len(stage.events)
        for exchange in stage.exchanges:
            row["calls"] += 1
            row["in"] += exchange.tokens_in
            row["out"] += exchange.tokens_out
    return row


def show(rows: dict[tuple[str, str], list[dict[str, float]]]) -> None:
    """The table of what is done."""
    print(f"\n{HEAD}\n|{'---|' * 13}")
    for (name, hops), some in rows.items():

        def mean(figure: str, some: list[dict[str, float]] = some) -> float:
            return statistics.fmean(row[figure] for row in some)

        quality = " | ".join(f"{mean(figure):.3f}" for figure in ("path hits", "path f1", "model hits", "model f1"))
        tokens = " | ".join(f"{mean(figure):,.0f}" for figure in ("in", "out"))
        seconds = " | ".join(f"{mean(figure):.1f}" for figure in ("retrieve", "generate", "events"))
        print(f"| No. {name} | {hops} | {len(some)} | {quality} | {mean('calls'):.1f} | {tokens} | {seconds} |")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graph", type=Path)
    arguments.add_argument("questions", type=Path, nargs="+")
    arguments.add_argument("--replies", type=Path, required=True, help="where replies are kept")
    arguments.add_argument("--llm", default="qwen2.5-coder-1.5b", help="as of graphbrick ask")
    arguments.add_argument("--limit", type=int, default=20, help="questions of each hop count")
    arguments.add_argument("--recipe", action="append", help="name of a recipe; may be repeated")
    arguments.add_argument("--minutes", type=float, default=float("inf"), help="begin no further question after them")
    given = arguments.parse_args()
    graph = Graph.open(given.graph)
    by_hops = load(graph, given.questions, given.limit)
    model = model_text(given.llm)
    pipelines = {
        name: recipe(name).pipeline(
            **({"llm": model} if "llm" in recipe(name).parts else {}), answer=f"Generate({model})"
        )
        for name in given.recipe or RECIPES
    }
    for name, pipeline in pipelines.items():
        print(f"No. {name}: `{pipeline!r}`\n", flush=True)
    rows: dict[tuple[str, str], list[dict[str, float]]] = {(name, hops): [] for name in pipelines for hops in by_hops}
    last = time.monotonic() + 60 * given.minutes
    with Session(replies=given.replies):
        for i in range(given.limit):
            for hops, questions in by_hops.items():
                for name, pipeline in pipelines.items():
                    if i < len(questions) and time.monotonic() < last:
                        rows[name, hops].append(measure(graph, pipeline, questions[i]))
                        print(f"{name} {hops} {i + 1}: {dict(rows[name, hops][-1])}", flush=True)
    show({which: some for which, some in rows.items() if some})


if __name__ == "__main__":
    main()
