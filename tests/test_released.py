"""What released versions wrote is opened and answers for ever; `tools/keep_release.py` adds a file for each release."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

import graphbrick
from graphbrick import Graph
from graphbrick.cli.graphs.checking import check_all
from graphbrick.learn.default import default_pipeline
from graphbrick.models.vectors.segments import Segment
from graphbrick.study.store.reader import Study
from keep_release import RELEASED

KEPT = sorted(RELEASED.glob("*.zip"))


@pytest.fixture(params=KEPT, ids=lambda file: file.stem)
def kept(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with zipfile.ZipFile(request.param) as packed:
        packed.extractall(tmp_path)
    monkeypatch.chdir(tmp_path)  # the learned words name their embedder from here
    return tmp_path


def test_this_version_is_kept() -> None:
    assert f"{graphbrick.__version__}.zip" in {file.name for file in KEPT}, "run tools/keep_release.py"


def test_facts_with_properties_a_change_and_learned_words(kept: Path) -> None:
    graph = Graph.open(kept / "facts.graph")
    assert check_all(graph) == []
    assert (graph.n_triples, graph.n_relations) == (13, 3)  # 13 in the table, one deleted, one added
    between = graph.properties_between(graph.entity("Kenya"), 0, graph.entity("Nairobi"))
    assert [dict(values) for values in between] == [{"since": 1963}]
    assert dict(graph.own_properties(graph.entity("Uganda"))) == {"population": 48_000_000}
    assert graph.types(graph.entity("Kenya")) == ["country"]
    pipeline = default_pipeline(graph)
    assert "facts.graph.patterns" in repr(pipeline)
    for question, answer in (
        ("What is the capital of Kenya?", "Nairobi"),
        ("Which country borders Rwanda?", "Uganda"),
        ("What is the capital of Burundi?", "Gitega"),  # of the change
    ):
        assert pipeline(graph, question).texts == (answer,)


def test_vectors(kept: Path) -> None:
    files = list((kept / "facts.graph.vectors").rglob("*.seg"))
    assert files
    for file in files:
        segment = Segment(file)
        segment.check()
        lengths = np.linalg.norm(segment.vectors.astype(np.float64), axis=1)
        assert segment.vectors.shape[1] == 16
        np.testing.assert_allclose(lengths, 1, atol=2e-3)


def test_a_graph_without_properties(kept: Path) -> None:
    graph = Graph.open(kept / "plain.graph")
    assert check_all(graph) == []
    assert sorted(graph.key_triples()) == [("a", "r", "b"), ("b", "r", "c")]


def test_documents(kept: Path) -> None:
    graph = graphbrick.open(kept / "notes.graph")
    assert check_all(graph) == []
    answer = graphbrick.parse("Passages() >> Quote(BM25())")(graph, "Which lake is the largest of Africa?")
    assert any("Lake Victoria" in text for text in answer.texts)
    (kept / "lakes.md").write_text("# Lakes\n\nLake Tana is the largest lake of Ethiopia.\n", encoding="utf-8")
    again = graphbrick.index([kept / "lakes.md"], kept / "notes.graph")
    assert again.graph.n_passages == 3  # two were there, of a file at another place


def test_a_study(kept: Path) -> None:
    study = Study(kept / "runs.sqlite")
    (run,) = study.runs()
    (result,) = study.results(run.id)
    assert (run.name, run.recipe) == ("near", "ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()")
    assert result.metrics["hits_at_1"] == 1
