"""Asking a language model whether the paths found so far answer the question."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.graphs.text import fold
from graphbrick.models.llm import LLM
from graphbrick.models.replies import numbered, one_line, shown, without_thinking
from graphbrick.trace import event

_INSTRUCTION = (
    "You judge whether reasoning paths of a knowledge graph hold the answer to a question. "
    "In a path, A -> r -> B means that A has the relation r to B, and A <- r <- B that B has the relation r to A.\n"
    "Reply with one word: YES if the answer stands on one of the paths, NO if the search has to go on."
)


def is_enough(llm: LLM, question: str, paths: Sequence[str]) -> bool:
    """Whether the model finds the answer on the paths; a reply that says neither yes nor no is an event, and a no."""
    reply = llm.complete(
        [
            {"role": "system", "content": _INSTRUCTION},
            {"role": "user", "content": f"Paths:\n{numbered(paths)}\n\nQuestion: {one_line(question)}\nYES or NO:"},
        ]
    )
    words = fold(without_thinking(reply)).split()
    if not words or words[0] not in ("yes", "no"):
        event(f"{llm.model} was asked whether the paths are enough and replied {shown(reply)}; the search went on")
        return False
    return words[0] == "yes"
