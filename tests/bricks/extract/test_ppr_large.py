"""PPR as in a graph that is too large to be swept: the local search, hubs kept beside the graph, the edge budget."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from faults import fails, told
from hypothesis import given
from hypothesis import strategies as st

from graphbrick import Graph, Query, build, change
from graphbrick.bricks.extract import hubs, ppr
from graphbrick.bricks.extract.ppr import PPR
from graphbrick.bricks.extract.seeds import best_of
from graphbrick.core.errors import PipelineError
from graphbrick.kernels.pagerank.exact_ppr import exact_ppr

HUB = "n0"


@pytest.fixture(scope="module")
def triples() -> list[tuple[str, str, str]]:
    """A graph whose first entity is a hub, with entities that lead nowhere and some that none leads to."""
    rng = np.random.default_rng(8)
    head = (5000 * rng.random(20_000) ** 1.5).astype(int)
    tail = (5000 * rng.random(20_000) ** 2).astype(int)
    spokes = [(HUB, "spoke", f"n{i}") for i in range(1, 400)]
    return spokes + [(f"n{a}", f"r{a % 5}", f"n{b}") for a, b in zip(head, tail, strict=True) if a % 7]


@pytest.fixture
def graph(triples: list[tuple[str, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graph:
    monkeypatch.setattr(ppr, "_SMALL", 0)
    monkeypatch.setattr(hubs, "_LARGE", 0)
    monkeypatch.setattr(hubs, "HUB_DEGREE", 300)
    return build(triples, tmp_path / "large.graph")


def exact(graph: Graph, seeds: list[int], direction: str = "both") -> np.ndarray:
    way = (direction != "in", direction != "out")
    return exact_ppr(graph.csr, [np.array(seeds, dtype=np.int32)], 0.2, *way, error=1e-12)[:, 0]


def share_of_the_best(graph: Graph, seeds: list[int], direction: str = "both", k: int = 200) -> float:
    nodes = PPR(k=k, direction=direction, tolerance=0.001).extract(graph, Query("?", seeds=tuple(seeds))).nodes
    assert nodes is not None
    assert len(nodes) == k
    scores = exact(graph, seeds, direction)
    return float(np.mean(scores[nodes] >= 0.99 * np.sort(scores)[-k]))


@pytest.mark.whole
@pytest.mark.parametrize("direction", ["both", "out", "in"])
def test_the_best_are_those_of_the_exact_scores(graph: Graph, direction: str) -> None:
    ordinary = [e for e in range(graph.n_entities) if 3 < graph.degree(e) < 30][:40]
    for seeds in ([ordinary[3]], [ordinary[10], ordinary[20]], [ordinary[5], graph.entity(HUB)], [graph.entity(HUB)]):
        if exact(graph, seeds, direction)[np.argsort(exact(graph, seeds, direction))[-200]] > 0:
            assert share_of_the_best(graph, seeds, direction) >= 0.97


@pytest.mark.whole
def test_the_scores_of_a_hub_are_worked_out_once(graph: Graph) -> None:
    pipeline, query = PPR(k=50), Query("?", seeds=(graph.entity(HUB),))
    first = pipeline.run(graph, query)
    assert ("hubs.computed", {"hub": graph.entity(HUB)}) in told(first.trace.stages[-1].events)
    assert first.trace.stages[-1].facts["edges_seen"] > 0
    folders = sorted(folder.name for folder in (graph.place.parent / "large.graph.hubs").iterdir())
    assert folders == [f"both-0.2-0.1-{graph.entity(HUB)}-{graph.hash}", f"leading-both-{graph.hash}"]
    again = pipeline.run(Graph.open(graph.place), query)
    assert again.trace.stages[-1].events == []
    assert again.trace.stages[-1].facts == first.trace.stages[-1].facts | {"edges_seen": 0}
    assert again.subgraph is not None
    assert first.subgraph is not None
    assert again.subgraph.nodes.tolist() == first.subgraph.nodes.tolist()  # type: ignore[union-attr]


def test_all_hubs_ahead_of_time(graph: Graph) -> None:
    counted: list[float] = []
    n = PPR().keep_hubs(graph, lambda step, done, total: counted.append(done))
    assert n == len(hubs.hubs_of(graph, "both")) == len(counted) >= 1
    run = PPR(k=50).run(graph, Query("?", seeds=(graph.entity(HUB),)))
    assert run.trace.stages[-1].facts["edges_seen"] == 0


@pytest.mark.whole
def test_kept_scores_that_are_damaged_are_made_anew(graph: Graph) -> None:
    pipeline, query = PPR(k=50), Query("?", seeds=(graph.entity(HUB),))
    expected = pipeline.run(graph, query)
    folder = graph.place.parent / "large.graph.hubs" / f"both-0.2-0.1-{graph.entity(HUB)}-{graph.hash}"
    (folder / "values.npy").write_bytes(b"cut short")
    run = pipeline.run(graph, query)
    assert "hubs.damaged" in run.trace.event_codes
    assert run.subgraph.nodes.tolist() == expected.subgraph.nodes.tolist()  # type: ignore[union-attr]
    shutil.rmtree(folder)
    folder.parent.joinpath("x").mkdir()
    assert pipeline.run(graph, query).subgraph.nodes.tolist() == expected.subgraph.nodes.tolist()  # type: ignore[union-attr]


def test_a_place_that_cannot_be_written_is_an_event(graph: Graph) -> None:
    graph.place.with_name("large.graph.hubs").write_text("a file where the folder should be")
    run = PPR(k=50).run(graph, Query("?", seeds=(graph.entity(HUB),)))
    assert "hubs.not_writable" in run.trace.event_codes
    assert run.subgraph.n_nodes == 50  # type: ignore[union-attr]


def test_the_edge_budget_is_an_event(graph: Graph) -> None:
    seed = next(e for e in range(graph.n_entities) if 3 < graph.degree(e) < 30)
    run = PPR(k=50, tolerance=1e-6, edge_budget=100).run(graph, Query("?", seeds=(seed,)))
    assert ("ppr.edge_budget", {"budget": 100}) in told(run.trace.stages[-1].events)
    assert run.trace.stages[-1].facts["edges_seen"] > 100
    assert run.subgraph.n_nodes == 50  # type: ignore[union-attr]


@pytest.mark.parametrize("budget", [0, -1, 2.5, True])
def test_a_budget_is_a_number_of_edges(budget: object) -> None:
    with fails("parameter.not_allowed", PipelineError, brick="PPR", name="edge_budget"):
        PPR(edge_budget=budget)  # type: ignore[arg-type]


@given(
    st.dictionaries(st.integers(0, 30), st.sampled_from([0.0, 0.1, 0.2, 0.3]), min_size=1, max_size=20),
    st.sets(st.integers(0, 35), min_size=1, max_size=4),
    st.integers(1, 12),
)
def test_the_best_of_some_scores(values: dict[int, float], seeds: set[int], k: int) -> None:
    nodes, scores = np.array(list(values), dtype=np.int32), np.array(list(values.values()))
    ranked = sorted(
        (seeds | {v for v in values if values[v] > 0}), key=lambda v: (v not in seeds, -values.get(v, 0), v)
    )
    expected = sorted(ranked[: max(k, len(seeds))])
    assert best_of(nodes, scores, np.array(sorted(seeds), dtype=np.int32), k).tolist() == expected


@pytest.mark.whole
def test_after_a_small_change_the_scores_of_a_hub_are_used_and_new_entities_are_found(graph: Graph) -> None:
    hub = graph.entity(HUB)
    pipeline, query = PPR(k=100), Query("?", seeds=(hub,))
    before = pipeline.run(graph, query)
    related = [(HUB, "spoke", "new"), ("new", "r1", "n1"), ("new", "r1", HUB), ("far", "r1", "n4999")]
    after_change = change(graph.place, add=related, delete=[(HUB, "spoke", "n399")]).graph
    after = pipeline.run(after_change, query)
    since = "when the graph was built; 0.0% of the triples have changed since"
    assert ("hubs.updated", {"hub": hub, "when": since}) in told(after.trace.events)
    assert after.trace.stages[-1].facts["edges_seen"] == 0
    assert before.subgraph is not None
    assert after.subgraph is not None
    assert len(np.intersect1d(after.subgraph.nodes, before.subgraph.nodes)) >= 98  # type: ignore[arg-type]
    kept, new, far = PPR(k=100)._of_hub(after_change, hub), after_change.entity("new"), after_change.entity("far")
    scores = dict(zip(kept.nodes.tolist(), kept.values.tolist(), strict=True))
    assert scores[new] == pytest.approx(exact(after_change, [hub])[new], rel=0.2)
    assert far not in scores or scores[far] < scores[new]


@pytest.mark.whole
def test_after_a_large_change_the_scores_of_a_hub_are_computed_again(graph: Graph) -> None:
    pipeline, query = PPR(k=50), Query("?", seeds=(graph.entity(HUB),))
    pipeline.run(graph, query)
    # Much has changed about the hub, little about the graph.
    changed = change(graph.place, add=[(HUB, "spoke", f"m{i}") for i in range(200)]).graph
    assert "hubs.computed" in pipeline.run(changed, query).trace.event_codes
    changed = change(graph.place, add=[(f"a{i}", "r", f"b{i}") for i in range(3000)]).graph
    assert "hubs.computed" in pipeline.run(changed, query).trace.event_codes


@pytest.mark.whole
def test_the_command_renews_the_scores_of_hubs(graph: Graph) -> None:
    PPR(k=50).keep_hubs(graph)
    changed = change(graph.place, add=[("n1", "r", "n4998")]).graph
    PPR(k=50).keep_hubs(changed)
    assert PPR(k=50).run(changed, Query("?", seeds=(graph.entity(HUB),))).trace.events == []
