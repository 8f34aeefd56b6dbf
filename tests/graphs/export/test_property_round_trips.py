"""Graphs with properties are built again from each export."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from pathlib import Path
from typing import Any

import igraph
import networkx
import pytest
from random_properties import TEXTS, property_content, random_property_graph

from graphbrick.core.properties.values import Properties, Scalar, Value, kind_of, value_text
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.copying import copy_graph
from graphbrick.graphs.export import ladybug, ladybug_layout
from graphbrick.graphs.export.formats import export
from graphbrick.graphs.export.ntriples import BASE, to_ntriples
from graphbrick.graphs.export.parquet import to_parquet
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, Record

pytestmark = pytest.mark.whole


@pytest.mark.parametrize("seed", range(3))
def test_parquet_is_built_again_to_an_equal_property_graph(tmp_path: Path, seed: int) -> None:
    graph = random_property_graph(seed, tmp_path)
    again = build(to_parquet(graph, tmp_path / "tables"), tmp_path / "again.graph")
    assert property_content(again) == property_content(graph)


def _in_csv(value: Value) -> Value | None:
    """Return a value as the files for Neo4j hold it: in one line, without semicolons in lists and empty texts."""
    if isinstance(value, tuple):
        held = tuple(_in_one_line(element, "a list") for element in value)
        return None if held in ((), ("",)) else held
    return _in_one_line(value) if value != "" else None


def _in_one_line(value: Scalar, of: str = "") -> Scalar:
    if not isinstance(value, str):
        return value
    line = re.sub(r"[\r\n]+", " ", value)
    return line.replace(";", ",") if of else line


@pytest.mark.parametrize("seed", range(3))
def test_files_for_neo4j_are_built_again_without_line_breaks_semicolons_in_lists_and_empty_texts(
    tmp_path: Path, seed: int
) -> None:
    graph = random_property_graph(seed, tmp_path)
    written = export(graph, tmp_path / "csv", "neo4j-csv")
    entities, triples = property_content(build(written.folder, tmp_path / "again.graph"))
    expected, edges = property_content(graph, of_entities=_in_csv, of_triples=_in_csv)
    assert entities == {key: (*facts[:3], facts[3], facts[4]) for key, facts in expected.items()}
    assert triples == edges
    assert written.left_out is not None
    assert bool(written.left_out.counts) == (property_content(graph) != (expected, edges))


@pytest.mark.parametrize("form", ["graphml", "networkx"])
@pytest.mark.parametrize("seed", range(3))
def test_graphml_and_node_link_json_are_built_again_to_an_equal_property_graph(
    tmp_path: Path, form: str, seed: int
) -> None:
    graph = random_property_graph(seed, tmp_path)
    file = tmp_path / ("g.graphml" if form == "graphml" else "g.json")
    export(graph, file, form)
    again = build(file, tmp_path / "again.graph")
    assert property_content(again) == property_content(graph)
    assert again.manifest.not_kept == {}


def _in_utc(value: Value) -> Value:
    """Return a value with its date-times in UTC; those without a zone are taken as such."""
    if isinstance(value, tuple):
        return tuple(_one_in_utc(element) for element in value)
    return _one_in_utc(value)


def _one_in_utc(value: Scalar) -> Scalar:
    if not isinstance(value, datetime.datetime):
        return value
    return value.replace(tzinfo=datetime.UTC) if value.tzinfo is None else value.astimezone(datetime.UTC)


@pytest.mark.parametrize("seed", range(3))
def test_ladybug_is_copied_to_an_equal_property_graph_but_for_zones(tmp_path: Path, seed: int) -> None:
    graph = random_property_graph(seed, tmp_path)
    export(graph, tmp_path / "g.ladybug", "ladybug")
    again = copy_graph(f"ladybug:{tmp_path / 'g.ladybug'}", tmp_path / "again.graph")
    held = property_content(graph, of_entities=_in_utc, of_triples=_in_utc)
    assert property_content(again, of_entities=_in_utc, of_triples=_in_utc) == held


def _as_statements(value: Value) -> tuple[tuple[str, str], ...]:
    """Return the values of a property as RDF holds them: different ones in any order, without blanks at their ends.

    A text that reads as a number or a date may be one; an empty text is shown as the key of its literal.
    """
    elements = value if isinstance(value, tuple) else (value,)
    texts = {(kind_of(part), value_text(part).strip().replace('""', "")) for part in elements}
    return tuple(sorted({("" if text in TEXTS else kind, text) for kind, text in texts}))


def _stated(properties: Properties) -> dict[str, Any]:
    return {name: _as_statements(value) for name, value in properties.items()}


@pytest.mark.parametrize("seed", range(3))
def test_ntriples_are_built_again_with_values_as_literals_and_lists_without_order(tmp_path: Path, seed: int) -> None:
    graph = random_property_graph(seed, tmp_path)
    again = build(to_ntriples(graph, tmp_path / "g.nt"), tmp_path / "again.graph")
    for entity in range(graph.n_entities):
        other = again.entity(f"{BASE}entity/{graph.key(entity)}")
        facts, others = (
            (one.label(i), sorted(one.types(i)), sorted(one.aliases(i)), one.description(i))
            for one, i in ((graph, entity), (again, other))
        )
        assert others == facts
        assert _stated(again.properties(other)) == _stated(graph.own_properties(entity))
    assert again.n_entities == graph.n_entities + sum(again.key(i).startswith('"') for i in range(again.n_entities))
    expected, triples = (
        Counter(
            (one.label(head), one.relation_label(relation), one.label(tail), str(sorted(_stated(own).items())))
            for one, t in ((one, t) for t in one.triple_ids().tolist())
            for head, relation, tail in [one.triple(t)]
            for own in [one.triple_properties(t)]
            if not one.key(tail).startswith('"')
        )
        for one in (graph, again)
    )
    assert triples == expected
    assert again.manifest.not_kept == {}


HOSTILE = [
    *("a\nb", ":x", "~y", "x:ID", "x:IGNORE", "__index_level_0__", " padded ", "x(y)", "x{y}", "price (list of text)"),
    *(
        "price (text)",
        "price",
        ":LABEL",
        "head",
        "id",
        "key",
        "_ID",
        "_LABEL",
        "node_for_adding",
        "u_for_edge",
        "kinds",
    ),
    *("http://x.org/p#q", "100%", "x.y", "desc", "name", "title", "data", "group", "type", "from", "é", "É"),
]


@pytest.mark.parametrize("form", ["parquet", "graphml", "networkx", "ladybug"])
def test_names_of_properties_may_be_anything(tmp_path: Path, form: str) -> None:
    records: list[Record] = []
    for place, name in enumerate(HOSTILE):
        further, last = HOSTILE[place - 1], HOSTILE[place - 2]
        records.append(EntityRecord(f"n{place}", "L", properties={name: "v", further: (1, 2), last: ()}))
        records.append(EdgeRecord("n0", "r", "n1", {name: "node", further: True}))
    graph = build(records, tmp_path / "g.graph")
    file = export(graph, tmp_path / {"graphml": "g.graphml", "networkx": "g.json"}.get(form, "g"), form).folder
    again = tmp_path / "again.graph"
    other = copy_graph(f"ladybug:{file}", again) if form == "ladybug" else build(file, again)
    assert property_content(other) == property_content(graph)
    if form == "graphml":
        assert len(networkx.read_graphml(file, force_multigraph=True).edges) == graph.n_triples
        assert igraph.Graph.Read_GraphML(str(file)).ecount() == graph.n_triples


def test_a_relation_with_values_and_a_property_may_have_one_name(tmp_path: Path) -> None:
    values = [(f"p{i}", "price", f"{i}.5") for i in range(4)]
    rows = [EntityRecord(f"p{i}", properties={"price": i}) for i in range(2)]
    graph = build([*values, *rows], tmp_path / "g.graph")
    again = copy_graph(f"ladybug:{export(graph, tmp_path / 'g', 'ladybug').folder}", tmp_path / "again.graph")
    assert property_content(again) == property_content(graph)
    assert again.properties(again.entity("p1")) == graph.properties(graph.entity("p1")) == {"price": (1, 1.5)}


def test_ladybug_keeps_properties_in_small_blocks_and_in_the_table_of_rare_relations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladybug, "_ROWS", 2)
    monkeypatch.setattr(ladybug, "_COPIED", 2)
    monkeypatch.setattr(ladybug_layout, "_MOST_TYPES", (1, 0))
    monkeypatch.setattr(ladybug_layout, "_MOST_RELATIONS", 1)
    graph = random_property_graph(4, tmp_path)
    again = copy_graph(f"ladybug:{export(graph, tmp_path / 'g', 'ladybug').folder}", tmp_path / "again.graph")
    expected = property_content(graph, of_entities=_in_utc, of_triples=_in_utc)
    assert property_content(again, of_entities=_in_utc, of_triples=_in_utc) == expected
