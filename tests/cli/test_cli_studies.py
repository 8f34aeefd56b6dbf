"""Studies with a judge, and the same study twice, on the command line."""

from __future__ import annotations

import csv
import json
import re

import pytest
from cli_studies import BM25, NEAR

from graphbrick.study.store.reader import Study
from graphbrick.testing import ScriptedLLM


def judging(request):
    """Answers of a model, and verdicts on them."""
    return "YES" if "same as one of the correct ones" in request.prompt else "City of Nairobi"


@pytest.mark.whole
def test_a_judge_beside_and_afterwards(run, graph, questions, tmp_path, monkeypatch):
    out, later = tmp_path / "runs.sqlite", tmp_path / "later.sqlite"
    text, judge = "told: ShortestPaths(max_hops=1) >> Generate(LLM('m'))", "LLM(model='gpt-4o-mini', max_tokens=5)"
    with ScriptedLLM(judging) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        result = run("evaluate", graph, questions, "-p", text, "--out", out, "--judge", judge)
        assert (result.code, result.err) == (0, "")
        assert "Judge@1" in result.out
        assert f"told: {judge} judged 4 answers, 4 of them by asking; 4 calls, " in result.out
        (told,) = json.loads(run("evaluate", graph, questions, "-p", text, "--out", out, "--json").out)["runs"]
        assert (told["answers"]["judge_at_1"]["all"], told["judged"]["calls"], told["used"]["calls"]) == (1, 4, 1)
        assert "judge_at_1, % [95 % interval]" in run("compare", out, "--metric", "judge_at_1").out
        assert run("evaluate", graph, questions, "-p", text, "--out", later).code == 0
        assert (
            "no measure 'judge_at_1'" in run("report", later, "--csv", tmp_path / "a.csv", "--metric", "judge_at_1").err
        )
        result = run("judge", later, "--llm", "gpt-4o-mini")
        assert "judged 4 answers" in result.out
        told = json.loads(run("judge", later, "--llm", "gpt-4o-mini", "--json").out)
        assert (told["judge"], told["runs"][0]["judged"]["by_model"]) == ("LLM(model='gpt-4o-mini')", 4)
        assert run("judge", later, "--llm", "LLM('gpt-4o-mini', parallel=2, retries=0)").code == 0  # the same judge
        refused = run("judge", later, "--llm", "another")
        assert (refused.code, refused.err.count("\n")) == (1, 1)
        assert "and has one judge only" in refused.err
        assert "a judge is a language model" in run("judge", later, "--llm", "BM25()").err
        assert "there is no such file" in run("judge", tmp_path / "none.sqlite", "--llm", "m").err
        budgeted = tmp_path / "budget.sqlite"
        assert run("evaluate", graph, questions, "-p", text, "--out", budgeted).code == 0
        stopped = run("judge", budgeted, "--llm", "LLM('j', max_tokens=9, parallel=1)", "--budget", "tokens=300")
        assert stopped.code == 3
        assert "answers are not judged yet, and the same call goes on with them" in stopped.err
        page = tmp_path / "out.html"
        assert run("report", out, "--html", page).code == 0
        assert "City of Nairobi" in page.read_text()
        assert "Correct answers:" in page.read_text()
        assert run("report", out, "--html", page, "--no-exchanges").code == 0
        assert "Correct answers:" not in page.read_text()
        silent = tmp_path / "silent.sqlite"
        assert run("evaluate", graph, questions, "-p", text, "--out", silent, "--no-exchanges").code == 0
    with Study.open(silent) as study:
        assert [detail.exchanges for detail in study.details(1)] == [()] * 4


def shown(run, graph, questions, folder, *options):
    """All that a study shows but times, of a new study."""
    folder.mkdir()
    out = folder / "runs.sqlite"
    assert run("evaluate", graph, questions, "--out", out, *options).code == 0
    told = json.loads(run("evaluate", graph, questions, "--out", out, *options, "--json").out)["runs"]
    for one in told:
        del one["milliseconds"], one["graph"]
    compared = [run("compare", out, "--by", "hops", "--published", *more).out for more in ([], ["--metric", "f1"])]
    compared = [re.sub(r"time and cost of a question by hops\n(.+\n)+", "", text) for text in compared]
    assert run("report", out, "--csv", folder / "out.csv", "--markdown", folder / "out.md").code == 0
    head, *rows = csv.reader((folder / "out.csv").read_text().splitlines())
    timed = [place for place, name in enumerate(head) if name.startswith("ms") or name == "waited"]
    kept = [[cell for i, cell in enumerate(row) if i not in timed] for row in rows]
    answers = (folder / "out.md").read_text().split("## Answers")[1:]
    return json.dumps(told), compared, kept, answers


@pytest.mark.whole
def test_the_same_study_twice_gives_the_same_tables(run, graph, questions, tmp_path, monkeypatch):
    local = ("-p", f"bm25: {BM25}", "-p", NEAR, "--limit", "3", "--seed", "5")
    assert shown(run, graph, questions, tmp_path / "a", *local) == shown(run, graph, questions, tmp_path / "b", *local)
    with ScriptedLLM(judging) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        told = ("-p", f"bm25: {BM25}", "-p", "told: ShortestPaths(max_hops=1) >> Generate(LLM('m'))",
                "--judge", "j")  # fmt: skip
        assert shown(run, graph, questions, tmp_path / "c", *told, "--workers", "4") == shown(
            run, graph, questions, tmp_path / "d", *told
        )


def test_why_there_is_no_figure_is_told_of_the_measure(run, graph, questions, tmp_path):
    out, paths = tmp_path / "runs.sqlite", NEAR.removesuffix(" >> PathAnswer()")
    assert run("evaluate", graph, questions, "-p", f"near: {NEAR}", "-p", f"paths: {paths}", "--out", out).code == 0
    told = run("report", out, "--metric", "subgraph_recall").out
    assert "note: 4 questions of near, paths cannot be scored by subgraph_recall" in told
    assert "no two pipelines on one graph were scored on the same question yet" in told
    told = run("report", out).out
    assert "note: 4 questions of paths cannot be scored: no gold answers, or no generate stage" in told
    assert "of near cannot be scored" not in told
