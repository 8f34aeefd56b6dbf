from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as File
from typing import Any

import numpy as np
import pytest
from faults import fails, told

from graphbrick import BM25, LLM, PathAnswer, Query, Rerank, ShortestPaths, build
from graphbrick.bricks.extract.planned_relations import PlannedRelations
from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import RelationRecord
from graphbrick.patterns.planned import relation_paths
from graphbrick.testing import Reply, Request, ScriptedLLM, check_brick, tiny_graph

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
Way = tuple[str, bool]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def extract(
    reply: str | Reply,
    *seeds: str,
    graph: Graph | None = None,
    model: Mapping[str, Any] | None = None,
    **parameters: int,
) -> tuple[set[str], list[str], str, dict[str, float]]:
    """The triples found, the events, the prompt and the facts."""
    graph = graph or tiny_graph()
    query = Query(QUESTION, seeds=tuple(map(graph.entity, seeds)))
    with ScriptedLLM([reply]) as server, record(Trace(), "test", "extract") as entry:
        llm = LLM(base_url=server.base_url, timeout=60.0, retries=0, **(model or {}))
        found = PlannedRelations(llm, **parameters).extract(graph, query)
        prompt = server.requests[0].prompt if server.requests else ""
        assert entry.calls == len(server.requests) <= 1
        assert all(llm.context_budget(request.body["messages"]) >= 0 for request in server.requests)
    assert found.nodes is not None
    assert found.triples is not None
    ends = {end for triple in found.triples.tolist() for end in graph.triple(triple)[::2]}
    assert found.nodes.tolist() == sorted(ends | set(query.seeds))
    assert found.triples.tolist() == sorted(set(found.triples.tolist()))
    assert (found.nodes.dtype, found.triples.dtype) == (np.int32, np.int32)
    return {graph.triple_text(t) for t in found.triples.tolist()}, entry.events, prompt, entry.facts


def numbers(prompt: str) -> dict[str, int]:
    """The relations offered with their numbers."""
    lines = prompt.split("Relations:\n")[1].split("\n\nStart: ")[0].split("\n")
    return {line.partition(". ")[2]: int(line.partition(". ")[0]) for line in lines}


def test_what_the_model_is_shown() -> None:
    prompt = extract("NONE", "Nairobi")[2]
    assert prompt.endswith(
        "Relations:\n"
        "1. <- capital\n"  # one hop
        "2. -> borders\n3. <- borders\n4. -> currency\n"  # two hops
        "5. -> capital\n6. -> largest city"  # three hops
        "\n\nStart: Nairobi\nQuestion: Which currency is used in the country whose capital is Nairobi?\nRelation paths:"
    )
    assert "3 most promising relation paths at most" in prompt
    assert 'at most 4 relations, such as {"paths": [[3, 7], [2]]}.' in prompt
    near = extract("NONE", "Nairobi", max_hops=2, plans=5)[2]
    assert list(numbers(near)) == ["<- capital", "-> borders", "<- borders", "-> currency"]
    assert "5 most promising" in near
    assert "Start: Rwanda; Kenya\n" in extract("NONE", "Rwanda", "Kenya")[2].replace("Kenya; Rwanda", "Rwanda; Kenya")


def test_a_schema_is_sent_where_the_model_keeps_to_it() -> None:
    with ScriptedLLM(["NONE"]) as server:
        for structured in (True, False):
            llm = LLM(base_url=server.base_url, structured=structured)
            PlannedRelations(llm, max_hops=3, plans=2).extract(tiny_graph(), Query(QUESTION, seeds=(0,)))
        first, second = server.requests
    number = {"type": "integer", "minimum": 1, "maximum": len(numbers(first.prompt))}
    path = {"type": "array", "items": number, "maxItems": 3}
    assert first.body["response_format"]["json_schema"]["schema"] == {
        "type": "object",
        "properties": {"paths": {"type": "array", "items": path, "maxItems": 2}},
        "required": ["paths"],
        "additionalProperties": False,
    }
    assert "response_format" not in second.body
    assert "at most 3, with > between them. For example\n2\n3 > 7\nare two paths" in second.prompt
    assert "reply NONE" in second.prompt


