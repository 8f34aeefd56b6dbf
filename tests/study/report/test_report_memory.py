"""Memory by stage in reports: means and maxima against plain sums, only where it was measured."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from statistics import fmean

import pytest
from made_study import Madeup, write_study

from graphbrick.study.report.papers.measures import known_measure, shown, values_of
from graphbrick.study.report.papers.reading import read_papers
from graphbrick.study.report.papers.sections import left_out, values_table
from graphbrick.study.report.summary import summarize_study
from graphbrick.study.report.writing import write_report
from graphbrick.study.runs.recorder import Recorder
from graphbrick.study.store.plans import PaperColumn, PaperTable, Plan, PlannedData, PlannedPipeline
from graphbrick.study.store.reader import Study

GROWTH = {"retrieve": 4.0, "rerank": 9.0}  # MB more for each question


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A study of ten questions whose memory was not measured."""
    return write_study(tmp_path / "runs.sqlite", [Madeup("measured", ms=20), Madeup("not measured", right=0.1)], 10)


@pytest.fixture
def study(plain: Path) -> Path:
    """The same with memory of the first pipeline: question 1 loads a model, others need 2, 3 ... times `GROWTH`."""
    with sqlite3.connect(plain) as db:
        for question, text in db.execute("SELECT question, metrics FROM results WHERE run = 1").fetchall():
            grown = {f"grown_mb_{kind}": each * (300 if question == 1 else question) for kind, each in GROWTH.items()}
            peaks = {f"peak_mb_{kind}": 500.0 + question for kind in GROWTH}
            gpus = {"gpu_peak_mb_rerank": 2048.0}
            metrics = json.loads(text) | grown | peaks | gpus
            db.execute("UPDATE results SET metrics = ? WHERE run = 1 AND question = ?", (json.dumps(metrics), question))
    db.close()
    return plain


def test_json_has_mean_and_maximum_of_each_stage(study: Path) -> None:
    with Study.open(study) as opened:
        measured, other = json.loads(json.dumps(summarize_study(opened).to_dict()))["runs"]
    each = [300, *range(2, 11)]
    assert measured["memory"]["grown_mb"]["rerank"] == {
        "mean": pytest.approx(9 * fmean(each)), "maximum": 2700.0, "questions": 10,
    }  # fmt: skip
    assert measured["memory"]["peak_mb"]["retrieve"]["mean"] == pytest.approx(505.5)
    assert list(measured["memory"]["gpu_peak_mb"]) == ["rerank"]
    assert other["memory"] == {}


def test_markdown_has_a_row_for_each_stage_beside_its_seconds(study: Path) -> None:
    write_report(study, markdown=study.with_suffix(".md"))
    lines = study.with_suffix(".md").read_text().split("## Memory by stage")[1].split("\n## ")[0].strip().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    assert rows[0][2:] == [
        "stage", "time: mean", "growth: mean", "growth: maximum", "peak of the process: mean",
        "peak of the process: maximum", "peak of GPUs: mean", "peak of GPUs: maximum",
    ]  # fmt: skip
    assert [row[1:3] for row in rows[2:]] == [["measured", "retrieve"], ["measured", "rerank"]]
    assert rows[2][4:] == ["142 MB", "1.17 GB", "506 MB", "510 MB", "–", "–"]  # 4 * 35.4 and 1,200 MB
    assert rows[3][4:] == ["319 MB", "2.64 GB", "506 MB", "510 MB", "2 GB", "2 GB"]
    with sqlite3.connect(study) as db:
        stages = [json.loads(row[0]) for row in db.execute("SELECT stage_seconds FROM results WHERE run = 1")]
    db.close()
    ms = 1000 * fmean(sum(s for _, kind, s in one if kind == "retrieve") for one in stages)
    assert float(rows[2][3].removesuffix(" ms")) == pytest.approx(ms, rel=0.01)


def test_the_page_draws_bars_as_long_as_the_means_and_lines_to_the_maxima(study: Path) -> None:
    write_report(study, html=study.with_suffix(".html"))
    page = study.with_suffix(".html").read_text()
    section = page.split('id="memory-section"')[1].split("</section>")[0]
    assert section.count("<svg") >= 2
    assert "rerank: mean 319 MB, maximum 2.64 GB" in section
    growth = section.split("Growth: mean")[1].split("Peak of the process: mean")[0]
    bars = [float(width) for width in re.findall(r'<rect x="0" width="([\d.]+)%"', growth)]
    ends = [float(end) for end in re.findall(r'<line x1="[\d.]+%" x2="([\d.]+)%"[^>]*class="halo"', growth)]
    assert bars == pytest.approx([100 * 141.6 / 3000, 100 * 318.6 / 3000], abs=0.1)  # the axis ends at 3,000 MB
    assert ends == pytest.approx([40, 90], abs=0.1)


def test_without_memory_no_report_speaks_of_it(plain: Path) -> None:
    write_report(plain, html=plain.with_suffix(".html"), markdown=plain.with_suffix(".md"))
    assert "Memory by stage" not in plain.with_suffix(".html").read_text() + plain.with_suffix(".md").read_text()


def test_memory_is_a_measure_of_the_tables_of_papers(study: Path) -> None:
    assert known_measure("grown_mb:retrieve+rerank")
    assert not known_measure("grown_mb")
    assert not known_measure("peak_mb:cooking")
    assert shown("gpu_peak_mb:rerank", 12.345) == "12.3 MB"
    with Study.open(study) as opened:
        first, second = opened.results(1)[:2]
        others = opened.results(2)[:2]
    assert values_of("grown_mb:retrieve+rerank", [first, second]) == [2700.0, 18.0]  # stages follow each other
    assert values_of("grown_mb:retrieve", [first, second]) == [1200.0, 8.0]
    assert values_of("grown_mb:extract", [first]) == [None]
    assert values_of("grown_mb:retrieve", others) == [None, None]


def planned(path: Path) -> Path:
    with sqlite3.connect(path) as db:
        for name in ("measured", "not measured"):
            db.execute("UPDATE runs SET identity = ?, digests = '{}' WHERE name = ?", (f"text of {name}", name))
    db.close()
    pipelines = tuple(
        PlannedPipeline(name, name, "all", "", ("MetaQA",), f"text of {name}", "")
        for name in ("measured", "not measured")
    )
    column = PaperColumn("retrieval", "grown_mb:retrieve+rerank", "MetaQA")
    table = PaperTable("Figure 5", "memory", groups=("all",), columns=(column,))
    data = (PlannedData("MetaQA", "a" * 16, ("metaqa",), 10),)
    with Recorder(path) as recorder:
        recorder.plan(Plan("lego.toml", path.name, False, {"name": "A Paper"}, data, pipelines, (table,)))
    return path


def test_a_table_of_a_paper_has_the_mean_and_says_how_to_measure_the_rest(study: Path) -> None:
    with Study.open(planned(study)) as opened:
        (paper,) = read_papers(opened, opened.questions())
    first, second = values_table(paper.tables[0], "t").rows
    assert first[1].text == "319 MB"
    assert second[1].text == "–"
    assert second[0].small == "not measured: graphbrick evaluate lego.toml --memory --fresh --only 'not measured'"


def test_a_table_of_a_paper_without_any_memory_says_how_to_measure_it(plain: Path) -> None:
    with Study.open(planned(plain)) as opened:
        questions = opened.questions()
        (paper,) = read_papers(opened, questions)
    assert left_out([paper], questions) == [
        "Figure 5 of A Paper: memory: Not measured in this study: graphbrick evaluate lego.toml --memory --fresh."
    ]
