from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import threading

import pytest
from commands import Run
from faults import fails
from made_study import Madeup, write_study

from graphbrick.core.errors import InputError
from graphbrick.study.report import writing
from graphbrick.study.report.writing import write_report
from graphbrick.study.store.reader import Study


@pytest.fixture
def run(run: Run) -> Run:
    return lambda *arguments: run("report", *arguments)


def test_all_three_are_written(small, tmp_path, run):
    files = {kind: tmp_path / "deep" / f"out.{kind}" for kind in ("html", "markdown", "csv")}
    options = [part for kind, path in files.items() for part in (f"--{kind}", path)]
    result = run(small, *options, "--json")
    assert (result.code, result.err) == (0, "")
    facts = json.loads(result.out)
    assert facts["files"] == {k: {"path": str(p), "bytes": p.stat().st_size} for k, p in files.items()}
    assert (facts["runs"], facts["questions"], facts["results"], facts["detailed"]) == (3, 60, 180, 60)
    assert facts["headline"].startswith("recipe 13 has the highest Hits@1")
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == ["out.csv", "out.html", "out.markdown"]


def test_what_is_printed(small, tmp_path, run):
    result = run(small, "--html", tmp_path / "out.html", "--details", 10, "--title", "My study")
    assert result.out.startswith("recipe 13 has the highest Hits@1: ")
    assert f"{tmp_path / 'out.html'}: " in result.out
    assert "answers and paths of 10 of 60 questions are in the page; --details all takes in all" in result.out
    assert "<title>My study</title>" in (tmp_path / "out.html").read_text()
    assert "--details" not in run(small, "--html", tmp_path / "out.html", "--details", "all").out


def test_the_rows_of_the_csv_are_the_results(small, tmp_path):
    out = tmp_path / "out.csv"
    write_report(small, csv=out)
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with Study.open(small) as study:
        results = {(run.name, result.question): result for run in study.runs() for result in study.results(run.id)}
        questions = {question.name: question for question in study.questions()}
    assert len(rows) == len(results) == 180
    for row in rows:
        question = questions[row["question"]]
        result = results[row["pipeline"], question.id]
        for name, value in result.metrics.items():
            assert float(row[name]) == value
        assert (row["text"], row["dataset"], row["hops"]) == (question.text, question.dataset, str(question.hops))
        assert row["lost_at"] == result.lost_at
        assert row["error"] == (result.error or "")
        assert float(row["ms"]) == pytest.approx(1000 * result.seconds, abs=0.001)
        assert int(row["tokens_in"]) == result.ledger["tokens_in"]


def test_a_text_of_many_lines_is_one_field_of_the_csv(tmp_path):
    hostile = 'a "quoted", text\nwith\r\nlines; =cmd()'
    path = write_study(tmp_path / "runs.sqlite", [Madeup("recipe, 1")], 2, label=lambda i: hostile)
    write_report(path, csv=tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["text"] for row in rows] == [f"which {hostile} belongs to {hostile}?"] * 2


def test_the_markdown_has_the_tables(small, tmp_path):
    write_report(small, markdown=tmp_path / "out.md")
    text = (tmp_path / "out.md").read_text()
    titles = [line for line in text.splitlines() if line.startswith("#")]
    assert titles == ["# Study runs", "## Quality", "## Stages and cost", "## Answers", "## Answers by hops",
                      "## Answers as published", "## Extraction", "## Paths", "## Hits@1 by hops",
                      "## Hits@1 by data set", "## Data sets", "## Comparison by Hits@1"]  # fmt: skip
    quality = text.split("## Answers")[0]
    assert quality.count("\n| 1 | recipe 13 |") == 0  # it has errors, which are said beside its name
    assert text.count("\n| 2 | recipe 12 |") == 6


def test_a_code_of_markdown_holds_any_marks(tmp_path):
    path = write_study(tmp_path / "runs.sqlite", [Madeup("recipe 1", recipe="`a` ``b`")], 2)
    write_report(path, markdown=tmp_path / "out.md")
    assert "1. recipe 1: ``` `a` ``b`  # 1 ```".replace("  #", " #") in (tmp_path / "out.md").read_text()


