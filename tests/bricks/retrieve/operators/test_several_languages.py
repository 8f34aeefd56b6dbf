"""Texts of RDF in several languages: an answer takes one, and says which others there are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from faults import told
from sparql_server import sparql_server
from staff import Indifferent

import graphbrick
from graphbrick import LocalAround, PathAnswer, Patterns, RankEnds, Session, change
from graphbrick.bricks.retrieve.operators.stage import Operators
from graphbrick.core.answer import Answer
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.cards import card_of
from graphbrick.graphs.changes.compact import compact
from graphbrick.graphs.export.ntriples import to_ntriples
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.readers import ReadOptions
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.models.scorers.bm25 import BM25
from graphbrick.patterns.languages import Asked, asked_languages, tags_of

PIPELINE = Operators(Patterns(Indifferent())) >> PathAnswer()
E = "http://ex.org/"
PREFIXES = """@prefix : <http://ex.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix dbo: <http://dbpedia.org/ontology/> .
"""
CITIES = f"""{PREFIXES}
:berlin a :City ; rdfs:label "Berlin"@en, "Berlino"@it, "柏林"@zh-Hant ; :country :germany ; :code "DE-BE" ;
  dbo:abstract "Berlin is a capital."@en, "Berlin ist eine Hauptstadt."@de, "Berlin est une capitale."@fr ;
  rdfs:comment "A city."@en, "Eine Stadt."@de, "一座城市"@zh-Hant ;
  :motto "Be Berlin"@en, "Sei Berlin"@de, "be berlin" ; :nickname "Spree-Athen", "Graue Stadt"@de ;
  :slogan "the place to be"@en-GB, "the place to be"@en-US, "mittendrin"@de .
:munich a :City ; rdfs:label "Munich"@en, "München"@de ; :country :germany ; :motto "München mag dich"@de .
:halle a :City ; rdfs:label "Halle"@de ; :country :germany ; rdfs:comment "Stadt an der Saale."@de ;
  :motto "Salz"@de, "Salz"@nds, "Händelstadt"@de ; :slogan "ملح"@ar .
