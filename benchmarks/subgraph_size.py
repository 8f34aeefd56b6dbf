"""Subgraphs cut by need against subgraphs of a fixed size: recall of the answers and entities kept.

    python benchmarks/subgraph_size.py GRAPH QUESTIONS ... [--limit 300] [--seed 0]

Half of the questions of each hop count is learned from (`train_sizes`), the other half is measured. Rows of one block
can be compared: a cut is better where it has more recall with fewer entities.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from graphbrick import PPR, Graph
from graphbrick.bricks.extract.sized_ppr import SizedPPR
from graphbrick.bricks.extract.sizers import LearnedSizer, ShareSizer
from graphbrick.learn.train.sizes import train_sizes
from graphbrick.pipeline import ExtractStage
from graphbrick.questions.grounding import GroundedQuestion
from graphbrick.study.metrics.sets import answer_scores
from questions import load


def measure(graph: Graph, stage: ExtractStage, questions: Sequence[GroundedQuestion]) -> tuple[float, float, float]:
    """The mean recall, entities and triples."""
    rows = []
    for question in questions:
        found = stage.extract(graph, question.query())
        nodes = [] if found.nodes is None else found.nodes.tolist()
        rows.append((answer_scores(nodes, question.gold).recall, found.n_nodes, found.n_triples))
    recall, nodes, triples = (statistics.fmean(column) for column in zip(*rows, strict=True))
    return recall, nodes, triples


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graph", type=Path)
    arguments.add_argument("questions", type=Path, nargs="+")
    arguments.add_argument("--limit", type=int, default=300, help="questions of each hop count")
    arguments.add_argument("--seed", type=int, default=0, help="of what is held back in learning")
    given = arguments.parse_args()
    graph = Graph.open(given.graph)
    by_hops = {
        hops: [question for question in some if question.seeds and question.gold]
        for hops, some in load(graph, given.questions, given.limit).items()
    }
    learn = [question.question for some in by_hops.values() for question in some[::2]]
    test = {hops: some[1::2] for hops, some in by_hops.items()}
    ppr = PPR(k=2000)
    with tempfile.TemporaryDirectory() as folder:
        sizes = str(Path(folder) / "sizes.json")
        report = train_sizes(graph, learn, sizes, ppr=ppr, seed=given.seed)
        print(f"{graph}; learned from {report.learned_from} questions\n")
        stages: dict[str, ExtractStage] = {f"PPR(k={k})": PPR(k=k) for k in (50, 100, 200, 500, 1000, 2000)}
        for least, most in ((0.5, 0.75), (0.6, 0.85), (0.75, 0.95)):
            stages[f"ShareSizer({least}, {most})"] = SizedPPR(ShareSizer(least, most), ppr)
        for recall in (0.8, 0.9, 0.95):
            stages[f"LearnedSizer(recall={recall})"] = SizedPPR(LearnedSizer(sizes, recall), ppr)
        heads = " | ".join(f"{hops} hops: recall | entities" for hops in test)
        print(f"| cut | {heads} | all: recall | entities | triples |\n|{'---|' * (2 * len(test) + 4)}")
        for name, stage in stages.items():
            rows = {hops: measure(graph, stage, some) for hops, some in test.items()}
            cells = " | ".join(f"{recall:.3f} | {nodes:,.0f}" for recall, nodes, _ in rows.values())
            everything = [(row, len(test[hops])) for hops, row in rows.items()]
            n = sum(weight for _, weight in everything)
            recall, nodes, triples = (sum(row[i] * weight for row, weight in everything) / n for i in range(3))
            print(f"| {name} | {cells} | {recall:.3f} | {nodes:,.0f} | {triples:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
