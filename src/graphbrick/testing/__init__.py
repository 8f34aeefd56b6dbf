"""Tools for tests of bricks and programs: a tiny graph, contract tests, a scripted server."""

from graphbrick.testing.contract import check_brick
from graphbrick.testing.graphs import TINY, NeighboursOnly, tiny_graph
from graphbrick.testing.llm_server import Reply, Request, ScriptedLLM

__all__ = ["TINY", "NeighboursOnly", "Reply", "Request", "ScriptedLLM", "check_brick", "tiny_graph"]
