"""Readers of other libraries for `real_graph_files.py`: names, properties and edges of a file, by format."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAMES = "http://www.w3.org/2000/01/rdf-schema#label", "http://www.w3.org/2004/02/skos/core#prefLabel"
NAMES += "http://schema.org/name", "https://schema.org/name", "http://xmlns.com/foaf/0.1/name"
TEXTS = "http://schema.org/description", "https://schema.org/description", "http://purl.org/dc/terms/description"
TEXTS += "http://www.w3.org/2000/01/rdf-schema#comment", "http://www.w3.org/2004/02/skos/core#definition"
TEXTS += ("http://www.w3.org/2004/02/skos/core#altLabel",)
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


@dataclass
class Independent:
    """What another library reads of a file.

    Attributes:
        names: The name of each node by key.
        edges: The different edges, as (head, relation, tail, fields).
        properties: The fields of each node.
    """

    names: dict[str, str] = field(default_factory=dict)
    edges: set[tuple[str, str, str, str]] = field(default_factory=set)
    properties: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, head: object, relation: str, tail: object, fields: object = None) -> None:
        """Add an edge, and its ends."""
        for end in (head, tail):
            self.names.setdefault(str(end), str(end))
        self.edges.add((str(head), relation, str(tail), repr(fields)))

    def answer(self, what: str, name: str, field: str) -> list[str]:
        """Return the answers to a question, sorted."""
        keys = {key for key, label in self.names.items() if label == name}
        if what == "property":
            value = next(self.properties[key][field] for key in keys if field in self.properties[key])
            return [str(int(value) if isinstance(value, float) and value.is_integer() else value)]
        ends = {
            self.names[other]
            for head, relation, tail, _ in self.edges
            for end, other in ((head, tail), (tail, head))
            if relation == field and end in keys and (what == "both" or (end == head) == (not what.endswith("in")))
        }
        return [str(len(ends))] if what.startswith("count") else sorted(ends)


def of_networkx(graph: Any, relation: str, names: tuple[str, ...] = ("label", "name", "title")) -> Independent:
    """Take a graph of networkx."""
    read = Independent()
    for key, fields in graph.nodes(data=True):
        read.names[str(key)] = next((str(fields[name]).strip() for name in names if fields.get(name)), str(key))
        read.properties[str(key)] = fields
    for head, tail, fields in graph.edges(data=True):
        own = {name: value for name, value in fields.items() if name not in ("id", "key")}
        named = str(own.pop("label", None) or "")
        read.add(head, named or relation, tail, sorted(own.items()))
        if not (graph.is_directed() or named):
            read.add(tail, relation, head, sorted(own.items()))
    return read


def gexf(file: Path, relation: str) -> Independent:
    """Read GEXF by networkx."""
    import networkx

    return of_networkx(networkx.read_gexf(file), relation)


def gml(file: Path, relation: str) -> Independent:
    """Read GML by networkx."""
    import networkx

    text = file.read_text(encoding="utf-8")
    if "multigraph" not in text:  # networkx refuses parallel edges unless the file states that there are some
        text = text.replace("graph\n[", "graph\n[\n  multigraph 1", 1)
    return of_networkx(networkx.parse_gml(text, label="id"), relation)


def graphml(file: Path, relation: str) -> Independent:
    """Read GraphML by networkx."""
    import networkx

    return of_networkx(networkx.read_graphml(file, force_multigraph=True), relation)


def node_link(file: Path, relation: str) -> Independent:
    """Read node-link JSON by networkx."""
    import networkx

    value = json.loads(file.read_text(encoding="utf-8"))
    graph = networkx.node_link_graph(value, edges="links" if "links" in value else "edges", multigraph=True)
    return of_networkx(graph, relation)


def positions(file: Path, relation: str) -> Independent:
    """Read node-link JSON whose edges name nodes by position."""
    value = json.loads(file.read_text(encoding="utf-8"))
    read = Independent({str(place): node["name"] for place, node in enumerate(value["nodes"])})
    read.properties = {str(place): node for place, node in enumerate(value["nodes"])}
    for link in value["links"]:
        read.add(link.pop("source"), relation, link.pop("target"), link)
    return read


def plain(file: Path, relation: str) -> Independent:
    """Read JSON whose nodes and edges have captions."""
    value = json.loads(file.read_text(encoding="utf-8"))
    read = Independent({str(node["id"]): node.get("caption", str(node["id"])) for node in value["nodes"]})
    for edge in value["edges"]:
        read.add(edge["source"], edge.get("caption", relation), edge["target"])
    return read


def pajek(file: Path, relation: str) -> Independent:
    """Read Pajek by igraph."""
    import igraph

    graph = igraph.Graph.Read_Pajek(str(file))
    held = next((name for name in ("name", "id") if name in graph.vs.attributes()), None)
    labels = graph.vs[held] if held else [str(n + 1) for n in range(graph.vcount())]
    read = Independent({str(n + 1): str(label) for n, label in enumerate(labels)})
    for edge in graph.es:
        read.add(edge.source + 1, relation, edge.target + 1, edge.attributes())
        if not graph.is_directed():
            read.add(edge.target + 1, relation, edge.source + 1, edge.attributes())
    return read


def igraph_graphml(file: Path, relation: str) -> Independent:
    """Read GraphML by igraph, for files that networkx does not read."""
    import igraph

    graph = igraph.Graph.Read_GraphML(str(file))
    read = Independent({node["id"]: node["id"] for node in graph.vs})
    read.properties = {node["id"]: node.attributes() for node in graph.vs}
    for edge in graph.es:
        ends = [graph.vs[end]["id"] for end in edge.tuple]
        read.add(ends[0], relation, ends[1], edge.attributes())
        if not graph.is_directed():
            read.add(ends[1], relation, ends[0], edge.attributes())
    return read


def obo(file: Path, relation: str) -> Independent:
    """Read OBO by obonet."""
    import obonet

    graph = obonet.read_obo(file, ignore_obsolete=False)
    read = Independent({key: fields.get("name", key) for key, fields in graph.nodes(data=True)})
    for head, tail, key in graph.edges(keys=True):
        read.add(head, key, tail)
    return read


def table(file: Path, relation: str, delimiter: str, header: bool) -> Independent:
    """Read a table of two or three columns by the csv module."""
    read = Independent()
    with file.open(encoding="utf-8-sig", newline="") as lines:
        for row in list(csv.reader(lines, delimiter=delimiter))[header:]:
            if row:
                read.add(row[0].strip(), relation if len(row) == 2 else row[1].strip(), row[-1].strip())
    return read


def sif(file: Path, relation: str) -> Independent:
    """Read SIF by splitting lines."""
    read = Independent()
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip():
            head, name, *tails = line.split("\t") if "\t" in line else line.split()
            for tail in tails:
                read.add(head, name, tail)
    return read


def rdf(file: Path, format_: str) -> Independent:
    """Read RDF by rdflib; statements of names, types and descriptions are not triples of a graph."""
    import rdflib

    warnings.simplefilter("ignore")
    data = rdflib.Dataset(default_union=True)
    data.parse(file, format=format_, publicID=f"file:///{file.name}")
    read = Independent()
    for subject, predicate, value in data.triples((None, None, None)):
        is_literal = isinstance(value, rdflib.Literal)
        head = subject.n3() if isinstance(subject, rdflib.BNode) else str(subject)
        read.names.setdefault(head, _local(head))
        if str(predicate) in (*NAMES, *TEXTS) and is_literal:
            if str(predicate) in NAMES and (value.language in (None, "en") or read.names[head] == _local(head)):
                read.names[head] = str(value)
        elif str(predicate) != TYPE:
            tail = value.n3() if is_literal or isinstance(value, rdflib.BNode) else str(value)
            read.add(head, _local(str(predicate)), tail)
            read.names[tail] = str(value) if is_literal else read.names[tail]
            for end in (head, tail):
                read.names[end] = _local(end) if read.names[end] == end and not is_literal else read.names[end]
    return read


def _local(iri: str) -> str:
    return iri.rstrip("/#").replace("#", "/").rpartition("/")[2] or iri


READERS: dict[str, Callable[[Path, str], Independent]] = {
    "gexf": gexf,
    "gml": gml,
    "graphml": graphml,
    "node-link": node_link,
    "positions": positions,
    "plain": plain,
    "igraph": igraph_graphml,
    "pajek": pajek,
    "obo": obo,
    "sif": sif,
    "tsv": lambda file, relation: table(file, relation, "\t", header=False),
    "csv": lambda file, relation: table(file, relation, ",", header=True),
    **{name: lambda file, relation, name=name: rdf(file, name) for name in ("nquads", "nt", "turtle", "xml", "trig")},
}
