"""The tables of answers, and prompts, replies and verdicts in the page."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean

import pytest
from made_study import Madeup, write_study
from test_report_page import HOSTILE, check, report

from graphbrick.study.report.answers import answers_table, judge_notes, published_table, rows_by_hops, rows_of
from graphbrick.study.report.figures import ANSWERED, read_figures
from graphbrick.study.report.writing import write_report
from graphbrick.study.store.reader import Study

PIPELINES = [Madeup("plain", right=0.5), Madeup("modelled", right=0.9, tokens=900)]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_study(tmp_path_factory.mktemp("study") / "runs.sqlite", PIPELINES, 40, judge="LLM(model='judge')")


def test_every_measure_over_all_over_answerable_and_by_hops(judged: Path) -> None:
    with Study.open(judged) as study:
        questions = {question.id: question for question in study.questions()}
        figures = read_figures(study, list(questions.values()), "hits_at_1")
        for one in figures:
            results = study.results(one.run.id)
            for name in ANSWERED:
                for hops in (None, 1, 2, 3):
                    some = [r for r in results if hops in (None, questions[r.question].hops)]
                    found = (one.answers if hops is None else one.answers_by_hops[str(hops)]).means[name]
                    values = [(r.metrics[name], questions[r.question].answerable) for r in some]
                    assert found.all == fmean(value for value, _ in values if value is not None)
                    assert found.answerable == fmean(value for value, can in values if value is not None and can)
                    assert found.scored == sum(value is not None for value, _ in values)
        table = answers_table(rows_of(figures))
        titles = ["Hit", "Hits@1", "EM", "precision", "recall", "F1", "F1 of means", "Judge@1"]
        assert [column.title for column in table.columns] == ["#", "pipeline", "questions", *titles, *titles]
        assert [row[1].text for row in table.rows] == ["modelled", "plain"]
        assert [cell.value for cell in table.rows[0][3:9]] == [
            figures[0].answers.means[name].all for name in ANSWERED[:-1]
        ]
        assert [(row[0].text, row[2].text) for row in answers_table(rows_by_hops(figures), by="hops").rows] == [
            (hops, name) for hops in "123" for name in ("modelled", "plain")
        ]
        rog = published_table(figures)
        assert [(column.group, column.title) for column in rog.columns[2:]] == [
            ("here", "Hits@1"), ("as RoG, %", "hit"), ("as RoG, %", "F1"), ("as ToG, %", "exact match"),
            ("as LEGO-GraphRAG, %", "hit"),
        ]  # fmt: skip


def test_of_how_many_answers_there_is_a_verdict_stands_beside_the_share(judged: Path) -> None:
    with Study.open(judged) as study:
        figures = read_figures(study, study.questions(), "hits_at_1")
    row = answers_table(rows_of(figures)).rows[0]
    found = figures[0].answers.means["judge_at_1"]
    assert (row[10].small, row[10].strong) == ("of 36", False)  # the judge failed on 4 of 40
    assert (row[18].small, row[18].strong) == (f"of {found.scored_answerable}", False)
    assert 0 < found.scored_answerable < figures[0].answerable
    assert {cell.small for cell in (*row[3:10], *row[11:18])} == {""}


def test_the_judge_s_calls_stand_apart(judged: Path) -> None:
    with Study.open(judged) as study:
        figures = read_figures(study, study.questions(), "hits_at_1")
        (note, other) = judge_notes(figures, study.judge)
    assert note == (
        "modelled: LLM(model='judge') judged 40 answers, 40 of them by asking, 4 verdicts could not be read and "
        "count as wrong (--retry asks again), the judge failed on 4 (--retry asks it again): the judge is away; "
        "40 calls, 3.6k/40 tokens in/out, $0.04, beside what the pipeline took"
    )
    assert figures[1].used["calls"] == 0
    assert other.startswith("plain: ")


def test_nothing_of_it_where_there_is_nothing(tmp_path: Path) -> None:
    old = write_study(tmp_path / "old.sqlite", PIPELINES, 6, version=1)
    with Study.open(old) as study:
        assert study.judge is None
        assert study.judgements(1) == []
        assert study.judgement(1, 1) is None
        assert study.detail(2, 1).exchanges == ()
        figures = read_figures(study, study.questions(), "hits_at_1")
        assert published_table(figures) is None
        assert [c.title for c in answers_table(rows_of(figures)).columns][3:6] == ["Hit", "Hits@1", "F1"]
        assert judge_notes(figures, None) == []
    page = report(old, tmp_path)
    check(page)
    assert "As others publish" not in page.text


def test_prompts_replies_and_verdicts_are_in_the_page(judged: Path, tmp_path: Path) -> None:
    page = report(judged, tmp_path, details=None)
    check(page)
    assert "Judge@1" in page.text
    assert "As others publish such figures" in page.text
    block = page.data["data-details-0"]
    texts, row = block["texts"], block["rows"][0]["runs"]["0"]
    said = [[texts[about], [[texts[role], texts[text]] for role, text in messages], texts[reply]]
            for about, messages, reply in row["said"]]  # fmt: skip
    assert said == [
        ["Generate(n=1): some-model, 12 tokens in, 3 out", [["system", "Answer."], ["user", "Where is Entity 0?"]],
         "At Entity 0."],
        ["judge: some-model, 12 tokens in, 3 out", [["system", "Answer."], ["user", "Where is Entity 1?"]],
         "At Entity 1."],
    ]  # fmt: skip
    assert [row["judge"][0], texts[row["judge"][1]]] == [1, "by the model"]
    assert [block["rows"][4]["runs"]["0"]["judge"][0]] == [-1]
    without = report(judged, tmp_path, details=None, exchanges=False)
    assert "said" not in without.data["data-details-0"]["rows"][0]["runs"]["0"]
    assert "Where is" not in str(without.data)


def test_what_was_said_is_shown_and_never_run(tmp_path: Path) -> None:
    long = "x" * 20_000
    texts = [*HOSTILE, long]
    path = write_study(tmp_path / "runs.sqlite", PIPELINES, len(texts), label=lambda i: texts[i % len(texts)],
                       judge="LLM(model='<script>')")  # fmt: skip
    page = report(path, tmp_path, details=None)
    check(page)
    whole = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert not set(whole) & set("\x00\x1b\x07\u202e\u2066\u2028\u2029\ufeff\u200b")
    shown = [text for text in page.data["data-details-0"]["texts"] if text.startswith("Where is xx")]
    assert [len(text) < 7000 for text in shown] == [True]
    assert "(20,010 characters)" in shown[0]


def test_a_published_score_can_decide(judged: Path, tmp_path: Path) -> None:
    write_report(judged, markdown=tmp_path / "out.md", metric="tog_exact_match")
    assert re.search(r"have the highest ToG exact match: 100 %", (tmp_path / "out.md").read_text())
