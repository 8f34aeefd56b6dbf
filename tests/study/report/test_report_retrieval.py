"""Measures of extraction and paths, and F1 of means, against plain sums over the stored results."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from statistics import fmean, harmonic_mean

import pytest
from made_study import Madeup, write_study

from graphbrick.study.report.answers import answers_table, published_table, rows_of
from graphbrick.study.report.figures import PipelineFigures, read_figures
from graphbrick.study.report.stage_tables import task_tables
from graphbrick.study.report.summary import compare_study, summarize_study
from graphbrick.study.report.writing import write_report
from graphbrick.study.store.reader import Study

# precision, recall and F1 of four questions: F1 of the means differs from the mean of F1
SHARES = [(1.0, 0.5), (0.5, 1.0), (0.0, 0.0), (0.25, 1.0)]
F1 = [2 / 3, 2 / 3, 0.0, 0.4]


def write(path: Path) -> Path:
    """Write a study of one pipeline whose measures of extraction and paths are known."""
    write_study(path, [Madeup("one")], 4, hops=(1, 2, 3, 4))
    with sqlite3.connect(path) as db:
        for number, ((precision, recall), f1) in enumerate(zip(SHARES, F1, strict=True), 1):
            metrics = json.loads(db.execute("SELECT metrics FROM results WHERE question = ?", (number,)).fetchone()[0])
            for prefix in ("", "lego_", "subgraph_", "path_"):
                metrics |= {f"{prefix}precision": precision, f"{prefix}recall": recall, f"{prefix}f1": f1}
            sizes = {"nodes": 100 * number, "triples": 200 * number, "components": None if number == 4 else number}
            text = json.dumps(metrics | sizes | {"hit_at_1": 0.0})
            db.execute("UPDATE results SET metrics = ? WHERE question = ?", (text, number))
        db.execute("UPDATE questions SET answerable = id <> 3")
    db.close()
    return path


def read(path: Path) -> PipelineFigures:
    with Study.open(path) as study:
        (one,) = read_figures(study, study.questions(), "hits_at_1")
    return one


def test_f1_of_means_is_the_harmonic_mean_of_the_two_means(tmp_path: Path) -> None:
    one = read(write(tmp_path / "runs.sqlite"))
    precision, recall = (fmean(pair[i] for pair in SHARES) for i in (0, 1))
    for part, prefix in ((one.answers, ""), (one.answers, "lego_")):
        assert part.means[f"{prefix}f1"].all == pytest.approx(fmean(F1)) == pytest.approx(0.4333, abs=1e-4)
        assert part.means[f"{prefix}f1_of_means"].all == pytest.approx(harmonic_mean([precision, recall]))
    can = [pair for number, pair in enumerate(SHARES, 1) if number != 3]
    answerable = harmonic_mean([fmean(pair[0] for pair in can), fmean(pair[1] for pair in can)])
    assert one.paths["path_f1_of_means"].answerable == pytest.approx(answerable)
    assert one.extraction["subgraph_f1_of_means"].all == pytest.approx(harmonic_mean([precision, recall]))
    table = answers_table(rows_of([one]))
    assert table is not None
    assert [column.title for column in table.columns].count("F1 of means") == 2
    published = published_table([one])
    assert published is not None
    assert published.columns[-1].title == "F1 of means"
    assert published.rows[0][-1].value == pytest.approx(harmonic_mean([precision, recall]))


def test_extraction_and_paths_are_means_of_the_results(tmp_path: Path) -> None:
    path = write(tmp_path / "runs.sqlite")
    one = read(path)
    assert one.extraction["subgraph_f1"].all == pytest.approx(fmean(F1))
    assert one.extraction["nodes"].all == 250
    assert (one.extraction["components"].all, one.extraction["components"].scored) == (2, 3)
    assert one.paths["path_hit"].all == 0.75  # derived from precision: made by a version without this measure
    assert one.averages["n_paths"] == 8
    assert one.means["subgraph_f1"].all.mean == pytest.approx(fmean(F1))
    tables = {task.key: task.table for task in task_tables({"": [one]})}
    titles = [column.title for column in tables["extraction"].columns]
    cells = dict(zip(titles, tables["extraction"].rows[0], strict=True))
    assert (cells["F1"].text, cells["entities"].text, cells["components"].text) == ("43.3", "250", "2.0")
    assert titles[-3:] == ["entities", "triples", "components"]


def test_json_and_markdown_have_extraction_and_paths(tmp_path: Path) -> None:
    path = write(tmp_path / "runs.sqlite")
    with Study.open(path) as study:
        (run,) = summarize_study(study).to_dict()["runs"]
        comparison = compare_study(study).to_dict()
    assert run["extraction"]["subgraph_f1"]["all"] == pytest.approx(fmean(F1))
    assert run["paths"]["path_recall"]["all"] == pytest.approx(0.625)
    assert comparison["extraction"][0]["measures"] == run["extraction"]
    assert run["answers"]["f1_of_means"]["scored"] == 4
    write_report(path, markdown=tmp_path / "out.md", html=tmp_path / "out.html")
    text = (tmp_path / "out.md").read_text()
    lines = text.split("## Extraction")[1].splitlines()
    assert [cell.strip() for cell in lines[4].split("|")[1:8]] == [
        "\\#", "pipeline", "questions", "precision", "recall", "F1", "F1 of means",
    ]  # fmt: skip
    assert "F1 of means" in (tmp_path / "out.html").read_text()
