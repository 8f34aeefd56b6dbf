"""Questions with answers beside written ones."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick import Graph
from graphbrick.learn.fitting.labelled import plausible, repeats
from graphbrick.learn.learned import learned_place
from graphbrick.learn.learning import LearnReport
from graphbrick.learn.train.patterns.patterns import examples
from graphbrick.patterns.model.folder import load
from graphbrick.questions.grounding import ground
from graphbrick.questions.question import Question


def test_of_patterns_with_the_right_answer_the_one_that_is_described_counts_most(
    learned: tuple[Graph, LearnReport],
) -> None:
    graph = learned[0]
    model = load(str(learned_place(graph)))
    assert model.alignment is not None
    # Her boss leads her department too.
    question = Question("1", "who does Carla Diaz report to?", ("Carla Diaz",), ("Ben Okoro",))
    found = examples(graph, ground(graph, [question]), max_hops=3, seed=0)
    steps = found.steps(graph)
    (before,), (after,) = found.all, plausible(graph, found, found.all, model.alignment)
    right = np.flatnonzero(before.f1 >= before.f1.max())
    assert len(right) > 1
    best = int(after.f1.argmax())
    assert steps[after.pattern[best]] == (("reports to", True),)
    assert after.f1[best] == before.f1[best]
    others = [place for place in right.tolist() if place != best]
    assert (after.f1[others] < before.f1[others]).all()
    assert (after.f1[others] > 0).all()
    assert (after.promise >= after.f1).all()
    assert (after.promise <= before.promise + 1e-6).all()


@pytest.mark.parametrize(("written", "given", "times"), [(4000, 0, 1), (4000, 20, 8), (4000, 250, 4), (4000, 9000, 1)])
def test_few_questions_are_repeated(written: int, given: int, times: int) -> None:
    assert repeats(written, given) == times


def test_no_pattern_is_learned_by_heart_from_written_questions(learned: tuple[Graph, LearnReport]) -> None:
    model = load(str(learned_place(learned[0])))
    assert not model.pattern_weights.any()
    assert any(len(steps) > 1 for steps in model.rivals)
