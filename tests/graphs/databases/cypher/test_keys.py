"""Questions over databases with keys of every type, and with names that need quoting."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from key_questions import answers
from property_databases import make_ladybug

import graphbrick
from graphbrick import LLM, Graph, TextToQuery, build
from graphbrick.bricks.retrieve.queries.query_entities import entity_lines
from graphbrick.bricks.retrieve.queries.query_names import with_names_of
from graphbrick.core.session import Session
from graphbrick.graphs.changes.copying import copy_graph
from graphbrick.graphs.databases.cypher.cypher import CypherGraph
from graphbrick.graphs.databases.cypher.keys import Keys
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.testing import ScriptedLLM

pytestmark = pytest.mark.whole

pytest.importorskip("ladybug")
UUID = "0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
RIGHT = [("1",), ("yes",), ("Bo Lind",)]


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with Session() as session:
        yield session


@pytest.mark.parametrize(
    ("kind", "name", "one", "other"),
    [
        ("INT64", "name", "1", "2"),
        ("INT64", "label", "7001", "7002"),
        ("STRING", "title", "'p1'", "'p2'"),
        ("UINT8", "name", "7", "9"),
        ("INT32", "name", "-5", "2020"),
        ("STRING", "name", "'1'", "'1999'"),
        ("STRING", "name", "'582,650 km²'", "'24.5'"),
        ("DATE", "name", "date('1970-01-02')", "date('1971-01-02')"),
        (
            "UUID",
            "name",
            "UUID('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')",
            "UUID('b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')",
        ),
        ("DOUBLE", "name", "1.5", "2.5"),
    ],
)
def test_answers_do_not_depend_on_the_type_of_the_keys(
    kind: str, name: str, one: str, other: str, tmp_path: Path
) -> None:
    address = make_ladybug(
        tmp_path / "db",
        f"CREATE NODE TABLE Person(id {kind}, {name} STRING, PRIMARY KEY(id))",
        "CREATE REL TABLE KNOWS(FROM Person TO Person)",
        f"CREATE (:Person {{id: {one}, {name}: 'Ada Rowe'}})-[:KNOWS]->(:Person {{id: {other}, {name}: 'Bo Lind'}})",
    )
    graph = graphbrick.open(address)
    assert isinstance(graph, CypherGraph)
    assert answers(graph) == RIGHT
    ada = graph.search("Ada Rowe", 1)[0]
    assert graph.entity(graph.key(ada)) == ada
    with Session():
        fresh = graphbrick.open(address)
        assert isinstance(fresh, CypherGraph)
        assert fresh.label(fresh.entity(graph.key(ada))) == "Ada Rowe"  # found by the key alone


def test_a_seed_given_by_a_number_is_named_by_its_label(tmp_path: Path) -> None:
    people = [EntityRecord("1", "Ada Rowe", types=("Person",)), EntityRecord("2", "Bo Lind", types=("Person",))]
    graph = build([*people, ("1", "knows", "2")], tmp_path / "g")
    ids = [graph.entity("1"), graph.entity("2")]
    assert answers(graph, seeds=ids)[:2] == RIGHT[:2]
    assert answers(graph, seeds=["1", "2"])[:2] == RIGHT[:2]


def test_numbers_that_are_names_stay_numbers(tmp_path: Path) -> None:
    people = [EntityRecord(name, types=("Person",)) for name in ("Ada Rowe", "Bo Lind", "Cy Moss")]
    triples = [("Ada Rowe", "knows", "Bo Lind"), ("Ada Rowe", "knows", "Cy Moss"), ("Ada Rowe", "age", "2")]
    assert answers(build([*people, *triples], tmp_path / "g"))[0] == ("2",)


# Names that need quoting

STRANGE = (
    "CREATE NODE TABLE `My Film (old)`(id INT64, `the name: full` STRING, name STRING, PRIMARY KEY(id))",
    "CREATE NODE TABLE `a``b`(id INT64, name STRING, PRIMARY KEY(id))",
    "CREATE NODE TABLE `Order`(id INT64, name STRING, `limit` INT64, PRIMARY KEY(id))",
    "CREATE REL TABLE `acted in [x]: y`(FROM `a``b` TO `My Film (old)`, `since: year` INT64)",
    "CREATE REL TABLE `match`(FROM `Order` TO `My Film (old)`)",
    "CREATE (:`My Film (old)` {id: 1, `the name: full`: 'Heat: a film', name: 'Heat (1986)'})",
    "CREATE (:`My Film (old)` {id: 2, name: 'O\\'Brien \"x\" [1]'})",
    "CREATE (:`a``b` {id: 1, name: 'Al {Pacino}'})",
    "CREATE (:`Order` {id: 5, name: 'Order: 5', `limit`: 3})",
    "MATCH (a:`a``b`), (f:`My Film (old)` {id: 1}) CREATE (a)-[:`acted in [x]: y` {`since: year`: 1986}]->(f)",
    "MATCH (o:`Order`), (f:`My Film (old)` {id: 2}) CREATE (o)-[:`match`]->(f)",
)


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_ladybug(tmp_path_factory.mktemp("strange") / "db", *STRANGE)


def opened(address: str) -> CypherGraph:
    graph = graphbrick.open(address)
    assert isinstance(graph, CypherGraph)
    return graph


def test_strange_names_are_quoted_in_every_query(strange: str, tmp_path: Path) -> None:
    graph = opened(strange)
    assert {known.name for known in graph.schema().classes} == {"My Film (old)", "a`b", "Order"}
    heat = graph.search("Who acted in Heat (1986)?", 1)[0]
    assert graph.label(heat) == "Heat (1986)"
    assert graph.properties(heat) == {"the name: full": "Heat: a film"}
    (found,) = graph.neighbours([heat])
    assert [(graph.label(h), graph.relation_label(r)) for h, r, _ in found.triples.tolist()] == [
        ("Al {Pacino}", "acted in [x]: y")
    ]
    (again,) = graph.neighbours([heat], relations=[int(found.triples[0, 1])])
    assert again.triples.tolist() == found.triples.tolist()
    assert [graph.label(one) for one in graph.entities_where("limit", above=2)] == ["Order: 5"]
    assert [graph.label(one) for one in graph.entities_where("the name: full", equals="Heat: a film")] == [
        "Heat (1986)"
    ]
    assert {one.name for one in graph.property_columns()} == {"the name: full", "limit"}
    for entity in [*map(graph.entity, ("a`b:1", "5"))]:
        assert graph.label(entity) in {"Al {Pacino}", "Order: 5"}
    copied = copy_graph(strange, tmp_path / "copy.graph")
    assert isinstance(copied, Graph)
    assert {copied.relation_key(number) for number in range(copied.n_relations)} == {"acted in [x]: y", "match"}


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("Heat (1986)", "(:`My Film (old)` {name: 'Heat (1986)'})"),
        ("Al {Pacino}", "(:`a``b` {name: 'Al {Pacino}'})"),
        ("Order: 5", "(:`Order` {name: 'Order: 5'})"),
        ('O\'Brien "x" [1]', "(:`My Film (old)` {name: 'O\\'Brien \"x\" [1]'})"),
    ],
)
def test_patterns_shown_to_a_model_can_be_run(strange: str, name: str, pattern: str) -> None:
    graph = opened(strange)
    entity = next(one for one in graph.search(name, 3) if graph.label(one) == name)
    assert entity_lines(graph, [entity], graph.schema(), "Cypher", by_key=False) == [pattern]
    assert graph.query(f"MATCH {pattern.replace('(:', '(n:', 1)} RETURN n.name", {}, 1).rows == [(name,)]


def test_a_wrong_direction_at_strange_names_is_turned(strange: str) -> None:
    query = "MATCH (f)-[:`acted in [x]: y`]->(a) WHERE f.name = 'heat (1986)' RETURN a.name"
    with ScriptedLLM([query]) as server:
        run = TextToQuery(LLM("model", base_url=server.base_url)).run(opened(strange), "Who acted in Heat (1986)?")
    assert run.evidence is not None
    assert run.evidence.texts() == ["a.name: Al {Pacino}"]


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("MATCH (p:Person {id: '1'}) RETURN p", "MATCH (p:Person {id: 1}) RETURN p"),
        ("MATCH (p:Person) WHERE p.id = '2' RETURN p", "MATCH (p:Person) WHERE p.id = 2 RETURN p"),
        ("MATCH (p:Person) WHERE p.id IN ['1', '2'] RETURN p", "MATCH (p:Person) WHERE p.id IN [1, 2] RETURN p"),
        ("MATCH (p:Person {id: 'ada rowe'}) RETURN p", "MATCH (p:Person {id: 1}) RETURN p"),
        ("MATCH (p:Person {name: 'ada rowe'}) RETURN p", "MATCH (p:Person {name: 'Ada Rowe'}) RETURN p"),
    ],
)
def test_keys_of_numbers_are_written_as_numbers(written: str, right: str, tmp_path: Path) -> None:
    address = make_ladybug(
        tmp_path / "db",
        "CREATE NODE TABLE Person(id INT64, name STRING, PRIMARY KEY(id))",
        "CREATE (:Person {id: 1, name: 'Ada Rowe'})",
        *(f"CREATE (:Person {{id: {number}, name: 'Bo Lind'}})" for number in (2, 3)),
    )
    graph = opened(address)
    assert with_names_of(graph, written, "Cypher", graph.schema()).text == right
    lind = graph.search("Bo Lind", 2)
    assert entity_lines(graph, lind, graph.schema(), "Cypher", by_key=True) == [
        "(:Person {id: 2})",
        "(:Person {id: 3})",
    ]


def test_rows_become_json(tmp_path: Path) -> None:
    address = make_ladybug(
        tmp_path / "db",
        "CREATE NODE TABLE Person(id INT64, name STRING, tags STRING[], born DATE, pay DECIMAL(6, 2), PRIMARY KEY(id))",
        "CREATE REL TABLE KNOWS(FROM Person TO Person, since INT64)",
        "CREATE (:Person {id: 1, name: 'Ada Rowe', tags: ['x', 'y'], born: date('1970-01-02'), pay: 24.10})"
        "-[:KNOWS {since: 1999}]->(:Person {id: 2, name: 'Bo Lind'})",
    )
    text = (
        "CYPHER 5 MATCH (p:Person {id: 1})-[r:KNOWS]->(q) "
        "RETURN p.tags, {a: 1, b: [1]}, q, r, p.pay, p.born, collect(q.name), interval('1 day'), {n: q}"
    )
    (row,) = json.loads(json.dumps(opened(address).query(text, {}, 10).to_dict()))["rows"]
    bo: dict[str, Any] = {
        "key": "2",
        "label": "Bo Lind",
        "types": ["Person"],
        "properties": {"id": 2, "name": "Bo Lind"},
    }
    knows = {"type": "KNOWS", "properties": {"since": 1999}}
    assert row == [["x", "y"], {"a": 1, "b": [1]}, bo, knows, 24.1, "1970-01-02", ["Bo Lind"], "P1D", {"n": bo}]


def test_nodes_with_one_id_are_two_also_in_one_reply(tmp_path: Path) -> None:
    address = make_ladybug(
        tmp_path / "db",
        "CREATE NODE TABLE Person(id INT64 PRIMARY KEY, name STRING)",
        "CREATE NODE TABLE Team(id INT64 PRIMARY KEY, name STRING)",
        "CREATE REL TABLE OWNS(FROM Person TO Person, FROM Person TO Team)",
        "CREATE (:Person {id: 9, name: 'Ada'})-[:OWNS]->(:Person {id: 1, name: 'Bo'}), (:Team {id: 1, name: 'Blue'})",
        "MATCH (a:Person {id: 9}), (b:Team {id: 1}) CREATE (a)-[:OWNS]->(b)",
    )
    graph = graphbrick.open(address)
    assert isinstance(graph, CypherGraph)
    (around,) = graph.neighbours([graph.entity("9")])
    owned = around.triples[:, 2].tolist()
    assert sorted(map(graph.label, owned)) == ["Blue", "Bo"]
    assert [graph.entity(graph.key(one)) for one in owned] == owned
    with Session():
        fresh = graphbrick.open(address)
        assert isinstance(fresh, CypherGraph)
        assert fresh.label(fresh.entity("Team:1")) == "Blue"


def test_the_first_node_has_the_key_and_others_their_label_or_internal_id() -> None:
    keys = Keys()
    assert [keys.own("1", handle, label) for handle, label in ((5, "A"), (6, "B"), (7, "B"), ([0, 8], "B"))] == [
        "1",
        "B:1",
        "B:7",
        "B:(0, 8)",
    ]
    assert [keys.own("1", handle, "B") for handle in (5, 6, 7)] == ["1", "B:1", "B:7"]
