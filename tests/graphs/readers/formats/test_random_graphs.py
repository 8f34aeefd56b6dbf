"""Random property graphs, written by networkx and read back, equal what was written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx
import pytest
from graph_files import read_file
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphbrick.core.properties.values import Kind, raw_kind

TEXTS = (
    st.text(
        st.characters(codec="utf-8", exclude_categories=("C", "Z"), include_characters=" &<>\"';|[]:\\"), min_size=1
    )
    .map(str.strip)
    .filter(lambda text: bool(text) and raw_kind(text) not in (Kind.DATE, Kind.DATETIME))
)
VALUES = {
    "word": TEXTS,
    "count": st.integers(-(2**31) + 1, 2**31 - 1),
    "share": st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12),
    "open": st.booleans(),
}
FIELDS = st.fixed_dictionaries({}, optional=VALUES)
GRAPHS = st.tuples(
    st.lists(st.tuples(TEXTS, FIELDS), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), TEXTS, FIELDS), max_size=8),
)


def write_json(graph: Any, file: Path) -> None:
    file.write_text(json.dumps(networkx.node_link_data(graph, edges="edges")), encoding="utf-8")


WRITERS: dict[str, Callable[[Any, Path], None]] = {
    "graphml": networkx.write_graphml_xml,
    "gexf": networkx.write_gexf,
    "gml": networkx.write_gml,
    "json": write_json,
}


@pytest.mark.whole
@pytest.mark.parametrize("ending", WRITERS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=GRAPHS)
def test_a_random_graph_is_read_as_it_was_written(tmp_path: Path, ending: str, drawn: Any) -> None:
    nodes, edges = drawn
    if ending == "gml":  # which has no booleans
        nodes = [(name, {field: value for field, value in own.items() if field != "open"}) for name, own in nodes]
        edges = [(*edge[:3], {field: value for field, value in edge[3].items() if field != "open"}) for edge in edges]
    graph = networkx.MultiDiGraph()
    for number, (name, fields) in enumerate(nodes):
        graph.add_node(f"n{number}", label=name, **fields)
    expected = []
    for head, tail, relation, fields in edges:
        ends = f"n{head % len(nodes)}", f"n{tail % len(nodes)}"
        graph.add_edge(*ends, relation=relation, **fields)
        expected.append((ends[0], relation, ends[1], fields))
    if ending == "gml":
        networkx.relabel_nodes(graph, {node: number for number, node in enumerate(graph)}, copy=False)
        for _, fields in graph.nodes(data=True):
            fields["title"] = fields.pop("label")  # networkx writes its own label
        names = {f"n{number}": str(number) for number in range(len(nodes))}
        expected = [(names[head], relation, names[tail], fields) for head, relation, tail, fields in expected]
    WRITERS[ending](graph, tmp_path / f"x.{ending}")
    read = read_file(tmp_path / f"x.{ending}", name="title" if ending == "gml" else "label")
    got = [(node.label, dict(node.properties)) for node in read.nodes.values()]
    if ending == "gml":
        got = [(label, {name: value for name, value in own.items() if name != "label"}) for label, own in got]
    assert got == [(name, fields) for name, fields in nodes]
    assert sorted(map(repr, read.edges)) == sorted(map(repr, expected))
