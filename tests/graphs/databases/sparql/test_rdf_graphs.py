"""A store and an endpoint give what a folder graph of the same RDF gives."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from faults import fails, told
from hypothesis import given
from hypothesis import strategies as st
from sparql_server import SparqlServer, dying, reply, sparql_server, trickling

import graphbrick
from graphbrick import BM25, Graph, LocalAround, PathAnswer, Rerank, Session, ShortestPaths, build
from graphbrick.core.errors import GraphbrickError, InputError, LinkError
from graphbrick.core.graph import Copied
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.graphs.databases.sparql.rdf_search import spans
from graphbrick.graphs.databases.sparql.rdf_terms import Term
from graphbrick.graphs.databases.sparql.sparql_text import is_ask, limited
from graphbrick.graphs.queries.guard import RefusedQueryError

XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = """@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
DATA = (
    PREFIXES
    + r"""
:KE a :Country ; rdfs:label "Kenya"@en, "Kenia"@de ; skos:altLabel "Republic of Kenya"@en ;
  rdfs:comment "A country in East Africa"@en, "Ein Staat"@de ; :capital :Nairobi ; :area 582650 ;
  :founded "1963-12-12"^^xsd:date ; :motto "Pull \"together\"\n"@en, "" ; :borders :UG, :KE ; rdfs:label :odd .
:UG a :Country, :State ; rdfs:label "Ouganda"@fr ; :capital :Kampala ; :area 241038 .
:Kampala :in :UG . :Nairobi rdfs:label "Nairobi" ; a "a text" .
:capital rdfs:label "capital of"@en .
:Only rdfs:label "Nobody"@en .
"""
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    file = tmp_path_factory.mktemp("rdf") / "graph.ttl"
    file.write_text(DATA, encoding="utf-8")
    return build(file, file.with_suffix(".graph"))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("store")
    store = ox.Store(str(place))
    store.load(DATA.encode(), format=ox.RdfFormat.TURTLE)
    store.flush()
    return place


@pytest.fixture
def server() -> Iterator[SparqlServer]:
    store = ox.Store()
    store.load(DATA.encode(), format=ox.RdfFormat.TURTLE)
    with Session(), sparql_server(store) as running:
        yield running


@pytest.fixture(params=["oxigraph", "sparql"])
def live(request: pytest.FixtureRequest, place: Path) -> Iterator[DatabaseGraph]:
    in_store = request.param == "oxigraph"
    address = f"oxigraph:{place}" if in_store else request.getfixturevalue("server").address
    with Session():
        graph = graphbrick.open(address)
        assert isinstance(graph, DatabaseGraph)
        yield graph


def triples_around(graph: Any, key: str, direction: str) -> set[tuple[str, str, str]]:
    (found,) = graph.neighbours([graph.entity(key)], direction=direction)
    assert not found.is_cut
    rows = [(graph.key(h), graph.relation_key(r), graph.key(t)) for h, r, t in found.triples.tolist()]
    assert len(rows) == len(set(rows))
    return set(rows)


def test_keys_labels_types_and_triples_are_those_of_the_folder(folder: Graph, live: DatabaseGraph) -> None:
    for entity in range(folder.n_entities):
        key = folder.key(entity)
        mine = live.entity(key)
        assert (live.key(mine), live.label(mine)) == (key, folder.label(entity))
        assert sorted(live.types(mine)) == sorted(folder.types(entity))
        assert live.description(mine) == folder.description(entity)
        assert sorted(live.aliases(mine)) == sorted(folder.aliases(entity))
        for direction in ("in", "out", "both"):
            assert triples_around(live, key, direction) == triples_around(folder, key, direction)
    ours = {folder.relation_key(r): folder.relation_label(r) for r in range(folder.n_relations)}
    assert {live.relation_key(r): live.relation_label(r) for r in range(len(ours))} == ours
    with fails("database.unknown_key", LinkError, key="http://e.org/nobody"):
        live.entity("http://e.org/nobody")
    with pytest.raises(LinkError):
        live.entity("no> } iri")


def test_a_question_has_the_same_answer(folder: Graph, live: DatabaseGraph) -> None:
    pipeline = ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
    question = "What is the capital of Kenya?"
    assert pipeline(LocalAround(live), question).texts == pipeline(folder, question).texts == ("Nairobi",)


def test_names_are_found_exactly_in_parts_and_in_any_capitals(live: DatabaseGraph) -> None:
    def found(text: str) -> list[str]:
        return [live.label(entity) for entity in live.search(text, 5)]

    assert found("Does Kenya border Uganda?") == ["Kenya"]
    assert found("republic OF kenya") == ["Kenya"]
    assert found("enya") == ["Kenya"]
    assert found("kampala") == ["Kampala"]
    assert found("Ouganda") == ["Ouganda"]
    assert found("capital of") == found("Nobody") == found("Country") == []
    assert found('"} quotes \\ {"') == []


def test_a_limit_holds_for_each_entity_and_says_what_is_cut(live: DatabaseGraph) -> None:
    kenya, nairobi = live.entity("http://e.org/KE"), live.entity("http://e.org/Nairobi")
    cut, whole, again = live.neighbours([kenya, nairobi, kenya], limit=3)
    assert (len(cut.triples), cut.is_cut) == (3, True)
    assert whole.is_cut is False
    assert cut.triples.tolist() == again.triples.tolist()
    capital = next(r for r in range(9) if live.relation_label(r) == "capital of")
    (only,) = live.neighbours([kenya], relations=[capital], direction="out")
    assert [live.label(int(t)) for t in only.triples[:, 2]] == ["Nairobi"]


def test_queries_give_plain_values_and_say_what_is_cut(live: DatabaseGraph) -> None:
    text = "PREFIX : <http://e.org/> SELECT ?c ?a WHERE { ?c :area ?a } ORDER BY ?a # all"
    assert live.query(text, {}, 5) == (("c", "a"), [("http://e.org/UG", 241038), ("http://e.org/KE", 582650)], False)
    assert live.query(text, {}, 1).is_cut
    assert live.query(text, {"a": 582650}, 5).rows == [("http://e.org/KE", 582650)]
    assert live.query("ASK { <http://e.org/KE> ?p ?o }", {}, 5).rows == [(True,)]
    for refused in (
        "SELECT ?s { SERVICE <http://x/> { ?s ?p ?o } }",
        "DELETE WHERE { ?s ?p ?o }",
        "DESCRIBE <http://e.org/KE>",
    ):
        with pytest.raises(RefusedQueryError):
            live.query(refused, {}, 5)
    with pytest.raises(GraphbrickError) as error:
        live.query("SELECT ?s WHERE { ?s ", {}, 5)
    assert "\n" not in str(error.value)


def test_the_schema_has_classes_properties_and_relations(live: DatabaseGraph) -> None:
    schema = live.schema()
    country = schema.classes[0]
    assert (country.name, country.count) == ("<http://e.org/Country>", 2)
    assert next(p for p in country.properties if p.name == "<http://e.org/area>").type == "xsd:integer"
    found = {(c.head, c.relation, c.tail) for c in schema.connections}
    assert ("<http://e.org/Country>", "<http://e.org/borders>", "<http://e.org/State>") in found


ENDLESS = "SELECT (COUNT(*) AS ?n) WHERE { " + " ".join(f"?a{i} ?p{i} ?o{i} ." for i in range(12)) + " }"


@pytest.mark.whole
def test_a_query_without_end_is_stopped_and_the_next_one_answered(place: Path) -> None:
    with Session():
        graph = graphbrick.open(f"oxigraph:{place}?timeout=0.5")
        assert isinstance(graph, DatabaseGraph)
        with fails("database.too_slow", seconds=0.5):
            graph.query(ENDLESS, {}, 1)
        patient: Any = graphbrick.open(f"oxigraph:{place}")
        assert patient.query("ASK { ?s ?p ?o }", {}, 1).rows == [(True,)]


@pytest.mark.parametrize(
    ("text", "datatype", "value"),
    [
        ("5", "unsignedLong", 5),
        ("-5", "negativeInteger", -5),
        ("0", "nonPositiveInteger", 0),
        ("200", "unsignedByte", 200),
        ("1995", "gYear", 1995),
        ("1995Z", "gYear", "1995Z"),
        ("1.5", "decimal", 1.5),
        ("true", "boolean", True),
        ("1995-12-15", "date", "1995-12-15"),
    ],
)
def test_numbers_of_every_type_are_numbers(text: str, datatype: str, value: object) -> None:
    assert Term("literal", text, XSD + datatype).plain == value


@pytest.mark.parametrize("end", [";", " ; ;\n", " LIMIT 3;"])
def test_a_semicolon_at_the_end_of_a_query_is_left_out(place: Path, end: str) -> None:
    with Session():
        graph = graphbrick.open(f"oxigraph:{place}")
        assert isinstance(graph, DatabaseGraph)
        assert len(graph.query(f"SELECT ?s {{ ?s ?p ?o }}{end}", {}, 2).rows) == 2


def test_blank_nodes_are_followed_in_a_store(tmp_path: Path) -> None:
    store = ox.Store(str(tmp_path))
    store.load((PREFIXES + ':a :has [ rdfs:label "part" ; :of :b ] .').encode(), format=ox.RdfFormat.TURTLE)
    store.flush()
    with Session():
        graph: Any = graphbrick.open(f"oxigraph:{tmp_path}")
        (row,) = graph.neighbours([graph.entity("http://e.org/a")])[0].triples.tolist()
        assert graph.label(row[2]) == "part"
        assert {graph.label(int(t)) for t in graph.neighbours([row[2]], direction="out")[0].triples[:, 2]} == {"b"}


PAGE = b"<html><title>x</title><h1>Gone\nfishing</h1></html>"


def html(status: int, body: bytes = PAGE, **headers: str) -> Any:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return partial(reply, status=status, body=body, headers=names)


@pytest.mark.parametrize(
    ("faults", "code", "values"),
    [
        ([dying], "sparql.no_connection", {}),
        ([trickling], "database.too_slow", {"seconds": 1}),
        (
            [html(200, Content_Type="text/html")],
            "sparql.not_a_result",
            {"content_type": "text/html", "reply": "Gone fishing"},
        ),
        ([html(500)], "sparql.refused_query", {"reason": "Gone fishing"}),
        ([html(500, body=b"Virtuoso S1T00 Error SR171: timed out\nSPARQL query:\nX")], "sparql.out_of_time", {}),
        (
            [html(500, body=b"Virtuoso 37000 Error SP030: no\n\nSPARQL query:\nSELECT 1")],
            "sparql.refused_query",
            {"reason": "Virtuoso 37000 Error SP030: no"},
        ),
        ([html(401)], "sparql.no_access", {}),
        ([html(404)], "sparql.not_found", {}),
        ([html(301, Location="/else")], "sparql.redirects", {}),
        ([html(429, Retry_After="3600")], "sparql.busy", {"status": 429, "pause": 3600}),
        ([html(503, Retry_After="0")] * 3, "sparql.busy", {"status": 503}),
        ([partial(reply, status=200, body=b'{"head": {}, "results": []}')], "sparql.not_a_result", {}),
    ],
)
def test_a_fault_of_the_server_is_one_clear_line(
    server: SparqlServer, faults: list[Any], code: str, values: dict[str, object]
) -> None:
    graph: Any = graphbrick.open(f"{server.address}?timeout={1 if faults == [trickling] else 60}")
    server.faults = list(faults)
    with fails(code, **values) as error:
        graph.query("SELECT * { ?s ?p ?o }", {}, 5)
    assert "\n" not in str(error.value)


def test_a_busy_server_is_asked_again(server: SparqlServer) -> None:
    graph: Any = graphbrick.open(server.address)
    server.faults = [html(503, Retry_After="0")]
    with record(Trace(), "query", "query") as entry:
        assert graph.query("ASK { ?s ?p ?o }", {}, 5).rows == [(True,)]
    assert told(entry.events) == [("sparql.asked_again", {"status": 503, "pause": 0})]


def test_partial_results_of_virtuoso_are_marked(server: SparqlServer) -> None:
    graph: Any = graphbrick.open(server.address)
    kenya = graph.entity("http://e.org/KE")
    server.headers = {"X-SQL-State": "S1TAT"}
    with record(Trace(), "query", "query") as entry:
        assert graph.query("SELECT * { ?s ?p ?o }", {}, 100).is_cut
        assert graph.neighbours([kenya])[0].is_cut
    assert told(entry.events)[0][0] == "sparql.partial_result"


def test_rows_that_a_server_holds_back_are_told(server: SparqlServer) -> None:
    graph: Any = graphbrick.open(server.address)
    server.headers = {"X-SPARQL-MaxRows": "3"}
    with record(Trace(), "query", "query") as entry:
        assert graph.query("SELECT * { ?s ?p ?o }", {}, 100).is_cut
    assert told(entry.events)[0] == ("sparql.rows_held_back", {"at_most": "3"})


@pytest.mark.parametrize("value", ["0", "1"])
def test_virtuoso_answers_an_ask_with_a_column_of_its_own(server: SparqlServer, value: str) -> None:
    graph: Any = graphbrick.open(server.address)
    row = f'{{"__ASK_RETVAL": {{"type": "typed-literal", "value": "{value}"}}}}'
    body = f'{{"head": {{"vars": ["__ASK_RETVAL"]}}, "results": {{"bindings": [{row}]}}}}'
    server.faults = [lambda handler: reply(handler, 200, body.encode())]
    assert graph.query("ASK { ?s ?p ?o }", {}, 5) == (("result",), [(value == "1",)], False)


def test_digest_authentication_is_used_where_basic_is_refused(
    server: SparqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHBRICK_USER", "me")
    monkeypatch.setenv("GRAPHBRICK_PASSWORD", "secret")
    sent: list[str] = []

    def refuse(handler: Any) -> None:
        sent.append(handler.headers.get("Authorization", "none").split()[0])
        challenge = {} if sent[-1] == "Basic" else {"WWW-Authenticate": 'Digest realm="x", nonce="1", qop="auth"'}
        reply(handler, 401, b"", challenge)

    def accept(handler: Any) -> None:
        sent.append(handler.headers["Authorization"].split()[0])
        reply(handler, 200, b'{"head": {}, "boolean": true}')

    graph: Any = graphbrick.open(server.address)
    server.faults = [refuse, refuse, accept, accept]
    for _ in range(2):
        assert graph.query("ASK { ?s ?p ?o }", {}, 1).rows == [(True,)]
    assert sent == ["Basic", "none", "Digest", "Digest"]
    server.faults = [refuse, refuse, refuse]
    with Session(), fails("sparql.no_access") as error:
        graph.query("ASK { ?s ?p ?o }", {}, 1)
    assert "secret" not in f"{error.value} {error.value.values}"


def test_virtuoso_is_asked_by_its_text_index(server: SparqlServer) -> None:
    graph: Any = graphbrick.open(server.address)
    server.headers = {"Server": "Virtuoso/07.20"}
    graph.search("Kenya", 1)
    server.faults = [lambda handler: reply(handler, 200, b'{"head": {"vars": ["e"]}, "results": {"bindings": []}}')] * 9
    graph.search('East "Kenya"', 5)
    assert any("""bif:contains "'East' AND 'Kenya'\"""" in query for query in server.queries)


def test_options_cannot_change_queries(server: SparqlServer) -> None:
    for option in ("label=x> } ; DROP", "label=name", 'language=en" || "'):
        with pytest.raises(InputError):
            graphbrick.open(f"{server.address}?{option}")


def test_no_server_and_no_encryption_are_clear_lines(server: SparqlServer) -> None:
    encrypted: Any = graphbrick.open(server.address.replace("sparql+http", "sparql+https"))
    with fails("sparql.no_connection") as caught:
        encrypted.entity("http://e.org/KE")
    assert "certificate" in str(caught.value)
    nobody: Any = graphbrick.open("sparql+http://127.0.0.1:9/sparql")
    with fails("sparql.no_connection"):
        nobody.entity("http://e.org/KE")
    allowed = ["graph", "hops", "label", "language", "limit", "timeout", "triples", "whole"]
    with fails("database.unknown_option", InputError, option="lable", allowed=allowed):
        graphbrick.open(f"{server.address}?lable=x")


def test_the_copied_part_has_limits_in_the_address(server: SparqlServer) -> None:
    limited_graph = graphbrick.open(f"{server.address}?hops=3&limit=5&triples=2000000")
    assert isinstance(limited_graph, Copied)
    assert limited_graph.copy_limits() == {"hops": 3, "limit_per_node": 5, "max_triples": 2_000_000}
    plain = graphbrick.open(server.address)
    assert isinstance(plain, Copied)
    assert plain.copy_limits() == {}
    for option, code, name, example in (
        ("hops=0", "database.bad_number", "hops", 2),
        ("limit=1.5", "database.not_whole", "limit", 1000),
    ):
        with fails(code, InputError, option=name, example=example):
            graphbrick.open(f"{server.address}?{option}").copy_limits()  # type: ignore[union-attr]


@given(st.text(max_size=8), st.sampled_from(["", "en", "pt-BR"]), st.sampled_from(["", f"{XSD}date"]))
def test_a_literal_has_the_key_that_files_give_it(text: str, language: str, datatype: str) -> None:
    if language:
        literal, term = ox.Literal(text, language=language), Term("literal", text, "", language.lower())
        literal = ox.Literal(text, language=language.lower())
    else:
        kind = ox.NamedNode(datatype) if datatype else None
        literal, term = ox.Literal(text, datatype=kind), Term("literal", text, datatype)
    assert term.key == str(literal)
    assert Term.of_key(term.key) == term


def test_limits_are_set_where_they_belong() -> None:
    assert limited("SELECT ?x { } VALUES ?x { 1 }", 3) == "SELECT ?x { } \nLIMIT 3\nVALUES ?x { 1 }"
    assert limited("SELECT ?x { ?x ?p 'LIMIT 9' } LIMIT 2", 3).endswith("LIMIT 2")
    assert not is_ask("SELECT ?ask { <ASK> :ASK 'ASK' }")
    assert spans("kenya") == ["kenya"]
