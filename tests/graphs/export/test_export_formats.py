"""What other programs, and graphbrick itself, read from an export is the graph."""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from pathlib import Path

import networkx
import pyoxigraph as ox
import pytest
from built_graphs import content_of
from commands import Run, refused
from faults import fails
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick import Graph, build
from graphbrick.core.errors import InputError
from graphbrick.graphs.export.formats import EXPORTS, export
from graphbrick.graphs.export.graphml import to_graphml
from graphbrick.graphs.export.ntriples import to_ntriples
from graphbrick.graphs.export.parquet import to_parquet
from graphbrick.graphs.export.to_networkx import to_networkx, to_node_link
from graphbrick.graphs.records.records import EntityRecord, Record, RelationRecord
from graphbrick.testing import tiny_graph

XSD = "http://www.w3.org/2001/XMLSchema#"
names = st.sampled_from(
    [
        *(
            "Kenya",
            'it\'s "x" & <y>',
            "a;b",
            "http://e.org/São_Paulo",
            "mid:m.01",
            "http://a b/",
            "100% x",
            "x:%zz",
            "Größe",
        ),
        *("http://x:y/", "a://[b]", "_:b1", "tab\there", "é/ü#z"),
    ]
)
entity = st.builds(
    EntityRecord,
    names,
    label=st.none() | names,
    aliases=st.lists(names, max_size=2, unique=True).map(tuple),
    types=st.lists(names, max_size=2, unique=True).map(tuple),
    description=st.none() | names,
)
relation_records = st.builds(RelationRecord, names, names)
records = st.lists(st.tuples(names, names, names) | entity | relation_records, min_size=1, max_size=10)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats")


def made(records: list[Record], place: Path) -> Graph:
    return build([*records, ("Kenya", "capital", "Nairobi")], place / "g.graph", overwrite=True)


@pytest.mark.whole
@settings(max_examples=5, deadline=None)
@given(records=records)
def test_parquet_is_built_again_to_the_same_graph(records: list[Record], place: Path) -> None:
    graph = made([r for r in records if not isinstance(r, RelationRecord)], place)
    folder = to_parquet(graph, place / "tables", overwrite=True)
    assert content_of(build(folder, place / "again.graph", overwrite=True)) == content_of(graph)


def test_parquet_has_the_labels_of_relations(tmp_path: Path) -> None:
    graph = build(
        [("m.1", "r.1", "m.2"), RelationRecord("r.1", "capital of"), EntityRecord("m.1", "Kenya")], tmp_path / "g"
    )
    folder = to_parquet(graph, tmp_path / "tables")
    again = build(folder, tmp_path / "again", labels=folder / "relations.parquet")
    assert content_of(again) == content_of(graph)


@settings(max_examples=8, deadline=None)
@given(records=records)
def test_networkx_reads_the_same_graph_from_memory_from_json_and_from_graphml(
    records: list[Record], place: Path
) -> None:
    graph = made(records, place)
    facts, triples, labels = content_of(graph)
    whole = to_networkx(graph)
    with to_node_link(graph, place / "g.json", overwrite=True).open(encoding="utf-8") as file:
        read = networkx.node_link_graph(json.load(file), edges="edges")
    for found in (whole, read):
        assert Counter((head, key, tail) for head, tail, key in found.edges(keys=True)) == triples
        assert {
            k: (d["label"], d["types"], d["description"], sorted(d["aliases"])) for k, d in found.nodes.items()
        } == facts
    drawn = networkx.read_graphml(to_graphml(graph, place / "g.graphml", overwrite=True), force_multigraph=True)
    edges = list(drawn.edges(data=True))
    assert Counter((head, data["relation"], tail) for head, tail, data in edges) == triples
    assert {data["relation"]: data["label"] for _, _, data in edges}.items() <= labels.items()
    assert {key: data["label"] for key, data in drawn.nodes.items()} == {key: fact[0] for key, fact in facts.items()}


@pytest.mark.whole
@settings(max_examples=8, deadline=None)
@given(records=records)
def test_ntriples_are_read_by_pyoxigraph_and_by_our_reader(records: list[Record], place: Path) -> None:
    graph = made(records, place)
    file = to_ntriples(graph, place / "g.nt", base="http://e.org/kb/", overwrite=True)
    assert len(list(ox.parse(path=str(file)))) == len(file.read_text(encoding="utf-8").splitlines())
    again = build(file, place / "again.graph", overwrite=True)
    assert again.n_triples == graph.n_triples
    shape = Counter((graph.label(h), graph.label(t)) for h, _, t in map(graph.triple, graph.triple_ids().tolist()))
    assert shape == Counter(
        (again.label(h), again.label(t)) for h, _, t in map(again.triple, again.triple_ids().tolist())
    )
    for i in range(graph.n_entities):
        if graph.key(i).startswith(("http://e.org", "mid:")):
            assert (again.label(j := again.entity(graph.key(i))), sorted(again.types(j))) == (
                graph.label(i),
                sorted(graph.types(i)),
            )


