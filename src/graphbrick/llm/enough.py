"""Asking a language model whether the paths so far answer the question."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.core.trace import event
from graphbrick.llm.chat import ChatModel
from graphbrick.llm.context_budget import fitting
from graphbrick.llm.json_replies import json_object
from graphbrick.llm.replies import lines_of, numbered, one_line, read_yes, shown

_INSTRUCTION = (
    "You judge whether reasoning paths of a knowledge graph hold the answer to a question. "
    "In a path, A -> r -> B means that A has the relation r to B, and A <- r <- B that B has the relation r to A.\n"
)
# By whether the reply is JSON.
_REPLIES = {
    False: "Reply with one word: YES if the answer stands on one of the paths, NO if the search has to go on.",
    True: 'Reply with JSON: {"enough": true} if the answer stands on one of the paths, {"enough": false} if the search '
    "has to go on.",
}
_ENDINGS = {False: "YES or NO:", True: "Enough:"}
_SCHEMA = json_object(enough={"type": "boolean"})


def is_enough(llm: ChatModel, question: str, paths: Sequence[str]) -> bool:
    """Return whether the model finds the answer on the paths; a reply without yes or no is an event and a no.

    If the paths do not fit the context of the model, it sees the last ones, which is an event.
    """
    lines = lines_of(paths)
    latest = fitting(llm, _messages(llm, question, []), lines[::-1])
    if latest < len(lines):
        event(f"{llm.model} was shown only the last {latest:,} of {len(lines):,} paths: its context holds no more")
        lines = lines[len(lines) - latest :]
    reply = llm.complete(_messages(llm, question, lines), schema=_SCHEMA)
    verdict = read_yes(reply)
    if verdict is None:
        event(f"{llm.model} was asked whether the paths are enough and replied {shown(reply)}; the search went on")
    return bool(verdict)


def _messages(llm: ChatModel, question: str, paths: Sequence[str]) -> list[dict[str, str]]:
    as_json = llm.structured
    prompt = f"Paths:\n{numbered(paths)}\n\nQuestion: {one_line(question)}\n{_ENDINGS[as_json]}"
    return [{"role": "system", "content": _INSTRUCTION + _REPLIES[as_json]}, {"role": "user", "content": prompt}]
