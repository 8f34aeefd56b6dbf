"""Columns without a role are properties of nodes and edges; nothing of a table is dropped in silence."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from table_files import Reading, one_file, write_all

from graphbrick.core.properties.values import Raw
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord

EDGES = {"edges.csv": "source,type,target\na,r,a\n"}
UTC = datetime.UTC


def of_nodes(folder: Path, nodes: str, **options: Any) -> Reading:
    return Reading(write_all(folder, {"nodes.csv": nodes, **EDGES}), **options)


def test_shop(tmp_path: Path) -> None:
    nodes = (
        "id:ID,name,price:float,inStock:boolean,:LABEL\n"
        "p1,Blue Kettle,24.5,true,Product\np2,Red Toaster,39.0,false,Product\nv1,Orlen Trading,,,Vendor\n"
    )
    edges = ":START_ID,:END_ID,:TYPE,since:int\nv1,p1,SELLS,2019\nv1,p2,SELLS,2021\n"
    read = Reading(write_all(tmp_path, {"nodes.csv": nodes, "edges.csv": edges}))
    assert read.records == [
        EntityRecord("p1", "Blue Kettle", types=("Product",), properties={"price": 24.5, "inStock": True}),
        EntityRecord("p2", "Red Toaster", types=("Product",), properties={"price": 39.0, "inStock": False}),
        EntityRecord("v1", "Orlen Trading", types=("Vendor",)),
        EdgeRecord("v1", "SELLS", "p1", {"since": 2019}),
        EdgeRecord("v1", "SELLS", "p2", {"since": 2021}),
    ]
    assert read.left_out.counts == {}
    assert read.told == [
        "nodes.csv: key id, name name, type :LABEL; 2 properties (price, inStock)",
        "edges.csv: head :START_ID, relation :TYPE, tail :END_ID; 1 property (since)",
    ]


def test_parallel_edges_with_different_properties_are_two(tmp_path: Path) -> None:
    edges = "source,type,target,since\na,KNOWS,b,1999\na,KNOWS,b,2020\na,KNOWS,b,\n"
    read = Reading(one_file(tmp_path, "e.csv", edges))
    assert read.edges == [
        EdgeRecord("a", "KNOWS", "b", {"since": Raw("1999")}),
        EdgeRecord("a", "KNOWS", "b", {"since": Raw("2020")}),
        ("a", "KNOWS", "b"),
    ]


@pytest.mark.parametrize(
    ("header", "cell", "value"),
    [
        ("price:float", "24.5", 24.5),
        ("price:double", "1e3", 1000.0),
        ("price:Float", "7", 7.0),
        ("price:float", "NaN", None),
        ("age:Int", "7", 7),
        ("age:long", "12.0", 12),
        ("age:int", "007", 7),
        ("age:int", "9223372036854775808", "9223372036854775808"),
        ("in stock:boolean", "TRUE", True),
        ("in stock:Bool(single)", "false", False),
        ("in stock:boolean", "maybe", "maybe"),
        ("born:Date", "1970-01-02", datetime.date(1970, 1, 2)),
        ("born:Date", "1970-01-02T00:00:00Z", datetime.datetime(1970, 1, 2, tzinfo=UTC)),
        ("at:datetime", "1970-01-02", datetime.date(1970, 1, 2)),
        ("at:datetime{timezone:Europe/Berlin}", "1970-01-02T10:30", datetime.datetime(1970, 1, 2, 10, 30)),
        ("at:localtime", "10:30:00", "10:30:00"),
        ("born:date", "2 May", "2 May"),
        ("tags:string[]", "a;b ; c|d", ("a", "b", "c|d")),
        ("tags:String[]", "a|b", ("a", "b")),
        ("tags:string[]", '"[""a;b"",""c""]"', ("a;b", "c")),
        ("sizes:int[]", "1;2", (1, 2)),
        ("sizes:float[]", ";", None),
        ("code", "007", Raw("007")),
        ("code", "  \t ", None),
        ("code", "\\N", None),
        ("schema:code", "x", "x"),
    ],
)
def test_cells(tmp_path: Path, header: str, cell: str, value: object) -> None:
    read = of_nodes(tmp_path, f"id,name,{header}\na,A,{cell}\n")
    (properties,) = read.properties
    assert list(properties.values()) == ([] if value is None else [value])
    for one in properties.values():
        assert type(one) is type(value) or header == "schema:code"
    assert list(properties) in ([], [header.removesuffix("(single)").split(":")[0]], ["schema:code"])


def test_cells_that_are_not_what_the_header_says_stay_texts_and_are_counted(tmp_path: Path) -> None:
    read = of_nodes(tmp_path, "id,price:float,born:date,n:int[]\na,n/a,1.2.1970,1;x\nb,1.5,1970-01-02,2\nc,?,,\n")
    assert read.properties == [
        {"price": "n/a", "born": "1.2.1970", "n": ("1", "x")},
        {"price": 1.5, "born": datetime.date(1970, 1, 2), "n": (2,)},
        {"price": "?"},
    ]
    what = "cells of nodes.csv that are not what the header says (kept as texts)"
    assert read.left_out.counts[what] == 4
    assert sorted(read.left_out.examples[what]) == sorted(["price: n/a", "born: 1.2.1970", "n: x", "price: ?"])


def test_columns_that_are_not_read_are_counted(tmp_path: Path) -> None:
    read = of_nodes(tmp_path, ",id,name,secret:IGNORE,price,price,\n0,a,A,x,1,2,\n1,b,B,x,1,2,late\n")
    assert read.properties == [{"price": "1", "price (2)": "2"}, {"price": "1", "price (2)": "2", "column 7": "late"}]
    assert read.left_out.counts == {
        "columns of nodes.csv that only number the rows": 1,
        "columns of nodes.csv that the header marks as IGNORE": 1,
    }
    assert read.told[0].endswith("; 3 properties (price, price (2), column 7); not read: column 1, secret:IGNORE")


def test_second_columns_of_a_role_are_properties(tmp_path: Path) -> None:
    read = of_nodes(tmp_path, "id,name,title,kind,category,description,comment\na,Ada,Dr,Person,x,d,c\n")
    expected = {"title": "Dr", "category": "x", "comment": "c"}
    assert read.nodes == [EntityRecord("a", "Ada", types=("Person",), description="d", properties=expected)]


def test_many_properties_are_named_in_part(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(22)]
    read = of_nodes(tmp_path, f"id,name,label,{','.join(names)}\na,A,X{',' * 22}\n", type="label")
    assert read.told[0] == (
        "nodes.csv: key id, name name, type label; 22 properties (p0, p1, p2, p3, p4, p5, p6, p7 and 14 more)"
    )


def test_properties_of_parquet(tmp_path: Path) -> None:
    day, moment = datetime.date(1970, 1, 2), datetime.datetime(1970, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    columns = {
        "id": ["a", "b"],
        "price": [24.5, float("nan")],
        "n": pa.array([7, None]),
        "huge": pa.array([2**64 - 1, 1], pa.uint64()),
        "ok": [True, False],
        "born": pa.array([day, None]),
        "at": pa.array([moment, None], pa.timestamp("us", "UTC")),
        "exact": pa.array([1, 1000], pa.timestamp("ns")),
        "clock": pa.array([datetime.time(9, 30), None]),
        "took": pa.array([datetime.timedelta(days=1), None]),
        "cost": pa.array([decimal.Decimal("24.50"), decimal.Decimal("0.10")]),
        "tags": [["x", None, "y"], []],
        "sizes": [[1, 2], None],
        "place": [{"lat": 1.5, "name": "é"}, None],
        "map": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
        "nested": [[[1], [2, 3]], None],
        "kind": pa.array(["T", "T"]).dictionary_encode(),
        "raw": [b"text", b"\xff"],
        "__index_level_0__": [0, 1],
    }
    write_all(tmp_path, EDGES)
    parquet.write_table(pa.table(columns), tmp_path / "nodes.parquet")
    read = Reading(tmp_path)
    one, two = read.properties
    assert one == {
        "price": 24.5, "n": 7, "huge": str(2**64 - 1), "ok": True, "born": day, "at": moment, "clock": "09:30:00",
        "exact": "1970-01-01 00:00:00.000000001", "took": "PT86400S", "cost": 24.5, "tags": ("x", "y"),
        "sizes": (1, 2), "place": '{"lat": 1.5, "name": "é"}', "map": '{"k": 1}', "nested": ("[1]", "[2, 3]"),
        "raw": "text",
    }  # fmt: skip
    assert type(one["n"]) is int
    assert two == {"huge": 1, "ok": False, "cost": 0.1, "exact": "1970-01-01 00:00:00.000001000", "raw": "ff"}
    assert read.nodes[0].types == ("T",)
    assert read.left_out.counts["columns of nodes.parquet that only number the rows"] == 1


def test_properties_of_edges_in_parquet(tmp_path: Path) -> None:
    table = {"source": ["a", "a"], "type": ["r", "r"], "target": ["b", "b"], "since": [2019, None], "w": [0.5, 1.5]}
    parquet.write_table(pa.table(table), tmp_path / "e.parquet")
    assert Reading(tmp_path / "e.parquet").records == [
        EdgeRecord("a", "r", "b", {"since": 2019, "w": 0.5}),
        EdgeRecord("a", "r", "b", {"w": 1.5}),
    ]


@pytest.mark.parametrize(
    ("head", "relation", "tail", "triples"),
    [
        (["a"], ["ok"], [["x", "y"]], [("a", "ok", "x"), ("a", "ok", "y")]),
        ([["a", "b"]], ["ok"], ["x"], [("a", "ok", "x"), ("b", "ok", "x")]),
        (["a"], [["r", "s"]], ["x"], [("a", "r", "x"), ("a", "s", "x")]),
        ([["a", "b"]], ["r"], [[1, 2]], [("a", "r", "1"), ("a", "r", "2"), ("b", "r", "1"), ("b", "r", "2")]),
        (["a"], ["ok"], [{"k": 1, "v": "x"}], [("a", "ok", '{"k": 1, "v": "x"}')]),
        ([True], ["ok"], [datetime.date(2020, 1, 2)], [("true", "ok", "2020-01-02")]),
        (["a"], ["ok"], [[[1], [2]]], [("a", "ok", "[1]"), ("a", "ok", "[2]")]),
    ],
)
def test_lists_and_structs_in_triples_of_parquet(
    tmp_path: Path, head: list[Any], relation: list[Any], tail: list[Any], triples: list[tuple[str, str, str]]
) -> None:
    parquet.write_table(pa.table({"head": head, "relation": relation, "tail": tail}), tmp_path / "t.parquet")
    assert Reading(tmp_path / "t.parquet").records == triples


def test_empty_lists_of_parquet_are_bad_records(tmp_path: Path) -> None:
    table = {"head": ["a", "b"], "relation": ["r", "r"], "tail": [["x"], []]}
    parquet.write_table(pa.table(table), tmp_path / "t.parquet")
    read = Reading(tmp_path / "t.parquet", skip=True)
    assert read.records == [("a", "r", "x")]
    assert [(error.line, error.code) for error in read.bad.errors] == [(2, "reader.empty_end")]


@pytest.mark.parametrize("names", [["Ann", "Anna"], ["Ann", None, "Anna"], ["Ann ", " Anna"]])
def test_a_list_of_names_is_a_name_and_aliases(tmp_path: Path, names: list[str | None]) -> None:
    write_all(tmp_path, EDGES)
    parquet.write_table(pa.table({"id": ["a"], "name": [names]}), tmp_path / "nodes.parquet")
    assert Reading(tmp_path).nodes == [EntityRecord("a", "Ann", aliases=("Anna",))]


def test_a_list_of_names_in_text(tmp_path: Path) -> None:
    assert of_nodes(tmp_path, "id,name:string[]\na,Ann;Anna\n").nodes == [EntityRecord("a", "Ann", aliases=("Anna",))]


@pytest.mark.shared
def test_company(data_dir: Path) -> None:
    read = Reading(data_dir / "everyday" / "company")
    assert read.left_out.examples == {"files of the folder that are not used": ["questions.jsonl"]}
    office = read.nodes[0]
    assert (office.label, office.types) == ("Berlin Office", ("Office",))
    assert dict(office.properties) == {
        "city": "Berlin",
        "country": "Germany",
        "capacity": "291",
        "opened": "2008-10-13",
    }
    assert len({name for record in read.nodes for name in record.properties}) == 18
    assert EdgeRecord("p0", "MEMBER_OF", "t5", {"since": Raw("2019-12-10")}) in read.edges


@pytest.mark.whole
@pytest.mark.shared
def test_hetionet_names_the_file_that_is_not_read(data_dir: Path) -> None:
    read = Reading(data_dir / "hetionet")
    assert "metaedges.tsv" in read.left_out.examples["files of the folder that are not used"]
