"""Risk-coverage curves and reliability of a report."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from made_study import Madeup, write_study

from graphbrick.study.metrics.confidence import aurc, calibration_error
from graphbrick.study.report.confidence import (
    confidence_section,
    confidence_table,
    curve_table,
    reliability_table,
)
from graphbrick.study.report.figures import PipelineFigures, read_figures
from graphbrick.study.report.writing import write_report
from graphbrick.study.store.reader import Study


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pipelines = [Madeup("plain", right=0.5), Madeup("learned", right=0.8, confident=True, failed=0.1),
                 Madeup("other <learned>", right=0.6, confident=True)]  # fmt: skip
    return write_study(tmp_path_factory.mktemp("confidence") / "runs.sqlite", pipelines, 60)


@pytest.fixture(scope="module")
def figures(path: Path) -> list[PipelineFigures]:
    with Study.open(path) as study:
        return read_figures(study, study.questions(), "hits_at_1")


def test_the_figures_are_those_of_the_results(path: Path, figures: list[PipelineFigures]) -> None:
    by_name = {one.name: one for one in figures}
    assert by_name["plain"].confidence is None
    found = by_name["learned"].confidence
    assert found is not None
    with Study.open(path) as study:
        results = [one.metrics for one in study.results(by_name["learned"].run.id)]
    sure, right = [one["confidence"] for one in results], [one["hits_at_1"] for one in results]
    assert (found.questions, found.answered) == (60, 60)
    assert found.aurc == aurc(sure, right)
    assert found.error == calibration_error(sure, right)
    assert found.curve.risk[-1] == pytest.approx(1 - sum(right) / 60)
    assert sum(one.n for one in found.bins) == 60
    assert by_name["learned"].to_dict()["confidence"]["curve"]["coverage"][-1] == 1.0


def test_the_page_has_a_curve_for_each_pipeline_with_a_confidence(figures: list[PipelineFigures]) -> None:
    section = confidence_section(figures)
    assert section is not None
    chart = ET.fromstring(str(section.figures[0].content))
    lines = list(chart.iter("polyline"))
    assert len(lines) == 2
    for line in lines:
        places = [tuple(map(float, pair.split(","))) for pair in (line.get("points") or "").split()]
        assert all(52 <= x <= 542 and 16 <= y <= 282 for x, y in places)
        assert [x for x, _ in places] == sorted(x for x, _ in places)
        assert places[-1][0] == 542  # every question has an answer
    assert "&lt;learned&gt;" in str(section.figures[0].content)


def test_tables(figures: list[PipelineFigures]) -> None:
    measures, curve, bins = confidence_table(figures), curve_table(figures), reliability_table(figures)
    assert measures is not None
    assert curve is not None
    assert bins is not None
    assert [row[1].text for row in measures.rows] == ["learned", "other <learned>"]
    learned = figures[0].confidence
    assert learned is not None
    assert curve.rows[0][-1].value == pytest.approx(float(learned.curve.risk[-1]))
    assert all(row[3].value for row in bins.rows)  # intervals without answers are left out
    without = [one for one in figures if one.confidence is None]
    assert (confidence_table(without), curve_table(without), reliability_table(without)) == (None, None, None)
    assert confidence_section(without) is None


@pytest.mark.whole
def test_every_file_has_it(path: Path, tmp_path: Path) -> None:
    files = {kind: tmp_path / f"report.{kind}" for kind in ("html", "markdown", "csv")}
    write_report(path, html=files["html"], markdown=files["markdown"], csv=files["csv"])
    assert 'id="confidence-section"' in files["html"].read_text(encoding="utf-8")
    assert "## Confidence" in files["markdown"].read_text(encoding="utf-8")
    with files["csv"].open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["pipeline"] for row in rows if row["confidence"]} == {"learned", "other <learned>"}


def test_studies_without_confidence_have_no_section(tmp_path: Path) -> None:
    old = write_study(tmp_path / "old.sqlite", [Madeup("plain")], 20, version=2)
    write_report(old, html=tmp_path / "old.html", markdown=tmp_path / "old.md")
    assert "confidence-section" not in (tmp_path / "old.html").read_text(encoding="utf-8")
    assert "## Confidence" not in (tmp_path / "old.md").read_text(encoding="utf-8")
