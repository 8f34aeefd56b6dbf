from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from faults import fails

from graphbrick import LLM
from graphbrick.judge.metrics.cases import SystemCase
from graphbrick.judge.metrics.criteria import CriteriaJudge
from graphbrick.judge.metrics.scoring import ScoreStudy, score_cases
from graphbrick.judge.verdicts import Case
from graphbrick.pipeline.budget import Budget, StoppedError, spending
from graphbrick.testing import Reply, ScriptedLLM
from graphbrick.testing.llm_server import Request

CASES = [
    SystemCase("a", "1", Case("Q1?", answer="short")),
    SystemCase("a", "2", Case("Q2?", answer="odd")),
    SystemCase("b", "1", Case("Q1?", answer="short")),
    SystemCase("b", "2", Case("Q2?", answer="long")),
]


def script(request: Request) -> str | Reply:
    """Score a short answer 4.5 by log probabilities, a long one 2; an odd one cannot be read."""
    data = json.loads(request.body["messages"][-1]["content"])
    if "criteria" in data:
        return '{"steps": ["Count."]}'
    if data["answer"] == "odd":
        return "hm"
    half = {"4": math.log(0.5), "5": math.log(0.5)}
    tokens = [('{"score": ', {}), ("4", half)] if data["answer"] == "short" else []
    return Reply(json.dumps({"reason": "so", "score": 4 if tokens else 2}), tokens=tokens)


def scored(server: ScriptedLLM, file: Path, *, write_steps: bool = False, retry: bool = False) -> ScoreStudy:
    judge = CriteriaJudge(LLM(base_url=server.base_url, retries=0), "Is it short?")
    return score_cases(CASES, judge, file, write_steps=write_steps, retry=retry)


def test_scores_are_kept_with_how_they_came_about(tmp_path: Path) -> None:
    file = tmp_path / "scores.jsonl"
    with ScriptedLLM(script) as server:
        study = scored(server, file)
        assert len(server.requests) == study.usage.calls == 3  # equal answers once
        again = scored(server, file)
        assert len(server.requests) == 3
        assert again.scores == study.scores
        assert scored(server, file, retry=True).usage.calls == 1
    first, second = study.summaries()
    assert first.mean is not None
    assert (first.mean.mean, first.mean.n, first.unreadable) == (pytest.approx(4.5), 1, 1)  # type: ignore[comparison-overlap]
    assert first.by == {"log probabilities": 1}
    assert second.mean is not None
    assert second.mean.mean == pytest.approx(3.25)
    assert second.by == {"log probabilities": 1, "stated score": 1}
    shown = json.loads(json.dumps(study.to_dict()))
    assert shown["systems"][0]["unreadable"] == 1
    assert shown["cases"][3]["value"] == 2


def test_steps_are_written_once(tmp_path: Path) -> None:
    file = tmp_path / "scores.jsonl"
    with ScriptedLLM(script) as server:
        study = scored(server, file, write_steps=True)
        assert study.judge.steps == ("Count.",)
        assert study.usage.calls == len(server.requests) == 4
        assert "1. Count." in server.requests[1].prompt
        assert scored(server, file, write_steps=True).usage.calls == 0
        assert scored(server, file).usage.calls == 3  # without steps it is another judge


def test_a_budget_says_how_far_it_came(tmp_path: Path) -> None:
    stopped = fails("judge_pending.stopped", StoppedError, done=0, total=3)
    with ScriptedLLM(script) as server, spending(Budget(tokens=1)), stopped:
        scored(server, tmp_path / "scores.jsonl")
