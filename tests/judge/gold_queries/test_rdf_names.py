"""Questions about RDF graphs whose names have languages, or whose nodes have no classes."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphbrick
from graphbrick.judge.gold_queries.generator import questions_with_queries

ox = pytest.importorskip("pyoxigraph")

PREFIXES = """
@prefix e: <http://e.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def stored(folder: Path, turtle: str) -> str:
    store = ox.Store(str(folder / "store"))
    store.load(input=(PREFIXES + turtle).encode(), format=ox.RdfFormat.TURTLE)
    store.flush()
    return f"oxigraph:{folder / 'store'}"


def test_answers_are_in_the_language_of_the_graph(tmp_path: Path) -> None:
    address = stored(
        tmp_path,
        """
        e:de a e:Country ; rdfs:label "Germany"@en, "Deutschland"@de ; e:hasCapital e:b ; e:founded "1949"^^xsd:gYear .
        e:at a e:Country ; rdfs:label "Austria"@en, "Österreich"@de ; e:hasCapital e:v ; e:founded "1955"^^xsd:gYear .
        e:b a e:City ; rdfs:label "Berlin"@en-GB, "Berlin"@de .
        e:v a e:City ; rdfs:label "Vienna"@en, "Wien"@de .
        """,
    )
    english = list(questions_with_queries(graphbrick.open(address), 20, templates=("basic", "comparison")))
    assert {answer for one in english for answer in one.answers} <= {"Berlin", "Vienna", "Germany", "Austria"}
    assert {one.template for one in english} == {"basic", "comparison"}
    assert all(one.cypher is None and one.sparql == one.query for one in english)
    german = list(questions_with_queries(graphbrick.open(f"{address}?language=de"), 20, templates=("inverse",)))
    assert {answer for one in german for answer in one.answers} == {"Deutschland", "Österreich"}
    assert {name for one in german for name in one.seeds} == {"Berlin", "Wien"}


@pytest.mark.whole
def test_nodes_without_classes(tmp_path: Path) -> None:
    address = stored(
        tmp_path, 'e:a rdfs:label "Ann" ; e:knows e:b . e:b rdfs:label "Bob" ; e:knows e:c . e:c rdfs:label "C" .'
    )
    made = {one.question: one.answers for one in questions_with_queries(graphbrick.open(address), 20)}
    assert made["Which entity does the entity «Ann» have as knows?"] == ("Bob",)
    assert made["Which entity does the entity have as knows that the entity «Ann» has as knows?"] == ("C",)
