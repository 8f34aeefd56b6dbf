"""Every command and the server run the same pipeline over a graph if none is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import DEFAULT_PIPELINE
from graphbrick.learn.learned import learned_pipeline
from graphbrick.learn.learning import LearnReport
from graphbrick.pipeline.budget import StoppedError
from graphbrick.pipeline.parsing import parse
from graphbrick.serve.hosting import DEFAULT, HostedGraph
from graphbrick.study.store.reader import Study
from graphbrick.study.tune import search
from graphbrick.testing import tiny_graph


@pytest.mark.whole
@pytest.mark.parametrize("is_learned", [True, False])
def test_what_runs_if_no_pipeline_is_named(
    is_learned: bool,
    learned: tuple[Graph, LearnReport],
    run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The learned pipeline of a graph that was learned, else the one that needs no learning."""
    graph = learned[0] if is_learned else tiny_graph()
    place, runs, questions = str(graph.place), tmp_path / "runs.sqlite", tmp_path / "questions.jsonl"
    expected = repr(learned_pipeline(graph) or parse(DEFAULT_PIPELINE))
    assert (expected != repr(parse(DEFAULT_PIPELINE))) == is_learned
    name = graph.label(0)
    question = {"id": "1", "question": f"What is {name}?", "seeds": [name], "answers": [graph.label(1)]}
    questions.write_text(json.dumps(question) + "\n", encoding="utf-8")

    assert json.loads(run("ask", place, question["question"], "--json").out)["pipeline"] == expected
    assert run("evaluate", place, questions, "--out", runs).code == 0
    with Study.open(runs) as study:
        assert [one.recipe for one in study.runs()] == [expected]
    assert repr(HostedGraph("org", place, {}).now.recipe(DEFAULT)) == expected

    def begun(*_: object, known: dict[str, str], **__: object) -> None:
        assert known["default"] == expected
        raise StoppedError("the baseline is known")

    monkeypatch.setattr(search, "tune", begun)
    assert "the baseline is known" in run("tune", place, questions, "--out", tmp_path / "tuned").err
