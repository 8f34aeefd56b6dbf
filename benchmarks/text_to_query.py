"""Execution accuracy and executable share of the queries that a local model writes, part by part.

    python benchmarks/text_to_query.py ladybug:world.lbdb --n 20

Questions are made from the schema (`graphbrick.evaluate.gold_queries`); examples are made with another seed, and no
question of the test is among them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.graph import Rows
from graphbrick.evaluate.gold_queries import TEMPLATES, QueryQuestion, questions_with_queries
from graphbrick.evaluate.metrics.execution import same_rows
from graphbrick.evaluate.metrics.sets import f1
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.graphs.opening import open_graph
from graphbrick.llm.local_llm import LocalLLM
from graphbrick.retrieve import TextToQuery

VARIANTS = {
    "all": {},
    "no check": {"check": False},
    "no examples": {"shots": 0},
    "one try": {"tries": 1},
    "query alone": {"check": False, "shots": 0, "tries": 1},
}
_ROWS = 1_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", help="address of a graph with a query language")
    parser.add_argument("--n", type=int, default=20, help="questions")
    parser.add_argument("--examples", type=int, default=60, help="pairs to choose examples from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--templates", nargs="*", default=list(TEMPLATES))
    parser.add_argument("--variants", nargs="*", default=list(VARIANTS), choices=list(VARIANTS))
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    arguments = parser.parse_args()
    graph = open_graph(arguments.graph)
    assert isinstance(graph, DatabaseGraph)
    tested = list(questions_with_queries(graph, arguments.n, seed=arguments.seed, templates=tuple(arguments.templates)))
    texts = {question.question for question in tested}
    others = [q for q in questions_with_queries(graph, arguments.examples, seed=arguments.seed + 1)
              if q.question not in texts]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        pairs = Path(folder) / "pairs.jsonl"
        pairs.write_text("".join(json.dumps({"question": q.question, "query": q.query}) + "\n" for q in others))
        for name in arguments.variants:
            brick = TextToQuery(LocalLLM(arguments.model), n=50, examples=str(pairs), **VARIANTS[name])
            measure(name, brick, graph, tested)


def measure(name: str, brick: TextToQuery, graph: DatabaseGraph, tested: list[QueryQuestion]) -> None:
    """Print the figures of one variant, and a line for each question."""
    start, runs, exact, answers, calls = time.perf_counter(), 0, 0, 0.0, 0.0
    one_step = {"basic": 0, "inverse": 0}
    for question in tested:
        run = brick.run(graph, question.question, seeds=())
        written = next((e.removeprefix("query: ") for e in run.trace.events if e.startswith("query: ")), "")
        runs += bool(written)
        right = bool(written) and is_right(graph, question, written)
        exact += right
        if question.template in one_step:
            one_step[question.template] += right
        found = [item.values[0] for item in run.evidence.items] if run.evidence else []
        answers += f1(set(question.answers), set(found))
        calls += run.trace.ledger["calls"] + run.trace.ledger["cache_hits"]
        print(
            json.dumps({"variant": name, "template": question.template, "right": right, "query": written}), flush=True
        )
    n, seconds = len(tested), time.perf_counter() - start
    n_one = sum(question.template in one_step for question in tested)
    print(
        f"{name}: n {n}, executable {runs / n:.2f}, execution accuracy {exact / n:.2f} (one step "
        f"{sum(one_step.values())} of {n_one}), answer F1 {answers / n:.2f}, calls {calls / n:.1f}, "
        f"{seconds / n:.1f} s a question",
        flush=True,
    )


def is_right(graph: DatabaseGraph, question: QueryQuestion, written: str) -> bool:
    """Return whether a query gives the rows of the gold query."""
    try:
        found: Rows = graph.query(written, {}, _ROWS)
    except GraphbrickError:
        return False
    return same_rows(graph.query(question.query, {}, _ROWS).rows, found.rows, ordered=question.ordered)


if __name__ == "__main__":
    main()
