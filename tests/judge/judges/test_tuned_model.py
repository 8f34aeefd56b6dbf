"""The judge by a tuned language model: its probabilities are calibrated, and its folder says what is missing."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from faults import fails

from graphbrick import LLM, LocalLLM
from graphbrick.core.errors import InputError
from graphbrick.judge.judges.folder import new_judge
from graphbrick.judge.judges.trained import open_judge
from graphbrick.judge.judges.tuned_model import KIND, MODEL, TunedModelJudge, log_odds, rubric_of
from graphbrick.judge.verdicts import Case, Label
from graphbrick.testing import Reply, ScriptedLLM

RELEVANCE = Label.CONTEXT_RELEVANCE
ABOUT = {"kind": KIND, "tokens": 500, "context": 2048, "labels": {"context_relevance": {"slope": 2.0, "shift": -1.0}}}


def word(text: str, yes: float) -> Reply:
    return Reply(text, tokens=[(text, {"yes": math.log(yes), "no": math.log(1 - yes)})])


def test_probabilities_are_calibrated_and_what_nobody_was_asked_is_not() -> None:
    cases = [Case("first?", ("text",)), Case("second?", ("text",)), Case("third?", ()), Case("fourth?", ("text",))]
    replies = {"first?": word("yes", 0.9), "second?": word("no", 0.3), "fourth?": Reply("Maybe so")}
    with ScriptedLLM(lambda request: next(replies[one] for one in replies if one in request.prompt)) as server:
        llm = LLM(base_url=server.base_url, context=2048)
        judge = TunedModelJudge(rubric_of(llm, 500), {RELEVANCE: (2.0, -1.0)}, "tuned 1")
        verdicts = judge.rate(RELEVANCE, cases)
    expected = [1 / (1 + math.exp(-(2 * math.log(p / (1 - p)) - 1))) for p in (0.9, 0.3)]
    assert [verdict.probability for verdict in verdicts[:2]] == pytest.approx(expected)
    assert verdicts[2].probability == 0.0
    assert verdicts[3].probability is None
    assert len(server.requests) == 3
    assert {request.body["max_tokens"] for request in server.requests} == {4}
    assert judge.labels == {RELEVANCE}
    with pytest.raises(ValueError, match="this judge learned context_relevance, not answer_relevance"):
        judge.rate(Label.ANSWER_RELEVANCE, cases)


def test_log_odds_are_finite() -> None:
    odds = log_odds(np.array([0.0, 0.5, 1.0]))
    assert odds[1] == 0
    assert odds[2] == pytest.approx(-odds[0])
    assert odds[2] > 10


def test_the_folder_asks_its_own_model(tmp_path: Path) -> None:
    with new_judge(tmp_path / "judge", ABOUT) as work:
        (work / MODEL).write_bytes(b"weights")
    judge = open_judge(tmp_path / "judge")
    assert isinstance(judge, TunedModelJudge)
    assert judge.labels == {RELEVANCE}
    rubric = judge.rubric
    assert rubric.llm == LocalLLM(str(tmp_path / "judge" / MODEL), context=2048, structured=False)
    assert (rubric.reasons, rubric.tokens) == (False, 500)
    with new_judge(tmp_path / "other", ABOUT) as work:
        (work / MODEL).write_bytes(b"other weights")
    assert judge.identity != open_judge(tmp_path / "other").identity


def test_a_folder_without_a_gguf_file_says_how_to_make_one(tmp_path: Path) -> None:
    with new_judge(tmp_path / "judge", ABOUT):
        pass
    with fails("tuned_judge.no_gguf", InputError, file=tmp_path / "judge"):
        open_judge(tmp_path / "judge")


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        ({"labels": None}, "judge_folder.bad_scales"),
        ({"tokens": "many"}, "tuned_judge.damaged"),
        ({"labels": {"colour": {}}}, "judge_folder.bad_scales"),
    ],
)
def test_a_damaged_description_is_said(tmp_path: Path, damage: dict[str, object], code: str) -> None:
    with new_judge(tmp_path / "judge", ABOUT | damage):
        pass
    with fails(code, InputError, file=tmp_path / "judge"):
        open_judge(tmp_path / "judge")
