"""The tools that agents can name: those of the package and those of installed plug-ins."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import entry_points

from graphbrick.agents.tool import AgentTool, did_you_mean
from graphbrick.agents.tools import TOOLS
from graphbrick.core.errors import PipelineError

ENTRY_POINTS = "graphbrick.tools"
DEFAULT = "search, neighbours, neighbours_by_relation, filter, intersect, combine, paths, finish"
"""The tools of an agent that names none: few, since every tool takes room in the prompt."""


def all_tools() -> dict[str, AgentTool]:
    """Return all tools by name, including those of plug-ins (entry points of the group ``graphbrick.tools``).

    Raises:
        PipelineError: A plug-in is broken, or has a tool with the name of another.
    """
    return dict(_all_tools())


@lru_cache(maxsize=1)
def _all_tools() -> dict[str, AgentTool]:
    tools = {tool.name: tool for tool in TOOLS}
    for point in entry_points(group=ENTRY_POINTS):
        try:
            found = point.load()
        except ImportError as error:
            raise PipelineError(f"the plug-in tool {point.name} ({point.value}) cannot be imported: {error}") from error
        if not isinstance(found, AgentTool):
            raise PipelineError(
                f"the plug-in {point.name} ({point.value}) is not a tool; put @graphbrick.agents.tool before it"
            )
        if found.name in tools:
            raise PipelineError(f"the plug-in {point.value} has the name of another tool, {found.name}; rename it")
        tools[found.name] = found
    return tools


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
                f"there is no tool {name[:80]!r}{did_you_mean(name, tools) or '; there are ' + ', '.join(tools)}"
            )
    return [tools[name] for name in (*names, "finish")]
