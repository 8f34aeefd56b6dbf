"""Questions that a scripted model rewords, each checked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from commands import Run

from graphbrick import LLM, build
from graphbrick.core.errors import ModelError
from graphbrick.judge.gold_queries.generator import QueryQuestion
from graphbrick.judge.gold_queries.paraphrase import Paraphrases, paraphrased
from graphbrick.pipeline.budget import Budget, spending
from graphbrick.questions.loading import load
from graphbrick.testing import Reply, ScriptedLLM


def question(number: int, text: str, *names: str, answers: Sequence[str] = ("Nairobi",)) -> QueryQuestion:
    return QueryQuestion(str(number), text, "RETURN 1", "Cypher", tuple(answers), names, "basic")


CAPITAL = question(1, "Which city does the country «Kenya» have as capital?", "Kenya")


def reworded(
    questions: Sequence[QueryQuestion], replies: Sequence[str | Reply], **parameters: int
) -> tuple[list[QueryQuestion], Paraphrases]:
    with ScriptedLLM(list(replies)) as server:
        llm = LLM("model", base_url=server.base_url, **parameters)  # type: ignore[arg-type]
        return paraphrased(questions, llm)


@pytest.mark.parametrize(
    "reply",
    [
        "What is the capital of Kenya?",
        '<think>Kenya, Nairobi</think>\nRewritten: "What is the capital of Kenya?"\n\nI kept the name.',
    ],
)
def test_a_question_in_other_words_keeps_its_first_words(reply: str) -> None:
    (made,), result = reworded([CAPITAL], [reply])
    assert (made.question, made.original) == ("What is the capital of Kenya?", CAPITAL.question)
    assert (made.query, made.answers, made.record()["original"]) == (CAPITAL.query, CAPITAL.answers, CAPITAL.question)
    assert (result.changed, result.calls, result.refused) == (1, 1, Counter())


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "has no question"),
        ("which city does the country Kenya have as capital", "is the same question"),
        ("What is the capital of kenia?", "lacks a name of the question"),
        ("Is Nairobi the capital of Kenya?", "tells an answer"),
        ("Kenya? " * 60, "is much longer than the question"),
    ],
)
def test_other_replies_are_counted_and_not_taken(reply: str, reason: str) -> None:
    made, result = reworded([CAPITAL], [reply])
    assert made == [CAPITAL]
    assert "original" not in made[0].record()
    assert result.refused == Counter([reason])
    assert f"1 not taken: the reply {reason}" in str(result)


def test_numbers_stay_and_questions_stay_apart() -> None:
    above = question(2, "Which city of «E 4» has a value of people above 1990.5?", "E 4")
    made, result = reworded(
        [above, above, CAPITAL, question(4, "Which city is first in «Kenya»?", "Kenya")],
        ["Which cities of E 4 have more than 1990 people?", "Which cities of E 4 have over 1990.5 people?",
         "What is the capital of Kenya?", "What is the capital of Kenya?"],
        parallel=1,
    )  # fmt: skip
    assert [bool(one.original) for one in made] == [False, True, True, False]
    assert result.refused == Counter(["lacks a number of the question", "is the question of another"])


def test_what_is_done_stays_when_the_model_fails_or_the_budget_is_used_up() -> None:
    several = [question(i, f"Which city does «Kenya {i}» have?", f"Kenya {i}") for i in range(3)]
    made, result = reworded(several, ["What city is in Kenya 0?", Reply("no", status=400)], parallel=1)
    assert [bool(one.original) for one in made] == [True, False, False]
    assert "asked no further" in str(result)
    with spending(Budget(tokens=1)):
        made, result = reworded(several, ["What city is in Kenya 0?"])
    assert (made, result.changed) == (several, 0)
    assert "asked no further" in str(result)
    with pytest.raises(ModelError):
        reworded(several, [Reply("no", status=400)])


@pytest.mark.whole
def test_the_command_writes_both_wordings(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ladybug")
    graph = build([("Kenya", "capital", "Nairobi"), ("Uganda", "capital", "Kampala")], tmp_path / "a.graph")
    with ScriptedLLM(lambda request: "Tell me: " + request.prompt.rpartition("Question: ")[2].split("\n")[0]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        shown = run("questions", graph.path, tmp_path / "q.jsonl", "--n", 4, "--llm", "model")
    assert shown.code == 0, shown.err
    assert "model reworded 4 questions in 4 calls" in " ".join((shown.out + shown.err).split())
    records = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(one["question"] == f"Tell me: {one['original']}" for one in records)
    assert [one.facts["original"] for one in load(tmp_path / "q.jsonl")] == [one["original"] for one in records]
