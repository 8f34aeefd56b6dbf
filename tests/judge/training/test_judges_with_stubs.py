"""Trainings of judges with torch, with stubs in the place of models: what is told, and what the folder holds."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from graphbrick.judge.synthetic.rows import OWN, Row
from graphbrick.judge.training import judge_encoder, judge_llm
from graphbrick.judge.verdicts import Case, Label
from graphbrick.learn.train.epochs import Fitted
from graphbrick.learn.train.llms.llm_fit import Base, Tokens

ROWS = [
    Row(Label.CONTEXT_RELEVANCE, value, OWN, Case(f"Which town is {i}?", (f"Town {i}.",)), f"group {i}")
    for i in range(25)
    for value in (0, 1)
]


def opened(base: str, device: str | None) -> Base:
    return Base(base, None, None, SimpleNamespace(type="cpu", __str__=lambda self: "cpu"))  # type: ignore[arg-type]


def test_an_encoder_that_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fits = list[Any]()

    def fit(data: Any, how: Any, progress: Any) -> tuple[str, Fitted[judge_encoder.Held]]:
        fits.append((data, how))
        return "model", Fitted((0.5,), 1, None, judge_encoder.Held(0.75))

    monkeypatch.setattr(judge_encoder, "require_packages", lambda *_: None)
    monkeypatch.setattr(judge_encoder, "_fit", fit)
    monkeypatch.setattr(judge_encoder, "_scores", lambda model, pairs: np.arange(float(len(pairs))))
    monkeypatch.setattr(judge_encoder, "_write", lambda model, folder, pairs: folder.mkdir())
    made = judge_encoder.train_judge_encoder(ROWS, tmp_path / "judge", base="someone/model", about={"seed": 1})
    report = made[Label.CONTEXT_RELEVANCE]
    assert (report.rows, report.questions, report.auc, report.trials) == (50, 25, 0.75, [])
    assert fits[0][0].held.sum() == 10  # a fifth
    said = json.loads((tmp_path / "judge" / "judge.json").read_text())
    assert list(said) == ["format", "version", "kind", "base", "labels", "report"]
    assert list(said["labels"]["context_relevance"]) == ["slope", "shift"]
    assert list(said["report"]) == ["seed", "labels"]
    assert list(said["report"]["labels"]["context_relevance"]) == [
        "rows", "questions", "auc", "parameters", "trials", "seconds",
    ]  # fmt: skip


def test_a_language_model_that_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = iter((0.5, 0.75))
    monkeypatch.setattr(judge_llm, "require_llm_packages", lambda **_: None)
    monkeypatch.setattr(judge_llm, "find_base", lambda base: (base, None))
    monkeypatch.setattr(judge_llm, "open_base", opened)
    monkeypatch.setattr(
        judge_llm, "encoded", lambda base, judge, rows, how: (list(rows), [Tokens((1,), 0)] * len(rows))
    )
    monkeypatch.setattr(judge_llm, "seeded", lambda *_: nullcontext())
    monkeypatch.setattr(judge_llm, "adapt", lambda *_: "model")
    monkeypatch.setattr(judge_llm, "probabilities", lambda base, model, lessons: np.full(len(lessons), next(shares)))
    monkeypatch.setattr(judge_llm, "fit", lambda *_: None)
    monkeypatch.setattr(judge_llm, "save", lambda *_, **__: None)
    made = judge_llm.train_judge_llm(ROWS, tmp_path / "judge", about={"seed": 1})
    report = made[Label.CONTEXT_RELEVANCE]
    assert (report.rows, report.questions, report.untrained, report.auc) == (50, 25, 0.5, 0.5)
    said = json.loads((tmp_path / "judge" / "judge.json").read_text())
    assert list(said) == ["format", "version", "kind", "base", "tokens", "context", "labels", "report"]
    assert list(said["report"]) == ["seed", "settings", "labels"]
    assert list(said["report"]["labels"]["context_relevance"]) == ["rows", "questions", "untrained", "auc", "seconds"]
