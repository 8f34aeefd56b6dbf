"""`Repeat`: rounds until a condition holds, in text, in runs and in traces."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from faults import fails

from graphbrick import (
    BM25,
    LLM,
    EnoughPaths,
    Expand,
    Graph,
    LLMEnough,
    PathAnswer,
    Query,
    Repeat,
    Rerank,
    ShortestPaths,
    parse,
)
from graphbrick.core import Evidence
from graphbrick.core.errors import PipelineError
from graphbrick.pipeline import Condition, LinkStage, Run, Sequence
from graphbrick.pipeline.budget import Budget, spending
from graphbrick.pipeline.identity import identity_of
from graphbrick.study.runs.prefixes import SharedStages
from graphbrick.testing import ScriptedLLM, tiny_graph

QUESTION = "What is around Nairobi?"
WIDEN = Expand() >> ShortestPaths()


@pytest.fixture(scope="module")
def graph() -> Graph:
    return tiny_graph()


@pytest.mark.parametrize(
    "text",
    [
        "Repeat(Expand() >> ShortestPaths(), until=EnoughPaths(n=5), at_most=4)",
        "Repeat(Expand(max_hops=2) >> ShortestPaths(), until=LLMEnough(LLM()), at_most=9) >> Rerank(BM25(), n=32)",
        "PPR(k=5) >> (Repeat(Expand() >> ShortestPaths(), until=EnoughPaths(n=5), at_most=2) | ShortestPaths())",
        "Repeat((Expand() | Expand(max_hops=2)) >> ShortestPaths(), until=EnoughPaths(n=5), at_most=4) >> PathAnswer()",
    ],
)
def test_text_round_trip(text: str) -> None:
    assert repr(parse(text)) == text
    assert parse(text).identity() == text
    assert parse(repr(parse(text))) == parse(text)


def test_arguments_by_place_and_name() -> None:
    pipeline = Repeat(WIDEN, EnoughPaths(n=8))
    assert pipeline == parse("Repeat(Expand() >> ShortestPaths(), EnoughPaths())")
    assert repr(pipeline) == "Repeat(Expand() >> ShortestPaths(), until=EnoughPaths(n=8), at_most=4)"


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        ("Repeat(ShortestPaths(), EnoughPaths())", "repeat.cannot_go_round", {}),
        ("Repeat(Expand(), EnoughPaths())", "repeat.cannot_judge", {}),
        ("Repeat(BM25(), EnoughPaths())", "parameter.not_allowed", {"name": "stage", "allowed": "a pipeline"}),
        (
            "Repeat(Expand() >> ShortestPaths(), BM25())",
            "parameter.not_allowed",
            {"name": "until", "allowed": "a condition"},
        ),
        ("Repeat(Expand() >> ShortestPaths(), EnoughPaths(), 0)", "parameter.not_allowed", {"name": "at_most"}),
        ("Repeat(Expand() >> ShortestPaths())", "recipe.missing_parameter", {"names": ["until"]}),
        ("EnoughPaths()", "recipe.model_alone", {}),
    ],
)
def test_what_cannot_be_repeated(text: str, code: str, values: dict[str, object]) -> None:
    with fails(code, PipelineError, **values):
        parse(text)


def test_rounds_widen_until_there_is_enough(graph: Graph) -> None:
    run = Repeat(WIDEN, EnoughPaths(n=4), at_most=9).run(graph, QUESTION)
    assert run.evidence is not None
    assert len(run.evidence) == 4
    link, entry = run.trace.stages
    assert (link.kind, entry.kind) == ("link", "repeat")
    assert [child.stage for child in entry.children] == ["Expand()", "ShortestPaths()"] * 2
    assert [child.counts_out.get("nodes") for child in entry.children[::2]] == [2, 4]
    assert (entry.counts_in, entry.counts_out) == ({"seeds": 1}, {"paths": 4})
    assert entry.events == []


def test_it_ends_after_the_last_round_with_an_event(graph: Graph) -> None:
    run = (Repeat(WIDEN, EnoughPaths(n=1000), at_most=2) >> Rerank(BM25()) >> PathAnswer()).run(graph, QUESTION)
    assert run.trace.event_codes == ["repeat.condition_not_met"]
    assert run.answer is not None
    assert [stage.kind for stage in run.trace.stages] == ["link", "repeat", "rerank", "generate"]


def test_a_trace_nests_without_counting_twice(graph: Graph) -> None:
    with ScriptedLLM(['{"enough": false}', '{"enough": true}']) as server:
        run = Repeat(WIDEN, LLMEnough(LLM(base_url=server.base_url)), at_most=5).run(graph, QUESTION)
    entry = run.trace.stages[-1]
    assert len(entry.children) == 4
    assert run.trace.ledger["calls"] == entry.calls == 2  # the stages inside called no model
    assert len(entry.exchanges) == 2
    assert run.trace.seconds == sum(stage.seconds for stage in run.trace.stages)
    assert entry.seconds >= sum(child.seconds for child in entry.children)
    assert [depth for depth, _ in run.trace.walk()] == [0, 0, 1, 1, 1, 1]
    told = run.trace.to_dict()
    assert [child["stage"] for child in told["stages"][1]["children"]][:2] == ["Expand()", "ShortestPaths()"]
    assert any("enough" in event for event in run.trace.events)


def test_a_copy_of_a_trace_shares_nothing(graph: Graph) -> None:
    trace = Repeat(WIDEN, EnoughPaths(n=4)).run(graph, QUESTION).trace
    copy = trace.copy()
    assert copy == trace
    copy.stages[-1].children[0].events.append("later")
    copy.stages[-1].children.clear()
    assert len(trace.stages[-1].children) == 4
    assert trace.events == []


@dataclass(frozen=True, repr=False)
class Stopping(Condition):
    """Cancels the budget when it is asked the first time."""

    budget = Budget(seconds=60)

    def holds(self, run: Run) -> bool:
        self.budget.cancel()
        return False


def test_a_budget_ends_it_between_rounds(graph: Graph) -> None:
    with spending(Stopping.budget):
        run = (Repeat(WIDEN, Stopping(), at_most=9) >> PathAnswer()).run(graph, QUESTION)
    assert run.stopped is not None
    assert len(run.trace.stages[-1].children) == 2  # one round
    assert run.evidence is not None
    assert run.evidence.items
    assert run.stopped.undone[-1] == "PathAnswer()"


def test_conditions(graph: Graph) -> None:
    run = WIDEN.run(graph, QUESTION)
    assert run.evidence is not None
    assert EnoughPaths(n=1).holds(run)
    assert not EnoughPaths(n=2).holds(run)
    assert not EnoughPaths(n=1).holds(replace(run, evidence=None))
    assert not LLMEnough(LLM(base_url="http://localhost:1/v1")).holds(replace(run, evidence=Evidence()))  # not asked


def test_it_links_by_default_once(graph: Graph) -> None:
    run = Repeat(WIDEN, EnoughPaths(n=1000), at_most=3).run(graph, QUESTION)
    assert [stage.kind for _, stage in run.trace.walk()].count("link") == 1


def test_repeating_is_shared_by_pipelines_that_begin_so(graph: Graph) -> None:
    begin = Repeat(WIDEN, EnoughPaths(n=4))
    first, second = SharedStages([begin >> Rerank(BM25(), n=1), begin >> PathAnswer()]).run(graph, Query(QUESTION))
    assert first.kinds == ("link", "repeat", "rerank")
    assert first.run.trace.stages[1] == second.run.trace.stages[1]
    assert first.run.trace.stages[1].children[0] is not second.run.trace.stages[1].children[0]


def test_expanding(graph: Graph) -> None:
    query = Query("?", seeds=(graph.entity("Kigali"),))
    run = Expand(max_hops=2, direction="in").run(graph, query)
    assert run.subgraph is not None
    assert run.subgraph.nodes is not None
    assert sorted(map(graph.label, run.subgraph.nodes.tolist())) == ["Kigali", "Rwanda"]
    capped = Expand(max_hops=9, cap=3).run(graph, query)
    assert capped.subgraph is not None
    assert capped.subgraph.n_nodes == 3
    assert any("stopped at the cap of 3 entities" in event for event in capped.trace.events)
    nowhere = Expand().run(graph, replace(query, seeds=()), seeds=["Kenya"])
    assert nowhere.subgraph is not None
    assert identity_of(Expand()) == "Expand()"


def test_evidence_of_the_smaller_subgraph_is_dropped(graph: Graph) -> None:
    run = (WIDEN >> Expand()).run(graph, QUESTION)
    assert run.evidence is None
    assert run.level == (WIDEN >> Expand()).gives


def test_pipelines_have_no_run_logic() -> None:
    assert not any(hasattr(kind, "apply") or hasattr(kind, "_step") for kind in (Sequence, Repeat, LinkStage, Expand))
