from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as File

import numpy as np
import pytest
from faults import told

from graphbrick import LLM, Graph, PlannedPaths, PlannedRelations, Query, Subgraph, build
from graphbrick.core.trace import Trace, record
from graphbrick.kernels.paths.induced import induced_triples
from graphbrick.patterns.planned.relation_paths import Instance, instances
from graphbrick.testing import ScriptedLLM, check_brick, tiny_graph

QUESTION = "Which currency is used in the country whose capital is Nairobi?"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def retrieve(
    graph: Graph, reply: str, *seeds: str, subgraph: Subgraph | None = None, **parameters: int
) -> tuple[list[str], list[str]]:
    """Return the texts of the paths, and the events."""
    query = Query(QUESTION, seeds=tuple(map(graph.entity, seeds)))
    with ScriptedLLM([reply]) as server, record(Trace(), "test", "retrieve") as entry:
        stage = PlannedPaths(LLM(base_url=server.base_url), **parameters)
        found = stage.retrieve(query, subgraph or Subgraph(graph))
    assert all(item.source == repr(stage) for item in found.items)
    assert [item.score for item in found.items] == sorted((item.score for item in found.items), reverse=True)
    return found.texts(), entry.events


@pytest.fixture
def films(tmp_path: File) -> Graph:
    triples = [("film", "starred", f"actor {i}") for i in (2, 1, 3)]
    triples += [(f"actor {i}", "born in", city) for i, city in ((1, "Rome"), (2, "Oslo"), (3, "Rome"))]
    triples += [("film", "shot in", "Rome"), ("film", "shot in", "Paris")]
    return build(triples, tmp_path / "films.graph")


def test_the_paths_come_in_the_order_of_the_plans_with_all_instances(films: Graph) -> None:
    texts, events = retrieve(films, "-> starred -> born in\n-> shot in", "film")
    assert texts[3:] == ["film -> shot in -> Rome", "film -> shot in -> Paris"]
    assert sorted(texts[:3]) == [
        "film -> starred -> actor 1 -> born in -> Rome",
        "film -> starred -> actor 2 -> born in -> Oslo",
        "film -> starred -> actor 3 -> born in -> Rome",
    ]
    assert events == []
    again, _ = retrieve(films, "-> shot in\n-> starred -> born in", "film")
    assert again == [*texts[3:], *texts[:3]]


def test_the_paths_stay_inside_the_subgraph(films: Graph) -> None:
    nodes = np.array(sorted(films.entity(name) for name in ("film", "actor 1", "Rome")), dtype=np.int32)
    part = Subgraph(films, nodes, induced_triples(films.csr.rows, nodes))
    texts, events = retrieve(films, "-> starred -> born in", "film", subgraph=part)
    assert texts == ["film -> starred -> actor 1 -> born in -> Rome"]
    assert events == []
    without = Subgraph(films, nodes[:1], np.zeros(0, dtype=np.int32))
    assert retrieve(films, "-> starred -> born in", films.key(int(nodes[0])), subgraph=without)[0] == []


def test_the_cap_and_plans_that_match_nothing_are_events(films: Graph) -> None:
    texts, events = retrieve(films, "-> starred -> born in\n-> shot in", "film", cap=2)
    assert len(texts) == 2
    assert told(events) == [("planned_paths.cap", {"cap": 2, "plan": "-> starred -> born in"})]
    texts, events = retrieve(films, "-> shot in -> starred", "film")
    assert texts == []
    assert told(events) == [("planned_paths.no_new_path", {"plan": "-> shot in -> starred"})]


def brute_force(graph: Graph, seed: int, plan: list[tuple[int, bool]]) -> Iterator[Instance]:
    steps = [(t, *graph.triple(t)) for t in range(graph.n_triples)]
    paths = [Instance((seed,), (), ())]
    for relation, forward in plan:
        paths = [
            Instance((*nodes, v), (*triples, t), (*ways, forward))
            for nodes, triples, ways in paths
            for t, head, r, tail in steps
            for u, v in [(head, tail) if forward else (tail, head)]
            if r == relation and u == nodes[-1] and v not in nodes
        ]
    yield from paths


@pytest.mark.parametrize(
    ("reply", "unread"), [("NONE", 0), ('{"paths": []}', 0), ("I do not know that one.", 1), ("99 > 98", 1)]
)
def test_a_reply_without_plans_can_be_read(films: Graph, reply: str, unread: int) -> None:
    query = Query(QUESTION, seeds=(films.entity("film"),))
    with ScriptedLLM([reply]) as server, record(Trace(), "test", "retrieve") as entry:
        assert not PlannedPaths(LLM(base_url=server.base_url)).retrieve(query, Subgraph(films)).items
    assert entry.facts.get("unread_replies", 0) == unread
    assert ("planner.unread_reply" if unread else "planner.no_path") in [code for code, _ in told(entry.events)]


@pytest.mark.whole
def test_every_instance_is_found(tmp_path: File) -> None:
    rng = np.random.default_rng(1)
    many = 0
    for number in range(20):
        n = int(rng.integers(6, 10))
        rows = rng.integers(0, (n, 2, n), (int(rng.integers(3 * n, 6 * n)), 3)).tolist()
        graph = build([(f"n{h}", f"r{r}", f"n{t}") for h, r, t in rows], tmp_path / f"{number}.graph")
        for _ in range(8):
            seed = int(rng.integers(graph.n_entities))
            plan = [
                (int(rng.integers(graph.n_relations)), bool(rng.random() < 0.5)) for _ in range(int(rng.integers(1, 5)))
            ]
            found = list(instances(graph, seed, [frozenset({hop}) for hop in plan]))
            assert sorted(found) == sorted(brute_force(graph, seed, plan))
            many += len(found) > 3
    assert many > 20


def test_a_plan_is_the_same_in_both_stages(films: Graph) -> None:
    query = Query(QUESTION, seeds=(films.entity("film"),))
    with ScriptedLLM(["-> starred -> born in"] * 2) as server:
        llm = LLM(base_url=server.base_url)
        part = PlannedRelations(llm).extract(films, query)
        paths = PlannedPaths(llm).retrieve(query, Subgraph(films)).paths
        assert server.requests[0].body["messages"] == server.requests[1].body["messages"]
    assert part.triples is not None
    assert {t for path in paths for t in path.triples} == set(part.triples.tolist())


@pytest.mark.parametrize("reply", ["<- capital > -> currency", "NONE"])
def test_the_contract(reply: str) -> None:
    assert tiny_graph().n_entities
    with ScriptedLLM(lambda _: reply) as server:
        check_brick(PlannedPaths(LLM(base_url=server.base_url), plans=2))
