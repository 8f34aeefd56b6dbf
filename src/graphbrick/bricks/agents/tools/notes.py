"""Tools that change nothing in the graph: notes, and the end."""

from __future__ import annotations

from graphbrick.bricks.agents.agent_tool import Observation, tool
from graphbrick.bricks.agents.workspace import Workspace


@tool
def scratch_pad(work: Workspace, note: str) -> Observation:
    """Write down a plan or an intermediate result. Notes stay in sight when old results are shortened.

    Args:
        note: What to remember.
    """
    return Observation("\n".join(["Notes:", *(f"- {line}" for line in (*work.notes, note))]), note=note)


@tool
def finish(work: Workspace, nodes: list[str]) -> Observation:
    """End the search and name the nodes that answer the question.

    Args:
        nodes: Names or keys of nodes from the results, or lists such as L1; empty if the answer was not there.
    """
    return Observation("The search ends.", answer=tuple(name for name in nodes if name))