:germany a :Country ; rdfs:label "Germany"@en, "Deutschland"@de .
"""


@pytest.fixture(scope="module")
def cities(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built(tmp_path_factory.mktemp("cities"), CITIES)


def built(folder: Path, text: str, name: str = "kb", **options: Any) -> Graph:
    (folder / f"{name}.ttl").write_text(text, encoding="utf-8")
    return build(folder / f"{name}.ttl", folder / f"{name}.graph", options=ReadOptions(**options))


def asked(graph: Any, question: str) -> Answer:
    return PIPELINE(graph, question)


def languages(answer: Answer) -> tuple[list[str], list[str]] | None:
    for code, values in told(answer.trace.events):
        if code == "languages.told":
            return values["used"], values["others"]
    return None


@pytest.mark.parametrize(
    ("question", "texts", "others"),
    [
        ("What is the abstract of Berlin?", {"Berlin is a capital."}, (["en"], ["de", "fr"])),
        ("What is the abstract of Berlino?", {"Berlin is a capital."}, (["en"], ["de", "fr"])),
        ("What is the abstract of 柏林 in French?", {"Berlin est une capitale."}, (["fr"], ["de", "en"])),
        ("What is the German abstract of Berlin?", {"Berlin ist eine Hauptstadt."}, (["de"], ["en", "fr"])),
        ("What is the abstract of Berlin, written in the German language?", {"Berlin ist eine Hauptstadt."}, None),
        ("What is the motto of Berlin?", {"Be Berlin", "be berlin"}, (["", "en"], ["de"])),
        ("What is the motto of Berlin in German?", {"Sei Berlin"}, (["de"], ["en"])),
        ("What is the motto of Munich?", {"München mag dich"}, None),
        ("What is the motto of Munich in French?", {"München mag dich"}, (["de"], [])),
        ("What is the motto of Halle?", {"Salz", "Händelstadt"}, (["de"], ["nds"])),
        ("What is the nickname of Berlin?", {"Spree-Athen"}, ([""], ["de"])),
        ("What is the nickname of Berlin in German?", {"Graue Stadt"}, (["de"], [])),
        ("What is the slogan of Berlin?", {"the place to be"}, (["en-gb"], ["de", "en-us"])),
        ("What is the comment of Berlin in Chinese?", {"一座城市"}, (["zh-hant"], ["de", "en"])),
        ("What is the comment of Berlin?", {"A city."}, (["en"], ["de", "zh-hant"])),
        ("What is the description of Berlin in German?", {"Eine Stadt."}, None),
        ("What is the description of Halle?", {"Stadt an der Saale."}, None),
        ("How many mottos does Berlin have?", {"2"}, (["", "en"], ["de"])),
        ("How many abstracts does Berlin have?", {"1"}, (["en"], ["de", "fr"])),
        ("Which city has the motto Sei Berlin?", {"Berlin"}, None),
        ("Which cities have more than one motto?", {"Berlin", "Halle"}, None),
        ("What is the country of Munich?", {"Germany"}, None),
    ],
)
def test_an_answer_is_in_one_language(cities: Graph, question: str, texts: set[str], others: Any) -> None:
    answer = asked(cities, question)
    assert {*answer.texts} == texts
    if others is not None:
        assert languages(answer) == others
    elif question.startswith("What is the motto of Munich?"):
        assert languages(answer) is None


@pytest.mark.parametrize("question", ["What is the Italian abstract of Berlin?"])
def test_a_language_that_there_is_nothing_in_is_not_left_out(cities: Graph, question: str) -> None:
    assert asked(cities, question).texts == ()


def test_a_name_does_not_take_the_word_before_a_language(tmp_path: Path) -> None:
    text = f"""{PREFIXES} :post rdfs:label "Post"@en ; rdfs:comment "a position"@en, "un poste"@fr .
    :postIn rdfs:label "post in"@en ; rdfs:comment "where a post is"@en, "où est le poste"@fr ; :of :post ."""
    graph = built(tmp_path, text)
    assert asked(graph, "What is the comment of Post in French?").texts == ("un poste",)
    assert asked(graph, "What is the comment of post in?").texts == ("where a post is",)


@pytest.mark.parametrize(
    "name", ["the German name of Berlin", "the name of Berlin in German", "Berlin called in German"]
)
def test_names_have_no_language_and_are_refused(cities: Graph, name: str) -> None:
    answer = asked(cities, f"What is {name}?")
    assert answer.texts == ()
    assert "languages.of_names" in [code for code, _ in told(answer.trace.events)]


def test_a_language_that_is_an_entity_is_asked_for(tmp_path: Path) -> None:
    text = f'{CITIES} :german rdfs:label "German"@en ; :spoken :germany . :film rdfs:label "Metropolis" ; :in :german .'
    answer = asked(built(tmp_path, text), "What is the abstract of Berlin in German?")
    assert "Berlin ist eine Hauptstadt." not in answer.texts


def test_a_path_of_a_reader_ends_in_texts_of_one_language(cities: Graph) -> None:
    for pipeline in (Patterns(BM25()) >> PathAnswer(), Patterns(BM25()) >> RankEnds() >> PathAnswer(ends="listed")):
        query = graphbrick.Query("motto of Berlin", (cities.entity(f"{E}berlin"),))
        assert {*pipeline(cities, query).texts} == {"Be Berlin", "be berlin"}
        query = graphbrick.Query("Wie ist das motto von Berlin", (cities.entity(f"{E}berlin"),))
        assert {*pipeline(cities, query).texts} == {"Sei Berlin"}


def test_many_languages_do_not_crowd_out_the_one_that_counts(tmp_path: Path) -> None:
    tags = [a + b for a in "abcdfghijkl" for b in "xyz"]
    texts = ", ".join(f'"motto in {tag}"@{tag}' for tag in tags)
    graph = built(tmp_path, f'{PREFIXES} :b rdfs:label "Berlin"@en ; :motto {texts}, "zoo"@en .')
    query = graphbrick.Query("motto of Berlin", (graph.entity(f"{E}b"),))
    assert (Patterns(BM25(), each=1) >> PathAnswer())(graph, query).texts == ("zoo",)


def test_the_language_of_the_build_counts_before_english(tmp_path: Path) -> None:
    graph = built(tmp_path, CITIES, language="de")
    assert graph.manifest.language == "de"
    assert {*asked(graph, "What is the motto of Berlin?").texts} == {"Sei Berlin", "be berlin"}
    assert {*asked(graph, "What is the motto of Berlin in English?").texts} == {"Be Berlin"}
    assert graph.description(graph.entity(f"{E}berlin")) == "Eine Stadt."
    compact(graph.path)
    assert Graph.open(graph.path).manifest.language == "de"


def test_a_card_has_texts_in_one_language_and_names_the_others(cities: Graph) -> None:
    card = card_of(cities, cities.entity(f"{E}berlin"))
    assert card.properties["abstract"] == "Berlin is a capital."
    lines = card.text.splitlines()
    assert lines[1] == "A city. (also in de, zh-hant)"
    assert "- abstract: Berlin is a capital. (also in de, fr)" in lines
    assert "- nickname: Spree-Athen (also in de)" in lines
    assert not any(line.startswith("- comment") for line in lines)
    assert card.to_dict()["languages"]["motto"] == {"en": ["Be Berlin"], "de": ["Sei Berlin"], "": ["be berlin"]}
    german = card_of(cities, cities.entity(f"{E}berlin"), languages=("de", "en", ""))
    assert german.text.splitlines()[1] == "Eine Stadt. (de; also in en, zh-hant)"
    assert card_of(cities, cities.entity(f"{E}munich")).text.count("München mag dich (de)") == 1


def test_all_texts_are_kept_with_their_tags(cities: Graph, tmp_path: Path) -> None:
    assert len(cities.properties(cities.entity(f"{E}berlin"))["motto"]) == 3
    text = to_ntriples(cities, tmp_path / "out.nt").read_text(encoding="utf-8")
    for literal in ('"Sei Berlin"@de', '"一座城市"@zh-hant', '"the place to be"@en-gb', '"Salz"@nds', '"be berlin"'):
        assert f" {literal} ." in text
    again = build(tmp_path / "out.nt", tmp_path / "out.graph")
    assert {again.key(tail) for tail in again.csr.tail.tolist()} == {cities.key(t) for t in cities.csr.tail.tolist()}


def test_building_twice_gives_the_same(cities: Graph, tmp_path: Path) -> None:
    assert built(tmp_path, CITIES).hash == cities.hash


def test_directions_of_texts_are_no_part_of_the_language(tmp_path: Path) -> None:
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    text = f'<a:x> <a:motto> "ملح"@ar--rtl .\n<a:x> <a:motto> "salt"@en .\n<a:x> <{label}> "Halle" .\n'
    (tmp_path / "kb.nt").write_text(text, encoding="utf-8")
    graph = build(tmp_path / "kb.nt", tmp_path / "kb.graph")
    assert asked(graph, "What is the motto of Halle?").texts == ("salt",)
    assert asked(graph, "What is the motto of Halle in Arabic?").texts == ("ملح",)


@pytest.fixture(params=["oxigraph", "sparql"])
def live(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    place = str(tmp_path / "store")
    store = ox.Store(place) if request.param == "oxigraph" else ox.Store()
    store.load(CITIES.encode(), format=ox.RdfFormat.TURTLE)
    with Session():
        if request.param == "oxigraph":
            store.flush()
            yield graphbrick.open(f"oxigraph:{place}")
        else:
            with sparql_server(store) as server:
                yield graphbrick.open(server.address)


def test_a_store_is_answered_in_the_same_language(live: Any, cities: Graph) -> None:
    for question in ("What is the motto of Berlin?", "What is the comment of Berlin in German?", "What is Munich?"):
        answer = asked(LocalAround(live, hops=1), question)
        assert sorted(answer.texts) == sorted(asked(cities, question).texts)
    berlin = live.entity(f"{E}berlin")
    assert card_of(live, berlin).text == card_of(cities, cities.entity(f"{E}berlin")).text
    assert {*live.properties(berlin)} == {*cities.properties(cities.entity(f"{E}berlin"))}


def test_a_graph_without_texts_in_a_language_has_none(tmp_path: Path) -> None:
    graph = build([("Kenya", "capital", "Nairobi"), ("Kenya", "borders", "Uganda")], tmp_path / "kenya.graph")
    assert tags_of(graph) == frozenset()
    assert asked_languages(graph, "What is the capital of Kenya in German?") == Asked(
        "What is the capital of Kenya in German?"
    )


def test_texts_that_are_added_later_count(tmp_path: Path) -> None:
    graph = built(tmp_path, f'{PREFIXES} :b rdfs:label "Berlin"@en ; :motto "Be Berlin"@en ; :of :c .')
    later = (
        EntityRecord('"Sei Berlin"@de', "Sei Berlin", types=("langString",)),
        (f"{E}b", f"{E}motto", '"Sei Berlin"@de'),
    )
    graph = change(graph.path, add=later).graph
    assert asked(graph, "What is the motto of Berlin?").texts == ("Be Berlin",)
    assert asked(graph, "What is the German motto of Berlin?").texts == ("Sei Berlin",)
    compact(graph.path)
    assert asked(Graph.open(graph.path), "What is the motto of Berlin?").texts == ("Be Berlin",)
