"""Prompts of `Generate` as texts.

A prompt is a file of turns. Each begins with a line ``[system]``, ``[user]`` or ``[assistant]``. ``{format}`` stands
for how to reply, ``{form}`` for the same without the words that let the model refuse, ``{evidence}`` for the numbered
paths, ``{question}`` for the question; the last turn is the user's and holds the evidence and the question. A turn of
the assistant is an example of a reply, in lines such as ``Uganda [1]``.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.models.llm.prompt_turns import Turns, prompt_file, sections_of

NAMES = ("zero", "one", "few", "paths")
_NEEDED = ("{evidence}", "{question}")


def prompt(name: str) -> Turns:
    """Return the turns of a prompt, by the name of one in the package or by the path of a file.

    Raises:
        InputError: There is no such file, or it is not a prompt.
    """
    return turns(*prompt_file(name, __package__, NAMES))


@lru_cache(maxsize=16)
def turns(text: str, path: Path) -> Turns:
    """Return the turns of a text.

    Raises:
        InputError: The text has no turns, or its last turn is not as needed.
    """
    complete = sections_of(text, path)
    if not complete or complete[-1][0] != "user" or not all(needed in complete[-1][1] for needed in _NEEDED):
        raise InputError(
            "the last turn of a prompt must be [user], with {evidence} and {question} in it",
            path,
            code="prompts.bad_last_turn",
        )
    return complete
