"""Near readings of questions that a learned graph does not answer, and how each of them is asked for."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest
from commands import Run

from graphbrick import Graph
from graphbrick.core.answer import NearReading
from graphbrick.core.errors import LinkError
from graphbrick.learn.learned import learned_pipeline
from graphbrick.learn.learning import LearnReport

JARGON = re.compile(
    r"\bseeds?\b|min_confidence|label is near|\bcues?\b|\bpatterns?\b|read as|\bevidence\b", re.IGNORECASE
)
"""Words that nobody who asks a question has to know."""
ODD = (
    "How many hospitals does Team 2 own?", "Who works in Finace?", "Which services does Teem 2 run?", "xyzzy plugh",
    "Who shouts at Ada Marsh?", "What does Ada Marsh lead?", "Which team is the juiciest?", "How tall is Ada Marsh?",
    "Is Ada Marsh friendly?", "Is Ada Marsh taller than Ben Okoro?", "Who does not like Team 1?", "Where is Marsh?",
    "Which services of Team 1 but not Team 2 are blue?", "What is nearest to Finance?", "Ada", "Team",
    "Who earns the most?", "Which team has between 3 and 5 lamps?", "When did Ada Marsh marry?", "the median of Team 1",
    "Tell me about Atlantis",
)  # fmt: skip


def readings(graph: Graph, question: str) -> tuple[NearReading, ...]:
    """Return the readings of a question that the learned pipeline does not answer."""
    pipeline = learned_pipeline(graph)
    assert pipeline is not None
    try:
        answer = pipeline(graph, question)
    except LinkError as error:
        return error.readings
    assert answer.texts == ()
    return answer.readings


@pytest.mark.parametrize(
    ("question", "text", "send", "answers"),
    [
        ("Who fears Ada Marsh?", "person who reports to Ada Marsh", "Ada Marsh <- reports to <- *", 1),
        ("Who commands Finance?", "person who leads Finance", "Finance <- leads <- *", 1),
        ("Who adores Teem 2?", "people who work in Team 2", "Team 2 <- works in <- *", 2),
        ("Who works in Team?", "Who works in Team 0?", "Who works in Team 0?", 3),
    ],
)
def test_a_question_that_is_not_answered_has_near_readings(
    learned: tuple[Graph, LearnReport], question: str, text: str, send: str, answers: int
) -> None:
    offered = readings(learned[0], question)
    assert len(offered) <= 3
    assert (text, send, answers) in [(one.text, one.question, one.answers) for one in offered]
    likely = [one.confidence or 0 for one in offered if one.question.endswith("*")]
    assert likely == sorted(likely, reverse=True)


@pytest.mark.whole
@pytest.mark.parametrize("question", ODD)
def test_each_reading_has_the_answers_that_it_says(learned: tuple[Graph, LearnReport], question: str) -> None:
    graph, _ = learned
    pipeline = learned_pipeline(graph)
    assert pipeline is not None
    try:
        offered = readings(graph, question)
    except AssertionError:
        return  # it is answered
    assert len({one.question for one in offered}) == len(offered)
    for one in offered:
        answer = pipeline(graph, one.question, seeds=one.seeds)
        assert len(answer.texts) == one.answers > 0
        if "*" in one.question:
            assert pipeline(graph, one.question).texts == answer.texts  # its start need not be sent


@pytest.mark.whole
@pytest.mark.parametrize("question", ODD)
def test_nobody_reads_jargon(learned: tuple[Graph, LearnReport], run: Run, question: str) -> None:
    said = run("ask", learned[0].place, question)
    words = f"{said.out}{said.err}"
    assert JARGON.search(words) is None, words


def test_people_who_want_to_know_read_all_events(learned: tuple[Graph, LearnReport], run: Run) -> None:
    question = "Is Ada Marsh friendly?"
    assert "the evidence is empty" not in run("ask", learned[0].place, question).out
    assert "note: no answer: the evidence is empty" in run("ask", learned[0].place, question, "--explain").out


def test_a_reading_is_taken_by_its_number(learned: tuple[Graph, LearnReport], run: Run) -> None:
    place = learned[0].place
    said = run("ask", place, "Who commands Finance?")
    assert said.code == 2
    assert "Did you mean:\n  1  person who leads Finance\n" in said.out
    assert run("ask", place, "Who commands Finance?", "--reading", "1").out.startswith("Fiona Reed\n")
    told = json.loads(run("ask", place, "Who commands Finance?", "--json").out)
    assert told["refusal"]["code"] == "withhold.low_confidence"
    assert told["readings"][0]["question"] == "Finance <- leads <- *"
    assert set(told["readings"][0]) == {"text", "question", "seeds", "answers", "confidence", "about", "texts"}
    missing = run("ask", place, "Who commands Finance?", "--reading", "9")
    assert missing.code == 1
    assert "there is no reading 9" in missing.err
    assert "this question has none" in run("ask", place, "Who leads Finance?", "--reading", "1").err


@pytest.mark.parametrize(("typed", "code"), [("1", 0), ("", 2), ("9", 2), ("no", 2)])
def test_a_terminal_asks_which_one_is_meant(
    learned: tuple[Graph, LearnReport], run: Run, monkeypatch: pytest.MonkeyPatch, typed: str, code: int
) -> None:
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr("graphbrick.cli.ask.sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    prompts: list[str] = []
    monkeypatch.setattr("builtins.input", lambda prompt: prompts.append(prompt) or typed)
    said = run("ask", learned[0].place, "Who commands Finance?")
    assert said.code == code
    assert ("Fiona Reed" in said.out) == (code == 0)
    assert len(prompts) == 1
    assert prompts[0].endswith("or Enter for none: ")
    assert run("ask", learned[0].place, "Who commands Finance?", "--json").code == 2
    assert len(prompts) == 1  # a program is not asked


def test_a_question_that_names_nothing_offers_names(learned: tuple[Graph, LearnReport], run: Run) -> None:
    said = run("ask", learned[0].place, "Where does Fiona Rod work?", "--min-confidence", "0")
    assert "Fiona Reed" in said.out
    told = run("ask", learned[0].place, "Who works in Team?", "--min-confidence", "0")
    assert told.code == 2
    assert "which one is meant?" in told.out
    assert "  1  Who works in Team 0? (3)" in told.out


def test_a_word_that_is_not_known_is_named(learned: tuple[Graph, LearnReport], run: Run) -> None:
    said = run("ask", learned[0].place, "Is Ada Marsh friendly?")
    assert said.out.startswith("no answer found\nI do not know the word 'friendly' in this graph\n")
    said = run("ask", learned[0].place, "xyzzy plugh")
    assert said.err.startswith("error: I do not know the words 'xyzzy' and 'plugh' in this graph")
