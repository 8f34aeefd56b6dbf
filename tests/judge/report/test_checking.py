"""Checking a judge on labelled rows: figures beside baselines, and what to think of it in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from commands import Run
from faults import fails

from graphbrick.core.errors import InputError
from graphbrick.judge.judges.baselines import LengthJudge
from graphbrick.judge.judges.classifier import training
from graphbrick.judge.report.checking import Check, check_judge
from graphbrick.judge.synthetic.rows import Row
from graphbrick.judge.training import judge_encoder, judge_llm
from graphbrick.judge.verdicts import Case, Judge, Label, Verdict
from graphbrick.learn.train import frame
from graphbrick.study.statistics.agreement import auc
from graphbrick.study.statistics.auc_gain import auc_gain
from graphbrick.study.store.encoding import plain_json

RNG = np.random.default_rng(5)
N = 120


@dataclass(frozen=True)
class Says(Judge):
    """A judge by a function of the case."""

    probability: Callable[[Case], float | None]

    @property
    def identity(self) -> str:
        return "says"

    @property
    def labels(self) -> frozenset[Label]:
        return frozenset({Label.CONTEXT_RELEVANCE})

    def rate(self, label: Label, cases: Sequence[Case]) -> list[Verdict]:
        return [Verdict(self.probability(case)) for case in cases]


def rows() -> list[Row]:
    """Rows whose label is in the text, whose length says a little, and whose words say nothing."""
    made = []
    for i in range(N):
        value = int(i % 3 == 0)
        length = int(RNG.integers(20, 60)) - 8 * value
        text = f"{'yes' if value else 'no'} {RNG.random():.3f} " + "word " * length
        made.append(Row(Label.CONTEXT_RELEVANCE, value, "labelled", Case("Is there rain?", (text,)), f"q{i}"))
    return made


ROWS = rows()


def checked(probability: Callable[[Case], float | None]) -> Check:
    return check_judge("mine", Says(probability), ROWS, models=False)


def truth(case: Case) -> bool:
    return case.evidence[0].startswith("yes")


def noise(case: Case) -> float:
    return float(case.evidence[0].split()[1])


def test_a_good_judge_is_better_than_length_and_says_so() -> None:
    found = checked(lambda case: 0.5 * truth(case) + 0.5 * noise(case))
    assert [row.judge for row in found.rows] == ["mine", "length", "words"]
    mine, length, words = found.rows
    assert mine.auc.value > 0.85 > length.auc.value > 0.55
    assert words.auc.value == pytest.approx(0.5)
    assert mine.holds == pytest.approx(1 / 3)
    assert any("mine is better than length" in text for text in found.remarks)


def test_a_random_judge_cannot_be_told_from_chance_and_is_not_to_be_used() -> None:
    found = checked(noise)
    assert any("cannot be told from chance" in text for text in found.remarks)
    assert any("no better than length" in text and "do not use it" in text for text in found.remarks)


def test_a_judge_of_length_is_no_better_than_length() -> None:
    found = checked(lambda case: 1 / len(case.evidence[0]))
    assert found.rows[0].auc.value == pytest.approx(found.rows[1].auc.value, abs=0.02)
    assert not any("is better than" in text for text in found.remarks)


def test_a_judge_that_says_yes_too_often_needs_a_correction() -> None:
    found = checked(lambda case: 0.8 + 0.2 * truth(case))
    assert any("says yes more often than people (0.87 to 0.33)" in text for text in found.remarks)
    assert found.rows[0].error > 0.4


def test_verdicts_that_could_not_be_read_are_counted_apart() -> None:
    found = checked(lambda case: None if noise(case) < 0.2 else float(truth(case)))
    assert found.rows[0].failed == sum(noise(row.case) < 0.2 for row in ROWS)
    assert found.rows[0].auc.value == 1
    assert any("could not be read" in text for text in found.remarks)
    with fails("checking.no_verdict", InputError, label=Label.CONTEXT_RELEVANCE):
        checked(lambda case: None)


def test_a_judge_that_says_the_opposite_is_told_from_chance() -> None:
    found = checked(lambda case: 0.6 * (not truth(case)) + 0.4 * noise(case))
    assert found.rows[0].auc is not None
    assert found.rows[0].auc.high < 0.5
    assert "mine is wrong more often than chance about context_relevance (AUC 0." in found.remarks[0]
    assert not any("told from chance" in text for text in found.remarks)


def test_one_readable_verdict_and_one_label_give_no_area() -> None:
    first = ROWS[0].case
    for probability in (lambda case: 0.9 if case == first else None, lambda case: 0.9 if truth(case) else None):
        found = checked(probability)
        assert found.rows[0].auc is None
        assert plain_json(found.rows[0])["auc"] is None
        assert "nobody can say more" in found.remarks[0]
        assert found.rows[1].auc is not None


def test_labels_that_are_left_out_are_named() -> None:
    few = [Row(Label.ANSWER_RELEVANCE, int(i == 0), "labelled", Case("a", (), "b"), "a") for i in range(5)]
    told: list[tuple[str, int, int]] = []
    found = check_judge("length", LengthJudge(), [*ROWS, *few], models=False, progress=lambda *step: told.append(step))
    assert told[-1][1] == told[-1][2] > 0
    assert {step.split(" by ")[1] for step, _, _ in told} == {"length", "words"}
    assert {row.label for row in found.rows} == {Label.CONTEXT_RELEVANCE}
    assert found.remarks[-1].startswith(
        "of the 5 rows on answer_relevance, 1 hold: they are left out, as an area needs"
    )
    other = check_judge("mine", Says(noise), [*ROWS, *few], models=False)
    assert other.remarks[-1] == "mine does not judge answer_relevance: 5 rows are left out"


def test_rows_that_a_judge_does_not_judge_are_an_error() -> None:
    other = [Row(Label.CORRECTNESS, i % 2, "labelled", Case("a"), "a") for i in range(4)]
    with fails("checking.no_label", InputError, judge="mine", labels=["context_relevance"]):
        check_judge("mine", Says(noise), other, models=False)
    with fails("checking.no_label", InputError):
        check_judge("mine", Says(noise), ROWS[:3], models=False)
    unread = Says(lambda case: None if truth(case) else noise(case))
    assert "nobody can say more" in check_judge("mine", unread, ROWS, models=False).remarks[0]


def test_the_gain_of_an_area_is_that_of_the_areas_and_its_interval_that_of_resampling() -> None:
    y = np.repeat([1.0, 0.0], 60)
    first, second = y + RNG.normal(size=120), 0.3 * y + RNG.normal(size=120).round(1)
    gain = auc_gain(y, first, second)
    areas = [auc(y, scores) for scores in (first, second)]
    assert gain.value == pytest.approx(areas[0].value - areas[1].value)
    drawn = []
    for _ in range(400):
        places = np.concatenate([RNG.integers(0, 60, 60), RNG.integers(60, 120, 60)])
        one, other = auc(y[places], first[places]), auc(y[places], second[places])
        drawn.append(one.value - other.value)
    assert (gain.high - gain.low) / 2 / 1.96 == pytest.approx(np.std(drawn), rel=0.15)
    assert auc_gain(y, first, first) == (0, 0, 0)
    with pytest.raises(ValueError, match="two cases with each label"):
        auc_gain([1, 0, 0], [1, 2, 3], [1, 2, 3])


@pytest.mark.whole
def test_the_commands_make_train_and_check_a_judge(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_MODELS", str(tmp_path / "models"))  # without a re-ranker that somebody fetched
    lines = (f"The lake Lake{i}a lies in Land{i}b and was measured by Person{i}c in {1900 + i}." for i in range(25))
    (tmp_path / "lakes.txt").write_text(" ".join(lines))
    made = run(
        *("judge", "data", tmp_path / "lakes.txt", "-o", tmp_path / "data", "-n", "30"),
        *("--negatives", "random,answer removed", "--all-questions", "--json"),
    )
    assert made.code == 0, made.err
    assert json.loads(made.out)["counts"]["kept"] >= 10
    assert "exists already" in run("judge", "data", tmp_path / "lakes.txt", "-o", tmp_path / "data").err
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "LEAST", 5)
        trained = run("judge", "train", tmp_path / "data", "-o", tmp_path / "judge", "--reranker", "none")
    assert "context relevance: AUC" in trained.out, trained.err
    assert "answer removed" in trained.out
    found = run("judge", "check", "words", tmp_path / "data", "--json")
    assert {row["judge"] for row in json.loads(found.out)["rows"]} >= {"words", "length", "cosine"}
    shown = run("judge", "check", tmp_path / "judge", tmp_path / "data")
    assert "calibration error" in shown.out
    assert "on context relevance, " in shown.out
    assert f"{tmp_path}/judge is" in shown.out or f"{tmp_path}/judge says" in shown.out  # a path with underscores
    kinds = run("judge", "data", tmp_path / "lakes.txt", "-o", tmp_path / "more", "--negatives", "hard,round")
    assert "got round" in kinds.err
    unknown = run("judge", "train", tmp_path / "data", "-o", tmp_path / "x", "--method", "torch")
    assert "classifier, encoder or llm, got 'torch'" in unknown.err


def test_the_command_tunes_a_language_model(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, asked = tmp_path / "rows.jsonl", dict[str, object]()
    lines = ({"label": row.label, "value": row.value, "question": row.group, "evidence": ["a"]} for row in ROWS)
    place.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def train(rows: Sequence[Row], out: Path, **how: object) -> dict[Label, judge_llm.JudgeLLMReport]:
        asked.update(how, rows=len(rows))
        return {Label.CONTEXT_RELEVANCE: judge_llm.JudgeLLMReport(N, N, 0.5, 0.75, 1.0)}

    monkeypatch.setattr(judge_llm, "train_judge_llm", train)
    done = run("judge", "train", place, "-o", tmp_path / "judge", "--method", "llm", "--base", "small", "--seed", "4")
    assert "AUC 0.500 -> 0.750 on held-out questions (120 rows)" in done.out
    assert asked["settings"] == judge_llm.JudgeSettings(seed=4)
    assert (asked["base"], asked["rows"]) == ("small", N)
    told = run("judge", "train", place, "-o", tmp_path / "judge", "--method", "llm", "--json")
    assert json.loads(told.out)["labels"]["context_relevance"]["auc"] == 0.75
    assert asked["base"] == "qwen2.5-coder-1.5b"


def test_prompts_that_are_all_too_long_are_an_error_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_llm, "require_llm_packages", lambda **_: None)
    monkeypatch.setattr(judge_llm, "find_base", lambda base: (base, None))
    monkeypatch.setattr(judge_llm, "open_base", lambda base, device: None)
    monkeypatch.setattr(judge_llm, "encoded", lambda *_: ([], []))
    with fails("judge_llm.too_long", InputError, left_out=N, prompts=N, context=4096):
        judge_llm.train_judge_llm(ROWS, tmp_path / "judge")
    assert not (tmp_path / "judge").exists()


def test_the_command_trains_an_encoder_and_names_a_package_that_is_missing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "rows.jsonl"
    lines = (
        {"label": row.label, "value": row.value, "question": row.group, "evidence": row.case.evidence} for row in ROWS
    )
    place.write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr(frame, "find_spec", lambda name: None if name == "peft" else object())
    missing = run("judge", "train", place, "-o", tmp_path / "judge", "--method", "encoder")
    assert "needs the package peft: pip install 'graphbrick[train]'" in missing.err
    asked = {}

    def train(rows: Sequence[Row], out: Path, **how: object) -> dict[Label, judge_encoder.EncoderReport]:
        asked.update(how, rows=len(rows))
        return {Label.CONTEXT_RELEVANCE: judge_encoder.EncoderReport(N, N, 0.75, {}, [{"auc": 0.75}] * 3, 1.0)}

    monkeypatch.setattr(judge_encoder, "train_judge_encoder", train)
    done = run("judge", "train", place, "-o", tmp_path / "judge", "--method", "encoder", "--trials", "3", "--seed", "4")
    assert "AUC 0.750 on held-out questions (120 rows, the best of 3 settings)" in done.out
    assert asked["rows"] == N
    assert asked["trials"] == 3
    assert asked["parameters"].seed == 4
