"""Names of language models in records."""

from __future__ import annotations

from dataclasses import fields, replace

from graphbrick.models.llm.chat import ChatModel

_NO_MATTER = ("parallel", "retries", "timeout", "threads")


def name_of(llm: ChatModel) -> str:
    """Return the recipe text of a model without the parameters that do not affect its replies.

    >>> from graphbrick import LLM
    >>> name_of(LLM("gpt-4.1", parallel=8, timeout=10.0))
    "LLM(model='gpt-4.1')"
    """
    plain = {one.name: one.default for one in fields(llm) if one.name in _NO_MATTER}  # type: ignore[arg-type]
    return repr(replace(llm, **plain))  # type: ignore[type-var]
