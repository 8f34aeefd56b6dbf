"""What "each" seed by itself gives, for the bricks that can start from their seeds together or one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from faults import fails

from graphbrick.bricks.extract.k_hop import KHop
from graphbrick.bricks.extract.page_rank import PageRank
from graphbrick.bricks.extract.ppr import PPR
from graphbrick.bricks.extract.seeds import best, groups
from graphbrick.core import Query, Subgraph
from graphbrick.core.errors import PipelineError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.kernels.paths.induced import induced_triples
from graphbrick.testing import check_brick, tiny_graph

Brick = PPR | PageRank | KHop
BRICKS: list[Brick] = [
    PPR(k=5, tolerance=1e-9), PPR(k=3, direction="out"), PageRank(k=5, max_hops=2), KHop(cap=5), KHop(max_hops=1)
]  # fmt: skip


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    rng = np.random.default_rng(3)
    ends = rng.integers(0, 60, (150, 2))
    triples = [(f"e{h}", f"r{rng.integers(2)}", f"e{t}") for h, t in ends]
    return build(triples, tmp_path_factory.mktemp("each") / "each.graph")


def nodes_of(subgraph: Subgraph) -> set[int]:
    assert subgraph.nodes is not None
    return set(subgraph.nodes.tolist())


@pytest.mark.parametrize("brick", BRICKS, ids=repr)
def test_each_is_the_union_of_what_every_seed_gives(graph: Graph, brick: Brick) -> None:
    each = replace(brick, seeds="each")
    for seeds in [(0, 1), (7, 3, 20), (50,)]:
        subgraph = each.extract(graph, Query("?", seeds=seeds))
        apart = [brick.extract(graph, Query("?", seeds=(seed,))) for seed in seeds]
        assert nodes_of(subgraph) == set().union(*map(nodes_of, apart))
        assert subgraph.nodes is not None
        assert subgraph.nodes.dtype == np.int32
        assert subgraph.triples is not None
        among = induced_triples(graph.csr.rows, subgraph.nodes)
        assert subgraph.triples.tolist() == among.tolist()
    together = brick.extract(graph, Query("?", seeds=(7, 3, 20)))
    assert len(nodes_of(together)) <= max(3, getattr(brick, "k", getattr(brick, "cap", 0)))


@pytest.mark.parametrize("brick", [*BRICKS, *(replace(brick, seeds="each") for brick in BRICKS)], ids=repr)
def test_seeds_are_kept_in_any_order_once(graph: Graph, brick: Brick) -> None:
    found = [brick.extract(graph, Query("?", seeds=seeds)) for seeds in [(7, 3, 20), (20, 7, 3), (3, 20, 7, 3)]]
    assert {3, 7, 20} <= nodes_of(found[0])
    assert nodes_of(found[0]) == nodes_of(found[1]) == nodes_of(found[2])


@pytest.mark.parametrize("brick", [*BRICKS, *(replace(brick, seeds="each") for brick in BRICKS)], ids=repr)
def test_without_a_seed_in_the_graph_nothing_is_found(graph: Graph, brick: Brick) -> None:
    for seeds in [(), (-1,), (graph.n_entities, 10**6)]:
        subgraph = brick.extract(graph, Query("?", seeds=seeds))
        assert (subgraph.n_nodes, subgraph.n_triples, subgraph.is_whole) == (0, 0, False)


def test_k_is_for_every_seed() -> None:
    graph = tiny_graph()
    query = Query("?", seeds=(graph.entity("Nairobi"), graph.entity("Kigali")))
    together, each = (PPR(k=2, seeds=seeds).extract(graph, query) for seeds in ("together", "each"))
    assert nodes_of(together) == set(query.seeds)
    assert nodes_of(each) == {*query.seeds, graph.entity("Kenya"), graph.entity("Rwanda")}


def test_the_largest_error_of_all_seeds_is_reported() -> None:
    graph = tiny_graph()
    seeds = (graph.entity("Nairobi"), graph.entity("Kigali"))
    facts = [
        PPR(seeds="each").run(graph, Query("?", seeds=chosen)).trace.stages[-1].facts
        for chosen in (seeds, seeds[:1], seeds[1:])
    ]
    assert facts[0]["error_bound"] == max(facts[1]["error_bound"], facts[2]["error_bound"])
    assert facts[0]["edges_seen"] == facts[1]["edges_seen"] + facts[2]["edges_seen"]


def test_groups_and_best() -> None:
    seeds = np.array([2, 5], dtype=np.int32)
    assert [group.tolist() for group in groups(seeds, "together")] == [[2, 5]]
    assert [group.tolist() for group in groups(seeds, "each")] == [[2], [5]]
    assert groups(seeds[:0], "together") == groups(seeds[:0], "each") == []
    scores = np.array([0.1, 0.3, 0.0, 0.3, 0.3, 0.0])
    assert best(scores, seeds[:1], 3).tolist() == [1, 2, 3]
    assert best(scores, seeds, 1).tolist() == [2, 5]
    assert best(scores, seeds[:1], 9).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("brick", [PPR(k=2, seeds="each"), PPR(k=2, direction="in", seeds="each")])
def test_the_contract_is_kept(brick: PPR) -> None:
    check_brick(brick, installed=False)


def test_ppr_refuses_other_words() -> None:
    with fails("parameter.not_allowed", PipelineError, brick="PPR", name="seeds", value="'eahc'", example="'each'"):
        PPR(seeds="eahc")
