"""Where an answer is lost, for one question that can be lost everywhere."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from graphbrick import Answer, GraphbrickError, Query, parse
from graphbrick.pipeline import GenerateStage, PruneStage, RerankStage
from graphbrick.questions.grounding import ground
from graphbrick.questions.question import Question
from graphbrick.study.runs.lost import PLACES, lost_at
from graphbrick.study.runs.prefixes import SharedStages
from graphbrick.study.runs.scoring import levels_of, score
from graphbrick.testing import tiny_graph


def grounded(seeds=("Nairobi",), answers=("Kenyan shilling",)):
    question = Question("1", "Which currency is used around Nairobi?", seeds, answers)
    return ground(tiny_graph(), [question]).questions[0]


def place(text, question=None, query=None):
    """Where a pipeline, as text or as such, loses a question."""
    question = question or grounded()
    pipeline = parse(text) if isinstance(text, str) else text
    (course,) = SharedStages([pipeline]).run(tiny_graph(), query or question.query())
    scores = score(question, course, levels_of(pipeline))
    found = lost_at(question, course, right=scores["hits_at_1"] == 1)
    assert found is None or found in PLACES
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ShortestPaths() >> Rerank(BM25()) >> PathAnswer()", "none"),
        ("PPR(k=2) >> ShortestPaths() >> PathAnswer()", "extraction"),
        ("ShortestPaths(max_hops=1) >> PathAnswer()", "retrieval"),
        ("PPR(k=8) >> ShortestPaths(max_hops=1) >> PathAnswer()", "retrieval"),
        ("ShortestPaths() >> RandomSample(n=1, seed=1) >> PathAnswer()", "ranking"),
        ("ShortestPaths(max_hops=2) >> PathAnswer()", "generation"),
        ("(ShortestPaths(max_hops=1) | ShortestPaths()) >> RandomSample(n=1, seed=1) >> PathAnswer()", "ranking"),
        ("PPR(k=2)", "extraction"),
        ("PPR(k=8)", "none"),
        ("PPR(k=8) >> ShortestPaths()", "none"),
        ("ShortestPaths(max_hops=1)", "retrieval"),
    ],
)
def test_the_first_stage_behind_which_nothing_gold_is_left(text, expected):
    assert place(text) == expected


def test_an_answer_that_the_graph_does_not_have():
    assert place("ShortestPaths() >> PathAnswer()", grounded(answers=("Euro",))) == "absent"
    some = grounded(answers=("Euro", "Kenyan shilling"))
    assert place("ShortestPaths() >> Rerank(BM25()) >> PathAnswer()", some) == "none"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Patterns(BM25(), n=100, each=100)", "none"),
        ("Patterns(BM25(), n=100, each=100) >> PathAnswer()", "generation"),
        ("Patterns(BM25(), n=100, max_hops=1) >> PathAnswer()", "retrieval"),
    ],
)
def test_an_answer_that_is_the_seed_can_be_found(text, expected):
    # Kenya -> borders -> Uganda -> borders -> Kenya
    assert place(text, grounded(seeds=("Kenya",), answers=("Kenya",))) == expected


def test_without_gold_nothing_is_lost():
    assert place("ShortestPaths() >> PathAnswer()", grounded(answers=())) is None


WRONG = Query("Which currency is used around Nairobi?", (tiny_graph().entity("Kigali"),))


@pytest.mark.parametrize("text", ["PPR(k=3) >> ShortestPaths()", "PPR(k=3)", "ShortestPaths(max_hops=1)"])
def test_wrong_seeds_are_to_blame_for_what_they_do_not_lead_to(text):
    assert place(text, query=WRONG) == "linking"


def test_wrong_seeds_are_not_to_blame_where_the_answer_was_found_all_the_same():
    far = Query(WRONG.text, (tiny_graph().entity("Kampala"),))
    assert place("ShortestPaths(max_hops=4) >> RandomSample(n=1, seed=3)", query=far) in ("ranking", "none")
    assert place("ShortestPaths(max_hops=4)", query=far) == "none"


def test_without_given_seeds_any_seed_will_do():
    question = grounded(seeds=())
    assert place("ShortestPaths(max_hops=1)", question, Query("x", WRONG.seeds)) == "retrieval"
    assert place("ShortestPaths()", question, Query("Which qqqq is zzzz?")) == "linking"


def test_a_question_that_could_not_start():
    question = grounded(seeds=("Atlantis",))
    assert lost_at(question, None, right=False) == "linking"
    assert lost_at(grounded(seeds=("Atlantis",), answers=("Euro",)), None, right=False) == "absent"


@dataclass(frozen=True, repr=False)
class FailingPrune(PruneStage):
    """Fails."""

    def prune(self, query, subgraph):
        raise GraphbrickError("no luck")


@dataclass(frozen=True, repr=False)
class FailingRerank(RerankStage):
    """Fails."""

    def rerank(self, query, evidence):
        raise GraphbrickError("no luck")


@dataclass(frozen=True, repr=False)
class FailingAnswer(GenerateStage):
    """Fails."""

    def generate(self, query, evidence):
        raise GraphbrickError("no luck")


@dataclass(frozen=True, repr=False)
class Knowing(GenerateStage):
    """Answers from what it has learned, not from the paths."""

    def generate(self, query, evidence):
        return Answer(("the Kenyan Shilling",), (None,))


def test_a_failure_is_where_it_happened_unless_the_answer_was_lost_before():
    paths, near = parse("PPR(k=8) >> ShortestPaths()"), parse("PPR(k=2) >> ShortestPaths()")
    assert place(parse("PPR(k=8)") >> FailingPrune()) == "extraction"
    assert place(paths >> FailingRerank()) == "ranking"
    assert place(paths >> FailingAnswer()) == "generation"
    assert place(near >> FailingRerank()) == "extraction"


def test_what_is_answered_is_not_lost_wherever_it_came_from():
    assert place(parse("PPR(k=2) >> ShortestPaths()") >> Knowing()) == "none"
    assert place(parse("PPR(k=2) >> ShortestPaths()") >> Knowing(), query=WRONG) == "none"
