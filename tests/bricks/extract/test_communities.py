from __future__ import annotations

from pathlib import Path

import igraph
import numpy as np
import pytest

from graphbrick.bricks.extract.communities import Communities
from graphbrick.bricks.extract.ppr import PPR
from graphbrick.core import Query
from graphbrick.core.errors import PipelineError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.partitions import Method, partitions_of
from graphbrick.pipeline.run import Run
from graphbrick.testing import check_brick

CLUBS = [[f"{club}{i}" for i in range(6)] for club in ("fox", "owl", "bee")]


@pytest.fixture(scope="module")
def clubs(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """Three clubs whose members all know each other, joined by one triple each, and somebody who knows only himself."""
    inside = [(a, "knows", b) for club in CLUBS for i, a in enumerate(club) for b in club[i + 1 :]]
    between = [("fox0", "met", "owl0"), ("owl1", "met", "bee0"), ("hermit", "knows", "hermit")]
    return build([*inside, *between], tmp_path_factory.mktemp("clubs") / "clubs.graph")


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    rng = np.random.default_rng(7)
    ends = [(a, b) for a, b in rng.integers(0, 600, (9000, 2)).tolist() if a // 60 == b // 60 or rng.random() < 0.05]
    records = [(f"n{a}", f"r{rng.integers(2)}", f"n{b}") for a, b in ends]
    return build(records, tmp_path_factory.mktemp("blocks") / "blocks.graph")


def run_of(brick: Communities | PPR, graph: Graph, *seeds: str) -> Run:
    return brick.run(graph, Query("?", seeds=tuple(map(graph.entity, seeds))))


def labels(run: Run) -> set[str]:
    assert run.subgraph is not None
    assert run.subgraph.nodes is not None
    return {run.graph.label(int(node)) for node in run.subgraph.nodes}


@pytest.mark.parametrize(
    "brick", [Communities(), Communities(k=2, seeds="each"), Communities(k=3, direction="out", resolution=3, size=2)]
)
def test_the_contract_is_kept(brick: Communities) -> None:
    check_brick(brick, installed=False)


def test_the_walk_stays_in_the_club_of_the_seed(clubs: Graph) -> None:
    run = run_of(Communities(), clubs, "fox0")
    assert labels(run) == set(CLUBS[0])
    assert run.subgraph is not None
    assert run.subgraph.n_triples == 15
    facts = run.trace.stages[-1].facts
    assert (facts["partitions"], facts["entities_near"]) == (1, 6)
    assert labels(run_of(PPR(), clubs, "fox0")) >= {*CLUBS[0], *CLUBS[1], *CLUBS[2]}


def test_several_seeds_walk_in_all_their_clubs(clubs: Graph) -> None:
    run = run_of(Communities(), clubs, "fox0", "owl3")
    assert labels(run) == {*CLUBS[0], *CLUBS[1]}
    assert run.trace.stages[-1].facts["entities_near"] == 12
    assert run.subgraph is not None
    assert run.subgraph.n_triples == 31  # and the one between the two
    # Started together, both clubs are ranked in one; each by itself, a seed's walk ends at the border of its club.
    each = run_of(Communities(k=3, seeds="each"), clubs, "fox0", "owl3")
    assert len(labels(each)) == 6
    assert len(labels(each) & set(CLUBS[0])) == len(labels(each) & set(CLUBS[1])) == 3
    assert each.trace.stages[-1].facts["entities_near"] == 12


def test_who_is_alone_stays_alone(clubs: Graph) -> None:
    run = run_of(Communities(), clubs, "hermit")
    assert labels(run) == {"hermit"}
    assert run.subgraph is not None
    assert run.subgraph.n_triples == 1


@pytest.mark.parametrize("direction", ["both", "out", "in"])
@pytest.mark.parametrize("restart", [0.2, 0.8])
def test_the_ranking_is_that_of_igraph_inside_the_partitions(blocks: Graph, direction: str, restart: float) -> None:
    partitions = partitions_of(blocks, Method())
    brick = Communities(k=20, restart=restart, direction=direction, tolerance=1e-9)
    for seeds in [(3,), (10, 250), (1, 2, 3, 400)]:
        inside = np.flatnonzero(np.isin(partitions.label, partitions.label[list(seeds)]))
        assert len(inside) < blocks.n_entities / 2
        place = {int(node): i for i, node in enumerate(inside)}
        triples = [(blocks.head(t), int(blocks.csr.tail[t])) for t in range(blocks.n_triples)]
        edges = [(place[h], place[t]) for h, t in triples if h in place and t in place]
        other = igraph.Graph(len(inside), edges, directed=direction != "both")
        if direction == "in":
            other.reverse_edges()
        reset = [float(node in seeds) for node in inside.tolist()]
        scores = np.array(other.personalized_pagerank(damping=1 - restart, reset=reset))
        scores[[place[seed] for seed in seeds]] = np.inf
        subgraph = brick.extract(blocks, Query("?", seeds=seeds))
        assert subgraph.nodes is not None
        chosen = scores[[place[int(node)] for node in subgraph.nodes]]
        assert set(seeds) <= set(subgraph.nodes.tolist())
        assert len(chosen) == min(20, np.count_nonzero(scores))
        # As good as the best twenty; where two tie, either may be in.
        np.testing.assert_allclose(np.sort(chosen), np.sort(scores)[-len(chosen) :], rtol=0, atol=1e-6)


def test_more_partitions_give_less(blocks: Graph) -> None:
    coarse, fine = (Communities(k=600, resolution=resolution) for resolution in (1.0, 30.0))
    query = Query("?", seeds=(3,))
    few, many = (brick.extract(blocks, query).n_nodes for brick in (fine, coarse))
    assert few < many < blocks.n_entities
    assert Communities(k=600, size=10).extract(blocks, query).n_nodes < many


def test_the_first_question_makes_the_partitions(tmp_path: Path) -> None:
    graph = build([("a", "r", "b")], tmp_path / "g.graph")
    first, second = run_of(Communities(), graph, "a"), run_of(Communities(), Graph.open(graph.path), "a")
    assert "were not made yet; 1 were made now (beforehand: graphbrick prepare partitions" in first.trace.events[0]
    assert second.trace.events == []
    assert labels(first) == labels(second) == {"a", "b"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"resolution": 0}, "Communities resolution must be a number above 0 and at most 1,000,000, got 0; try 1.0"),
        ({"resolution": -1.0}, "Communities resolution must be a number above 0"),
        ({"resolution": float("nan")}, "Communities resolution must be"),
        ({"size": 1}, "Communities size must be a whole number of at least 2, got 1; try 100000"),
        ({"seed": -1}, "Communities seed must be a whole number of at least 0"),
        ({"k": 0}, "Communities k must be a whole number of at least 1"),
        ({"restart": 1.0}, "Communities restart must be in [0.001, 1), got 1.0; try 0.2"),
    ],
)
def test_nonsense_is_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        Communities(**parameters)  # type: ignore[arg-type]
    assert message in str(caught.value)
