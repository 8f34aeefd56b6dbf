"""Ratings of a study by labels: what is asked, what is stored, and how it goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from faults import fails
from made_study import Madeup, write_study

from graphbrick import LLM, Session
from graphbrick.core.errors import InputError, ModelError
from graphbrick.judge.cases import cases_of, notes_of, numbers_of
from graphbrick.judge.gold_answers.judging import judge_study
from graphbrick.judge.judges.rubric import RubricJudge
from graphbrick.judge.rating import rate_study
from graphbrick.judge.verdicts import Case, Judge, Label, Verdict
from graphbrick.pipeline.budget import Budget, StoppedError, spending
from graphbrick.study.runs.recorder import Recorder
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import Result
from graphbrick.testing import ScriptedLLM

RELEVANCE, FAITHFULNESS, CORRECTNESS = Label.CONTEXT_RELEVANCE, Label.ANSWER_FAITHFULNESS, Label.CORRECTNESS


@dataclass
class Scripted(Judge):
    """A judge that says what a function says, and remembers what it was given."""

    says: Callable[[Case], float | None]
    text: str = "scripted"
    given: list[tuple[Label, Case]] = field(default_factory=list)
    breaks_after: int | None = None

    @property
    def identity(self) -> str:
        return self.text

    @property
    def labels(self) -> frozenset[Label]:
        return frozenset({RELEVANCE, FAITHFULNESS, CORRECTNESS})

    def rate(self, label: Label, cases: Sequence[Case]) -> list[Verdict]:
        if self.breaks_after is not None and len(self.given) + len(cases) > self.breaks_after:
            raise StoppedError("the budget is used up")
        self.given += [(label, case) for case in cases]
        said = [self.says(case) for case in cases]
        return [Verdict(one, "no JSON" if one is None else "it says so") for one in said]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write_study(tmp_path / "runs.sqlite", [Madeup("one"), Madeup("two", failed=0.3)], 12)


def stored(path: Path, label: Label = RELEVANCE, judge: int = 1) -> dict[tuple[int, int], float | None]:
    with Study.open(path) as opened:
        return {(one.run, one.question): one.probability for one in opened.ratings(judge, label)}


def test_every_answer_is_rated_once_by_each_label(study):
    judge = Scripted(lambda case: 0.25)
    with rate_study(study, judge, [RELEVANCE, CORRECTNESS], name="mine") as rated:
        (kept,) = rated.rating_judges()
    assert (kept.identity, kept.name, set(kept.labels)) == ("scripted", "mine", {RELEVANCE, CORRECTNESS})
    assert set(stored(study)) == {(run, question) for run in (1, 2) for question in range(1, 13)}
    # Both systems found the same evidence: what looks the same to the judge is asked once.
    assert len([label for label, _ in judge.given if label is RELEVANCE]) == 12
    assert len(set(judge.given)) == len(judge.given)
    assert kept.cases == 48
    assert all(not case.answer and not case.gold for label, case in judge.given if label is RELEVANCE)
    assert all(case.gold and "\n" not in case.answer for label, case in judge.given if label is CORRECTNESS)
    before = len(judge.given)
    rate_study(study, judge, [RELEVANCE, CORRECTNESS]).close()
    assert len(judge.given) == before


def test_it_goes_on_after_a_stop_and_keeps_the_judges_apart(study):
    judge = Scripted(lambda case: 0.5, breaks_after=8)
    with fails("judge_pending.stopped", StoppedError, left=16, total=24):
        rate_study(study, judge, [RELEVANCE])
    assert len(stored(study)) == 8
    judge.breaks_after = None
    rate_study(study, judge, [RELEVANCE]).close()
    assert (len(stored(study)), len(judge.given)) == (24, 12)
    rate_study(study, Scripted(lambda case: 1.0, "another"), [RELEVANCE]).close()
    assert set(stored(study).values()) == {0.5}
    assert set(stored(study, judge=2).values()) == {1.0}


def test_replies_that_are_paid_for_are_stored_when_the_budget_ends(tmp_path):
    study, other = (write_study(tmp_path / name, [Madeup("one")], 6) for name in ("runs.sqlite", "other.sqlite"))
    reply = json.dumps({"reason": "It is there.", "verdict": "yes"})
    with ScriptedLLM(lambda request: reply) as server:
        judge = RubricJudge(LLM("judge", base_url=server.base_url, retries=0, max_tokens=100, parallel=1))
        with spending(Budget()) as whole:
            rate_study(other, judge, [RELEVANCE]).close()
        asked, limit = len(server.requests), 2 * whole.spent_tokens // 6 + 120  # one call or two
        for left in range(5, 0, -1):
            with (
                spending(Budget(tokens=limit)),
                fails("judge_pending.stopped", StoppedError, left=left, total=6),
            ):
                rate_study(study, judge, [RELEVANCE])
            assert len(stored(study)) == 6 - left
        with spending(Budget(tokens=limit)):
            rate_study(study, judge, [RELEVANCE]).close()
        with Study.open(study) as opened:
            (kept,) = opened.rating_judges()
    assert (asked, len(server.requests)) == (6, 12)  # nothing is asked twice
    assert kept.ledger["calls"] == kept.cases == 6


def test_verdicts_before_an_error_are_stored(study):
    class Breaking(Scripted):
        def rate_each(self, label: Label, cases: Sequence[Case]) -> Iterator[tuple[int, Verdict]]:
            yield 2, Verdict(0.25)
            yield 0, Verdict(0.5)
            raise error

    for error, ends in ((ModelError("it is away"), 4), (KeyboardInterrupt(), 8)):
        with pytest.raises(type(error)):
            rate_study(study, Breaking(lambda case: 1.0), [RELEVANCE])
        assert len(stored(study)) == ends  # two cases, which two systems share
    assert sorted(set(stored(study).values())) == [0.25, 0.5]


def test_a_new_system_takes_over_what_was_said_of_the_same_texts(study):
    judge = Scripted(lambda case: 0.5)
    with Recorder(study) as recorder:
        recorder.forget([2])
    rate_study(study, judge, [RELEVANCE]).close()
    assert len(stored(study)) == 12
    again = write_study(study.with_name("both.sqlite"), [Madeup("one"), Madeup("two")], 12)
    with Study.open(study) as old, Recorder(again) as recorder:
        number = recorder.ratings.judge("scripted", "")
        with recorder.session({}, {}, {}) as session:
            recorder.ratings.put(
                number, session, RELEVANCE, old.ratings(1, RELEVANCE), cases=12, seconds=1, ledger={}, events=[]
            )
    fresh = Scripted(lambda case: 0.9)
    rate_study(again, fresh, [RELEVANCE]).close()
    assert fresh.given == []
    assert set(stored(again).values()) == {0.5}
    assert len(stored(again)) == 24


def test_what_could_not_be_read_is_stored_and_asked_again_on_wish(study):
    judge = Scripted(lambda case: None if "Entity 3" in case.question else 0.5)
    rate_study(study, judge, [RELEVANCE]).close()
    unread = {key for key, value in stored(study).items() if value is None}
    assert unread
    with Study.open(study) as opened:
        assert {one.reason for one in opened.ratings(1, RELEVANCE) if one.probability is None} == {"no JSON"}
    before = len(judge.given)
    rate_study(study, judge, [RELEVANCE]).close()
    assert len(judge.given) == before
    judge.says = lambda case: 1.0
    rate_study(study, judge, [RELEVANCE], retry=True).close()
    assert {key for key, value in stored(study).items() if value == 1.0} == unread
    rate_study(study, judge, [FAITHFULNESS]).close()
    with rate_study(study, judge, [RELEVANCE], fresh=True) as rated:
        assert rated.rating_judges()[0].cases == 48
        calls = rated._db.rows("SELECT label, sum(cases) AS cases FROM rating_calls GROUP BY label ORDER BY label")
        faithful = len([label for label, _ in judge.given if label is FAITHFULNESS])
        assert [(row["label"], row["cases"]) for row in calls] == [(FAITHFULNESS, faithful), (RELEVANCE, 12)]
    assert set(stored(study).values()) == {1.0}


@pytest.mark.whole
def test_retry_does_not_read_the_same_recorded_reply_again(study, tmp_path):
    replies = tmp_path / "replies.sqlite"
    with ScriptedLLM(lambda request: "I would rather not say") as server:
        llm, port = LLM("judge", base_url=server.base_url, retries=0), server.base_url
        with Session(replies=replies):
            rate_study(study, RubricJudge(llm), [RELEVANCE]).close()
            judge_study(study, llm).close()
            asked = len(server.requests)
            rate_study(study, RubricJudge(llm), [RELEVANCE], retry=True).close()
            judge_study(study, llm, retry=True).close()
    assert port
    assert asked > 12
    assert len(server.requests) == 2 * asked
    assert set(stored(study).values()) == {None}


def test_what_is_not_there_is_not_rated(study):
    with Study.open(study) as opened:
        failed = {(one.run, one.question) for run in (1, 2) for one in opened.results(run) if one.error}
        cases = cases_of(opened)
    assert failed
    with Recorder(study) as recorder:
        recorder._db.execute("UPDATE details SET answers = '[]', paths = '[]' WHERE run = 2 AND question = 1")
    with Study.open(study) as opened:
        cases = cases_of(opened)
    empty = next(case for case in cases if (case.run, case.question) == (2, 1))
    assert all(empty.lacks(label) for label in Label)
    assert not any(case.lacks(label) for case in cases if case is not empty for label in Label)
    judge = Scripted(lambda case: 0.5)
    rate_study(study, judge, [FAITHFULNESS]).close()
    assert (2, 1) not in stored(study, FAITHFULNESS)


def test_correctness_is_not_asked_without_gold_answers(study):
    with Recorder(study) as recorder:
        recorder._db.execute("UPDATE questions SET gold = '[]' WHERE id <= 4")
    judge = Scripted(lambda case: 0.5)
    rate_study(study, judge, [CORRECTNESS, RELEVANCE]).close()
    assert {question for _, question in stored(study, CORRECTNESS)} == set(range(5, 13))
    assert {question for _, question in stored(study)} == set(range(1, 13))
    asked = len(judge.given)
    rate_study(study, judge, [CORRECTNESS], retry=True).close()
    assert len(judge.given) == asked


def test_a_study_that_is_written_meanwhile_gives_the_cases_that_were_there(tmp_path, monkeypatch):
    path = write_study(tmp_path / "half.sqlite", [Madeup("half", done=0.5)], 10)
    read = Study.results

    def results(opened: Study, run: int) -> list[Result]:
        """Read results after another program has stored one more."""
        with Recorder(path) as recorder:
            for table in ("results", "details"):
                columns = [row["name"] for row in recorder._db.rows(f"PRAGMA table_info({table})")]
                values = ", ".join("10" if name == "question" else name for name in columns)
                recorder._db.execute(f"INSERT INTO {table} SELECT {values} FROM {table} WHERE question = 1")
        return read(opened, run)

    monkeypatch.setattr(Study, "results", results)
    with Study.open(path) as opened:
        assert [case.question for case in cases_of(opened)] == [1, 2, 3, 4, 5]
    monkeypatch.undo()
    with Study.open(path) as opened:
        assert [case.question for case in cases_of(opened)] == [1, 2, 3, 4, 5, 10]


def test_a_judge_sees_nothing_that_the_label_is_not_about(study):
    with Study.open(study) as opened:
        cases = cases_of(opened)
    for label in Label:
        case, other = (replace(cases[0], evidence=(text,)).case(label) for text in ("one", "another"))
        assert (case == other) == (label in (CORRECTNESS, Label.ANSWER_RELEVANCE))


def test_labels_by_rule_and_groups(study):
    with Study.open(study) as opened:
        cases = cases_of(opened)
        by_dataset = cases_of(opened, by="dataset")
        with fails("judge_cases.bad_group", InputError, by="colour"):
            cases_of(opened, by="colour")
        right = {(one.run, one.question): one.metrics["hits_at_1"] for run in (1, 2) for one in opened.results(run)}
    assert {case.group for case in cases} == {"simple", "complex"}
    assert {case.group for case in by_dataset} == {"metaqa"}
    assert all(case.by_rule(CORRECTNESS) == right[case.run, case.question] for case in cases)
    assert all(case.by_rule(RELEVANCE) for case in cases)  # each path ends at the gold entity
    assert cases[0].by_rule(FAITHFULNESS) is None
    assert numbers_of(cases[0].id)[:2] == (1, 1)
    assert len({case.id for case in cases}) == 24
    assert "keeps the first 5 items of evidence; 24 of 24 answers had more" in notes_of(cases)[0]


def test_errors(study, tmp_path):
    judge = Scripted(lambda case: 7.0)
    with pytest.raises(ValueError, match="gave the probability 7"):
        rate_study(study, judge, [RELEVANCE])
    with fails("rating.unknown_label", InputError, labels=["answer_relevance"]):
        rate_study(study, judge, [Label.ANSWER_RELEVANCE])
    with fails("study.no_file", InputError):
        rate_study(tmp_path / "none.sqlite", judge)
    assert not (tmp_path / "none.sqlite").exists()
    with pytest.raises(ModelError):
        rate_study(study, RubricJudge(LLM("m", base_url="http://127.0.0.1:9/v1", retries=0)), [RELEVANCE])


def test_new_answers_have_no_old_ratings(study):
    rate_study(study, Scripted(lambda case: 0.5), [RELEVANCE]).close()
    with Recorder(study) as recorder:
        recorder.forget([1])
    assert {run for run, _ in stored(study)} == {2}
    with Recorder(study) as recorder:
        recorder.forget([2], errors_only=True)
    with Study.open(study) as opened:
        assert set(stored(study)) == {(2, one.question) for one in opened.results(2)}
