"""A store and a folder of the same file know the same names, in every language and by IRIs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from faults import fails, told
from sparql_server import reply, sparql_server

import graphbrick
from graphbrick import BM25, Graph, LocalAround, PathAnswer, Rerank, Session, ShortestPaths, build
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.changes.copying import copy_graph
from graphbrick.graphs.local.seeds import mentioned

PREFIXES = """@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix pizza: <http://pizza.org/pizza#> .
"""
DATA = (
    PREFIXES
    + """
:marsh rdfs:label "Marsh Port"@de ; :population 9000 .
:ada rdfs:label "Ada Rowe"@en, "Ада Роу"@ru ; :born_in :oslo .
:t1 rdfs:label "Peat Bog"@en ; skos:prefLabel "Mire"@en ; :found_in :r1 . :r1 rdfs:label "Orkan Valley" .
:t2 rdfs:label "Fen"@en , "Low Moor"@en-GB ; :found_in :r2 . :r2 skos:altLabel "Second Place"@fr .
pizza:MeatTopping rdfs:label "CoberturaDeCarne"@pt ; pizza:costs 12 .
pizza:S%C3%A3oPaulo :borders pizza:salt_lake .
pizza:NamedTopping rdfs:label "Olive"@en ; pizza:costs 3 .
"""
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    file = tmp_path_factory.mktemp("rdf") / "graph.ttl"
    file.write_text(DATA, encoding="utf-8")
    return build(file, file.with_suffix(".graph"))


@pytest.fixture(params=["oxigraph", "sparql"])
def live(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    store = ox.Store(str(tmp_path / "store")) if request.param == "oxigraph" else ox.Store()
    store.load(DATA.encode(), format=ox.RdfFormat.TURTLE)
    with Session():
        if request.param == "oxigraph":
            store.flush()
            yield graphbrick.open(f"oxigraph:{tmp_path / 'store'}")
        else:
            with sparql_server(store) as server:
                yield graphbrick.open(server.address)


QUESTIONS = {
    "What is the population of Marsh Port?": "marsh",
    "Where was Ада Роу born?": "ada",
    "Where was Ada Rowe born?": "ada",
    "Where is Mire found?": "t1",
    "Where is the Low Moor found?": "t2",
    "Where is Second Place?": "r2",
    "What costs MeatTopping?": "MeatTopping",
    "How much does meat topping cost?": "MeatTopping",
    "What does Meat Topping cost?": "MeatTopping",
    "How much is CoberturaDeCarne?": "MeatTopping",
    "What borders São Paulo?": "S%C3%A3oPaulo",
    "What borders salt lake?": "salt_lake",
    "Where is oslo?": "oslo",
}


@pytest.mark.whole
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_names_occur_in_a_question(folder: Graph, live: Any, question: str) -> None:
    for graph in (folder, live):
        keys = [graph.key(entity) for entity in mentioned(graph, question)]
        assert [re.split("[/#]", key)[-1] for key in keys] == [QUESTIONS[question]]


def test_a_local_name_is_no_name_beside_a_label_in_the_language(folder: Graph, live: Any) -> None:
    for graph in (folder, live):
        assert mentioned(graph, "What does NamedTopping cost?") == []
        assert [graph.label(entity) for entity in mentioned(graph, "What does Olive cost?")] == ["Olive"]


def test_aliases_are_those_of_the_folder(folder: Graph, live: Any) -> None:
    for entity in range(folder.n_entities):  # of labels of one rank the first is the label, which a store does not know
        mine = live.entity(folder.key(entity))
        assert {live.label(mine), *live.aliases(mine)} == {folder.label(entity), *folder.aliases(entity)}
        assert live.description(mine) == folder.description(entity)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("What is the population of Marsh Port?", "9000"), ("What does meat topping cost?", "12")],
)
def test_a_question_has_the_same_answer(folder: Graph, live: Any, question: str, answer: str) -> None:
    pipeline = ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
    assert pipeline(LocalAround(live), question).texts == pipeline(folder, question).texts == (answer,)


def test_an_endpoint_that_does_not_tell_its_languages_is_searched_in_the_preferred_one() -> None:
    store = ox.Store()
    store.load(DATA.encode(), format=ox.RdfFormat.TURTLE)
    with Session(), sparql_server(store) as server:
        graph: Any = graphbrick.open(server.address)
        server.faults = [lambda handler: reply(handler, 500, b"no aggregates")]
        with record(Trace(), "search", "search") as entry:
            assert [graph.label(e) for e in graph.search("Where was Ada Rowe born?", 5)] == ["Ada Rowe"]
        assert [code for code, _ in told(entry.events)] == ["rdf_survey.not_known"]


def test_names_are_found_where_iris_cannot_be_searched() -> None:
    store = ox.Store()
    store.load(DATA.encode(), format=ox.RdfFormat.TURTLE)
    with Session(), sparql_server(store) as server:
        graph: Any = graphbrick.open(server.address)
        assert graph.unnamed_namespaces
        assert graph.language_tags[:2] == ("", "en")
        assert {*graph.language_tags[2:]} == {"fr", "de", "en-gb", "pt", "ru"}
        assert not any(iri.endswith("comment") for iri in graph.only_facts)  # asked before the server refuses
        refused = partial(reply, status=500, body=b"too much")
        good = b'{"head": {"vars": ["e", "name"]}, "results": {"bindings": []}}'
        server.faults = [partial(reply, status=200, body=good), refused]
        with record(Trace(), "search", "search") as entry:
            graph.search("What does meat topping cost?", 5)
        assert "rdf_search.iris_not_searched" in [code for code, _ in told(entry.events)]


def test_an_empty_store_is_named_and_no_hidden_file(tmp_path: Path) -> None:
    ox.Store(str(tmp_path / "empty")).flush()
    with Session(), fails("copy.no_statements") as caught:
        copy_graph(f"oxigraph:{tmp_path / 'empty'}", tmp_path / "empty.graph")
    assert "graph.nq" not in str(caught.value)
