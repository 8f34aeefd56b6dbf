"""Run a stage that a scripted model leads, and see the calls, the evidence and the events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from graphbrick import LLM, Evidence, Graph, Query, Subgraph
from graphbrick.core.trace import Trace, record
from graphbrick.pipeline import RetrieveStage
from graphbrick.testing import Reply, Request, ScriptedLLM, tiny_graph

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
PROSE = "Let me think about this question. It is about money, and I am not sure."
"""What a hostile server says to everything: nothing of it is a number or a yes."""


class Walk(NamedTuple):
    """What came of a stage.

    Attributes:
        evidence: What it gave.
        events: Its events.
        prompts: The prompts of its calls in their order.
        facts: Figures of the method.
    """

    evidence: Evidence
    events: list[str]
    prompts: list[str]
    facts: dict[str, float]


def walk(
    stage: Callable[[LLM], RetrieveStage],
    replies: Sequence[str | Reply] | Callable[[Request], str | Reply],
    *seeds: str,
    graph: Graph | None = None,
    question: str = QUESTION,
    **model: Any,
) -> Walk:
    """Run a stage made of a model whose replies are scripted; calls come one at a time, without JSON by default."""
    graph = graph or tiny_graph()
    query = Query(question, seeds=tuple(map(graph.entity, seeds)))
    with ScriptedLLM(replies) as server:
        settings: dict[str, Any] = {"base_url": server.base_url, "parallel": 1, "structured": False}
        llm = LLM(**(settings | model))
        with record(Trace(), "test", "retrieve") as entry:
            evidence = stage(llm).retrieve(query, Subgraph(graph))
        prompts = [request.prompt for request in server.requests]
    return Walk(evidence, entry.events, prompts, entry.facts)


def purpose(prompt: str) -> str:
    """Return which of the prompts of the package a prompt is, by its last word."""
    return prompt.strip().rsplit("\n", 1)[-1].rstrip(":")
