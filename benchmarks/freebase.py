"""Trained relation patterns on a core of Freebase, in five folds, beside pipelines without training.

    python benchmarks/freebase.py [DATA] [--recipe 1 ...] [--limit 1334] [--slow 50] [--work FOLDER] [--json FILE]

DATA (or GRAPHBRICK_DATA, or ``../shared/data``) holds ``freebase/triples.tsv.gz``, ``labels.tsv.gz`` and
``questions_dev.jsonl.gz``: questions of WebQSP, CWQ and FreebaseQA whose answers lie within three hops of a seed.

A question is measured with patterns that were trained on the other four folds. Questions stay in one fold that were
made from the same question of WebQSP (CWQ is), or that share the seed which the fewest questions have; common seeds,
such as the United States, are in every fold. Seeds are given. Every question counts, one without an answer as 0.

Recipes are those that need no language model (1, 2, 6, 10, 12 and 14 unless others are named). They, and patterns
ranked without training, embed thousands of texts a question, so that only ``--slow`` questions, evenly spaced, are
measured: 0 leaves them out.

Where a question is lost is one of: ``subgraph``, no answer is in it; ``paths``, none of 32 paths meets an answer;
``pattern``, no end of the answers' pattern is right; ``order``, one of these ends is, but the first answer is wrong; or
it is right. ``RankEnds`` leaves ends out of the answer; they count as ends of the pattern here.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from extraction_recall import graph_of
from graphbrick import (
    BM25,
    PPR,
    Graph,
    GraphbrickError,
    MiniLM,
    PathAnswer,
    Pipeline,
    RankEnds,
    Rerank,
    ShortestPaths,
    recipe,
)
from graphbrick.bricks.retrieve.patterns.patterns import Patterns
from graphbrick.learn.train.patterns.patterns import train_patterns
from graphbrick.patterns.model.scorer import PatternScorer
from graphbrick.questions.grounding import GroundedQuestion, ground
from graphbrick.questions.loading import load
from graphbrick.study.metrics.ranking_metrics import hit_at
from graphbrick.study.metrics.sets import answer_scores
from metaqa import DATA

FOLDS = 5
MAX_HOPS = 2  # only 18 of 1,334 questions have their nearest answer three hops away
RECIPES = ("1", "2", "6", "10", "12", "14")
LOST = ("subgraph", "paths", "pattern", "order", "right")


def folds(questions: Sequence[GroundedQuestion], seed: int) -> list[int]:
    """The fold of each question; see above for what stays together."""
    common = Counter(seed for question in questions for seed in question.seeds)
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    names = []
    for question in questions:
        rare = min(question.seeds, key=lambda entity: (common[entity], entity), default=-1)
        names.append(question.question.id.split("_")[0])
        parent[root(names[-1])] = root(f"seed {rare}")
    groups: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        groups[root(name)].append(place)
    order = [groups[name] for name in sorted(groups)]
    order = [order[i] for i in np.random.default_rng(seed).permutation(len(order))]
    found, sizes = [0] * len(questions), [0] * FOLDS
    for group in sorted(order, key=len, reverse=True):
        fold = int(np.argmin(sizes))
        sizes[fold] += len(group)
        for place in group:
            found[place] = fold
    return found


def measure(graph: Graph, pipeline: Pipeline, question: GroundedQuestion) -> dict[str, Any]:
    """All figures of one question."""
    gold = question.gold
    try:
        run = pipeline.run(graph, question.query())
    except GraphbrickError as error:
        print(f"{question.question.id}: {error}")
        return {"subgraph_recall": 0.0, "hit_32": 0.0, "hits_at_1": 0.0, "f1": 0.0, "lost": "paths", "ms": np.nan}
    assert run.answer is not None
    assert run.evidence is not None
    whole = run.subgraph is None or run.subgraph.nodes is None
    answered = answer_scores(run.answer.entities, gold)
    found = 1.0 if whole else answer_scores(run.subgraph.nodes.tolist(), gold).recall
    row = {
        "subgraph_recall": found,
        "hit_32": hit_at([item.entities for item in run.evidence.items], gold, 32),
        "hits_at_1": answered.hits_at_1,
        "f1": answered.f1,
        "ms": 1000 * run.trace.seconds,
    }
    ends = answer_scores(PathAnswer().generate(question.query(), run.evidence).entities, gold).f1
    steps = found, row["hit_32"] or ends, ends, row["hits_at_1"], 0
    return row | {"lost": next(name for name, value in zip(LOST, steps, strict=True) if not value)}


def show(name: str, dataset: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One line of the table."""
    figures = ("subgraph_recall", "hit_32", "hits_at_1", "f1")
    line = {"pipeline": name, "dataset": dataset, "n": len(rows)}
    line |= {figure: float(np.mean([row[figure] for row in rows])) for figure in figures}
    line["ms"] = float(np.nanmedian([row["ms"] for row in rows]))
    lost = Counter(row["lost"] for row in rows)
    line["lost"] = {where: lost[where] / len(rows) for where in LOST}
    cells = [name, dataset, str(len(rows)), *(f"{line[figure]:.3f}" for figure in figures), f"{line['ms']:.0f}"]
    cells += [f"{lost[where] / len(rows):.3f}" for where in LOST]
    print(f"| {' | '.join(cells)} |", flush=True)
    return line


