"""Trained relation patterns on MetaQA: Hits@1 and F1 by hops, with and without training, and milliseconds a question.

    python benchmarks/metaqa.py [DATA] [--limit 500] [--slow 100] [--split wordings ...] [--work FOLDER] [--json FILE]

DATA (or GRAPHBRICK_DATA, or ``../shared/data``) holds ``metaqa/kb.txt.gz`` and ``metaqa/dev_{1,2,3}hop.jsonl.gz``. The
questions are split in three ways, each so that nothing of a question that is measured was learned from:

- ``wordings``: a fifth of the seeds is kept apart, and of every relation pattern a fifth of the wordings (the question
  with the name of its seed masked). Learned from are the questions of neither, measured those of both: a kept question
  has a seed and a wording that training has not seen. Questions with one of the two are not used.
- ``seeds``: a fifth of the seeds is kept apart with all their questions; wordings are seen in training, as in the split
  that the data set comes with.
- ``patterns``: of each hop count a fifth of the relation patterns is kept apart with all their questions, and a fifth
  of the seeds; measured are questions of patterns and seeds that training has not seen. The ``pattern`` field of the
  files is used for splitting only; what is right is learned from the answers.

«learned» is `graphbrick learn` with the same questions: it also writes questions about all patterns of the graph.
«The gold pattern» is what can be expected of who knows the relation pattern of a question, with the entities at its end
in an order of chance: of films with the same name, which are one entity here, nothing tells which is meant.

Seeds are given, so linking is not measured. Every question counts; one without an answer scores 0. ``--limit`` is the
number of measured questions of each hop count, ``--slow`` that for pipelines that list all paths.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphbrick import (
    BM25,
    PPR,
    BeamSearch,
    Graph,
    MiniLM,
    PathAnswer,
    Pipeline,
    Rerank,
    ShortestPaths,
    build,
)
from graphbrick.bricks.retrieve.patterns.patterns import Patterns
from graphbrick.core import Subgraph
from graphbrick.core.errors import LinkError
from graphbrick.graphs.patterns import follow
from graphbrick.learn.learning import learn
from graphbrick.learn.train.patterns.patterns import train_patterns
from graphbrick.patterns.model.scorer import PatternScorer
from graphbrick.patterns.text import masked
from graphbrick.questions.formats.metaqa import relation_steps
from graphbrick.questions.grounding import Grounded, GroundedQuestion, ground
from graphbrick.questions.loading import load
from graphbrick.questions.question import Question
from graphbrick.questions.sampling import sample_each
from graphbrick.study.metrics.sets import answer_scores
from graphbrick.study.statistics.intervals import wilson

DATA = Path(os.environ.get("GRAPHBRICK_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
SPLITS = ("wordings", "seeds", "patterns")
APART = 0.2


def drawn(names: Iterable[str], seed: int, *, least: int = 0) -> set[str]:
    """A fifth of some names."""
    ordered = sorted(set(names))
    n = max(least, round(APART * len(ordered)))
    return {ordered[i] for i in np.random.default_rng(seed).permutation(len(ordered))[:n]}


def split(questions: Sequence[Question], by: str, seed: int) -> tuple[list[Question], list[Question]]:
    """(learned from, kept apart)."""
    seeds = drawn((question.seeds[0] for question in questions), seed)
    if by == "seeds":
        return [q for q in questions if q.seeds[0] not in seeds], [q for q in questions if q.seeds[0] in seeds]
    groups: dict[str, set[str]] = defaultdict(set)

    def name(question: Question) -> str:
        return masked(question.text, question.seeds[0]) if by == "wordings" else question.facts["pattern"]

    for question in questions:
        groups[question.facts["pattern"] if by == "wordings" else str(question.hops)].add(name(question))
    apart = {some for _, names in sorted(groups.items()) for some in drawn(names, seed, least=1)}
    learned = [q for q in questions if q.seeds[0] not in seeds and name(q) not in apart]
    return learned, [q for q in questions if q.seeds[0] in seeds and name(q) in apart]


def measure(
    graph: Graph, pipeline: Pipeline, questions: Sequence[GroundedQuestion], *, linked: bool = False
) -> dict[str, Any]:
    """Mean Hits@1 and F1 over all questions, and milliseconds a question; without seeds if they are to be linked."""
    first, both, ms = [], [], []
    for done, question in enumerate(questions, 1):
        try:
            run = pipeline.run(graph, question.question.text if linked else question.query())
        except LinkError:  # the question names nothing that is known
            first.append(0.0)
            both.append(0.0)
            continue
        assert run.answer is not None
        first.append(answer_scores(run.answer.entities, question.gold).hits_at_1)
        both.append(answer_scores(run.answer.entities, question.gold).f1)
        ms.append(1000 * run.trace.seconds)
        if sys.stderr.isatty():
            print(f"\r{done}/{len(questions)}", end="", file=sys.stderr)
    _, low, high, _ = wilson(int(sum(first)), len(first))
    return {
        "n": len(first),
        "hits_at_1": float(np.mean(first)),
        "low": low,
        "high": high,
        "f1": float(np.mean(both)),
        "ms": float(np.median(ms)),
        "ms_95": float(np.percentile(ms, 95)),
    }


def following(graph: Graph, questions: Sequence[GroundedQuestion]) -> dict[str, float]:
    """The Hits@1 and F1 that one can expect who knows the relation pattern of each question.

    All entities at its end are given, in an order of chance: films of the same name are one entity in this graph, and
    the answers are those of one of them.
    """
    relations = {graph.relation_key(i): i for i in range(graph.n_relations)}
    first, both = [], []
    for question in questions:
        steps = [(relations[key], forward) for key, forward in relation_steps(question.question.facts["pattern"])]
        ends = {
            end
            for seed in question.seeds
            if (followed := follow(Subgraph(graph), seed, steps))
            for end in followed.ends.tolist()
        }
        first.append(len(ends & set(question.answers)) / max(len(ends), 1))
        both.append(answer_scores(sorted(ends), question.gold).f1)
    return {"n": len(first), "hits_at_1": float(np.mean(first)), "f1": float(np.mean(both))}


def pipelines(model: str, learned: str) -> list[tuple[str, Pipeline, bool]]:
    """(name, pipeline, whether it is slow) of what is compared."""
    patterns, trained = PatternScorer(model), "trained"
    listed = PPR(k=1000) >> ShortestPaths(max_hops=3)
    return [
        (f"{trained}, Patterns", Patterns(patterns) >> PathAnswer(), False),
        ("learned, Patterns", Patterns(PatternScorer(learned)) >> PathAnswer(), False),
        (f"{trained}, Rerank", listed >> Rerank(patterns, n=32, by="pattern") >> PathAnswer(), True),
        (f"{trained}, BeamSearch", BeamSearch(patterns, max_hops=3) >> PathAnswer(), True),
        ("MiniLM, Patterns", Patterns(MiniLM()) >> PathAnswer(), False),
        ("MiniLM, Rerank", listed >> Rerank(MiniLM(), n=32, by="pattern") >> PathAnswer(), True),
        ("BM25, Patterns", Patterns(BM25()) >> PathAnswer(), False),
        ("BM25, Rerank", listed >> Rerank(BM25(), n=32, by="pattern") >> PathAnswer(), True),
    ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments.add_argument("--limit", type=int, default=2_000, help="measured questions of each hop count")
    arguments.add_argument("--slow", type=int, default=100, help="the same for pipelines that list all paths; 0: none")
    arguments.add_argument("--split", action="append", choices=SPLITS, help="may be repeated; all without it")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--work", type=Path, help="keep the graph and the trained patterns here")
    arguments.add_argument("--json", type=Path, help="write the figures here too")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        place, data = work / "metaqa.graph", given.data / "metaqa"
        graph = Graph.open(place) if place.is_dir() else build(data / "kb.txt.gz", place)
        questions = [question for hops in (1, 2, 3) for question in load(data / f"dev_{hops}hop.jsonl.gz")]
        tables = {by: table(graph, questions, by, given, work) for by in given.split or SPLITS}
    if given.json:
        given.json.write_text(json.dumps(tables, indent=1) + "\n", encoding="utf-8")


def table(
    graph: Graph, questions: list[Question], by: str, given: argparse.Namespace, work: Path
) -> list[dict[str, Any]]:
    """Train on one split, measure, and print the table."""
    learned, kept = split(questions, by, given.seed)
    model = work / f"metaqa-{by}.patterns"
    report = train_patterns(graph, learned, model, seed=given.seed, overwrite=True)
    print(f"\n## Split by {by}: {len(learned):,} questions learned from, {len(kept):,} kept apart\n\n{report}\n")
    every = work / f"metaqa-{by}-learned.patterns"
    print(f"with questions written from the graph: {learn(graph, every, questions=learned, seed=given.seed)}\n")
    print("| pipeline | hops | n | Hits@1 | 95 % | F1 | median ms | 95 % of questions within ms |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    rows: list[dict[str, Any]] = []
    for hops, some in ground(graph, sample_each(kept, given.limit, seed=given.seed)).split("hops").items():
        rows.append({"split": by, "pipeline": "the gold pattern", "hops": hops, **following(graph, some.questions)})
        print(f"| {rows[-1]['pipeline']} | {hops} | {rows[-1]['n']} | {rows[-1]['hits_at_1']:.4f} |  | "
              f"{rows[-1]['f1']:.4f} |  |  |", flush=True)  # fmt: skip
    for name, pipeline, is_slow in pipelines(str(model), str(every)):
        n = given.slow if is_slow else given.limit
        if not n:
            continue
        found: Grounded = ground(graph, sample_each(kept, n, seed=given.seed))
        pipeline.run(graph, found.questions[0].query())  # compile and load before the clock runs
        for hops, some in found.split("hops").items():
            row = {"split": by, "pipeline": name, "hops": hops, **measure(graph, pipeline, some.questions)}
            rows.append(row)
            print(
                f"| {name} | {hops} | {row['n']} | {row['hits_at_1']:.4f} | {row['low']:.4f} to {row['high']:.4f} | "
                f"{row['f1']:.4f} | {row['ms']:.1f} | {row['ms_95']:.1f} |",
                flush=True,
            )
    return rows


if __name__ == "__main__":
    main()
