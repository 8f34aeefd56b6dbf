from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from faults import told

from graphbrick.bricks.extract import connect
from graphbrick.bricks.extract.connect import connected, parts_of
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph


def joined(graph: Graph, *names: str) -> tuple[list[str], StageTrace]:
    nodes = np.array(sorted(map(graph.entity, names)), dtype=np.int32)
    with record(Trace(), "Test()", "extract") as entry:
        found = connected(graph, nodes)
    assert found.dtype == np.int32
    assert (np.diff(found) > 0).all()
    return sorted(graph.label(int(node)) for node in found), entry


def chain(*names: str) -> list[tuple[str, str, str]]:
    return [(a, "next", b) for a, b in pairwise(names)]


def test_parts_are_the_components_of_the_subgraph(tmp_path: Path) -> None:
    graph = build([*chain("a", "b", "c", "d"), ("e", "r", "e")], tmp_path / "g.graph")
    nodes = np.array([graph.entity(name) for name in "abde"], dtype=np.int32)
    assert [[graph.label(int(i)) for i in part] for part in parts_of(graph, nodes)] == [["a", "b"], ["d"], ["e"]]
    assert parts_of(graph, nodes[:0]) == []


def test_the_shortest_link_is_taken_in_either_direction(tmp_path: Path) -> None:
    triples = [*chain("a", "x", "b"), *chain("b", "y", "z", "a"), *chain("c", "w", "b")]
    graph = build(triples, tmp_path / "g.graph")
    found, entry = joined(graph, "a", "b", "c")
    assert found == ["a", "b", "c", "w", "x"]
    assert entry.facts == {"entities_between": 2}
    assert entry.events == []


def test_links_meet_in_what_was_added(tmp_path: Path) -> None:
    # Three ends of a star: the second link ends at the middle that the first one added.
    graph = build([("hub", "has", name) for name in "abc"], tmp_path / "g.graph")
    found, entry = joined(graph, "a", "b", "c")
    assert found == ["a", "b", "c", "hub"]
    assert entry.facts == {"entities_between": 1}


def test_what_is_connected_or_empty_stays(tmp_path: Path) -> None:
    graph = build(chain("a", "b", "c"), tmp_path / "g.graph")
    assert joined(graph, "a", "b")[0] == ["a", "b"]
    assert joined(graph, "a")[0] == ["a"]
    assert joined(graph)[0] == []


def test_what_cannot_be_connected_is_an_event(tmp_path: Path) -> None:
    triples = [*chain("a", "x", "b"), *chain("c", "d"), ("hermit", "is", "hermit")]
    graph = build(triples, tmp_path / "g.graph")
    found, entry = joined(graph, "a", "b", "c", "hermit")
    assert found == ["a", "b", "c", "hermit", "x"]
    assert told(entry.events) == [("connect.parts_apart", {"n": 3})]


def test_the_search_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = build(chain(*(f"n{i}" for i in range(50))), tmp_path / "g.graph")
    assert len(joined(graph, "n0", "n49")[0]) == 50
    for name in ("_LOOKED_AT", "_IN_ALL"):
        with monkeypatch.context() as patch:
            patch.setattr(connect, name, 20)
            found, entry = joined(graph, "n0", "n2", "n49")
        assert found in (["n0", "n1", "n2", "n49"], ["n0", "n2", "n49"])
        assert told(entry.events)[0][0] == "connect.parts_apart"


def test_a_part_that_gave_up_is_met_by_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The lonely hub is the smallest part and its row too long to look at; the pair finds it from the other side.
    spokes = [("hub", "has", f"s{i:02}") for i in range(40)]
    graph = build([*spokes, *chain("p", "q", "s39")], tmp_path / "g.graph")
    monkeypatch.setattr(connect, "_LOOKED_AT", 10)
    found, entry = joined(graph, "hub", "p", "q")
    assert found == ["hub", "p", "q", "s39"]
    assert entry.events == []


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(25))
def test_no_more_is_added_than_twice_the_fewest(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    triples = [(f"n{a}", "r", f"n{b}") for a, b in rng.integers(0, 60, (90, 2))]
    graph = build(triples, tmp_path / "g.graph")
    other = nx.Graph((head, tail) for head, _, tail in triples)
    chosen = [str(name) for name in rng.choice(sorted(other), size=5, replace=False)]
    found, entry = joined(graph, *chosen)
    assert set(chosen) <= set(found)
    # What the graph connects is connected, and what it does not is told.
    groups = {frozenset(nx.node_connected_component(other, name)) for name in chosen}
    assert nx.number_connected_components(other.subgraph(found)) == len(groups)
    assert bool(entry.events) == (len(groups) > 1)
    for group in groups:
        ends = sorted(group & set(chosen))
        ways = nx.Graph()
        ways.add_nodes_from(ends)
        pairs = ((a, b, nx.shortest_path_length(other, a, b)) for a in ends for b in ends if a < b)
        ways.add_weighted_edges_from(pairs)
        triples_of_tree = nx.minimum_spanning_tree(ways).size(weight="weight")
        assert len(group & set(found)) - 1 <= triples_of_tree
