"""Columns whose numbers and dates are not written as plain numbers and ISO dates."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Value
from graphbrick.core.properties.written import Written, WrittenCells
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.compact import compact
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.readers import ReadOptions
from graphbrick.graphs.records.records import EntityRecord


def _plain(name: str, texts: list[str], mark: str = "", order: str = "") -> list[str] | str | None:
    cells = WrittenCells(name)
    cells.extend(texts)
    written = cells.decided(mark, order)
    return [*map(written.plain, texts)] if isinstance(written, Written) else written


@pytest.mark.parametrize(
    ("texts", "plain"),
    [
        (["776", "1,158", "26,820"], ["776", "1158", "26820"]),
        (["1.073.096", "5.012"], ["1073096", "5012"]),
        (["405,01", "58,30"], ["405.01", "58.30"]),
        (["1'234.5", "12"], ["1234.5", "12"]),
        (["522 969", "236\u00a0234"], ["522969", "236234"]),
        (["1,23,456", "12,34,567"], ["123456", "1234567"]),
        (["$19.99", "$1,299.00"], ["19.99", "1299.00"]),
        (["-€5", "€ 7"], ["-5", "7"]),
        (["45%", "7 %"], ["45", "7"]),
        (["2.5 kg", "900 g", "10 kg"], ["2.5", "0.9", "10"]),
        (["(1,234.50)", "2,000.00", "-500.25"], ["-1234.50", "2000.00", "-500.25"]),
        (["+5", "-3", "0"], ["5", "-3", "0"]),
        (["\u22124", "12"], ["-4", "12"]),
        (["5/19/2006 0:00:00", "1/2/2006 0:00:00"], ["2006-05-19", "2006-01-02"]),
        (["25/12/2021", "03/04/2021"], ["2021-12-25", "2021-04-03"]),
        (["01.01.1950", "14.06.1158"], ["1950-01-01", "1158-06-14"]),
        (["4 March 2021", "Dec 25, 2021"], ["2021-03-04", "2021-12-25"]),
        (["5/19/2006 2:05 PM"], ["2006-05-19T14:05:00"]),
    ],
)
def test_values_as_people_write_them(texts: list[str], plain: list[str]) -> None:
    assert _plain("value", texts) == plain


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("code", ["007", "1,234.5"]),
        ("phone", ["555 123", "444 222"]),
        ("prefix", ["+254", "+43"]),
        ("version", ["1.234.567", "2.345.678"]),
        ("build", ["1.2.3", "1.10.0"]),
        ("note", ["(1)", "(2)"]),
        ("n", ["1", "2.5"]),
        ("day", ["31/02/2020"]),
    ],
)
def test_codes_and_plain_or_mixed_values_stay_as_they_are(name: str, texts: list[str]) -> None:
    assert _plain(name, texts) is None


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["2 kg", "3 cm"], "how its units compare (kg, cm)"),
        (["5 USD", "7 EUR", "9 USD"], "how its units compare (USD, EUR)"),
        (["1,5", "1.5"], "commas or points"),
        (["1.234,5", "12", "1,234.5"], "commas or points"),
        (["13/01/2020", "01/13/2020"], "the day or the month is first, as it has both"),
    ],
)
def test_forms_that_clash_are_told(texts: list[str], told: str) -> None:
    assert told in str(_plain("value", texts))


def test_what_cells_leave_open_is_asked_or_decided() -> None:
    assert "--decimal" in str(_plain("salary", ["50,000", "61,500"]))
    assert _plain("salary", ["50,000", "61,500"], ".") == ["50000", "61500"]
    assert _plain("weight", ["1,234", "2,500"], ",") == ["1.234", "2.500"]
    assert "--dates" in str(_plain("start", ["05/06/2006", "1/2/2006"]))
    assert _plain("start", ["05/06/2006"], order="mdy") == ["2006-05-06"]


def test_a_few_words_among_numbers_stay_words() -> None:
    assert _plain("price", ["$5"] * 30 + ["n/a"]) == ["5"] * 30 + ["n/a"]
    assert _plain("price", ["$5", "n/a"]) is None


def _built(tmp_path: Path, text: str, name: str = "goods.csv", options: ReadOptions | None = None) -> Graph:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return build(tmp_path / name, tmp_path / "goods.graph", options=options, overwrite=True)


def _values(graph: Graph, name: str) -> list[Value | None]:
    return [graph.properties(entity).get(name) for entity in range(graph.n_entities)]


GOODS = (
    'id,name,price,salary,height (cm),made,code\n1,Alpha,$19.99,"50,000",120,3/14/2021,1E5\n'
    '2,Beta,"$1,299.00","61,500",80,12/1/2020,2E3\n'
)


def test_a_table_is_read_with_units_and_told(tmp_path: Path) -> None:
    graph = _built(tmp_path, GOODS)
    assert _values(graph, "price") == [19.99, 1299.0]
    assert _values(graph, "salary") == [50000, 61500]
    assert _values(graph, "made") == [datetime.date(2021, 3, 14), datetime.date(2020, 12, 1)]
    assert _values(graph, "code") == ["1E5", "2E3"]
    units = {column.name: column.unit for column in graph.property_columns()}
    assert (units["price"], units["height"], units["salary"]) == ("$", "cm", "")
    told = " ".join(graph.manifest.not_kept)
    assert "values of price in goods.csv that are read as numbers in $ («$1,299.00» is 1299.00" in told
    assert "values of code that are kept as texts" in told


@pytest.mark.whole
def test_units_stay_when_changes_are_folded_in(tmp_path: Path) -> None:
    graph = _built(tmp_path, GOODS)
    change(graph.path, add=[EntityRecord("Good/1", properties={"price": 5.0}), ("Good/1", "near", "Good/2")])
    units = {column.name: column.unit for column in compact(graph.path).property_columns()}
    assert units["price"] == "$"
    assert units["height"] == "cm"


def test_a_header_with_a_type_keeps_texts(tmp_path: Path) -> None:
    graph = _built(tmp_path, GOODS.replace("price", "price:string"))
    assert _values(graph, "price") == ["$19.99", "$1,299.00"]


def test_options_decide_what_a_table_leaves_open(tmp_path: Path) -> None:
    text = "id;name;weight;start\n1;Ann;1,234;5/6/2021\n2;Bob;2,500;1/2/2021\n"
    graph = _built(tmp_path, text, options=ReadOptions(delimiter=";"))
    assert _values(graph, "weight") == ["1,234", "2,500"]
    told = " ".join(graph.manifest.not_kept)
    assert "--decimal" in told
    assert "--dates" in told
    graph = _built(tmp_path, text, options=ReadOptions(delimiter=";", decimal=",", dates="dmy"))
    assert _values(graph, "weight") == [1.234, 2.5]
    assert _values(graph, "start") == [datetime.date(2021, 6, 5), datetime.date(2021, 2, 1)]
    with pytest.raises(InputError, match="dates must be dmy or mdy"):
        ReadOptions(dates="ymd")


@pytest.mark.parametrize("other", ["12.5", "1e3"])
def test_large_whole_numbers_beside_decimals_keep_their_digits(tmp_path: Path, other: str) -> None:
    graph = _built(tmp_path, f"id,name,account\n1,Ann,9007199254740993\n2,Bob,{other}\n3,Cy,-9007199254740995\n")
    assert _values(graph, "account") == ["9007199254740993", other, "-9007199254740995"]
    assert any("account" in told for told in graph.manifest.not_kept)


def test_exponents_with_a_point_or_sign_are_numbers(tmp_path: Path) -> None:
    graph = _built(tmp_path, "id,name,mass,n\n1,Earth,5.972e24,1E+5\n2,Mars,6e23,2E3\n")
    assert _values(graph, "mass") == [5.972e24, 6e23]
    assert _values(graph, "n") == [1e5, 2e3]


def test_large_whole_numbers_in_a_list_keep_their_digits(tmp_path: Path) -> None:
    record = EntityRecord("a", properties={"n": ((1 << 53) + 1, 0.5)})
    graph = build([record, ("a", "r", "b")], tmp_path / "list.graph")
    assert graph.properties(graph.entity("a"))["n"] == ("9007199254740993", "0.5")
