"""Prompts as turns: files in which each turn begins with a line ``[system]``, ``[user]`` or ``[assistant]``."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from graphbrick.core.errors import InputError

_ROLE = re.compile(r"^\[(system|user|assistant)\]\s*$")
_LARGEST = 1_000_000  # bytes

Turns = tuple[tuple[str, str], ...]
"""(role, text) of every turn."""


def prompt_file(name: str, package: str, names: Sequence[str]) -> tuple[str, Path]:
    """Return the text and the path of a prompt: one of a package by its name, or a file by its path.

    Args:
        name: One of ``names``, or the path of a file.
        package: The package that holds the files of ``names``, each with the ending ``.txt``.
        names: The prompts of the package.

    Raises:
        InputError: There is no such file, or it is too large or not a text.
    """
    if name in names:
        return _shipped(package, name), Path(f"{name}.txt")
    path = Path(name)
    try:
        path = path.expanduser()
        if path.stat().st_size > _LARGEST:
            raise InputError(
                f"a prompt has at most {_LARGEST:,} bytes; is this the right file?", path, code="prompts.too_large"
            )
        return path.read_text("utf-8"), path
    except UnicodeDecodeError as error:
        raise InputError(f"a prompt is a text in UTF-8: {error}", path, code="prompts.not_utf8") from error
    except (OSError, ValueError, RuntimeError) as error:  # also a null character, or the home of an unknown user
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise InputError(
            f"no such prompt ({reason}); try {', '.join(names)}, or a file of your own", path, code="prompts.no_prompt"
        ) from error


@lru_cache
def _shipped(package: str, name: str) -> str:
    return (files(package) / f"{name}.txt").read_text("utf-8")


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