def test_ntriples_have_typed_values_and_a_graph_that_came_from_rdf_is_the_same(tmp_path: Path) -> None:
    values = [*(("Kenya", "area", "582,650 km²"), ("Kenya", "born", "1963-12"), ("Kenya", "rate", "-3.5"))]
    file = to_ntriples(build([*values, ("Uganda", "area", "241,038 km²")], tmp_path / "g"), tmp_path / "g.nt")
    tails = {str(q.object) for q in ox.parse(path=str(file)) if q.predicate.value.startswith("urn:graphbrick:")}
    expected = {f'"582650"^^<{XSD}integer>', f'"241038"^^<{XSD}integer>'}
    assert tails == expected | {f'"1963-12"^^<{XSD}gYearMonth>', f'"-3.5"^^<{XSD}decimal>'}
    rdf = tmp_path / "rdf.nt"
    rdf.write_text(
        '<http://e/a> <http://e/p> "x\\ny"@en .\n<http://e/a> <http://e/p> <http://e/b#c> .\n_:x <http://e/p> "1" .\n',
        encoding="utf-8",
    )
    graph = build(rdf, tmp_path / "rdf.graph")
    again = build(to_ntriples(graph, tmp_path / "again.nt"), tmp_path / "again.graph")
    assert content_of(again) == content_of(graph)
    literal_head = build([('"x"', "is", "y")], tmp_path / "literal.graph")
    (quad,) = (
        q for q in ox.parse(path=str(to_ntriples(literal_head, tmp_path / "l.nt"))) if "relation" in str(q.predicate)
    )
    assert str(quad.subject) == "<urn:graphbrick:entity/%22x%22>"
    with fails("export.bad_base", InputError, base="no iri"):
        to_ntriples(graph, tmp_path / "x.nt", base="no iri")


def test_numbers_in_ntriples_keep_all_their_digits(tmp_path: Path) -> None:
    masses = [("a", "mass", "0.00000012 kg"), ("b", "mass", "1,234.123456789 kg")]
    counts = [("a", "count", "9,007,199,254,740,993"), ("b", "count", "\u0661\u0662\u0663")]
    file = to_ntriples(build([*masses, *counts], tmp_path / "g"), tmp_path / "g.nt")
    tails = {str(q.object) for q in ox.parse(path=str(file)) if q.predicate.value.startswith("urn:graphbrick:")}
    decimals = {f'"0.00000012"^^<{XSD}decimal>', f'"1234.123456789"^^<{XSD}decimal>'}
    assert tails == decimals | {f'"9007199254740993"^^<{XSD}integer>', f'"123"^^<{XSD}integer>'}


def test_neo4j_files_have_its_headers_and_names_without_backticks(tmp_path: Path) -> None:
    facts = EntityRecord("m.1", 'Kenya "x"', ("a;b", "c"), ("sovereign state", "Sovereign State"), "one\ntwo")
    graph = build([("m.1", "people/born in", "m.2"), ("m.1", "people born in", "m.2"), facts], tmp_path / "g")
    folder = export(graph, tmp_path / "csv", "neo4j-csv").folder
    with (folder / "nodes.csv").open(encoding="utf-8", newline="") as file:
        header, *nodes = csv.reader(file)
    assert header == ["key:ID", "label", "description", "aliases:string[]", "types:string[]", ":LABEL"]
    assert sorted(nodes)[0] == [
        *(
            "m.1",
            'Kenya "x"',
            "one two",
            "a,b;c",
            "sovereign state;Sovereign State",
            "sovereign_state;Sovereign_State_2",
        )
    ]
    assert sorted(nodes)[1][5] == "Entity"
    with (folder / "edges.csv").open(encoding="utf-8", newline="") as file:
        header, *edges = csv.reader(file)
    assert header == [":START_ID", ":END_ID", ":TYPE", "key", "label"]
    assert {row[2] for row in edges} == {"people_born_in", "people_born_in_2"}
    assert build(folder, tmp_path / "again").n_triples == 2


@pytest.mark.whole
def test_the_command_replaces_only_on_request_and_only_its_own(tmp_path: Path, run: Run) -> None:
    graph, formats = tiny_graph(), [name for name, form in EXPORTS.all().items() if not form.needs_text]
    for name in formats:
        target = tmp_path / name
        arguments = ["export", graph.place, target, "--to", name]
        assert "8 entities, 10 triples" in run(*arguments).out
        refused(run(*arguments), "--overwrite")
        assert run(*arguments, "--overwrite").code == 0
        if target.is_dir():
            (target / "mine.txt").touch()
            refused(run(*arguments, "--overwrite"), "mine.txt")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(formats)
    with fails("export.no_format", InputError, format="xml"):
        export(graph, tmp_path / "x", "xml")
    with fails("export.no_option", InputError, option="base"):
        export(graph, tmp_path / "x", "graphml", base="http://e/")


def test_an_iri_that_is_a_relation_and_an_entity_has_the_label_of_the_entity(place: Path) -> None:
    iri = "http://e.org/capital"
    graph = made([("Kenya", "is", iri), ("Kenya", iri, "Nairobi"), EntityRecord(iri, label="the capital")], place)
    again = build(to_ntriples(graph, place / "g.nt", overwrite=True), place / "again.graph", overwrite=True)
    assert again.label(again.entity(iri)) == "the capital"


@pytest.mark.posix
def test_a_pipe_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with fails("export.is_a_device"):
        to_node_link(tiny_graph(), tmp_path / "pipe.json", overwrite=True)
    assert (tmp_path / "pipe.json").is_fifo()
