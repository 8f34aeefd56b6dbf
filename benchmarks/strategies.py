"""Four strategies of retrieval side by side over Hetionet: queries by a model, and agents.

    python benchmarks/strategies.py OUT GRAPH QUESTIONS [--examples PAIRS] [--n 30] [--recipe E3 ...] [--max-steps 8]
        [--llm "LocalLLM('qwen2.5-coder-1.5b', threads=1)"] [--minutes 60] [--report]

GRAPH is a graph of Hetionet, a folder or an address, whose relations have labels in words: a model cannot guess that
CbG means «binds». QUESTIONS is what ``hetionet_questions.py DATA --each 2`` writes. PAIRS are examples for the recipes
that generate queries, such as `graphbrick questions GRAPH PAIRS` writes them.

Questions are taken in turns of the hop counts. Each is asked of each recipe with the entities that it names as seeds;
an error scores 0. A line for each question and recipe goes to OUT (JSON lines), and the replies of the model to
OUT.replies, so that the same command goes on where it was stopped; ``--report`` only prints the figures. Printed are
the F1 of the answers, calls to the model, tokens, seconds, steps that ended early, and the published relevance and
calls beside them: another measure, on other questions, by other models. Seconds are those of the calls to the model.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import defaultdict
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import graphbrick
from graphbrick import Agent, GraphbrickError, Pipeline, Session, TextToQuery, recipe
from graphbrick.core.graph import Labels, check_needs
from graphbrick.core.trace import Exchange
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import Sequence
from graphbrick.questions.loading import load
from graphbrick.questions.question import Question
from graphbrick.study.metrics.sets import f1, hits_at_1

RECIPES = ("E1", "E2", "E3", "E4")
HEAD = (
    "| recipe | hops | n | Hits@1 | F1 | right nodes seen | calls | tokens in | out | seconds in calls | early ends |"
)
EARLY = ("the agent ended", "did not finish", "no query of")


def measure(graph: Graph | Labels, pipeline: Pipeline, question: Question) -> dict[str, float]:
    """Return all figures of one question; an error scores 0."""
    row = dict.fromkeys(("hits", "f1", "seen", "early", "calls", "in", "out", "seconds"), 0.0)
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
        published = recipe(name).figures
        pairs = {
            what: (published.get(f"{what}_simple"), published.get(f"{what}_complex")) for what in ("relevance", "calls")
        }
        print(f"  {name}: " + ", ".join(f"{what} {simple} / {hard}" for what, (simple, hard) in pairs.items()))


def in_turns(questions: list[Question], n: int) -> list[Question]:
    """Return ``n`` questions, in turns of the hop counts."""
    by_hops: dict[int | None, list[Question]] = defaultdict(list)
    for question in sorted(questions, key=lambda q: q.id.rpartition("-")[2]):  # the first of each template first
        by_hops[question.hops].append(question)
    turns = [group[i] for i in range(len(questions)) for group in by_hops.values() if i < len(group)]
    return turns[:n]


def pipeline_of(name: str, llm: str, max_steps: int, examples: str | None = None) -> Pipeline:
    """Return a recipe with a model, and with at most so many steps if it is an agent."""
    pipeline = recipe(name).pipeline(llm=llm)
    assert isinstance(pipeline, Sequence)
    stages = []
    for stage in pipeline.stages:
        if isinstance(stage, Agent):
            stage = replace(stage, max_steps=max_steps)
        elif isinstance(stage, TextToQuery):
            stage = replace(stage, examples=examples)
        stages.append(stage)
    return reduce(Pipeline.__rshift__, stages)


def main() -> None:
    """Ask every question of every recipe."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("graph")
    arguments.add_argument("questions")
    arguments.add_argument("--examples", help="pairs of questions and queries")
    arguments.add_argument("--report", action="store_true")
    arguments.add_argument("--llm", default="LocalLLM('qwen2.5-coder-1.5b', threads=1)")
    arguments.add_argument("--n", type=int, default=30)
    arguments.add_argument("--recipe", nargs="+", default=RECIPES)
    arguments.add_argument("--max-steps", type=int, default=8)
    arguments.add_argument("--minutes", type=float, default=60)
    given = arguments.parse_args()
    if not given.report:
        work(given)
    rows: dict[tuple[str, int], list[dict[str, float]]] = defaultdict(list)
    for row in rows_of(given.out):
        rows[row["recipe"], row["hops"]].append(row)
    show(dict(sorted(rows.items())))


def work(given: argparse.Namespace) -> None:
    """Ask what was not asked yet."""
    graph, pipelines = graphbrick.open(given.graph), {}
    for name in given.recipe:
        pipelines[name] = pipeline_of(name, given.llm, given.max_steps, given.examples)
        try:
            check_needs(pipelines[name].stages_within(), graph)
        except GraphbrickError as error:
            print(f"{name} is left out: {error}")
            del pipelines[name]
    done = {(row["recipe"], row["question"]) for row in rows_of(given.out)}
    last = time.monotonic() + 60 * given.minutes
    with Session(replies=f"{given.out}.replies"), given.out.open("a", encoding="utf-8") as out:
        for question in in_turns(list(load(given.questions)), given.n):
            for name, pipeline in pipelines.items():
                if (name, question.id) in done:
                    continue
                if time.monotonic() > last:
                    return
                row = {"recipe": name, "question": question.id, "hops": question.hops or 0}
                out.write(json.dumps(row | measure(graph, pipeline, question)) + "\n")
                out.flush()


def rows_of(file: Path) -> list[dict[str, Any]]:
    """Return the lines that are there."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


if __name__ == "__main__":
    main()
