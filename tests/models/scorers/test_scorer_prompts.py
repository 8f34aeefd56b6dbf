"""Prompts of the scorers by a language model: examples, files of one's own, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import fails
from llm_scoring import KINDS, TEXTS, llm, rate

from graphbrick import parse
from graphbrick.core.errors import InputError
from graphbrick.models.scorers.llm_listwise import LLMListwiseScorer
from graphbrick.models.scorers.llm_pointwise import LLMPointwiseScorer
from graphbrick.models.scorers.llm_rating import LLMRatingScorer
from graphbrick.models.scorers.prompts import NAMES, scorer_prompt
from graphbrick.pipeline.identity import identity_of
from graphbrick.testing import ScriptedLLM

OWN = """[system]
You know money. {task}

[user]
Candidates:
1. borders
2. currency
3. capital

Question: What is paid with in Kenya?

[assistant]
2, 3
"""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def told(kind: str, prompt: str, **parameters: object) -> list[tuple[str, str]]:
    """The messages of the first call."""
    with ScriptedLLM(["1"]) as server:
        rate(KINDS[kind](llm(server, **parameters), prompt=prompt), TEXTS)  # type: ignore[call-arg]
        return [(message["role"], message["content"]) for message in server.requests[0].body["messages"]]


@pytest.mark.parametrize("kind", KINDS)
def test_examples_stand_between_the_task_and_the_question(kind: str) -> None:
    zero, one, few = (told(kind, name) for name in NAMES)
    assert [role for role, _ in zero] == ["system", "user"]
    turns = {"yes_no": (2, 5)}.get(kind, (1, 3))  # two candidates of an example, but for NONE the one that is no use
    for found, pairs in zip((one, few), turns, strict=True):
        assert [role for role, _ in found] == ["system", *["user", "assistant"] * pairs, "user"]
        assert (found[0], found[-1]) == (zero[0], zero[-1])


@pytest.mark.parametrize(
    ("kind", "structured", "reply"),
    [
        ("list", True, '{"numbers": [2, 3]}'),
        ("list", False, "2, 3"),
        ("scores", True, '{"1": 0, "2": 100, "3": 90}'),
        ("scores", False, "1: 0\n2: 100\n3: 90"),
    ],
)
def test_an_example_has_the_form_of_the_prompt_and_of_the_reply(
    kind: str, structured: bool, reply: str, tmp_path: Path
) -> None:
    file = tmp_path / "own.txt"
    file.write_text(OWN, encoding="utf-8")
    task, question, answer, asked = told(kind, str(file), structured=structured)
    assert task[1] == "You know money. " + told(kind, "zero", structured=structured)[0][1]
    assert answer == ("assistant", reply)
    ending = asked[1].splitlines()[-1]
    assert question[1] == (
        "Question: What is paid with in Kenya?\n\nCandidates:\n1. borders\n2. currency\n3. capital\n\n"
        f"Question: What is paid with in Kenya?\n{ending}"
    )


def test_one_candidate_a_call_has_an_example_of_yes_and_one_of_no(tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text(OWN, encoding="utf-8")
    pairs = told("yes_no", str(file))[1:-1]
    assert pairs == [
        ("user", "Question: What is paid with in Kenya?\nCandidate: borders\nYES or NO:"),
        ("assistant", "NO"),
        ("user", "Question: What is paid with in Kenya?\nCandidate: currency\nYES or NO:"),
        ("assistant", "YES"),
    ]


def test_a_file_without_a_task_has_that_of_the_scorer(tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text(OWN.partition("\n\n")[2], encoding="utf-8")
    assert told("list", str(file))[0] == told("list", "zero")[0]
    file.write_text("[system]\nChoose. {form}", encoding="utf-8")
    (task, _) = told("list", str(file))
    assert task[1].startswith("Choose. Reply with JSON that holds their numbers")


def test_examples_take_room_in_the_context() -> None:
    texts = [f"{'word ' * 40}{i}" for i in range(60)]
    calls = []
    for prompt in ("zero", "few"):
        with ScriptedLLM(['{"numbers": []}']) as server:
            model = llm(server, context=1400, max_tokens=100)
            rate(LLMListwiseScorer(model, prompt=prompt), texts)
            assert all(model.context_budget(request.body["messages"]) >= 0 for request in server.requests)
            calls.append(len(server.requests))
    assert calls[0] < calls[1]


def test_what_a_file_says_is_part_of_the_identity(tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    scorer = parse(f"ShortestPaths() >> Rerank(LLMListwiseScorer(LLM(), prompt={str(file)!r}))")
    file.write_text(OWN, encoding="utf-8")
    before = identity_of(scorer)
    file.write_text(OWN.replace("money", "coins"), encoding="utf-8")
    assert identity_of(scorer) != before


@pytest.mark.parametrize("scorer", [LLMListwiseScorer, LLMRatingScorer, LLMPointwiseScorer])
def test_a_missing_file_is_an_error_that_names_it(scorer: type[LLMListwiseScorer], tmp_path: Path) -> None:
    with ScriptedLLM(["1"]) as server:
        with fails("prompts.no_prompt", InputError) as caught:
            rate(scorer(llm(server), prompt=str(tmp_path / "none.txt")), TEXTS)
        assert "none.txt" in str(caught.value)
        assert "zero, one, few" in str(caught.value)
        assert server.requests == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "scorer_prompts.wrong_turns"),
        ("[system]\n\n", "scorer_prompts.wrong_turns"),
        ("[user]\n1. a\nQuestion: b", "scorer_prompts.wrong_turns"),
        ("[assistant]\n1\n[user]\n1. a\nQuestion: b", "scorer_prompts.wrong_turns"),
        (OWN + "[system]\n{task}", "scorer_prompts.wrong_turns"),
        ("Choose.\n[user]\n1. a", "prompts.no_turn"),
        (OWN.replace("Question: ", "Query: "), "scorer_prompts.bad_example"),
        (OWN.replace("3. capital", "4. capital"), "scorer_prompts.bad_example"),
        (OWN.replace("2, 3", "2, 4"), "scorer_prompts.bad_reply"),
        (OWN.replace("2, 3", "2, 2"), "scorer_prompts.bad_reply"),
        (OWN.replace("2, 3", "0"), "scorer_prompts.bad_reply"),
        (OWN.replace("2, 3", "currency"), "scorer_prompts.bad_reply"),
        (OWN.replace("2, 3", ""), "scorer_prompts.bad_reply"),
    ],
)
def test_a_file_that_is_no_prompt_is_refused(text: str, code: str, tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text(text, encoding="utf-8")
    with fails(code, InputError) as caught:
        scorer_prompt(str(file))
    assert str(file) in str(caught.value)
