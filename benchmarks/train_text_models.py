"""Trained embedding models and re-rankers on MetaQA: Hits@1 and F1 by hops before and after, and what training took.

    python benchmarks/train_text_models.py [DATA] [--base all-minilm-l6-v2] [--reranker-base ...] [--learn 100]
        [--limit 50] [--epochs 4] [--batch-size 8] [--pool 32] [--split wordings] [--only embedder] [--json FILE]

Needs ``graphbrick[train]`` and the base models (``graphbrick models fetch all-minilm-l6-v2``). Questions are split
as in ``benchmarks/metaqa.py``, so that nothing of a question that is measured was learned from: by "wordings" it has a
seed and a wording that training has not seen. ``--learn`` is the number of questions a hop count to learn from,
``--limit`` that of measured ones. All are ranked by relation pattern, and learned from by it. A base that is no
re-ranker has no row of its own before training: its last layer would be random.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from graphbrick import (
    BM25,
    PPR,
    CrossEncoder,
    EmbeddingModel,
    Graph,
    MiniLM,
    PathAnswer,
    Rerank,
    ShortestPaths,
    build,
)
from graphbrick.learn.train.texts.embedder import train_embedder
from graphbrick.learn.train.texts.reranker import train_reranker
from graphbrick.learn.train.texts.text_models import TextReport, base_of
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.questions.grounding import ground
from graphbrick.questions.loading import load
from graphbrick.questions.question import Question
from graphbrick.questions.sampling import sample_each
from metaqa import DATA, SPLITS, measure, split


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments.add_argument("--base", default="all-minilm-l6-v2", help="the embedding model trained on")
    arguments.add_argument("--reranker-base", default="all-minilm-l6-v2", help="the re-ranker, or BERT, trained on")
    arguments.add_argument("--learn", type=int, default=100, help="questions of each hop count learned from")
    arguments.add_argument("--limit", type=int, default=50, help="questions of each hop count measured")
    arguments.add_argument("--epochs", type=int, default=4)
    arguments.add_argument("--batch-size", type=int, default=8)
    arguments.add_argument("--learning-rate", type=float, default=5e-5)
    arguments.add_argument("--pool", type=int, default=32, help="negatives that hard ones are chosen from")
    arguments.add_argument("--negatives", type=int, default=8)
    arguments.add_argument("--split", choices=SPLITS, default="wordings")
    arguments.add_argument("--only", choices=("embedder", "reranker"), help="the other is not trained")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--graph", type=Path, help="the graph folder of MetaQA, where it was built before")
    arguments.add_argument("--json", type=Path, help="write the figures here too")
    given = arguments.parse_args()
    questions = [q for hops in (1, 2, 3) for q in load(given.data / "metaqa" / f"dev_{hops}hop.jsonl.gz")]
    learned, kept = split(questions, given.split, given.seed)
    learned = sample_each(learned, given.learn, seed=given.seed)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        graph = Graph.open(given.graph) if given.graph else build(given.data / "metaqa" / "kb.txt.gz", work / "graph")
        scorers: dict[str, Scorer] = {"BM25": BM25(), "MiniLM, int8": MiniLM()}
        reports: dict[str, TextReport] = {}
        if given.only != "reranker":
            scorers["embedder, before"] = EmbeddingModel(base_of(given.base))
            reports["embedder"] = trained(train_embedder, graph, learned, work / "embedder", given.base, given)
            scorers["embedder, trained"] = EmbeddingModel(str(work / "embedder"))
        if given.only != "embedder":
            reports["reranker"] = trained(train_reranker, graph, learned, work / "reranker", given.reranker_base, given)
            if not reports["reranker"].new_head:
                scorers["re-ranker, before"] = CrossEncoder(base_of(given.reranker_base))
            scorers["re-ranker, trained"] = CrossEncoder(str(work / "reranker"))
        for name, report in reports.items():
            print(f"{name}: {report}\n", flush=True)
        rows = table(graph, sample_each(kept, given.limit, seed=given.seed), scorers)
    if given.json:
        told = {name: report.to_dict() for name, report in reports.items()}
        given.json.write_text(json.dumps({"reports": told, "rows": rows}, indent=1) + "\n", encoding="utf-8")


def trained(
    train: Any, graph: Graph, questions: list[Question], out: Path, base: str, given: argparse.Namespace
) -> TextReport:
    """Train one model."""

    def progress(what: str, done: float, total: float | None) -> None:
        if sys.stderr.isatty():
            print(f"\r{what} {done}/{total}    ", end="", file=sys.stderr)

    report: TextReport = train(
        graph, questions, out, base=base, by="pattern", epochs=given.epochs, batch_size=given.batch_size,
        learning_rate=given.learning_rate, pool=given.pool, negatives=given.negatives, hard=given.negatives // 2,
        seed=given.seed, progress=progress,
    )  # fmt: skip
    return report


def table(graph: Graph, questions: list[Question], scorers: dict[str, Scorer]) -> list[dict[str, Any]]:
    """Measure and print."""
    print("| Rerank by | hops | n | Hits@1 | 95 % | F1 | median ms |")
    print("|---|---|---|---|---|---|---|", flush=True)
    found, rows = ground(graph, questions), []
    for name, scorer in scorers.items():
        pipeline = PPR(k=1000) >> ShortestPaths(max_hops=3) >> Rerank(scorer, n=32, by="pattern") >> PathAnswer()
        pipeline.run(graph, found.questions[0].query())  # compile and load before the clock runs
        for hops, some in found.split("hops").items():
            row = {"scorer": name, "hops": hops, **measure(graph, pipeline, some.questions)}
            rows.append(row)
            print(
                f"| {name} | {hops} | {row['n']} | {row['hits_at_1']:.3f} | {row['low']:.3f} to {row['high']:.3f} | "
                f"{row['f1']:.3f} | {row['ms']:.0f} |",
                flush=True,
            )
    return rows


if __name__ == "__main__":
    main()
