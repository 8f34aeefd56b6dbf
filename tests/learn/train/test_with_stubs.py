"""Trainings with torch, with stubs in the place of models: what is told, and what the folder holds."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from graphbrick import Graph
from graphbrick.learn.train.epochs import Fitted
from graphbrick.learn.train.export import exported
from graphbrick.learn.train.folder import DESCRIPTION
from graphbrick.learn.train.llms import llm
from graphbrick.learn.train.llms.llm_fit import Base, Quality, Tokens
from graphbrick.learn.train.texts import text_trainer
from graphbrick.learn.train.texts.embedder import EmbedderTrainee
from graphbrick.questions.question import Question
from graphbrick.testing import tiny_graph

ASKED = [
    Question("1", "Which currency is used around Nairobi?", ("Nairobi",), ("Kenyan shilling",)),
    Question("2", "Which countries are near Kampala?", ("Kampala",), ("Kenya", "Rwanda")),
]


@pytest.fixture(autouse=True)
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1.0")


@pytest.fixture(scope="module")
def graph() -> Graph:
    return tiny_graph()


class Stub(EmbedderTrainee):
    """An embedder that is never loaded."""

    def __init__(self, model: Any, device: Any, how: Any, prefixes: Mapping[str, str]) -> None:
        self.how, self.prefixes, self.new_head = how, prefixes, False

    def count_long(self, rows: Sequence[Any]) -> int:
        return 0

    def write(self, folder: Path, rows: Sequence[Any]) -> None:
        (folder / "weights").write_text("1")


def test_a_text_model(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_trainer, "require_packages", lambda *_: None)
    monkeypatch.setattr(text_trainer, "device_of", lambda name: f"device {name}")
    monkeypatch.setattr(text_trainer, "seeded", lambda *_: nullcontext())
    monkeypatch.setattr(text_trainer, "_open_base", lambda *_: None)
    monkeypatch.setattr(text_trainer, "fit", lambda *_: Fitted((0.5, 0.25), 2, None, None))
    told = list[str]()
    options: Any = {"base": "someone/model", "epochs": 2, "seed": 3, "device": "cpu"}
    options["progress"] = lambda what, done, total: told.append(what)
    report = text_trainer.train_text_model(Stub, graph, ASKED, tmp_path / "out", options, {"query_prefix": "q: "})
    assert (report.epochs, report.best, report.learned, report.untrained) == (2, 2, 2, None)
    assert set(told) == {"questions searched"}
    said = json.loads((tmp_path / "out" / DESCRIPTION).read_text())
    assert list(said) == [
        "format", "version", "kind", "made_by", "packages", "graph", "base", "base_sha256", "parameters", "report",
        "files",
    ]  # fmt: skip
    assert (said["kind"], said["base"], said["base_sha256"], said["files"]) == (
        "embedder", "someone/model", [], ["weights"],
    )  # fmt: skip
    assert list(said["packages"]) == ["torch", "transformers", "sentence-transformers", "onnxruntime"]
    assert list(said["parameters"]) == [
        "epochs", "batch_size", "learning_rate", "warm_up", "patience", "seed", "loss", "margin", "by", "max_hops",
        "negative_hops", "k", "positives", "pool", "least", "negatives", "hard", "refresh", "query_prefix",
    ]  # fmt: skip
    assert [said["parameters"][name] for name in ("epochs", "batch_size", "seed", "loss")] == [
        2, 16, 3, "multiple_negatives",
    ]  # fmt: skip


def opened(base: str, device: str | None) -> Base:
    return Base(base, None, None, SimpleNamespace(type="cpu", __str__=lambda self: "cpu"))  # type: ignore[arg-type]


def encoded(base: Base, lessons: Sequence[Any], *, context: int, longest: int) -> tuple[list[Tokens | None], int]:
    return [Tokens((1, 2, 3), 1) for _ in lessons], 3


def test_a_language_model(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fits = list[Any]()

    def fit(model: Any, learned: Any, held: Any, settings: Any, progress: Any) -> Fitted[Quality]:
        fits.append(settings)
        return Fitted((0.5,), 1, None, None)

    monkeypatch.setattr(llm, "require_llm_packages", lambda **_: None)
    monkeypatch.setattr(llm, "open_base", opened)
    monkeypatch.setattr(llm, "encode", encoded)
    monkeypatch.setattr(llm, "seeded", lambda *_: nullcontext())
    monkeypatch.setattr(llm, "adapt", lambda *_: SimpleNamespace(parameters=list))
    monkeypatch.setattr(llm, "fit", fit)
    monkeypatch.setattr(llm, "save", lambda base, model, folder, **_: (folder / "adapter").write_text("1"))
    out = tmp_path / "out"
    report = llm.train_llm(graph, ASKED, out, module="plan", base="someone/model", max_hops=2, rank=4, seed=3)
    assert (report.module, report.epochs, report.losses, report.longest) == ("plan", 1, (0.5,), 3)
    said = json.loads((out / DESCRIPTION).read_text())
    assert list(said) == [
        "format", "version", "kind", "made_by", "packages", "graph", "base", "base_sha256", "device", "parameters",
        "report", "files",
    ]  # fmt: skip
    assert list(said["packages"]) == ["torch", "transformers", "peft"]
    assert said["parameters"] == {
        "settings": {
            "epochs": 2, "batch_size": 8, "learning_rate": 2e-4, "warm_up": 0.1, "patience": 1, "seed": 3, "rank": 4,
            "alpha": 32, "dropout": 0.05,
        },
        "texts": ["path", "step", "relation"], "device": None, "max_hops": 2, "least": 0.8, "n": 32, "nothing": 0.1,
        "context": 4096,
    }  # fmt: skip
    assert (fits[0].epochs, fits[0].rank) == (2, 4)


def test_a_module_for_onnx_takes_its_inputs_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(nn=SimpleNamespace(Module=object)))
    module = exported("model", ["ids", "mask"], lambda model, tokens: (model, tokens))  # type: ignore[arg-type]
    assert module.forward(1, 2) == ("model", {"ids": 1, "mask": 2})
