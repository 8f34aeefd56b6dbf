"""Four strategies of retrieval side by side over Hetionet: queries by a model, and agents.

    python benchmarks/strategies.py GRAPH QUESTIONS --replies FILE [--llm "LocalLLM('qwen2.5-coder-1.5b')"] [--n 30]
        [--recipe E3 ...] [--max-steps 8] [--minutes 60]

GRAPH is a graph of Hetionet, a folder or an address, whose relations have labels in words: a model cannot guess that
CbG means «binds». QUESTIONS is what ``hetionet_questions.py DATA --each 2`` writes.
Questions are taken in turns of the hop counts. Each is asked of each recipe with the entities that it names as seeds;
an error scores 0. Printed are the F1 of the answers, calls to the model, tokens, seconds, steps that ended early, and
the published relevance and calls beside them: another measure, on other questions, by other models. Replies are kept
in a file, so that a run that was stopped goes on where it was. Tokens and seconds are those of the calls when made.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from dataclasses import replace
from functools import reduce

from graphbrick import Agent, GraphbrickError, Pipeline, Session, recipe
from graphbrick.core.graph import Labels, check_needs
from graphbrick.core.trace import Exchange
from graphbrick.evaluate.datasets import Question
from graphbrick.evaluate.datasets.loading import load
from graphbrick.evaluate.metrics.sets import f1, hits_at_1
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.opening import open_graph
from graphbrick.pipeline import Sequence

RECIPES = ("E1", "E2", "E3", "E4")
HEAD = (
    "| recipe | hops | n | Hits@1 | F1 | right nodes seen | calls | tokens in | out | seconds in calls | early ends |"
)
EARLY = ("the agent ended", "did not finish", "no query of")


def measure(graph: Graph | Labels, pipeline: Pipeline, question: Question) -> dict[str, float]:
    """Return all figures of one question; an error scores 0."""
    row: dict[str, float] = defaultdict(float)
    gold = {graph.entity(key) for key in question.answers}
    try:
        run = pipeline.run(graph, question.text, seeds=list(question.seeds))
    except GraphbrickError as error:
        print(f"{question.id}: {error}", flush=True)
        row["early"] = 1
        return row
    entities = run.answer.entities if run.answer is not None else ()
    row["hits"], row["f1"] = hits_at_1(entities, gold), f1(entities, gold)
    seen = {entity for item in run.evidence.items for entity in item.entities} if run.evidence is not None else set()
    row["seen"] = len(gold & seen) / len(gold)
    row["early"] = any(words in event for event in run.trace.events for words in EARLY)
    exchanges: list[Exchange] = [exchange for _, stage in run.trace.walk() for exchange in stage.exchanges]
    row["calls"] = len(exchanges)
    row["in"] = sum(exchange.tokens_in for exchange in exchanges)
    row["out"] = sum(exchange.tokens_out for exchange in exchanges)
    row["seconds"] = sum(exchange.seconds for exchange in exchanges)
    return row


def show(rows: dict[tuple[str, int], list[dict[str, float]]]) -> None:
    """Print the table of what is done, and the published figures."""
    print(f"\n{HEAD}\n|{'---|' * 11}")
    for (name, hops), done in rows.items():
        figures = [f"{statistics.fmean(row[key] for row in done):.3f}" for key in ("hits", "f1", "seen")]
        figures += [f"{statistics.fmean(row[key] for row in done):,.1f}" for key in ("calls", "in", "out", "seconds")]
        print(f"| {name} | {hops} | {len(done)} | {' | '.join(figures)} | {sum(row['early'] for row in done):g} |")
    print("\nPublished (relevance by a trained judge, GPT-4o and o3-mini), simple / complex questions:")
    for name in dict.fromkeys(name for name, _ in rows):
        figures = recipe(name).figures
        pairs = {
            what: (figures.get(f"{what}_simple"), figures.get(f"{what}_complex")) for what in ("relevance", "calls")
        }
        print(f"  {name}: " + ", ".join(f"{what} {simple} / {hard}" for what, (simple, hard) in pairs.items()))


def in_turns(questions: list[Question], n: int) -> list[Question]:
    """Return ``n`` questions, in turns of the hop counts."""
    by_hops: dict[int | None, list[Question]] = defaultdict(list)
    for question in sorted(questions, key=lambda q: q.id.rpartition("-")[2]):  # the first of each template first
        by_hops[question.hops].append(question)
    turns = [group[i] for i in range(len(questions)) for group in by_hops.values() if i < len(group)]
    return turns[:n]


def pipeline_of(name: str, llm: str, max_steps: int) -> Pipeline:
    """Return a recipe with a model, and with at most so many steps if it is an agent."""
    pipeline = recipe(name).pipeline(llm=llm)
    assert isinstance(pipeline, Sequence)
    stages = (replace(s, max_steps=max_steps) if isinstance(s, Agent) else s for s in pipeline.stages)
    return reduce(Pipeline.__rshift__, stages)


def main() -> None:
    """Ask every question of every recipe."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graph")
    arguments.add_argument("questions")
    arguments.add_argument("--replies", required=True)
    arguments.add_argument("--llm", default="LocalLLM('qwen2.5-coder-1.5b')")
    arguments.add_argument("--n", type=int, default=30)
    arguments.add_argument("--recipe", nargs="+", default=RECIPES)
    arguments.add_argument("--max-steps", type=int, default=8)
    arguments.add_argument("--minutes", type=float, default=60)
    given = arguments.parse_args()
    graph = open_graph(given.graph)
    questions = in_turns(list(load(given.questions)), given.n)
    pipelines = {}
    for name in given.recipe:
        pipelines[name] = pipeline_of(name, given.llm, given.max_steps)
        try:
            check_needs(pipelines[name].stages_within(), graph)
        except GraphbrickError as error:
            print(f"{name} is left out: {error}")
            del pipelines[name]
    rows: dict[tuple[str, int], list[dict[str, float]]] = defaultdict(list)
    last = time.monotonic() + 60 * given.minutes
    with Session(replies=given.replies):
        for question in questions:
            for name, pipeline in pipelines.items():
                if time.monotonic() < last:
                    rows[name, question.hops or 0].append(measure(graph, pipeline, question))
                    print(f"{name} {question.id}: {dict(rows[name, question.hops or 0][-1])}", flush=True)
    show(dict(sorted(rows.items())))


if __name__ == "__main__":
    main()
