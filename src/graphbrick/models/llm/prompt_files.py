"""Prompts in files, filled in and put to a language model.

A prompt is a file of sections: ``[system]`` says what to do, ``[json]`` and ``[words]`` how to reply, of which the one
that suits the model is taken, and ``[user]`` is the message. ``$name`` stands for a value, ``$candidates`` for the
numbered candidates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

from graphbrick.core.trace import event
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.context_budget import fitting
from graphbrick.models.llm.messages import Message, Request, system, user
from graphbrick.models.llm.replies.replies import lines_of, numbered, one_line

_SECTION = re.compile(r"^\[(system|json|words|user)\]\n", re.MULTILINE)


class Prompt(NamedTuple):
    """A request, and the candidates that it shows: those that fit the context of the model."""

    request: Request
    candidates: list[str]


@dataclass(frozen=True, slots=True)
class PromptFiles:
    """The prompts of a package, in the files of its folder ``prompts``.

    Attributes:
        package: The package, such as "graphbrick.bricks.generate".
    """

    package: str

    def request(
        self,
        llm: ChatModel,
        name: str,
        candidates: Sequence[str] = (),
        *,
        schema: Mapping[str, Any] | None = None,
        **values: str,
    ) -> Prompt:
        """Return the request of a prompt file.

        Candidates that do not fit the context of the model are left out from the end, which is an event.

        Args:
            llm: The model that will be asked.
            name: The file, without its ending.
            candidates: Texts to list as ``$candidates``.
            schema: JSON schema of the reply, for models that are ``structured``.
            values: Texts for the other names; each of their lines stays one line, and ``question`` becomes one.
        """
        lines = lines_of(candidates)
        fit = fitting(llm, self.messages(llm, name, **values), lines) if lines else 0
        if fit < len(lines):
            event(
                f"{llm.model} was shown only the first {fit:,} of {len(lines):,} candidates: it has no more context",
                "prompt.candidates_left_out",
                shown=fit,
                of=len(lines),
            )
        shown = lines[:fit]
        return Prompt(Request(self.messages(llm, name, shown, **values), schema), shown)

    def messages(self, llm: ChatModel, name: str, candidates: Sequence[str] = (), **values: str) -> list[Message]:
        """Return the messages of a prompt file; see `request`."""
        sections = _sections(self.package, name)
        reply = sections.get("json" if llm.structured else "words", "")
        filled = {key: "\n".join(map(one_line, value.splitlines())) for key, value in values.items()}
        filled |= {"question": one_line(values["question"])} if "question" in values else {}
        filled["candidates"] = numbered(candidates)
        rules = "\n".join(part for part in (sections["system"], reply) if part)
        return [system(Template(rules).substitute(filled)), user(Template(sections["user"]).substitute(filled))]


@lru_cache
def _sections(package: str, name: str) -> dict[str, str]:
    text = (files(package) / "prompts" / f"{name}.txt").read_text("utf-8")
    _, *parts = _SECTION.split(text)
    return {section: body.strip() for section, body in zip(parts[::2], parts[1::2], strict=True)}
