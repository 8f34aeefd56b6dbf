from __future__ import annotations

import pytest

from graphbrick.bricks.extract.random_walk import RandomWalk
from graphbrick.core import Query
from graphbrick.core.errors import PipelineError
from graphbrick.kernels.pagerank.random_walk import walk_python
from graphbrick.kernels.paths.induced import induced_triples
from graphbrick.testing import check_brick, tiny_graph


def keys_of(brick: RandomWalk, *seeds: str) -> set[str]:
    graph = tiny_graph()
    nodes = brick.extract(graph, Query("?", seeds=tuple(map(graph.entity, seeds)))).nodes
    assert nodes is not None
    return {graph.key(int(node)) for node in nodes}


@pytest.mark.parametrize(
    "brick",
    [
        RandomWalk(),
        RandomWalk(walks=128, direction="out"),
        RandomWalk(walks=1, length=1, restart=0.5, direction="in", seed=2**31 - 1),
    ],
)
def test_the_contract_is_kept(brick: RandomWalk) -> None:
    check_brick(brick, installed=False)


@pytest.mark.parametrize(("direction", "way"), [("both", (True, True)), ("out", (True, False)), ("in", (False, True))])
def test_the_subgraph_is_what_the_walks_visit(direction: str, way: tuple[bool, bool]) -> None:
    graph = tiny_graph()
    seeds = (graph.entity("Rwanda"), graph.entity("Nairobi"))
    subgraph = RandomWalk(walks=3, length=3, restart=0.1, direction=direction, seed=6).extract(graph, Query("?", seeds))
    expected = {
        u for seed in seeds for number in range(3) for u in walk_python(graph.csr, seed, number, 3, 0.1, *way, 6)
    }
    assert subgraph.nodes is not None
    assert subgraph.triples is not None
    assert subgraph.nodes.tolist() == sorted(expected)
    among = induced_triples(graph.csr.rows, subgraph.nodes)
    assert subgraph.triples.tolist() == among.tolist()


def test_the_direction_is_kept() -> None:
    assert keys_of(RandomWalk(direction="out"), "Nairobi") == {"Nairobi"}
    assert keys_of(RandomWalk(direction="in"), "Nairobi") == {"Nairobi", "Kenya", "Uganda", "Rwanda"}
    assert keys_of(RandomWalk(direction="out", length=1), "Kenya") == {"Kenya", "Kenyan shilling", "Nairobi", "Uganda"}


def test_entities_are_those_of_each_seed_united() -> None:
    brick = RandomWalk(walks=2, length=2)
    apart = [keys_of(brick, seed) for seed in ("Kigali", "Nairobi", "Kampala")]
    assert keys_of(brick, "Kigali", "Nairobi", "Kampala") == set().union(*apart)
    assert keys_of(brick, "Kampala", "Kigali", "Nairobi") == set().union(*apart)


def test_another_seed_gives_other_walks() -> None:
    assert len({frozenset(keys_of(RandomWalk(walks=1, seed=seed), "Uganda")) for seed in range(20)}) > 1


def test_a_seed_without_triples_is_an_event() -> None:
    from graphbrick.testing.cases import contract_graph

    graph = contract_graph()
    run = RandomWalk().run(graph, Query("?", seeds=(graph.entity("Atlantis"),)))
    assert run.trace.event_codes == ["extract.lonely_seed"]
    assert run.subgraph is not None
    assert (run.subgraph.n_nodes, run.subgraph.n_triples) == (1, 0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"walks": 0}, "RandomWalk walks must be a whole number of at least 1 and at most 1,000,000, got 0"),
        ({"walks": 10**7}, "RandomWalk walks must be a whole number of at least 1 and at most 1,000,000, got 10000000"),
        ({"length": 0}, "length must be a whole number of at least 1"),
        ({"length": 10_001}, "length must be a whole number of at least 1 and at most 10,000"),
        ({"restart": 1}, "restart must be in [0, 1), got 1; try 0.2"),
        ({"restart": -0.1}, "restart must be in [0, 1), got -0.1"),
        ({"restart": True}, "restart must be in [0, 1)"),
        ({"direction": "outwards"}, "direction must be one of 'both', 'out', 'in', got 'outwards'"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"seed": 2**31}, "seed must be at most 2,147,483,647"),
    ],
)
def test_nonsense_is_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        RandomWalk(**parameters)  # type: ignore[arg-type]
    assert message in str(caught.value)
