"""Agents: a language model that walks over a graph with tools, and the tools."""

from graphbrick.agents.agent import Agent
from graphbrick.agents.tool import AdviceError, AgentTool, Observation, Walked, tool
from graphbrick.agents.workspace import Workspace

BRICKS = (Agent,)

__all__ = ["BRICKS", "AdviceError", "Agent", "AgentTool", "Observation", "Walked", "Workspace", "tool"]
