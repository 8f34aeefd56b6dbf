"""Rankings that read few texts beside the exact ranking, over the same questions.

    python benchmarks/few_texts.py GRAPH QUESTIONS ... [--limit 15] [--every 1] [--paths "ShortestPaths()"] [--beam]
        [--kept] [--cold 3] [--only TEXT ...]

Question files are those of ``questions.py``; seeds are given, and every question counts. The exact ranking embeds all
paths of a question, at about a hundred texts a second and thread, and keeps the vectors beside the graph. ``--kept``
takes only questions of which all vectors are there. ``--beam`` compares beam searches instead of rankings.

«as exact» is the share of the first 32 paths of the exact ranking that are among the first 32, «first» how often the
first path is the same, «cold» the seconds of processor time of the first ``--cold`` questions without kept vectors
(mean, highest), with the model and kernels loaded; «warm» those with the vectors that the pipeline itself has read.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from graphbrick import Graph, GraphbrickError, MiniLM, Pipeline, parse
from graphbrick.core import Evidence
from graphbrick.models.vectors.store import store_of, using
from graphbrick.questions.grounding import GroundedQuestion
from graphbrick.study.metrics.ranking_metrics import hit_at, precision_at, recall_at
from graphbrick.study.metrics.sets import answer_scores, harmonic
from questions import load

EXTRACT = "PPR(k=1000)"
FEW = tuple(f"FewTexts(MiniLM(), reads={n})" for n in (64, 128, 192, 256))
FIRST = ("BM25()", "StaticEmbedder()", "ByRelations(MiniLM())")
MEASURES = ("as exact", "first", "hit@1", "hit@32", "path F1", "Hits@1", "F1")


def rankings(paths: str) -> list[str]:
    """Return the pipelines that rank all paths, the exact one first."""
    ranked = [
        "Rerank(MiniLM(), n=32)",
        *(f"Rerank({scorer}, n=32)" for scorer in (*FEW, "FewTexts(MiniLM(), sketch=StaticEmbedder())")),
        *(f"Rerank({first}, n={n}) >> Rerank(MiniLM(), n=32)" for first in FIRST for n in (64, 128, 256)),
    ]
    return [f"{EXTRACT} >> {paths} >> {ranking} >> PathAnswer()" for ranking in ranked]


def beams() -> list[str]:
    """Return the pipelines that search paths step by step, the exact one first."""
    searches = [
        "BeamSearch(MiniLM())",
        *(f"BeamSearch(FewTexts(MiniLM(), reads={n}))" for n in (32, 64, 128)),
        *(f"BeamSearch(MiniLM(), prefilter=ByRelations(MiniLM()), prefilter_n={n})" for n in (32, 64)),
    ]
    return [f"{EXTRACT} >> {search} >> PathAnswer()" for search in searches]


def row_of(question: GroundedQuestion, evidence: Evidence, answered: Sequence[int], exact: Evidence) -> list[float]:
    """Return all measures of one question."""
    gold, items, wanted = question.gold, evidence.items[:32], exact.items[:32]
    paths = [path.nodes for path in items]  # type: ignore[attr-defined]
    scores = answer_scores(answered, gold)
    entities = [item.entities for item in items]
    return [
        len(set(items) & set(wanted)) / max(1, len(wanted)),
        float(items[:1] == wanted[:1]),
        hit_at(entities, gold, 1),
        hit_at(entities, gold, 32),
        harmonic(precision_at(paths, gold), recall_at(paths, gold)),
        scores.hits_at_1,
        scores.f1,
    ]


def seconds(graph: Graph, pipeline: Pipeline, questions: Sequence[GroundedQuestion], *, kept: bool) -> list[float]:
    """Return the processor time of each question, without kept vectors unless ``kept``."""
    took = []
    for question in questions:
        with using(store_of(graph) if kept else None):
            start = time.process_time()
            pipeline.run(graph, question.query())
            took.append(time.process_time() - start)
    return took


def chosen_questions(graph: Graph, given: argparse.Namespace) -> list[GroundedQuestion]:
    """Return the questions that are measured."""
    questions = [q for some in load(graph, given.questions, given.limit).values() for q in some][:: given.every]
    if not given.kept:
        return questions
    store, listing = store_of(graph), parse(f"{EXTRACT} >> {given.paths}")
    texts = {question.question.id: listing.run(graph, question.query()).evidence for question in questions}
    return [q for q in questions if not store.missing(MiniLM(), (texts[q.question.id] or Evidence()).texts())]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graph", type=Path)
    arguments.add_argument("questions", type=Path, nargs="+")
    arguments.add_argument("--limit", type=int, default=15, help="questions of each hop count")
    arguments.add_argument("--every", type=int, default=1, help="take every so many of these")
    arguments.add_argument("--paths", default="ShortestPaths()", help="the stage that lists paths")
    arguments.add_argument("--beam", action="store_true", help="compare beam searches")
    arguments.add_argument("--kept", action="store_true", help="only questions of which all vectors are kept")
    arguments.add_argument("--cold", type=int, default=3, help="questions timed without kept vectors")
    arguments.add_argument("--only", action="append", default=[], help="pipelines whose text has this; may be repeated")
    given = arguments.parse_args()
    graph = Graph.open(given.graph)
    questions = chosen_questions(graph, given)
    print(f"{graph}, {len(questions)} questions, seeds given\n")
    print(f"| pipeline | {' | '.join(MEASURES)} | cold | warm |\n|{'---|' * (len(MEASURES) + 3)}")
    exact: dict[str, Evidence] = {}
    texts = beams() if given.beam else rankings(given.paths)
    for text in texts:
        if given.only and text != texts[0] and not any(word in text for word in given.only):
            continue
        pipeline = parse(text)
        rows = []
        for question in questions:
            try:
                run = pipeline.run(graph, question.query())
            except GraphbrickError as error:
                print(f"{question.question.id}: {error}")
                rows.append([0.0] * len(MEASURES))
                continue
            assert run.answer is not None
            assert run.evidence is not None
            whole = exact.setdefault(question.question.id, run.evidence)
            rows.append(row_of(question, run.evidence, run.answer.entities, whole))
        cells = [f"{statistics.fmean(column):.3f}" for column in zip(*rows, strict=True)]
        timed = questions[: given.cold] if text != texts[0] else []
        for kept in (False, True):
            took = seconds(graph, pipeline, timed, kept=kept)
            cells.append(f"{statistics.fmean(took):.2f} ({max(took):.2f})" if took else "")
        print(f"| `{text}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
