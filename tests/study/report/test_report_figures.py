from __future__ import annotations

import sqlite3

import pytest
from faults import fails
from made_study import Madeup, write_study

from graphbrick.study.report.figures import read_figures
from graphbrick.study.report.headlines import headlines
from graphbrick.study.report.overview import (
    compared,
    comparison_table,
    p_value,
    pipelines_table,
    strata_table,
)
from graphbrick.study.report.tables import Cell, Column, Table, markdown, table_html, table_markdown
from graphbrick.study.statistics.comparison import compare
from graphbrick.study.statistics.summary import summarize, summarize_by
from graphbrick.study.store.reader import Study


def read(path, metric="hits_at_1"):
    with Study.open(path) as study:
        return read_figures(study, study.questions(), metric)


def test_figures_are_those_of_the_results(small):
    figures = read(small)
    assert [one.number for one in figures] == [1, 2, 3]
    means = [one.means["hits_at_1"].all.mean for one in figures]
    assert means == sorted(means, reverse=True)
    with Study.open(small) as study:
        questions = study.questions()
        can = [bool(question.answerable) for question in questions]
        for one in figures:
            results = study.results(one.run.id)
            for name in ("hits_at_1", "hit", "f1", "subgraph_recall"):
                assert one.means[name] == summarize([r.metrics[name] for r in results], can, seed=0)
            hops = summarize_by([q.hops for q in questions], [r.metrics["hits_at_1"] for r in results], can, seed=0)
            assert one.by["hops"] == {str(name): found for name, found in hops.items()}
            assert list(one.by["dataset"]) == ["metaqa", "webqsp"]
            assert one.averages["nodes"] == pytest.approx(sum(r.metrics["nodes"] for r in results) / 60)
            times = sorted(1000 * r.seconds for r in results)
            assert one.times.median == pytest.approx((times[29] + times[30]) / 2)
            assert one.times.p95 == times[56]  # 57 of 60 take at most as long
            assert sum(one.times.stages.values()) == pytest.approx(one.times.mean)
            assert list(one.times.stages) == ["link", "extract", "prune", "retrieve", "rerank", "generate"]
            assert one.used["tokens_in"] == sum(r.ledger["tokens_in"] for r in results)
            assert sum(one.lost.values()) == 60
            assert one.lost["not lost"] == sum(r.lost_at == "none" for r in results)
            assert one.errors == sum(r.error is not None for r in results)


@pytest.mark.parametrize(("n", "place"), [(1, 0), (19, 18), (20, 18), (21, 19), (100, 94)])
def test_the_95th_percentile_is_the_least_that_95_of_100_do_not_exceed(tmp_path, n, place):
    path = write_study(tmp_path / "runs.sqlite", [Madeup("recipe 1")], n)
    with Study.open(path) as study:
        times = sorted(1000 * result.seconds for result in study.results(1))
    assert read(path)[0].times.p95 == times[place]


def test_hops_are_ordered_by_size_and_the_unknown_come_last(tmp_path):
    path = write_study(tmp_path / "runs.sqlite", [Madeup("recipe 1")], 8, hops=(10, None, 9, 2))
    assert list(read(path)[0].by["hops"]) == ["2", "9", "10", ""]


def test_comparisons_are_those_of_compare(small):
    figures = read(small)
    scores = {one.name: one.scores for one in figures}
    assert compared(figures, baseline=None) == compare(scores, seed=0)
    assert compared(figures, baseline="recipe 12") == compare(scores, baseline="recipe 12", seed=0)
    with fails("compare.no_baseline", baseline="recipe 99"):
        compared(figures, baseline="recipe 99")


def test_pairs_without_a_question_in_common_are_left_out_and_not_counted_in_the_correction(tmp_path):
    graphs = ["a", "a", "b", "b"]
    pipelines = [Madeup(f"recipe {i}", right=0.2 + 0.2 * i, graph=16 * graph) for i, graph in enumerate(graphs)]
    figures = read(write_study(tmp_path / "runs.sqlite", pipelines, 30))
    rows = compared(figures, baseline=None)
    assert {frozenset((row.first, row.second)) for row in rows} == {
        frozenset({"recipe 0", "recipe 1"}),
        frozenset({"recipe 2", "recipe 3"}),
    }
    low = min(row.p for row in rows)
    assert min(row.p_holm for row in rows) == pytest.approx(min(1.0, 2 * low))


def test_a_metric_that_is_not_there_is_refused(small):
    with fails("study.no_measure", measure="f2"):
        read(small, "f2")


def headline(figures, rows, measure):
    return headlines(figures, rows, "Hits@1", measure, {})


