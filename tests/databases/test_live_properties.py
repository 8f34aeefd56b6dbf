"""Properties, keys and values of FalkorDB and of a server of Bolt, as users write them: without our own layout."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from key_questions import answers
from stores import Held, arcadedb, falkordb

import graphbrick
from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import Kind
from graphbrick.core.session import Session
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.changes.copying import copy_graph
from graphbrick.graphs.databases.cypher.cypher import CypherGraph
from graphbrick.graphs.local.local import local_graph
from graphbrick.graphs.queries.schema_text import schema_text

pytestmark = pytest.mark.databases

TOWN = (
    "CREATE (a:Person {name: 'Ada Rowe', born: date('1970-01-02'), seen: localdatetime('2020-01-02T03:04:05'), "
    "height: 1.75, married: true, langs: ['en', 'de'], marks: [3, 9], shift: duration('P1DT2H'), mixed: 5})"
    "-[:KNOWS {since: 1999}]->(b:Person {name: 'Bo Lind', born: date('1985-06-30'), langs: ['de'], mixed: 'five'}), "
    "(a)-[:KNOWS {since: 2020}]->(b), "
    "(a)-[:`lives in: [now]` {`flat no`: '2b'}]->"
    "(:`Town (old)` {name: 'Heat (1986)', `head count`: 52000, born: 'n/a'})"
)
KINDS = ("falkor", "bolt")

Make = Callable[[str, str], Held]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    """Return a database of a kind that one statement fills; its server runs until the last test."""
    ports: dict[str, Any] = {}
    made: dict[tuple[str, str], Held] = {}
    with ExitStack() as stack:

        def filled(kind: str, statement: str) -> Held:
            if kind not in ports:
                start = falkordb if kind == "falkor" else arcadedb
                ports[kind] = stack.enter_context(start(tmp_path_factory.mktemp(kind)))  # type: ignore[operator]
            if (kind, statement) not in made:
                made[kind, statement] = _filled(kind, ports[kind], statement, f"g{len(made)}")
            return made[kind, statement]

        yield filled


def _filled(kind: str, port: Any, statement: str, name: str) -> Held:
    if kind == "falkor":
        import falkordb as client

        client.FalkorDB(port=port).select_graph(name).query(statement)
        return Held(f"falkor://127.0.0.1:{port}/{name}")
    from neo4j import GraphDatabase

    number, password = port
    with (
        GraphDatabase.driver(f"bolt://127.0.0.1:{number}", auth=("root", password)) as driver,
        driver.session(database="graph") as session,
    ):
        session.run("MATCH (n) DETACH DELETE n").consume()  # this server has one database
        session.run(statement).consume()
    return Held(f"bolt://127.0.0.1:{number}/graph", "root", password)


@pytest.fixture
def town(make: Make, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[CypherGraph]:
    held = make(request.param, TOWN)
    held.log_in(monkeypatch)
    with Session():
        graph = graphbrick.open(held.address)
        assert isinstance(graph, CypherGraph)
        yield graph


def named(graph: CypherGraph, name: str) -> int:
    return next(entity for entity in graph.search(name, 3) if graph.label(entity) == name)


@pytest.mark.parametrize("town", KINDS, indirect=True)
def test_properties_have_their_types(town: CypherGraph) -> None:
    assert town.properties(named(town, "Ada Rowe")) == {
        "born": datetime.date(1970, 1, 2),
        "seen": datetime.datetime(2020, 1, 2, 3, 4, 5),
        "height": 1.75,
        "married": True,
        "langs": ("en", "de"),
        "marks": (3, 9),
        "shift": "P1DT2H",
        "mixed": 5,
    }
    assert town.properties(named(town, "Heat (1986)")) == {"head count": 52000, "born": "n/a"}


@pytest.mark.parametrize("town", KINDS, indirect=True)
@pytest.mark.parametrize(
    ("condition", "names"),
    [
        (Condition("born", equals=datetime.date(1970, 1, 2)), {"Ada Rowe"}),
        (Condition("born", above=datetime.datetime(1970, 1, 2)), {"Bo Lind"}),
        (Condition("born", at_least=datetime.date(1800, 5, 6), below=datetime.date(1970, 1, 3)), {"Ada Rowe"}),
        (Condition("born", below=datetime.date(2100, 1, 1)), {"Ada Rowe", "Bo Lind"}),
        (Condition("born", equals="n/a"), {"Heat (1986)"}),
        (Condition("seen", above=datetime.date(2020, 1, 1)), {"Ada Rowe"}),
        (Condition("seen", above=datetime.date.min, below=datetime.date.max), {"Ada Rowe"}),
        (Condition("head count", above=30), {"Heat (1986)"}),
        (Condition("height", at_least=1, at_most=1.75), {"Ada Rowe"}),
        (Condition("married", equals=True), {"Ada Rowe"}),
        (Condition("langs", equals="de"), {"Ada Rowe", "Bo Lind"}),
        (Condition("marks", above=5), {"Ada Rowe"}),
        (Condition("mixed", above=4), {"Ada Rowe"}),
        (Condition("mixed", equals="five"), {"Bo Lind"}),
        (Condition("shift", equals="P1DT2H"), {"Ada Rowe"}),
        (Condition("name", equals="Ada Rowe"), set()),
        (Condition("unknown", equals=1), set()),
    ],
)
def test_conditions_are_answered_by_the_database(town: CypherGraph, condition: Condition, names: set[str]) -> None:
    assert {town.label(entity) for entity in town.matching(condition)} == names


@pytest.mark.parametrize("town", KINDS, indirect=True)
def test_conditions_find_what_the_sample_of_the_schema_lacks(
    town: CypherGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphbrick.graphs.databases.cypher.plain_schema._SAMPLED", 1)
    for name, bound, n in (("married", True, 1), ("marks", 9, 1), ("langs", "de", 2), ("head count", 52000, 1)):
        assert len(town.entities_where(name, equals=bound)) == n


@pytest.mark.parametrize("town", KINDS, indirect=True)
def test_columns_are_read_from_samples(town: CypherGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {(one.name, one.kind, one.is_list): one.count for one in town.property_columns()}
    assert columns["born", Kind.DATE, False] == 2
    assert columns["born", Kind.TEXT, False] == columns["mixed", Kind.INTEGER, False] == 1
    assert columns["langs", Kind.TEXT, True] == 2
    monkeypatch.setattr("graphbrick.graphs.databases.cypher.properties._SAMPLED", 1)
    with record(Trace(), "columns", "test") as entry:
        assert {one.name: one.count for one in town.read_property_columns()}["born"] in (1, 2)
    assert [event.code for event in entry.events] == ["cypher.sampled_properties"]


@pytest.mark.parametrize("town", KINDS, indirect=True)
def test_copies_keep_properties_and_parallel_relations(town: CypherGraph, tmp_path: Path) -> None:
    graph = copy_graph(str(town.address), tmp_path / "town.graph")
    ada = graph.named("Ada Rowe")[0]
    assert graph.own_properties(ada) == town.properties(named(town, "Ada Rowe"))
    edges = [(graph.relation_of(one), *graph.triple_properties(one).items()) for one in graph.triple_ids().tolist()]
    assert sorted((graph.relation_key(relation), *own) for relation, *own in edges) == [
        ("KNOWS", ("since", 1999)),
        ("KNOWS", ("since", 2020)),
        ("lives in: [now]", ("flat no", "2b")),
    ]


@pytest.mark.parametrize("town", KINDS, indirect=True)
def test_local_graphs_have_properties(town: CypherGraph) -> None:
    local = local_graph(town, [named(town, "Bo Lind")])
    assert local.own_properties(local.named("Ada Rowe")[0]) == town.properties(named(town, "Ada Rowe"))


@pytest.mark.parametrize("town", KINDS, indirect=True)
def test_models_see_properties_of_nodes_and_relations(town: CypherGraph) -> None:
    text = schema_text(town.schema(), "Cypher")
    assert "langs: LIST OF STRING such as ['" in text
    assert "married: BOOLEAN such as true" in text
    assert "shift: DURATION such as 'P1DT2H'" in text
    assert "(:Person)-[:KNOWS {since: INTEGER such as" in text
    assert "(:Person)-[:`lives in: [now]` {`flat no`: '2b'}]->(:`Town (old)`); 1 triples" in text


@pytest.mark.parametrize("town", KINDS, indirect=True)
def test_rows_become_json(town: CypherGraph) -> None:
    text = (
        "CYPHER 5 MATCH (p:Person {name: 'Ada Rowe'})-[r:`lives in: [now]`]->(t) "
        "RETURN p.langs, {a: 1, b: [1, 'x']}, t, r, p.shift, p.born, collect(t) AS all"
    )
    (row,) = json.loads(json.dumps(town.query(text, {}, 10).to_dict()))["rows"]
    node = {"label": "Heat (1986)", "types": ["Town (old)"]}
    own = {"name": "Heat (1986)", "head count": 52000, "born": "n/a"}
    key = row[2].pop("key")
    assert row[2] == {**node, "properties": own}
    assert row[6] == [{"key": key, **node, "properties": own}]
    assert row[:2] + row[3:6] == [
        ["en", "de"],
        {"a": 1, "b": [1, "x"]},
        {"type": "lives in: [now]", "properties": {"flat no": "2b"}},
        "P1DT2H",
        "1970-01-02",
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("keys", [("1", "2"), ("", ""), ("'p1'", "'p2'"), ("1.5", "2.5")])
def test_counts_and_yes_or_no_over_keys_of_every_type(
    make: Make, kind: str, keys: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = (f"id: {key}, " if key else "" for key in keys)
    held = make(kind, f"CREATE (:Person {{{one}name: 'Ada Rowe'}})-[:KNOWS]->(:Person {{{other}name: 'Bo Lind'}})")
    held.log_in(monkeypatch)
    with Session():
        graph = graphbrick.open(held.address)
        assert answers(graph) == [("1",), ("yes",), ("Bo Lind",)]
        ada = graph.search("Ada Rowe", 1)[0]
        assert graph.entity(graph.key(ada)) == ada


@pytest.mark.parametrize("kind", KINDS)
def test_nodes_of_several_labels_with_one_id_stay_apart_in_a_copy(
    make: Make, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = make(
        kind,
        "CREATE (:Person {id: 1, name: 'Ada Rowe', born: 1970})-[:LEADS]->(:Team {id: 1, name: 'Blue', size: 9}), "
        "(:Person {id: 1, name: 'Bo Lind', born: 1985})-[:LEADS]->(:City {id: 1, name: 'Bonn', size: 8})",
    )
    held.log_in(monkeypatch)
    with Session():
        graph = copy_graph(held.address, tmp_path / "town.graph")
    assert graph.n_entities == 4
    own = {graph.label(one): dict(graph.own_properties(one)) for one in range(4)}
    assert own == {"Ada Rowe": {"born": 1970}, "Blue": {"size": 9}, "Bo Lind": {"born": 1985}, "Bonn": {"size": 8}}
    triples = [graph.triple(one) for one in graph.triple_ids().tolist()]
    assert {(graph.label(head), graph.label(tail)) for head, _, tail in triples} == {
        ("Ada Rowe", "Blue"),
        ("Bo Lind", "Bonn"),
    }
