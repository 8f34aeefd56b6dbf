"""The commands query, schema and questions, over a ladybug database."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Run, refused
from film_database import CypherFilms

from graphbrick import build
from graphbrick.cli.app import main
from graphbrick.testing.graphs import TINY

BY = "MATCH (p:Person)-[:DIRECTED]->(f:Film) RETURN f.title AS film, p.name AS director ORDER BY film"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("ladybug")
    file = tmp_path_factory.mktemp("queries") / "films.lbdb"
    CypherFilms(file).close()
    return f"ladybug:{file}?memory=64"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def run(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out + printed.err

    return run


def test_query_prints_a_table_or_json(call: Callable[..., tuple[int, str]], place: str) -> None:
    code, printed = call("query", place, BY, "--limit", "2")
    assert code == 0
    assert [line.split("  ")[0] for line in printed.splitlines()[:3]] == ["film", "Alien", "Blade Runner"]
    assert "2 rows; there are more (--limit)" in printed
    code, printed = call("query", place, BY, "--json")
    assert json.loads(printed)["rows"] == [
        ["Alien", "Ridley Scott"],
        ["Blade Runner", "Ridley Scott"],
        ["Heat", "Michael Mann"],
    ]


def test_lists_maps_nodes_and_relations_are_json(call: Callable[..., tuple[int, str]], place: str) -> None:
    heat = {"key": "Heat", "label": "Heat", "types": ["Film"], "properties": {"title": "Heat", "year": 1995}}
    text = (
        "CYPHER 5 MATCH (p:Person)-[r:DIRECTED]->(f:Film {title: 'Heat'}) "
        "RETURN collect(p.name) AS names, {a: 1, b: [f.year]} AS map, f, r, [f] AS films"
    )
    code, printed = call("query", place, text, "--json")
    assert (code, json.loads(printed)["rows"]) == (
        0,
        [[["Michael Mann"], {"a": 1, "b": [1995]}, heat, {"type": "DIRECTED", "properties": {}}, [heat]]],
    )


def test_query_that_writes_is_refused(call: Callable[..., tuple[int, str]], place: str) -> None:
    code, printed = call("query", place, "MATCH (n) DETACH DELETE n")
    assert (code, printed.startswith("error: the query was not run: DETACH at character 11")) == (1, True)


def test_without_rows_it_says_what_may_be_meant(run: Run, place: str) -> None:
    empty = run("query", place, "MATCH (f:Film {title: 'heat'})-[:DIRECTED]->(p) RETURN p.name")
    assert "0 rows" in empty.out
    assert "is this meant: MATCH (f:Film {title: 'Heat'})<-[:DIRECTED]-(p) RETURN p.name" in empty.err.replace(
        "\n", " "
    )
    refused(run("query", place, "MATCH (f:film) RETURN f.name"), "is this meant: MATCH (f:Film) RETURN f.title")
    refused(run("query", place, "MATCH (f:Movies) RETURN f.title"), "there is no class 'Movies'; there are 'Film'")


def test_a_folder_is_queried_through_its_copy_which_is_told(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("ladybug")
    build(TINY, tmp_path / "tiny.graph")
    capitals = "MATCH (a)-[:capital]->(b) RETURN a.label AS country ORDER BY country"
    first, second = (run("query", tmp_path / "tiny.graph", capitals, "--json") for _ in range(2))
    assert json.loads(first.out)["rows"] == json.loads(second.out)["rows"] == [["Kenya"], ["Rwanda"], ["Uganda"]]
    assert first.err.startswith("note: a copy of the graph for queries was made")
    assert second.err == ""


def test_schema_is_what_a_model_reads(call: Callable[..., tuple[int, str]], place: str) -> None:
    code, printed = call("schema", place)
    assert code == 0
    assert "(:Person)-[:DIRECTED]->(:Film)" in printed
    code, printed = call("schema", place, "--json")
    assert [known["relation"] for known in json.loads(printed)["connections"]] == ["DIRECTED"]


def test_questions_are_written_in_the_plain_format(
    call: Callable[..., tuple[int, str]], place: str, tmp_path: Path
) -> None:
    file = tmp_path / "questions.jsonl"
    code, printed = call("questions", place, str(file), "--n", "5")
    assert code == 0
    records = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(records) == 5
    assert "5 questions (1 basic" in printed
    code, printed = call("query", place, records[0]["query"], "--json")
    assert sorted(row[0] for row in json.loads(printed)["rows"]) == sorted(records[0]["answers"])
