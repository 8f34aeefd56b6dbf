"""Words put into questions at random: how often is the answer still the same, and as sure as before?

Each word changes what is asked, or makes no sense. A system that drops it in silence gives the answer of the question
without it. The answers are those of the pipeline of `graphbrick ask`.

    python benchmarks/words_left_out.py GRAPH QUESTIONS.jsonl --limit 150 --show
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import random

import graphbrick
from graphbrick import Graph, GraphbrickError, Pipeline
from graphbrick.learn.default import default_pipeline

WORDS = (
    "not", "never", "other", "another", "only", "two", "half", "almost", "without", "except", "their", "purple",
    "in 1850", "5 km", "oldest", "themselves",
)  # fmt: skip
EACH = 6  # words tried in each question
SURE = 0.8  # confidence from which an answer is shown without a warning


def answered(pipeline: Pipeline, graph: Graph, question: str) -> tuple[tuple[str, ...], float] | None:
    """Return the sorted answers of a question and their confidence; None if it has no sure answer."""
    try:
        answer = pipeline(graph, question)
    except GraphbrickError:
        return None
    sure = answer.confidence or 0.0
    return (tuple(sorted(answer.texts)), sure) if answer.texts and sure >= SURE else None


def main() -> None:
    """Print for each word how often it was put in, and how often the answer stayed the same."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", type=pathlib.Path)
    parser.add_argument("questions", type=pathlib.Path)
    parser.add_argument("--limit", type=int, default=150, help="questions, drawn at random")
    parser.add_argument("--show", action="store_true", help="print the questions whose answer stayed the same")
    given = parser.parse_args()
    graph, chance = graphbrick.open(given.graph), random.Random(0)
    pipeline = default_pipeline(graph)
    questions = [json.loads(line)["question"] for line in given.questions.read_text("utf-8").splitlines()]
    chance.shuffle(questions)
    tried, same = collections.Counter[str](), collections.Counter[str]()
    for question in questions[: given.limit]:
        before = answered(pipeline, graph, question)
        parts = question.rstrip("?").split()
        for _ in range(EACH if before else 0):
            word, at = chance.choice(WORDS), chance.randrange(1, len(parts) + 1)
            changed = " ".join([*parts[:at], word, *parts[at:]]) + "?"
            tried[word] += 1
            after = answered(pipeline, graph, changed)
            if before and after and after[0] == before[0] and after[1] >= before[1]:
                same[word] += 1
                if given.show:
                    print(f"{word:12} {changed}  {', '.join(after[0][:4])}")
    for word in WORDS:
        print(f"{word:12} {tried[word]:5} put in {same[word]:4} with the same answer")
    print(f"{'all':12} {tried.total():5} put in {same.total():4} with the same answer")


if __name__ == "__main__":
    main()
