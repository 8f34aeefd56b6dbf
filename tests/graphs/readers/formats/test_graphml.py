"""GraphML, as many programs write it."""

from __future__ import annotations

import datetime
import math
from pathlib import Path

import igraph
import networkx
import pytest
from faults import fails
from graph_files import ENDS, read_file

from graphbrick import EntityRecord, ReadOptions, build
from graphbrick.core.errors import InputError
from graphbrick.graphs.export.graphml import to_graphml
from graphbrick.graphs.readers import FileReading, read_parts, source_files, understood
from graphbrick.graphs.readers.formats.elements import BOTH_WAYS, ONE_WAY
from graphbrick.graphs.readers.streams import Meter
from graphbrick.graphs.records.records import BadRecords

FULL = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE graphml SYSTEM "http://graphml.graphdrawing.org/dtds/1.0rc/graphml.dtd">
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <desc>A shop</desc>
  <key id="d0" for="node" attr.name="name" attr.type="string"/>
  <key id="d1" for="node" attr.name="price" attr.type="double"><desc>in euros</desc><default>1.5</default></key>
  <key id="d2" for="node" attr.name="stock" attr.type="int"/>
  <key id="d3" for="node" attr.name="sold" attr.type="boolean"/>
  <key id="d4" for="all" attr.name="since" attr.type="string"/>
  <key id="d5" for="edge" attr.name="label" attr.type="string"/>
  <key id="d6" for="node" attr.name="kind" attr.type="string"/>
  <key id="d7" for="node" attr.name="tags" attr.type="string" attr.list="string"/>
  <key id="d8" for="node" attr.name="synonyms"/>
  <graph id="G" edgedefault="directed">
    <data key="d4">2020-01-01</data>
    <node id="p1">
      <desc>A kettle &amp; more</desc>
      <data key="d0">Blue Kettle</data><data key="d1">24.5</data><data key="d2">7</data><data key="d3">true</data>
      <data key="d6">Product</data><data key="d7">["new","blue"]</data><data key="d8">Kettle 7;Bluey</data>
      <port name="North"><data key="d0">not a name</data></port>
    </node>
    <node id="p2"><data key="d0">Red Toaster</data><data key="d2">many</data><data key="d4">2020-01-02</data></node>
    <node id="v1"><data key="d1">NaN</data><data key="odd"> here </data>
      <graph edgedefault="undirected">
        <node id="v1::a"/><edge source="v1::a" target="p1"><data key="d5">near</data></edge>
      </graph>
    </node>
    <edge id="e1" source="v1" target="p1" sourceport="North">
      <data key="d5">sells</data><data key="d4">2019</data>
    </edge>
    <edge source="v1" target="p2" directed="false"/>
    <edge source="v1" target="p9"><data key="d5">sells</data></edge>
    <hyperedge><endpoint node="p1"/><endpoint node="p2"/></hyperedge>
    <locator href="other.graphml"/>
  </graph>
