"""Asking a language model whether the paths so far answer the question."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.core.trace import event
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.context_budget import fitting
from graphbrick.models.llm.messages import Message
from graphbrick.models.llm.prompt_files import PromptFiles
from graphbrick.models.llm.replies.json_replies import json_object
from graphbrick.models.llm.replies.replies import lines_of, read_yes, shown, unreadable

_PROMPTS = PromptFiles("graphbrick.models.llm")
_SCHEMA = json_object(enough={"type": "boolean"})


def is_enough(llm: ChatModel, question: str, paths: Sequence[str]) -> bool:
    """Return whether the model finds the answer on the paths; an unclear reply (an event) is a no.

    If the paths do not fit the context of the model, it sees the last ones, which is an event.
    """
    lines = lines_of(paths)
    latest = fitting(llm, _messages(llm, question, []), lines[::-1])
    if latest < len(lines):
        event(
            f"{llm.model} was shown only the last {latest:,} of {len(lines):,} paths: its context holds no more",
            "enough.paths_left_out",
            shown=latest,
            of=len(lines),
        )
        lines = lines[len(lines) - latest :]
    reply = llm.complete(_messages(llm, question, lines), schema=_SCHEMA)
    verdict = read_yes(reply)
    if verdict is None:
        unreadable(
            f"{llm.model} was asked whether the paths are enough and replied {shown(reply)}; the search went on",
            "enough.unread",
        )
    return bool(verdict)


def _messages(llm: ChatModel, question: str, paths: Sequence[str]) -> list[Message]:
    ending = "Enough:" if llm.structured else "YES or NO:"
    return _PROMPTS.messages(llm, "enough", paths, question=question, ending=ending)
