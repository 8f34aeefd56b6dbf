"""No label of RDF is lost: those that are not the label are aliases; local names stand in where none can be read."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdf_files import EX, PREFIXES, names, read

from graphbrick import Graph, build
from graphbrick.graphs.changes.delta import change
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
    graph = build(file, tmp_path / "kb.graph")
    a, b = graph.entity(f"{EX}a"), graph.entity(f"{EX}b")
    assert (graph.description(a), graph.description(b)) == ("Ein Ort", "A place")
    assert {graph.key(graph.triple(one)[2]) for one in graph.triples_from(b)} == {'"Ein Ort"@de', '"A place"@en'}
    assert graph.manifest.not_kept == {}


def test_what_is_lost_of_descriptions_in_one_language_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "kb.ttl"
    file.write_text(f'{PREFIXES} :b rdfs:comment "Ein Ort"@de, "Ort"@de . :a :in :b .')
    graph = build(file, tmp_path / "kb.graph")
    assert graph.description(graph.entity(f"{EX}b")) == "Ein Ort"
    assert graph.n_triples == 1
    assert graph.manifest.not_kept == {
        "descriptions of entities that have another one": {"count": 1, "examples": ["Ort"]}
    }


def test_graph_names_and_empty_labels_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "kb.trig"
    file.write_text(PREFIXES + ':g { :a :p :b ; rdfs:label " " . } :h { :a :p :c } :a :p :d .')
    _, left_out = read(file)
    assert left_out.to_dict() == {
        "graph names of statements": {"count": 3, "examples": [f"{EX}g", f"{EX}h"]},
        "labels and descriptions without a letter": {"count": 1, "examples": [f"{EX}a"]},
    }


def test_a_label_that_is_added_later_leaves_the_first_as_a_name(tmp_path: Path) -> None:
    first, then = tmp_path / "kb.ttl", tmp_path / "more.ttl"
    first.write_text(f'{PREFIXES} :t3 rdfs:label "Heath"@en ; :in :RedHill .')
    then.write_text(f'{PREFIXES} :t3 rdfs:label "Heide"@de ; :in :RedHill, :OldTown . :RedHill rdfs:label "Hill" .')
    build(first, tmp_path / "kb.graph")
    changed = change(tmp_path / "kb.graph", add=then).graph
    assert stored(changed, "t3") == ("Heide", {"Heath", "t3"})
    assert stored(changed, "RedHill") == ("Hill", {"Red Hill"})
    assert stored(changed, "OldTown") == ("OldTown", {"Old Town"})


TEXTS = st.sampled_from(["Heath", "Heide", "heath", "Moor", "SaltMarsh", "é"])
TAGS = st.sampled_from(["@en", "@en-gb", "@de", "@fr", ""])
STATED = st.lists(
    st.tuples(st.sampled_from(["SaltMarsh", "m1"]), st.sampled_from(["label", "altLabel"]), TEXTS, TAGS), max_size=6
)
RANKS = {"@en": 1, "@en-gb": 2, "": 3}


@pytest.mark.whole
@settings(max_examples=25)
@given(stated=STATED)
def test_names_are_those_of_a_dictionary(stated: list[tuple[str, str, str, str]]) -> None:
    """Lines read fast, a document, records, and a dictionary give the same names."""
    iris = {
        "label": "http://www.w3.org/2000/01/rdf-schema#label",
        "altLabel": "http://www.w3.org/2004/02/skos/core#altLabel",
    }
    lines = [f"<{EX}SaltMarsh> <{EX}in> <{EX}m1> ."]
    lines += [f'<{EX}{name}> <{iris[what]}> "{text}"{tag} .' for name, what, text, tag in stated]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for suffix in ("nt", "ttl"):
            (folder / f"kb.{suffix}").write_text("\n".join(lines) + "\n", encoding="utf-8")
        graphs = [build(folder / f"kb.{suffix}", folder / f"{suffix}.graph") for suffix in ("nt", "ttl")]
        records = read(folder / "kb.nt")[0]
        for name in ("SaltMarsh", "m1"):
            labels = [
                (RANKS.get(tag, 4), i, text)
                for i, (own, what, text, tag) in enumerate(stated)
                if own == name and what == "label"
            ]
            aliases = {text for own, what, text, _ in stated if own == name and what == "altLabel"}
            rank, _, label = min(labels, default=(5, 0, name))
            aliases |= {text for _, _, text in labels}
            aliases |= {name, local_words(name)} if rank > 3 else set()
            expected = label, aliases - {label}
            label_, aliases_ = names(records, EX + name)
            assert [stored(graph, name) for graph in graphs] == [expected] * 2
            assert (label_, aliases_ - {label_}) == expected
