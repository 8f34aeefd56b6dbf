"""Experiment files whose pipelines read reports on communities: what is told before the first question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_studies import ROWS
from commands import Run, refused

from graphbrick import build, parse
from graphbrick.study.store.reader import Study
from graphbrick.testing import TINY

TEXT = """
[[data]]
name = "tiny"
graph = "tiny.graph"
build = "triples.tsv"
questions = "rows.jsonl"

[[run]]
recipes = ["1", "GRAG-M"]
models = ["some-model"]
set = { answer = "PathAnswer()" }
"""


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "triples.tsv").write_text("".join("\t".join(triple) + "\n" for triple in TINY))
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    Path("paper.toml").write_text(TEXT, encoding="utf-8")
    return Path("paper.toml")


def test_a_graph_that_the_file_would_build_has_no_reports_yet(run: Run, paper: Path) -> None:
    graph, source = paper.with_name("tiny.graph"), paper.with_name("triples.tsv")
    told = (
        "tiny: recipe GRAG-M reads reports on the communities of the graph; build it and write them first: "
        f"graphbrick build {source} {graph}, then graphbrick prepare reports {graph} --llm some-model"
    )
    refused(run("evaluate", paper), told, "leave the pipeline out")
    assert not graph.exists()
    assert not paper.with_suffix(".sqlite").exists()
    forecast = run("evaluate", paper, "--dry-run")
    assert forecast.code == 0
    assert told in forecast.err
    assert run("evaluate", paper, "--only", "recipe 1").code == 0  # which reads none
    assert graph.exists()


def test_a_graph_without_reports_is_told_with_the_command_and_one_with_them_is_asked(run: Run, paper: Path) -> None:
    graph = build(TINY, paper.with_name("tiny.graph")).path
    told = f"were not written yet; run graphbrick prepare reports {graph} (as published, with --llm some-model)"
    refused(run("evaluate", paper), told)
    pytest.importorskip("igraph")
    assert run("prepare", "reports", graph).code == 0
    text = paper.read_text(encoding="utf-8").replace(
        'recipes = ["1", "GRAG-M"]', 'pipeline = "CommunityReports() >> PathAnswer()"'
    )
    paper.write_text(text.replace('models = ["some-model"]\nset = { answer = "PathAnswer()" }\n', ""), encoding="utf-8")
    assert run("evaluate", paper).code == 0
    with Study.open(paper.with_suffix(".sqlite")) as study:
        assert [one.done for one in study.runs()] == [4]


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("CommunityReports()", True),
        ("CommunityReports(LLM(), MiniLM())", False),
        ("Reports()", True),
        ("ReportedCommunities(MiniLM()) >> ShortestPaths()", True),
        ("PPR() >> ShortestPaths()", False),
    ],
)
def test_stages_say_whether_they_read_reports(text: str, reads: bool) -> None:
    assert any(stage.reads_reports for stage in parse(text).stages_within()) is reads
