"""Agents search with the index of embeddings that is beside a graph, and say so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from faults import told

from graphbrick import Graph, MiniLM, Subgraph, build, change
from graphbrick.bricks.agents.agent_tool import AdviceError
from graphbrick.bricks.agents.tools.find import retrieve_node, search
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.core.files.digests import sealed
from graphbrick.core.session import Session
from graphbrick.core.trace import Trace, record
from graphbrick.models.indexes.entity_search import entity_search
from graphbrick.models.indexes.vector_index import build_index, folder_of
from graphbrick.testing import TINY

pytest.importorskip("faiss")
MONEY = "money"  # no name in the graph resembles it


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    with Session():
        yield build(TINY, tmp_path / "tiny.graph")


def found(graph: Graph, text: str, n: int) -> tuple[list[str], list[str]]:
    """Return the names that the tool search gives, and the events of the trace."""
    work, trace = Workspace("?", Subgraph(graph)), Trace()
    with record(trace, "search", "tool"):
        nodes = search.function(work, text=text, n=n).nodes or ()
    return [graph.label(node) for node in nodes], trace.events


@pytest.mark.whole
def test_search_finds_by_meaning_where_the_graph_has_an_index(graph: Graph) -> None:
    with pytest.raises(AdviceError, match="nothing is called"):
        found(graph, MONEY, 2)
    build_index(graph, MiniLM(), "entity")
    with Session():
        names, events = found(graph, MONEY, 2)
        assert any("shilling" in name.lower() for name in names)
        assert events == ["searched by name, and by embedding in the index of MiniLM()"]
        nearest = retrieve_node.function(Workspace("?", Subgraph(graph)), text=MONEY)
        assert "shilling" in nearest.text.lower()


@pytest.mark.whole
def test_a_name_comes_before_what_is_near_by_embedding(graph: Graph) -> None:
    build_index(graph, MiniLM(), "entity")
    with Session():
        for name in ("Kenya", "nairobi", "Kigali"):
            names, _ = found(graph, name, 3)
            assert names[0].lower() == name.lower()
            assert len(names) == len(set(names)) == 3


@pytest.mark.whole
def test_only_nodes_of_the_subgraph_are_found(graph: Graph) -> None:
    build_index(graph, MiniLM(), "entity")
    triples = np.array(graph.triples_from(graph.entity("Kenya")), dtype=np.int32)
    nodes = np.unique(np.append(graph.csr.tail[triples], graph.entity("Kenya"))).astype(np.int32)
    part = Subgraph(graph, nodes, triples)
    with Session():
        work = Workspace("?", part)
        found_nodes = search.function(work, text="city", n=10).nodes
    assert set(found_nodes or ()) == set(nodes.tolist())


@pytest.mark.whole
def test_an_index_of_another_model_is_not_used(graph: Graph) -> None:
    build_index(graph, MiniLM(), "entity")
    file = folder_of(graph, MiniLM(), "entity").folder / "facts.json"
    file.write_text(json.dumps(sealed(json.loads(file.read_text()) | {"model": "another"})))
    with Session():
        names, events = found(graph, "Kenya", 1)
    assert names == ["Kenya"]
    assert told(events)[0][0] == "entity_search.unusable_index"
    assert "'another'" in told(events)[0][1]["reason"]


@pytest.mark.whole
def test_an_index_is_used_after_a_small_change_but_none_is_made(tmp_path: Path) -> None:
    triples = [(f"place {i}", "next", f"place {i + 1}") for i in range(40)]
    with Session():
        graph = build([*triples, *TINY], tmp_path / "g.graph")
        build_index(graph, MiniLM(), "entity")
        change(graph.path, add=[("Kenya", "likes", "money")])
        changed = Graph.open(graph.path)
        names, events = found(changed, MONEY, 2)
        assert "money" in names  # new, so it was added to the index of before
        assert any("searched by name, and by embedding" in text for text in events)
        other = build([("a", "b", "c")], tmp_path / "other.graph")
        assert entity_search(other) is None
        assert not (tmp_path / "other.graph.index").exists()
