"""Other programs read the properties of entities and triples from exports."""

from __future__ import annotations

import csv
import datetime
import json
import warnings
from pathlib import Path

import igraph
import networkx
import pytest
from commands import Run
from faults import fails, told
from pyarrow import parquet
from random_properties import property_content

import graphbrick
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.export import ladybug
from graphbrick.graphs.export.formats import export
from graphbrick.graphs.export.graphml import to_graphml
from graphbrick.graphs.export.ntriples import BASE, to_ntriples
from graphbrick.graphs.export.parquet import to_parquet
from graphbrick.graphs.export.to_networkx import to_networkx, to_node_link
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.queries.schema_text import schema_text
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord

pytestmark = pytest.mark.whole

SHOP = [
    EntityRecord(
        "p1",
        "Blue Kettle",
        types=("Product",),
        properties={
            "price": 24.5,
            "stock": 7,
            "new": True,
            "tags": ("blue", "steel"),
            "made": datetime.date(2020, 1, 2),
            "sold": datetime.datetime(2020, 1, 2, 3, 4, tzinfo=datetime.UTC),
            "label": "K-1",
        },
    ),
    EntityRecord("p2", "Red Toaster", types=("Product",), properties={"price": "n/a", "stock": 0}),
    EntityRecord("p3", "Pan", types=("Product",), properties={"price": 12.0}),
    EntityRecord("v1", "Orlen Trading", types=("Vendor",)),
    EdgeRecord("v1", "sells", "p1", {"since": 2019}),
    EdgeRecord("v1", "sells", "p1", {"since": 2021, "days": (datetime.date(2021, 1, 2),)}),
    ("v1", "sells", "p2"),
]


@pytest.fixture
def shop(tmp_path: Path) -> Graph:
    return build(SHOP, tmp_path / "shop.graph")


def test_networkx_has_python_values_and_tells_their_kinds(shop: Graph) -> None:
    made = to_networkx(shop)
    assert made.graph["kinds"]["nodes"]["price (text)"] == "text"
    assert made.graph["kinds"]["edges"] == {"since": "whole number", "days": "list of date"}
    assert made.nodes["p1"]["made"] == datetime.date(2020, 1, 2)
    assert made.nodes["p1"]["tags"] == ["blue", "steel"]
    assert (made.nodes["p1"]["label"], made.nodes["p1"]["label (text)"]) == ("Blue Kettle", "K-1")
    assert (made.nodes["p2"]["price (text)"], made.nodes["p3"]["price"]) == ("n/a", 12.0)
    edges = {key: data for head, tail, key, data in made.edges(data=True, keys=True) if tail == "p1"}
    assert {key: data["since"] for key, data in edges.items()} in (
        {"sells": 2019, "sells (2)": 2021},
        {"sells": 2021, "sells (2)": 2019},
    )
    assert edges["sells (2)"]["relation"] == "sells"


def test_networkx_reads_and_writes_the_files_with_all_properties(shop: Graph, tmp_path: Path) -> None:
    with to_node_link(shop, tmp_path / "g.json").open(encoding="utf-8") as file:
        read = networkx.node_link_graph(json.load(file), edges="edges")
    made = to_networkx(shop)
    assert {n: {k: str(v) for k, v in data.items()} for n, data in read.nodes.items()} == {
        n: {k: v.isoformat() if isinstance(v, datetime.date) else str(v) for k, v in data.items()}
        for n, data in made.nodes.items()
    }
    assert {*read.edges(keys=True)} == {*made.edges(keys=True)}
    with (tmp_path / "again.json").open("w", encoding="utf-8") as file:
        json.dump(networkx.node_link_data(read, edges="edges"), file)
    again = build(tmp_path / "again.json", tmp_path / "again.graph")
    assert property_content(again) == property_content(shop)


def test_networkx_and_igraph_read_graphml_with_all_names_and_types(shop: Graph, tmp_path: Path) -> None:
    written = export(shop, tmp_path / "g.graphml", "graphml")
    drawn = networkx.read_graphml(written.folder, force_multigraph=True)
    assert drawn.nodes["p1"] == {
        "label": "Blue Kettle",
        "types": "Product",
        "price": 24.5,
        "stock": 7,
        "new": True,
        "label (text)": "K-1",
        "tags": '["blue", "steel"]',
        "made": "2020-01-02",
        "sold": "2020-01-02T03:04:00+00:00",
    }
    assert sorted(data.get("since", 0) for _, _, data in drawn.edges(data=True)) == [0, 2019, 2021]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = igraph.Graph.Read_GraphML(str(written.folder))
    kettle = read.vs.find(id="p1")
    assert (kettle["label"], kettle["price"], kettle["stock"], kettle["new"]) == ("Blue Kettle", 24.5, 7, True)
    assert (kettle["label (text)"], kettle["tags"], kettle["made"]) == ("K-1", '["blue", "steel"]', "2020-01-02")
    assert {edge["label"] for edge in read.es} == {edge["relation"] for edge in read.es} == {"sells"}
    assert written.left_out is not None
    assert written.left_out.counts == {
        "lists, which other programs read as JSON texts": 2,
        "dates and date-times, which other programs read as texts": 2,
    }


