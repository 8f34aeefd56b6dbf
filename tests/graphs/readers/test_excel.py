"""Workbooks of Excel: sheets of nodes and edges, or one sheet of triples."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from faults import fails
from table_files import Reading, one_file, workbook

from graphbrick.core.errors import InputError, ModelError
from graphbrick.graphs.readers.excel import NO_VALUES
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord

pytest.importorskip("openpyxl")


def test_nodes_and_edges(tmp_path: Path) -> None:
    moment = datetime.datetime(2020, 1, 2, 3, 4, 5)
    sheets = {
        "Edges": [["source", "type", "target", "since"], ["p1", "SELLS", 7, 2019], ["p1", "SELLS", 8, None]],
        "Notes": [["only a note"]],
        "Nodes": [
            ["id", "name", "type", "price", "ok", "born", "at"],
            ["p1", "Blue Kettle", "Product", 24.5, True, datetime.date(1970, 1, 2), moment],
            [7, "Vendor", None, None, "#N/A", None, None],
            [None] * 7,
        ],
    }
    read = Reading(workbook(tmp_path / "book.xlsx", sheets))
    born = {"price": 24.5, "ok": True, "born": datetime.date(1970, 1, 2), "at": moment}
    assert read.records == [
        EntityRecord("p1", "Blue Kettle", types=("Product",), properties=born),
        EntityRecord("7", "Vendor"),
        EdgeRecord("p1", "SELLS", "7", {"since": 2019}),
        ("p1", "SELLS", "8"),
    ]
    assert read.left_out.counts == {
        "sheets of book.xlsx that are not used": 1,
        "cells with an error of Excel": 1,
        "edge ends that are in no table of nodes": 1,
    }
    assert read.told == [
        "book.xlsx: sheet Nodes: key id, name name, type type; 4 properties (price, ok, born, at). "
        "sheet Edges: head source, relation type, tail target; 1 property (since)"
    ]


def test_one_sheet_of_triples(tmp_path: Path) -> None:
    assert Reading(workbook(tmp_path / "book.xlsx", {"Sheet1": [["a", "r", "b"], ["c", "r", "d"]]})).records == [
        ("a", "r", "b"),
        ("c", "r", "d"),
    ]


def test_blank_rows_before_the_first(tmp_path: Path) -> None:
    assert Reading(workbook(tmp_path / "book.xlsx", {"Sheet1": [[" "], ["a", "r", "b"]]})).records == [("a", "r", "b")]


def test_a_sheet_for_each_type(tmp_path: Path) -> None:
    sheets = {
        "Person": [["id", "name"], ["p", "Ada"]],
        "City": [["id", "name"], ["c", "Rome"]],
        "LIVES_IN": [["source", "target"], ["p", "c"]],
    }
    assert Reading(workbook(tmp_path / "book.xlsx", sheets)).records == [
        EntityRecord("p", "Ada", types=("Person",)),
        EntityRecord("c", "Rome", types=("City",)),
        ("p", "LIVES_IN", "c"),
    ]


def test_formulas_without_values_and_cells_outside_the_table_are_counted(tmp_path: Path) -> None:
    sheets = {
        "nodes": [["id", "name", "sum"], ["a", "A", "=1+1"], ["b", "B", '=IF(1<2,"x","")', None, "a note"]],
        "edges": [["a", "r", "b", "r2"], ["a", "r", "b", 3]],
    }
    read = Reading(workbook(tmp_path / "book.xlsx", sheets))
    assert read.records[:2] == [EntityRecord("a", "A"), EntityRecord("b", "B")]
    assert read.left_out.examples[NO_VALUES] == ["=1+1", '=IF(1<2,"x","")']
    assert read.left_out.examples["cells to the right of the first row"] == ["nodes: a note"]
    assert read.left_out.examples["columns of book.xlsx beside the triples"] == ["column 4"]


def test_bad_rows(tmp_path: Path) -> None:
    sheets = {
        "nodes": [["id", "name"], [None, "Ada"], ["c", "Rome"]],
        "edges": [["source", "type", "target"], ["c", None, "c"], ["c", "r", "c"]],
    }
    read = Reading(workbook(tmp_path / "book.xlsx", sheets), skip=True)
    assert read.records == [EntityRecord("c", "Rome"), ("c", "r", "c")]
    assert [(error.line, error.code) for error in read.bad.errors] == [
        (2, "reader.empty_key"),
        (2, "reader.empty_end_in_sheet"),
    ]


def test_a_sheet_of_nodes_beside_a_file_of_edges(tmp_path: Path) -> None:
    nodes = workbook(tmp_path / "book.xlsx", {"Sheet1": [["id", "name", "n"], ["a", "A", 1]]})
    edges = one_file(tmp_path, "edges.csv", "source,type,target\na,r,a\n")
    assert Reading(edges, nodes).records == [EntityRecord("a", "A", properties={"n": 1}), ("a", "r", "a")]


def test_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with fails("reader.not_excel", InputError):
        Reading(one_file(tmp_path, "book.xlsx", "a,b,c\n"))
    with fails("reader.no_rows", InputError):
        Reading(workbook(tmp_path / "book.xlsx", {"Sheet1": []}))
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with fails("reader.no_excel_package", ModelError):
        Reading(tmp_path / "book.xlsx")


@pytest.mark.parametrize(("place", "value"), [(6, 113), (8, 1), (10, 99)], ids=["version", "encrypted", "method"])
def test_a_workbook_whose_archive_cannot_be_read_is_refused(tmp_path: Path, place: int, value: int) -> None:
    file = workbook(tmp_path / "book.xlsx", {"Sheet1": [["source", "type", "target"], ["a", "r", "b"]]})
    data = bytearray(file.read_bytes())
    at = data.find(b"PK\x01\x02")
    while at >= 0:  # every entry of the list of files
        data[at + place] = value
        at = data.find(b"PK\x01\x02", at + 4)
    file.write_bytes(data)
    with fails("reader.not_excel", InputError):
        Reading(file)


@pytest.mark.whole
def test_a_workbook_that_unpacks_to_gigabytes_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "bomb.xlsx"
    with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=1) as packed, packed.open("xl/sharedStrings.xml", "w") as out:
        for _ in range(65):
            out.write(bytes(1 << 24))
    with fails("reader.workbook_too_large", InputError, size=65 << 24):
        Reading(file)
