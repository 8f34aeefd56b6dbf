"""Export a graph to networkx: as a graph in memory, or as the JSON that networkx reads."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.export.blocks import triple_blocks
from graphbrick.graphs.export.entities import entity_records
from graphbrick.graphs.export.place import Export, new_export_text
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.graphs.store.stored import StoredGraph

if TYPE_CHECKING:
    import networkx

_PROGRESS = 1 << 14


def to_networkx(graph: StoredGraph) -> networkx.MultiDiGraph[str]:
    """Return a graph as a networkx ``MultiDiGraph`` in memory: about 1 KB for each triple.

    Nodes are keys, with the attributes label, types, description and aliases. The key of an edge is the key of its
    relation; its attribute is label, the relation's label.

    Raises:
        GraphbrickError: networkx is not installed.

    >>> from graphbrick.testing import tiny_graph
    >>> to_networkx(tiny_graph())["Kenya"]["Nairobi"]
    AtlasView({'capital': {'label': 'capital'}})
    """
    try:
        import networkx
    except ImportError as error:
        text = "this export needs networkx: pip install networkx"
        raise GraphbrickError(text, code="export.needs_networkx") from error
    made: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    for record in entity_records(graph):
        made.add_node(record.key, **_attributes(record))
    for block in triple_blocks(graph):
        for head, relation, tail in zip(*(part.tolist() for part in block), strict=True):
            label = graph.relation_label(relation)
            made.add_edge(graph.key(head), graph.key(tail), key=graph.relation_key(relation), label=label)
    return made


def to_node_link(
    graph: StoredGraph, target: str | PathLike[str], *, overwrite: bool = False, progress: Progress = silent
) -> Path:
    """Write a graph as node-link JSON, which ``networkx.node_link_graph(json.load(file), edges="edges")`` reads.

    networkx reads it as the graph of `to_networkx`. Memory does not grow with the graph, and networkx is not needed.

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
        file.write('{"directed": true, "multigraph": true, "graph": {}, "nodes": [')
        for done, record in enumerate(entity_records(graph), 1):
            row = json.dumps({"id": record.key, **_attributes(record)})
            file.write(("\n" if done == 1 else ",\n") + row)
            if done % _PROGRESS == 0 or done == graph.n_entities:
                progress("nodes", done, graph.n_entities)
        file.write('\n], "edges": [')
        done = 0
        for block in triple_blocks(graph):
            for head, relation, tail in zip(*(part.tolist() for part in block), strict=True):
                edge = {"source": graph.key(head), "target": graph.key(tail), "key": graph.relation_key(relation)}
                row = json.dumps({**edge, "label": graph.relation_label(relation)})
                file.write(("\n" if not done else ",\n") + row)
                done += 1
            progress("triples", done, graph.n_triples)
        file.write("\n]}\n")
    return path


EXPORT = Export(to_node_link, takes=("progress",))


def _attributes(record: EntityRecord) -> dict[str, Any]:
    return {
        "label": record.label,
        "types": list(record.types),
        "description": record.description or "",
        "aliases": list(record.aliases),
    }