def test_relations_are_left_out_where_the_context_is_short(tmp_path: File) -> None:
    rows = [("s", f"a relation of a name with some words {i:02}", f"e{i}") for i in range(50)]
    graph = build(rows, tmp_path / "long.graph")
    model = {"context": 900, "max_tokens": 100}
    triples, events, prompt, _ = extract('{"paths": [[1], [99]]}', "s", graph=graph, model=model)
    shown = numbers(prompt)
    assert 10 < len(shown) < 50
    assert list(shown) == [f"-> a relation of a name with some words {i:02}" for i in range(len(shown))]
    assert told(events)[0] == ("planner.relations_cut", {"n": len(shown), "total": 50})
    assert triples == {"s -> a relation of a name with some words 00 -> e0"}
    # One that it was not shown is no relation by its number, but still by its name.
    assert extract("-> a relation of a name with some words 49", "s", graph=graph, model=model)[0]
    assert not extract(f"{len(shown) + 1}", "s", graph=graph, model=model)[0]


def test_seeds_are_left_out_where_the_context_is_short(tmp_path: File) -> None:
    graph = build([(f"a seed of a name with some words {i:02}", "r", "e") for i in range(60)], tmp_path / "many.graph")
    seeds = [f"a seed of a name with some words {i:02}" for i in range(60)]
    triples, events, prompt, _ = extract("1", *seeds, graph=graph, model={"context": 900, "max_tokens": 100})
    shown = prompt.split("Start: ")[1].split("\n")[0].split("; ")
    assert 5 < len(shown) < 60
    assert told(events) == [("planner.seeds_cut", {"n": len(shown), "total": 60})]
    assert len(triples) == 60  # all seeds are searched from


def test_the_nearest_relations_are_shown_the_most_frequent_first() -> None:
    rows = [("a", "rare", "b"), ("a", "often", "c"), ("a", "often", "d"), ("d", "far", "e"), ("f", "far", "d")]
    graph = tiny_graph().path.with_name("frequent.graph")
    built = build(rows, graph)
    assert list(numbers(extract("NONE", "a", graph=built)[2])) == ["-> often", "-> rare", "-> far", "<- far"]
    _, events, prompt, _ = extract("NONE", "a", graph=built, relations=1)
    assert list(numbers(prompt)) == ["-> often"]
    assert told(events)[0] == ("planner.nearest_relations", {"n": 1, "total": 2})
    # As many as there are is no event.
    assert len(extract("NONE", "a", graph=built, relations=4)[1]) == 1


@pytest.mark.parametrize(
    "reply",
    [
        "1 > 4",
        "1. 1 > 4",
        "1 -> 4",
        "[[1, 4]]",
        '{"paths": [[1, 4]]}',
        '{"paths": ["1 > 4"]}',
        '{"paths": [["capital", "currency"]]}',
        'Of course:\n```json\n{"paths": [[1, 4]]}\n```',
        "Path 1: 1 > 4 (the currency of the country)",
        "<think>4 > 1?</think>\n1 > 4",
        "<- capital -> currency",
        "capital > currency",
        "<PATH>capital<SEP>currency</PATH>",
        "The best path is this.\n1 > 4",
    ],
)
def test_a_plan_in_many_forms(reply: str) -> None:
    triples, events, _, facts = extract(reply, "Nairobi")
    assert triples == {"Kenya -> capital -> Nairobi", "Kenya -> currency -> Kenyan shilling"}
    assert events == []
    assert facts == {"plans_matched": 1}


def test_several_plans_and_seeds() -> None:
    triples, events, prompt, facts = extract("-> currency\n-> borders", "Kenya", "Uganda")
    assert triples == {
        "Kenya -> currency -> Kenyan shilling", "Uganda -> currency -> Ugandan shilling",
        "Kenya -> borders -> Uganda", "Uganda -> borders -> Kenya",
    }  # fmt: skip
    assert (events, facts) == ([], {"plans_matched": 2})
    assert "Start: Kenya; Uganda" in prompt


def test_no_entity_is_visited_twice() -> None:
    # Kenya -> borders -> Uganda -> borders -> Kenya comes back, Rwanda borders itself.
    assert extract("-> borders -> borders", "Kenya")[0] == set()
    assert extract("-> borders", "Rwanda")[0] == {"Rwanda -> borders -> Uganda"}
    assert extract("-> borders -> borders", "Rwanda")[0] == {
        "Rwanda -> borders -> Uganda",
        "Uganda -> borders -> Kenya",
    }


