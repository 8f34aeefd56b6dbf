"""An exception inside a brick is the error of one question: the evaluation goes on, and the error names the brick."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from graphbrick import Answer, Apply, Evidence, Expand, PathAnswer, Query, Repeat, ShortestPaths
from graphbrick.core.errors import BrickError
from graphbrick.pipeline import Pipeline, Run
from graphbrick.pipeline.conditions import Condition
from graphbrick.questions.question import Question
from graphbrick.serve.errors import error_reply
from graphbrick.serve.limits.runner import failure_of
from graphbrick.study.report.summary import summarize_study
from graphbrick.study.runs.experiment import evaluate
from graphbrick.testing import tiny_graph

GRAPH = tiny_graph()
GOLD = ("Nairobi", "Kampala", "Kenya", "Uganda", "Kenyan shilling", "Ugandan shilling", "Rwanda")
QUESTIONS = [
    Question(name, f"What is the capital of {name}?", (name,), GOLD, dataset="d") for name in ("Kenya", "Uganda")
]
PATHS, BAD = ShortestPaths(max_hops=1), "Uganda"


def raising(error: Callable[[], BaseException]) -> Apply:
    """Return a stage that fails on one of the questions."""

    def fragile(query: Query, evidence: Evidence) -> Evidence:
        if BAD in query.text:
            raise error()
        return evidence

    return Apply(rerank=fragile, name="fragile")


@dataclass(frozen=True, repr=False)
class Fussy(Condition):
    """A condition that fails on one of the questions."""

    def holds(self, run: Run) -> bool:
        """Return True."""
        return {"Kenya": True}[run.query.text[:-1].rpartition(" ")[2]]


def numbers(query: Query, evidence: Evidence) -> Answer:
    """Return an answer that no measure can read, to one of the questions."""
    return Answer((1,) if BAD in query.text else ("Nairobi",), (None,), evidence=evidence)  # type: ignore[arg-type]


ZERO = raising(lambda: ZeroDivisionError("division\nby zero"))
FAILING: dict[str, tuple[Pipeline, str, str]] = {
    "a stage": (PATHS >> ZERO >> PathAnswer(), "ZeroDivisionError: division by zero", "Apply(rerank='fragile')"),
    "a branch": ((PATHS | PATHS >> ZERO) >> PathAnswer(), "ZeroDivisionError", "Apply(rerank='fragile')"),
    "a condition": (Repeat(Expand() >> PATHS, until=Fussy()) >> PathAnswer(), "KeyError: 'Uganda'", "Fussy()"),
    "no memory": (PATHS >> raising(MemoryError) >> PathAnswer(), "MemoryError", "Apply(rerank='fragile')"),
    "an exit": (PATHS >> raising(lambda: SystemExit(7)) >> PathAnswer(), "SystemExit: 7", "Apply(rerank='fragile')"),
    "a result": (PATHS >> Apply(generate=numbers, name="numbers"), "Error", "Apply(generate='numbers')"),
}


@pytest.mark.parametrize("case", FAILING)
def test_an_exception_is_the_error_of_its_question_alone(case: str, tmp_path: Path) -> None:
    pipeline, reason, brick = FAILING[case]
    out = tmp_path / "runs.sqlite"
    with evaluate(GRAPH, QUESTIONS, {"bad": pipeline, "good": PATHS >> PathAnswer()}, out=out) as study:
        bad, good = study.runs()
        (right, failed), others = study.results(bad.id), study.results(good.id)
        assert [result.error for result in (right, *others)] == [None] * 3
        assert failed.error is not None
        assert reason in failed.error
        assert brick in failed.error
        assert Path(__file__).name in failed.error or case == "a result"
        assert (failed.metrics["hits_at_1"], right.metrics["hits_at_1"]) == (0, 1)
        assert any("failed on 1 question" in note for note in summarize_study(study).notes[bad.id])
    with evaluate(GRAPH, QUESTIONS, {"bad": pipeline}, out=out) as study:
        assert [result.session for result in study.results(1)] == [1, 1]  # not asked again


def test_a_question_that_fails_names_the_brick_and_keeps_the_exception() -> None:
    with pytest.raises(BrickError) as raised:
        (PATHS >> ZERO >> PathAnswer())(GRAPH, QUESTIONS[1].text)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    assert raised.value.values["question"] == QUESTIONS[1].text
    assert "\n" not in str(raised.value)
    reply = error_reply(failure_of(raised.value))
    message = reply.body["error"]["message"]
    assert reply.status == 500
    assert "Apply(rerank='fragile')" in message
    assert "by zero" not in message  # the words may hold anything, so they are for the log
