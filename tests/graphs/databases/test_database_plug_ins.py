"""Databases of other packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Run
from faults import fails
from pages import imported
from plug_ins import Install

import graphbrick
from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.core.plugins import PluginWarning
from graphbrick.graphs.databases.address import DATABASES, Address, is_address
from graphbrick.graphs.databases.cypher.bolt import BoltGraph

PAIRS = "Kenya|capital|Nairobi\nUganda|capital|Kampala\nKenya|borders|Uganda\n"


def test_the_database_of_the_contributing_page_is_asked_by_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install: Install, run: Run
) -> None:
    kind = imported("CONTRIBUTING.md", "PairsGraph", monkeypatch).PairsGraph
    install("databases", pairs=kind)
    (tmp_path / "kenya.txt").write_text(PAIRS, encoding="utf-8")
    address = f"pairs:{tmp_path / 'kenya.txt'}"
    assert is_address(address)
    assert str(Address.read(address)) == address
    graph = graphbrick.open(address)
    assert type(graph) is kind
    pipeline = "ShortestPaths() >> Rerank(BM25(), n=1) >> PathAnswer()"
    assert graphbrick.ask(address, "What is the capital of Uganda?", pipeline).texts == ("Kampala",)
    told = run("ask", address, "What is the capital of Uganda?", "--pipeline", pipeline)
    assert "Kampala" in told.out
    with pytest.raises(GraphbrickError, match="which runs no queries"):
        graph.query("MATCH (n) RETURN n", {}, 1)


def test_an_address_of_no_kind_lists_all(install: Install) -> None:
    assert not is_address("pairs:x")
    install("databases", pairs=BoltGraph)
    with fails("address.unknown_scheme", InputError, scheme="cassandra") as caught:
        Address.read("cassandra://localhost/x")
    assert "ladybug" in str(caught.value)
    assert str(caught.value).endswith("sparql+https, pairs")


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        (dict, "it is not a kind of database; derive it from graphbrick.DatabaseGraph"),
        (
            type("Half", (graphbrick.DatabaseGraph,), {"find": None, "named": None, "run": None, "schema": None}),
            "it does not implement around, language",
        ),
    ],
)
def test_a_kind_that_breaks_the_contract_is_left_out(install: Install, kind: object, fault: str) -> None:
    install("databases", pairs=kind)
    with pytest.warns(PluginWarning, match=fault):
        assert DATABASES.find("pairs") is None
