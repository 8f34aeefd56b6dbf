from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run

from graphbrick.testing import ScriptedLLM
from graphbrick.testing.llm_server import Request

LINES = [
    {"question": "Q1?", "evidence": ["yes"], "answer": "yes", "system": "a"},
    {"question": "Q2?", "evidence": ["yes"], "answer": "no", "system": "a"},
    {"question": "Q1?", "evidence": ["yes"], "answer": "no", "system": "b"},
    {"question": "Q2?", "evidence": ["yes"], "answer": "", "system": "b"},
]


def script(request: Request) -> str:
    data = json.loads(request.body["messages"][-1]["content"])
    if "text" in data:
        return json.dumps({"statements": [data["text"]]})
    if "answer_1" in data:
        return json.dumps({"better": "1" if data["answer_1"] == "yes" else "2"})
    said = [{"number": int(i), "verdict": text} for i, text in data["statements"].items()]
    return json.dumps({"verdicts": said})


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(map(json.dumps, LINES)))
    return file


def test_metrics_are_computed_and_resumed(cases: Path, run: Run) -> None:
    with ScriptedLLM(script) as server:
        arguments = (
            "judge",
            "metrics",
            cases,
            "--llm",
            f"LLM(base_url='{server.base_url}')",
            "--metric",
            "faithfulness",
        )
        planned = run(*arguments, "--dry-run")
        assert server.requests == []
        done = run(*arguments)
        asked = len(server.requests)
        again = run(*arguments, "--json")
        assert len(server.requests) == asked == 6
    assert planned.code == done.code == again.code == 0
    assert "faithfulness: about 6 calls" in planned.out
    assert "0.500" in done.out
    assert "no answer: 1" in done.out
    assert "6 calls" in done.out
    shown = json.loads(again.out)
    assert [(row["system"], row["mean"]["mean"]) for row in shown["metrics"]] == [("a", 0.5), ("b", 0.0)]
    assert shown["usage"]["calls"] == 0
    assert cases.with_name("cases.jsonl.metrics.jsonl").exists()


def test_two_systems_are_compared(cases: Path, run: Run) -> None:
    with ScriptedLLM(script) as server:
        done = run("judge", "pairs", cases, "a", "2", "--llm", f"LLM(base_url='{server.base_url}')")
    assert done.code == 0
    assert "a wins" in done.out
    assert "b wins" in done.out
    assert "0 ties, 0 won in one order only, 0 unreadable; wins against losses: p = 0.5 (McNemar)" in done.out


def test_faults_are_said(cases: Path, run: Run) -> None:
    def metrics(*arguments: object) -> str:
        return run("judge", "metrics", *arguments, "--llm", "m").err

    assert "there is no metric 'faith'; there are faithfulness" in metrics(cases, "--metric", "faith")
    assert "--embedder takes an embedder" in metrics(cases, "--embedder", "BM25()")
    assert "there is no system 'c'" in run("judge", "pairs", cases, "a", "c", "--llm", "m").err
    assert "no such file" in metrics(cases.with_name("none.sqlite"))


def test_a_model_that_says_nothing_readable_is_an_error(cases: Path, run: Run) -> None:
    with ScriptedLLM(["I would rather not."]) as server:
        model = ("--llm", f"LLM(base_url='{server.base_url}')")
        for command in (
            ("metrics", cases, "--metric", "faithfulness"),
            ("pairs", cases, "a", "b"),
            ("score", cases, "?"),
        ):
            done = run("judge", *command, *model)
            assert done.code == 1
            assert "unreadable, such as: the reply has no" in done.out
            assert "no reply of the model could be read" in done.err


def test_a_place_where_nothing_can_be_kept_is_an_error_before_anything_is_asked(cases: Path, run: Run) -> None:
    with ScriptedLLM(script) as server:
        for out in (cases.parent, cases.parent / "none" / "kept.jsonl"):
            done = run("judge", "score", cases, "?", "--llm", f"LLM(base_url='{server.base_url}')", "--out", out)
            assert (done.code, "verdicts cannot be kept" in done.err) == (1, True)
    assert server.requests == []


def test_answers_are_scored_by_criteria(cases: Path, run: Run) -> None:
    with ScriptedLLM(['{"reason": "so", "score": 7}']) as server:
        arguments = ("judge", "score", cases, "Is it short?", "--llm", f"LLM(base_url='{server.base_url}')")
        done = run(*arguments, "--scale", "0-10", "--step", "Count.")
        assert "1. Count." in server.requests[0].prompt
        assert "--scale is two whole numbers such as 1-5, got 'five'" in run(*arguments, "--scale", "five").err
    assert done.code == 0
    assert "mean, 0 to 10" in done.out
    assert "7.000" in done.out
    assert "stated score: 2" in done.out
