"""The frame of all trainings: options, reports, and what the folder says of the training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults import fails

from graphbrick.core.errors import ModelError
from graphbrick.learn.train import frame
from graphbrick.learn.train.frame import TrainingReport, provenance, require_packages
from graphbrick.learn.train.llms.llm import LLMReport, train_llm
from graphbrick.learn.train.llms.llm_fit import Quality as ReplyQuality
from graphbrick.learn.train.patterns.pattern_fit import Quality
from graphbrick.learn.train.patterns.patterns import PatternReport, train_patterns
from graphbrick.learn.train.patterns.relation_models import RelationReport
from graphbrick.learn.train.patterns.relation_writer import train_writer
from graphbrick.learn.train.patterns.towers import train_towers
from graphbrick.learn.train.sizes import train_sizes
from graphbrick.learn.train.texts.text_models import Ranked, TextReport
from graphbrick.testing import tiny_graph

LOST = {"questions": 9, "unseeded": 1, "unanswered": 2, "unreached": 3}
REPORTS: dict[str, tuple[TrainingReport[Any], list[str], str]] = {
    "patterns": (
        PatternReport(
            **LOST, learned=4, cut=5, patterns=6, rounds=7, untrained=Quality(8, 0.25, 0.5),
            trained=Quality(8, 0.5, 0.75), seconds=1.0,
        ),
        ["questions", "learned", "unseeded", "unanswered", "unreached", "cut", "patterns", "rounds", "ends"],
        "of 8 questions in wordings kept apart: Hits@1 0.250 -> 0.500, F1 0.500 -> 0.750",
    ),
    "relations": (
        RelationReport(questions=9, learned=4, patterns=6, epochs=7, trained=Quality(8, 0.5, 0.75), seconds=1.0),
        ["questions", "learned", "patterns", "epochs"],
        "of 8 questions in wordings kept apart: Hits@1 0.500, F1 0.750",
    ),
    "texts": (
        TextReport(
            **LOST, learned=4, apart=1, cut=5, alone=0, positives=16, long=1, new_head=True, epochs=3, best=0,
            untrained=Ranked(8, 0.5, 0.25), trained=Ranked(8, 0.5, 0.25), seconds=1.0,
        ),
        [
            "questions", "learned", "apart", "unseeded", "unanswered", "unreached", "cut", "alone", "positives", "long",
            "new_head", "epochs", "best",
        ],
        "every epoch was worse than the base, whose weights are kept as they were",
    ),
    "language models": (
        LLMReport(
            **LOST, module="plan", brick="PlannedRelations()", unshown=0, unread=0, too_long=0, longest=99, learned=4,
            epochs=1, losses=(0.5,), weights=10, untrained=ReplyQuality(0.5, 0.25), trained=ReplyQuality(0.25, 0.5),
            seconds=1.0,
        ),
        [
            "module", "brick", "questions", "unseeded", "unanswered", "unreached", "unshown", "unread", "too_long",
            "longest", "learned", "epochs", "losses", "weights",
        ],
        "on prompts in wordings kept apart: loss 0.500 -> 0.250, replies as wanted 25.0% -> 50.0%",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("report", "names", "last"), REPORTS.values(), ids=REPORTS)
def test_a_report_has_its_own_figures_first(report: TrainingReport[Any], names: list[str], last: str) -> None:
    assert list(report.to_dict()) == [*names, "untrained", "trained", "seconds"]
    assert str(report).splitlines()[-1] == last


def test_nothing_is_said_of_held_out_questions_where_there_were_too_few() -> None:
    report = RelationReport(questions=9, learned=4, patterns=6, epochs=7, seconds=1.0)
    assert "kept apart" not in str(report)
    assert report.to_dict()["trained"] is None


def test_the_folder_says_how_the_model_was_made(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(b"1")
    report = REPORTS["texts"][0]
    facts = provenance(tiny_graph(), "base", [tmp_path / "weights"], ["numpy"], {"seed": 3}, report, device="cpu")
    assert list(facts) == ["made_by", "packages", "graph", "base", "base_sha256", "device", "parameters", "report"]
    assert facts["graph"] == tiny_graph().hash
    assert len(facts["base_sha256"][0]) == 64
    assert facts["report"]["learned"] == 4
    assert "seconds" not in facts["report"]  # two equal trainings say the same


@pytest.mark.parametrize("train", [train_patterns, train_towers, train_writer, train_sizes, train_llm])
def test_an_unknown_option_is_a_type_error(train: Callable[..., Any], tmp_path: Path) -> None:
    own = {"module": "plan", "base": "a/b"} if train is train_llm else {}
    with pytest.raises(TypeError, match=rf"{train.__name__}\(\) got an unexpected keyword argument 'sead'"):
        train(tiny_graph(), [], tmp_path / "out", sead=1, **own)
    assert not list(tmp_path.iterdir())


def test_the_first_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "find_spec", lambda name: object() if name == "torch" else None)
    with fails("train.no_package", ModelError, package="peft"):
        require_packages("tuning", ("torch", "peft", "gguf"))
    require_packages("tuning", ("torch",))
