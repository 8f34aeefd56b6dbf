"""Values of a JSON document one after another, so that a document may be larger than memory."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import TypeAlias

from graphbrick.core.errors import InputError

JsonPath: TypeAlias = tuple[str | None, ...]
"""The names that lead to a value; None for an element of an array."""

_CHUNK = 1 << 18
_SPACE = " \t\r\n"
_MARGIN = 16  # an error nearer to the end of the buffer may only mean that the value goes on


class JsonStream:
    """Reader of one JSON document.

    Args:
        stream: The bytes of the document, in UTF-8.
        file: The file, for error messages.
        opens: Returns whether the array or object at a path is read member by member; others are yielded whole.
    """

    def __init__(self, stream: BufferedReader, file: Path, opens: Callable[[JsonPath], bool]) -> None:
        self._stream, self._file, self._opens = stream, file, opens
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._json = json.JSONDecoder(strict=False)
        self._text, self._at, self._lines, self._is_end = "", 0, 1, False

    def line(self) -> int:
        """Return the number of the line that is being read."""
        return self._lines + self._text.count("\n", 0, self._at)

    def values(self) -> Iterator[tuple[JsonPath, object]]:
        """Yield paths and values.

        Raises:
            InputError: Not JSON, or truncated.
        """
        yield from self._walk(())
        if self._next():
            raise self._fault("data after the end of the document; JSON lines end in .jsonl")

    def _walk(self, path: JsonPath) -> Iterator[tuple[JsonPath, object]]:
        first = self._next()
        if first not in ("{", "[") or not self._opens(path):
            yield path, self._value()
            return
        end = "}" if first == "{" else "]"
        self._at += 1
        if self._next() == end:
            self._at += 1
            return
        while True:
            name = self._name() if first == "{" else None
            yield from self._walk((*path, name))
            mark = self._next()
            if mark not in (",", end):
                raise self._fault(f"expected ',' or '{end}'")
            self._at += 1
            if mark == end:
                return

    def _name(self) -> str:
        if self._next() != '"':
            raise self._fault("expected a name in double quotes")
        name = str(self._value())
        if self._next() != ":":
            raise self._fault("expected ':'")
        self._at += 1
        return name

    def _next(self) -> str:
        """Skip white space and return the next character; empty at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if self._is_end:
                return ""
            self._fill()

    def _value(self) -> object:
        is_definite = self._next() in ('"', "{", "[")
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or error.pos > len(self._text) - _MARGIN
                if self._is_end or not is_cut:
                    self._at = min(error.pos, len(self._text))
                    raise self._fault(error.msg[:1].lower() + error.msg[1:], is_cut) from error
            except RecursionError as error:
                raise self._fault("the values are nested too deeply") from error
            else:
                if is_definite or end < len(self._text) or self._is_end:
                    self._at = end
                    return value
            self._fill()

    def _fill(self) -> None:
        """Drop what is read, and read as much again as is left."""
        self._lines += self._text.count("\n", 0, self._at)
        self._text, self._at = self._text[self._at :], 0
        data = self._stream.read(max(_CHUNK, len(self._text)))
        self._is_end = not data
        try:
            self._text += self._decoder.decode(data, final=self._is_end)
        except UnicodeDecodeError as error:
            raise self._fault(f"not UTF-8: {error.reason}") from error

    def _fault(self, reason: str, is_cut: bool = False) -> InputError:
        if self._is_end and (is_cut or self._at >= len(self._text)):
            reason = "the JSON ends too early; the file is truncated, fetch it again"
            return InputError(reason, self._file, self.line(), code="json.truncated")
        return InputError(f"not JSON: {reason}", self._file, self.line(), code="json.not_json")
