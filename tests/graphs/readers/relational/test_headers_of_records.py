"""Headers and rows of tables of records: titles above, three columns, ragged rows, merged cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from faults import fails
from table_files import Reading, one_file, workbook

from graphbrick import build
from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Raw
from graphbrick.graphs.readers.excel import EMPTY_ROWS, MERGED

openpyxl = pytest.importorskip("openpyxl")

SHOPS = [
    ["shop", "city", "sales", "opened"],
    ["North", "Oslo", 100, "2001-02-03"],
    ["South", "Rome", 250, "2010-05-06"],
]


@pytest.mark.parametrize(
    "text",
    [
        "name,age,height\nAlan,25,180\nGeorge,32,174\n",
        "symbol,date,price\nMS,Jan 1 2000,39.8\nMS,Feb 1 2000,36.3\nAB,Mar 1 2000,9\nAB,Apr 1 2000,8\n",
        "code,name,population\nFR,France,67\nES,Spain,47\n",
        "id,city,people\n1,Lyon,522969\n2,Nice,342669\n",
        "maker,model,doors\nA,one,3\nA,two,5\nB,three,5\nB,four,3\n",
        "name,age\nAnn,3\nBo,5\n",
        "Stadt;Einwohner;Quote\nBonn;1.073;8,7\nUlm;1.487;4,4\nKiel;2.500;2,1\n",  # commas of decimals below semicolons
    ],
)
def test_few_columns_of_records(tmp_path: Path, text: str) -> None:
    read = Reading(one_file(tmp_path, "rows.csv", text))
    assert len(read.nodes) == text.count("\n") - 1
    assert not read.edges


@pytest.mark.parametrize(
    "text",
    [
        "Kenya,capital,Nairobi\nKenya,currency,shilling\nMali,capital,Bamako\n",
        "Kenya,population,50\nMali,population,20\nMali,area,12\nKenya,area,7\n",
        "name,r,b\nc,r,d\n",
        "head,relation,tail\na,r,b\nc,s,d\n",
        "source,target,type\na,b,r\n",
        "a,is_a,b\nb,part_of,c\nc,is_a,d\nd,part_of,e\n",
    ],
)
def test_three_columns_of_triples(tmp_path: Path, text: str) -> None:
    read = Reading(one_file(tmp_path, "kb.csv", text))
    assert len(read.edges) > 0
    assert not read.nodes


def test_what_three_columns_may_be_otherwise_is_told(tmp_path: Path) -> None:
    file = one_file(tmp_path, "cars.csv", "maker,brand,colour\nA,x,red\nB,x,blue\nC,y,red\nD,y,blue\n")
    assert (
        Reading(file)
        .told[0]
        .endswith("triples without a header, the first is maker, brand, colour; if it names the columns, say --header")
    )
    read = Reading(file, key="maker")
    assert [record.key for record in read.nodes] == ["Car/A", "Car/B", "Car/C", "Car/D"]
    assert "say --no-header, or --columns 1,2,3" in read.told[0]
    edges = one_file(tmp_path, "edges.csv", "source,target,type\na,b,r\n")
    assert "--key not used" in Reading(edges, key="source").told[0]


def test_a_header_that_is_stated(tmp_path: Path) -> None:
    read = Reading(one_file(tmp_path, "names.csv", "name\nAnn\nBo\n"), header=True)
    assert [record.label for record in read.nodes] == ["Ann", "Bo"]
    read = Reading(one_file(tmp_path, "pairs.csv", "x,y\na,b\n"), header=True)
    assert read.properties == [{"y": Raw("b")}]


def test_rows_above_the_header(tmp_path: Path) -> None:
    lines = [",".join(map(str, row)) for row in SHOPS]
    read = Reading(
        one_file(tmp_path, "shops.csv", "Report,,,\n,,,\nmade,today,,\n" + "\n".join([*lines, ",,,"]) + "\n")
    )
    assert [record.label for record in read.nodes] == ["North", "South"]
    assert read.left_out.examples["rows of titles above the header of shops.csv"] == ["Report", "made, today"]
    assert read.left_out.counts["rows of shops.csv without any value"] == 1
    assert read.told[0].endswith("(its header is below 3 rows of titles; with --header it is the first row)")
    rows = [["Report", None, None, "x"], ["no", "more", "than", None], *SHOPS]
    read = Reading(workbook(tmp_path / "shops.xlsx", {"Sheet1": rows}))
    assert [record.label for record in read.nodes] == ["North", "South"]
    assert read.left_out.counts["rows of titles above the header"] == 2


def test_names_that_come_again(tmp_path: Path) -> None:
    read = Reading(one_file(tmp_path, "people.csv", "id,name,phone,phone\n1,Ann,11,22\n"))
    assert read.properties == [{"phone": Raw("11"), "phone (2)": Raw("22")}]


@pytest.mark.parametrize("mark", [*";~^|", "\t"])
@pytest.mark.parametrize("states", [True, False])
def test_other_delimiters_of_csv(tmp_path: Path, mark: str, states: bool) -> None:
    lines = [mark.join(map(str, row)) for row in SHOPS]
    read = Reading(one_file(tmp_path, "shops.csv", "\n".join([f"sep={mark}"] * states + lines) + "\n"))
    assert [record.label for record in read.nodes] == ["North", "South"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"id,name,city,age\n", "related.only_header"),
        ("id,name,city,age\n1,Zoé,Lyon,3\n".encode("cp1252"), "reader.not_text"),
        ("id,name,città,age\n1,Zoe,Lyon,3\n".encode("cp1252"), "reader.not_text"),
    ],
)
def test_faults_of_a_table_of_records(tmp_path: Path, content: bytes, code: str) -> None:
    with fails(code, InputError):
        Reading(one_file(tmp_path, "people.csv", content))


def test_rows_of_fewer_cells(tmp_path: Path) -> None:
    text = "id,name,city,age\n1,Ann,Kiel,3\n2,Bo,Bonn\n3,Cy\n4,Di,Ulm,5,,\n"
    read = Reading(one_file(tmp_path, "people.csv", text))
    assert [len(values) for values in read.properties] == [2, 1, 0, 2]
    assert read.left_out.counts["rows of people.csv with too few cells (the last ones are empty)"] == 2
    with pytest.raises(InputError, match="--skip-bad"):
        Reading(one_file(tmp_path, "people.csv", f"{text}5,Ed,Rome,4,extra\n"))


def _merged(file: Path, rows: list[list[Any]], ranges: list[str]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cells in ranges:
        book.active.merge_cells(cells)
    book.save(file)
    return file


def test_merged_cells_are_the_value_of_all_their_rows(tmp_path: Path) -> None:
    rows = [["shop", "region", "city", "sales"], ["A", "North", "Oslo", 1], ["B", None, "Bergen", 2]]
    rows += [["C", None, None, 3], [None, None, None, None], ["D", None, "Rome", 4]]
    read = Reading(_merged(tmp_path / "shops.xlsx", rows, ["B2:B4", "C3:C4", "B5:B6"]))
    assert [values.get("region") for values in read.properties] == ["North", "North", "North", None]
    assert [values.get("city") for values in read.properties] == ["Oslo", "Bergen", "Bergen", "Rome"]
    assert read.left_out.counts[MERGED] == 3
    assert read.left_out.counts[EMPTY_ROWS] == 1


def test_tables_side_by_side(tmp_path: Path) -> None:
    rows: list[list[object]] = [["name", "age", None, "name", "price"], ["Ann", 3, None, "Lamp", 9]]
    rows.append(["Bo", 4, None, None, None])
    read = Reading(workbook(tmp_path / "both.xlsx", {"Sheet1": rows}))
    assert [(record.label, dict(record.properties)) for record in read.nodes] == [
        ("Ann", {"age": 3}),
        ("Bo", {"age": 4}),
        ("Lamp", {"price": 9}),
    ]
    assert "side by side" in read.told[1]


def test_a_bad_row_of_tables_side_by_side_is_counted_once(tmp_path: Path) -> None:
    text = "a,b,c,,x,y,z\n1,p,2,,k,1,3\n2,q,4,,l,2,5\n4,s,1,,n,4,7,8,9\n"
    read = Reading(one_file(tmp_path, "both.csv", text), skip=True)
    assert (len(read.nodes), read.bad.count) == (4, 1)


def test_empty_rows_of_nodes_and_edges(tmp_path: Path) -> None:
    edges = one_file(tmp_path, "edges.csv", "from,type,to,since\na,r,b,2020\n,,,\nb,r,c,2021\n")
    nodes = one_file(tmp_path, "nodes.csv", "id,name,age\na,Ann,3\n,,\nb,Bo,\nc,Cy,\n")
    read = Reading(edges, nodes)
    assert ([record.label for record in read.nodes], len(read.edges)) == (["Ann", "Bo", "Cy"], 2)
    assert read.left_out.counts == {"rows of edges.csv without any value": 1, "rows of nodes.csv without any value": 1}


@pytest.mark.parametrize(
    ("head", "relation"),
    [("m.0{}x", "film.{}.made"), ("Q{}", "P{}"), ("http://ex.org/e{}", "http://ex.org/p/{}"), ("/m/0{}", "/r/{}/x")],
)
def test_the_first_of_many_different_triples_is_no_header(tmp_path: Path, head: str, relation: str) -> None:
    """Of a large graph, the first rows may have no entity and no relation twice."""
    rows = [(head.format(n), relation.format(n), head.format(n + 7_000)) for n in range(300)]
    file = tmp_path / "dump.tsv"
    file.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    graph = build(file, tmp_path / "dump.graph")
    assert (graph.n_triples, graph.n_relations, graph.n_entities) == (300, 300, 600)


@pytest.mark.parametrize("header", ["country,2019,2020", "region,1990,1980", "part,code,made", "id,m,n"])
def test_headers_that_are_unlike_their_columns_stay_headers(tmp_path: Path, header: str) -> None:
    _, second, third = header.split(",")
    file = tmp_path / "table.csv"
    rows = "".join(f"thing {n},{n}.5,{n + 3}.25\n" for n in range(30))
    file.write_text(f"{header}\n{rows}", encoding="utf-8")
    graph = build(file, tmp_path / "table.graph")
    assert graph.n_triples == 0
    assert {column.name for column in graph.columns} >= {second, third}
