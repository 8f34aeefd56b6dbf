"""Paths under a grammar: what the model may write, hypotheses, and servers that do not obey."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from faults import fails, told
from grammar_texts import texts_of

from graphbrick import LLM, AllPaths, ConstrainedPaths, Evidence, Graph, Query, Subgraph
from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.testing import Reply, Request, ScriptedLLM, tiny_graph

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
KENYA = "Nairobi <- capital <- Kenya"


def retrieve(
    stage: ConstrainedPaths, *seeds: str, subgraph: Subgraph | None = None, graph: Graph | None = None
) -> tuple[Evidence, StageTrace]:
    graph = graph or tiny_graph()
    query = Query(QUESTION, seeds=tuple(map(graph.entity, seeds)))
    with record(Trace(), "test", "retrieve") as entry:
        return stage.retrieve(query, subgraph or Subgraph(graph)), entry


def first_allowed(request: Request) -> str:
    return texts_of(request.body["grammar"])[0]


def test_the_grammar_allows_exactly_the_paths_around_the_seeds() -> None:
    with ScriptedLLM([KENYA]) as server:
        evidence, entry = retrieve(ConstrainedPaths(LLM(base_url=server.base_url), n=1), "Nairobi")
        allowed = texts_of(server.requests[0].body["grammar"])
    graph = tiny_graph()
    everything = AllPaths(max_hops=2).retrieve(Query("?", (graph.entity("Nairobi"),)), Subgraph(graph))
    assert sorted(allowed) == sorted(set(everything.texts()))
    assert evidence.texts() == [KENYA]
    assert entry.facts == {"paths_in_grammar": 4}
    assert entry.events == []


def test_each_hypothesis_leaves_the_ones_before_out_until_the_trie_is_empty() -> None:
    with ScriptedLLM(first_allowed) as server:
        evidence, entry = retrieve(ConstrainedPaths(LLM(base_url=server.base_url)), "Nairobi")
        sizes = [len(texts_of(request.body["grammar"])) for request in server.requests]
        prompts = {request.prompt for request in server.requests}
    assert sizes == [4, 3, 2, 1]
    assert len(prompts) == 1
    assert len(set(evidence.texts())) == 4
    assert [item.score for item in evidence.items] == [1, 1 / 2, 1 / 3, 1 / 4]
    assert told(entry.events) == [("constrained_paths.all_written", {"n": 4, "total": 4})]


def test_n_ends_it() -> None:
    with ScriptedLLM(first_allowed) as server:
        evidence, entry = retrieve(ConstrainedPaths(LLM(base_url=server.base_url), n=3), "Nairobi")
        assert len(server.requests) == len(evidence) == 3
    assert entry.events == []


def test_samples_come_from_one_call_ordered_by_their_share() -> None:
    shilling = f"{KENYA} -> currency -> Kenyan shilling"
    with ScriptedLLM([Reply(KENYA, others=[shilling, shilling])]) as server:
        stage = ConstrainedPaths(LLM(base_url=server.base_url, temperature=0.7), n=3, decode="sample")
        evidence, entry = retrieve(stage, "Nairobi")
        assert [request.body["n"] for request in server.requests] == [3]
    assert [(item.text, item.score) for item in evidence.items] == [(shilling, 2 / 3), (KENYA, 1 / 3)]
    with ScriptedLLM([KENYA]) as server:  # a server that gives one whatever is asked for
        stage = ConstrainedPaths(LLM(base_url=server.base_url, temperature=0.7), n=3, decode="sample")
        _, entry = retrieve(stage, "Nairobi")
    assert entry.events == ["gpt-4.1-mini was asked for 3 replies and gave 1"]
    with fails("parameter.not_allowed", PipelineError, name="decode", value="'sample'"):
        ConstrainedPaths(LLM(), decode="sample")


def test_without_paths_the_model_is_not_called() -> None:
    graph = tiny_graph()
    alone = Subgraph(graph, np.array([graph.entity("Nairobi")], dtype=np.int32), np.zeros(0, dtype=np.int32))
    with ScriptedLLM(["never"]) as server:
        evidence, entry = retrieve(ConstrainedPaths(LLM(base_url=server.base_url)), "Nairobi", subgraph=alone)
        assert server.requests == []
    assert not evidence.items
    assert told(entry.events) == [("constrained_paths.no_path", {})]


@pytest.mark.parametrize(
    "reply", ["The currency is the Kenyan shilling.", "Nairobi -> mayor -> Johnson Sakaja", "Nairobi", ""]
)
def test_a_server_that_ignores_the_grammar_is_an_error(reply: str) -> None:
    with ScriptedLLM([reply]) as server, fails("constrained_paths.no_grammar", ModelError):
        retrieve(ConstrainedPaths(LLM(base_url=server.base_url)), "Nairobi")


def test_a_server_that_refuses_grammars_says_so() -> None:
    refusal = Reply("Unrecognized request argument supplied: grammar", status=400)
    with ScriptedLLM([refusal]) as server, pytest.raises(ModelError, match="Unrecognized request argument"):
        retrieve(ConstrainedPaths(LLM(base_url=server.base_url)), "Nairobi")


@pytest.mark.parametrize("cut", [f"{KENYA} -> curr", f"{KENYA} -> currency -> Kenyan s\ufffd"])
def test_a_path_that_was_cut_off_is_left_out_and_the_search_goes_on(cut: str) -> None:
    replies: Iterator[str | Reply] = iter([KENYA, Reply(cut, finish_reason="length")])
    with ScriptedLLM(lambda request: next(replies, first_allowed(request))) as server:
        evidence, entry = retrieve(ConstrainedPaths(LLM(base_url=server.base_url), n=3), "Nairobi")
        assert [len(texts_of(request.body["grammar"])) for request in server.requests] == [4, 3, 2]
    assert evidence.texts()[0] == KENYA
    assert len(evidence) == 2
    assert told(entry.events)[1] == ("constrained_paths.cut_off", {"tokens": 256})
    assert told(entry.events)[2] == ("constrained_paths.begun_left_out", {"n": 1})


def test_paths_that_are_all_cut_off_end_the_search() -> None:
    with ScriptedLLM([Reply("Nai\ufffd", finish_reason="length")]) as server:
        evidence, entry = retrieve(ConstrainedPaths(LLM(base_url=server.base_url)), "Nairobi")
        assert len(server.requests) == 1
    assert not evidence.items
    assert told(entry.events)[-1] == ("constrained_paths.all_written", {"n": 0, "total": 4})


def test_the_prompt_lists_relations_only_if_it_is_to() -> None:
    prompts = []
    for relations in (0, 2):
        with ScriptedLLM(first_allowed) as server:
            retrieve(ConstrainedPaths(LLM(base_url=server.base_url), n=1, relations=relations), "Nairobi")
            prompts.append(server.requests[0].prompt)
    assert "Relations near the start" not in prompts[0]
    assert "Relations near the start: <- capital, -> currency\n" in prompts[1]
    assert all("Kenyan shilling" not in prompt.partition("Start:")[2] for prompt in prompts)
