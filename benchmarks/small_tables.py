"""Questions of a new user over small tables: build, learn, ask.

    python benchmarks/small_tables.py [TABLE ...] [--work FOLDER] [--show]

`small_tables.toml` holds eight made-up tables of 17 to 31 lines, with relation names in different styles, and questions
of every kind: paths, counts, superlatives, comparisons, dates, yes or no, typing errors, and such as have no answer.
Each table is built and learned as `graphbrick build` and `graphbrick learn` do, and asked with the pipeline of
`graphbrick ask`. An answer is right if it is exactly the set that is wanted; no answer is right if none is wanted.
FOLDER keeps the graphs.
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from graphbrick import Graph, GraphbrickError, Pipeline, build
from graphbrick.learn.learned import learned_pipeline
from graphbrick.learn.learning import learn

TABLES = Path(__file__).with_suffix(".toml")
KINDS = ("right", "no answer, rightly", "no answer, but there is one", "wrong")


def graph_of(table: dict[str, Any], work: Path) -> tuple[Graph, Pipeline]:
    """Build and learn a table, unless an earlier run did."""
    place = work / f"{table['name']}.graph"
    if not place.is_dir():
        source = work / f"{table['name']}.csv"
        source.write_text(table["csv"].strip() + "\n", encoding="utf-8")
        build(source, place)
    graph = Graph.open(place)
    if learned_pipeline(graph) is None:
        learn(graph)
    pipeline = learned_pipeline(graph)
    assert pipeline is not None
    return graph, pipeline


def folded(texts: list[str]) -> list[str]:
    """Return texts as they are compared: sorted, in lower case, without commas in numbers."""
    return sorted(text.casefold().replace(",", "") for text in texts)


def main() -> None:
    """Ask all questions and print how many were right."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("tables", nargs="*", metavar="TABLE")
    arguments.add_argument("--work", type=Path)
    arguments.add_argument("--show", action="store_true", help="print every question that is not right")
    given = arguments.parse_args()
    work = given.work or Path(tempfile.mkdtemp())
    work.mkdir(parents=True, exist_ok=True)
    total, by_confidence = Counter[str](), Counter[tuple[str, str]]()
    print(f"| table | questions | {' | '.join(KINDS)} |\n|---|---|{'---|' * len(KINDS)}")
    for table in tomllib.loads(TABLES.read_text(encoding="utf-8"))["table"]:
        if given.tables and table["name"] not in given.tables:
            continue
        graph, pipeline = graph_of(table, work)
        counts = Counter[str]()
        for question, *wanted in table["questions"]:
            confidence, reason = None, ""
            try:
                answer = pipeline(graph, question)
                got, confidence = list(answer.texts), answer.confidence
            except GraphbrickError as error:
                got, reason = [], str(error)
            same = folded(got) == folded(wanted)
            kind = KINDS[(0 if wanted else 1) if same else 3 if got else 2]
            counts[kind] += 1
            if got:
                level = "unknown" if confidence is None else f"{np.floor(confidence * 10) / 10:.1f} to"
                by_confidence[level, "right" if same else "wrong"] += 1
            if given.show and not same:
                print(f"{kind}: {question}\n   wanted {wanted}, got {got} ({confidence}) {reason[:120]}")
        total += counts
        print(f"| {table['name']} | {counts.total()} | {' | '.join(str(counts[kind]) for kind in KINDS)} |")
    print(f"| all | {total.total()} | {' | '.join(str(total[kind]) for kind in KINDS)} |")
    print("\n| confidence | right | wrong |\n|---|---|---|")
    for level in sorted({level for level, _ in by_confidence}):
        print(f"| {level} | {by_confidence[level, 'right']} | {by_confidence[level, 'wrong']} |")


if __name__ == "__main__":
    main()
