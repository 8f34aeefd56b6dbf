"""Graphs about which little can be asked, and what is left when the command stops."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import Run
from faults import fails

import graphbrick
from graphbrick import build
from graphbrick.core.errors import GraphbrickError, UnavailableError
from graphbrick.core.graph import QueryLanguage
from graphbrick.core.schema import Connection, NodeClass, Property, Rows, Schema
from graphbrick.graphs.databases.errors import QueryError, TooSlowError
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.judge.gold_queries.generator import QueryQuestion, questions_with_queries

ladybug = pytest.importorskip("ladybug")


class Described(QueryLanguage):
    """A graph of which only the schema is known."""

    language = "Cypher"

    def __init__(self, schema: Schema, error: GraphbrickError | None = None) -> None:
        self._schema, self._error = schema, error

    def schema(self) -> Schema:
        return self._schema

    def query(self, text: str, parameters: object, limit: int) -> Rows:
        if self._error is not None:
            raise self._error
        return Rows(("answer",), [])


NAMED = NodeClass("A", (Property("name", "STRING"),))


@pytest.mark.parametrize(
    "schema",
    [
        Schema(),
        Schema((NAMED,)),
        Schema((NodeClass("A", (Property("size", "INT64"),)),), (Connection("A", "r", "A"),)),
        Schema((NAMED,), (Connection("A", "r", "Unknown"),)),
        Schema((NAMED,), (Connection("A", "name", "A"),)),
    ],
    ids=["empty", "no relations", "no names", "unknown class", "copy of a property"],
)
def test_nothing_can_be_asked_of_some_schemas(schema: Schema) -> None:
    with fails("gold_queries.no_relation"):
        next(questions_with_queries(Described(schema), 5))


@pytest.mark.parametrize("error", [None, TooSlowError("no answer within 1 s"), QueryError("unknown function")])
def test_graphs_that_answer_nothing_end(error: GraphbrickError | None) -> None:
    graph = Described(Schema((NAMED,), (Connection("A", "r", "A"),)), error)
    assert list(questions_with_queries(graph, 1_000)) == []


def test_a_database_that_is_away_is_an_error() -> None:
    graph = Described(Schema((NAMED,), (Connection("A", "r", "A"),)), UnavailableError("the server is away"))
    with pytest.raises(UnavailableError):
        next(questions_with_queries(graph, 1))


@pytest.mark.whole
def test_one_relation_without_types_and_numbers(tmp_path: Path) -> None:
    graph = build([("Ann", "knows", "Bob"), ("Bob", "knows", "Cid")], tmp_path / "people.graph")
    made = list(questions_with_queries(graph, 1_000))
    assert len({question.question for question in made}) == len(made)
    assert "Which entity does the entity have as knows that the entity «Ann» has as knows?" in {
        question.question for question in made
    }
    assert {question.template for question in made} == {"basic", "inverse", "two steps", "count"}


def test_a_database_of_others_has_cypher_only(tmp_path: Path) -> None:
    with (
        ladybug.Database(str(tmp_path / "own.lbdb"), buffer_pool_size=1 << 26, max_db_size=1 << 30) as database,
        ladybug.Connection(database) as connection,
    ):
        for text in (
            "CREATE NODE TABLE `my``class`(`the name` STRING PRIMARY KEY, title STRING)",
            "CREATE REL TABLE `rel x`(FROM `my``class` TO `my``class`)",
            "CREATE (:`my``class` {`the name`: 'a', title: 'One'})-[:`rel x`]->"
            "(:`my``class` {`the name`: 'b', title: 'Two'})",
        ):
            connection.execute(text)
    made = list(questions_with_queries(graphbrick.open(f"ladybug:{tmp_path / 'own.lbdb'}"), 2))
    assert [(question.answers, question.sparql) for question in made] == [(("Two",), None), (("One",), None)]
    assert "sparql" not in made[0].record()


@pytest.mark.whole
def test_entities_that_share_names_and_blank_names(tmp_path: Path) -> None:
    records = [EntityRecord(f"k{i}", "Twin" if i < 5 else " ", types=("thing",)) for i in range(9)]
    graph = build([*records, *((f"k{i}", "near", f"k{i + 1}") for i in range(8))], tmp_path / "twins.graph")
    made = list(questions_with_queries(graph, 12))
    assert {name for question in made for name in question.seeds} == {"Twin"}
    assert all(answer.strip() for question in made for answer in question.answers)


@pytest.mark.whole
def test_the_command_says_how_many_there_are_and_replaces_a_file_if_told_to(tmp_path: Path, run: Run) -> None:
    graph = build([("Ann", "knows", "Bob")], tmp_path / "people.graph")
    file = tmp_path / "questions.jsonl"
    file.write_text("old\n", encoding="utf-8")
    shown = run(
        "questions", f"ladybug:{to_ladybug(graph, tmp_path / 'people.ladybug')}", file, "--n", 100, "--overwrite"
    )
    assert shown.code == 0
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(records) < 100
    assert f"the graph gives no more than {len(records)} of 100" in " ".join((shown.out + shown.err).split())


@pytest.mark.parametrize("error", [KeyboardInterrupt(), GraphbrickError("the database went away")])
def test_what_stops_in_the_middle_leaves_the_old_file(
    error: BaseException, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = build([("Ann", "knows", "Bob")], tmp_path / "people.graph")

    def broken(*_: object, **__: object) -> Iterator[QueryQuestion]:
        yield QueryQuestion("1", "Who?", "RETURN 1", "Cypher", ("a",), (), "basic")
        raise error

    monkeypatch.setattr("graphbrick.judge.gold_queries.generator.questions_with_queries", broken)
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "questions.jsonl").write_text("old\n", encoding="utf-8")
    assert run("questions", graph.path, folder / "questions.jsonl", "--overwrite").code != 0
    assert [path.name for path in folder.iterdir()] == ["questions.jsonl"]
    assert (folder / "questions.jsonl").read_text(encoding="utf-8") == "old\n"


def test_a_graph_without_questions_writes_nothing(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = build([("Ann", "knows", "Bob")], tmp_path / "people.graph")
    monkeypatch.setattr("graphbrick.judge.gold_queries.generator.questions_with_queries", lambda *_, **__: iter(()))
    shown = run("questions", graph.path, tmp_path / "questions.jsonl")
    assert shown.code == 1
    assert "the graph gives no question" in " ".join(shown.err.split())
    assert not (tmp_path / "questions.jsonl").exists()