</graphml>
"""


def test_names_types_values_and_edges_of_a_file_with_all_features(tmp_path: Path) -> None:
    read = read_file(tmp_path / "shop.graphml", FULL)
    assert list(read.nodes.values()) == [
        EntityRecord(
            "p1",
            "Blue Kettle",
            ("Kettle 7", "Bluey"),
            ("Product",),
            "A kettle & more",
            {"price": 24.5, "stock": 7, "sold": True, "tags": ("new", "blue")},
        ),
        EntityRecord(
            "p2", "Red Toaster", properties={"price": 1.5, "stock": "many", "since": datetime.date(2020, 1, 2)}
        ),
        EntityRecord("v1::a", properties={"price": 1.5}),
        EntityRecord("v1", properties={"price": 1.5, "odd": "here"}),
    ]
    assert read.edges == [
        ("v1::a", "near", "p1", {}),
        ("v1", "sells", "p1", {"since": "2019"}),
        ("v1", "related to", "p2", {}),
        ("p2", "related to", "v1", {}),
        ("v1", "sells", "p9", {}),
    ]
    assert read.left_out == {
        "attributes of the graph": 2,
        "ports of nodes": 1,
        "values that are not of the type that the file declares, kept as texts": 1,
        "values that are not a number (NaN)": 1,
        "nested graphs, whose nodes and edges are read and whose outer node is not kept": 1,
        ONE_WAY: 1,
        BOTH_WAYS: 1,
        "ids of edges": 1,
        "ports of edges": 1,
        ENDS: 1,
        "hyperedges": 1,
        "links to other files": 1,
    }
    assert read.nameless == 2


def test_an_export_is_read_as_it_was(tmp_path: Path) -> None:
    records = [
        EntityRecord("k:1", "Blue & <Kettle>", ("Kettle", "Bluey"), ("Product", "Thing"), "Two\nlines"),
        EntityRecord("k:2", "Orlen"),
        ("k:2", "http://e/sells", "k:1"),
        ("k:1", "made by", "k:3"),
    ]
    graph = build(records, tmp_path / "shop.graph")
    file = to_graphml(graph, tmp_path / "shop.graphml")
    again = build(file, tmp_path / "again.graph")
    assert sorted(again.key_triples()) == sorted(graph.key_triples())
    assert {again.key(n): again.label(n) for n in range(3)} == {graph.key(n): graph.label(n) for n in range(3)}
    read = read_file(file)
    assert read.nodes["k:1"] == records[0]
    assert read.left_out == {}
    assert read.relations == {"http://e/sells": "http://e/sells", "made by": "made by"}


def test_names_with_types_of_an_export_stay_what_they_are(tmp_path: Path) -> None:
    """A property called ``name`` does not become the label of an export, however often labels repeat."""
    file = to_graphml(build([("a", "r", "b")], tmp_path / "x.graph"), tmp_path / "x.graphml")
    key = '<key id="p0" for="node" attr.name="name" attr.type="string"/>'
    text = file.read_text().replace("<key", key + "<key", 1)
    text = text.replace('<data key="label">b<', '<data key="p0">n1</data><data key="label">a<')
    assert [(n.label, dict(n.properties)) for n in read_file(file, text).nodes.values()] == [
        ("a", {}),
        ("a", {"name": "n1"}),
    ]


def test_files_of_networkx(tmp_path: Path) -> None:
    graph = networkx.MultiDiGraph(name="shop")
    graph.add_node("a", label="Ann", age=31, height=1.7, member=True)
    graph.add_node("b", label="Bo", age=2.5)
    graph.add_edge("a", "b", key="k1", relation="knows", since=1999)
    graph.add_edge("a", "b", key="k2", relation="knows", since=2020)
    networkx.write_graphml(graph, tmp_path / "x.graphml")
    read = read_file(tmp_path / "x.graphml")
    assert read.nodes == {
        "a": EntityRecord("a", "Ann", properties={"age": 31, "height": 1.7, "member": True}),
        "b": EntityRecord("b", "Bo", properties={"age": 2.5}),
    }
    assert read.edges == [("a", "knows", "b", {"since": 1999}), ("a", "knows", "b", {"since": 2020})]
    assert read.left_out == {"ids of edges": 2, "attributes of the graph": 1}


def test_files_of_igraph(tmp_path: Path) -> None:
    graph = igraph.Graph.Famous("Zachary")
    graph.vs["name"] = [f"member {n}" for n in range(34)]
    graph.vs["age"] = [math.nan, *range(33)]
    graph.es["weight"] = [n / 2 for n in range(78)]
    graph.write_graphml(str(tmp_path / "x.graphml"))
    read = read_file(tmp_path / "x.graphml")
    assert (len(read.nodes), len(read.edges)) == (34, 156)
    assert read.nodes["n1"] == EntityRecord("n1", "member 1", properties={"age": 0.0})
    ends = [(read.nodes[head].label, read.nodes[tail].label) for head, _, tail, _ in read.edges[::2]]
    assert ends == [(graph.vs[e.source]["name"], graph.vs[e.target]["name"]) for e in graph.es]
    assert [fields["weight"] for *_, fields in read.edges[::2]] == graph.es["weight"]
    assert [(tail, head) for head, _, tail, _ in read.edges[1::2]] == [row[:3:2] for row in read.edges[::2]]
    assert read.left_out == {BOTH_WAYS: 78}


def document(body: str, keys: str = "") -> str:
    return f'<graphml xmlns:y="http://y">{keys}<graph edgedefault="directed">{body}</graph></graphml>'


def test_labels_of_yed_are_names_and_relations(tmp_path: Path) -> None:
    shape = '<y:ShapeNode><y:Fill color="#F"/><y:NodeLabel>Ann<y:M/></y:NodeLabel></y:ShapeNode>'
    node = f'<node id="n0"><data key="d1">{shape}'
    edge = '<edge id="e0" source="n0" target="n0"><data key="d2"><y:EdgeLabel> knows </y:EdgeLabel></data></edge>'
    keys = '<key for="node" id="d1" yfiles.type="nodegraphics"/><key for="edge" id="d2" yfiles.type="edgegraphics"/>'
    read = read_file(tmp_path / "yed.graphml", document(f"{node}</data></node>{edge}", keys))
    assert read.nodes == {"n0": EntityRecord("n0", "Ann")}
    assert read.edges == [("n0", "knows", "n0", {})]
    assert read.left_out == {"elements of the drawing": 3, "ids of edges": 1}


def test_labels_of_neo4j_and_tinkerpop_are_types_and_relations(tmp_path: Path) -> None:
    node = (
        '<node id="n0" labels=":Person:Actor"><data key="labels">:Person:Actor</data><data key="name">Ann</data></node>'
    )
    edge = '<edge id="e0" source="n0" target="n0" label="KNOWS"><data key="label">KNOWS</data></edge>'
    read = read_file(tmp_path / "apoc.graphml", document(node + edge))
    assert read.nodes == {"n0": EntityRecord("n0", "Ann", types=("Person", "Actor"))}
    assert read.edges == [("n0", "KNOWS", "n0", {})]
    node = '<node id="1"><data key="labelV">person</data><data key="name">marko</data></node>'
    edge = '<edge id="7" source="1" target="1"><data key="labelE">knows</data><data key="weight">0.5</data></edge>'
    keys = '<key id="weight" for="edge" attr.name="weight" attr.type="double"/>'
    read = read_file(tmp_path / "tinkerpop.graphml", document(node + edge, keys))
    assert read.nodes == {"1": EntityRecord("1", "marko", types=("person",))}
    assert read.edges == [("1", "knows", "1", {"weight": 0.5})]


def test_graphml_in_an_xml_file_is_read_as_such(tmp_path: Path) -> None:
    read = read_file(tmp_path / "shop.xml", FULL)
    assert (len(read.nodes), len(read.edges)) == (4, 5)
    assert build(tmp_path / "shop.xml", tmp_path / "shop.graph").n_triples == 5


BOMB = '<!DOCTYPE graphml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<gexf/>", "xml.wrong_root"),
        (FULL[:900], "xml.truncated"),
        (FULL[:-12], "xml.truncated"),
        (FULL.replace("</node>", "</nod>", 1), "xml.not_well_formed"),
        ("id,name\n1,a\n", "xml.not_well_formed"),
        *(
            (f'<?xml version="1.0" encoding="{encoding}"?><graphml/>', "xml.unknown_encoding")
            for encoding in ("UTFm8", "GBK", "hex", "idna")
        ),
        (document("<node/>"), "graphml.no_id"),
        (document('<node id="a"/><edge source="a"/>'), "graphml.no_end"),
        (document('<node id="a"><data>x</data></node>'), "graphml.no_key"),
        (document("", '<key for="node"/>'), "graphml.no_key_id"),
        (BOMB + document('<node id="&b;"/>'), "xml.entity"),
        ('<!DOCTYPE graphml [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + document(""), "xml.entity"),
    ],
)
def test_a_fault_has_a_code(tmp_path: Path, text: str, code: str) -> None:
    with fails(code, InputError):
        read_file(tmp_path / "x.graphml", text)


def test_bad_nodes_and_edges_can_be_skipped(tmp_path: Path) -> None:
    read = read_file(tmp_path / "x.graphml", document('<node/>\n<node id="a"/>\n<edge source="a"/>'), skip=True)
    assert (list(read.nodes), read.edges, read.bad) == (["a"], [], ["graphml.no_id", "graphml.no_end"])


def test_the_first_nodes_come_before_the_end_of_the_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "x.graphml"
    file.write_text(document("".join(f'<node id="n{n}"/>\n' for n in range(50_000))))
    meter = Meter()
    reading = FileReading(ReadOptions(), BadRecords(), meter=meter)
    next(read_parts(source_files(file, None, reading.options), reading))
    assert 0 < meter.done < meter.total / 4


def test_values_that_a_later_one_replaces_are_counted(tmp_path: Path) -> None:
    data = '<data key="n">1</data><data key="n">2</data><NodeLabel>A</NodeLabel><NodeLabel>B</NodeLabel>'
    read = read_file(tmp_path / "x.graphml", document(f'<node id="a">{data}</node>'))
    assert read.nodes == {"a": EntityRecord("a", "A", properties={"n": "2"})}
    assert read.left_out == {
        "values that a later one of the same name replaces": 1,
        "further labels of nodes and edges": 1,
    }


def test_a_label_that_names_the_relation_is_not_announced_as_a_property(tmp_path: Path) -> None:
    edge = '<node id="a"/><edge source="a" target="a" relation="r1" label="knows" since="2020"/>'
    (tmp_path / "x.graphml").write_text(document(edge))
    told = understood(tmp_path / "x.graphml", nodes=None, options=ReadOptions())
    assert told[0].endswith("; edges: relation relation, its name label, 1 property (since)")


def test_a_build_says_how_the_fields_are_read(tmp_path: Path) -> None:
    (tmp_path / "shop.graphml").write_text(FULL)
    assert understood(tmp_path / "shop.graphml", nodes=None, options=ReadOptions())[0] == (
        "shop.graphml: nodes: key id, name name, type kind, description description, aliases synonyms, "
        "6 properties (odd, price, since, sold, stock, tags); edges: relation label, 1 property (since)"
    )
