"""Conversations of agents with models, by native tool calls or a text protocol."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphbrick.bricks.agents.agent_tool import AgentTool
from graphbrick.bricks.agents.text_protocol import Call, read_actions
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.messages import Message, Reply, ToolCall, assistant, system, tool_result, user
from graphbrick.models.llm.replies.replies import one_line

_TASK = (
    "You answer a question by looking things up in a knowledge graph with tools. Use only what the tools return, not "
    "your own knowledge. In results, A -> r -> B means that A has the relation r to B, and A <- r <- B that B has the "
    "relation r to A. Refer to nodes by their names or keys as the results write them, and to lists by their names, "
    "such as L1. When the results hold the answer, call finish with the nodes, or the list, that answer the question.\n"
)
_STOP = ("\nObservation",)  # small models write on what they imagine as the result
_FORMAT = """
In each turn write one thought and one action, and nothing else:
Thought: what you know, and what to look up next
Action: tool["argument", "argument"]
You then get the result as an Observation. Never write an Observation yourself.
"""
_EXAMPLE = """
Example:
Question: Which rivers flow through the capital of Austria?
Nodes that the question names, with their relations:
Austria (country): <- located in, -> capital
Thought: I follow the relation capital from Austria.
Action: {tool}["Austria", "capital"]
Observation: L1 = 1 node (city)
Austria -> capital -> Vienna
their relations: <- born in, -> river, <- capital
Thought: I follow the relation river from L1.
Action: {tool}["L1", "river"]
Observation: L2 = 2 nodes (river)
Vienna -> river -> Danube
Vienna -> river -> Wien
their relations: -> length, <- river
Thought: L2 holds the rivers, which answer the question.
Action: finish["L2"]
"""


class Turn(NamedTuple):
    """A reply of the model, with the results of its tool calls.

    Attributes:
        reply: The reply.
        results: Each call with the text of its result.
        remark: Text that tells the model what to do, if it made no call.
    """

    reply: Message
    results: tuple[tuple[Call, str], ...] = ()
    remark: str = ""


@dataclass(frozen=True)
class Conversation:
    """The messages of an agent about one question.

    Attributes:
        llm: The model.
        tools: The tools by name.
        native: Whether the model calls tools itself; otherwise it writes actions as text.
        opening: The first messages.
    """

    llm: ChatModel
    tools: Mapping[str, AgentTool]
    native: bool
    opening: tuple[Message, ...]

    def messages(self, turns: Sequence[Turn], shortened: int = 0) -> list[Message]:
        """Return all messages; the results of the first ``shortened`` turns are cut to their first lines."""
        messages = list(self.opening)
        for i, turn in enumerate(turns):
            messages.append(turn.reply)
            results = [(call, _cut(text) if i < shortened else text) for call, text in turn.results]
            if self.native:
                messages += [tool_result(_as_tool_call(call), text) for call, text in results if call.id]
                results = [(call, text) for call, text in results if not call.id]
            if results:
                head = "Observation: " if len(results) == 1 else ""
                texts = [text if head else f"Observation of {call.name}: {text}" for call, text in results]
                messages.append(user(head + "\n".join(texts)))
            if turn.remark:
                messages.append(user(turn.remark))
        return messages

    def ask(self, messages: Sequence[Message]) -> Reply:
        """Return the model's reply."""
        tools = [tool.declaration() for tool in self.tools.values()] if self.native else []
        return self.llm.ask(messages, tools=tools, stop=() if self.native else _STOP)

    def context_left(self, messages: Sequence[Message]) -> int:
        """Return the tokens of the context that are left beside messages, tools and the longest reply."""
        return self.llm.context_budget(messages) - 2 * self._tokens_of_tools

    def tokens(self, messages: Sequence[Message]) -> int:
        """Return the tokens that the model reads: messages and tools."""
        return self.llm.tokens(messages) + self._tokens_of_tools

    @property
    def _tokens_of_tools(self) -> int:
        if not self.native:
            return 0
        declared = [[t.name, t.description, t.schema] for t in (tool.declaration() for tool in self.tools.values())]
        return self.llm.tokens([user(json.dumps(declared))])

    def calls(self, reply: Reply) -> list[Call]:
        """Return the calls that a reply makes; a model with tools of its own may write them as text, too."""
        if reply.tool_calls:
            return [Call(call.name, dict(call.arguments), call.id, call.invalid) for call in reply.tool_calls]
        return read_actions(reply.text, self.tools)

    def message(self, reply: Reply, calls: Sequence[Call]) -> Message:
        """Return the reply as it stands in the next messages: without what the model imagined as results."""
        if reply.tool_calls:
            return reply.message
        text = reply.text
        if calls:
            cut = text.lower().find("\nobservation")
            text = text[:cut] if cut > 0 else text
        return assistant(text.strip() or "(nothing)")


def opening(
    question: str, tools: Mapping[str, AgentTool], *, native: bool, instructions: str, first: str, nodes: Sequence[str]
) -> tuple[Message, ...]:
    """Return the first messages.

    Args:
        question: The question.
        tools: The tools by name.
        native: Whether the model calls tools itself.
        instructions: Further instructions; may be empty.
        first: The tool that must be called first; empty for any.
        nodes: The nodes that the question names, each with its relations, if they are known.
    """
    text = _TASK
    if not native:
        lines = [f"{tool.usage}: {tool.description}" for tool in tools.values()]
        text += "\nTools:\n" + "\n".join(lines) + "\n" + _FORMAT
        follow = next((name for name in ("neighbours_by_relation", "neighbours") if name in tools), "")
        text += _EXAMPLE.format(tool=follow) if follow else ""
    if first:
        text += f"\nYour first call must be {first}.\n"
    if instructions:
        text += f"\n{instructions.strip()}\n"
    about = "\n".join(["\nNodes that the question names, with their relations:", *nodes]) if nodes else ""
    return system(text.strip()), user(f"Question: {one_line(question)}{about}")


def _as_tool_call(call: Call) -> ToolCall:
    return ToolCall(call.id, call.name)


def _cut(text: str) -> str:
    """Return the beginning of an old result."""
    first = text.split("\n", 1)[0][:200]
    return text if len(text) <= len(first) + 20 else f"{first} (the rest was left out)"