def test_what_a_format_cannot_hold_is_an_event_and_lines_of_output(shop: Graph, tmp_path: Path, run: Run) -> None:
    with record(Trace(), "export", "step") as stage:
        to_graphml(shop, tmp_path / "a.graphml")
    assert [(code, values["n"]) for code, values in told(stage.events)] == [("export.left_out", 2)] * 2
    out = run("export", shop.place, tmp_path / "b.graphml", "--to", "graphml").out
    assert "note: lists, which" in out
    facts = json.loads(run("export", shop.place, tmp_path / "c.graphml", "--to", "graphml", "--json").out)
    assert [case["count"] for case in facts["left_out"].values()] == [2, 2]
    assert "left_out" not in json.loads(run("export", shop.place, tmp_path / "p", "--to", "parquet", "--json").out)


def test_parquet_has_typed_columns(shop: Graph, tmp_path: Path) -> None:
    nodes = parquet.read_schema(to_parquet(shop, tmp_path / "tables") / "nodes.parquet")
    kinds = {name: str(nodes.field(name).type) for name in nodes.names[5:]}
    assert kinds == {
        "stock": "int64",
        "price": "double",
        "new": "bool",
        "tags": "list<element: string>",
        "made": "date32[day]",
        "sold": "timestamp[us, tz=UTC]",
        "label (text)": "string",
        "price (text)": "string",
    }
    edges = parquet.read_table(tmp_path / "tables" / "edges.parquet")
    assert edges.column_names == ["head", "relation", "tail", "since", "days"]