def test_a_relation_that_was_not_shown_is_found_by_name() -> None:
    _, _, prompt, _ = extract("NONE", "Kigali", max_hops=1)
    assert list(numbers(prompt)) == ["<- capital"]
    triples, events, _, _ = extract("capital\n-> borders", "Kenya", relations=1)
    assert triples == {"Kenya -> capital -> Nairobi", "Kenya -> borders -> Uganda"}
    assert told(events) == [("planner.nearest_relations", {"n": 1, "total": 4})]


def test_two_relations_of_one_name_are_one_to_the_model(tmp_path: File) -> None:
    rows = [("a", "r1", "b"), ("a", "r2", "c"), RelationRecord("r1", "wrote"), RelationRecord("r2", "wrote")]
    graph = build(rows, tmp_path / "names.graph")
    triples, events, prompt, _ = extract("1", "a", graph=graph)
    assert list(numbers(prompt)) == ["-> wrote"]
    assert triples == {"a -> wrote -> b", "a -> wrote -> c"}
    assert events == []
    assert extract("-> r2", "a", graph=graph)[0] == {"a -> wrote -> c"}


NONE_READ, NOT_ONE, TOO_LONG = "planner.unread_reply", "planner.not_a_relation", "planner.path_too_long"


@pytest.mark.parametrize(
    ("reply", "codes"),
    [
        ("NONE", ["planner.no_path"]),
        ('{"paths": []}', ["planner.no_path"]),
        ("I do not know.", [NONE_READ]),
        ("1 > 99", [NOT_ONE, NONE_READ]),
        ("0", [NOT_ONE, NONE_READ]),
        ("-1", [NOT_ONE, NONE_READ]),
        ("1 > nothing", [NOT_ONE, NONE_READ]),
        ("capi > currency", [NOT_ONE, NONE_READ]),
        ("1 > 2 > 2 > 2 > 4", [TOO_LONG, NONE_READ]),
        ("4 > 1", ["planned_relations.no_match"]),
    ],
)
def test_without_a_plan_the_seeds_are_alone(reply: str, codes: list[str]) -> None:
    triples, events, *_ = extract(reply, "Nairobi")
    assert (triples, [code for code, _ in told(events)]) == (set(), codes)
    assert len(extract("", "Nairobi")[1]) == 2  # that the reply is empty, too


def test_no_more_plans_than_asked_for() -> None:
    reply = "1\n1\n1 > 4\n1 > 2"
    triples, events, _, facts = extract(reply, "Nairobi", plans=2)
    assert triples == {"Kenya -> capital -> Nairobi", "Kenya -> currency -> Kenyan shilling"}
    assert told(events) == [("planner.too_many_paths", {"n": 2, "total": 3})]
    assert facts == {"plans_matched": 2}


def test_seeds_without_relations_ask_nothing() -> None:
    triples, events, prompt, _ = extract("1")
    assert (triples, prompt) == (set(), "")
    assert told(events) == [("planner.no_relation", {})]


def test_the_cap_keeps_whole_paths(tmp_path: File) -> None:
    rows = [("s", "r", f"m{i}") for i in range(10)] + [(f"m{i}", "q", f"e{i}") for i in range(10)]
    graph = build(rows, tmp_path / "comb.graph")
    triples, events, _, _ = extract("-> r -> q", "s", graph=graph, cap=7)
    heads = {text.split(" -> ")[2] for text in triples if text.startswith("s ")}
    assert len(triples) == 6
    assert {text.split(" -> ")[0] for text in triples if not text.startswith("s ")} == heads
    assert told(events) == [("planned_relations.cap", {"cap": 7, "plan": "-> r -> q"})]
    assert len(extract("-> r -> q", "s", graph=graph, cap=20)[0]) == 20


