"""An agent: a language model that walks over the graph with tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from graphbrick.bricks.agents.agent_tool import AgentTool
from graphbrick.bricks.agents.conversation import Conversation, opening
from graphbrick.bricks.agents.episode import Episode, Limits
from graphbrick.bricks.agents.toolbox import DEFAULT, select
from graphbrick.bricks.agents.tools.properties import names_properties, with_names
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.errors import GraphbrickError, InputError, LinkError, PipelineError
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, record_within
from graphbrick.graphs.local.seeds import mentioned
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.local_llm import LocalLLM
from graphbrick.pipeline import RetrieveStage
from graphbrick.pipeline.budget import StoppedError
from graphbrick.pipeline.catalog import default_linker

_TEXT_FILES = (".txt", ".md")
_INTRODUCED = 10  # nodes that the question names


@dataclass(frozen=True, repr=False)
class Agent(RetrieveStage):
    """Evidence that a language model collects with tools until it names the answer.

    The model is told the question, the nodes that it names, and the tools. In each step it calls one or several tools,
    which run at the same time, and reads their results. It ends with ``finish``, which names the nodes of the answer,
    or at a limit, which is an event. Wrong arguments come back to it as advice. Each step is a child of the stage in
    the trace, with the call to the model, and each tool call is a child of its step.

    It runs on any graph with labels and neighbours, and inside a subgraph if a stage before made one.

    Args:
        llm: The language model, such as LLM().
        tools: Names of tools with commas between (docs/agents.md); ``finish`` is always there.
        max_steps: Calls to the model, at least 1.
        max_calls: Tool calls, at least 1.
        max_tokens: Tokens read and written in all steps together; no step begins that would read more.
        protocol: "native" if the model calls tools itself, "text" if it writes actions as text, which small models can
            follow; "auto" is "text" for a LocalLLM and "native" for others.
        instructions: What else to tell the model, such as the meaning of relations or examples: a text, or the path of
            a .txt or .md file; empty for nothing.
        first: A tool that must be called before any other, such as "search"; empty for none.

    Returns:
        First the paths that lead to the nodes named in ``finish``, and rows about them; then all other triples, rows
        and nodes that were shown, in the order of sight. A path goes from where the agent began to walk; its last
        triple is what was seen.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time, before any tool has run; later it is an
            event, and the evidence so far is returned.

    Example:
        >>> from graphbrick import LLM
        >>> from graphbrick.bricks.agents.agent import Agent
        >>> from graphbrick.testing import ScriptedLLM, tiny_graph
        >>> replies = ['Action: neighbours_by_relation["Kenya", "capital"]', 'Action: finish["Nairobi"]']
        >>> with ScriptedLLM(replies) as server:
        ...     agent = Agent(LLM(base_url=server.base_url), protocol="text")
        ...     run = agent.run(tiny_graph(), "What is the capital of Kenya?")
        >>> run.evidence.texts()
        ['Kenya -> capital -> Nairobi']
    """

    paper = "Yao et al., ReAct, ICLR 2023; Jin et al., Graph Chain-of-Thought, ACL 2024 (tools)"
    needs = frozenset({Capability.LABELS, Capability.NEIGHBOURS})
    starts_at_seeds = False
    links_itself = True

    llm: ChatModel = parameter(example="LLM()")
    tools: str = parameter(DEFAULT)
    max_steps: int = parameter(8, at_least=1, search=(4, 8, 15))
    max_calls: int = parameter(32, at_least=1)
    max_tokens: int = parameter(60_000, at_least=1)
    protocol: str = parameter("auto", choices=("auto", "native", "text"))
    instructions: str = parameter("", may_be_empty=True, path=True, example="Genes are written by their symbols.")
    first: str = parameter("", may_be_empty=True, example="search")

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            names = [tool.name for tool in select(self.tools)]
        except PipelineError as error:
            raise PipelineError(f"Agent tools: {error}", code="agent.bad_tools") from None
        if self.first and self.first not in names:
            self.refuse("first", f"one of its tools ({', '.join(names)}) or empty", names[0])

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Let the model work on the question, and return what it has seen."""
        work = Workspace(query.text, subgraph, repr(self))
        seeds = [seed for seed in query.seeds or self._linked(query, subgraph) if work.holds(seed)]
        work.begin(seeds)
        tools = {tool.name: tool for tool in self._tools(subgraph)}
        native = self.protocol == "native" or (self.protocol == "auto" and not isinstance(self.llm, LocalLLM))
        first_tool = self.first if self.first in tools else ""
        if self.first and not first_tool:
            event(
                f"the first call may be any, as {self.first} was left out", "agent.first_tool_left_out", tool=self.first
            )
        messages = opening(
            query.text,
            tools,
            native=native,
            instructions=self._instructions(),
            first=first_tool,
            nodes=[_introduced(work, seed) for seed in seeds[:_INTRODUCED]],
        )
        conversation = Conversation(self.llm, tools, native, messages)
        limits = Limits(self.max_steps, self.max_calls, self.max_tokens)
        try:
            Episode(conversation, work, limits, first_tool).run()
        except StoppedError as error:
            error.evidence = work.evidence()
            raise
        return work.evidence()

    def _linked(self, query: Query, subgraph: Subgraph) -> Sequence[int]:
        """Return the entities that the question names; without any, the agent has to search."""
        if not subgraph.is_whole:
            return ()  # a stage before looked for them
        graph: Any = subgraph.graph
        linker = default_linker()
        if not linker.needs <= capabilities_of(graph):
            return mentioned(graph, query.text)
        with record_within(repr(linker), linker.kind) as entry:
            try:
                seeds = linker.link(graph, query).seeds
            except LinkError as error:
                event(f"the agent began without entities: {error}", "agent.no_entities")
                seeds = ()
            entry.counts_out = {"seeds": len(seeds)}
        return seeds

    def _tools(self, subgraph: Subgraph) -> list[AgentTool]:
        """Return the tools that work on a graph."""
        gives = capabilities_of(subgraph.graph)
        has_queries = subgraph.is_whole and Capability.QUERY_LANGUAGE in gives
        tools = [with_names(tool, subgraph.graph) for tool in select(self.tools)]
        if self.tools == DEFAULT:  # for other graphs it is known only after requests whether there are properties
            tools = [tool for tool in tools if not tool.needs_properties or names_properties(tool)]
        lacking = {
            "the graph has no query language, or a subgraph was made of it": [
                tool.name for tool in tools if tool.needs_query_language and not has_queries
            ],
            "the graph has no properties": [
                tool.name for tool in tools if tool.needs_properties and Capability.PROPERTIES not in gives
            ],
        }
        for reason, names in lacking.items():
            if names:
                event(f"{', '.join(names)} was left out: {reason}", "agent.tools_left_out", tools=tuple(names))
        left_out = {name for names in lacking.values() for name in names}
        return [tool for tool in tools if tool.name not in left_out]

    def _instructions(self) -> str:
        if not self.instructions.endswith(_TEXT_FILES):
            return self.instructions
        try:
            return FilePath(self.instructions).expanduser().read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"the instructions {self.instructions!r} cannot be read: {error}",
                code="agent.bad_instructions",
                file=self.instructions,
            ) from error


def _introduced(work: Workspace, entity: int) -> str:
    """Return an entity with its relations; without them, which is an event, if the graph fails."""
    try:
        return work.introduced(entity)
    except StoppedError:
        raise
    except GraphbrickError as error:
        event(
            f"the agent began without the relations of {work.name(entity)}: {error}",
            "agent.no_relations",
            entity=work.name(entity),
        )
        return work.described(entity)
