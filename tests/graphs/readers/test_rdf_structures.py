"""Lists, nodes without a name and restrictions of ontologies, as people ask for them."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
import pytest
from rdf_files import PREFIXES, edges, names, read, short, triples

from graphbrick.graphs.readers.rdf import blank_names, reading
from graphbrick.graphs.records.records import EntityRecord, Record

OWL = "@prefix owl: <http://www.w3.org/2002/07/owl#> ."
RECIPES = (
    PREFIXES
    + """
:paella :ingredients ( :rice :chicken ) ; :steps ( "Fry" "Stir" ) ; :cost [ a :Money ; :amount 12.5 ; :currency :eur ] .
:rice rdfs:label "Reis"@de, "rice"@en .
:eur rdfs:label "Euro" .
"""
)
FORMATS = {
    "ttl": ox.RdfFormat.TURTLE,
    "nt": ox.RdfFormat.N_TRIPLES,
    "rdf": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
    "trig": ox.RdfFormat.TRIG,
}


def build(folder: Path, text: str, suffix: str = "ttl") -> list[Record]:
    """The records of a text in Turtle, written in another format."""
    file = folder / f"file.{suffix}"
    if suffix == "ttl":
        file.write_text(text, encoding="utf-8")
    else:
        quads = list(ox.parse(text, format=ox.RdfFormat.TURTLE))
        ox.serialize((quad.triple for quad in quads), file, format=FORMATS[suffix])
    return read(file)[0]


def labels(records: list[Record]) -> set[str]:
    """The labels of the nodes without a name."""
    blanks = {record.key for record in records if isinstance(record, EntityRecord) and record.key.startswith("_:")}
    return {names(records, key)[0] or key for key in blanks}


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_members_of_a_list_are_tails_in_every_format(tmp_path: Path, suffix: str) -> None:
    records = build(tmp_path, RECIPES, suffix)
    listed = [(h, r, t.partition("^^")[0], properties) for h, r, t, properties in edges(records)]
    assert sorted(listed, key=str) == [
        ("paella", "ingredients", "chicken", {"position": 2}),
        ("paella", "ingredients", "rice", {"position": 1}),
        ("paella", "steps", '"Fry"', {"position": 1}),
        ("paella", "steps", '"Stir"', {"position": 2}),
    ]
    assert {relation for _, relation, _ in triples(records)} == {"cost", "amount", "currency"}
    assert labels(records) == {"12.5, Euro"}


@pytest.mark.parametrize("suffix", ["ttl", "nt"])
def test_lists_in_lists_shared_lists_and_empty_lists(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"lists.{suffix}"
    text = PREFIXES + ':a :p ( :b ( :c "d" ) ( ) ) , _:x ; :q _:x ; :r () . _:x rdf:first :e ; rdf:rest rdf:nil .'
    quads = [quad.triple for quad in ox.parse(text, format=ox.RdfFormat.TURTLE)]
    ox.serialize(quads, file, format=FORMATS[suffix])
    records, left_out = read(file)
    tails = {(relation, tail) for _, relation, tail, _ in edges(records)}
    assert tails >= {("p", "b"), ("p", "c"), ("p", '"d"'), ("p", "e"), ("q", "e")}
    assert left_out.counts["statements whose object is an empty list"] == 1


@pytest.mark.parametrize(
    "cells",
    [
        "_:x rdf:first :b .",  # has no end
        "_:x rdf:first :b ; rdf:rest _:x .",  # a circle
        "_:x rdf:first :b ; rdf:rest _:y . _:y rdf:first _:x ; rdf:rest rdf:nil .",  # holds itself
        "_:x rdf:first :b , :c ; rdf:rest rdf:nil .",  # two members in one cell
        '_:x rdf:first :b ; rdf:rest rdf:nil ; :note "kept" .',  # says more
        "_:x rdf:first :b ; rdf:rest :c .",  # goes on in a node with a name
    ],
)
def test_a_list_that_is_not_plain_stays_as_it_is(tmp_path: Path, cells: str) -> None:
    records = build(tmp_path, f"{PREFIXES} :a :p _:x . {cells}")
    assert not edges(records)
    stated = [(short(head), relation.rpartition("#")[2], tail) for head, relation, tail in triples(records)]
    assert ("a", "p", "_:x") in stated
    assert ("_:x", "first", "b") in stated


def test_a_long_list_keeps_its_order(tmp_path: Path) -> None:
    records = build(tmp_path, f"{PREFIXES} :a :p ( {' '.join(f':e{i}' for i in range(2_000))} ) .")
    assert [tail for _, _, tail, _ in edges(records)] == [f"e{i}" for i in range(2_000)]


def test_lists_nested_deeper_than_anybody_writes_are_read(tmp_path: Path) -> None:
    records = build(tmp_path, f"{PREFIXES} :a :p {'(' * 2000} :b {')' * 2000} .")
    assert "b" in {tail for _, _, tail, _ in edges(records)}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (':a :address [ :street "Calle Mayor 1" ; :city :valencia ] .', "Calle Mayor 1, valencia"),
        (":a :cost [ :amount 12.5 ] .", "amount 12.5"),  # no namesake of other 12.5
        (":a :knows [ a :PostalAddress ] .", "unnamed Postal Address"),
        (':a :knows [ rdfs:label "Juan" ; :age 40 ] .', "Juan"),
        (':a :says [ :text "yes"@en , "sí"@es ; :by :ann ] .', "yes, ann"),
        (':a :says [ :text "sí"@es ; :by :ann ] .', "sí, ann"),
        (":a :of [ :x 1 ; :y 2 ; :z 3 ; :u 4 ; :v 5 ] .", "1, 2, 3, 4 …"),
        (f':a :says [ :text "{"long " * 30}" ; :by :ann ] .', f"{('long ' * 30)[:59]}…, ann"),
        (":a owl:equivalentClass [ owl:unionOf ( :Dog :Cat ) ] .", "Dog or Cat"),
        (":a owl:equivalentClass [ owl:complementOf :Cat ] .", "not Cat"),
        (":a rdfs:subClassOf [ owl:onProperty :has ; owl:allValuesFrom :Cat ] .", "has only Cat"),
        (
            ":a rdfs:subClassOf [ owl:onProperty :has ; owl:minQualifiedCardinality 2 ; owl:onClass :Leg ] .",
            "has min 2 Leg",
        ),
    ],
)
@pytest.mark.parametrize("suffix", ["ttl", "nt"])
def test_a_node_without_a_name_is_named_after_what_it_says(tmp_path: Path, text: str, name: str, suffix: str) -> None:
    assert labels(build(tmp_path, f"{PREFIXES}{OWL} {text}", suffix)) == {name}


def test_a_class_made_of_classes_shows_them(tmp_path: Path) -> None:
    text = (
        ":a owl:equivalentClass [ owl:intersectionOf ( :Pizza [ owl:onProperty :has ; owl:someValuesFrom :Egg ] ) ] ."
    )
    assert labels(build(tmp_path, f"{PREFIXES}{OWL} {text}")) == {"Pizza and (has some Egg)", "has some Egg"}


def test_nodes_in_nodes_and_circles_end(tmp_path: Path) -> None:
    records = build(tmp_path, f"{PREFIXES} _:x :of _:y ; :n 1 . _:y :of _:x ; :m 2 .")
    assert all(len(label) < 80 for label in labels(records))


def test_more_nodes_than_are_named_show_their_number_and_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blank_names, "_MOST", 1)
    file = tmp_path / "many.ttl"
    file.write_text(f"{PREFIXES} :a :p [ :x 1 ; :y 2 ] , [ :x 3 ; :y 4 ] .", encoding="utf-8")
    records, left_out = read(file)
    assert labels(records) == {"1, 2", "_:anon2"}
    assert left_out.counts[blank_names.UNNAMED] == 2


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("value", ["owl:someValuesFrom :Tomato", "owl:hasValue :Tomato"])
def test_what_all_members_of_a_class_have_is_a_triple_of_the_class(tmp_path: Path, suffix: str, value: str) -> None:
    text = f":Margherita rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :has ; {value} ] , :Pizza ."
    records = build(tmp_path, f"{PREFIXES}{OWL} {text}", suffix)
    below = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
    assert sorted(triples(records)) == [("Margherita", "has", "Tomato"), ("Margherita", below, "Pizza")]


@pytest.mark.parametrize(
    "text",
    [
        ":a owl:equivalentClass [ owl:onProperty :has ; owl:someValuesFrom :b ] .",
        ":a rdfs:subClassOf [ owl:onProperty :has ; owl:someValuesFrom :b ; :note :c ] .",
        ":a rdfs:subClassOf _:x . :d owl:disjointWith _:x . _:x owl:onProperty :has ; owl:someValuesFrom :b .",
        ":a rdfs:subClassOf [ owl:onProperty :has ; owl:someValuesFrom [ owl:unionOf ( :b :c ) ] ] .",
    ],
)
@pytest.mark.parametrize("suffix", ["ttl", "nt"])
def test_other_restrictions_stay_nodes(tmp_path: Path, text: str, suffix: str) -> None:
    records = build(tmp_path, f"{PREFIXES}{OWL} {text}", suffix)
    assert ("a", "has", "b") not in triples(records)
    assert any(relation.endswith("#onProperty") for _, relation, _ in triples(records))


def test_what_nothing_refers_to_is_not_lost(tmp_path: Path) -> None:
    text = ":a :p :b . _:x rdf:first :c ; rdf:rest rdf:nil . _:r owl:onProperty :has ; owl:someValuesFrom :d ."
    tails = {tail for _, _, tail in triples(build(tmp_path, f"{PREFIXES}{OWL} {text}"))}
    assert {"b", "c", "d"} <= tails


def test_lists_after_the_first_lines_that_are_looked_at_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_IN_LINES", ())
    file = tmp_path / "late.nt"
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    file.write_text(f"<x:a> <x:p> _:l .\n_:l <{rdf}first> <x:b> .\n_:l <{rdf}rest> <{rdf}nil> .\n", encoding="utf-8")
    records, left_out = read(file)
    assert any(relation.endswith("#first") for _, relation, _ in triples(records))
    assert left_out.counts[reading.LATE] == 1
