"""An agent over scripted replies: the walk to the answer in both protocols, and how to run it."""

from __future__ import annotations

import json
from typing import Any

from faults import told

from graphbrick import LLM, Agent, Run, Session
from graphbrick.testing import Reply, ScriptedLLM, tiny_graph

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
SHILLING = "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"


def calls(*pairs: tuple[str, Any]) -> Reply:
    """A reply with native tool calls."""
    texts = [(name, given if isinstance(given, str) else json.dumps(given)) for name, given in pairs]
    return Reply(tool_calls=texts, finish_reason="tool_calls")


WALK = [
    calls(("inverse_neighbours", {"entity": "Nairobi", "relation": "capital"})),
    calls(("neighbours_by_relation", {"entity": "L1", "relation": "currency"})),
    calls(("finish", {"nodes": ["L2"]})),
]
SPOKEN = [
    "Thought: whose capital is it?\nAction: inverse_neighbours[Nairobi, capital]",
    "Action: neighbours_by_relation[L1, currency]",
    "Thought: done\nAction: finish[L2]",
]
TOOLS = "search, neighbours, inverse_neighbours, neighbours_by_relation, combine, degree, scratch_pad"


def ask(
    replies: Any, graph: Any = None, question: str = QUESTION, llm: dict[str, Any] | None = None, **parameters: Any
) -> Run:
    """Run an agent over scripted replies."""
    with ScriptedLLM(replies) as server, Session():
        agent = Agent(LLM(base_url=server.base_url, retries=0, **(llm or {})), **{"tools": TOOLS, **parameters})
        run = agent.run(graph or tiny_graph(), question)
        run.trace.stages[-1].facts["requests"] = len(server.requests)
    return run


def texts(run: Run) -> list[str]:
    """The texts of the evidence, best first."""
    assert run.evidence is not None
    return run.evidence.texts()


def events(run: Run) -> list[str]:
    """Return the codes of the events of a run."""
    return run.trace.event_codes


def advice(run: Run) -> list[tuple[str, dict[str, Any]]]:
    """Return the codes and values of the advice that tools gave the model."""
    told_values = [values for code, values in told(run.trace.events) if code == "agent.advice"]
    return [(values["reason"], {name: values[name] for name in values if name != "reason"}) for values in told_values]