def test_files_for_neo4j_have_typed_headers(shop: Graph, tmp_path: Path) -> None:
    folder = export(shop, tmp_path / "csv", "neo4j-csv").folder
    with (folder / "nodes.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert set(rows[0]) >= {"price:double", "price (text):string", "tags:string[]", "made:date", "sold:datetime"}
    kettle = next(row for row in rows if row["key:ID"] == "p1")
    assert (kettle["tags:string[]"], kettle["new:boolean"], kettle["stock:long"]) == ("blue;steel", "true", "7")
    with (folder / "edges.csv").open(encoding="utf-8", newline="") as file:
        edges = list(csv.DictReader(file))
    assert sorted(row["since:long"] for row in edges) == ["", "2019", "2021"]
    assert {row["days:date[]"] for row in edges} == {"", "2021-01-02"}


def test_ladybug_answers_about_properties_and_its_schema_has_them(shop: Graph, tmp_path: Path) -> None:
    rows = shop.query("MATCH (p:Product) WHERE p.price > 20 RETURN p.label, p.tags, p.made", {}, 5).rows
    assert [tuple(row) for row in rows] == [("Blue Kettle", ["blue", "steel"], datetime.date(2020, 1, 2))]
    rows = shop.query("MATCH (p:Product) WHERE p.price_2 IS NOT NULL RETURN p.label, p.price_2", {}, 5).rows
    assert [tuple(row) for row in rows] == [("Red Toaster", "n/a")]
    rows = shop.query("MATCH ()-[s:sells]->(p) WHERE s.since >= 2019 RETURN s.since, s.days ORDER BY s.since", {}, 5)
    assert [tuple(row) for row in rows.rows] == [(2019, None), (2021, [datetime.date(2021, 1, 2)])]
    schema = shop.schema()
    product = next(known for known in schema.classes if known.name == "Product")
    types = {part.name: part.type for part in product.properties}
    assert (
        types.items()
        >= {
            "price": "DOUBLE",
            "price_2": "STRING",
            "stock": "INT64",
            "new": "BOOL",
            "tags": "STRING[]",
            "made": "DATE",
            "sold": "TIMESTAMP_TZ",
            "label_2": "STRING",
        }.items()
    )
    (sells,) = schema.connections
    assert {part.name: part.type for part in sells.properties} == {"since": "INT64", "days": "DATE[]"}
    assert "price" in schema_text(schema, "Cypher")


def test_a_ladybug_database_gives_properties_under_their_own_names(shop: Graph, tmp_path: Path) -> None:
    opened = graphbrick.open(f"ladybug:{export(shop, tmp_path / 'g.ladybug', 'ladybug').folder}")
    assert opened.properties(opened.entity("p2")) == {"price": "n/a", "stock": 0}
    assert opened.properties(opened.entity("p1"))["label"] == "K-1"
    for condition in ({"above": 20}, {"equals": "n/a"}):
        found = [opened.key(entity) for entity in opened.entities_where("price", **condition)]
        assert found == [shop.key(entity) for entity in shop.entities_where("price", **condition)]
    columns = {(column.name, column.kind, column.is_list): column.count for column in opened.property_columns()}
    assert columns == {(own.name, own.kind, own.is_list): own.count for own in shop.property_columns()}


def test_wide_tables_fit_into_the_memory_of_ladybug(tmp_path: Path) -> None:
    wide = {f"p{i}": float(i) for i in range(1100)}
    rows = [EntityRecord(key, types=(f"T {key}",), properties=wide) for key in "ab"]
    graph = build([*rows, ("a", "r", "b")], tmp_path / "wide.graph")
    opened = graphbrick.open(f"ladybug:{export(graph, tmp_path / 'g.ladybug', 'ladybug').folder}")
    assert [opened.properties(opened.entity(key)) for key in "ab"] == [wide, wide]


def test_too_many_columns_for_the_memory_are_told(shop: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladybug, "_POOL", 1 << 23)
    monkeypatch.setattr(ladybug, "_POOL_OF_COLUMN", 0)
    with fails("export.ladybug_failed", columns=13):
        export(shop, tmp_path / "g.ladybug", "ladybug")
    assert not (tmp_path / "g.ladybug").exists()


def test_zones_are_counted_by_ladybug(tmp_path: Path) -> None:
    zone = datetime.timezone(datetime.timedelta(hours=2))
    moments = [datetime.datetime(2020, 1, 2, 3, tzinfo=zone) for zone in (None, zone, datetime.UTC)]
    rows = [EntityRecord(f"e{i}", properties={"at": moment}) for i, moment in enumerate(moments)]
    graph = build([*rows, ("e0", "r", "e1")], tmp_path / "g.graph")
    left_out = export(graph, tmp_path / "g.ladybug", "ladybug").left_out
    assert left_out is not None
    assert left_out.to_dict() == {
        "date-times without a zone beside others with one, written as of UTC": {
            "count": 1,
            "examples": ["2020-01-02T03:00:00"],
        },
        "date-times in other zones, written in UTC": {"count": 1, "examples": ["2020-01-02T03:00:00+02:00"]},
    }
    rows = graph.query("MATCH (e) WHERE e.at < timestamp('2020-01-02 02:00:00') RETURN e.key", {}, 5).rows
    assert [tuple(row) for row in rows] == [("e1",)]


ROUTES = [(str(i), "route", str(i % 40 + 1)) for i in range(1, 41)]


def test_numbers_that_are_keys_of_nodes_are_no_properties_of_ladybug(tmp_path: Path) -> None:
    graph = build([*ROUTES, *((str(i), "area", f"{i * 10}.5") for i in range(1, 41))], tmp_path / "g.graph")
    (known,) = graph.schema().classes
    assert "area" in {part.name for part in known.properties}
    assert "route" not in {part.name for part in known.properties}


def test_numbers_that_are_nodes_are_no_literals_of_ntriples(tmp_path: Path) -> None:
    chain = [("1", "next", "2"), ("2", "next", "3"), ("3", "next", "4")]
    text = to_ntriples(build(chain, tmp_path / "a.graph"), tmp_path / "a.nt").read_text()
    assert "XMLSchema" not in text
    assert f'<{BASE}entity/4> <http://www.w3.org/2000/01/rdf-schema#label> "4"' in text
    # A row of the table of nodes is a node, also where nothing but its number is known.
    nodes = [EntityRecord(str(i), properties={"size": i}) for i in range(1, 4)]
    graph = build([*nodes, EntityRecord("9"), *(("1", "route", n) for n in "237")], tmp_path / "b.graph")
    text = to_ntriples(graph, tmp_path / "b.nt").read_text()
    assert f"<{BASE}entity/1> <{BASE}relation/route> <{BASE}entity/2>" in text
    assert f"<{BASE}entity/1> <{BASE}relation/route> <{BASE}entity/7>" in text
    assert f"<{BASE}entity/9>" in text
    assert build(tmp_path / "b.nt", tmp_path / "again.graph").entity(f"{BASE}entity/9") >= 0


def test_a_value_of_one_relation_that_is_a_node_of_another_is_described(tmp_path: Path) -> None:
    triples = [("Heat", "year", "1995"), ("Alien", "year", "1979"), ("Essay", "is about", "1995")]
    text = to_ntriples(build([*triples, ("Essay", "is about", "Rome")], tmp_path / "a.graph"), tmp_path / "a.nt")
    lines = text.read_text().splitlines()
    assert any('"1979"^^' in line for line in lines)
    assert any(line.startswith(f"<{BASE}entity/1995> ") for line in lines)
    assert not any(line.startswith(f"<{BASE}entity/1979> ") for line in lines)


def test_a_graph_without_properties_has_no_columns_for_them(tmp_path: Path) -> None:
    graph = build([("a", "r", "b")], tmp_path / "g.graph")
    assert json.loads(to_node_link(graph, tmp_path / "g.json").read_text())["graph"] == {}
    assert parquet.read_schema(to_parquet(graph, tmp_path / "p") / "edges.parquet").names == [
        "head",
        "relation",
        "tail",
    ]
    assert "graphbrick.kind" not in to_graphml(graph, tmp_path / "g.graphml").read_text()
    for name in ("neo4j-csv", "ladybug", "nt"):
        written = export(graph, tmp_path / name, name)
        assert written.left_out is not None
        assert written.left_out.counts == {}
