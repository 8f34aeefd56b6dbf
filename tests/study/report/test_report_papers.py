"""Tables and figures of papers: values against plain sums, published figures beside them, and what was not run."""

from __future__ import annotations

import json
import sqlite3
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

import pytest
from made_study import Madeup, write_study

from graphbrick import recipe
from graphbrick.study.report.papers.counts import domain
from graphbrick.study.report.papers.reading import FilledPaper, read_papers
from graphbrick.study.report.papers.sections import conditions_table, left_out, values_table
from graphbrick.study.report.summary import summarize_study
from graphbrick.study.report.writing import write_report
from graphbrick.study.runs.recorder import Recorder
from graphbrick.study.store.plans import PaperColumn, PaperTable, Plan, PlannedData, PlannedPipeline
from graphbrick.study.store.reader import Study

GRAPH = "a" * 16
HIT = PaperColumn("Hit, WebQSP", "hits_at_1", "WebQSP", published="webqsp")
SECONDS = PaperColumn("seconds", "seconds:retrieve+rerank", "WebQSP", published="path_seconds")
SIMPLE = PaperColumn("simple", "f1", "MetaQA", "complexity=simple")
MAIN = PaperTable("Table 9", "instances", ("12", "2"), columns=(HIT, SECONDS, SIMPLE), note="Another graph.")
CURVE = PaperTable(
    "Figure 7", "sizes", groups=("$k entities",), columns=(PaperColumn("", "subgraph_recall"),), x="nodes"
)
MISSING = PaperTable("Figure 5", "memory", missing="Nobody measured it.")
DOMAINS = PaperTable("Figure 1", "domains", counts="domains")
COUNTS = PaperTable("Table 5", "counts", counts="data sets")


def planned(name: str, **more: object) -> PlannedPipeline:
    number = more.pop("recipe", "")
    values = {"base": name, "group": "", "recipe": number, "data": ("WebQSP", "MetaQA"), "identity": f"text of {name}"}
    return PlannedPipeline(name, **values | more)  # type: ignore[arg-type]


