"""Tokens of embedders apart from those of language models, time and cost by group, and stages in the CSV."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import fmean, median

import pytest
from commands import Run
from made_study import KINDS, Madeup, write_study

from graphbrick.core.trace import Exchange, Trace, count_call, count_exchange, record
from graphbrick.study.report.costs.spent import spent_table
from graphbrick.study.report.figures import read_figures
from graphbrick.study.report.overview import pipelines_table
from graphbrick.study.report.summary import compare_study, summarize_study
from graphbrick.study.report.writing import write_report
from graphbrick.study.store.reader import Study

SPLIT = [Madeup("embedded", embedding=300), Madeup("asked", tokens=800, embedding=100)]


@pytest.fixture
def split(tmp_path: Path) -> Path:
    return write_study(tmp_path / "runs.sqlite", SPLIT, 12, hops=(1, 2, 3, 5))


def test_a_trace_tells_embedders_and_language_models_apart() -> None:
    trace = Trace()
    with record(trace, "x", "rerank"):
        count_call(tokens_in=10)
        count_exchange(Exchange("embedder", [], "", 7), with_text=False)
        count_exchange(Exchange("writer", [], "a", 5, 2))
    ledger = trace.ledger
    assert (ledger["calls"], ledger["tokens_in"], ledger["tokens_out"]) == (3, 22, 2)
    assert (ledger["embedding_calls"], ledger["embedding_tokens"]) == (2, 17)
    assert Trace.from_dict(trace.to_dict()) == trace


def test_tokens_are_split_in_figures_and_tables(split: Path) -> None:
    with Study.open(split) as study:
        figures = {one.name: one for one in read_figures(study, study.questions(), "hits_at_1")}
    asked, embedded = figures["asked"], figures["embedded"]
    assert (asked.llm_tokens, asked.embedding_tokens) == (900, 100)  # 800 read and 100 written by the language model
    assert (embedded.llm_tokens, embedded.embedding_tokens) == (0, 300)
    assert (asked.a_question("llm_calls"), asked.a_question("embedding_calls")) == (3, 1)
    table = pipelines_table([asked, embedded])
    cells = [dict(zip([column.title for column in table.columns], row, strict=True)) for row in table.rows]
    assert [(row["LLM tokens"].value, row["embedding tokens"].value) for row in cells] == [(900, 100), (0, 300)]
    assert "tokens" not in cells[0]


def test_a_study_of_an_older_version_beside_a_newer_one_says_that_its_tokens_are_both_kinds(tmp_path: Path) -> None:
    path = write_study(tmp_path / "runs.sqlite", [*SPLIT, Madeup("old", tokens=80)], 4)
    with Study.open(path) as study:
        figures = {one.name: one for one in read_figures(study, study.questions(), "hits_at_1")}
    assert (figures["old"].llm_tokens, figures["old"].embedding_tokens) == (None, None)
    table = pipelines_table([figures["old"], figures["asked"]])
    cells = dict(zip([column.title for column in table.columns], table.rows[0], strict=True))
    assert (cells["LLM tokens"].text, cells["LLM tokens"].small, cells["embedding tokens"].text) == (
        "90", "both kinds", "–",
    )  # fmt: skip


def test_time_and_cost_by_hop_group(split: Path, tmp_path: Path) -> None:
    with Study.open(split) as study:
        questions = {question.id: question for question in study.questions()}
        (one, _) = read_figures(study, list(questions.values()), "hits_at_1", by="hop_group")
        many = [r for r in study.results(one.run.id) if (questions[r.question].hops or 0) >= 3]
        summary = summarize_study(study, by="complexity").to_dict()["runs"][0]
        comparison = compare_study(study, by="hop_group").to_dict()
    assert list(one.by["hop_group"]) == list(one.spent_by["hop_group"]) == ["1", "2", "multi"]
    spent = one.spent_by["hop_group"]["multi"]
    assert spent.questions == len(many) == 6
    assert spent.median == pytest.approx(1000 * median(r.seconds for r in many))
    assert spent.used["calls"] == fmean(r.ledger["calls"] for r in many)
    assert list(summary["spent_by"]) == list(summary["by"]) == ["complex", "simple"]
    assert summary["spent_by"]["simple"]["questions"] == 3
    found = [(row["group"], row["used"]["calls"]) for row in comparison["spent"] if row["pipeline"] == "asked"]
    assert found == [("", 4), ("1", 4), ("2", 4), ("multi", 4)]
    table = spent_table([one], "hop_group")
    assert table is not None
    assert [row[0].text for row in table.rows] == ["1", "2", "multi"]
    write_report(split, html=tmp_path / "out.html", markdown=tmp_path / "out.md", by="hop_group")
    assert "## Time and cost by hop_group" in (tmp_path / "out.md").read_text()
    assert 'id="spent-by-hop_group"' in (tmp_path / "out.html").read_text()


def test_time_and_cost_by_group_on_the_terminal(split: Path, run: Run) -> None:
    for command in ("compare", "report"):
        out = run(command, split, "--by", "complexity").out
        assert "time and cost of a question by complexity" in out
        rows = [line.split() for line in out.split("time and cost of a question by complexity")[1].splitlines()[:8]]
        assert [row[0] for row in rows if row and row[0] in ("simple", "complex")] == ["complex"] * 2 + ["simple"] * 2


def test_the_csv_has_milliseconds_of_stages_and_tokens_of_embedders(split: Path, tmp_path: Path) -> None:
    write_report(split, csv=tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with Study.open(split) as study:
        results = study.results(1)
    assert [row["pipeline"] for row in rows].count("embedded") == len(results)
    of_run = [row for row in rows if row["pipeline"] == "embedded"]
    for row, result in zip(of_run, results, strict=True):
        spent = {kind: 1000 * seconds for _, kind, seconds in result.stage_seconds}
        assert {kind: float(row[f"ms_{kind}"]) for kind in KINDS} == pytest.approx(spent, abs=0.001)
        assert sum(float(row[f"ms_{kind}"]) for kind in KINDS) == pytest.approx(float(row["ms"]), abs=0.01)
        assert (row["embedding_tokens"], row["embedding_calls"]) == ("300", "1")
    old = write_study(tmp_path / "old.sqlite", [Madeup("old", tokens=8)], 1)
    write_report(old, csv=tmp_path / "old.csv")
    with (tmp_path / "old.csv").open(newline="", encoding="utf-8") as file:
        assert next(csv.DictReader(file))["embedding_tokens"] == ""


def test_counts_of_data_sets(tmp_path: Path) -> None:
    hops = (1, 2, 3, None, 5, 1)
    path = write_study(tmp_path / "runs.sqlite", [Madeup("one")], 12, datasets=("cwq", "webqsp"), hops=hops)
    with Study.open(path) as study:
        counts = summarize_study(study).to_dict()["datasets"]
        can = [question.answerable for question in study.questions()]
    assert [one["dataset"] for one in counts] == ["cwq", "webqsp"]
    assert counts[0]["hops"] == {"1": 2, "2": 0, "multi": 4, "": 0}  # questions 0, 2, 4, ...: 1, 3 and 5 hops
    assert counts[1]["hops"] == {"1": 2, "2": 2, "multi": 0, "": 2}
    assert [one["questions"] for one in counts] == [6, 6]
    assert [one["answerable"] for one in counts] == [sum(can[::2]), sum(can[1::2])]
    assert (counts[0]["gold_answers"], counts[0]["seeds"]) == (1, 1)
    write_report(path, html=tmp_path / "out.html", markdown=tmp_path / "out.md")
    assert 'id="datasets"' in (tmp_path / "out.html").read_text()
    rows = (tmp_path / "out.md").read_text().split("## Data sets")[1].splitlines()[4:6]
    assert [cell.strip() for cell in rows[1].split("|")[1:-1]] == [
        "webqsp", "6", str(sum(can[1::2])), "1.0", "1.0", "2", "2", "0", "2",
    ]  # fmt: skip
