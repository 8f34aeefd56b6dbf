"""Tables of records in one file: delimited text, Parquet, and workbooks of one sheet or several."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow as pa
import pytest
from faults import fails
from pyarrow import parquet
from table_files import Reading, one_file, workbook, write_all

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Raw
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.records.records import EntityRecord

pytest.importorskip("openpyxl")

CARS = "Model,Brand,Gears,Released\nNSX,Acura,9,2021-02-01\nR8,Audi,7,2020-06-30\n"


@pytest.mark.parametrize("name", ["cars.csv", "cars_2021.csv"])
def test_a_table_of_records(tmp_path: Path, name: str) -> None:
    read = Reading(one_file(tmp_path, name, CARS))
    properties = {"Brand": Raw("Acura"), "Gears": Raw("9"), "Released": Raw("2021-02-01")}
    assert read.records[0] == EntityRecord("Car/1", "NSX", types=("Car", "Model"), properties=properties)
    assert read.told == [
        f"{name}: class Car and Model, rows are numbered, name Model; 3 properties (Brand, Gears, Released)",
    ]
    graph = build(tmp_path / name, tmp_path / "cars.graph")
    assert (graph.n_entities, graph.n_triples) == (2, 0)
    assert graph.properties(graph.entity("Car/1")) == {
        "Brand": "Acura",
        "Gears": 9,
        "Released": datetime.date(2021, 2, 1),
    }


@pytest.mark.parametrize(
    "rows", ["id,name\n1,Ada\n2,Bo\n", "id,name,age\n1,Ada,7\n2,Bo,8\n", "id,name,age,born\n1,Ada,7,x\n2,Bo,8,y\n"]
)
def test_small_tables_with_a_key(tmp_path: Path, rows: str) -> None:
    read = Reading(one_file(tmp_path, "people.csv", rows))
    assert [(record.key, record.label) for record in read.nodes] == [("Person/1", "Ada"), ("Person/2", "Bo")]


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        ("a,r,b\nc,r,d\n", {}),
        ("id,r,b\nc,r,d\n", {}),
        ("name,r,b\nc,r,d\n", {}),
        ("source,type,target,since\na,r,b,2020\n", {}),
        ("who,what,whom,when\na,r,b,2020\n", {"columns": ("who", "what", "whom")}),
        ("a,b,0.5,x\nc,d,0.7,y\n", {"relation": "R"}),
    ],
)
def test_triples_and_edges_stay_triples(tmp_path: Path, rows: str, options: dict[str, object]) -> None:
    read = Reading(one_file(tmp_path, "kb.csv", rows), **options)
    assert read.edges
    assert not read.nodes


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ("a,r,b,x\nc,r,d,y\n", "reader.wrong_width"),  # nothing says that the first row is a header
        ("1,2,3,4\n5,6,7,8\n", "reader.wrong_width"),
        ("source,kind,weight,name\na,b,1,c\n", "columns.header_in_part"),
    ],
)
def test_what_is_no_table_of_records(tmp_path: Path, rows: str, code: str) -> None:
    with fails(code, InputError):
        Reading(one_file(tmp_path, "kb.csv", rows))


def test_a_wide_sheet(tmp_path: Path) -> None:
    rows = [["Model", "Brand", "Engine", "Day"], ["NSX", "Acura", 3.5, datetime.datetime(2021, 2, 1)]]
    rows.append(["R8", "Audi", 5, datetime.datetime(2020, 6, 30)])
    read = Reading(workbook(tmp_path / "cars_2021.xlsx", {"Sheet1": rows}))
    day = datetime.date(2020, 6, 30)
    assert read.records[1] == EntityRecord(
        "Car/2", "R8", types=("Car", "Model"), properties={"Brand": "Audi", "Engine": 5.0, "Day": day}
    )
    assert read.left_out.counts == {}


def test_a_wide_sheet_of_texts_and_one_of_triples(tmp_path: Path) -> None:
    rows = [["Model", "Brand", "Class", "Fuel"], ["NSX", "Acura", "Two Seaters", "Premium"], ["R8", "Audi", "x", "y"]]
    read = Reading(workbook(tmp_path / "cars.xlsx", {"Sheet1": rows}))
    assert [(record.key, record.label) for record in read.nodes] == [("Car/1", "NSX"), ("Car/2", "R8")]
    rows = [["a", "r", "b", "x"], ["c", "r", "d", "y"]]
    assert Reading(workbook(tmp_path / "kb.xlsx", {"Sheet1": rows})).edges == [("a", "r", "b"), ("c", "r", "d")]


def test_a_table_of_texts(tmp_path: Path) -> None:
    rows = "Model,Brand,Class,Fuel\n" + "".join(f"M{n},Acura,Two Seaters,Premium\n" for n in range(5))
    assert len(Reading(one_file(tmp_path, "cars.csv", rows)).nodes) == 5


def test_sheets_that_refer_to_each_other(tmp_path: Path) -> None:
    sheets: dict[str, list[list[object]]] = {
        "Customers": [["Customer ID", "Name", "Since"], [7, "Alba", "=1+1"], [8, "Boro", None]],
        "Sales Orders": [["Order ID", "Customer ID", "Total"], [1, 7, 9.5], [2, 8, "#N/A"]],
        "Empty": [],
        "Figures": [[1, 2], [3, 4]],
    }
    read = Reading(workbook(tmp_path / "shop.xlsx", sheets))
    assert read.edges == [
        ("SalesOrder/1", "customer", "Customer/7"),
        ("SalesOrder/2", "customer", "Customer/8"),
    ]
    assert read.told == [
        "sheet Customers: class Customer, key Customer ID, name Name; 1 property (Customer ID)",
        "sheet Sales Orders: class SalesOrder, key Order ID, name Sales order and key, customer is Customer "
        "(Customer ID); 2 properties (Order ID, Total)",
    ]
    assert read.left_out.counts["cells with an error of Excel"] == 1
    assert read.left_out.examples["sheets of shop.xlsx whose first row does not name columns"] == ["Figures"]
    assert read.left_out.examples["formulas without a stored value (open the workbook in Excel and save it)"] == [
        "=1+1"
    ]


def test_a_folder_of_several_formats(tmp_path: Path) -> None:
    write_all(tmp_path, {"cities.tsv": "id\tname\n1\tOslo\n"})
    parquet.write_table(
        pa.table({"id": [1], "name": ["Ada"], "city_id": [1], "tags": [["a", "b"]]}), tmp_path / "p.parquet"
    )
    (tmp_path / "p.parquet").rename(tmp_path / "people.parquet")
    workbook(tmp_path / "visits.xlsx", {"Visits": [["id", "person_id", "city_id", "hours"], [1, 1, 1, 5]]})
    read = Reading(tmp_path)
    assert read.edges == [
        ("Person/1", "city", "City/1"),
        ("Visit/1", "person", "Person/1"),
        ("Visit/1", "city", "City/1"),
    ]
    assert next(record.properties for record in read.nodes if record.key == "Person/1") == {"tags": ("a", "b")}


def test_a_parquet_table_of_records(tmp_path: Path) -> None:
    table = pa.table({"when": [datetime.date(2020, 1, 2)], "what": ["x"], "amount": [5], "where": ["y"]})
    parquet.write_table(table, tmp_path / "events.parquet")
    read = Reading(tmp_path / "events.parquet")
    assert [(record.key, record.label, record.types) for record in read.nodes] == [("Event/1", "Event 1", ("Event",))]
    assert read.properties[0]["when"] == datetime.date(2020, 1, 2)


def test_a_column_of_the_options(tmp_path: Path) -> None:
    read = Reading(one_file(tmp_path, "cars.csv", CARS), key="Model", name="Brand")
    assert (read.nodes[0].key, read.nodes[0].label) == ("Car/NSX", "Acura")
    assert Reading(tmp_path / "cars.csv", name="2").nodes[1].label == "Audi"


def test_rows_of_another_width_are_bad_records(tmp_path: Path) -> None:
    file = one_file(tmp_path, "cars.csv", f"{CARS}a,broken,row,of,cells\n")
    with fails("reader.wrong_width", InputError):
        Reading(file)
    read = Reading(file, skip=True)
    assert (len(read.nodes), read.bad.count) == (2, 1)


@pytest.mark.parametrize(
    ("header", "noun"),
    [("country", "Country"), ("State Name", "State"), ("title", ""), ("name", ""), ("Produkt", ""), ("data", "Data")],
)
def test_the_header_of_names_is_a_class_too(tmp_path: Path, header: str, noun: str) -> None:
    text = f"{header},income,health,population\nAlbania,10,76,3\nNorway,64,81,5\n"
    read = Reading(one_file(tmp_path, "data.csv", text))
    assert read.records[0].types == tuple(dict.fromkeys(filter(None, ("Data", noun))))
    assert (f"class Data and {noun}," in read.told[0]) == (noun not in ("", "Data"))


def test_the_header_of_names_is_no_class_of_several_tables(tmp_path: Path) -> None:
    write_all(tmp_path, {"a.csv": "country,income\nNorway,64\nChad,1\n", "b.csv": "code,size\nx,1\ny,2\n"})
    assert {name for record in Reading(tmp_path).records for name in record.types} == {"A", "B"}
