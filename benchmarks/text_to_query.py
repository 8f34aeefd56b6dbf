"""Execution accuracy and executable share of the queries that a local model writes, part by part.

    python benchmarks/text_to_query.py OUT [--set metaqa ...] [--n 100] [--minutes 60] [--work FOLDER] [--report]

The questions are those of ``query_questions.py``, the kinds of each set in turn. The model may choose examples from
what `graphbrick questions` writes about the same graph, with another seed and without the questions of the test: no
person has written them. No seeds are given.

Every variant is asked each question before the next question comes, and four questions of a set before the next set,
so that a run that was stopped has balanced figures; ``--variants`` asks some of them first. A line for each question
and variant goes to OUT (JSON lines), and the replies of the model to OUT.replies: the same command goes on where it was
stopped, and variants with the same prompt share its reply. ``--report`` only prints the figures of OUT. Seconds are
those of the calls to the model.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import query_questions
from graphbrick import MiniLM, Session
from graphbrick.bricks.retrieve.queries.text_to_query import TextToQuery
from graphbrick.core import Row
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.graph import Graph
from graphbrick.judge.gold_queries.generator import QueryQuestion, questions_with_queries
from graphbrick.models.llm.local_llm import LocalLLM
from graphbrick.study.metrics.execution import same_rows
from graphbrick.study.metrics.sets import answer_scores
from graphbrick.study.statistics.intervals import wilson

VARIANTS: dict[str, dict[str, Any]] = {
    "all": {},
    "no check": {"check": False},
    "one try": {"tries": 1},
    "no examples": {"shots": 0},
    "query alone": {"check": False, "shots": 0, "tries": 1},
}
ONE_STEP = ("basic", "inverse", "1 hops")
_ROWS = 1_000
_TOGETHER = 4  # questions of a set before the next set


class Questions:
    """The questions of one set with their graph, and a brick for each variant."""

    def __init__(self, name: str, arguments: argparse.Namespace) -> None:
        self.name, self.graph = name, query_questions.graph(name, arguments.data, arguments.work)
        file = Path(f"{arguments.out}.{name}.questions")
        if not file.exists():
            made = query_questions.questions(name, self.graph, arguments.data, arguments.n, seed=arguments.seed)
            write(file, [question.record() for question in by_kinds(made)])
        self.questions = [QueryQuestion(**row) for row in rows_of(file)][: arguments.n]
        examples = Path(f"{arguments.out}.{name}.examples")
        if not examples.exists():
            tested = {question.question for question in self.questions}
            others = questions_with_queries(self.graph, arguments.examples, seed=arguments.seed + 1)
            write(examples, [pair.record() for pair in others if pair.question not in tested])
        llm = LocalLLM(arguments.model, threads=arguments.threads)
        self.bricks = {
            name: TextToQuery(llm, n=50, examples=str(examples), scorer=MiniLM(), **VARIANTS[name])
            for name in arguments.variants
        }


def by_kinds(questions: list[QueryQuestion]) -> list[QueryQuestion]:
    """Return the questions so that their kinds come in turn."""
    kinds: dict[str, list[QueryQuestion]] = defaultdict(list)
    for question in questions:
        kinds[question.template].append(question)
    return [one for turn in zip_longest(*kinds.values()) for one in turn if one is not None]


def write(file: Path, rows: list[dict[str, Any]]) -> None:
    """Write lines of JSON."""
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def measure(brick: TextToQuery, graph: Graph, question: QueryQuestion) -> dict[str, Any]:
    """Return the figures of one question."""
    run = brick.run(graph, question.question, seeds=())
    written = next((e.removeprefix("query: ") for e in run.trace.events if e.startswith("query: ")), "")
    exchanges = [exchange for _, stage in run.trace.walk() for exchange in stage.exchanges]
    found = [item.values[0] for item in run.evidence.items if isinstance(item, Row)] if run.evidence else []
    return {
        "executable": bool(written),
        "right": bool(written) and is_right(graph, question, written),
        "f1": answer_scores(found, question.answers).f1,
        "calls": len(exchanges),
        "tokens_in": sum(exchange.tokens_in for exchange in exchanges),
        "tokens_out": sum(exchange.tokens_out for exchange in exchanges),
        "seconds": round(sum(exchange.seconds for exchange in exchanges), 2),
        "query": written,
        "events": [text for text in run.trace.events if not text.startswith("query: ")],
    }


def is_right(graph: Graph, question: QueryQuestion, written: str) -> bool:
    """Return whether a query gives the rows of the gold query."""
    try:
        found = graph.query(written, {}, _ROWS)
    except GraphbrickError:
        return False
    return same_rows(graph.query(question.query, {}, _ROWS).rows, found.rows, ordered=question.ordered)


def rows_of(file: Path) -> list[dict[str, Any]]:
    """Return the lines that are there."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def in_turns(sets: list[Questions]) -> Iterator[tuple[Questions, QueryQuestion]]:
    """Yield four questions of each set in turn."""
    rests = [(one, iter(one.questions)) for one in sets]
    while rests:
        for one, rest in list(rests):
            part = list(islice(rest, _TOGETHER))
            yield from ((one, question) for question in part)
            if not part:
                rests.remove((one, rest))


