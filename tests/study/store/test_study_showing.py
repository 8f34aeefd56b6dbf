"""How a study looks: its repr, its HTML, and its results as a table of pandas."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphbrick.core.errors import InputError
from graphbrick.questions.question import Question
from graphbrick.study import Study, evaluate
from graphbrick.testing import tiny_graph

QUESTIONS = [
    Question("1", "Which currency has Kenya?", ("Kenya",), ("Kenyan shilling",), dataset="mine", hops=1),
    Question("2", "What is the capital of Uganda?", ("Uganda",), ("Nairobi",), dataset="mine"),
]
PIPELINES = {
    "bm25": "ShortestPaths() >> Rerank(BM25()) >> PathAnswer()",
    "<img src=x onerror=alert(1)>": "ShortestPaths() >> Rerank(NGram()) >> PathAnswer()",
}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    place = tmp_path_factory.mktemp("study") / "runs.sqlite"
    with evaluate(tiny_graph(), QUESTIONS, PIPELINES, out=place) as opened:
        yield opened


def test_the_repr_names_file_and_runs(study: Study) -> None:
    assert repr(study) == "Study('runs.sqlite', runs=2: bm25, <img src=x onerror=alert(1)>)"


def test_a_closed_study_has_a_repr_too(study: Study, tmp_path: Path) -> None:
    copy = tmp_path / ("x" * 200)
    copy.write_bytes(study.path.read_bytes())
    closed = Study.open(copy)
    assert repr(closed).startswith("Study('xxx")
    assert len(repr(closed)) <= 200
    closed.close()
    assert repr(closed).endswith("..., cannot be read)")
    with pytest.raises(InputError):
        closed.runs()


def test_the_html_has_the_means_of_each_run(study: Study) -> None:
    page = study._repr_html_()
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "2 of 2" in page
    first, second = study.runs()
    for run in (first, second):
        hits = [result.metrics["hits_at_1"] for result in study.results(run.id)]
        assert f"{50 * sum(hit or 0.0 for hit in hits):.1f} %" in page
    assert "50.0 %" in page


def test_the_table_has_a_row_for_each_run_and_question(study: Study) -> None:
    pytest.importorskip("pandas")
    frame = study.to_pandas()
    assert len(frame) == 4
    assert list(frame["run"]) == ["bm25", "bm25", *["<img src=x onerror=alert(1)>"] * 2]
    assert list(frame["question"]) == ["1", "2", "1", "2"]
    assert list(frame["hops"][:1]) == [1]
    results = [result for run in study.runs() for result in study.results(run.id)]
    assert list(frame["hits_at_1"]) == [result.metrics["hits_at_1"] for result in results]
    assert list(frame["seconds"]) == [result.seconds for result in results]
    assert {"f1", "calls", "tokens_in", "cost", "error", "lost_at"} <= set(frame.columns)
    assert frame.groupby("run")["hits_at_1"].mean()["bm25"] == 0.5
