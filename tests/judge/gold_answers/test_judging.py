"""A judge beside an evaluation and after it: what it says, what it takes, and how it goes on after a kill."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from faults import fails
from made_study import Madeup, write_study

from graphbrick import LLM
from graphbrick.core.errors import InputError
from graphbrick.judge.gold_answers.judging import judge_study
from graphbrick.pipeline.budget import Budget, StoppedError, spending
from graphbrick.questions.question import Question
from graphbrick.study.report.answers import judge_notes
from graphbrick.study.report.figures import judge_agreements, read_figures
from graphbrick.study.report.writing import write_report
from graphbrick.study.runs.experiment import evaluate
from graphbrick.study.runs.judging import JUDGING
from graphbrick.study.runs.recorder import Recorder
from graphbrick.study.store.reader import Study
from graphbrick.study.store.schema import VERSION
from graphbrick.testing import TINY, Reply, ScriptedLLM, tiny_graph
from graphbrick.testing.llm_server import Request

GRAPH = tiny_graph()
TEXTS = {
    "bm25": "PPR(k=6) >> ShortestPaths() >> Rerank(BM25(), n=4) >> PathAnswer()",
    "near": "ShortestPaths(max_hops=1) >> PathAnswer()",
    "paths": "ShortestPaths(max_hops=1)",
}


def questions(n: int = 24) -> list[Question]:
    """Questions whose first answer is right by its text, right by another name, wrong, missing, or without gold."""
    rng = random.Random(3)
    found = []
    for i in range(n):
        head, relation, tail = rng.choice(TINY)
        gold = [(tail,), (f"city of {tail}",), ("Euro",), ()][i % 4]
        seeds = ("Atlantis",) if i % 9 == 8 else (head,)
        found.append(Question(f"q{i}", f"What is the {relation} of {head}?", seeds, gold, dataset="d"))
    return found


def verdict(request: Request) -> str:
    """YES where the gold answer is another name of the given one."""
    given = request.prompt.rpartition("Given answer: ")[2].split("\n")[0]
    return "YES" if f"- city of {given}\n" in request.prompt else "NO"


def kept(path: Path) -> dict[tuple[str, str], object]:
    """All judgements of a study but times, by pipeline and question."""
    with Study.open(path) as study:
        names = {question.id: question.name for question in study.questions()}
        return {
            (run.name, names[one.question]): replace(
                one, run=0, question=0, seconds=0, ledger=dict(one.ledger) | {"waited": 0},
                exchanges=tuple(replace(said, seconds=0) for said in one.exchanges),
            )
            for run in study.runs()
            for one in study.judgements(run.id)
        }  # fmt: skip


def model(server: ScriptedLLM, **options: object) -> LLM:
    return LLM("judge", base_url=server.base_url, max_tokens=20, **options)


def port_free(found: dict[tuple[str, str], object]) -> dict[tuple[str, str], object]:
    """The same without the address of the server, which is another one in every test."""
    return {key: replace(one, judge="") for key, one in found.items()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], object]:
    path = tmp_path_factory.mktemp("whole") / "runs.sqlite"
    with ScriptedLLM(verdict) as server:
        evaluate(GRAPH, questions(), TEXTS, out=path, judge=model(server)).close()
    return port_free(kept(path))


@pytest.mark.whole
def test_every_question_has_the_score_that_it_should(tmp_path: Path) -> None:
    with ScriptedLLM(verdict) as server:
        with evaluate(GRAPH, questions(), TEXTS, out=tmp_path / "a.sqlite", judge=model(server)) as study:
            assert study.judge == repr(model(server))
            asked = {question.id: question for question in study.questions()}
            scores, asked_of_model = set(), set()
            for run in study.runs():
                judged = {one.question: one for one in study.judgements(run.id)}
                for result, detail in zip(study.results(run.id), study.details(run.id), strict=True):
                    gold = [name for answer in asked[result.question].gold for name in answer.names]
                    score = result.metrics["judge_at_1"]
                    if run.name == "paths" or not gold:
                        assert score is None
                        assert result.question not in judged
                        continue
                    said = detail.answers[0].text if detail.answers else ""
                    assert score == float(said in gold or f"city of {said}" in gold) if said else score == 0
                    assert score >= result.metrics["hits_at_1"]
                    assert result.ledger.get("calls", 0) == 0  # a judge is no part of the pipeline
                    one = judged[result.question]
                    by = "no answer" if not said else "equality" if said in gold else "model"
                    assert (one.by, one.ledger["calls"]) == (by, int(by == "model"))
                    assert [e.messages[1][1].count(said) > 0 for e in one.exchanges] == [True] * (by == "model")
                    scores.add((by, score))
                    asked_of_model |= {(result.question, said)} if by == "model" else set()
            assert scores == {("no answer", 0.0), ("equality", 1.0), ("model", 0.0), ("model", 1.0)}
        assert len(server.requests) == len(asked_of_model)  # one answer of two pipelines is judged once


class KilledError(BaseException):
    """As if the process ended."""


class Killer:
    """Watches an evaluation and ends it after some steps."""

    def __init__(self, rng: random.Random) -> None:
        self.left, self.how = rng.randint(1, 30), rng.choice([KilledError, KeyboardInterrupt])

    def __call__(self, *_: object) -> None:
        self.left -= 1
        if not self.left:
            raise self.how


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(3))
def test_judging_that_is_killed_is_taken_up(tmp_path: Path, whole: dict, seed: int) -> None:
    path, rng = tmp_path / "runs.sqlite", random.Random(seed)
    with ScriptedLLM(verdict) as server:
        for _ in range(5):
            try:
                evaluate(GRAPH, questions(), TEXTS, out=path, judge=model(server), progress=Killer(rng)).close()
            except (KilledError, KeyboardInterrupt):
                continue
        evaluate(GRAPH, questions(), TEXTS, out=path, judge=model(server)).close()
        done = len(server.requests)
        assert port_free(kept(path)) == whole
        evaluate(GRAPH, questions(), TEXTS, out=path, judge=model(server)).close()
        assert len(server.requests) == done


@pytest.mark.whole
def test_a_study_is_judged_afterwards_as_beside(tmp_path: Path, whole: dict) -> None:
    path = tmp_path / "runs.sqlite"
    evaluate(GRAPH, questions(), TEXTS, out=path).close()
    told: list[tuple[str, int, int]] = []
    with ScriptedLLM(verdict) as server:
        with judge_study(path, model(server), progress=lambda *step: told.append(step)) as study:
            assert study.sessions()[-1].options["judge"] == repr(model(server))
            assert study.sessions()[-1].ended == "done"
        assert port_free(kept(path)) == whole
        before = len(server.requests)
        judge_study(path, model(server)).close()
        assert len(server.requests) == before
    assert told[-1] == (JUDGING, len(whole), len(whole))


@pytest.mark.whole
def test_pipelines_of_before_and_of_now_are_judged_alike(tmp_path: Path, whole: dict) -> None:
    path = tmp_path / "runs.sqlite"
    evaluate(GRAPH, questions(10), {"near": TEXTS["near"]}, out=path).close()
    with ScriptedLLM(verdict) as server:
        evaluate(GRAPH, questions(), TEXTS, out=path, judge=model(server)).close()
    assert port_free(kept(path)) == whole


def test_another_pipeline_with_the_same_answers_asks_the_judge_nothing(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with ScriptedLLM(verdict) as server:
        evaluate(GRAPH, questions(), {"near": TEXTS["near"]}, out=path, judge=model(server)).close()
        before = len(server.requests)
        again = {"again": f"PPR(k=1000) >> {TEXTS['near']}"}  # all of this graph
        evaluate(GRAPH, questions(), again, out=path, judge=model(server)).close()
        assert len(server.requests) == before > 0
    found = kept(path)
    for name, question in found:
        assert found["again", question] == found["near", question], name
    assert any(one.exchanges for one in found.values())


@pytest.mark.whole
def test_a_budget_ends_it_and_another_call_goes_on(tmp_path: Path, whole: dict) -> None:
    path = tmp_path / "runs.sqlite"
    with ScriptedLLM(verdict) as server:
        with (
            spending(Budget(tokens=900)),
            fails("judge_pending.stopped", StoppedError),
        ):
            evaluate(GRAPH, questions(), TEXTS, out=path, judge=model(server))
        with Study.open(path) as study:
            assert [run.done for run in study.runs()] == [24, 24, 24]
        assert 0 < len(kept(path)) < len(whole)
        judge_study(path, model(server)).close()
    assert port_free(kept(path)) == whole


@pytest.mark.whole
def test_a_study_has_one_judge(tmp_path: Path, whole: dict) -> None:
    path = tmp_path / "runs.sqlite"
    with ScriptedLLM(verdict) as server:
        evaluate(GRAPH, questions(), TEXTS, out=path, judge=model(server)).close()
        other = model(server, temperature=0.5)
        with fails("study.other_judge", InputError, judge=repr(model(server))):
            evaluate(GRAPH, questions(), TEXTS, out=path, judge=other)
        with fails("study.other_judge", InputError):
            judge_study(path, other)
        with fails("study.other_judge", InputError):
            evaluate(GRAPH, questions(), TEXTS["near"], out=path, judge=other, fresh=True)
        assert port_free(kept(path)) == whole  # nothing was forgotten for what is refused
        with judge_study(path, other, fresh=True) as study:
            assert study.judge == repr(other)
        assert port_free(kept(path)) == whole
        evaluate(GRAPH, questions(), TEXTS, out=path, fresh=True).close()
        assert kept(path) == {}


@pytest.mark.whole
def test_where_the_judge_fails_nothing_is_guessed(tmp_path: Path, whole: dict) -> None:
    path = tmp_path / "runs.sqlite"
    away = [True]
    with ScriptedLLM(lambda request: Reply("no", status=400) if away else verdict(request)) as server:
        with evaluate(GRAPH, questions(), TEXTS, out=path, judge=model(server, retries=0)) as study:
            failed = [one for run in study.runs() for one in study.judgements(run.id) if one.error]
            assert {(one.right, one.by) for one in failed} == {(None, "model")}
            assert {"status 400" in one.error for one in failed} == {True}
            scores = {r.question: r.metrics["judge_at_1"] for r in study.results(failed[0].run)}
            assert scores[failed[0].question] is None
            notes = judge_notes(read_figures(study, study.questions(), "hits_at_1"), study.judge)
            assert any(
                re.search(r"the judge failed on \d+ \(--retry asks it again\): .*status 400", note) for note in notes
            )
        away.clear()
        before = {key: one for key, one in kept(path).items() if one.error}
        evaluate(GRAPH, questions(), TEXTS, out=path, retry=True).close()
        # Nobody was there to judge them again, so that it stays known why there is no verdict.
        assert before == {key: one for key, one in kept(path).items() if one.error}
        judge_study(path, model(server, retries=0)).close()
        assert [one for one in kept(path).values() if one.error]
        judge_study(path, model(server, retries=0), retry=True).close()
    assert port_free(kept(path)) == whole


@pytest.mark.whole
def test_a_verdict_that_cannot_be_read_counts_0_and_is_asked_for_again(tmp_path: Path, whole: dict) -> None:
    path, vague = tmp_path / "runs.sqlite", [True]
    with ScriptedLLM(lambda request: "Perhaps." if vague else verdict(request)) as server:
        with evaluate(GRAPH, questions(), TEXTS, out=path, judge=model(server)) as study:
            unread = [one for run in study.runs() for one in study.judgements(run.id) if one.right is None]
            assert unread
            assert {one.score for one in unread} == {0.0}
            run = unread[0].run
            scored = [result for result in study.results(run) if result.metrics["judge_at_1"] is not None]
            assert len(scored) == len(study.judgements(run))  # in the mean, none is left out
            notes = judge_notes(read_figures(study, study.questions(), "hits_at_1"), study.judge)
            assert any("could not be read and count as wrong (--retry asks again)" in note for note in notes)
        vague.clear()
        judge_study(path, model(server)).close()
        assert [one for one in kept(path).values() if one.right is None]
        judge_study(path, model(server), retry=True).close()
    assert port_free(kept(path)) == whole


@pytest.mark.whole
def test_an_unreadable_verdict_is_stored_without_one(tmp_path: Path) -> None:
    with (
        ScriptedLLM(lambda request: "Perhaps.") as server,
        evaluate(GRAPH, questions(), TEXTS, out=tmp_path / "a.sqlite", judge=model(server)) as study,
    ):
        unread = [one for one in study.judgements(1) if one.by == "model"]
        assert unread
        for one in unread:
            assert (one.right, one.error) == (None, None)
            assert "no verdict could be read" in one.events[0]


def test_a_study_of_the_first_version_is_read_and_judged(tmp_path: Path) -> None:
    path = write_study(tmp_path / "old.sqlite", [Madeup("one", tokens=9), Madeup("two")], 6, version=1)
    with Study.open(path) as study:
        assert study.judge is None
        assert "judge_at_1" not in study.results(1)[0].metrics
        before = [study.results(run) for run in (1, 2)]
    with ScriptedLLM(lambda request: "NO") as server, judge_study(path, model(server)) as study:
        assert {result.metrics["judge_at_1"] for result in study.results(1)} == {0.0, 1.0}
        for result, old in zip(study.results(1), before[0], strict=True):
            assert (result.metrics["judge_at_1"] == 1) == (result.metrics["hits_at_1"] == 1)
            assert dict(result.metrics) == dict(old.metrics) | {"judge_at_1": result.metrics["judge_at_1"]}
        assert study.detail(1, 1).exchanges == ()
    Recorder(path).close()
    import sqlite3

    db = sqlite3.connect(path)
    assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)
    db.close()


def test_bad_input(tmp_path: Path) -> None:
    with fails("study.no_file", InputError):
        judge_study(tmp_path / "none.sqlite", LLM("m"))
    assert list(tmp_path.iterdir()) == []
    with fails("evaluate.not_a_judge", InputError):
        evaluate(GRAPH, questions(), TEXTS, out=tmp_path / "a.sqlite", judge="gpt")


SECRET = "sk-" + "k3y" * 12


def test_exchanges_are_kept_without_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    asked = [Question("q", "What is the capital of Kenya?", ("Kenya",), ("Nairobi",), dataset="d")]
    with ScriptedLLM(lambda request: "YES" if "same as" in request.prompt else "Nairobi city") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)  # the key belongs to this server
        text = f"ShortestPaths(max_hops=1) >> Generate(LLM('m', base_url={server.base_url!r}))"
        path = tmp_path / "with.sqlite"
        with evaluate(GRAPH, asked, text, out=path, judge=model(server)) as study:
            (said,) = study.detail(1, 1).exchanges
            assert (study.detail(1, 1).stages[said.stage]["kind"], said.model) == ("generate", "m")
            assert "What is the capital of Kenya?" in said.messages[-1][1]
            assert (said.reply, said.cached) == ("Nairobi city", False)
            assert study.judgements(1)[0].exchanges[0].reply == "YES"
            words = json.dumps([[e.messages, e.reply] for e in (said, *study.judgements(1)[0].exchanges)])
            assert SECRET not in words
        assert [request.headers["authorization"] for request in server.requests] == [f"Bearer {SECRET}"] * 2
        with evaluate(GRAPH, asked, text, out=tmp_path / "no.sqlite", judge=model(server), exchanges=False) as study:
            assert study.detail(1, 1).exchanges == ()
            assert study.judgements(1)[0].exchanges == ()
            assert study.results(1)[0].metrics["judge_at_1"] == 1
        from graphbrick.study.report.writing import write_report

        write_report(path, html=tmp_path / "out.html", markdown=tmp_path / "out.md", csv=tmp_path / "out.csv")
    for file in tmp_path.iterdir():
        assert SECRET.encode() not in file.read_bytes()
    assert "Nairobi city" in (tmp_path / "out.html").read_text()


@pytest.mark.whole
def test_further_judges_stand_beside_that_of_the_study(tmp_path: Path, whole: dict) -> None:
    path = tmp_path / "runs.sqlite"
    with ScriptedLLM(verdict) as server, ScriptedLLM(lambda request: "NO") as strict:
        evaluate(GRAPH, questions(), TEXTS, out=path, judge=model(server)).close()
        other = model(strict)
        judge_study(path, other, further=True).close()
        calls = len(strict.requests)
        judge_study(path, other, further=True).close()
        assert len(strict.requests) == calls  # nothing was left
        with fails("study.same_judge", InputError):
            judge_study(path, model(server), further=True)
        assert port_free(kept(path)) == whole
    with Study.open(path) as study:
        assert study.further_judges == [repr(other)]
        measure = f"judge_at_1:{other!r}"
        of_model = first_right = 0
        for run in study.runs():
            first = {one.question: one for one in study.judgements(run.id)}
            second = {one.question: one for one in study.judgements(run.id, further=repr(other))}
            assert first.keys() == second.keys()
            for result in study.results(run.id):
                if result.question in second and second[result.question].by == "model":
                    of_model += 1
                    first_right += first[result.question].right
                    assert result.metrics[measure] == 0
                elif result.question in second:  # no model is asked whether equal answers are equal
                    assert result.metrics[measure] == result.metrics["judge_at_1"]
        (agreement,) = judge_agreements(study)
        assert (agreement.answers, agreement.right) == (of_model, 0)
        assert agreement.right_first == pytest.approx(first_right / of_model)
        assert agreement.same == pytest.approx(1 - first_right / of_model)
    write_report(path, markdown=tmp_path / "a.md", html=tmp_path / "a.html", metric=measure)
    assert "## How far the judges agree" in (tmp_path / "a.md").read_text()
    assert "Judge@1 by LLM(" in (tmp_path / "a.html").read_text()
    with ScriptedLLM(lambda request: "NO") as strict:
        evaluate(GRAPH, questions(), TEXTS, out=path, fresh=True).close()
    with Study.open(path) as study:
        assert study.further_judges == []  # forgotten with the answers