PIPELINES = (
    planned("recipe 2", recipe="2"),
    planned("recipe 12", recipe="12"),
    planned("recipe 12, repetition 2", recipe="12", base="recipe 12"),
    planned("5 entities", group="$k entities", values="k=5"),
    planned("9 entities", group="$k entities", values="k=9"),
)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study of 40 questions of two data sets, in which recipe 2 and a second half of recipe 12 are not run."""
    names = ["recipe 12", "recipe 12, repetition 2", "5 entities", "9 entities"]
    made = [Madeup(name, right=0.6, ms=20 + 5 * i, nodes=100 * (i + 1)) for i, name in enumerate(names)]
    path = write_study(tmp_path / "paper.sqlite", made, 40, datasets=("webqsp", "metaqa"))
    with sqlite3.connect(path) as db:
        for name in names:
            db.execute("UPDATE runs SET identity = ?, digests = '{}' WHERE name = ?", (f"text of {name}", name))
    db.close()
    data = (PlannedData("WebQSP", GRAPH, ("webqsp",), 20), PlannedData("MetaQA", GRAPH, ("metaqa",), 20))
    paper = {
        "name": "A Paper",
        "graph": "Freebase",
        "model": "a large one",
        "embedder": "theirs",
        "counting": "somehow",
    }
    with Recorder(path) as recorder:
        tables = (MAIN, CURVE, MISSING, DOMAINS, COUNTS)
        recorder.plan(Plan("paper.toml", "paper.sqlite", False, paper, data, PIPELINES, tables))
    return path


def paper_of(path: Path) -> FilledPaper:
    with Study.open(path) as study:
        (paper,) = read_papers(study, study.questions())
    return paper


def stored(path: Path, name: str, dataset: str) -> list[dict[str, object]]:
    with sqlite3.connect(path) as db:
        rows = db.execute(
            "SELECT results.metrics, results.stage_seconds, questions.hops FROM results JOIN runs ON runs.id = run"
            " JOIN questions ON questions.id = question WHERE runs.name = ? AND dataset = ? ORDER BY question",
            (name, dataset),
        ).fetchall()
    db.close()
    return [json.loads(metrics) | {"stages": json.loads(stages), "hops": hops} for metrics, stages, hops in rows]


def test_a_value_is_the_mean_over_questions_and_repetitions_with_its_interval(study: Path) -> None:
    first, second = (stored(study, name, "webqsp") for name in ("recipe 12", "recipe 12, repetition 2"))
    each = [(a["hits_at_1"] + b["hits_at_1"]) / 2 for a, b in zip(first, second, strict=True)]
    means = [fmean(one["hits_at_1"] for one in half) for half in (first, second)]
    value = paper_of(study).tables[0].rows[0].values[0]
    assert value.measured is not None
    assert (value.measured.mean, value.measured.n) == (pytest.approx(fmean(each)), 20)
    assert value.measured.low < fmean(each) < value.measured.high
    assert value.means == pytest.approx(means)
    assert value.spread == pytest.approx(stdev(means))
    (seconds,) = [
        fmean(sum(s for _, kind, s in one["stages"] if kind in ("retrieve", "rerank")) for one in first + second)
    ]
    assert paper_of(study).tables[0].rows[0].values[1].measured.mean == pytest.approx(seconds)


def test_the_interval_of_a_share_is_that_of_wilson(study: Path) -> None:
    with sqlite3.connect(study) as db:
        db.execute("UPDATE plans SET content = replace(content, '\"base\":\"recipe 12\"', '\"base\":\"none\"')"
                   " WHERE content LIKE '%repetition 2%'")  # fmt: skip
        content = json.loads(db.execute("SELECT content FROM plans").fetchone()[0])
        for pipeline in content["pipelines"]:
            pipeline["base"] = pipeline["name"]
        db.execute("UPDATE plans SET content = ?", (json.dumps(content),))
    db.close()
    rows = {row.name: row for row in paper_of(study).tables[0].rows}
    right = sum(one["hits_at_1"] for one in stored(study, "recipe 12", "webqsp"))
    n, p, z = 20, right / 20, 1.959964
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    ends = [(p + z * z / (2 * n) + sign * half) / (1 + z * z / n) for sign in (-1, 1)]
    own = rows["recipe 12"].values[0].measured
    assert [own.mean, own.low, own.high] == pytest.approx([p, *ends], abs=1e-5)
    assert set(rows) == {"recipe 12", "recipe 12, repetition 2", "recipe 2"}


def test_a_part_of_the_questions_has_a_column_of_its_own(study: Path) -> None:
    both = [stored(study, name, "metaqa") for name in ("recipe 12", "recipe 12, repetition 2")]
    simple = [one["f1"] for half in both for one in half if one["hops"] == 1]
    value = paper_of(study).tables[0].rows[0].values[2].measured
    assert value.mean == pytest.approx(fmean(simple))
    assert value.n == len(simple) // 2


def test_published_figures_stand_beside_ours_and_rows_without_runs_name_their_command(study: Path) -> None:
    table = values_table(paper_of(study).tables[0], "t")
    assert [(column.group, column.title) for column in table.columns] == [
        ("", "pipeline"), ("Hit, WebQSP, %", "here"), ("Hit, WebQSP, %", "published"), ("seconds", "here"),
        ("seconds", "published"), ("simple, %", "here"),
    ]  # fmt: skip
    first, second = table.rows
    assert (first[0].text, first[2].text, first[4].text) == ("recipe 12", "75.6", "280 ms")
    assert recipe("12").figures["webqsp"] == 75.6
    assert first[1].small.endswith(" of 2")
    assert (second[0].text, second[1].text, second[2].text) == ("recipe 2", "–", "77.7")
    assert second[0].small == "not run: graphbrick evaluate paper.toml --only 'recipe 2'"


def test_another_study_than_that_of_the_file_is_named_in_the_command(study: Path) -> None:
    other = study.rename(study.with_name("mine.sqlite"))
    row = paper_of(other).tables[0].rows[1]
    assert row.command == f"graphbrick evaluate paper.toml --out {other} --only 'recipe 2'"


def test_a_data_set_that_was_not_asked_is_told(study: Path) -> None:
    with sqlite3.connect(study) as db:
        db.execute("DELETE FROM results WHERE question IN (SELECT id FROM questions WHERE dataset = 'metaqa')")
        db.execute("DELETE FROM results WHERE question = 1 AND run = 3")
    db.close()
    write_report(study, markdown=study.with_suffix(".md"))
    lines = study.with_suffix(".md").read_text().split("## Table 9 of A Paper: instances")[1].splitlines()
    assert lines[2] == "Another graph. Cells «not run»: graphbrick evaluate paper.toml."
    assert [cell.strip() for cell in lines[6].split("|")][-2] == "not run"
    curve = study.with_suffix(".md").read_text().split("## Figure 7 of A Paper: sizes")[1].splitlines()
    assert curve[2].endswith("Rows with another n are not over the same questions.")


@pytest.mark.whole
def test_curves_have_a_point_for_each_value_of_a_sweep_and_data_set(study: Path) -> None:
    curve = paper_of(study).tables[1]
    assert [column.data for column in curve.columns] == ["WebQSP", "MetaQA"]
    row = curve.rows[0]
    nodes = fmean(one["nodes"] for one in stored(study, "5 entities", "metaqa"))
    assert (row.name, row.short) == ("5 entities", "k=5")
    assert row.x[1] == pytest.approx(nodes)
    write_report(study, html=study.with_suffix(".html"))
    page = study.with_suffix(".html").read_text()
    assert page.count("<title>… entities</title></polyline>") == 2
    assert page.index("Figure 7 of A Paper: sizes</h3>") < page.index("<figcaption><bdi>WebQSP, %</bdi></figcaption>")
    assert "Figure 5 of A Paper: memory" in page
    assert "Nobody measured it." in page


def test_what_the_paper_measured_with_stands_beside_what_was_used_here(study: Path) -> None:
    paper = paper_of(study)
    with Study.open(study) as opened:
        questions = opened.questions()
    rows = {row[0].text: (row[1].text, row[2].text) for row in conditions_table(paper, questions).rows}
    assert rows["graph"] == ("Freebase", f"{GRAPH}.graph")
    assert rows["model"] == ("a large one", "none asked")
    assert rows["counting"] == ("somehow", "Hits@1, F1, subgraph recall")
    assert left_out([paper], questions)[0] == "Figure 5 of A Paper: memory: Nobody measured it."
    assert "No question of this study tells the relations" in left_out([paper], questions)[1]


def test_an_embedder_that_reads_few_texts_is_named_so(study: Path) -> None:
    few = "PPR() >> PruneEdges(USE(), n=8) >> ShortestPaths() >> Rerank(FewTexts(MiniLM(), reads=64), n=32)"
    with sqlite3.connect(study) as db:
        db.execute("UPDATE runs SET recipe = ?", (few,))
    db.close()
    with Study.open(study) as opened:
        questions = opened.questions()
    rows = {row[0].text: row[2].text for row in conditions_table(paper_of(study), questions).rows}
    assert rows["embedder"] == "USE(), FewTexts(MiniLM(), reads=64)"


def test_domains_are_those_of_the_first_relation_of_the_gold_path(study: Path) -> None:
    with sqlite3.connect(study) as db:
        facts = {"chain": "location.country.capital people.person.name"}
        db.execute("UPDATE questions SET facts = ? WHERE id <= 6", (json.dumps(facts),))
        sparql = {"query": "PREFIX ns: <http://rdf.freebase.com/ns/> SELECT ?x { ns:m.0f8l9c ns:film.actor.film ?x }"}
        db.execute("UPDATE questions SET facts = ? WHERE id = 7", (json.dumps(sparql),))
    db.close()
    with Study.open(study) as opened:
        questions = opened.questions()
    assert [domain(one) for one in questions[:8]] == ["location"] * 6 + ["film", ""]
    write_report(study, markdown=study.with_suffix(".md"))
    counts = study.with_suffix(".md").read_text().split("## Table 5 of A Paper: counts")[1].splitlines()
    assert [[cell.strip() for cell in row.split("|")[1:3]] for row in counts[4:6]] == [
        ["MetaQA", "20"],
        ["WebQSP", "20"],
    ]
    rows = study.with_suffix(".md").read_text().split("## Figure 1 of A Paper: domains")[1].splitlines()[4:7]
    assert [[cell.strip() for cell in row.split("|")[1:4]] for row in rows] == [
        ["location", "3 (15.0)", "3 (15.0)"], ["film", "1 (5.0)", "0"], ["not told", "16 (80.0)", "17 (85.0)"],
    ]  # fmt: skip


def test_json_has_the_tables_too(study: Path) -> None:
    with Study.open(study) as opened:
        (paper,) = json.loads(json.dumps(summarize_study(opened).to_dict()))["papers"]
    assert paper["paper"]["name"] == "A Paper"
    (row, other) = paper["tables"][0]["rows"]
    assert row["values"][0]["published"] == pytest.approx(0.756)
    assert row["not_run"] == ""
    assert other["not_run"].startswith("graphbrick evaluate")
