"""The columns of keys, names and types of tables of nodes: by a rule, or as the options say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from faults import fails
from table_files import Reading, write_all

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers import ReadOptions
from graphbrick.graphs.records.records import EntityRecord

EDGES = {"edges.csv": "source,type,target\na,r,a\n"}
PEOPLE = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo")


def of_nodes(folder: Path, nodes: str, **options: Any) -> list[EntityRecord]:
    return Reading(write_all(folder, {"nodes.csv": nodes, **EDGES}), **options).nodes


def table(header: str, *columns: tuple[str, ...]) -> str:
    rows = [",".join((str(number), *cells)) for number, cells in enumerate(zip(*columns, strict=True))]
    return "\n".join([header, *rows]) + "\n"


def test_label_that_repeats_is_the_type(tmp_path: Path) -> None:
    nodes = of_nodes(tmp_path, table("id,label,name", ("Person",) * 4 + ("City",) * 2, PEOPLE))
    assert nodes[0] == EntityRecord("0", "Ada", types=("Person",))
    assert nodes[5] == EntityRecord("5", "Flo", types=("City",))


def test_label_that_is_a_further_name_is_an_alias(tmp_path: Path) -> None:
    nodes = of_nodes(tmp_path, table("id,name,label", PEOPLE, tuple(f"{name} Rowe" for name in PEOPLE)))
    assert nodes[0] == EntityRecord("0", "Ada", aliases=("Ada Rowe",))


def test_label_that_is_the_name_is_no_alias(tmp_path: Path) -> None:
    assert of_nodes(tmp_path, table("id,name,label", PEOPLE, PEOPLE))[0] == EntityRecord("0", "Ada")


@pytest.mark.parametrize("name", ["", "unknown"])
def test_a_name_that_is_empty_or_always_the_same_gives_way(tmp_path: Path, name: str) -> None:
    nodes = of_nodes(tmp_path, table("id,name,label", (name,) * 6, PEOPLE))
    assert nodes[0] == EntityRecord("0", "Ada", properties={"name": name} if name else {})


def test_a_title_is_the_name_of_rows_without_one_and_stays_a_property(tmp_path: Path) -> None:
    nodes = of_nodes(tmp_path, "id,name,title,type\na,Ada,Engineer,Person\nb,,Heat,Film\n")
    assert nodes == [
        EntityRecord("a", "Ada", types=("Person",), properties={"title": "Engineer"}),
        EntityRecord("b", "Heat", types=("Film",), properties={"title": "Heat"}),
    ]


def test_label_beside_a_column_of_types_is_kept(tmp_path: Path) -> None:
    nodes = of_nodes(tmp_path, "id,name,label,type\na,Ada,x,Person\nb,Bo,x,Person\n")
    assert nodes[0] == EntityRecord("a", "Ada", types=("Person",), properties={"label": "x"})


def test_pref_label_beside_label_is_an_alias(tmp_path: Path) -> None:
    nodes = of_nodes(tmp_path, table("id,rdfs:label,skos:prefLabel", PEOPLE, tuple(map(str.upper, PEOPLE))))
    assert nodes[1] == EntityRecord("1", "Bo", aliases=("BO",))


@pytest.mark.parametrize("name", ["city", "city:string", "4"])
def test_columns_by_option(tmp_path: Path, name: str) -> None:
    airports = "~id,~label,code,city:string,group\n1,airport,ATL,Atlanta,big\n"
    nodes = of_nodes(tmp_path, airports, name=name, key="code", type="group")
    assert nodes == [EntityRecord("ATL", "Atlanta", types=("big",), properties={"id": "1", "label": "airport"})]


def test_the_key_may_be_the_name(tmp_path: Path) -> None:
    assert of_nodes(tmp_path, "name,age\nAda,7\n", key="name") == [EntityRecord("Ada", properties={"age": "7"})]
    nodes = of_nodes(tmp_path, "name,age\nAda,7\n", key="name", name="name")
    assert nodes == [EntityRecord("Ada", "Ada", properties={"age": "7"})]


def test_a_column_of_the_options_that_is_not_there(tmp_path: Path) -> None:
    for option in ("name", "type", "key"):
        with fails("columns.no_name", InputError, column="nmae", near="name"):
            of_nodes(tmp_path, "id,name\na,A\n", **{option: "nmae"})


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"name": " "}, "options.empty"),
        ({"relation": ""}, "options.empty"),
        ({"type": "x", "key": "x"}, "options.same_column"),
        ({"type": "x", "name": "x"}, "options.same_column"),
        ({"columns": ("a", "b")}, "options.columns_without_relation"),
        ({"columns": ("a", "a"), "relation": "r"}, "options.bad_columns"),
        ({"quote": True, "delimiter": "::"}, "options.quote_with_delimiter"),
    ],
)
def test_options_are_checked(options: dict[str, Any], code: str) -> None:
    with fails(code, InputError):
        ReadOptions(**options)


def test_columns_of_the_own_export(tmp_path: Path) -> None:
    files = {
        "nodes.csv": "key:ID,label,description,aliases:string[],types:string[],:LABEL\na,A,,,Two Words,Two_Words\n",
        "edges.csv": ":START_ID,:END_ID,:TYPE,key,label\na,a,works_for,http://x/works for,works for\n",
    }
    read = Reading(write_all(tmp_path, files))
    assert read.nodes == [EntityRecord("a", "A", types=("Two Words",))]
    assert read.edges == [("a", "http://x/works for", "a")]
    assert [record.label for record in read.records if type(record).__name__ == "RelationRecord"] == ["works for"]


@pytest.mark.parametrize(
    ("header", "rows", "key", "name"),
    [
        ("Id,CompanyName,ContactName", ["1,Exotic Liquids,Ann Lee", "2,Mayumi's,Bo Ray"], "1", "Exotic Liquids"),
        ("CustomerID,company_name,City", ["ALFKI,Alfreds,Berlin", "ANATR,Ana,Mexico"], "ALFKI", "Alfreds"),
        ("id,first_name,last_name", ["1,Ann,Lee", "2,Bo,Ray"], "1", None),
        ("id,file_name,ShipName", ["1,a.txt,Le Port", "2,b.txt,Le Port", "3,c.txt,Le Port"], "1", None),
        ("id,CompanyName,title", ["1,Exotic,Boss", "2,Mayumi,Chief"], "1", "Exotic"),
    ],
)
def test_a_column_such_as_company_name_is_the_name_where_there_is_no_better(
    tmp_path: Path, header: str, rows: list[str], key: str, name: str | None
) -> None:
    (tmp_path / "nodes.csv").write_text("\n".join([header, *rows]) + "\n")
    (tmp_path / "edges.csv").write_text("source,type,target\n1,r,2\n")
    first = Reading(tmp_path).nodes[0]
    assert (first.key, first.label) == (key, name)


def test_a_first_column_of_ids_that_come_twice_is_not_the_key(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("orderID,productID,price\n1,7,2\n1,8,3\n")
    (tmp_path / "edges.csv").write_text("source,type,target\n1,r,2\n")
    with fails("columns.unknown", wanted="the key"):
        Reading(tmp_path)
