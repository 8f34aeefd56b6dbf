"""Errors that a user can act on. Each message says what was wrong, where, and what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from graphbrick.core.answer import NearReading


class GraphbrickError(Exception):
    """Base of every error raised on purpose; the command line prints it in one line and exits with 1.

    Args:
        message: What was wrong, where, and what to do.
        code: A name of the fault, such as "link.no_entity", that stays when the words of the message are bettered.
        **values: What the message speaks of, by name, for programs and tests.

    Example:
        >>> error = LinkError("no entity is called 'Nairbi'", code="link.no_entity", name="Nairbi")
        >>> error.code, error.values, str(error)
        ('link.no_entity', {'name': 'Nairbi'}, "no entity is called 'Nairbi'")
    """

    def __init__(self, message: str = "", *, code: str = "", **values: object) -> None:
        super().__init__(message)
        self.code, self.values = code, values


class TextPlace(NamedTuple):
    """A part of a text, from 1; its end is the place after the last character."""

    line: int
    column: int
    end_line: int
    end_column: int


class PipelineError(GraphbrickError):
    """A pipeline whose stages do not fit together, or whose parameters are out of range.

    Attributes:
        place: The part of the recipe text that is wrong; None if the pipeline was not read from a text.
    """

    place: TextPlace | None = None


class RecipeSyntaxError(PipelineError):
    """A pipeline text that is not a pipeline expression; nothing in it was evaluated."""


class BrickError(GraphbrickError):
    """An exception inside a brick that is not a `GraphbrickError`: a fault of its code, such as of a plug-in.

    The exception is its ``__cause__``. `values` has the ``stage``, the ``type`` of the exception and the ``question``.
    """


class GraphFormatError(GraphbrickError):
    """A graph folder that is incomplete, damaged, or written by another format version."""


class LinkError(GraphbrickError):
    """A question or a given seed that names no entity of the graph.

    Attributes:
        readings: Questions with names that the graph has, which have answers; empty if none were looked for.
    """

    readings: tuple[NearReading, ...] = ()


class UnavailableError(GraphbrickError):
    """A database that does not answer or refuses access; another query would fare no better."""


class ModelError(GraphbrickError):
    """A model that is not installed, or a model server that is away or refuses."""


class NotRecordedError(ModelError):
    """A reply that is not recorded, where only recorded ones are replayed."""


class ModelTimeoutError(ModelError):
    """A model that did not answer in time; with more time it may."""


_QUOTED, _LONGEST_REASON = 200, 400  # characters


class InputError(GraphbrickError):
    """One bad record of a source.

    Args:
        reason: What is wrong and what to do.
        file: The file read, or None for records that come from Python.
        line: 1-based line (or record) number, or None when the fault is the file's as a whole.
        text: The start of the bad record, for the list that ``--skip-bad`` keeps.
        code: As for every error.
        **values: As for every error.
    """

    def __init__(
        self,
        reason: str,
        file: Path | str | None = None,
        line: int | None = None,
        text: str = "",
        *,
        code: str = "",
        **values: object,
    ) -> None:
        if len(reason) > _LONGEST_REASON:  # it quotes the input; the advice is at its end
            reason = f"{reason[:_QUOTED]} ... {reason[_QUOTED - _LONGEST_REASON :]}"
        self.reason, self.file, self.line, self.text = reason, file, line, text[:_QUOTED]
        values |= {name: value for name, value in {"file": file, "line": line}.items() if value is not None}
        where = "" if file is None else f"{file}"
        if line is not None:
            where += f", line {line}" if where else f"record {line}"
        super().__init__(f"{where}: {reason}" if where else reason, code=code, **values)


def shown(value: object, longest: int = 200) -> str:
    """Return a value for an error message: its ``repr``, cut after so many characters.

    >>> shown("x" * 1000, 8)
    "'xxxxxxx..."
    """
    text = "a number of more than 64 bits" if isinstance(value, int) and value.bit_length() > 64 else repr(value)
    return text if len(text) <= longest else f"{text[:longest]}..."


_LOGIN = re.compile(r"(?<=//)[^/\s?#]*@")
_SECRET = re.compile(
    r"(?i)(?<=[?&;])([\w.-]*(?:key|token|secret|passw(?:or)?d|pwd|user(?:name)?|sig(?:nature)?|auth|credentials?))"
    r"=[^&;#\s'\"»)]*"
)


def without_secrets(text: str) -> str:
    """Return a text with names, passwords and keys within addresses left out, for messages, traces and logs.

    >>> without_secrets("http://me:pw@host/v1?api_key=K&x=1 does not answer")
    'http://host/v1?api_key=***&x=1 does not answer'
    """
    return _SECRET.sub(r"\1=***", _LOGIN.sub("", text))


def not_known(words: Sequence[str]) -> str:
    """Return that the graph does not know words of the question.

    >>> not_known(["hospitals"]), not_known(["broken", "lamps"])
    ("I do not know the word 'hospitals' in this graph", "I do not know the words 'broken' and 'lamps' in this graph")
    """
    *others, last = (shown(word, 80) for word in words)
    return f"I do not know the word{'s' * bool(others)} {', '.join(others)}{' and ' * bool(others)}{last} in this graph"
