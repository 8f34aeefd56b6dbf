"""Prompts of `Generate` as texts.

A prompt is a file of turns. Each begins with a line ``[system]``, ``[user]`` or ``[assistant]``. ``{format}`` stands
for how to reply, ``{form}`` for the same without the words that let the model refuse, ``{evidence}`` for the numbered
paths, ``{question}`` for the question; the last turn is the user's and holds the evidence and the question. A turn of
the assistant is an example of a reply, in lines such as ``Uganda [1]``.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from graphbrick.core.errors import InputError

NAMES = ("zero", "one", "few", "paths")
_ROLE = re.compile(r"^\[(system|user|assistant)\]\s*$")
_NEEDED = ("{evidence}", "{question}")
_LARGEST = 1_000_000  # bytes

Turns = tuple[tuple[str, str], ...]
"""(role, text) of every turn."""


def prompt(name: str) -> Turns:
    """Return the turns of a prompt, by the name of one in the package or by the path of a file.

    Raises:
        InputError: There is no such file, or it is not a prompt.
    """
    if name in NAMES:
        return _shipped(name)
    path = Path(name)
    try:
        path = path.expanduser()
        if path.stat().st_size > _LARGEST:
            raise InputError(
                f"a prompt has at most {_LARGEST:,} bytes; is this the right file?", path, code="prompts.too_large"
            )
        return turns(path.read_text("utf-8"), path)
    except UnicodeDecodeError as error:
        raise InputError(f"a prompt is a text in UTF-8: {error}", path, code="prompts.not_utf8") from error
    except (OSError, ValueError, RuntimeError) as error:  # also a null character, or the home of an unknown user
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise InputError(
            f"no such prompt ({reason}); try {', '.join(NAMES)}, or a file of your own", path, code="prompts.no_prompt"
        ) from error


@lru_cache
def _shipped(name: str) -> Turns:
    return turns((files(__package__) / f"{name}.txt").read_text("utf-8"), Path(f"{name}.txt"))


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


def sections_of(text: str, path: Path) -> Turns:
    """Return the turns of any prompt.

    Raises:
        InputError: The text does not begin with a turn.
    """
    sections: list[tuple[str, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        role = _ROLE.match(line)
        if role:
            sections.append((role.group(1), []))
        elif sections:
            sections[-1][1].append(line)
        elif line.strip():
            raise InputError(
                "a prompt begins with [system] or [user] on a line of its own",
                path,
                number,
                line,
                code="prompts.no_turn",
            )
    return tuple((role, "\n".join(lines).strip()) for role, lines in sections)
