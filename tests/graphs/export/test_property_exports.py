"""Exports carry the properties of entities and triples, and graphs are built again from them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from random_properties import property_content, random_property_graph

from graphbrick.core.properties.values import Scalar, Value
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.export.formats import export
from graphbrick.graphs.export.parquet import to_parquet


@pytest.mark.parametrize("seed", range(10))
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


@pytest.mark.parametrize("seed", range(10))
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
@pytest.mark.parametrize("seed", range(10))
def test_graphml_and_node_link_json_are_built_again_to_an_equal_property_graph(
    tmp_path: Path, form: str, seed: int
) -> None:
    graph = random_property_graph(seed, tmp_path)
    file = tmp_path / ("g.graphml" if form == "graphml" else "g.json")
    export(graph, file, form)
    again = build(file, tmp_path / "again.graph")
    assert property_content(again) == property_content(graph)
    assert again.manifest.not_kept == {}
