"""GEXF 1.2 and 1.3, as Gephi and networkx write it."""

from __future__ import annotations

import datetime
from pathlib import Path

import networkx
import pytest
from faults import fails
from graph_files import ENDS, read_file

from graphbrick import EntityRecord, build
from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.formats.elements import BOTH_WAYS, ONE_WAY

FULL = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3">
  <meta lastmodifieddate="2024-01-01"><creator>Ann</creator><description>A web</description></meta>
  <graph defaultedgetype="directed" mode="dynamic" timeformat="date">
    <attributes class="node" mode="static">
      <attribute id="0" title="url" type="string"/>
      <attribute id="1" title="indegree" type="float"><default>1.5</default></attribute>
      <attribute id="2" title="frog" type="boolean"/>
      <attribute id="3" title="topics" type="liststring"/>
      <attribute id="4" title="years" type="listinteger"/>
      <attribute id="5" title="opened" type="date"/>
      <attribute id="6" title="hits" type="long"/>
    </attributes>
    <attributes class="edge" mode="dynamic"><attribute id="0" title="strength" type="integer"/></attributes>
    <nodes>
      <node id="0" label="Gephi" start="2009-01-01">
        <attvalues>
          <attvalue for="0" value="https://gephi.org"/><attvalue for="2" value="true"/>
          <attvalue for="3" value="[a, &quot;b, c&quot;]"/><attvalue for="4" value="[2019, 2020]"/>
          <attvalue for="5" value="2009-03-01"/><attvalue for="6" value="many"/>
        </attvalues>
        <viz:color r="239" g="173" b="66"/><viz:size value="2.0"/>
        <spells><spell start="2009-01-01" end="2009-03-01"/></spells>
      </node>
      <node id="1" label="Webatlas" pid="0"><attvalues><attvalue for="3" value="x|y"/></attvalues>
        <nodes><node id="1a" label="Inner"/></nodes>
      </node>
    </nodes>
    <edges>
      <edge id="0" source="0" target="1" kind="links" label="first" weight="2.5">
        <attvalues><attvalue for="0" value="1" start="2009-01-01"/><attvalue for="0" value="4"/></attvalues>
      </edge>
      <edge id="1" source="1" target="0" label="cites" type="undirected"/>
      <edge source="1" target="9"/>
    </edges>
  </graph>
</gexf>
"""


def test_attributes_times_and_edges_of_a_file_with_all_features(tmp_path: Path) -> None:
    read = read_file(tmp_path / "web.gexf", FULL)
    assert read.nodes == {
        "0": EntityRecord(
            "0",
            "Gephi",
            properties={
                "indegree": 1.5,
                "url": "https://gephi.org",
                "frog": True,
                "topics": ("a", "b, c"),
                "years": (2019, 2020),
                "opened": datetime.date(2009, 3, 1),
                "hits": "many",
            },
        ),
        "1": EntityRecord("1", "Webatlas", properties={"indegree": 1.5, "topics": ("x", "y")}),
        "1a": EntityRecord("1a", "Inner", properties={"indegree": 1.5}),
    }
    assert read.edges == [
        ("0", "links", "1", {"label": "first", "weight": 2.5, "strength": 4}),
        ("1", "cites", "0", {}),
        ("1", "related to", "9", {}),
    ]
    assert read.left_out == {
        "attributes of the graph": 2,
        "values that are not of the type that the file declares, kept as texts": 1,
        "elements of the drawing": 2,
        "times at which nodes, edges and values are valid": 4,
        "parents of nodes": 2,
        "ids of edges": 2,
        "earlier values of attributes that change in time": 1,
        ONE_WAY: 1,
        ENDS: 1,
    }


def test_files_of_networkx(tmp_path: Path) -> None:
    graph = networkx.les_miserables_graph()
    for number, node in enumerate(graph):
        graph.nodes[node]["group"] = number % 3
    networkx.write_gexf(graph, tmp_path / "x.gexf")
    read = read_file(tmp_path / "x.gexf")
    assert {node.label: dict(node.properties) for node in read.nodes.values()} == dict(graph.nodes(data=True))
    assert {frozenset((head, tail)): fields for head, _, tail, fields in read.edges} == {
        frozenset((head, tail)): {"weight": float(fields["weight"])} for head, tail, fields in graph.edges(data=True)
    }
    assert read.left_out == {
        "ids of edges": 254,
        BOTH_WAYS: 254,
        "attributes of the graph": 1,
    }


def test_gexf_in_an_xml_file_is_read_as_such(tmp_path: Path) -> None:
    (tmp_path / "web.xml").write_text(FULL)
    assert build(tmp_path / "web.xml", tmp_path / "web.graph").n_triples == 3


def document(body: str) -> str:
    return f"<gexf><graph>{body}</graph></gexf>"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<graphml/>", "xml.wrong_root"),
        (FULL[:1700], "xml.truncated"),
        (document('<nodes><node label="a"/></nodes>'), "gexf.no_id"),
        (document('<nodes><node id="a"/></nodes><edges><edge target="a"/></edges>'), "gexf.no_end"),
        (document('<nodes><node id="a"><attvalue value="1"/></node></nodes>'), "gexf.no_attribute"),
        ('<!DOCTYPE gexf [<!ENTITY a "b">]>' + document(""), "xml.entity"),
    ],
)
def test_a_fault_has_a_code(tmp_path: Path, text: str, code: str) -> None:
    with fails(code, InputError):
        read_file(tmp_path / "x.gexf", text)
