"""Knowing when not to answer: what the confidence of ``graphbrick learn`` is worth.

    python benchmarks/confidence.py [DATA] [--graph world --graph metaqa] [--limit 300] [--work FOLDER] [--json FILE]

DATA and the graphs are those of ``benchmarks/unlabelled.py``, and the pipeline is that of `graphbrick ask`. Seeds are
given; ``--work`` keeps what was learned. Confidence is fitted to questions that are written from the graph alone, never
to the measured ones.

- «questions»: Hits@1, area under the risk-coverage curve (AURC), coverage at 5 % risk, expected calibration error, and
  the share of right answers that stay, and of wrong ones that are withheld, by the default of ``min_confidence``.
- «relation absent»: the same questions, each over the graph without all triples of one relation that the answer needs,
  drawn from its pattern (the first one around the seed that ends at exactly the gold answers). The relation was known
  when the graph was learned. Questions whose answers another pattern still reaches (F1 of .5 or more) are left out.
- «both»: the two sets together.
- «words of no relation» (world): 40 questions about what the graph does not speak of (`foreign_questions.txt`), linked
  as `graphbrick ask` does: «What is the weather in Kenya?».
- «never known» (MetaQA): the graph is built and learned without ``written_by``, and asked the questions that need it.
  Again those that another pattern answers are left out.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphbrick import Answer, Graph, LinkLabels, PathAnswer, Patterns, PatternScorer, Query, Subgraph, build
from graphbrick.learn.learned import pipeline_over
from graphbrick.learn.learning import learn
from graphbrick.learn.writing.sampling import around
from graphbrick.patterns.model.folder import load as load_model
from graphbrick.patterns.text import Steps
from graphbrick.pipeline import RetrieveStage
from graphbrick.pipeline import Sequence as Sequential
from graphbrick.questions.grounding import Grounded, GroundedQuestion, ground
from graphbrick.questions.sampling import sample_each
from graphbrick.study.metrics.confidence import aurc, calibration_error, coverage_at_risk
from graphbrick.study.metrics.sets import answer_scores
from unlabelled import DATA, GRAPHS

NEVER_KNOWN = {"metaqa": "written_by"}
FOREIGN = {"world": Path(__file__).with_name("foreign_questions.txt")}


class Learned:
    """A learned graph, and what it answers."""

    def __init__(self, graph: Graph, place: Path, written: int, seed: int) -> None:
        if not place.is_dir():
            learn(graph, place, n=written, seed=seed)
        calibration = load_model(str(place)).calibration
        assert calibration is not None
        self.least, self.folder = calibration.min_confidence, str(place)
        pipeline = pipeline_over(str(place))
        assert isinstance(pipeline, Sequential)
        (self.retrieve,) = (stage for stage in pipeline.stages if isinstance(stage, RetrieveStage))
        self.patterns = Patterns(PatternScorer(str(place)), n=32)

    def sure(self, query: Query, subgraph: Subgraph) -> Answer:
        """Return what the pipeline of `ask` answers over a part of the graph, whatever its confidence."""
        return PathAnswer().generate(query, self.retrieve.retrieve(query, subgraph))

    def answer(self, question: GroundedQuestion, subgraph: Subgraph) -> tuple[float, float]:
        """Return the confidence and Hits@1; no evidence has confidence 0."""
        answer = self.sure(question.query(), subgraph)
        if not answer.texts:
            return 0.0, 0.0
        return answer.confidence or 0.0, answer_scores(answer.entities, question.gold).hits_at_1

    def is_answerable(self, question: GroundedQuestion, subgraph: Subgraph) -> bool:
        """Whether one of the best patterns ends at most of the gold answers."""
        readings = self.patterns.readings(question.query(), subgraph)
        ends = ([end for end in one.ends.tolist() if end not in question.seeds] for one in readings)
        return any(answer_scores(answers, question.gold).f1 >= 0.5 for answers in ends)


def patterns(graph: Graph, questions: Grounded) -> Iterator[tuple[GroundedQuestion, Steps]]:
    """Yield the questions that have a pattern which ends at exactly the gold answers, with the first such pattern."""
    for question in questions.questions:
        gold = {entity for answer in question.gold for entity in answer}
        for layer in around(graph, question.seeds[0], max_hops=3):
            found = next((steps for steps, ends in layer if set(ends.tolist()) - set(question.seeds) == gold), None)
            if found is not None:
                yield question, found
                break


def absent(learned: Learned, graph: Graph, questions: Grounded, seed: int) -> list[float]:
    """Return the confidences in answers to questions whose relation is absent."""
    rng, views, sure = random.Random(seed), dict[str, Subgraph](), []
    ids = graph.triple_ids()
    labels = np.array([graph.relation_label(number) for number in range(graph.n_relations)])
    for question, steps in patterns(graph, questions):
        relation = rng.choice(steps)[0]
        if relation not in views:
            kept = ids[labels[graph.csr.relation[ids]] != relation]
            views[relation] = Subgraph(graph, np.arange(graph.n_entities, dtype=np.int32), kept.astype(np.int32))
        if not learned.is_answerable(question, views[relation]):
            sure.append(learned.answer(question, views[relation])[0])
    return sure


def never_known(
    name: str, graph: Graph, questions: Grounded, work: Path, written: int, seed: int
) -> tuple[Learned, list[float]]:
    """Return the same for a graph that was built and learned without a relation."""
    relation = NEVER_KNOWN[name]
    triples = [graph.triple(int(triple)) for triple in graph.triple_ids()]
    rows = [(graph.key(head), graph.relation_key(r), graph.key(tail)) for head, r, tail in triples]
    smaller = build([row for row in rows if row[1] != relation], work / "smaller.graph", overwrite=True)
    needing = [one.question for one, steps in patterns(graph, questions) if relation in {label for label, _ in steps}]
    learned = Learned(smaller, work / "smaller.patterns", written, seed)
    view = Subgraph(smaller)
    again = [one for one in ground(smaller, needing).questions if one.seeds]
    return learned, [learned.answer(one, view)[0] for one in again if not learned.is_answerable(one, view)]


def foreign(learned: Learned, graph: Graph, file: Path) -> list[float]:
    """Return the confidences in answers to questions about what the graph does not speak of."""
    questions = [Query(line) for line in file.read_text(encoding="utf-8").splitlines()]
    linked = [LinkLabels(readings=2, words=learned.folder).link(graph, question) for question in questions]
    answers = [learned.sure(query, Subgraph(graph)) for query in linked]
    return [(answer.confidence or 0.0) if answer.texts else 0.0 for answer in answers]


def figures(learned: Learned, sure: Sequence[float], right: Sequence[float]) -> dict[str, Any]:
    """Return the figures of answerable questions."""
    kept = [one for c, one in zip(sure, right, strict=True) if c >= learned.least]
    return {
        "n": len(sure),
        "hits_at_1": float(np.mean(right)),
        "aurc": aurc(sure, right),
        "coverage_at_5": coverage_at_risk(sure, right, 0.05),
        "ece": calibration_error(sure, right),
        "min_confidence": learned.least,
        "right_kept": sum(kept) / max(1, sum(right)),
        "wrong_withheld": 1 - (len(kept) - sum(kept)) / max(1, len(right) - sum(right)),
    }


def refused(learned: Learned, sure: Sequence[float]) -> dict[str, Any]:
    """Return the figures of questions without an answer."""
    withheld = float(np.mean([one < learned.least for one in sure]))
    return {"n": len(sure), "min_confidence": learned.least, "refused": withheld, "mean": float(np.mean(sure))}


def main() -> None:
    """Learn, measure, print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments.add_argument(
        "--graph", action="append", choices=["world", "metaqa", "family"], help="may be repeated; world and metaqa"
    )
    arguments.add_argument("--limit", type=int, default=300, help="measured questions of each hop count")
    arguments.add_argument("--written", type=int, default=4_000, help="questions to write")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--work", type=Path, help="a folder that keeps what was learned")
    arguments.add_argument("--json", type=Path, help="write the figures here too")
    given = arguments.parse_args()
    rows: list[dict[str, Any]] = []

    def tell(**row: Any) -> None:
        rows.append(row)
        print(json.dumps({name: round(v, 3) if isinstance(v, float) else v for name, v in row.items()}), flush=True)

    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        for name in given.graph or ("world", "metaqa"):
            graph, questions = GRAPHS[name](given.data, work)
            chosen = ground(graph, sample_each(questions, given.limit, seed=given.seed))
            learned = Learned(graph, work / f"{name}.patterns", given.written, given.seed)
            view = Subgraph(graph)
            answers = [learned.answer(question, view) for question in chosen.questions]
            sure, right = ([pair[side] for pair in answers] for side in (0, 1))
            tell(graph=name, asked="questions", **figures(learned, sure, right))
            without = absent(learned, graph, chosen, given.seed)
            tell(graph=name, asked="relation absent", **refused(learned, without))
            both = figures(learned, [*sure, *without], [*right, *[0.0] * len(without)])
            tell(
                graph=name,
                asked="both",
                **{key: both[key] for key in ("n", "hits_at_1", "aurc", "coverage_at_5", "ece")},
            )
            if name in FOREIGN:
                tell(
                    graph=name, asked="words of no relation", **refused(learned, foreign(learned, graph, FOREIGN[name]))
                )
            if name in NEVER_KNOWN:
                other, unknown = never_known(name, graph, chosen, work, given.written, given.seed)
                tell(graph=name, asked=f"{NEVER_KNOWN[name]} never known", **refused(other, unknown))
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
