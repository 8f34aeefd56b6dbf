"""Export a graph to networkx: as a graph in memory, or as the JSON that networkx reads."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.properties.values import Value
from graphbrick.graphs.export.blocks import triple_blocks
from graphbrick.graphs.export.columns import PropertyTitles, elements
from graphbrick.graphs.export.entities import entity_records
from graphbrick.graphs.export.place import Export, new_export_text
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.graphs.store.stored import StoredGraph

if TYPE_CHECKING:
    import networkx

_PROGRESS = 1 << 14
# Names of parameters of networkx, and of other attributes.
_OF_NODES = {"id", "label", "types", "description", "aliases", "node_for_adding"}
_OF_EDGES = {"source", "target", "key", "label", "relation", "u_for_edge", "v_for_edge", "u_of_edge", "v_of_edge"}


def to_networkx(graph: StoredGraph) -> networkx.MultiDiGraph[str]:
    """Return a graph as a networkx ``MultiDiGraph`` in memory: about 1 KB for each triple.

    Nodes are keys, with the attributes label, types, description and aliases. The key of an edge is the key of its
    relation; its attribute is label, the relation's label. Of parallel edges of one relation, the second has a key
    such as ``knows (2)``, and the attribute relation. Properties are further attributes; a second kind of one name is
    called such as ``price (text)``. ``graph["kinds"]`` tells the kinds of all, of nodes and of edges.

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
    attributes = _Attributes(graph)
    made: networkx.MultiDiGraph[str] = networkx.MultiDiGraph(**attributes.of_graph())
    for record in entity_records(graph):
        made.add_node(record.key, **attributes.of_node(record, _listed))
    for (source, target, key), edge in attributes.edges(_listed):
        made.add_edge(source, target, key=key, **edge)
    return made


def to_node_link(
    graph: StoredGraph, target: str | PathLike[str], *, overwrite: bool = False, progress: Progress = silent
) -> Path:
    """Write a graph as node-link JSON, which ``networkx.node_link_graph(json.load(file), edges="edges")`` reads.

    networkx reads it as the graph of `to_networkx`, but for dates and date-times, which are texts in JSON. Memory does
    not grow with the graph, and networkx is not needed.

    Args:
        graph: The graph.
        target: The file to make.
        overwrite: Replace a file that is there.
        progress: Called now and then with the name of the step, what is done and the total.

    Raises:
        GraphbrickError: The target exists or cannot be written.
    """
    path, attributes = Path(target), _Attributes(graph)
    with new_export_text(path, overwrite=overwrite) as file:
        of_graph = json.dumps(attributes.of_graph())
        file.write(f'{{"directed": true, "multigraph": true, "graph": {of_graph}, "nodes": [')
        for done, record in enumerate(entity_records(graph), 1):
            row = json.dumps({"id": record.key, **attributes.of_node(record, _plain)})
            file.write(("\n" if done == 1 else ",\n") + row)
            if done % _PROGRESS == 0 or done == graph.n_entities:
                progress("nodes", done, graph.n_entities)
        file.write('\n], "edges": [')
        for done, ((source, to, key), edge) in enumerate(attributes.edges(_plain), 1):
            row = json.dumps({"source": source, "target": to, "key": key, **edge})
            file.write(("\n" if done == 1 else ",\n") + row)
            if done % _PROGRESS == 0 or done == graph.n_triples:
                progress("triples", done, graph.n_triples)
        file.write("\n]}\n")
    return path


EXPORT = Export(to_node_link, takes=("progress",))


class _Attributes:
    """The attributes of the nodes and edges of a graph.

    Args:
        graph: The graph.
    """

    def __init__(self, graph: StoredGraph) -> None:
        self._graph = graph
        self._of_nodes = PropertyTitles(graph, of_triples=False, taken=_OF_NODES)
        self._of_edges = PropertyTitles(graph, of_triples=True, taken=_OF_EDGES)

    def of_graph(self) -> dict[str, Any]:
        """Return the kinds of the properties; empty for a graph without properties."""
        parts = (("nodes", self._of_nodes), ("edges", self._of_edges))
        kinds = {name: {title: key.form for key, title in own.titles.items()} for name, own in parts if own}
        return {"kinds": kinds} if kinds else {}

    def of_node(self, record: EntityRecord, shown: Callable[[Value], Any]) -> dict[str, Any]:
        """Return the attributes of a node."""
        properties = self._of_nodes.items(record.properties)
        return {**_attributes(record), **{title: shown(value) for title, _, value in properties}}

    def edges(self, shown: Callable[[Value], Any]) -> Iterator[tuple[tuple[str, str, str], dict[str, Any]]]:
        """Yield source, target and key, and the attributes of each edge."""
        graph, ends, used = self._graph, (-1, -1), set[str]()
        keys = [graph.relation_key(relation) for relation in range(graph.n_relations)]
        labels = [{"label": graph.relation_label(relation)} for relation in range(graph.n_relations)]
        for block in triple_blocks(graph):
            for head, relation, tail, properties in block.rows(graph):
                if ends != (head, tail):
                    ends = head, tail
                    used.clear()
                key, number = keys[relation], 1
                while key in used:
                    number += 1
                    key = f"{keys[relation]} ({number})"
                used.add(key)
                more: dict[str, Any] = {"relation": keys[relation]} if number > 1 else {}
                more |= {title: shown(value) for title, _, value in self._of_edges.items(properties)}
                yield (graph.key(head), graph.key(tail), key), {**labels[relation], **more}


def _listed(value: Value) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _plain(value: Value) -> Any:
    """Return a value as JSON; infinite numbers as Python's ``json`` writes them."""
    values = [item.isoformat() if isinstance(item, datetime.date) else item for item in elements(value)]
    return values if isinstance(value, tuple) else values[0]


def _attributes(record: EntityRecord) -> dict[str, Any]:
    return {
        "label": record.label,
        "types": list(record.types),
        "description": record.description or "",
        "aliases": list(record.aliases),
    }
