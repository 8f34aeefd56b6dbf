"""Nested communities kept beside a graph."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from commands import Run, refused
from faults import fails
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick import Graph, build
from graphbrick.core.errors import GraphFormatError
from graphbrick.graphs.communities import (
    CommunityTree,
    communities_of,
    communities_place,
    find_communities,
    keep_communities,
    leiden_tree,
)


def tree_of(graph: nx.Graph, size: int, seed: int = 0) -> CommunityTree:
    edges = np.array(list(graph.edges), dtype=np.int64).reshape(-1, 2)
    return leiden_tree(edges[:, 0], edges[:, 1], np.ones(len(edges)), size, seed)


def check(tree: CommunityTree, connected: set[int]) -> None:
    """Every level is a partition of the connected nodes; parts lie in the community that they are parts of."""
    for level in range(tree.levels + 1):
        members = [node for community in tree.at_level(level) for node in tree.members(community).tolist()]
        assert sorted(members) == sorted(connected)
    for community in range(len(tree)):
        children = tree.children(community)
        parts = [node for child in children for node in tree.members(child).tolist()]
        assert not children or sorted(parts) == tree.members(community).tolist()
        assert all(tree.level[child] == tree.level[community] + 1 for child in children)
        assert all(tree.parent[child] == community for child in children)


@settings(max_examples=30)
@given(st.sets(st.tuples(st.integers(0, 25), st.integers(0, 25)), max_size=70), st.integers(2, 8), st.integers(0, 3))
def test_levels_are_partitions_of_all_components(edges: set[tuple[int, int]], size: int, seed: int) -> None:
    graph = nx.Graph([edge for edge in edges if edge[0] != edge[1]])
    check(tree_of(graph, size, seed), set(graph.nodes))


def test_modularity_is_not_below_that_of_louvain_by_much() -> None:
    club = nx.karate_club_graph()
    tree = tree_of(club, 34)
    check(tree, set(club.nodes))
    found = [set(tree.members(community).tolist()) for community in tree.children(-1)]
    louvain = nx.community.louvain_communities(club, weight=None, seed=1)
    modularity = nx.community.modularity
    assert modularity(club, found, weight=None) >= modularity(club, louvain, weight=None) - 0.02


def test_large_communities_are_divided_and_the_seed_decides() -> None:
    ring = nx.connected_caveman_graph(8, 6)
    tree = tree_of(ring, 6)
    assert max(len(tree.members(community)) for community in tree.at_level(tree.levels)) == 6
    assert tree.identity == tree_of(ring, 6).identity


def test_weights_count() -> None:
    head, tail = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 0])  # a ring of four
    for weight, expected in (((9, 1, 9, 1), [[0, 1], [2, 3]]), ((1, 9, 1, 9), [[0, 3], [1, 2]])):
        tree = leiden_tree(head, tail, np.array(weight, dtype=np.float64), 10, 0)
        assert [tree.members(community).tolist() for community in tree.children(-1)] == expected


@pytest.fixture
def clubs(tmp_path: Path) -> Graph:
    inside = [
        (f"{club}{i}", "knows", f"{club}{j}") for club in ("fox", "owl", "bee") for i in range(6) for j in range(i)
    ]
    return build([*inside, ("fox0", "met", "owl0"), ("hermit", "knows", "hermit")], tmp_path / "clubs.graph")


def test_communities_are_kept_beside_the_graph(clubs: Graph, run: Run) -> None:
    with fails("communities.missing", command=f"graphbrick prepare communities {clubs.path}"):
        communities_of(clubs)
    result = run("prepare", "communities", clubs.path, "--json")
    printed = json.loads(result.out)
    assert (printed["levels"], printed["without"]) == ([3], 1)  # the hermit is in none
    kept = communities_of(clubs)
    names = [{clubs.label(int(node))[:3] for node in kept.members(community)} for community in range(3)]
    assert sorted(names, key=sorted) == [{"bee"}, {"fox"}, {"owl"}]
    check(kept, set(range(clubs.n_entities)) - {clubs.entity("hermit")})


def test_other_parameters_take_the_place_of_what_was_kept(clubs: Graph) -> None:
    keep_communities(clubs, find_communities(clubs), {})
    assert len(communities_of(clubs)) == 3
    tree, number = CommunityTree.of({7: [0, 1], 5: [0, 1, 2]}, {5: None, 7: 5})
    assert number == {5: 0, 7: 1}
    keep_communities(clubs, tree, {})
    assert (len(communities_of(clubs)), communities_of(clubs).levels) == (2, 2)


def test_damaged_communities_are_an_error(clubs: Graph) -> None:
    keep_communities(clubs, find_communities(clubs), {})
    file = communities_place(clubs).folder / "member.npy"
    file.write_bytes(file.read_bytes()[:-8])
    with fails("communities.damaged", GraphFormatError) as caught:
        communities_of(clubs)
    assert "member.npy" in str(caught.value.values["reason"])


@pytest.mark.parametrize("parents", [{0: 1, 1: 0}, {0: 7, 1: None}])
def test_parents_that_lead_nowhere_are_an_error(parents: dict[int, int | None]) -> None:
    with pytest.raises(ValueError, match="do not lead to level 0"):
        CommunityTree.of({0: [1], 1: [2]}, parents)


@pytest.mark.parametrize(
    "wrong", [{"resolution": 0.0}, {"resolution": float("nan")}, {"size": 0}, {"seed": -1}, {"seed": 2**70}]
)
def test_parameters_out_of_range_are_errors_in_words(clubs: Graph, wrong: dict[str, float]) -> None:
    with fails("communities.bad_resolution" if "resolution" in wrong else "communities.bad_number"):
        find_communities(clubs, **wrong)  # type: ignore[arg-type]


def test_a_size_below_two_is_refused(clubs: Graph, run: Run) -> None:
    refused(run("prepare", "communities", clubs.path, "--size", "1"), "--size")
