"""Export a graph to GraphML, which networkx, igraph, Gephi, yEd and Cytoscape read."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from graphbrick.graphs.export.blocks import Step, silent, triple_blocks, writable
from graphbrick.graphs.export.entities import entity_records
from graphbrick.graphs.export.place import Export, new_export_text
from graphbrick.graphs.store.stored import StoredGraph

_PROGRESS = 1 << 14
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
 <key id="label" for="all" attr.name="label" attr.type="string"/>
 <key id="types" for="node" attr.name="types" attr.type="string"/>
 <key id="description" for="node" attr.name="description" attr.type="string"/>
 <key id="aliases" for="node" attr.name="aliases" attr.type="string"/>
 <key id="relation" for="edge" attr.name="relation" attr.type="string"/>
 <graph edgedefault="directed">
"""


def to_graphml(
    graph: StoredGraph, target: str | PathLike[str], *, overwrite: bool = False, progress: Step = silent
) -> Path:
    """Write a graph as a GraphML file; memory does not grow with the graph.

    The id of a node is its key; its attributes are label, types, description and aliases, of which several are joined
    by semicolons. The attributes of an edge are relation, which is the relation's key, and label. Characters that XML
    cannot hold become question marks.

    Args:
        graph: The graph.
        target: The file to make.
        overwrite: Replace a file that is there.
        progress: Called now and then with the name of the step, what is done and the total.

    Raises:
        GraphbrickError: The target exists or cannot be written.
    """
    path = Path(target)
    with new_export_text(path, overwrite=overwrite) as file:
        file.write(_HEADER)
        for done, record in enumerate(entity_records(graph), 1):
            facts = {
                "label": record.label,
                "types": ";".join(record.types),
                "description": record.description,
                "aliases": ";".join(record.aliases),
            }
            data = "".join(_data(name, text) for name, text in facts.items() if text)
            file.write(f"  <node id={quoteattr(_text(record.key))}>{data}</node>\n")
            if done % _PROGRESS == 0 or done == graph.n_entities:
                progress("nodes", done, graph.n_entities)
        between = [
            _data("relation", graph.relation_key(relation)) + _data("label", graph.relation_label(relation))
            for relation in range(graph.n_relations)
        ]
        done = 0
        for block in triple_blocks(graph):
            for head, relation, tail in zip(*(part.tolist() for part in block), strict=True):
                ends = (quoteattr(_text(graph.key(end))) for end in (head, tail))
                file.write("  <edge source={} target={}>{}</edge>\n".format(*ends, between[relation]))
            done += len(block.heads)
            progress("triples", done, graph.n_triples)
        file.write(" </graph>\n</graphml>\n")
    return path


EXPORT = Export(to_graphml, takes=("progress",))


def _data(name: str, text: str | None) -> str:
    return f'<data key="{name}">{escape(_text(text or ""), {chr(13): "&#13;"})}</data>'


def _text(text: str) -> str:
    return _NOT_XML.sub("?", writable(text))
