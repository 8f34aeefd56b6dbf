"""Evaluation on a file of `graphbrick questions`: pipelines that write queries, and ordinary ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run

from graphbrick import Graph, build
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.questions.loading import load
from graphbrick.study.store.reader import Study
from graphbrick.testing import Request, ScriptedLLM

pytest.importorskip("ladybug")

CITIES = {"Kenya": ["Nairobi", "Mombasa"], "Uganda": ["Kampala"], "Rwanda": ["Kigali", "Huye", "Musanze"]}


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    cities = [(name, country) for country, names in CITIES.items() for name in names]
    return build(
        [
            *(EntityRecord(name, types=("country",)) for name in CITIES),
            *(EntityRecord(name, types=("city",)) for name, _ in cities),
            *((name, "in", country) for name, country in cities),
            *((name, "people", str(1_000 + 7 * number)) for number, (name, _) in enumerate(cities)),
        ],
        tmp_path / "cities.graph",
    )


def test_a_file_that_is_there_is_kept(graph: Graph, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text("written by hand\n")
    shown = run("questions", graph.path, file, "--n", 2)
    assert (shown.code, file.read_text()) == (1, "written by hand\n")
    assert "exists; replace it with --overwrite" in " ".join(shown.err.split())
    assert run("questions", graph.path, file, "--n", 2, "--overwrite").code == 0
    assert len(load(file)) == 2


def test_the_row_that_a_query_counted_is_shown(graph: Graph, run: Run) -> None:
    with ScriptedLLM(["MATCH (c:city) RETURN count(c) AS n"]) as server:
        brick = f"TextToQuery(LLM('m', base_url='{server.base_url}')) >> PathAnswer()"
        shown = run("ask", graph.path, "How many cities are there?", "-p", brick, "--seed", next(iter(CITIES)))
    number = str(sum(map(len, CITIES.values())))
    lines = shown.out.splitlines()
    assert lines[lines.index(number) + 1] == f"  n: {number}"
    assert "made it up" not in shown.out


@pytest.mark.whole
def test_queries_are_measured_beside_answers(graph: Graph, tmp_path: Path, run: Run) -> None:
    file, study = tmp_path / "questions.jsonl", tmp_path / "runs.sqlite"
    assert run("questions", graph.path, file, "--n", 8).code == 0
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    by_question = {record["question"]: record for record in records}
    assert [question.text for question in load(file)] == list(by_question)

    def script(request: Request) -> str:
        """Write the gold query of four questions, no query for two, and another query for the others."""
        record = next(record for question, record in by_question.items() if question in request.prompt)
        number = int(record["id"])
        return str(record["query"]) if number <= 4 else "no" if number <= 6 else "MATCH (c:country) RETURN c.label"

    with ScriptedLLM(script) as server:
        written = f"writes: TextToQuery(LLM('m', base_url='{server.base_url}'), tries=1) >> PathAnswer()"
        plain = "plain: ShortestPaths(max_hops=1) >> PathAnswer()"
        shown = run("evaluate", graph.path, file, "-p", written, "-p", plain, "--out", study)
    assert shown.code == 0, shown.err
    assert "written queries" in shown.out
    with Study.open(study) as opened:
        runs = {one.name: [result.metrics for result in opened.results(one.id)] for one in opened.runs()}
    assert [one["executable"] for one in runs["writes"]] == [1.0] * 4 + [0.0] * 2 + [1.0] * 2
    assert [one["execution_accuracy"] for one in runs["writes"]] == [1.0] * 4 + [0.0] * 4
    shared = [one["provenance_jaccard"] for one in runs["writes"]]
    assert shared[:6] == [1.0] * 4 + [0.0] * 2
    assert all(value is not None and 0 < value < 1 for value in shared[6:])
    assert {one["execution_accuracy"] for one in runs["plain"]} == {None}
    assert all(one["hits_at_1"] is not None for one in runs["plain"])

    compared = json.loads(run("compare", study, "--metric", "execution_accuracy", "--json").out)
    assert [one["pipeline"] for one in compared["queries"]] == ["writes"]
    assert compared["queries"][0]["measures"]["execution_accuracy"]["all"] == 0.5
    assert compared["comparisons"] == []  # nothing to compare with
    pages = {kind: tmp_path / f"report.{kind}" for kind in ("html", "markdown", "csv")}
    assert run("report", study, *(part for kind in pages for part in (f"--{kind}", pages[kind]))).code == 0
    assert "| 2 | writes | 8 | 75.0 | 50.0 |" in pages["markdown"].read_text(encoding="utf-8")
    assert "Written queries" in pages["html"].read_text(encoding="utf-8")
    assert "execution_accuracy" in pages["csv"].read_text(encoding="utf-8").splitlines()[0]


def test_gold_in_another_language_scores_answers_only(graph: Graph, tmp_path: Path, run: Run) -> None:
    file, study = tmp_path / "questions.jsonl", tmp_path / "runs.sqlite"
    record = {"question": "Which city is in Uganda?", "seeds": ["Uganda"], "answers": ["Kampala"], "sparql": "ASK {}"}
    file.write_text(json.dumps(record) + "\n", encoding="utf-8")
    with ScriptedLLM(["MATCH (c)-[:in_]->({label: 'Uganda'}) RETURN c.label"]) as server:
        pipeline = f"TextToQuery(LLM('m', base_url='{server.base_url}')) >> PathAnswer()"
        shown = run("evaluate", graph.path, file, "-p", pipeline, "--out", study)
    assert shown.code == 0, shown.err
    assert "written queries" not in shown.out
    with Study.open(study) as opened:
        metrics = opened.results(1)[0].metrics
    assert (metrics["hits_at_1"], metrics["executable"]) == (1.0, None)


@pytest.mark.whole
def test_a_question_without_seeds_is_lost_where_its_query_is_written(graph: Graph, tmp_path: Path, run: Run) -> None:
    file, study = tmp_path / "questions.jsonl", tmp_path / "runs.sqlite"
    record = {"question": "Which one has the most?", "seeds": [], "answers": ["Rwanda"], "cypher": "RETURN 1"}
    file.write_text(json.dumps(record) + "\n", encoding="utf-8")
    with ScriptedLLM(["no"]) as server:
        written = f"TextToQuery(LLM('m', base_url='{server.base_url}'), tries=1) >> PathAnswer()"
        run("evaluate", graph.path, file, "-p", written, "-p", "ShortestPaths() >> PathAnswer()", "--out", study)
    with Study.open(study) as opened:
        assert [opened.results(one.id)[0].lost_at for one in opened.runs()] == ["retrieval", "linking"]


def test_results_do_not_stay_when_a_gold_query_changes(graph: Graph, tmp_path: Path, run: Run) -> None:
    file, study = tmp_path / "questions.jsonl", tmp_path / "runs.sqlite"
    record = {"question": "Which city is in Uganda?", "seeds": ["Uganda"], "answers": ["Kampala"], "language": "Cypher"}
    with ScriptedLLM(["MATCH (c)-[:in_]->({label: 'Uganda'}) RETURN c.label"]) as server:
        pipeline = f"TextToQuery(LLM('m', base_url='{server.base_url}')) >> PathAnswer()"
        for query, code, accuracy in (
            ("MATCH (c)-[:in_]->({label: 'Uganda'}) RETURN c.label", 0, 1.0),
            ("MATCH (c)-[:in_]->({label: 'Kenya'}) RETURN c.label", 1, 1.0),
        ):
            file.write_text(json.dumps(record | {"query": query, "note": code}) + "\n", encoding="utf-8")
            shown = run("evaluate", graph.path, file, "-p", pipeline, "--out", study)
            assert shown.code == code, shown.err
            with Study.open(study) as opened:
                assert opened.results(1)[0].metrics["execution_accuracy"] == accuracy
    assert "is not what it was" in " ".join(shown.err.split())


def test_questions_serve_as_examples(graph: Graph, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "pairs.jsonl"
    run("questions", graph.path, file, "--n", 5)
    with ScriptedLLM(["MATCH (c:city) RETURN c.label"]) as server:
        pipeline = f"TextToQuery(LLM('m', base_url='{server.base_url}'), examples={str(file)!r}) >> PathAnswer()"
        assert run("ask", graph.path, "Which city does Kenya have?", "--pipeline", pipeline).code == 0
    assert json.loads(file.read_text(encoding="utf-8").splitlines()[0])["query"] in server.requests[0].prompt
