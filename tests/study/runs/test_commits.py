"""When results are committed."""

from __future__ import annotations

import time
from dataclasses import dataclass

from graphbrick import parse
from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths
from graphbrick.pipeline import RetrieveStage
from graphbrick.questions.question import Question
from graphbrick.study.runs.experiment import evaluate
from graphbrick.study.store.reader import Study
from graphbrick.testing import TINY, tiny_graph


def test_slow_answers_are_committed_at_once(tmp_path):
    """The next answer may take an hour: a kill meanwhile must not lose those before it."""
    place, seen = tmp_path / "runs.sqlite", []

    @dataclass(frozen=True)
    class Slow(RetrieveStage):
        def retrieve(self, query, subgraph):
            with Study.open(place) as study:
                seen.append(sum(len(list(study.results(run.id))) for run in study.runs()))
            time.sleep(0.15)
            return ShortestPaths().retrieve(query, subgraph)

    asked = [
        Question(str(i), f"What is the {relation} of {head}?", (head,), (tail,))
        for i, (head, relation, tail) in enumerate(TINY[:4])
    ]
    evaluate(tiny_graph(), asked, {"slow": Slow() >> parse("PathAnswer()")}, out=place, workers=1).close()
    assert seen[0] == 0
    assert seen[-1] > 0
