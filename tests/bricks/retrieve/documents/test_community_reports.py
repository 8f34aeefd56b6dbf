from __future__ import annotations

import json
import sys
from pathlib import Path

import igraph
import numpy as np
import pytest
from faults import fails, told

from graphbrick import BM25, LLM, CommunityReports, Graph, Query, Subgraph, build
from graphbrick.bricks.retrieve.documents.community_reports import _Writer
from graphbrick.bricks.retrieve.documents.hierarchy import Community, at_level, hierarchy
from graphbrick.core.errors import GraphbrickError, PipelineError
from graphbrick.core.trace import Trace, record
from graphbrick.kernels.paths.induced import induced_triples
from graphbrick.testing import Reply, Request, ScriptedLLM

CLUBS = [[f"{club}{i}" for i in range(6)] for club in ("fox", "owl", "bee")]


@pytest.fixture(scope="module")
def clubs(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """Three clubs whose members all know each other, joined by one triple each, and somebody who knows only himself."""
    inside = [(a, "knows", b) for club in CLUBS for i, a in enumerate(club) for b in club[i + 1 :]]
    between = [("fox0", "met", "owl0"), ("owl1", "met", "bee0"), ("hermit", "knows", "hermit")]
    return build([*inside, *between], tmp_path_factory.mktemp("clubs") / "clubs.graph")


def leiden(subgraph: Subgraph, size: int) -> list[np.ndarray]:
    """The smallest communities."""
    return [community.members for community in at_level(hierarchy(subgraph, size), 100)]


def names(graph: Graph, ids: object) -> set[str]:
    return {graph.label(int(i)) for i in ids}  # type: ignore[attr-defined]


def test_clubs_are_the_communities(clubs: Graph) -> None:
    assert sorted(map(sorted, (names(clubs, c) for c in leiden(Subgraph(clubs), 50)))) == sorted(map(sorted, CLUBS))


def test_the_communities_of_a_part_have_its_ids(clubs: Graph) -> None:
    nodes = np.array(sorted(clubs.entity(name) for name in (*CLUBS[0], *CLUBS[2])), dtype=np.int32)
    part = Subgraph(clubs, nodes, induced_triples(clubs.csr.rows, nodes))
    found = [names(clubs, nodes[local]) for local in leiden(part, 50)]
    assert sorted(map(sorted, found)) == sorted([CLUBS[0], CLUBS[2]])


@pytest.mark.parametrize("seed", range(5))
def test_communities_are_as_good_as_those_of_igraph_and_not_too_large(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = {
        (int(a), int(b)) for a, b in random.integers(0, 60, (150, 2)) if a // 12 == b // 12 or random.random() < 0.2
    }
    graph = build([(f"n{a:02}", "r", f"n{b:02}") for a, b in sorted(pairs)], tmp_path / "g.graph")
    found = leiden(Subgraph(graph), 1000)
    members = [node for community in found for node in community.tolist()]
    assert len(members) == len(set(members))
    other = igraph.Graph(graph.n_entities, [(graph.head(t), int(graph.csr.tail[t])) for t in range(graph.n_triples)])
    other = other.simplify(multiple=False)
    label = np.arange(graph.n_entities) + len(found)
    for i, community in enumerate(found):
        label[community] = i
    best = other.community_leiden(objective_function="modularity", n_iterations=10).modularity
    assert other.modularity(np.unique(label, return_inverse=True)[1].tolist()) >= 0.9 * best
    assert all(2 <= len(community) <= 8 for community in leiden(Subgraph(graph), 8))


def test_reports_are_written_about_the_communities_nearest_to_the_question(clubs: Graph) -> None:
    owls = {
        "title": "The owls",
        "summary": "They know each other.",
        "rating": 7.5,
        "rating_explanation": "All of them.",
        "findings": [{"summary": "owl0 knows five.", "explanation": "It met fox0."}],
    }

    def says(request: Request) -> str:
        return f"<think>Who?</think>{json.dumps(owls)}" if "owl0 -> knows" in request.prompt else "Others"

    query = Query("Whom does owl3 know?", seeds=(clubs.entity("owl3"),))
    with ScriptedLLM(says) as server, record(Trace(), "stage", "retrieve") as entry:
        stage = CommunityReports(LLM(base_url=server.base_url), BM25(), n=2)
        evidence = stage.retrieve(query, Subgraph(clubs))
        assert len(server.requests) == 2
        asked = server.requests[0].prompt
    assert [report.text for report in evidence.items] == [
        "The owls\nThey know each other.\nImportance: 7.5 of 10. All of them.\nowl0 knows five. It met fox0.",
        "Others",
    ]
    assert query.text not in asked
    assert told(entry.events) == [("community_reports.not_json", {})]
    assert evidence.paths == ()
    first, second = evidence.items
    assert names(clubs, first.entities) == set(CLUBS[1])
    assert first.score > second.score == 0
    assert first.source == repr(stage)
    assert asked.count("-> knows ->") == 15
    assert "fox" not in asked
    assert entry.facts["communities"] == 3


def test_an_empty_reply_gives_no_report_and_a_fault_is_told(clubs: Graph) -> None:
    query = Query("Whom does owl3 know?", seeds=(clubs.entity("owl3"),))
    with ScriptedLLM([Reply(""), "A report"]) as server:
        found = CommunityReports(LLM(base_url=server.base_url), BM25(), n=2).retrieve(query, Subgraph(clubs))
        assert [report.text for report in found.items] == ["A report"]
    with ScriptedLLM([Reply(status=401)]) as server, pytest.raises(GraphbrickError, match="asks for a key"):
        CommunityReports(LLM(base_url=server.base_url), BM25()).retrieve(query, Subgraph(clubs))


def test_nothing_is_asked_where_there_is_no_seed_or_no_triple(clubs: Graph) -> None:
    llm = LLM(base_url="http://127.0.0.1:9/v1")
    hermit = np.array([clubs.entity("hermit")], dtype=np.int32)
    alone = Subgraph(clubs, hermit, np.zeros(0, dtype=np.int32))
    assert not len(CommunityReports(llm, BM25()).retrieve(Query("?", seeds=(int(hermit[0]),)), alone))
    assert not len(CommunityReports(llm, BM25()).retrieve(Query("?"), Subgraph(clubs)))


def test_many_triples_are_cut_with_an_event(tmp_path: Path) -> None:
    graph = build([("hub", "has", f"part {i}") for i in range(150)], tmp_path / "hub.graph")
    with ScriptedLLM(["A report"]) as server, record(Trace(), "stage", "retrieve") as entry:
        stage = CommunityReports(LLM(base_url=server.base_url), BM25(), size=1000)
        stage.retrieve(Query("?", seeds=(graph.entity("hub"),)), Subgraph(graph))
        assert server.requests[0].prompt.count("-> has ->") == 100
    assert told(entry.events)[:1] == [("community_reports.triples_cut", {"n": 100, "total": 150})]


def test_a_report_does_not_depend_on_the_question(clubs: Graph) -> None:
    with ScriptedLLM(lambda _: "{}") as server:
        stage = CommunityReports(LLM(base_url=server.base_url), BM25(), n=1)
        for text in ("Whom does owl3 know?", "Who is a friend of owl3?"):
            stage.retrieve(Query(text, seeds=(clubs.entity("owl3"),)), Subgraph(clubs))
        first, second = (request.body["messages"] for request in server.requests)
    assert first == second


def test_levels_of_the_hierarchy(clubs: Graph) -> None:
    coarse = hierarchy(Subgraph(clubs), 3)
    assert sorted(map(sorted, (names(clubs, c.members) for c in at_level(coarse, 0)))) == sorted(map(sorted, CLUBS))

    def check(community: Community) -> None:
        for part in community.children:
            assert part.level == community.level + 1
            assert np.isin(part.members, community.members).all()
            check(part)

    for community in coarse:
        check(community)


def test_reports_on_parts_take_the_place_of_triples(tmp_path: Path) -> None:
    """Two groups of 12 that all know each other, joined by ten triples: together too many triples for one report."""
    groups = [[f"{club}{i:02}" for i in range(12)] for club in ("fox", "owl")]
    inside = [(a, "knows", b) for group in groups for i, a in enumerate(group) for b in group[i + 1 :]]
    between = [(groups[0][i], "met", groups[1][i]) for i in range(10)]
    graph = build([*inside, *between], tmp_path / "groups.graph")
    parts = [Community(np.sort([graph.entity(name) for name in group]), 1, ()) for group in groups]
    whole = Community(np.arange(graph.n_entities), 0, tuple(parts))
    with ScriptedLLM(lambda request: f"report {len(request.body['messages'][1]['content'])}") as server:
        _Writer(LLM(base_url=server.base_url), Subgraph(graph)).report(whole)
        prompts = [request.prompt for request in server.requests]
    assert len(prompts) == 2  # one part is enough for the rest to fit
    assert prompts[0].count("-> knows ->") == 66
    assert prompts[1].count("-> knows ->") == 66
    assert prompts[1].count("-> met ->") == 10
    assert "Reports about parts:\n\nreport" in prompts[1]


def test_without_the_library_the_error_says_what_to_install(clubs: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graspologic_native", None)
    with pytest.raises(GraphbrickError, match=r"pip install 'graphbrick\[communities\]'"):
        leiden(Subgraph(clubs), 50)


def test_bad_parameters_are_refused() -> None:
    with fails("parameter.not_allowed", PipelineError, name="size", value="1", example="50"):
        CommunityReports(LLM(), BM25(), size=1)
    with fails("parameter.not_allowed", PipelineError, name="scorer"):
        CommunityReports(LLM(), LLM())  # type: ignore[arg-type]
