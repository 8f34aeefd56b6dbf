"""No label of RDF is lost: those that are not the label are aliases; local names stand in where none can be read."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
import pytest
from rdf_files import EX, PREFIXES, names, read

from graphbrick import Graph, build
from graphbrick.graphs.records.rdf_names import local_words
from graphbrick.graphs.records.rules import Rules

PLACES = """
:t1 rdfs:label "Peat Bog"@en ; skos:prefLabel "Mire"@en ; :found_in :r1 . :r1 rdfs:label "Orkan Valley" .
:t2 rdfs:label "Fen"@en , "Low Moor"@en ; :found_in :r2 .
:t3 rdfs:label "Heath"@en , "Heide"@de ; :found_in :r3 .
:t4 rdfs:label "Carr" , "Swamp Wood"@en ; :found_in :r4 .
"""


def stored(graph: Graph, name: str) -> tuple[str, set[str]]:
    entity = graph.entity(EX + name)
    return graph.label(entity), set(graph.aliases(entity))


@pytest.mark.parametrize("suffix", ["ttl", "nt", "rdf"])
@pytest.mark.parametrize(
    ("key", "label", "aliases"),
    [
        ("t1", "Peat Bog", {"Mire"}),
        ("t2", "Fen", {"Low Moor"}),
        ("t3", "Heath", {"Heide"}),
        ("t4", "Swamp Wood", {"Carr"}),
        ("r1", "Orkan Valley", set()),
    ],
)
def test_other_labels_are_aliases(tmp_path: Path, suffix: str, key: str, label: str, aliases: set[str]) -> None:
    quads = ox.parse(PREFIXES + PLACES, format=ox.RdfFormat.TURTLE)
    rdf_format = ox.RdfFormat.from_extension(suffix)
    file = tmp_path / f"places.{suffix}"
    file.write_bytes(ox.serialize((quad.triple for quad in quads), format=rdf_format) or b"")
    records, _ = read(file)
    assert names(records, EX + key) == (label, aliases)
    assert stored(build(file, tmp_path / "places.graph"), key) == (label, aliases)


@pytest.mark.parametrize(
    ("labels", "label", "aliases"),
    [
        ('"Sumpf"@de, "Marsh"@en', "Marsh", {"Sumpf"}),
        ('"Marsh", "Marsh"@en', "Marsh", set()),
        ('"Lorry"@en-GB, "Truck"@en-US', "Lorry", {"Truck"}),
        ('"Sumpf"@de, "Marais"@fr, "Palude"@it', "Sumpf", {"Marais", "Palude", "SaltMarsh", "Salt Marsh"}),
    ],
)
def test_labels_in_any_order_and_language(tmp_path: Path, labels: str, label: str, aliases: set[str]) -> None:
    file = tmp_path / "kb.ttl"
    file.write_text(f"{PREFIXES} :SaltMarsh rdfs:label {labels} ; :in :x .")
    assert names(read(file)[0], f"{EX}SaltMarsh") == (label, aliases)
    assert stored(build(file, tmp_path / "kb.graph"), "SaltMarsh") == (label, aliases)


@pytest.mark.parametrize(
    ("name", "statement", "expected"),
    [
        ("MeatTopping", 'rdfs:label "CoberturaDeCarne"@pt', ("CoberturaDeCarne", {"MeatTopping", "Meat Topping"})),
        ("MeatTopping", 'rdfs:label "Meat"', ("Meat", set())),
        ("MeatTopping", ":on :Pizza", ("MeatTopping", {"Meat Topping"})),
        ("HTTPServer", ":on :Pizza", ("HTTPServer", {"HTTP Server"})),
        ("meat_topping", 'rdfs:label "Carne"@pt', ("Carne", {"meat_topping"})),
        ("x7Kd2F", ":on :Pizza", ("x7Kd2F", set())),
    ],
)
def test_local_names_are_names_where_nothing_better_is(
    tmp_path: Path, name: str, statement: str, expected: tuple[str, set[str]]
) -> None:
    file = tmp_path / "pizza.ttl"
    file.write_text(f"{PREFIXES} :{name} {statement} . :a :b :c .")
    assert names(read(file)[0], EX + name) == expected
    assert stored(build(file, tmp_path / "pizza.graph"), name) == expected


def test_a_label_of_a_table_is_better_than_a_local_name(tmp_path: Path) -> None:
    file, labels = tmp_path / "kb.nt", tmp_path / "labels.csv"
    file.write_text(
        f"<{EX}RedKettle> <{EX}in> <{EX}OldShop> .\n"
        f'<{EX}OldShop> <http://www.w3.org/2000/01/rdf-schema#label> "Laden"@de .\n'
    )
    labels.write_text(f"id,label\n{EX}RedKettle,iKettle\n{EX}OldShop,Shop\n")
    graph = build(file, tmp_path / "kb.graph", labels=labels)
    assert stored(graph, "RedKettle") == ("iKettle", set())
    assert stored(graph, "OldShop") == ("Shop", {"Laden"})


def test_labels_of_a_relation_that_states_labels_are_all_names(tmp_path: Path) -> None:
    file = tmp_path / "kb.csv"
    file.write_text("head,relation,tail\nm.1,name,Heath\nm.1,name,Moor\nm.1,in,m.2\nm.2,name,Wald\n")
    graph = build(file, tmp_path / "kb.graph", rules=Rules(label_relations=("name",)))
    assert (graph.label(0), graph.aliases(0), graph.label(1)) == ("Moor", ["Heath"], "Wald")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("USPresident", "US President"),
        ("iPhone", "i Phone"),
        ("Kenya", "Kenya"),
        ("NASA", "NASA"),
        ("SãoPaulo", "São Paulo"),
        ("東京A", "東京A"),
        ("a" * 50_000 + "-", "a" * 50_000 + "-"),
    ],
    ids=lambda text: text[:12],
)
def test_words_of_local_names(name: str, words: str) -> None:
    assert local_words(name) == words


def test_a_description_in_another_language_is_kept_where_there_is_no_better(tmp_path: Path) -> None:
    file = tmp_path / "kb.ttl"
    file.write_text(
        f'{PREFIXES} :a rdfs:comment "Ein Ort"@de . :b rdfs:comment "Ein Ort"@de, "A place"@en . :a :in :b .'
    )
    described = {}
    for record in read(file)[0]:
        if getattr(record, "description", None):
            described[record.key] = record.description  # type: ignore[union-attr]
    assert described == {f"{EX}a": "Ein Ort", f"{EX}b": "A place"}
    graph = build(file, tmp_path / "kb.graph")
    assert {graph.key(e): graph.description(e) for e in range(2)} == described
    assert graph.manifest.not_kept == {
        "descriptions of entities that have a better or earlier one": {"count": 1, "examples": ["Ein Ort"]}
    }


def test_graph_names_and_empty_labels_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "kb.trig"
    file.write_text(PREFIXES + ':g { :a :p :b ; rdfs:label " " . } :h { :a :p :c } :a :p :d .')
    _, left_out = read(file)
    assert left_out.to_dict() == {
        "graph names of statements": {"count": 3, "examples": [f"{EX}g", f"{EX}h"]},
        "labels and descriptions without a letter": {"count": 1, "examples": [f"{EX}a"]},
    }
