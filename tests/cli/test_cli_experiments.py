"""``graphbrick evaluate FILE.toml`` as its user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_studies import NEAR, ROWS
from commands import Run, refused

from graphbrick.study.store.reader import Study
from graphbrick.testing import TINY, ScriptedLLM

TEXT = f"""
title = "A small paper"
about = "Two pipelines, one of them with a sweep."

[[data]]
name = "tiny"
graph = "tiny.graph"
build = "triples.tsv"
questions = "rows.jsonl"

[[data]]
name = "again"
graph = "tiny.graph"
build = "triples.tsv"
questions = "more.jsonl"

[[run]]
name = "near"
pipeline = "{NEAR}"

[[run]]
name = "$k entities"
pipeline = "PPR(k=$k) >> ShortestPaths() >> Rerank(BM25(), n=4) >> PathAnswer()"
sweep = {{ k = [3, 9] }}
data = ["tiny"]
"""


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    (tmp_path / "triples.tsv").write_text("".join("\t".join(triple) + "\n" for triple in TINY))
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    (tmp_path / "more.jsonl").write_text(f"{json.dumps(ROWS[0])}\n")
    (tmp_path / "paper.toml").write_text(TEXT)
    return tmp_path / "paper.toml"


def left(run: Run, paper: Path, *options: object) -> dict[tuple[str, str], tuple[int, int]]:
    result = run("evaluate", paper, "--dry-run", "--json", *options)
    assert result.code == 0, result.err
    return {(row["data"], row["pipeline"]): (row["questions"], row["done"]) for row in json.loads(result.out)["runs"]}


def test_a_file_builds_its_graph_asks_every_data_set_and_writes_its_report(run: Run, paper: Path) -> None:
    expected = {("tiny", "near"): 4, ("tiny", "3 entities"): 4, ("tiny", "9 entities"): 4, ("again", "near"): 1}
    assert left(run, paper) == {key: (n, 0) for key, n in expected.items()}
    assert not (paper.parent / "tiny.graph").exists()  # a dry run does nothing
    result = run("evaluate", paper)
    assert (result.code, result.err) == (0, "")
    assert "9 entities" in result.out
    assert left(run, paper) == {key: (n, n) for key, n in expected.items()}
    assert "A small paper" in (paper.parent / "paper.html").read_text()
    with Study.open(paper.parent / "paper.sqlite") as study:
        done = {one.name: one.done for one in study.runs()}
    assert done == {"near": 5, "3 entities": 4, "9 entities": 4}


def test_a_few_questions_tell_what_all_would_take(run: Run, paper: Path) -> None:
    run("evaluate", paper, "--limit", 1)
    told = json.loads(run("evaluate", paper, "--dry-run", "--json").out)
    row = next(row for row in told["runs"] if row["pipeline"] == "9 entities")
    assert (row["questions"], row["done"], row["calls_left"]) == (4, 1, 0)
    with Study.open(paper.parent / "paper.sqlite") as study:
        number = next(one.id for one in study.runs() if one.name == "9 entities")
        (result,) = study.results(number)
    assert row["seconds_left"] == pytest.approx(3 * result.seconds)
    assert "hours left" in run("evaluate", paper, "--dry-run").out


def test_a_part_of_a_file_is_chosen_by_words(run: Run, paper: Path) -> None:
    assert set(left(run, paper, "--only", "9 ent")) == {("tiny", "9 entities")}
    assert set(left(run, paper, "--only", "again")) == {("again", "near")}
    refused(run("evaluate", paper, "--only", "nothing"), "has 'nothing' in its name", "near")
    (paper.parent / "more.jsonl").unlink()
    assert set(left(run, paper, "--only", "tiny", "--only", "near")) == {("tiny", "near")}  # no file of the others
    refused(run("evaluate", paper, "--dry-run"), "data 2 (again)", "more.jsonl is not there")


def test_options_of_the_file_are_refused_beside_it(run: Run, paper: Path, graph: Path) -> None:
    refused(run("evaluate", paper, "-p", NEAR), "--pipeline", "paper.toml")
    refused(run("evaluate", paper, "--link"), "--link")
    refused(run("evaluate", graph, "x.jsonl", "--dry-run"), "--dry-run", "experiment file")
    refused(run("evaluate"), "give a graph and files of questions, or an experiment file")
    refused(run("evaluate", "gone.toml"), "gone.toml", "TOML")


def test_the_files_that_come_with_the_package_are_listed(run: Run) -> None:
    result = run("evaluate", "--list")
    assert result.code == 0
    assert "smoke.toml" in result.out
    assert {"file", "title", "about"} == set(json.loads(run("evaluate", "--list", "--json").out)[0])


@pytest.mark.filterwarnings("default")
def test_questions_without_gold_answers_are_told(run: Run, paper: Path) -> None:
    record = {"uid": 19, "question": "What is Kenya?", "sparql_wikidata": "select ?o { wd:Q114 wdt:P31 ?o . }"}
    (paper.parent / "rows.jsonl").write_text(json.dumps(record) + "\n")
    result = run("evaluate", paper, "--dry-run")
    assert result.code == 0
    assert result.err.count("1 questions have no gold answers, because LC-QuAD publishes queries") == 1
    assert result.err.startswith("note: ")


@pytest.mark.whole
def test_repetitions_are_asked_and_shown_with_their_spread(run: Run, paper: Path) -> None:
    text = (
        paper.read_text(encoding="utf-8")
        .split("[[run]]")[0]
        .replace('title = "A small', 'repetitions = 3\ntitle = "A small')
    )
    text += """