def test_the_headline_says_who_wins_and_from_whom_it_is_not_told_apart(tmp_path):
    pipelines = [Madeup("good", right=0.95), Madeup("as good", right=0.94), Madeup("bad", right=0.1)]
    figures = read(write_study(tmp_path / "runs.sqlite", pipelines, 80))
    best, other = (one.name for one in figures[:2])
    said = headline(figures, compared(figures, baseline=None), "hits_at_1")
    assert said.startswith(f"{best} has the highest Hits@1: ")
    assert said.endswith(f"it is not told apart from {other}.")
    two = [one for one in figures if one.name != other]
    assert headline(two, compared(two, baseline=None), "hits_at_1").endswith(
        "It is better than the other one at the 5 % level after Holm's correction."
    )
    assert headline([], [], "hits_at_1") == "The study has no runs yet."


def test_columns_of_what_no_pipeline_used_are_left_out(small, tmp_path):
    titles = [column.title for column in pipelines_table(read(small)).columns]
    assert {"calls", "tokens", "cost"} <= set(titles)
    free = read(write_study(tmp_path / "runs.sqlite", [Madeup("recipe 1")], 5))
    table = pipelines_table(free)
    assert not {"calls", "tokens", "cost"} & {column.title for column in table.columns}
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_every_row_of_a_table_has_a_cell_a_column(small):
    figures = read(small)
    for table in (pipelines_table(figures), comparison_table(compared(figures, baseline=None), figures, "hits_at_1")):
        assert all(len(row) == len(table.columns) for row in table.rows)
        lines = table_markdown(table).splitlines()
        kept = sum(column.only != "page" for column in table.columns)
        assert {line.count("|") - line.count("\\|") for line in lines} == {kept + 1}
        html = table_html(table)
        assert html.count("<tr") == len(table.rows) + 2
        assert html.count('scope="col"') == sum(column.only != "file" for column in table.columns)


def test_a_cell_of_markdown_stays_in_its_cell():
    table = Table("t", "said", [Column("a|b", text=True)], [[Cell("x | y\n| z `c` <b>")]])
    assert table_markdown(table) == "| a\\|b |\n| --- |\n| x \\| y \\| z \\`c\\` \\<b\\> |\n"
    assert markdown("\x1b[31m") == r"\\x1b\[31m"


def test_small_p_values_are_not_0():
    assert p_value(1e-12) == "< 0.0001"
    assert p_value(0.049) == "0.049"


def test_groups_that_differ_in_leading_zeros_stay_apart(tmp_path):
    path = write_study(tmp_path / "runs.sqlite", [Madeup("one")], 4, datasets=("01", "1", "10", "9"))
    with Study.open(path) as study:
        (one,) = read_figures(study, study.questions(), "hits_at_1")
    assert {name: mean.questions for name, mean in one.by["dataset"].items()} == {"01": 1, "1": 1, "10": 1, "9": 1}
    table = strata_table([one], "dataset", "hits_at_1")
    assert [column.title for column in table.columns] == ["pipeline", "01", "1", "9", "10"]


def test_groups_are_in_order_even_if_the_best_pipeline_lacks_one(tmp_path):
    pipelines = [Madeup("best", right=1.0, done=2 / 6), Madeup("other", right=0.1)]
    figures = read(write_study(tmp_path / "runs.sqlite", pipelines, 6, hops=(1, 3, 2)))
    assert list(figures[0].by["hops"]) == ["1", "3"]
    table = strata_table(figures, "hops", "hits_at_1")
    assert [column.title for column in table.columns] == ["pipeline", "1", "2", "3"]


def test_the_headline_names_whom_a_baseline_is_compared_with(tmp_path):
    pipelines = [Madeup("good", right=0.95), Madeup("fair", right=0.6), Madeup("bad", right=0.1)]
    figures = read(write_study(tmp_path / "runs.sqlite", pipelines, 80))
    said = headline(figures, compared(figures, baseline="bad"), "hits_at_1")
    assert said.endswith("It is better than bad at the 5 % level after Holm's correction.")
    said = headline(figures, compared(figures, baseline="good"), "hits_at_1")
    assert said.endswith("It is better than all 2 others at the 5 % level after Holm's correction.")


def test_the_headline_does_not_call_better_what_is_worse_on_the_same_questions(tmp_path):
    path = write_study(tmp_path / "runs.sqlite", [Madeup("begun", done=0.2), Madeup("done")], 100)
    with sqlite3.connect(path) as db:
        metrics = "UPDATE results SET metrics = json_set(metrics, '$.hits_at_1', %s) WHERE run = ? AND question %s"
        db.execute(metrics % (0.7, "<= 20"), (1,))
        db.execute(metrics % (1.0, "<= 20"), (2,))  # easy questions
        db.execute(metrics % (0.1, "> 20"), (2,))
    figures = read(path)
    said = headline(figures, compared(figures, baseline=None), "hits_at_1")
    assert said.startswith("begun has the highest Hits@1: 70.0 % of 20 questions")
    assert "It is better than" not in said
    assert said.endswith(
        "On the questions that both are done with, done is better at the 5 % level after Holm's correction."
    )
