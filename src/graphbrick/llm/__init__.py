"""Language models: behind an OpenAI-compatible endpoint, or on this machine."""

from graphbrick.llm.llm import LLM
from graphbrick.llm.local_llm import LocalLLM

BRICKS = (LLM, LocalLLM)

__all__ = ["BRICKS", "LLM", "LocalLLM"]