def work(arguments: argparse.Namespace) -> None:
    """Ask what was not asked yet."""
    done = {(row["set"], row["question"], row["variant"]) for row in rows_of(arguments.out)}
    last = time.monotonic() + 60 * arguments.minutes
    with Session(replies=f"{arguments.out}.replies"), arguments.out.open("a", encoding="utf-8") as out:
        for one, question in in_turns([Questions(name, arguments) for name in arguments.sets]):
            for variant, brick in one.bricks.items():
                if (one.name, question.question, variant) in done:
                    continue
                if time.monotonic() > last:
                    return
                row = {
                    "set": one.name,
                    "template": question.template,
                    "variant": variant,
                    "question": question.question,
                }
                row |= measure(brick, one.graph, question) | {"gold": question.query}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                out.flush()


def report(rows: list[dict[str, Any]]) -> None:
    """Print a table: a line for each set and variant, and for all sets together.

    A variant may have been asked fewer questions than others; beside its accuracy stands that of all parts together on
    the same questions.
    """
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    whole = {(row["set"], row["question"]): row["right"] for row in rows if row["variant"] == variants[0]}
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if (row["set"], row["question"]) in whole:
            groups[row["set"], row["variant"]].append(row)
            groups["together", row["variant"]].append(row)
    columns = "set|variant|n|executable|accurate|95 %|all parts|one step|answer F1|calls|tokens in|out|s".split("|")
    print(f"| {' | '.join(columns)} |")
    print(f"|{'---|' * 13}")
    for (name, variant), part in sorted(groups.items(), key=lambda entry: (entry[0][0], variants.index(entry[0][1]))):
        n, right = len(part), sum(row["right"] for row in part)
        interval = wilson(right, n)
        one = [row["right"] for row in part if row["template"] in ONE_STEP]
        mean = {key: statistics.fmean(row[key] for row in part) for key in ("executable", "f1", "calls", "seconds")}
        tokens = [statistics.fmean(row[key] for row in part) for key in ("tokens_in", "tokens_out")]
        print(
            f"| {name} | {variant} | {n} | {mean['executable']:.2f} | {right / n:.2f} | "
            f"{interval.low:.2f}-{interval.high:.2f} | "
            f"{statistics.fmean(whole[row['set'], row['question']] for row in part):.2f} | "
            f"{f'{statistics.fmean(one):.2f} of {len(one)}' if one else ''} | {mean['f1']:.2f} | {mean['calls']:.1f} | "
            f"{tokens[0]:.0f} | {tokens[1]:.0f} | {mean['seconds']:.1f} |"
        )


def main() -> None:
    """Ask, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--set", dest="sets", action="append", choices=list(query_questions.SETS))
    parser.add_argument("--data", type=Path, default=query_questions.DATA)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()), help="folder for graphs")
    parser.add_argument("--n", type=int, default=100, help="questions of each set")
    parser.add_argument("--examples", type=int, default=60, help="pairs to choose examples from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--variants", nargs="*", default=list(VARIANTS), choices=list(VARIANTS))
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--report", action="store_true")
    arguments = parser.parse_args()
    arguments.sets = arguments.sets or list(query_questions.SETS)
    if not arguments.report:
        work(arguments)
    report(rows_of(arguments.out))


if __name__ == "__main__":
    main()
