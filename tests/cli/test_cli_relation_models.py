"""The commands that train two towers and a writer of relations, and what `learn` is told of relations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run
from onnx_models import write_embedder

from graphbrick.core.errors import InputError
from graphbrick.testing import tiny_graph


@pytest.mark.parametrize(("command", "used"), [("towers", "PathTowers("), ("writer", "WrittenRelations(")])
def test_a_model_is_trained_and_its_use_is_told(run: Run, tmp_path: Path, command: str, used: str) -> None:
    embedder = write_embedder(tmp_path / "embedder", {"kenya": (1.0, 0.0), "currency": (0.0, 1.0)}).parent
    question = {"id": "1", "question": "the currency of Kenya?", "seeds": ["Kenya"], "answers": ["Kenyan shilling"]}
    (tmp_path / "asked.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    arguments = [
        *("train", command, tiny_graph().path, tmp_path / "asked.jsonl", "--out", tmp_path / "made"),
        *(
            "--epochs",
            2,
            "--embedder",
            f"EmbeddingModel({str(embedder)!r}, query_prefix='kenya ', text_prefix='kenya ')",
        ),
    ]
    told = run(*arguments)
    assert told.code == 0, told.err
    assert "1 questions, of which 1 were learned from" in told.out
    assert used in told.out.replace("\n", "")
    assert (tmp_path / "made").is_file()
    again = run(*arguments)
    assert again.code == 1
    assert "exists already" in again.err
    assert json.loads(run(*arguments, "--overwrite", "--json").out)["epochs"] == 2


def test_names_of_a_relation_that_are_given_apart_are_all_learned(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    called = []

    def learn(*_: object, call: dict[str, list[str]], **__: object) -> None:
        called.append(call)
        raise InputError("enough")

    monkeypatch.setattr("graphbrick.learn.learning.learn", learn)
    calls = ("--call", "capital=state,land", "--call", "<-capital=city", "--call", "capital = country")
    assert run("learn", tiny_graph().path, *calls).err == "error: enough\n"
    assert called == [{"capital": ["state", "land", " country"], "<-capital": ["city"]}]


@pytest.mark.parametrize("command", [("sizes",), ("towers", "--overwrite"), ("writer", "--overwrite")])
def test_no_model_is_written_over_its_questions(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    file, text = tmp_path / "asked.jsonl", '{"question": "Where?", "seeds": ["Kenya"], "answers": ["Nairobi"]}\n'
    file.write_text(text, encoding="utf-8")
    name, *options = command
    result = run("train", name, tiny_graph().path, file, "--out", file, *options)
    assert (result.code, result.err) == (1, f"error: --out {file} would overwrite the questions; name another file\n")
    assert file.read_text(encoding="utf-8") == text
