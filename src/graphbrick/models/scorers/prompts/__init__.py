"""Prompts of the scorers by a language model: the task, and examples of it.

A prompt is a file of turns. ``[system]`` is the task, in which ``{task}`` stands for the task as each scorer words it
and ``{form}`` for the form of the reply alone; without this turn it is ``{task}``. Pairs of ``[user]`` and
``[assistant]`` are examples: numbered candidates and a line ``Question: ...``, then the numbers of the useful
candidates, the most useful first, or NONE. Each scorer writes the examples in the form of its own prompts and replies,
so that one file suits all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from graphbrick.core.errors import InputError
from graphbrick.models.llm.prompt_turns import prompt_file, sections_of

NAMES = ("zero", "one", "few")
_CANDIDATE = re.compile(r"^(\d{1,9})\. (.*)$", re.MULTILINE)
_QUESTION = re.compile(r"^Question: *(\S.*)$", re.MULTILINE)
_NUMBERS = re.compile(r"\d{1,9}(?:, *\d{1,9})*")
_PLACE = re.compile(r"\{(task|form)\}")


class Example(NamedTuple):
    """A question with candidates, and the numbers of the useful ones from 1, the most useful first."""

    question: str
    candidates: tuple[str, ...]
    useful: tuple[int, ...]


class ScorerPrompt(NamedTuple):
    """The text of the task, with places for ``{task}`` and ``{form}``, and examples in their order."""

    text: str
    examples: tuple[Example, ...]

    def instruction(self, task: str, form: str) -> str:
        """Return the text with both places filled in."""
        values = {"task": task, "form": form}
        return _PLACE.sub(lambda place: values[place.group(1)], self.text)


def scorer_prompt(name: str) -> ScorerPrompt:
    """Return a prompt by its name in the package, or by the path of a file.

    Raises:
        InputError: There is no such file, or it is not a scorer's prompt.
    """
    return read(*prompt_file(name, __package__, NAMES))


@lru_cache(maxsize=16)
def read(text: str, path: Path) -> ScorerPrompt:
    """Return the prompt that a text holds; errors as for `scorer_prompt`."""
    turns = sections_of(text, path)
    task, rest = (turns[0][1], turns[1:]) if turns and turns[0][0] == "system" else ("{task}", turns)
    roles = [role for role, _ in rest]
    if not turns or not task or roles != ["user", "assistant"] * (len(rest) // 2):
        raise InputError(
            "a scorer's prompt has [system] with the task, then examples of [user] and [assistant] in turn; got "
            f"{', '.join(f'[{role}]' for role, _ in turns) or 'no turn'}"
            + ("" if task else ", of which [system] is empty"),
            path,
            code="scorer_prompts.wrong_turns",
        )
    pairs = zip(rest[::2], rest[1::2], strict=True)
    return ScorerPrompt(
        task, tuple(_example(i, user, reply, path) for i, ((_, user), (_, reply)) in enumerate(pairs, 1))
    )


def _example(number: int, user: str, reply: str, path: Path) -> Example:
    """Return an example from the texts of its two turns."""
    questions, candidates = _QUESTION.findall(user), _CANDIDATE.findall(user)
    numbers = [int(n) for n, _ in candidates]
    if len(questions) != 1 or not candidates or numbers != list(range(1, len(candidates) + 1)):
        raise InputError(
            f"example {number}: its [user] turn must have one line such as «Question: Who wrote it?» and candidates "
            f"numbered from 1, such as «1. author»; got {len(questions)} questions and the numbers {numbers[:10]}",
            path,
            code="scorer_prompts.bad_example",
        )
    return Example(
        questions[0].strip(),
        tuple(text.strip() for _, text in candidates),
        _useful(number, reply, len(candidates), path),
    )


def _useful(number: int, reply: str, n: int, path: Path) -> tuple[int, ...]:
    """Return the numbers that the reply of an example names."""
    useful: Sequence[int] = [int(i) for i in reply.split(",")] if _NUMBERS.fullmatch(reply) else []
    bad = [i for i in useful if not 1 <= i <= n]
    if bad or len(set(useful)) < len(useful) or not (useful or reply == "NONE"):
        raise InputError(
            f"example {number}: its [assistant] turn must be distinct numbers from 1 to {n} with commas between them, "
            f"the most useful first, such as «2, 1», or NONE; got {reply[:80]!r}",
            path,
            code="scorer_prompts.bad_reply",
        )
    return tuple(useful)
