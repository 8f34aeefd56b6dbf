"""JSON documents: node-link, Cytoscape.js, JSON Graph Format, graphology, lists of triples."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import networkx
import pytest
from faults import fails
from graph_files import ENDS, FileRecords, read_file

from graphbrick import EntityRecord, ReadOptions, build
from graphbrick.core.errors import InputError
from graphbrick.graphs.export.to_networkx import to_node_link
from graphbrick.graphs.readers import understood
from graphbrick.graphs.readers.formats import json_stream
from graphbrick.graphs.readers.formats.elements import ONE_WAY


def read(tmp_path: Path, value: object, *, skip: bool = False) -> FileRecords:
    return read_file(tmp_path / "x.json", json.dumps(value), skip=skip)


def edges(records: FileRecords) -> list[tuple[str, str, str]]:
    return [(head, relation, tail) for head, relation, tail, _ in records.edges]


def test_values_become_properties_of_their_kinds(tmp_path: Path) -> None:
    node = {
        "id": 1,
        "name": "Ann",
        "type": "Person",
        "born": "1990-02-03",
        "seen": "2024-01-02T03:04:05Z",
        "zip": "01234",
        "price": 24.5,
        "age": 31,
        "member": True,
        "none": None,
        "empty": "",
        "tags": ["a", "b"],
        "mixed": [1, "a"],
        "numbers": [1, 2.5],
        "home": {"city": "Kiel"},
        "pairs": [[1, 2]],
        "nan": float("nan"),
        "big": 10**30,
    }
    records = read(tmp_path, {"nodes": [node], "edges": []})
    assert records.nodes["1"] == EntityRecord(
        "1",
        "Ann",
        types=("Person",),
        properties={
            "born": datetime.date(1990, 2, 3),
            "seen": datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.UTC),
            "zip": "01234",
            "price": 24.5,
            "age": 31,
            "member": True,
            "tags": ("a", "b"),
            "mixed": ("1", "a"),
            "numbers": (1.0, 2.5),
            "home": '{"city": "Kiel"}',
            "pairs": "[[1, 2]]",
            "big": str(10**30),
        },
    )
    assert records.left_out == {
        "nested values, kept as JSON texts": 2,
        "values that are not a number (NaN)": 1,
        "lists of values of several kinds, kept as texts": 1,
    }


@pytest.mark.parametrize("name", ["links", "edges"])
@pytest.mark.parametrize("kind", [networkx.Graph, networkx.DiGraph, networkx.MultiDiGraph])
def test_node_link_of_networkx(tmp_path: Path, name: str, kind: type[Any]) -> None:
    graph = kind(title="shop")
    graph.add_node("a", age=3)
    graph.add_node("b", age=4)
    graph.add_edge("a", "b", type="knows", since=1999)
    if graph.is_multigraph():
        graph.add_edge("a", "b", type="knows", since=2020)
    records = read(tmp_path, networkx.node_link_data(graph, edges=name))
    assert records.nodes == {
        "a": EntityRecord("a", properties={"age": 3}),
        "b": EntityRecord("b", properties={"age": 4}),
    }
    assert records.edges[0] == ("a", "knows", "b", {"since": 1999})
    assert len(records.edges) == graph.number_of_edges()
    assert records.left_out == {
        **({} if graph.is_directed() else {ONE_WAY: 1}),
        "attributes of the graph": 1,
        **({"ids of edges": 2} if graph.is_multigraph() else {}),
    }


def test_an_export_is_read_as_it_was(tmp_path: Path) -> None:
    described = [
        EntityRecord("k:1", "Blue; Kettle", ("Kettle", "Blu|ey"), ("Product", "Th;ing"), "Two\nlines"),
        EntityRecord("k:2", "Orlen"),
    ]
    graph = build([*described, ("k:2", "http://e/sells", "k:1"), ("k:1", "r", "k:1")], tmp_path / "x.graph")
    file = to_node_link(graph, tmp_path / "x.json")
    records = read_file(file)
    assert records.nodes == {record.key: record for record in described}
    assert set(edges(records)) == {("k:1", "r", "k:1"), ("k:2", "http://e/sells", "k:1")}
    assert records.relations == {"http://e/sells": "http://e/sells", "r": "r"}
    assert records.left_out == {}


def test_numbers_of_nodes_name_them_where_their_ids_are_texts_or_missing(tmp_path: Path) -> None:
    nodes = [{"name": "Ann"}, {"name": "Bo"}]
    records = read(tmp_path, {"nodes": nodes, "links": [{"source": 1, "target": 0}, {"source": "Bo", "target": "Ann"}]})
    assert {node.key: node.label for node in records.nodes.values()} == {"0": "Ann", "1": "Bo"}
    assert edges(records) == [("1", "related to", "0"), ("1", "related to", "0")]
    texts = [{"id": "a"}, {"id": "b"}]
    assert edges(read(tmp_path, {"nodes": texts, "links": [{"source": 1, "target": 0}]})) == [("b", "related to", "a")]
    assert edges(read(tmp_path, {"links": [{"source": 1, "target": 0}], "nodes": texts})) == [("b", "related to", "a")]
    numbers = [{"id": 1}, {"id": 0}]
    assert edges(read(tmp_path, {"nodes": numbers, "links": [{"source": 1, "target": 0}]})) == [
        ("1", "related to", "0")
    ]
    digits = [{"id": "1"}, {"id": "0"}]
    assert edges(read(tmp_path, {"nodes": digits, "links": [{"source": 1, "target": 0}]})) == [("1", "related to", "0")]


CYTOSCAPE_NODE = {"data": {"id": "a", "label": "Ann", "age": 3}, "position": {"x": 1, "y": 2}, "classes": "big"}
CYTOSCAPE_EDGE = {"data": {"id": "ab", "source": "a", "target": "b", "interaction": "knows"}, "selected": False}


@pytest.mark.parametrize(
    "elements",
    [
        {"nodes": [CYTOSCAPE_NODE], "edges": [CYTOSCAPE_EDGE]},
        [CYTOSCAPE_NODE, CYTOSCAPE_EDGE],
        [{"group": "nodes", **CYTOSCAPE_NODE}, {"group": "edges", **CYTOSCAPE_EDGE}],
    ],
)
def test_elements_of_cytoscape(tmp_path: Path, elements: object) -> None:
    value = {"data": {"name": "net"}, "style": [{"selector": "node"}], "elements": elements}
    for records in (read(tmp_path, value), read_file(tmp_path / "x.cyjs", json.dumps(value))):
        assert records.nodes == {"a": EntityRecord("a", "Ann", properties={"age": 3})}
        assert records.edges == [("a", "knows", "b", {})]
        assert records.left_out == {
            "elements of the drawing": 3,
            "ids of edges": 1,
            "parts of the file that are not nodes or edges": 2,
            ENDS: 1,
        }
    assert edges(read(tmp_path, [CYTOSCAPE_NODE, CYTOSCAPE_EDGE])) == [("a", "knows", "b")]


JGF_EDGE = {"source": "a", "target": "b", "relation": "knows", "directed": False, "metadata": {"since": 1999}}


@pytest.mark.parametrize(
    "nodes",
    [
        [{"id": "a", "label": "Ann", "metadata": {"age": 3}}, {"id": "b"}],
        {"a": {"label": "Ann", "metadata": {"age": 3}}, "b": {}},
    ],
)
@pytest.mark.parametrize("is_one", [True, False])
def test_json_graph_format(tmp_path: Path, nodes: object, is_one: bool) -> None:
    graph = {"directed": True, "label": "G", "nodes": nodes, "edges": [JGF_EDGE], "hyperedges": [{"nodes": ["a", "b"]}]}
    records = read(tmp_path, {"graph": graph} if is_one else {"graphs": [graph]})
    assert records.nodes == {"a": EntityRecord("a", "Ann", properties={"age": 3}), "b": EntityRecord("b")}
    assert records.edges == [("a", "knows", "b", {"since": 1999})]
    assert records.left_out == {
        "attributes of the graph": 1,
        "hyperedges": 1,
        ONE_WAY: 1,
    }


def test_files_of_graphology_and_langchain(tmp_path: Path) -> None:
    node = {"key": "T", "attributes": {"label": "Thomas", "age": 3}}
    edge = {"key": "T->E", "source": "T", "target": "T", "attributes": {"type": "knows"}, "undirected": True}
    records = read(tmp_path, {"attributes": {"name": "g"}, "nodes": [node], "edges": [edge]})
    assert records.nodes == {"T": EntityRecord("T", "Thomas", properties={"age": 3})}
    assert records.edges == [("T", "knows", "T", {})]
    ann = {"id": "Ann", "type": "Person", "properties": {"age": 3}}
    graph = {
        "nodes": [ann],
        "relationships": [{"source": ann, "target": {"id": "Bo", "type": "Person"}, "type": "KNOWS"}],
    }
    for value in (graph, [graph]):
        records = read(tmp_path, value)
        assert records.nodes["Ann"] == EntityRecord("Ann", types=("Person",), properties={"age": 3})
        assert records.nodes["Bo"].types == ("Person",)
        assert edges(records) == [("Ann", "KNOWS", "Bo")]


def test_records_of_a_query_in_the_browser_of_neo4j(tmp_path: Path) -> None:
    ann = {"identity": 0, "labels": ["Person"], "properties": {"name": "Ann", "born": 1990}, "elementId": "4:x:0"}
    film = {"identity": 7, "labels": ["Film"], "properties": {"title": "Heat"}, "elementId": "4:x:7"}
    acted = {"identity": 3, "start": 0, "end": 7, "type": "ACTED_IN", "properties": {"role": "Eady"}}
    acted |= {"elementId": "5:x:3", "startNodeElementId": "4:x:0", "endNodeElementId": "4:x:7"}
    path = {"start": ann, "end": film, "segments": [{"start": ann, "relationship": acted, "end": film}], "length": 1.0}
    for records in ([{"p": ann, "r": acted, "m": film}], [{"path": path}], [{"all": [ann, acted, film], "n": 1}]):
        read_ = read(tmp_path, records)
        assert read_.nodes == {
            "0": EntityRecord("0", "Ann", types=("Person",), properties={"born": 1990}),
            "7": EntityRecord("7", "Heat", types=("Film",)),
        }
        assert read_.edges == [("0", "ACTED_IN", "7", {"role": "Eady"})]
        assert read_.left_out.pop("values of query records that are not nodes or edges", 0) == ("all" in records[0])
        assert read_.left_out == {"ids of edges": 1}


@pytest.mark.parametrize(
    ("value", "edge"),
    [
        ([["a", "r", "b"]], ("a", "r", "b", {})),
        ([{"head": "a", "relation": "r", "tail": "b", "since": 3}], ("a", "r", "b", {"since": 3})),
        ([{"subject": "a", "predicate": "r", "object": 7}], ("a", "r", "7", {})),
        ([{"s": "a", "p": "r", "o": "b"}], ("a", "r", "b", {})),
        ([{"from": "a", "to": "b", "label": "r"}], ("a", "r", "b", {})),
        ({"edges": [["a", "b"]]}, ("a", "related to", "b", {})),
        ({"edges": [["a", "b", {"weight": 2}]], "nodes": ["a", "b"]}, ("a", "related to", "b", {"weight": 2})),
        ({"triples": [["a", "r", "b"]]}, ("a", "r", "b", {})),
    ],
)
def test_triples_in_arrays_and_objects(tmp_path: Path, value: object, edge: tuple[object, ...]) -> None:
    assert read(tmp_path, value).edges == [edge]


def test_json_lines_in_a_json_file_are_read_as_such(tmp_path: Path) -> None:
    records = read_file(tmp_path / "all.json", '["a", "r", "b"]\n["b", "r", "c"]\n')
    assert edges(records) == [("a", "r", "b"), ("b", "r", "c")]


GRAPH = '{"nodes": [{"id": "a"}, {"id": "b"}],\n"edges": [{"source": "a", "target": "b"}]}'


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"rows": [1, 2]}', "json.no_graph"),
        ("[]", "json.no_graph"),
        (GRAPH[:-1], "json.truncated"),
        (GRAPH[:60], "json.truncated"),
        (GRAPH[:10], "json.truncated"),
        (GRAPH[:3], "json.truncated"),
        (GRAPH.replace("{", "(", 2), "json.not_json"),
        (GRAPH.replace('"a"}', '"a",,}' + " " * 50, 1), "json.not_json"),
        (GRAPH.replace("},", "}", 1), "json.not_json"),
        (GRAPH + "]", "json.not_json"),
        ("{'nodes': []}", "json.not_json"),
        ("[" * 100_000, "json.not_json"),
        (GRAPH.replace('"a"', '""', 1), "json.no_id"),
        (GRAPH.replace('"source"', '"origin"'), "json.no_end"),
        (GRAPH.replace('"source": "a"', '"source": null'), "json.no_end"),
        ('[["a", "r"]]', "json.not_a_triple"),
        ('[["a", "r", ""]]', "json.not_a_triple"),
        ('["a"]', "json.not_an_element"),
    ],
)
def test_a_fault_has_a_code(tmp_path: Path, text: str, code: str) -> None:
    with fails(code, InputError):
        read_file(tmp_path / "x.json", text)


def test_a_build_says_that_lists_state_their_relations(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('[["a", "r", "b"], ["a", "r2", "b"]]')
    assert understood(file, nodes=None, options=ReadOptions()) == ["x.json: edges: relation as each edge states it"]


def test_ends_that_describe_a_node_differently_are_counted(tmp_path: Path) -> None:
    ends = [{"id": "a", "name": "A"}, {"id": "a", "name": "A", "age": 3}]
    records = read(tmp_path, {"nodes": [], "edges": [{"source": end, "target": ends[0]} for end in ends]})
    assert records.nodes == {"a": EntityRecord("a", "A")}
    assert records.left_out == {"nodes that a later edge describes otherwise": 1}


def test_fields_without_a_name_are_counted(tmp_path: Path) -> None:
    records = read(tmp_path, {"nodes": [{"id": "a", "name": "A", "": 7}], "edges": []})
    assert records.left_out == {"fields without a name": 1}


def test_an_edge_to_an_unknown_node_is_kept_and_counted(tmp_path: Path) -> None:
    records = read_file(tmp_path / "x.json", GRAPH.replace('"target": "b"', '"target": "c"'))
    assert edges(records) == [("a", "related to", "c")]
    assert records.left_out == {ENDS: 1}


def test_a_document_is_read_alike_in_chunks_of_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    value = {
        "directed": True,
        "nodes": [{"id": f"n{n}é", "text": 'a "quoted" \\ text' * n, "number": n * 1234567} for n in range(20)],
        "edges": [{"source": f"n{n}é", "target": "n0é", "weight": -n / 3} for n in range(20)],
    }
    whole = read(tmp_path, value)
    assert (len(whole.nodes), len(whole.edges)) == (20, 20)
    for indent in (None, 1):
        for size in (1, 7, 64):
            monkeypatch.setattr(json_stream, "_CHUNK", size)
            text = json.dumps(value, indent=indent, ensure_ascii=False)
            assert read_file(tmp_path / "y.json", text) == whole
