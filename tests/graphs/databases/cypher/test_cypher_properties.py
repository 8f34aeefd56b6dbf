"""Properties of nodes and relations in ladybug, as `HasProperties` gives them and as copies keep them."""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from built_graphs import content_of
from hypothesis import given, settings
from hypothesis import strategies as st
from property_databases import ADA, TOWN, make_ladybug

import graphbrick
from graphbrick import build
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.protocol import HasProperties
from graphbrick.core.properties.values import Kind
from graphbrick.core.session import Session
from graphbrick.graphs.changes import copying
from graphbrick.graphs.changes.copying import copy_graph
from graphbrick.graphs.databases.cypher.around import edges_out_of
from graphbrick.graphs.databases.cypher.cypher import CypherGraph
from graphbrick.graphs.databases.cypher.ladybug import LadybugGraph
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.local.local import local_graph
from graphbrick.graphs.queries.schema_text import schema_text

pytestmark = pytest.mark.whole

pytest.importorskip("ladybug")


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with Session() as session:
        yield session


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_ladybug(tmp_path_factory.mktemp("town") / "town.lbdb", *TOWN)


@pytest.fixture
def town(address: str) -> CypherGraph:
    graph = graphbrick.open(address)
    assert isinstance(graph, CypherGraph)
    return graph


def named(graph: CypherGraph, name: str) -> int:
    return next(entity for entity in graph.search(name, 3) if graph.label(entity) == name)


def test_properties_have_their_types_and_leave_out_keys_and_names(town: CypherGraph) -> None:
    assert isinstance(town, HasProperties)
    assert Capability.PROPERTIES in capabilities_of(town)
    ada = named(town, "Ada Rowe")
    assert town.properties(ada) == ADA
    assert [type(value) for value in town.properties(ada).values()] == [type(value) for value in ADA.values()]
    assert town.aliases(ada) == ["Addie"]
    assert town.properties(named(town, "Quill Town")) == {"population": 52000, "born": "n/a"}


def test_properties_are_asked_for_once_and_only_by_those_who_want_them(
    town: CypherGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    entities = [named(town, name) for name in ("Ada Rowe", "Bo Lind", "Quill Town")]
    town.neighbours(entities)
    assert not any(town.node(entity).properties for entity in entities)
    assert town.properties_of(entities)[0] == ADA
    monkeypatch.setattr(LadybugGraph, "fetch", lambda *_: pytest.fail("it is known"))
    assert town.properties_of([*reversed(entities)])[2] == ADA


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        (Condition("born", equals=datetime.date(1970, 1, 2)), {"Ada Rowe"}),
        (Condition("born", above=datetime.date(1970, 1, 2)), {"Bo Lind"}),
        (Condition("born", at_most=datetime.datetime(1970, 1, 2)), {"Ada Rowe"}),
        (Condition("born", equals="n/a"), {"Quill Town"}),
        (Condition("population", at_least=52000, below=52000.5), {"Quill Town"}),
        (Condition("population", equals="52000"), set()),
        (Condition("height", above=1), {"Ada Rowe"}),
        (Condition("pay", equals=24.1), {"Ada Rowe"}),
        (Condition("married", equals=True), {"Ada Rowe"}),
        (Condition("married", equals=False), {"Bo Lind"}),
        (Condition("married", equals=1), set()),
        (Condition("seen", at_least=datetime.date(2020, 1, 2)), {"Ada Rowe"}),
        (Condition("seen", below=datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)), set()),
        (Condition("seen", above=datetime.date.min), {"Ada Rowe"}),
        (Condition("langs", equals="de"), {"Ada Rowe", "Bo Lind"}),
        (Condition("marks", above=5), {"Ada Rowe"}),
        (Condition("shift", equals="P1DT2H"), {"Ada Rowe"}),
        (Condition("home", equals='{"x": 1, "y": "a"}'), {"Ada Rowe"}),
        (Condition("name", equals="Ada Rowe"), set()),
        (Condition("unknown", equals=1), set()),
    ],
)
def test_conditions_are_answered_by_the_database(town: CypherGraph, condition: Condition, names: set[str]) -> None:
    entities = town.matching(condition)
    assert {town.label(entity) for entity in entities} == names
    assert [*entities] == sorted(entities)


