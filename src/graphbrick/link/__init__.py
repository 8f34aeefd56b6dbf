"""Link stages: find the seeds of a question."""

from graphbrick.link.labels import LinkLabels
from graphbrick.link.link_with_llm import LinkWithLLM

BRICKS = (LinkLabels, LinkWithLLM)

__all__ = ["BRICKS", "LinkLabels", "LinkWithLLM"]