def test_a_hop_may_be_taken_either_way() -> None:
    graph = tiny_graph()
    borders = next(r for r in range(graph.n_relations) if graph.relation_label(r) == "borders")
    either = frozenset({(borders, True), (borders, False)})
    paths = list(relation_paths.match(graph, graph.entity("Kenya"), [either, either]))
    found = {tuple(graph.triple_text(t) for t in path) for path in paths}
    assert ("Kenya -> borders -> Uganda", "Rwanda -> borders -> Uganda") in found
    assert {pair[1] for pair in found} == {"Rwanda -> borders -> Uganda"}
    assert extract("borders > borders", "Kenya")[0] == {text for pair in found for text in pair}


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """Two hubs with 20,000 neighbours in common: four hundred million walks of three hops, and more of four."""
    n = 20_000
    rows = [
        (f"p{i}", relation, end) for i in range(n) for relation, end in (("lives in", "city"), ("works for", "firm"))
    ]
    return build(rows, tmp_path_factory.mktemp("hub") / "hub.graph")


@pytest.mark.whole
def test_a_hub_stays_within_bounds(hub: Graph) -> None:
    triples, events, prompt, _ = extract("<- lives in -> works for <- works for", "city", graph=hub, cap=500)
    assert list(numbers(prompt)) == ["<- lives in", "-> works for"]
    assert 498 <= len(triples) <= 500
    ((code, values),) = told(events)
    assert (code, values["cap"]) == ("planned_relations.cap", 500)
    # All of them come back to where they came from.
    assert extract("<- lives in -> lives in", "city", graph=hub)[0] == set()


def test_bounds_that_are_reached_are_events(hub: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relation_paths, "LOOKED_AT", 50)
    paths = list(relation_paths.match(hub, hub.entity("city"), [frozenset({(0, False)})]))
    assert len(paths) == 50
    with record(Trace(), "test", "extract") as entry:
        list(relation_paths.match(hub, hub.entity("city"), [frozenset({(0, False)})]))
    assert told(entry.events) == [("relation_paths.triples_limit", {"limit": 50, "seed": "city"})]
    monkeypatch.setattr(relation_paths, "_TRIES", 30)
    with record(Trace(), "test", "extract") as entry:
        list(relation_paths.match(tiny_graph(), tiny_graph().entity("Kenya"), [frozenset({(2, True), (2, False)})] * 2))
    assert entry.events == []
    monkeypatch.setattr(relation_paths, "_TRIES", 1)
    with record(Trace(), "test", "extract") as entry:
        list(relation_paths.match(tiny_graph(), tiny_graph().entity("Kenya"), [frozenset({(2, True), (2, False)})] * 2))
    assert told(entry.events) == [("relation_paths.gave_up", {"seed": "Kenya"})]


def test_in_a_pipeline() -> None:
    def script(request: Request) -> str:
        offered = numbers(request.prompt)
        return f"{offered['<- capital']} > {offered['-> currency']}"

    with ScriptedLLM(script) as server:
        planned = PlannedRelations(LLM(base_url=server.base_url))
        answer = (planned >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer())(
            tiny_graph(), QUESTION, seeds=["Nairobi"]
        )
    assert answer.texts == ("Kenyan shilling",)
    assert answer.trace is not None
    stage = answer.trace.stages[1]
    assert (stage.counts_out, stage.calls) == ({"nodes": 3, "triples": 2}, 1)


def test_a_fault_of_the_server_is_raised() -> None:
    with pytest.raises(ModelError, match="status 400"):
        extract(Reply("no", status=400), "Nairobi")


@pytest.mark.parametrize(
    ("parameters", "example"),
    [
        ({"max_hops": 11}, "4"),
        ({"plans": 0}, "3"),
        ({"relations": 0}, "60"),
        ({"cap": 0}, "10000"),
        ({"llm": BM25()}, "LLM()"),
    ],
)
def test_wrong_parameters(parameters: dict[str, object], example: str) -> None:
    ((name, value),) = parameters.items()
    with fails("parameter.not_allowed", PipelineError, name=name, value=repr(value), example=example):
        PlannedRelations(**({"llm": LLM()} | parameters))  # type: ignore[arg-type]


@pytest.mark.parametrize("reply", ["-> borders\n<- capital -> currency", "1 > 2\n1", "1. Kenyan shilling", "NONE"])
def test_the_contract(reply: str) -> None:
    with ScriptedLLM([reply]) as server:
        check_brick(PlannedRelations(LLM(base_url=server.base_url), max_hops=3), installed=False)