def test_bounds_are_looked_for_in_the_database(town: CypherGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, fetch = [], LadybugGraph.fetch

    def noted(graph: Any, text: str, parameters: Any, limit: int) -> Any:
        seen.append((text, dict(parameters)))
        return fetch(graph, text, parameters, limit)

    monkeypatch.setattr(LadybugGraph, "fetch", noted)
    assert len(town.entities_where("population", above=30, below=1_000_000)) == 1
    text, parameters = seen[-1]
    assert "WHERE n.`population` > $above AND n.`population` < $below" in text
    assert parameters == {"above": 30, "below": 1_000_000}


def test_columns_have_kinds_counts_and_examples(town: CypherGraph) -> None:
    columns = {(one.name, one.kind): one for one in town.property_columns()}
    assert {(name, one.count, one.is_list) for (name, _), one in columns.items()} == {
        ("born", 2, False), ("born", 1, False), ("height", 1, False), ("married", 2, False), ("seen", 1, False),
        ("langs", 2, True), ("marks", 2, True), ("pay", 1, False), ("shift", 1, False), ("home", 1, False),
        ("grid", 1, False), ("population", 1, False),
    }  # fmt: skip
    assert columns["born", Kind.DATE].examples == ("1970-01-02", "1985-06-30")
    assert columns["born", Kind.TEXT].examples == ("n/a",)
    assert columns["langs", Kind.TEXT].examples == ("en, de", "de")
    assert columns["married", Kind.BOOLEAN].examples == ("true", "false")
    assert [columns[name, kind].kind for name, kind in (("marks", Kind.INTEGER), ("pay", Kind.NUMBER))]
    assert [one.count for one in town.property_columns()] == sorted((c.count for c in columns.values()), reverse=True)


def test_relations_have_properties_and_parallel_ones_are_several(town: CypherGraph) -> None:
    ada = named(town, "Ada Rowe")
    (edges,) = edges_out_of(town, [town.handle(ada)], 100)
    assert [(edge.key, edge.node.label, edge.properties) for edge in edges.edges] == [
        ("KNOWS", "Bo Lind", {"since": 1999}),
        ("KNOWS", "Bo Lind", {"since": 2020}),
        ("LIVES_IN", "Quill Town", {"since": 1999, "flat": "2b"}),
    ]
    assert len(town.neighbours([ada])[0].triples) == 2


def test_copies_keep_properties_of_nodes_and_relations(address: str, tmp_path: Path) -> None:
    graph = copy_graph(address, tmp_path / "town.graph")
    ada, town = graph.named("Ada Rowe")[0], graph.named("Quill Town")[0]
    assert graph.own_properties(ada) == ADA
    assert [type(graph.own_properties(ada)[name]) for name in ADA] == [type(value) for value in ADA.values()]
    assert graph.own_properties(town) == {"population": 52000, "born": "n/a"}
    edges = [
        (*map(graph.label, (head, tail)), graph.relation_key(relation), sorted(graph.triple_properties(triple).items()))
        for triple in graph.triple_ids().tolist()
        for head, relation, tail in [graph.triple(triple)]
    ]
    assert sorted(edges) == [
        ("Ada Rowe", "Bo Lind", "KNOWS", [("since", 1999)]),
        ("Ada Rowe", "Bo Lind", "KNOWS", [("since", 2020)]),
        ("Ada Rowe", "Quill Town", "LIVES_IN", [("flat", "2b"), ("since", 1999)]),
    ]


def test_an_ended_copy_goes_on_with_properties(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "_NODES", 1)

    def stop(step: str, done: float, total: float | None) -> None:
        if step == "copying triples":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Session():
        copy_graph(address, tmp_path / "a.graph", progress=stop)
    graph = copy_graph(address, tmp_path / "a.graph")
    assert graph.hash == copy_graph(address, tmp_path / "b.graph").hash
    assert graph.own_properties(graph.named("Ada Rowe")[0]) == ADA


def test_large_properties_make_small_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = make_ladybug(
        tmp_path / "db",
        "CREATE NODE TABLE N(id INT64 PRIMARY KEY, vector DOUBLE[])",
        "CREATE REL TABLE R(FROM N TO N)",
        "UNWIND range(1, 30) AS i CREATE (:N {id: i, vector: [0.5, 0.25, 0.125, 0.0625, 1e-9]})",
        "MATCH (a:N {id: 1}), (b:N {id: 2}) CREATE (a)-[:R]->(b)",
    )
    monkeypatch.setattr(copying, "_FIRST_NODES", 4)
    monkeypatch.setattr(copying, "_FEWEST", 2)
    monkeypatch.setattr(copying, "_PAGE", 100)
    steps = []
    graph = copy_graph(address, tmp_path / "g", progress=lambda step, done, _: steps.append((step, done)))
    assert [done for step, done in steps if step == "copying nodes"][:4] == [4, 6, 8, 10]
    assert graph.own_properties(graph.entity("30")) == {"vector": (0.5, 0.25, 0.125, 0.0625, 1e-9)}


def test_numbers_and_dates_that_an_export_repeats_as_properties_are_not_copied(tmp_path: Path) -> None:
    triples = [(f"p{i}", "born", f"19{i}0-01-02") for i in range(1, 9)]
    graph = build([*triples, ("p1", "knows", "p2")], tmp_path / "g")
    address = f"ladybug:{to_ladybug(graph, tmp_path / 'db')}"
    opened = graphbrick.open(address)
    assert isinstance(opened, CypherGraph)
    assert opened.properties(opened.entity("p1")) == {"born": datetime.date(1910, 1, 2)}
    copied = copy_graph(address, tmp_path / "copy")
    assert copied.own_properties(copied.entity("p1")) == {}
    assert content_of(copied) == content_of(graph)


def test_models_and_people_see_properties_with_types_and_examples(town: CypherGraph) -> None:
    text = schema_text(town.schema(), "Cypher")
    assert "born: DATE such as '1970-01-02' or '1985-06-30'" in text
    assert "langs: STRING[] such as ['en', 'de'] or ['de']" in text
    assert "marks: INT64[] such as [3, 9] or [1]" in text
    assert "married: BOOL such as true or false" in text
    assert "home: STRUCT(x INT64, y STRING) such as {x: 1, y: 'a'}" in text
    assert "(:Person)-[:KNOWS {since: INT64 such as 1999 or 2020}]->(:Person); 2 triples" in text
    assert "-[:LIVES_IN {since: INT64 such as 1999, flat: '2b'}]->(:City)" in text


def test_local_graphs_have_properties_for_one_more_request(town: CypherGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, fetch = [], LadybugGraph.fetch

    def noted(graph: Any, text: str, parameters: Any, limit: int) -> Any:
        texts.append(text)
        return fetch(graph, text, parameters, limit)

    ada = named(town, "Ada Rowe")
    monkeypatch.setattr(LadybugGraph, "fetch", noted)
    local = local_graph(town, [ada])
    assert local.own_properties(local.named("Ada Rowe")[0]) == ADA
    assert local.own_properties(local.named("Quill Town")[0]) == {"population": 52000, "born": "n/a"}
    assert sum("offset(id(n)) IN $offsets RETURN n" in text for text in texts) == 2  # one for each table


def test_values_that_are_no_types_or_aliases_are_properties(tmp_path: Path) -> None:
    address = make_ladybug(
        tmp_path / "db",
        "CREATE NODE TABLE N(id INT64 PRIMARY KEY, name STRING, title STRING, types INT64, aliases INT64)",
        "CREATE (:N {id: 1, name: 'one', title: 'The One', types: 5, aliases: 6})",
    )
    graph = graphbrick.open(address)
    assert isinstance(graph, CypherGraph)
    one = graph.entity("1")
    assert (graph.label(one), graph.types(one)) == ("one", ["N"])
    assert graph.properties(one) == {"title": "The One", "types": 5, "aliases": 6}


VALUES = {
    "i": ("INT64", st.integers(-(2**62), 2**62)),
    "f": ("DOUBLE", st.floats(allow_nan=False, width=64)),
    "b": ("BOOL", st.booleans()),
    "d": ("DATE", st.dates(datetime.date(1000, 1, 1))),
    "t": ("TIMESTAMP", st.datetimes(datetime.datetime(1000, 1, 1)).map(lambda time: time.replace(fold=0))),
    "a name: [x]": ("STRING", st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=8)),
    "l": ("STRING[]", st.lists(st.sampled_from(["a", "b;c", "d, e", "'"]), min_size=1, max_size=3).map(tuple)),
    "n": ("INT64[]", st.lists(st.integers(-5, 5), min_size=1, max_size=3).map(tuple)),
}
"""The columns of a random database: the type in ladybug, and values."""

ROWS = st.fixed_dictionaries({}, optional={name: values for name, (_, values) in VALUES.items()})


@settings(max_examples=5, deadline=None)
@given(nodes=st.lists(ROWS, min_size=2, max_size=6), edges=st.lists(ROWS, min_size=1, max_size=4))
def test_a_copy_equals_what_was_written(nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> None:
    import ladybug

    def written(names: Iterable[str]) -> str:
        return ", ".join(f"`{name}`: $p{[*VALUES].index(name)}" for name in names)

    def parameters(row: dict[str, Any]) -> dict[str, Any]:
        return {
            f"p{[*VALUES].index(name)}": list(value) if isinstance(value, tuple) else value
            for name, value in row.items()
        }

    columns = ", ".join(f"`{name}` {kind}" for name, (kind, _) in VALUES.items())
    with tempfile.TemporaryDirectory() as folder, Session():
        file = Path(folder) / "db"
        with (
            ladybug.Database(str(file), buffer_pool_size=1 << 26, max_db_size=1 << 34) as database,
            ladybug.Connection(database) as connection,
        ):
            connection.execute(f"CREATE NODE TABLE N(id INT64 PRIMARY KEY, {columns})")
            connection.execute(f"CREATE REL TABLE R(FROM N TO N, {columns})")
            for number, row in enumerate(nodes):
                own = ", ".join(filter(None, (f"id: {number}", written(row))))
                connection.execute(f"CREATE (:N {{{own}}})", parameters(row))
            for row in edges:
                text = f"MATCH (a:N {{id: 0}}), (b:N {{id: 1}}) CREATE (a)-[:R {{{written(row)}}}]->(b)"
                connection.execute(text, parameters(row))
        graph = copy_graph(f"ladybug:{file}", Path(folder) / "copy.graph")
        live = opened_as_cypher(f"ladybug:{file}")
        for number, row in enumerate(nodes):
            assert graph.own_properties(graph.entity(str(number))) == row
            assert live.properties(live.entity(str(number))) == row
            for name, value in row.items():
                for one in value if isinstance(value, tuple) else (value,):
                    assert live.entity(str(number)) in live.entities_where(name, equals=one)
        distinct = {repr(sorted(row.items())) for row in edges}
        copied = [repr(sorted(graph.triple_properties(one).items())) for one in graph.triple_ids().tolist()]
        assert sorted(copied) == sorted(distinct)


def opened_as_cypher(address: str) -> CypherGraph:
    graph = graphbrick.open(address)
    assert isinstance(graph, CypherGraph)
    return graph