def test_a_file_is_replaced_by_a_whole_one_or_left_as_it_is(small, tmp_path, monkeypatch):
    out = tmp_path / "out.html"
    out.write_text("before")

    def broken(*_, **__):
        yield "half"
        raise InputError("the disk is full")

    monkeypatch.setattr(writing, "_page", broken)
    with pytest.raises(InputError, match="the disk is full"):
        write_report(small, html=out)
    assert out.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["out.html"]


@pytest.mark.posix
def test_links_stay(small, tmp_path):
    real, link = tmp_path / "real.html", tmp_path / "link.html"
    real.write_text("before")
    link.symlink_to(real)
    write_report(small, html=link)
    assert link.is_symlink()
    assert real.read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--html", "{tmp}"), "is a folder; name a file for --html"),
        (("--html", "{tmp}/a", "--csv", "{tmp}/./a"), "would overwrite --html; name another file"),
        (("--html", "{study}"), "would overwrite the study; name another file"),
        (("--html", "{tmp}/a", "--details", "some"), "--details takes a number of questions or all, got 'some'"),
        (("--html", "{tmp}/a", "--metric", "f2"), "there is no measure 'f2' in this study"),
        (("--html", "{tmp}/a", "--metric", "nodes"), "pipelines cannot be ranked by nodes, which is a size"),
        (("--html", "{tmp}/a", "--baseline", "recipe 2"), "the baseline must be a pipeline of the study"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_line(small, tmp_path, run, options, said):
    before = small.read_bytes()
    result = run(small, *(option.format(tmp=tmp_path, study=small) for option in options))
    assert result.code == 1
    assert said in result.err
    assert result.err.count("\n") == 1
    assert not list(tmp_path.iterdir())
    assert small.read_bytes() == before


def test_what_is_no_study_is_refused(tmp_path, run):
    assert "there is no such file" in run(tmp_path / "none.sqlite", "--html", tmp_path / "a").err
    (tmp_path / "text").write_text("no database, but long enough to be taken for one " * 20)
    assert "this is not a study" in run(tmp_path / "text", "--html", tmp_path / "a").err
    with fails("report.bad_details", details=-1):
        write_report(tmp_path / "text", html=tmp_path / "a", details=-1)


BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.mark.whole
@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
def test_a_real_browser_lists_the_questions_and_runs_nothing_of_theirs(tmp_path):
    path = write_study(
        tmp_path / "runs.sqlite", [Madeup("recipe 1"), Madeup("<b>2</b>")], 40,
        label=lambda i: "<img src=x onerror=document.title='hacked'></script><script>document.title='hacked'</script>",
    )  # fmt: skip
    out = tmp_path / "out.html"
    write_report(path, html=out, title="as it was")
    command = [str(BROWSER), "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'p'}",
               "--virtual-time-budget=2000", "--dump-dom", out.as_uri()]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "<title>as it was</title>" in done.stdout
    assert done.stdout.count('class="question"') == 25
    assert "40 of 40 questions, page 1 of 2" in done.stdout
    assert "<img" not in done.stdout


def test_a_carriage_return_is_no_new_row_of_the_csv(tmp_path):
    path = write_study(tmp_path / "runs.sqlite", [Madeup("one")], 2, label=lambda i: "a\rb")
    write_report(path, csv=tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["text"] for row in rows] == ["which a\rb belongs to a\rb?"] * 2


@pytest.mark.posix
@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_pipe_is_written_to_and_not_replaced(small, tmp_path):
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")), daemon=True)
    reader.start()
    write_report(small, csv=pipe)
    reader.join(10)
    assert pipe.is_fifo()
    assert read[0].startswith("pipeline,dataset,question")


def test_a_name_may_be_as_long_as_the_file_system_allows(small, tmp_path):
    out = tmp_path / f"{'報' * 83}.html"  # 254 bytes
    write_report(small, html=out)
    assert out.read_text().startswith("<!doctype html>")
