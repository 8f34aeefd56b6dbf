"""Literals of a store and an endpoint are properties of entities."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from faults import fails, told
from sparql_server import sparql_server, trickling

import graphbrick
from graphbrick import Session, build
from graphbrick.core.errors import InputError
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.core.properties.protocol import HasProperties
from graphbrick.core.properties.values import Kind
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.records.rdf_names import one_value, rdf_value

E = "http://e.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
DATA = """@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:kettle rdfs:label "Blue Kettle" ; a :Product ; :price 24.5 ; :inStock true ; :made "2020-02-28"^^xsd:date ;
  :motto "Hot"@en, "Heiss"@de ; :code "007" ; :by :orlen .
:toaster rdfs:label "Red Toaster" ; a :Product ; :price 39 ; :inStock false ;
  :made "2021-03-01T23:30:00-05:00"^^xsd:dateTime ;
  :colour "red", "black" ; :motto "Heisser"@de .
:mixer rdfs:label "Mixer" ; :price "1.5E2"^^xsd:double, "on request" ; :since "1999"^^xsd:gYear ;
  :tested "1"^^xsd:boolean .
:orlen rdfs:label "Orlen Trading" ; :motto "Sells \\"all\\"" ; :price "many"^^xsd:integer .
:inStock rdfs:label "in stock"@en, "auf Lager"@de .
"""


@pytest.fixture(params=["oxigraph", "sparql"])
def live(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    place = str(tmp_path / "store")
    store = ox.Store(place) if request.param == "oxigraph" else ox.Store()
    store.load(DATA.encode(), format=ox.RdfFormat.TURTLE)
    with Session():
        if request.param == "oxigraph":
            store.flush()
            yield graphbrick.open(f"oxigraph:{place}")
        else:
            with sparql_server(store) as server:
                yield graphbrick.open(server.address)


def test_properties_have_names_and_typed_values(live: Any) -> None:
    assert isinstance(live, HasProperties)
    assert live.properties(live.entity(E + "kettle")) == {
        "price": 24.5,
        "in stock": True,
        "made": datetime.date(2020, 2, 28),
        "motto": ("Hot", "Heiss"),
        "code": "007",
    }
    toaster = live.properties(live.entity(E + "toaster"))
    assert toaster["made"] == datetime.datetime.fromisoformat("2021-03-01T23:30:00-05:00")
    assert (toaster["colour"], toaster["motto"], toaster["price"]) == (("black", "red"), "Heisser", 39)
    mixer = live.properties(live.entity(E + "mixer"))
    assert mixer == {"price": (150.0, "on request"), "since": 1999, "tested": True}
    assert live.properties(live.entity('"007"')) == {}


@pytest.mark.parametrize(
    ("name", "bounds", "expected"),
    [
        ("price", {"above": 30}, {"toaster", "mixer"}),
        ("price", {"at_least": 24.5, "below": 39}, {"kettle"}),
        ("price", {"equals": 39.0}, {"toaster"}),
        ("price", {"equals": "on request"}, {"mixer"}),
        ("price", {"equals": "many"}, {"orlen"}),
        ("since", {"at_most": 2000}, {"mixer"}),
        ("in stock", {"equals": True}, {"kettle"}),
        ("in stock", {"below": True}, {"toaster"}),
        ("tested", {"equals": True}, {"mixer"}),
        (f"{E}inStock", {"equals": False}, {"toaster"}),
        ("made", {"at_least": datetime.date(2020, 2, 28)}, {"kettle", "toaster"}),
        ("made", {"equals": datetime.datetime(2020, 2, 28)}, {"kettle"}),
        ("made", {"at_least": datetime.datetime(2021, 3, 2, 4, 30)}, {"toaster"}),
        ("made", {"above": datetime.datetime(2021, 3, 2, 4, 30)}, set()),
        ("motto", {"equals": "Heiss"}, {"kettle"}),
        ("motto", {"equals": 'Sells "all"'}, {"orlen"}),
        ("motto", {"at_least": "Hea", "below": "Hf"}, {"kettle", "toaster"}),
        ("code", {"equals": 7}, set()),
        ("weight", {"above": 1}, set()),
        ("price", {"below": float("inf")}, {"kettle", "toaster", "mixer"}),
    ],
)
def test_entities_are_selected_by_a_property(live: Any, name: str, bounds: dict[str, Any], expected: set[str]) -> None:
    ids = live.entities_where(name, **bounds)
    assert {live.key(entity).removeprefix(E) for entity in ids} == expected
    assert list(ids) == sorted(ids)


def test_columns_have_kinds_and_counts(live: Any) -> None:
    columns = {(column.name, column.kind): column for column in live.property_columns()}
    assert {key: column.count for key, column in columns.items()} == {
        ("price", Kind.NUMBER): 2,
        ("price", Kind.INTEGER): 2,
        ("price", Kind.TEXT): 1,
        ("in stock", Kind.BOOLEAN): 2,
        ("tested", Kind.BOOLEAN): 1,
        ("made", Kind.DATE): 1,
        ("made", Kind.DATETIME): 1,
        ("motto", Kind.TEXT): 3,
        ("code", Kind.TEXT): 1,
        ("colour", Kind.TEXT): 1,
        ("since", Kind.INTEGER): 1,
    }
    assert {name for (name, _), column in columns.items() if column.is_list} == {"colour", "motto"}
    assert set(columns["colour", Kind.TEXT].examples) == {"black", "red"}
    assert live.property_columns()[0].name == "motto"


def test_conditions_that_cannot_hold_and_a_graph_that_is_late_are_errors(live: Any) -> None:
    with fails("condition.no_bound", InputError):
        live.entities_where("price")
    with fails("condition.several_kinds", InputError):
        live.entities_where("price", above=3, below="x")
    assert not live.entities_where('price> } ; "', above=3)


def test_an_endpoint_that_does_not_answer_in_time_is_an_error() -> None:
    with Session(), sparql_server(ox.Store()) as server:
        graph: Any = graphbrick.open(f"{server.address}?timeout=0.5")
        server.faults = [trickling]
        with fails("database.too_slow"):
            graph.property_columns()


def test_results_that_an_endpoint_cuts_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    store = ox.Store()
    rows = "".join(f":e{i} :size {i} . " for i in range(25)) + "[] :size 30 ."
    store.load(f"@prefix : <{E}> . {rows}".encode(), format=ox.RdfFormat.TURTLE)
    from graphbrick.graphs.databases.sparql import rdf_properties

    monkeypatch.setattr(rdf_properties, "_PAGE", 10)
    with Session(), sparql_server(store) as server:
        graph: Any = graphbrick.open(server.address)
        with record(Trace(), "where", "where") as entry:
            assert len(graph.entities_where("size", at_least=5)) == 20
        assert told(entry.events) == [("rdf_properties.blank_nodes", {"n": 1})]
        server.headers = {"X-SQL-State": "S1TAT"}
        with record(Trace(), "where", "where") as entry:
            graph.entities_where("size", at_least=24)
        assert "rdf_properties.cut" in [code for code, _ in told(entry.events)]


@pytest.mark.parametrize(
    ("text", "datatype", "value"),
    [
        ("+05", "integer", 5),
        ("99999999999999999999", "integer", "99999999999999999999"),
        ("1.50", "decimal", 1.5),
        (".5", "double", 0.5),
        ("NaN", "double", "NaN"),
        ("INF", "float", math.inf),
        ("-0044", "gYear", -44),
        ("0", "boolean", False),
        ("yes", "boolean", "yes"),
        ("2020-01-02Z", "date", datetime.date(2020, 1, 2)),
        ("2020-13-02", "date", "2020-13-02"),
        ("2020-01-02T03:04:05Z", "dateTime", datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)),
        ("P1D", "duration", "P1D"),
    ],
)
def test_values_of_literals(text: str, datatype: str, value: object) -> None:
    read = rdf_value(text, XSD + datatype)
    assert (type(read), read) == (type(value), value)


def test_several_values_are_a_list() -> None:
    assert one_value([2, 1, 2]) == (2, 1)
    assert one_value([True]) is True
    assert list(map(type, one_value([1, True, 1]))) == [int, bool]  # type: ignore[arg-type]


def test_the_capability_is_declared(live: Any) -> None:
    assert Capability.PROPERTIES in capabilities_of(live)


def test_properties_are_those_of_a_folder(live: Any, tmp_path: Path) -> None:
    file = tmp_path / "graph.ttl"
    file.write_text(DATA)
    folder = build(file, tmp_path / "graph.graph")
    for name in ("kettle", "toaster", "mixer", "orlen"):
        mine, theirs = (dict(graph.properties(graph.entity(E + name))) for graph in (live, folder))
        for properties in (mine, theirs):  # a store does not keep the order of a file
            properties.update({key: set(v) for key, v in properties.items() if isinstance(v, tuple)})
        if name != "mixer":
            assert mine == theirs
    for bounds in ({"above": 30}, {"at_least": 24.5, "below": 39}, {"equals": 39}):
        matches = (
            {graph.key(e) for e in graph.entities_where("price", **bounds)}  # type: ignore[arg-type]
            for graph in (live, folder)
        )
        assert len(set(map(frozenset, matches))) == 1


def test_statements_about_triples_are_no_properties_of_entities(tmp_path: Path) -> None:
    store = ox.Store(str(tmp_path))
    data = f"@prefix : <{E}> . :ada :knows :bo {{| :since 2019 |}} . :ada :since 1990 ."
    store.load(data.encode(), format=ox.RdfFormat.TURTLE)
    store.flush()
    with Session():
        graph: Any = graphbrick.open(f"oxigraph:{tmp_path}")
        assert [(column.name, column.count) for column in graph.property_columns()] == [("since", 1)]
        assert [graph.label(entity) for entity in graph.entities_where("since", above=1980)] == ["ada"]
