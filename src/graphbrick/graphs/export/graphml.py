"""Export a graph to GraphML, which networkx, igraph, Gephi, yEd and Cytoscape read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from graphbrick.core.compute import Progress, silent
from graphbrick.core.properties.values import Kind, Properties, Scalar, Value, json_value, value_text
from graphbrick.graphs.export.blocks import triple_blocks, writable
from graphbrick.graphs.export.columns import PropertyTitles
from graphbrick.graphs.export.entities import entity_records
from graphbrick.graphs.export.place import Export, new_export_text, tell_left_out
from graphbrick.graphs.records.columns import ColumnKey
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store.stored import StoredGraph

_PROGRESS = 1 << 14
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BEGIN = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
 <key id="label" for="node" attr.name="label" attr.type="string"/>
 <key id="types" for="node" attr.name="types" attr.type="string"/>
 <key id="description" for="node" attr.name="description" attr.type="string"/>
 <key id="aliases" for="node" attr.name="aliases" attr.type="string"/>
 <key id="relation" for="edge" attr.name="relation" attr.type="string"/>
 <key id="relation_label" for="edge" attr.name="label" attr.type="string"/>
"""
_TYPES = {Kind.INTEGER: "long", Kind.NUMBER: "double", Kind.BOOLEAN: "boolean"}
# Names of parameters of networkx and of attributes of igraph, which cannot be those of properties.
_TAKEN = {
    False: {"id", "label", "types", "description", "aliases", "node_for_adding"},
    True: {"id", "label", "relation", "key", "source", "target", "u_for_edge", "v_for_edge", "u_of_edge", "v_of_edge"},
}
_LISTS = "lists, which other programs read as JSON texts"
_DATES = "dates and date-times, which other programs read as texts"
_REPLACED = "texts with characters that XML cannot hold, written as question marks"


def to_graphml(
    graph: StoredGraph,
    target: str | PathLike[str],
    *,
    overwrite: bool = False,
    progress: Progress = silent,
    left_out: LeftOut | None = None,
) -> Path:
    """Write a graph as a GraphML file; memory does not grow with the graph.

    The id of a node is its key; its attributes are label, types, description and aliases, of which several are joined
    by semicolons. The attributes of an edge are relation, which is the relation's key, and label. Each property is an
    attribute too; a second kind of one name is called such as ``price (text)``. Dates are texts, and lists are arrays
    of JSON; ``graphbrick.kind`` of their key, which other programs ignore, tells what they are. Characters that XML
    cannot hold become question marks.

    Args:
        graph: The graph.
        target: The file to make.
        overwrite: Replace a file that is there.
        progress: Called now and then with the name of the step, what is done and the total.
        left_out: Receives what the file cannot hold, or other programs read otherwise.

    Raises:
        GraphbrickError: The target exists or cannot be written.
    """
    path, left_out = Path(target), LeftOut() if left_out is None else left_out
    writer = _Writer(graph, left_out)
    with new_export_text(path, overwrite=overwrite) as file:
        file.write(_BEGIN)
        file.writelines(writer.keys())
        file.write(' <graph edgedefault="directed">\n')
        for done, line in enumerate(writer.nodes(), 1):
            file.write(line)
            if done % _PROGRESS == 0 or done == graph.n_entities:
                progress("nodes", done, graph.n_entities)
        for done, lines in writer.edges():
            file.write(lines)
            progress("triples", done, graph.n_triples)
        file.write(" </graph>\n</graphml>\n")
    tell_left_out(left_out)
    return path


EXPORT = Export(to_graphml, takes=("progress", "left_out"))


class _Writer:
    """Writer of the elements of a graph.

    Args:
        graph: The graph.
        left_out: Receives what the file cannot hold.
    """

    def __init__(self, graph: StoredGraph, left_out: LeftOut) -> None:
        self._graph, self._left_out = graph, left_out
        self._of_nodes, self._of_edges = (
            PropertyTitles(graph, of_triples=of_triples, taken=taken) for of_triples, taken in _TAKEN.items()
        )
        self._ids = {
            (letter, title): f"{letter}{place}"
            for letter, own in (("n", self._of_nodes), ("e", self._of_edges))
            for place, title in enumerate(own.titles.values())
        }

    def keys(self) -> Iterator[str]:
        """Yield the declarations of properties."""
        for letter, of, own in (("n", "node", self._of_nodes), ("e", "edge", self._of_edges)):
            for column, title in own.titles.items():
                name, form = quoteattr(self._text(title)), f'graphbrick.kind="{column.form}"'
                yield f' <key id="{self._ids[letter, title]}" for="{of}" attr.name={name} {_type(column)} {form}/>\n'

    def nodes(self) -> Iterator[str]:
        """Yield the element of each node."""
        for record in entity_records(self._graph):
            facts = {
                "label": record.label,
                "types": ";".join(record.types),
                "description": record.description,
                "aliases": ";".join(record.aliases),
            }
            data = "".join(self._data(name, text) for name, text in facts.items() if text)
            data += self._properties("n", self._of_nodes, record.properties)
            yield f"  <node id={quoteattr(self._text(record.key))}>{data}</node>\n"

    def edges(self) -> Iterator[tuple[int, str]]:
        """Yield the number of edges so far, and the elements of a block of edges."""
        graph, done = self._graph, 0
        between = [
            self._data("relation", graph.relation_key(relation))
            + self._data("relation_label", graph.relation_label(relation))
            for relation in range(graph.n_relations)
        ]
        for block in triple_blocks(graph):
            lines = []
            for head, relation, tail, properties in block.rows(graph):
                source, target = (quoteattr(self._text(graph.key(end))) for end in (head, tail))
                data = between[relation]
                if properties:
                    data += self._properties("e", self._of_edges, properties)
                lines.append(f"  <edge source={source} target={target}>{data}</edge>\n")
            done += len(lines)
            yield done, "".join(lines)

    def _properties(self, letter: str, own: PropertyTitles, properties: Properties) -> str:
        parts = []
        for title, column, value in own.items(properties):
            if column.is_list:
                self._left_out.add(_LISTS, title)
            elif column.kind in (Kind.DATE, Kind.DATETIME):
                self._left_out.add(_DATES, title)
            parts.append(self._data(self._ids[letter, title], _value_text(value)))
        return "".join(parts)

    def _data(self, name: str, text: str | None) -> str:
        return f'<data key="{name}">{escape(self._text(text or ""), {chr(13): "&#13;"})}</data>'

    def _text(self, text: str) -> str:
        written = _NOT_XML.sub("?", writable(text))
        if written != text:
            self._left_out.add(_REPLACED, written[:40])
        return written


def _type(column: ColumnKey) -> str:
    """Return the attributes that state the type of a property."""
    assert column.kind is not None
    name = _TYPES.get(column.kind, "string")
    return f'attr.type="string" attr.list="{name}"' if column.is_list else f'attr.type="{name}"'


def _value_text(value: Value) -> str:
    if isinstance(value, tuple):
        return json.dumps(list(map(_json, value)), ensure_ascii=False)
    return str(_json(value)) if isinstance(value, float) else value_text(value)


def _json(value: Scalar) -> object:
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return json_value(value)
