"""Reports on communities of graphs that were not made from documents, and the stage that takes those of the seeds."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from itertools import combinations
from pathlib import Path

import networkx
import pytest
from commands import Run, refused
from faults import fails

from graphbrick import (
    BM25,
    LLM,
    CommunityReports,
    Evidence,
    Graph,
    Query,
    ReportedCommunities,
    Reports,
    Subgraph,
    build,
    parse,
)
from graphbrick.core.errors import GraphbrickError, PipelineError
from graphbrick.core.items import Report
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.communities import CommunityTree, communities_of, find_communities, keep_communities
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord
from graphbrick.models.llm.context_budget import text_tokens
from graphbrick.recipes import recipe
from graphbrick.study.store.identity import identity_of, on_graph
from graphbrick.testing import Request, ScriptedLLM, tiny_graph
from graphbrick.text.reporting.context import Contexts
from graphbrick.text.reporting.extracted import extracted_report
from graphbrick.text.reporting.prepare import estimate_reports, prepare_reports
from graphbrick.text.reporting.reports import reports_of

CLUBS = [[f"{club}{i}" for i in range(6)] for club in ("fox", "owl", "bee")]
INSIDE = [(a, "knows", b) for club in CLUBS for a, b in combinations(club, 2)]


@pytest.fixture
def clubs(tmp_path: Path) -> Graph:
    """Three clubs whose members all know each other, and nobody else; fox0 also likes five."""
    graph = build([*INSIDE, *(("fox0", "likes", f"fox{i}") for i in range(1, 6))], tmp_path / "clubs.graph")
    keep_communities(graph, find_communities(graph), {})
    return graph


def model(server: ScriptedLLM, **more: object) -> LLM:
    return LLM(base_url=server.base_url, max_tokens=500, **more)  # type: ignore[arg-type]


def about_a_club(request: Request) -> str:
    """A report whose words are those of the club in the prompt, standing on the first two lines."""
    club = Counter(re.findall(r"(fox|owl|bee)\d", request.prompt)).most_common(1)[0][0]
    finding = {"summary": f"They are {club} people.", "explanation": "", "sources": [2]}
    facts = {"title": f"The {club} club", "summary": f"All {club}s know each other.", "rating": 7}
    return json.dumps({**facts, "rating_explanation": "", "sources": [1], "findings": [finding]})


def ask(stage: CommunityReports | Reports, graph: Graph, *seeds: str) -> Evidence:
    return stage.retrieve(Query("Whom?", seeds=tuple(map(graph.entity, seeds))), Subgraph(graph))


def titles(evidence: Evidence) -> list[str]:
    return [item.text.partition("\n")[0] for item in evidence.items]


# What reports are written from


def test_a_community_is_told_by_its_triples_of_most_degree_first(clubs: Graph) -> None:
    tree = communities_of(clubs)
    fox = next(one for one in tree.children(-1) if clubs.entity("fox0") in tree.members(one))
    lines = re.findall(r"^\d+\. (.*)$", Contexts(clubs, tree, 8000, text_tokens).of(fox, {}).text, re.MULTILINE)
    graph = networkx.MultiGraph(
        (head, tail) for head, _, tail in clubs.key_triples() if head.startswith("fox")
    )  # an independent count of degrees
    assert len(lines) == graph.number_of_nodes() + graph.number_of_edges()
    triples = [line.split(" -> ") for line in lines if "->" in line]
    sums = [graph.degree(head) + graph.degree(tail) for head, _, tail in triples]
    assert sums == sorted(sums, reverse=True)
    assert {head for head, _, _ in triples[:10]} == {"fox0"}


def test_triples_keep_to_the_budget_and_those_left_out_are_counted(clubs: Graph) -> None:
    tree = communities_of(clubs)
    context = Contexts(clubs, tree, 100, text_tokens).of(0, {})
    assert sum(line.tokens for line in context.lines) <= 100
    stated = sum("->" in line.text for line in context.lines)
    inside = [t for t in clubs.key_triples() if clubs.entity(t[0]) in tree.members(0)]
    assert stated > 0
    assert context.left_out == len(inside) - stated


def test_properties_are_told_with_their_entity_and_triple(tmp_path: Path) -> None:
    records = [
        EntityRecord("kisumu", "Kisumu", types=("city",), properties={"population": 397_957}),
        EdgeRecord("kisumu", "port on", "victoria", {"since": 1901}),
    ]
    graph = build(records, tmp_path / "ports.graph")
    keep_communities(graph, find_communities(graph), {})
    text = Contexts(graph, communities_of(graph), 8000, text_tokens).of(0, {}).text
    assert text == (
        "Entities:\n1. Kisumu (city); population 397957\n2. victoria\n"
        "\nRelations:\n3. Kisumu -> port on -> victoria; since 1901"
    )


def test_the_context_does_not_depend_on_ids(tmp_path: Path) -> None:
    texts = []
    for name, triples in (("one", INSIDE), ("two", INSIDE[::-1])):
        graph = build(triples, tmp_path / f"{name}.graph")
        tree = find_communities(graph)
        contexts = Contexts(graph, tree, 120, text_tokens)
        texts.append(sorted(contexts.of(one, {}).text for one in tree.children(-1)))
    assert texts[0] == texts[1]


# Reports by a model


def test_a_model_writes_one_report_for_each_community(clubs: Graph) -> None:
    with ScriptedLLM(about_a_club) as server:
        estimate = estimate_reports(clubs, model(server))
        done = prepare_reports(clubs, model(server))
        assert len(server.requests) == 3
    assert (done.communities, done.cost.calls, estimate.calls, done.failed) == (3, 3, 3, [])
    kept = reports_of(clubs)
    assert {report.title for report in kept.of.values()} == {"The fox club", "The owl club", "The bee club"}
    for community, report in kept.of.items():
        members = {clubs.label(int(one)) for one in kept.tree.members(community)}
        assert {clubs.label(one) for one in report.all_cited.entities} <= members


def test_a_change_asks_only_about_the_community_that_it_touches(clubs: Graph) -> None:
    with ScriptedLLM(about_a_club) as server:
        prepare_reports(clubs, model(server))
        changed = change(clubs.path, add=[("owl0", "met", "owl5")], delete=[("owl0", "knows", "owl1")]).graph
        with fails("reports.not_there"):
            reports_of(changed)
        keep_communities(changed, find_communities(changed), {})
        done = prepare_reports(changed, model(server))
        assert (done.cost.calls, done.cost.kept) == (1, 2)
        assert "owl0 -> met -> owl5" in server.requests[-1].prompt
    with closing(sqlite3.connect(clubs.place.with_name("clubs.graph.communities") / "replies.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM reports").fetchone() == (3,)  # the old one about owls is gone


def test_after_a_stop_what_was_written_is_not_paid_again(clubs: Graph) -> None:
    with ScriptedLLM(about_a_club) as server:

        def stop(step: str, done: float, total: float | None) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            prepare_reports(clubs, model(server, parallel=1), progress=stop)
        asked = len(server.requests)
        assert asked > 0
        assert prepare_reports(clubs, model(server, parallel=1)).cost.kept == asked
        assert len(server.requests) == 3


def test_a_graph_of_triples_stays_one(clubs: Graph) -> None:
    """The folder of the replies must not make it a graph of documents."""
    with ScriptedLLM(about_a_club) as server:
        prepare_reports(clubs, model(server))
    assert type(Graph.open(clubs.path)) is Graph
    assert not clubs.place.with_name("clubs.graph.text").exists()


# Reports without a model


def test_without_a_model_reports_are_the_triples_of_the_best_connected(clubs: Graph) -> None:
    report = extracted_report(clubs, 7, [clubs.entity(f"fox{i}") for i in range(6)])
    assert report is not None
    assert report.title == "fox0, fox1, fox2"
    texts = {clubs.triple_text(triple) for triple in range(clubs.n_triples)}
    first = report.summary.split("; ")
    assert first[0] in ("fox0 -> knows -> fox1", "fox0 -> likes -> fox1")
    assert {*first, *(finding.summary for finding in report.findings)} <= texts
    assert [clubs.triple_text(one) for one in report.cited.triples] == first
    named = {clubs.label(end) for one in report.cited.triples for end in clubs.triple(one)[::2]}
    assert named == {f"fox{i}" for i in range(6)}  # a triple whose ends were named counts little
    assert report.why == f"20 of {clubs.n_triples} triples"


def test_a_community_without_triples_inside_has_no_report(clubs: Graph) -> None:
    assert extracted_report(clubs, 0, [clubs.entity("fox0"), clubs.entity("owl0")]) is None


# The stage


def test_the_communities_of_the_seeds_are_reported_without_a_call(clubs: Graph) -> None:
    with ScriptedLLM(about_a_club) as server:
        prepare_reports(clubs, model(server))
        with record(Trace(), "stage", "retrieve") as entry:
            evidence = ask(CommunityReports(), clubs, "bee1", "fox0", "fox3")
        assert len(server.requests) == 3
    assert titles(evidence) == ["The fox club", "The bee club"]  # that with most seeds first
    assert [item.score for item in evidence.items] == [2.0, 1.0]
    assert (entry.calls, entry.facts["communities"]) == (0, 2)
    fox = evidence.items[0]
    assert isinstance(fox, Report)
    assert {clubs.label(entity) for entity in fox.entities} == set(CLUBS[0])
    assert [part.text for part in fox.parts] == ["The fox club: All foxs know each other.", "They are fox people."]
    assert titles(ask(CommunityReports(n=1), clubs, "bee1", "fox0", "fox3")) == ["The fox club"]
    assert not len(ask(CommunityReports(), clubs))


def test_a_scorer_ranks_the_reports_by_their_text(clubs: Graph) -> None:
    with ScriptedLLM(about_a_club) as server:
        prepare_reports(clubs, model(server))
    query = Query("Who are the bee people?", seeds=(clubs.entity("fox0"), clubs.entity("fox1"), clubs.entity("bee1")))
    evidence = CommunityReports(scorer=BM25()).retrieve(query, Subgraph(clubs))
    assert titles(evidence) == ["The bee club", "The fox club"]


def test_the_level_chooses_among_nested_communities(tmp_path: Path) -> None:
    graph = build(INSIDE, tmp_path / "clubs.graph")
    ids = {name: graph.entity(name) for club in CLUBS for name in club}
    half = [ids[f"fox{i}"] for i in range(3)]
    whole = [ids[name] for name in CLUBS[0]]
    rest = [one for one in whole if one not in half]
    everybody = sorted(ids.values())
    tree, number = CommunityTree.of({0: everybody, 1: whole, 2: half, 3: rest}, {0: None, 1: 0, 2: 1, 3: 1})
    keep_communities(graph, tree, {})
    prepare_reports(graph)
    kept = reports_of(graph)
    fox0, fox5, bee0 = ids["fox0"], ids["fox5"], ids["bee0"]
    for level, expected in ((0, {0: 3}), (1, {0: 1, 1: 2}), (2, {0: 1, 2: 1, 3: 1}), (9, {0: 1, 2: 1, 3: 1})):
        got = kept.holding([fox0, fox5, bee0], level)
        assert got == {number[cluster]: count for cluster, count in expected.items()}, level
    without = type(kept)(tree, {one: report for one, report in kept.of.items() if one != number[2]}, "")
    assert without.holding([fox0], 2) == {number[1]: 1}  # the nearest one around it that has a report


def test_a_subgraph_of_the_communities_whose_reports_match(clubs: Graph) -> None:
    with ScriptedLLM(about_a_club) as server:
        prepare_reports(clubs, model(server))
    query = Query("Who are the bee people?", seeds=(clubs.entity("fox0"),))
    part = ReportedCommunities(BM25(), n=1).extract(clubs, query)
    assert part.nodes is not None
    assert {clubs.label(int(one)) for one in part.nodes} == {*CLUBS[2], "fox0"}
    assert part.n_triples == 15  # all among the bees; the seed has none to them
    with record(Trace(), "stage", "extract") as entry:
        few = ReportedCommunities(BM25(), n=2, k=8).extract(clubs, query)
    assert few.nodes is not None
    kept = [clubs.label(int(one)) for one in few.nodes]
    assert set(CLUBS[2]) < set(kept)  # the best community whole, two of the next one, and the seed
    assert len({name for name in kept if name not in CLUBS[2]} - {"fox0"}) in (1, 2)
    assert [getattr(event, "code", "") for event in entry.events] == ["reported_communities.cap"]


def test_a_graph_without_reports_says_how_to_make_them(clubs: Graph) -> None:
    with pytest.raises(GraphbrickError, match=f"were not written yet; run graphbrick prepare reports {clubs.path}"):
        ask(CommunityReports(), clubs, "fox0")
    with fails("parameter.not_allowed", PipelineError, name="scorer"):
        CommunityReports(LLM())


def test_all_reports_of_a_graph_of_triples_are_evidence_too(clubs: Graph) -> None:
    prepare_reports(clubs)
    assert len(ask(Reports(), clubs)) == 3


def test_a_study_tells_new_reports_from_old_ones(clubs: Graph) -> None:
    def texts(pipeline: str) -> set[str]:
        parsed = parse(pipeline)
        return {on_graph(identity_of(parsed), parsed, clubs).beside for _ in range(2)}

    prepare_reports(clubs)
    before = texts("CommunityReports() >> PathAnswer()")
    written = "CommunityReports(LLM(), BM25()) >> PathAnswer()"
    assert texts(written) == {""}  # it reads nothing that is kept
    with ScriptedLLM(about_a_club) as server:
        prepare_reports(clubs, model(server))
    after = texts("CommunityReports() >> PathAnswer()")
    assert (len(before), len(after), before & after) == (1, 1, set())


def test_grag_m_gives_paths_and_reports_to_the_answer_stage(clubs: Graph) -> None:
    def says(request: Request) -> str:
        return "fox people" if "Question:" in request.prompt else about_a_club(request)

    with ScriptedLLM(says) as server:
        prepare_reports(clubs, model(server))
        parts = {"embedder": "BM25()", "llm": repr(model(server))}
        run = recipe("GRAG-M").pipeline(**parts).run(clubs, "Whom does fox0 know?", seeds=["fox0"])
        assert len(server.requests) == 4  # three reports, one answer
        prompt = server.requests[-1].prompt
    assert "Reports on parts of the graph:" in prompt
    assert "The fox club" in prompt
    assert "The owl club" not in prompt
    assert "fox0 -> knows -> fox1" in prompt
    assert run.answer is not None
    assert run.answer.texts == ("fox people",)


def test_grag_m_can_still_write_reports_when_it_is_asked() -> None:
    with ScriptedLLM(["About it."]) as server:
        llm = repr(model(server))
        parts = {"embedder": "BM25()", "llm": llm, "reports": f"PPR(k=1000) >> CommunityReports({llm}, BM25(), n=1)"}
        run = recipe("GRAG-M").pipeline(**parts).run(tiny_graph(), "What is the capital of Kenya?", seeds=["Kenya"])
        assert len(server.requests) == 2
    assert run.evidence is not None
    assert run.evidence.counts()["reports"] == 1


# The command


def test_the_command_writes_reports_on_a_graph_of_triples(clubs: Graph, run: Run) -> None:
    first = json.loads(run("prepare", "reports", clubs.path, "--json").out)
    assert (first["reports"], first["cost"]["calls"]) == (3, 0)
    assert reports_of(Graph.open(clubs.path)).writer == "central triples"
    with ScriptedLLM(about_a_club) as server:
        command = ("prepare", "reports", clubs.path, "--llm", repr(model(server, parallel=1)), "--json")
        one = estimate_reports(clubs, model(server)).tokens_in // 3
        stopped = run(*command, "--budget", f"tokens={one + 700}")
        assert (stopped.code, stopped.out) == (3, "")
        assert len(server.requests) == 1
        cost = json.loads(run(*command).out)["cost"]
    assert (cost["calls"], cost["kept"]) == (2, 1)
    refused(run("prepare", "reports", clubs.path), "--overwrite")
    assert run("info", clubs.path, "--check").code == 0


def test_a_damaged_database_of_replies_is_told(clubs: Graph, run: Run) -> None:
    with ScriptedLLM(about_a_club) as server:
        prepare_reports(clubs, model(server))
        database = clubs.place.with_name("clubs.graph.communities") / "replies.sqlite"
        content = bytearray(database.read_bytes())
        place = content.index(b"The owl club")
        content[place] ^= 1
        database.write_bytes(content)
        refused(run("info", clubs.path, "--check"), f"{database} is damaged")
        database.unlink()
        assert run("info", clubs.path, "--check").code == 0
        assert prepare_reports(clubs, model(server)).cost.calls == 3
