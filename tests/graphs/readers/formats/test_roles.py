"""The rules by which fields become names, types, aliases, relations and properties."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from faults import fails
from graph_files import FileRecords, read_file

from graphbrick.core.errors import InputError


def read(tmp_path: Path, nodes: list[dict[str, Any]], edges: list[dict[str, Any]] | None = None) -> FileRecords:
    return read_file(tmp_path / "x.json", json.dumps({"nodes": nodes, "edges": edges or []}))


def test_the_name_is_the_field_that_repeats_least(tmp_path: Path) -> None:
    people = [{"id": n, "label": "Person", "name": f"person {n}"} for n in range(3)]
    assert [(n.label, n.types, n.aliases) for n in read(tmp_path, people).nodes.values()] == [
        (f"person {n}", ("Person",), ()) for n in range(3)
    ]
    both = [{"id": n, "label": f"P{n}", "name": f"person {n}"} for n in range(3)]
    assert [(n.label, n.types, n.aliases) for n in read(tmp_path, both).nodes.values()] == [
        (f"P{n}", (), (f"person {n}",)) for n in range(3)
    ]
    titled = [{"id": n, "name": f"person {n}", "title": "Dr."} for n in range(3)]
    assert [(n.label, dict(n.properties)) for n in read(tmp_path, titled).nodes.values()] == [
        (f"person {n}", {"title": "Dr."}) for n in range(3)
    ]


def test_a_node_without_the_best_name_has_the_next(tmp_path: Path) -> None:
    nodes = [{"id": 1, "Name": "Ann"}, {"id": 2, "Name": "Bo"}, {"id": 3, "title": "Cy"}, {"id": 4, "name": 7}]
    assert [node.label for node in read(tmp_path, nodes).nodes.values()] == ["Ann", "Bo", "Cy", "7"]


def test_other_fields_of_a_role_and_fields_of_other_kinds_are_properties(tmp_path: Path) -> None:
    nodes = [{"id": 1, "type": "City", "category": "big", "kind": 3, "comment": 5, "synonyms": "A|B;C"}]
    node = read(tmp_path, nodes).nodes["1"]
    assert (node.types, node.aliases, dict(node.properties)) == (
        ("City",),
        ("A", "B", "C"),
        {"category": "big", "kind": 3, "comment": 5},
    )


@pytest.mark.parametrize(
    ("fields", "relation", "properties"),
    [
        ({"label": "knows", "type": "social"}, "knows", {"type": "social"}),
        ({"type": "Directed", "label": "knows"}, "knows", {"type": "Directed"}),
        ({"Type": "Undirected"}, "related to", {"Type": "Undirected"}),
        ({"interaction": "pp", "label": "a (pp) b"}, "pp", {"label": "a (pp) b"}),
        ({"relation": "knows", "label": 7}, "knows", {"label": 7}),
        ({"weight": 2}, "related to", {"weight": 2}),
    ],
)
def test_the_relation_of_an_edge(
    tmp_path: Path, fields: dict[str, Any], relation: str, properties: dict[str, Any]
) -> None:
    edge = {"source": "a", "target": "b", **fields}
    assert read(tmp_path, [{"id": "a"}, {"id": "b"}], [edge]).edges == [("a", relation, "b", properties)]


def test_a_label_that_each_relation_has_once_is_its_label_and_else_a_property(tmp_path: Path) -> None:
    nodes = [{"id": "a"}]
    pairs = [("r1", "one"), ("r2", "two"), ("r1", "one")]
    loops = [{"source": "a", "target": "a", "relation": relation, "label": label} for relation, label in pairs]
    records = read(tmp_path, nodes, loops)
    assert (records.relations, [fields for *_, fields in records.edges]) == ({"r1": "one", "r2": "two"}, [{}, {}, {}])
    loops[2]["label"] = "other"
    records = read(tmp_path, nodes, loops)
    assert records.relations == {}
    assert [fields for *_, fields in records.edges] == [{"label": "one"}, {"label": "two"}, {"label": "other"}]


def test_options_name_the_fields_of_names_and_types_and_the_relation(tmp_path: Path) -> None:
    value = {"nodes": [{"id": 1, "name": "n", "City": "Kiel", "group": "port"}], "edges": [[1, 1]]}
    read = read_file(tmp_path / "x.json", json.dumps(value), name="City", type="group", relation="ferry to")
    node = read.nodes["1"]
    assert (node.label, node.types, dict(node.properties)) == ("Kiel", ("port",), {"name": "n"})
    assert read.edges == [("1", "ferry to", "1", {})]
    with fails("fields.no_name", InputError, field="Cty", fields=["City", "group", "name"]):
        read_file(tmp_path / "x.json", name="Cty")
