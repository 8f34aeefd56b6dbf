"""SIF, GML and Pajek."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import igraph
import networkx
import pytest
from faults import fails
from graph_files import ENDS, FileRecords, read_file

from graphbrick import EntityRecord, build
from graphbrick.core.errors import InputError
from graphbrick.graphs.readers import ReadOptions, read_source
from graphbrick.graphs.readers.formats.elements import BOTH_WAYS
from graphbrick.graphs.records.records import BadRecords, LeftOut


def edges(records: FileRecords) -> list[tuple[str, str, str]]:
    return [(head, relation, tail) for head, relation, tail, _ in records.edges]


def test_sif_has_triples_and_single_nodes(tmp_path: Path) -> None:
    read = read_file(tmp_path / "x.sif", "Kenya borders Uganda Tanzania\nNew York\tis in\tUnited States\t\nAlone\n\n")
    assert edges(read) == [
        ("Kenya", "borders", "Uganda"),
        ("Kenya", "borders", "Tanzania"),
        ("New York", "is in", "United States"),
    ]
    assert read.nodes == {"Alone": EntityRecord("Alone")}
    assert build(tmp_path / "x.sif", tmp_path / "x.graph").n_entities == 6


@pytest.mark.parametrize(
    ("text", "options", "triples", "header"),
    [
        ("source\tmetaedge\ttarget\nG1\tregulates\tG2\n", {}, [("G1", "regulates", "G2")], True),
        ("Target Source interaction\nG2 G1 regulates\n", {}, [("G1", "regulates", "G2")], True),
        (
            "source metaedge target\nx r y\n",
            {"header": False},
            [("source", "metaedge", "target"), ("x", "r", "y")],
            False,
        ),
        ("from to\n", {"header": False}, None, False),
        ("one two three\nx r y\n", {"header": True}, [("x", "r", "y")], True),
        ("A B kind\nx y r\n", {"columns": ("A", "kind", "B")}, [("x", "r", "y")], True),
        ("x y r\n", {"columns": ("1", "3", "2"), "header": False}, [("x", "r", "y")], False),
        ("source borders target2\n", {}, [("source", "borders", "target2")], False),
    ],
)
def test_a_first_line_of_names_is_a_header_of_sif(
    tmp_path: Path, text: str, options: dict[str, Any], triples: list[tuple[str, str, str]] | None, header: bool
) -> None:
    file = tmp_path / "x.sif"
    file.write_text(text, encoding="utf-8")
    left_out = LeftOut()
    records = read_source(file, nodes=None, options=ReadOptions(**options), bad=BadRecords(), left_out=left_out)
    if triples is None:
        with fails("sif.bad_line", InputError):
            list(records)
        return
    assert list(records) == triples
    assert bool(left_out.counts) is header


def test_a_column_that_sif_does_not_have_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.sif").write_text("a r b\n", encoding="utf-8")
    options = ReadOptions(columns=("1", "2", "9"))
    with pytest.raises(InputError):
        list(read_source(tmp_path / "x.sif", nodes=None, options=options, bad=BadRecords()))


@pytest.mark.parametrize("line", ["a b", "a\tr\t\tb", "\tr\tb"])
def test_a_bad_line_of_sif_has_a_code(tmp_path: Path, line: str) -> None:
    with fails("sif.bad_line", InputError):
        read_file(tmp_path / "x.sif", line)
    assert read_file(tmp_path / "x.sif", f"{line}\na r b\n", skip=True).bad == ["sif.bad_line"]


GML = """Creator "Ann"
# a comment
graph [
  directed 1
  comment "A shop"
  node [ id 1 label "Blue Kettle &#38; more" price 24.5 sold 1 opened "2020-01-02"
    graphics [ x 1.0 y 2.0 ] tags "a" tags "b" home [ city "Kiel" ] ]
  node [ id 2 label "Two
lines" weight NAN ]
  node [ id 3 tags "_networkx_list_start" tags "a" ]
  edge [ id 7 source 1 target 2 label "sells" since 2019 ]
  edge [ source 2 target 9 ]
]
"""


def test_gml_with_all_features(tmp_path: Path) -> None:
    read = read_file(tmp_path / "x.gml", GML)
    assert read.nodes == {
        "1": EntityRecord(
            "1",
            "Blue Kettle & more",
            properties={
                "price": 24.5,
                "sold": 1,
                "opened": datetime.date(2020, 1, 2),
                "tags": ("a", "b"),
                "home": '{"city": "Kiel"}',
            },
        ),
        "2": EntityRecord("2", "Two\nlines"),
        "3": EntityRecord("3", properties={"tags": ("a",)}),
    }
    assert read.edges == [("1", "sells", "2", {"since": 2019}), ("2", "related to", "9", {})]
    assert read.left_out == {
        "elements of the drawing": 1,
        "nested values, kept as JSON texts": 1,
        "values that are not a number (NaN)": 1,
        "ids of edges": 1,
        "attributes of the graph": 2,
        ENDS: 1,
    }


def test_gml_of_networkx_and_igraph(tmp_path: Path) -> None:
    graph = networkx.MultiDiGraph()
    graph.add_node("Ann", age=3, tags=["a"])
    graph.add_edge("Ann", 'Bo "B"', label="knows", since=1999)
    graph.add_edge("Ann", 'Bo "B"', label="knows", since=2020)
    networkx.write_gml(graph, tmp_path / "x.gml")
    read = read_file(tmp_path / "x.gml")
    assert read.nodes == {
        "0": EntityRecord("0", "Ann", properties={"age": 3, "tags": ("a",)}),
        "1": EntityRecord("1", 'Bo "B"'),
    }
    assert read.edges == [("0", "knows", "1", {"since": 1999}), ("0", "knows", "1", {"since": 2020})]
    club = igraph.Graph.Famous("Zachary")
    club.vs["name"] = [f"m{n}" for n in range(34)]
    club.es["weight"] = list(range(78))
    club.write_gml(str(tmp_path / "y.gml"))
    read = read_file(tmp_path / "y.gml")
    assert [node.label for node in read.nodes.values()] == club.vs["name"]
    assert [{int(head), int(tail)} for head, _, tail in edges(read)[::2]] == [set(ends) for ends in club.get_edgelist()]
    assert read.left_out[BOTH_WAYS] == 78


PAJEK = """% a comment
*Network shop
*Vertices 4
1 "Blue Kettle" 0.1 0.2 0.5 ic Red
2 Orlen
4 ""
*Arcs :1 "sells"
2 1 2.5 c Blue
2 1 3 l "made by"
*Edges
1 2
*Arcslist
4 1 2
*Partition kinds
1
"""


def test_pajek_with_all_features(tmp_path: Path) -> None:
    read = read_file(tmp_path / "x.net", PAJEK)
    assert read.nodes == {
        "1": EntityRecord("1", "Blue Kettle"),
        "2": EntityRecord("2", "Orlen"),
        "4": EntityRecord("4"),
        "3": EntityRecord("3"),
    }
    assert read.edges == [
        ("2", "sells", "1", {"weight": 2.5}),
        ("2", "made by", "1", {"weight": 3}),
        ("1", "related to", "2", {}),
        ("2", "related to", "1", {}),
        ("4", "related to", "1", {}),
        ("4", "related to", "2", {}),
    ]
    assert read.left_out == {
        "elements of the drawing": 6,
        BOTH_WAYS: 1,
        "sections that are not part of a network": 1,
    }


def test_a_matrix_of_pajek_has_arcs_where_it_is_not_zero(tmp_path: Path) -> None:
    read = read_file(tmp_path / "x.net", "*Vertices 2\n*Matrix\n0 1\n2.5 0\n*Vertices 3\n")
    assert read.edges == [("1", "related to", "2", {"weight": 1}), ("2", "related to", "1", {"weight": 2.5})]
    assert read.left_out == {"networks after the first": 1}
    read = read_file(tmp_path / "x.net", "*Vertices 3 1\r*Matrix\r2 0\r\n")
    assert read.edges == [("1", "related to", "2", {"weight": 2})]


def test_pajek_of_networkx_and_igraph(tmp_path: Path) -> None:
    graph = networkx.les_miserables_graph()
    networkx.write_pajek(graph, tmp_path / "x.net")
    read = read_file(tmp_path / "x.net")
    assert {node.label for node in read.nodes.values()} == set(graph)
    labels = {key: node.label for key, node in read.nodes.items()}
    assert {frozenset((labels[head], labels[tail])): fields["weight"] for head, _, tail, fields in read.edges} == {
        frozenset((head, tail)): float(fields["weight"]) for head, tail, fields in graph.edges(data=True)
    }
    club = igraph.Graph.Famous("Zachary")
    club.write_pajek(str(tmp_path / "y.net"))
    read = read_file(tmp_path / "y.net")
    assert [(int(head) - 1, int(tail) - 1) for head, _, tail in edges(read)[::2]] == club.get_edgelist()


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("x.gml", "<gml:FeatureCollection/>", "gml.is_xml"),
        ("x.gml", 'Creator "x"\n', "gml.no_graph"),
        ("x.gml", GML[:-2], "gml.truncated"),
        ("x.gml", GML[:200], "gml.truncated"),
        ("x.gml", "graph [ node ]", "gml.not_gml"),
        ("x.gml", "graph [ ] ]", "gml.not_gml"),
        ("x.gml", '"graph" [ ]', "gml.not_gml"),
        ("x.gml", 'graph [ node [ label "a" ] ]', "gml.no_id"),
        ("x.gml", "graph [ node [ id 1 ] edge [ source 1 ] ]", "gml.no_end"),
        ("x.net", "a b c\n", "pajek.no_vertices"),
        ("x.net", "*Vertices\n", "pajek.no_number"),
        ("x.net", "*Vertices 1\nx a\n", "pajek.bad_vertex"),
        ("x.net", "*Vertices 1\n2 a\n", "pajek.bad_vertex"),
        ("x.net", "*Vertices 2\n*Arcs\n1\n", "pajek.bad_line"),
        ("x.net", "*Vertices 2\n*Arcs\n1 b\n", "pajek.bad_line"),
        ("x.net", "*Vertices 2\n*Matrix\n1\n", "pajek.bad_row"),
    ],
)
def test_a_fault_has_a_code(tmp_path: Path, name: str, text: str, code: str) -> None:
    with fails(code, InputError):
        read_file(tmp_path / name, text)
