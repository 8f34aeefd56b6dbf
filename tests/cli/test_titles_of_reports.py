"""A report has the title of its experiment file and what it is about, also when it is written again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_studies import BM25, ROWS
from commands import Run

from graphbrick import build
from graphbrick.study.experiments.plan import Experiment
from graphbrick.testing import TINY

TEXT = f"""
title = "An afternoon"
about = "Two recipes, and a sweep."
seed = 0

[[data]]
name = "tiny"
graph = "tiny.graph"
questions = "rows.jsonl"

[[run]]
name = "mine"
pipeline = "{BM25}"
"""


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    folder = tmp_path / "a folder"
    folder.mkdir()
    build(TINY, folder / "tiny.graph")
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    (folder / "paper.toml").write_text(TEXT, encoding="utf-8")
    return folder / "paper.toml"


@pytest.mark.whole
def test_title_and_about_stand_above_the_report(run: Run, paper: Path) -> None:
    study, page, table = paper.with_suffix(".sqlite"), paper.with_suffix(".html"), paper.with_suffix(".md")
    assert run("evaluate", paper).code == 0
    assert run("report", study, "--html", page, "--markdown", table).code == 0
    for text in (page.read_text("utf-8"), table.read_text("utf-8")):
        assert "An afternoon" in text
        assert "Two recipes, and a sweep." in text
    assert run("report", study, "--markdown", table, "--title", "Another").code == 0
    assert table.read_text("utf-8").startswith("# Another\n")


def test_the_seed_0_is_one(paper: Path) -> None:
    assert Experiment.read(paper).checked().seed == 0


def test_the_advice_of_a_forecast_can_be_pasted(run: Run, paper: Path) -> None:
    assert f"graphbrick evaluate '{paper}' --limit 3" in " ".join(run("evaluate", paper, "--dry-run").out.split())
