"""Measures of extraction and paths, and F1 of means, against plain sums over the stored results."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from statistics import fmean, harmonic_mean

import pytest
from faults import fails
from made_study import Madeup, write_study

from graphbrick import PPR
from graphbrick.study.report.against.sweeps import sweeps_of
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


def recipes(*texts: str) -> list[Madeup]:
    return [Madeup(f"p{i}", recipe=text, nodes=100 * (i + 1)) for i, text in enumerate(texts)]


def test_a_sweep_is_pipelines_that_differ_in_one_number(tmp_path: Path) -> None:
    rest = " >> ShortestPaths(max_hops=3) >> Rerank(BM25(), n=8) >> PathAnswer()"
    texts = [f"PPR(k={k}){rest}" for k in (2000, 100)] + [f"PPR(){rest}"]  # whose k is the default
    texts += [f"PPR(k=100){rest}".replace("n=8", "n=16"), f"RandomWalk(seed=1){rest}", f"RandomWalk(seed=2){rest}"]
    texts.append(f"Missing(a=1.5){rest}")
    texts += [f"Missing(a=2){rest}", "no recipe ("]
    path = write_study(tmp_path / "runs.sqlite", recipes(*texts), 6)
    with Study.open(path) as study:
        figures = read_figures(study, study.questions(), "hits_at_1")
    default = PPR().k
    assert [(str(sweep), [one.name for one in sweep.figures]) for sweep in sweeps_of(figures)] == [
        (f"PPR k (100, {default:g}, 2000)", ["p1", "p2", "p0"]),
        ("Missing a (1.5, 2)", ["p6", "p7"]),
        ("Rerank n (8, 16)", ["p1", "p3"]),
    ]


def test_sweeps_are_lines_of_charts_and_rows_of_tables(tmp_path: Path) -> None:
    path = write_study(tmp_path / "runs.sqlite", recipes("PPR(k=100)", "PPR(k=500)", "PPR(k=900)"), 30)
    write_report(path, html=tmp_path / "out.html", markdown=tmp_path / "out.md")
    page = (tmp_path / "out.html").read_text()
    # against entities: recall and F1 of answers; against recall: Hits@1. The number of paths is always the same.
    assert page.count("<title>PPR k (100, 500, 900)</title></polyline>") == 3
    assert page.count('class="rule"') == 2
    rows = (tmp_path / "out.md").read_text().split("## Sweeps of one parameter")[1].split("\n\n")[2].splitlines()
    assert [row.split("|")[1:3] for row in rows[2:]] == [[" PPR k ", f" {k} "] for k in (100, 500, 900)]
    with Study.open(path) as study:
        (sweep,) = summarize_study(study).to_dict()["sweeps"]
        nodes = [result.metrics["nodes"] for result in study.results(2)]
    assert (sweep["parameter"], [point["value"] for point in sweep["points"]]) == ("PPR k", [100, 500, 900])
    assert sweep["points"][1]["entities"] == pytest.approx(fmean(nodes))


@pytest.mark.whole
def test_pipelines_of_low_recall_are_left_out(small: Path, tmp_path: Path) -> None:
    with Study.open(small) as study:
        recalls = {run.name: fmean(r.metrics["subgraph_recall"] for r in study.results(run.id)) for run in study.runs()}
        least = sorted(recalls.values())[1]
        below = [name for name, recall in recalls.items() if recall < least]
        assert len(below) == 1
        summary = summarize_study(study, min_recall=least)
        assert {one.name for one in summary.figures} == set(recalls) - set(below)
        assert [one.number for one in summary.figures] == [1, 2]
        assert summary.left_out == below
        comparison = compare_study(study, min_recall=least, by="hops")
        assert [", ".join(summary.left_out) in text for text in comparison.notes] == [True]
        assert {one.name for figures in comparison.figures.values() for one in figures} == set(recalls) - set(below)
        with fails("figures.bad_recall", recall=60):
            summarize_study(study, min_recall=60)
        with fails("figures.recall_too_high", recall=1):
            summarize_study(study, min_recall=1)
    write_report(small, html=tmp_path / "out.html", markdown=tmp_path / "out.md", min_recall=least)
    said = f"Left out, because their mean subgraph recall is below {least:g}: {below[0]}"
    assert said in (tmp_path / "out.html").read_text()
    assert said in (tmp_path / "out.md").read_text()
    assert f"recall {least:g}</text>" in (tmp_path / "out.html").read_text()
