"""Evaluations that are called again: with changed questions, and with files that are read once."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from graphbrick.core.errors import InputError
from graphbrick.questions.question import Question
from graphbrick.study.runs.experiment import evaluate
from graphbrick.study.store.reader import Study
from graphbrick.testing import tiny_graph

GRAPH = tiny_graph()
NEAR = "ShortestPaths(max_hops=1) >> PathAnswer()"
TEXTS = {"two": "ShortestPaths(max_hops=2) >> PathAnswer()", "near": NEAR}
ASKED = [Question(f"q{i}", f"What is it, {i}?", ("Kenya",), ("Nairobi",), dataset="d") for i in range(3)]


def rows(path):
    """Session, question and measures of every result of a study."""
    with Study.open(path) as study:
        return [(one.session, one.question, one.metrics) for run in study.runs() for one in study.results(run.id)]


def test_a_refused_fresh_start_forgets_nothing(tmp_path):
    out = tmp_path / "runs.sqlite"
    evaluate(GRAPH, ASKED, TEXTS, out=out).close()
    before = rows(out)
    changed = [replace(ASKED[0], text="What else?"), *ASKED[1:]]
    with pytest.raises(InputError, match=r"is not what it was .*1 results.*--fresh"):
        evaluate(GRAPH, changed, {"near": NEAR}, out=out, fresh=True)
    assert rows(out) == before
    with evaluate(GRAPH, changed, TEXTS, out=out, fresh=True) as study:
        assert study.questions()[-1].text == "What else?"
        assert [run.done for run in study.runs()] == [3, 3]


def test_a_file_is_read_for_its_checksum_once(tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr("graphbrick.study.runs.experiment.sha256", lambda file: read.append(file) or "a" * 64)
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(json.dumps({"question": f"{i}?", "answers": []}) + "\n" for i in range(20)))
    evaluate(GRAPH, file, NEAR, out=tmp_path / "runs.sqlite").close()
    assert read == [file]