def run_all(given: argparse.Namespace, work: Path) -> Iterator[dict[str, Any]]:
    """Train, measure and print; yields the lines."""
    graph = graph_of(given.data, "freebase", work)
    every = ground(graph, load(given.data / "freebase" / "questions_dev.jsonl.gz"))
    print(f"{graph}\n\n{every.report()}\n")
    fold = folds(every.questions, given.seed)
    for number in range(FOLDS):
        learned = [q.question for q, f in zip(every.questions, fold, strict=True) if f != number]
        model = work / f"freebase-{number}-{given.seed}.patterns"
        if not model.exists():
            print(f"fold {number}: {train_patterns(graph, learned, model, max_hops=MAX_HOPS)}\n", flush=True)
    print(f"| pipeline | data set | n | subgraph recall | hit@32 | Hits@1 | F1 | ms | {' | '.join(LOST)} |")
    print(f"|{'---|' * (8 + len(LOST))}")

    def trained(number: int) -> Pipeline:
        return (
            Patterns(PatternScorer(str(work / f"freebase-{number}-{given.seed}.patterns")), max_hops=MAX_HOPS)
            >> PathAnswer()
        )

    def ranked(number: int) -> Pipeline:
        folder = str(work / f"freebase-{number}-{given.seed}.patterns")
        ends = RankEnds(folder)
        patterns = Patterns(PatternScorer(folder), n=ends.patterns, each=1, max_hops=MAX_HOPS)
        return patterns >> ends >> PathAnswer(ends="listed")

    near = PPR(k=1000) >> ShortestPaths(max_hops=MAX_HOPS)
    fixed: list[tuple[str, Pipeline, int]] = [
        ("MiniLM, Patterns", Patterns(MiniLM(), max_hops=MAX_HOPS) >> PathAnswer(), given.slow),
        ("BM25, Patterns", Patterns(BM25(), max_hops=MAX_HOPS) >> PathAnswer(), given.slow),
        ("MiniLM, Rerank", near >> Rerank(MiniLM(), n=32, by="pattern") >> PathAnswer(), given.slow),
        ("BM25, Rerank", near >> Rerank(BM25(), n=32, by="pattern") >> PathAnswer(), given.slow),
        *((f"recipe {name}", recipe(name).pipeline(), given.slow) for name in given.recipe or RECIPES),
    ]
    by_fold: dict[str, tuple[list[Pipeline], int]] = {
        "trained, Patterns": ([trained(number) for number in range(FOLDS)], given.limit),
        "trained, RankEnds": ([ranked(number) for number in range(FOLDS)], given.limit),
        "trained, PPR and Patterns": ([PPR(k=1000) >> trained(number) for number in range(FOLDS)], given.limit),
    } | {name: ([pipeline] * FOLDS, n) for name, pipeline, n in fixed}
    for name, (pipelines, n) in by_fold.items():
        chosen = [i * len(every) // n for i in range(n)] if n < len(every) else list(range(len(every)))
        if not chosen:
            continue
        pipelines[0].run(graph, every.questions[0].query())  # compile and load before the clock runs
        rows = {i: measure(graph, pipelines[fold[i]], every.questions[i]) for i in chosen}
        yield show(name, "all", list(rows.values()))
        for dataset in sorted({every.questions[i].question.dataset for i in chosen}):
            yield show(name, dataset, [rows[i] for i in chosen if every.questions[i].question.dataset == dataset])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments.add_argument("--recipe", action="append", help="a recipe without language model; may be repeated")
    arguments.add_argument("--limit", type=int, default=1_334, help="questions measured of what is trained")
    arguments.add_argument("--slow", type=int, default=50, help="the same for what is not trained; 0: none")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--work", type=Path, help="keep the graph and the trained patterns here, for further runs")
    arguments.add_argument("--json", type=Path, help="write the figures here too")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        lines = list(run_all(given, work))
    if given.json:
        given.json.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
