"""Whether a judge that learned from a graph alone tells right paths for questions of people from wrong ones (MetaQA).

    python benchmarks/judge_of_facts.py [DATA] [--questions 60] [--written 80]

The judge learns from questions that are written from the film graph without a model. It is checked on dev questions of
MetaQA with one and two hops: the paths along the pattern that leads to the answers, against the paths along three other
patterns from the same entity with as many hops.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from graphbrick import build
from graphbrick.graphs.graph import Graph
from graphbrick.judge.judges.baselines import known_reranker
from graphbrick.judge.judges.classifier.learned import LearnedJudge
from graphbrick.judge.judges.classifier.training import train_classifier
from graphbrick.judge.judges.parts import Reader
from graphbrick.judge.report.checking import check_judge
from graphbrick.judge.synthetic.making import Selection, make_data
from graphbrick.judge.synthetic.rows import OWN, Row
from graphbrick.judge.synthetic.written import passage_along, written_about
from graphbrick.judge.verdicts import Case, Label
from graphbrick.learn.writing.sampling import around
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.questions.loading import load


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", nargs="?", type=Path, default=Path("../shared/data"))
    arguments.add_argument("--questions", type=int, default=60, help="of each hop count")
    arguments.add_argument("--written", type=int, default=80, help="questions that the judge learns from")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        graph = build(given.data / "metaqa" / "kb.txt.gz", Path(folder) / "films.graph")
        started = time.perf_counter()
        made = make_data(*written_about(graph, given.written), MiniLM(), Selection(found_again=False))
        rows = [row for row in made.rows if row.label is Label.CONTEXT_RELEVANCE]
        reader = Reader(MiniLM(), known_reranker())
        trained = train_classifier(rows, reader)
        print(f"{made.counts}\nlearned from {len(rows)} rows in {time.perf_counter() - started:.0f} s")
        for label, one in trained.reports.items():
            print(
                f"{label}: held out {one.auc:.3f}, { ({kind: round(area, 3) for kind, area in one.by_kind.items()}) }"
            )
            print({name: round(weight, 2) for name, weight in one.weights.items() if weight})
        judge = LearnedJudge(trained.models, trained.rarity, reader, "trained here")
        asked = [row for hops in (1, 2) for row in gold_rows(graph, given.data, hops, given.questions)]
        found = check_judge("judge", judge, asked)
    for row in found.rows:
        print(f"| {row.judge} | {row.auc.value:.3f} [{row.auc.low:.3f}, {row.auc.high:.3f}] | {row.correlation:+.2f} |")
    print(*found.remarks, sep="\n")


def gold_rows(graph: Graph, data: Path, hops: int, most: int) -> Iterator[Row]:
    """Yield the paths that lead to the answers of questions, and paths along other patterns."""
    rng = random.Random(hops)
    questions = list(load(data / "metaqa" / f"dev_{hops}hop.jsonl.gz"))
    taken = 0
    for question in rng.sample(questions, 5 * most):
        start = graph.entity(question.seeds[0])
        answers = {graph.entity(answer) for answer in question.answers}
        right, wrong = [], []
        for pattern, ends in around(graph, start, max_hops=hops)[hops - 1]:
            passage = passage_along(graph, start, pattern)
            if passage is not None:
                found = set(ends.tolist())
                (right if found == answers else wrong if not found & answers else []).append(passage)
        if len(right) != 1 or not wrong:
            continue
        for kind, passage in [
            (OWN, right[0]),
            *(("other pattern", one) for one in rng.sample(wrong, min(3, len(wrong)))),
        ]:
            case = Case(question.text, (passage.text,))
            yield Row(Label.CONTEXT_RELEVANCE, int(kind == OWN), kind, case, question.id, "metaqa")
        taken += 1
        if taken == most:
            return


if __name__ == "__main__":
    main()
