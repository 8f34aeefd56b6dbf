"""Which properties the nodes of a Cypher database are called by."""

from __future__ import annotations

from pathlib import Path

import pytest
from property_databases import make_ladybug

import graphbrick

pytest.importorskip("ladybug")


def test_nodes_are_called_by_what_is_like_a_name(tmp_path: Path) -> None:
    make_ladybug(
        tmp_path / "offices.ladybug",
        "CREATE NODE TABLE Firm(nr INT64 PRIMARY KEY, companyName STRING, fileName STRING)",
        "CREATE NODE TABLE Worker(nr INT64 PRIMARY KEY, lastName STRING, firstName STRING)",
        "CREATE NODE TABLE Shift(nr INT64 PRIMARY KEY, hours INT64)",
        "CREATE REL TABLE WORKS_FOR(FROM Worker TO Firm)",
        "CREATE REL TABLE DOES(FROM Worker TO Shift)",
        "CREATE (:Firm {nr: 1, companyName: 'Blue Mills', fileName: 'a.txt'})",
        "CREATE (:Worker {nr: 2, firstName: 'Ada', lastName: 'Lund'}), (:Worker {nr: 3, lastName: 'Berg'})",
        "CREATE (:Shift {nr: 4, hours: 8})",
        "MATCH (w:Worker), (f:Firm) CREATE (w)-[:WORKS_FOR]->(f)",
        "MATCH (w:Worker {nr: 2}), (s:Shift) CREATE (w)-[:DOES]->(s)",
    )
    graph = graphbrick.open(f"ladybug:{tmp_path / 'offices.ladybug'}")
    (firm,) = graph.search("Who works for Blue Mills?", 5)
    assert (graph.label(firm), graph.properties(firm)) == ("Blue Mills", {"fileName": "a.txt"})
    assert graph.label(graph.search("Where does Ada Lund work?", 5)[0]) == "Ada Lund"
    labels = {graph.label(head) for head, _, _ in graph.neighbours([firm], direction="in")[0].triples.tolist()}
    assert labels == {"Ada Lund", "Berg"}
    ada = graph.search("Ada Lund", 1)[0]
    ends = graph.neighbours([ada], direction="out")[0].triples[:, 2].tolist()
    assert sorted(map(graph.label, ends)) == ["4", "Blue Mills"]  # a shift has no name: its key


def test_a_title_is_the_name_of_a_work_and_not_of_a_person(tmp_path: Path) -> None:
    make_ladybug(
        tmp_path / "staff.ladybug",
        "CREATE NODE TABLE Person(id INT64 PRIMARY KEY, full_name STRING, title STRING)",
        "CREATE NODE TABLE Guest(id INT64 PRIMARY KEY, first_name STRING, last_name STRING, title STRING)",
        "CREATE NODE TABLE Film(id INT64 PRIMARY KEY, title STRING)",
        "CREATE REL TABLE SAW(FROM Person TO Film, FROM Guest TO Film)",
        "CREATE (:Person {id: 1, full_name: 'Ines Calderon', title: 'Engineer'}), (:Film {id: 2, title: 'Heat'})",
        "CREATE (:Guest {id: 3, first_name: 'Ada', last_name: 'Lund', title: 'Dr'})",
        "MATCH (p:Person), (f:Film) CREATE (p)-[:SAW]->(f)",
        "MATCH (p:Guest), (f:Film) CREATE (p)-[:SAW]->(f)",
    )
    graph = graphbrick.open(f"ladybug:{tmp_path / 'staff.ladybug'}")
    (film,) = graph.search("Heat", 1)
    found = {head for head, _, _ in graph.neighbours([film], direction="in")[0].triples.tolist()}
    titles = {(graph.label(one), graph.properties(one).get("title")) for one in found}
    assert titles == {("Ines Calderon", "Engineer"), ("Ada Lund", "Dr")}
