"""A language model that completes a question from the turns before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphbrick.core.query import LONGEST_QUESTION
from graphbrick.core.trace import event
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.context_budget import fitting
from graphbrick.models.llm.prompt_files import PromptFiles
from graphbrick.models.llm.replies.json_replies import find_json, json_object
from graphbrick.models.llm.replies.replies import one_line, shown
from graphbrick.serve.conversation.turns import Turn

PROMPTS = PromptFiles("graphbrick.serve.conversation")
_LABEL = re.compile(r"^(?:[a-z-]+ ){0,2}question\s*:\s*", re.IGNORECASE)


def rewritten(llm: ChatModel, turns: Sequence[Turn], question: str) -> str:
    """Return the question as the model completes it; empty, with an event, if its reply cannot be used.

    Args:
        llm: The model; it is called once.
        turns: The turns before the question, oldest first; the oldest are left out if the context is too short.
        question: The question.

    Raises:
        ModelError: The server cannot be reached, refuses the request, or does not answer in time.
        StoppedError: The budget does not hold the call.
    """
    lines = [line for turn in turns for line in _lines(turn)]
    values = {"question": one_line(question)}
    # The newest turns say most, so that the oldest are left out.
    fit = fitting(llm, PROMPTS.messages(llm, "standalone_question", **values), lines[::-1])
    messages = PROMPTS.messages(llm, "standalone_question", lines[len(lines) - fit :], **values)
    if fit < len(lines):
        event(
            f"{llm.model} was shown only the last {fit:,} of {len(lines):,} earlier messages: it has no more context",
            "conversation.messages_left_out",
            shown=fit,
            of=len(lines),
        )
    reply = llm.complete(messages, schema=json_object(question={"type": "string"}))
    text = read_question(reply)
    if not text or len(text) > LONGEST_QUESTION:
        event(f"the reply of {llm.model} is not a question: {shown(reply)}", "conversation.not_a_question")
        return ""
    return text


def _lines(turn: Turn) -> list[str]:
    return [f"User: {one_line(turn.question)}", *([f"Reply: {one_line(turn.reply)}"] if turn.reply else [])]


def read_question(reply: str) -> str:
    """Return the question in a model's reply, JSON or words; empty if there is none.

    >>> read_question('{"question": "Who rules Kenya?"}'), read_question('Question: "Who rules Kenya?"\\n')
    ('Who rules Kenya?', 'Who rules Kenya?')
    """
    reply = reply.strip()
    value, _ = find_json(reply)
    if isinstance(value, dict):
        text = value.get("question")
        return one_line(text) if isinstance(text, str) else ""
    first = next((line.strip() for line in reply.splitlines() if line.strip()), "")
    return one_line(_LABEL.sub("", first)).strip("\"'“”«»`* ")