[[run]]
recipes = ["1"]
set = { extract = "PPR(k=9)", answer = "PathAnswer()" }
[[run]]
name = "no chance"
pipeline = "PPR(k=9) >> ShortestPaths() >> PathAnswer()"
[paper]
name = "A Paper"
[[table]]
title = "instances"
recipes = ["1"]
columns = [{ measure = "hits_at_1", data = "tiny", published = "webqsp" }]
"""
    paper.write_text(text, encoding="utf-8")
    names = {name for data, name in left(run, paper) if data == "tiny"}
    assert names == {"recipe 1", "recipe 1, repetition 2", "recipe 1, repetition 3", "no chance"}
    assert run("evaluate", paper).code == 0
    told = json.loads(run("report", paper.parent / "paper.sqlite", "--json").out)
    (row,) = told["papers"][0]["tables"][0]["rows"]
    (value,) = row["values"]
    with Study.open(paper.parent / "paper.sqlite") as study:
        means = [
            sum(result.metrics["hits_at_1"] or 0 for result in study.results(one.id)[:4]) / 4
            for one in study.runs() if one.name.startswith("recipe 1")
        ]  # fmt: skip
    assert value["repetitions"] == pytest.approx(means)
    assert value["measured"]["mean"] == pytest.approx(sum(means) / 3)
    assert (value["measured"]["n"], value["published"]) == (4, pytest.approx(0.602))
    page = (paper.parent / "paper.html").read_text()
    assert "A Paper: instances" in page
    assert " of 3</small>" in page


@pytest.mark.whole
def test_several_judges_are_asked_and_compared(run: Run, paper: Path) -> None:
    with ScriptedLLM(lambda request: "YES") as mild, ScriptedLLM(lambda request: "NO") as strict:
        first, second = (f"LLM('{name}', base_url='{server.base_url}')" for name, server in
                         (("mild", mild), ("strict", strict)))  # fmt: skip
        paper.write_text(f'judge = ["{first}", "{second}"]\n' + TEXT, encoding="utf-8")
        assert run("evaluate", paper, "--only", "tiny").code == 0
        asked = len(strict.requests)
        told = json.loads(run("evaluate", paper, "--only", "tiny", "--json").out)
        assert len(strict.requests) == asked == len(mild.requests) > 0
        (agreement,) = told["judges"]
        assert (agreement["right"], agreement["right_first"], agreement["same"]) == (0, 1, 0)
        assert "how far the judges agree" in (paper.parent / "paper.html").read_text().lower()
        paper.write_text(f'judge = ["{first}", "{first}"]\n' + TEXT, encoding="utf-8")
        refused(run("evaluate", paper), "two judges")
        refused(
            run("judge", paper.parent / "paper.sqlite", "--llm", first, "--further"), "the judge of this study already"
        )
        refused(run("judge", paper.parent / "paper.sqlite", "--further"), "--llm")


@pytest.mark.whole
def test_the_same_file_by_another_path_is_the_same_paper(
    run: Run, paper: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper.write_text(
        TEXT + '[paper]\nname = "A Paper"\n[[table]]\ntitle = "near"\nruns = "near"\n'
        'columns = [{ measure = "hits_at_1" }, { measure = "seconds" }]\n',
        encoding="utf-8",
    )
    assert run("evaluate", paper, "--only", "tiny").code == 0
    monkeypatch.chdir(paper.parent)
    told = json.loads(run("evaluate", "paper.toml", "--only", "again", "--json").out)
    (found,) = told["papers"]
    assert [column["data"] for column in found["tables"][0]["columns"]] == ["tiny", "again", "tiny", "again"]
    (row,) = found["tables"][0]["rows"]
    assert [value["measured"]["n"] for value in row["values"]] == [4, 1, 4, 1]
