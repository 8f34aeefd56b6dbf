"""The tools that agents can name: those of the package and those of installed plug-ins."""

from __future__ import annotations

from functools import lru_cache

from graphbrick.bricks.agents.agent_tool import AgentTool, did_you_mean
from graphbrick.bricks.agents.tools import TOOLS
from graphbrick.core.errors import PipelineError
from graphbrick.core.plugins import plugins, skip

ENTRY_POINTS = "graphbrick.tools"
DEFAULT = "search, neighbours, neighbours_by_relation, filter, intersect, combine, where, paths, finish"
"""The tools of an agent that names none: few, since every tool takes room in the prompt."""


@lru_cache(maxsize=1)
def _all_tools() -> dict[str, AgentTool]:
    tools = {tool.name: tool for tool in TOOLS}
    for plugin in plugins(ENTRY_POINTS):
        tool = plugin.value
        if not isinstance(tool, AgentTool):
            skip(ENTRY_POINTS, plugin.name, plugin.source, "it is not a tool; put @graphbrick.tool before it")
        elif tool.name in tools:
            reason = f"it has the name of another tool, {tool.name}; rename it"
            skip(ENTRY_POINTS, plugin.name, plugin.source, reason)
        else:
            tools[tool.name] = tool
    return tools


def all_tools() -> dict[str, AgentTool]:
    """Return all tools by name, including plug-ins (entry points ``graphbrick.tools``).

    A plug-in that is broken, or has the name of another tool, is left out with a warning.
    """
    return dict(_all_tools())


def names_in(text: str) -> list[str]:
    """Return the names in a text with commas between, each once.

    >>> names_in("search, neighbours,finish")
    ['search', 'neighbours', 'finish']
    """
    return list(dict.fromkeys(name for part in text.split(",") if (name := part.strip())))


def select(text: str) -> list[AgentTool]:
    """Return the tools that a text names, ``finish`` last.

    Raises:
        PipelineError: There is no tool of a name.
    """
    tools = all_tools()
    names = [name for name in names_in(text) if name != "finish"]
    for name in names:
        if name not in tools:
            raise PipelineError(
                f"there is no tool {name[:80]!r}{did_you_mean(name, tools) or '; there are ' + ', '.join(tools)}",
                code="tools.unknown_tool",
                tool=name,
            )
    return [tools[name] for name in (*names, "finish")]
