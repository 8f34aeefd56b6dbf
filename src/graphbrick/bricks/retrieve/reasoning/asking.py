"""The prompts of stages in which a language model walks over the graph."""

from __future__ import annotations

from graphbrick.models.llm.prompt_files import PromptFiles

PROMPTS = PromptFiles("graphbrick.bricks.retrieve.reasoning")
