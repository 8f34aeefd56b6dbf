"""Figures of winners and of their changes, from made-up answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from graphbrick.questions.question import Question
from graphbrick.study.tune.aims import Aim
from graphbrick.study.tune.finals import explain, measure
from graphbrick.study.tune.measuring import key_of
from graphbrick.study.tune.race import Candidate, Race, Scored, Why
from graphbrick.study.tune.space.space import Space

QUESTIONS = [Question(str(i), "?", ("a",), ("b",)) for i in range(60)]


class MadeUp:
    """Answers every question in a tenth of a second, a second if a language model is asked; some pipelines hang."""

    def __init__(self, *hanging: str) -> None:
        self._hanging = hanging
        self.asked: list[tuple[str, list[str], int]] = []

    def affordable(self, candidates: Collection[Candidate], share: float) -> int:
        return len(QUESTIONS)

    def goes_on(self, share: float) -> bool:
        return True

    def ask(self, candidates: Sequence[Candidate], questions: Sequence[Question], what: str, share: float) -> None:
        self.asked.append((what, [one.text for one in candidates], len(questions)))
        for one in candidates:
            if one.text in self._hanging:
                one.give_up(Why.SLOW, "hangs")
            else:
                seconds = 1.0 if one.asks_model else 0.1
                one.scores |= {key_of(question): Scored(1.0, seconds, 0, 0) for question in questions}


def race(*texts: str) -> Race:
    first = {("", "x"): Scored(1.0, 0.1, 0, 0)}
    return Race([Aim.parse("quality")], [1], 1.0, [Candidate(text, text, text, {}, dict(first)) for text in texts])


def test_one_pipeline_that_hangs_leaves_the_figures_of_the_others() -> None:
    there = race("AllPaths()", "ShortestPaths()", "Cypher()")
    found = measure(MadeUp("Cypher()"), there, there.candidates, QUESTIONS, seed=0)  # type: ignore[arg-type]
    assert {one.text: len(one.scores) for one in found} == {"AllPaths()": 60, "ShortestPaths()": 60}


def test_changes_are_timed_together_with_the_winner_but_for_those_that_ask_a_language_model() -> None:
    space = Space(
        {
            "retrieve": ("LogicalForms($llm, BM25())", "AllPaths()", "ShortestPaths()"),
            "rerank": ("", "Rerank(BM25())"),
            "generate": ("PathAnswer()",),
        },
        {"llm": ("LLM('a')",)},
    )
    there = race("ShortestPaths() >> PathAnswer()")
    asking, timing = MadeUp(), MadeUp()
    winners = measure(asking, there, there.candidates, QUESTIONS, seed=0)  # type: ignore[arg-type]
    changes = explain(asking, timing, there, space, winners, QUESTIONS)  # type: ignore[arg-type]
    ((_, texts, n),) = timing.asked
    assert n == 48
    assert texts[0] == winners[0].text
    assert texts[1:] == [change.changed.text for change in changes][:-1]
    assert changes[-1].what.startswith("LogicalForms(LLM(model='a')")
    assert changes[-1].times == []
    assert all(len(change.times) == 48 for change in changes[:-1])
