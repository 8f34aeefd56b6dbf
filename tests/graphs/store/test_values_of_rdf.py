"""Which tails of RDF are numbers: not IRIs that end in one, codes, or texts that only claim a datatype."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from graphbrick.core.properties.values import Kind
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.literals import read_literal

pytest.importorskip("pyoxigraph")

FILE = """@prefix : <http://ex.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:a :license <https://creativecommons.org/licenses/by/4.0/> ; :source <http://ex.org/report/2020> ; :code "007" ;
   :zip "01010" ; :bad "abc"^^xsd:integer ; :day "2020-03-04Z"^^xsd:date ; :floors "12" ; :count "+05"^^xsd:integer .
"""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder: Path = tmp_path_factory.mktemp("rdf")
    (folder / "a.ttl").write_text(FILE, encoding="utf-8")
    return build(folder / "a.ttl", folder / "a.graph")


def test_kinds_of_tails(graph: Graph) -> None:
    kinds = {column.name: column.kind for column in graph.property_columns()}
    texts = dict.fromkeys(("code", "zip", "bad"), Kind.TEXT)
    assert kinds == texts | {"day": Kind.DATE, "floors": Kind.INTEGER, "count": Kind.INTEGER}


def test_values_of_tails(graph: Graph) -> None:
    values = graph.properties(graph.entity("http://ex.org/a"))
    assert (values["code"], values["zip"], values["bad"]) == ("007", "01010", "abc")
    assert (values["day"], values["floors"], values["count"]) == (datetime.date(2020, 3, 4), 12, 5)
    license_ = graph.entity("https://creativecommons.org/licenses/by/4.0/")
    assert graph.label(license_) == "by/4.0"


@pytest.mark.parametrize("text", ["007", "-01", "00 kg"])
def test_digits_that_begin_with_zeros_are_codes(text: str) -> None:
    assert read_literal(text) is None


@pytest.mark.parametrize(("text", "value"), [("0", 0.0), ("0.5 kg", 0.5), ("0450-02", 450.08)])
def test_zeros_that_are_numbers(text: str, value: float) -> None:
    literal = read_literal(text)
    assert literal is not None
    assert literal.value == pytest.approx(value, abs=0.01)
