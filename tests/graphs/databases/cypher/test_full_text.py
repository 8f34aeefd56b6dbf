"""Names are searched with the full-text index of a database that has one, which the trace says. No server is needed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from faults import told

from graphbrick.core.schema import Rows
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.databases.address import Address
from graphbrick.graphs.databases.cypher.bolt import BoltGraph
from graphbrick.graphs.databases.cypher.falkor import FalkorGraph

SCHEMA = ("CALL db.labels()", "CALL db.relationshipTypes()")  # asked for properties that are like a name
PACINO = {"id": 3, "name": "Al Pacino"}


def node(text: str) -> list[Any]:
    """Return Al Pacino as a query returns a node: its id, its labels, and the properties that the query names."""
    names = text.split("labels(node), ")[1].split("]")[0].replace("node.", "").replace("`", "").split(", ")
    return ["7", ["Person"], *(PACINO.get(name) for name in names)]


class Neo4j(BoltGraph):
    """A server whose only answers are those about indexes."""

    def fetch(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        if text.startswith("SHOW INDEXES"):
            return Rows(
                (), [("names", "FULLTEXT", "NODE", ["name"], "ONLINE"), ("v", "VECTOR", "NODE", ["x"], "ONLINE")]
            )
        if "db.index.fulltext.queryNodes" in text:
            assert parameters == {"index": "names", "text": "Who is Al Pacino"}
            return Rows((), [(node(text),)])
        assert "elementId" in text or text in SCHEMA
        return Rows((), [])


class Falkor(FalkorGraph):
    """As `Neo4j`."""

    def fetch(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        if text.startswith("CALL db.indexes()"):
            return Rows((), [("Person", ["name"], {"name": ["FULLTEXT"]}, "NODE", "OPERATIONAL")])
        if text in SCHEMA:
            return Rows((), [])
        assert parameters == {"label": "Person", "text": "Who|is|Al|Pacino"}
        return Rows((), [(node(text),)])


@pytest.mark.parametrize(
    ("graph", "events"),
    [
        (Neo4j(Address.read("bolt://localhost:7687/films")), [("bolt.full_text", {"index": "names"})]),
        (Falkor(Address.read("falkor://localhost:6379/films")), [("falkor.full_text", {"label": "Person"})]),
    ],
    ids=["neo4j", "falkor"],
)
def test_the_full_text_index_is_used_and_told(graph: BoltGraph | FalkorGraph, events: list[Any]) -> None:
    trace = Trace()
    with record(trace, "search", "tool"):
        first, second = (graph.search("Who is Al Pacino?", 1) for _ in range(2))
    assert [graph.label(entity) for entity in first] == ["Al Pacino"]
    assert first == second
    assert told(trace.events) == events


def test_words_that_are_operators_of_lucene_are_words() -> None:
    class Server(Neo4j):
        def fetch(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
            if "db.index.fulltext.queryNodes" in text:
                assert parameters["text"] == "Portland or not and Oregon"
                return Rows((), [(node(text),)])
            return super().fetch(text, parameters, limit)

    assert len(Server(Address.read("bolt://localhost:7687/films")).search("Portland, OR NOT AND Oregon", 1)) == 1


@pytest.mark.whole
def test_a_duration_is_no_list_of_numbers() -> None:
    time = pytest.importorskip("neo4j.time")
    graph = BoltGraph(Address.read("bolt://localhost:7687/films"))
    assert graph.plain([time.Duration(months=1, days=3, hours=2), time.Date(1995, 12, 15)]) == [
        "P1M3DT2H",
        date(1995, 12, 15),
    ]
