"""One record of a question file: checked fields, and the position for error messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from graphbrick.core.errors import InputError

_SHOWN = 80
LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of one question in a file.

    Attributes:
        file: The file.
        line: 1-based line at which the record starts (the row, in Parquet).
        number: 0-based number of the record in the file.
        values: The fields; JSON types, or texts where the file is a table.
        is_table: Whether it is a row of delimited text; ``|`` separates several values of a cell.
    """

    file: Path
    line: int
    number: int
    values: Mapping[str, object]
    is_table: bool = False

    def fault(self, reason: str) -> InputError:
        """Return an error about this record."""
        return InputError(reason, self.file, self.line)

    def has(self, name: str) -> bool:
        """Return whether there is a value: not null and not an empty text."""
        value = self.values.get(name)
        return value is not None and not (isinstance(value, str) and not value.strip())

    def text(self, name: str) -> str:
        """Return a field that must be a text with something in it, or a number."""
        if not self.has(name):
            raise self.fault(f"there is no {name}; every question needs one")
        return self.checked(self.values[name], name)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a field that is a list of texts, distinct; empty where it is missing, null or an empty text."""
        return tuple(dict.fromkeys(self.listed(name)))

    def listed(self, name: str) -> list[str]:
        """Like `texts`, but keeps duplicates."""
        return [self.checked(value, name) for value in self.items(name)]

    def items(self, name: str) -> list[object]:
        """Return a field that is a list of anything; empty where it is missing or null."""
        if not self.has(name):
            return []
        value = self.values[name]
        if self.is_table:
            return list(str(value).split("|"))
        if not isinstance(value, list):
            raise self.fault(f"{name} must be a list, got {_shown(value)}; put it in brackets: [{_shown(value)}]")
        return value

    def objects(self, name: str) -> list[Record]:
        """Return a field that is a list of objects, each as a record of its own; empty where it is missing or null."""
        found = []
        for item in self.items(name):
            if not isinstance(item, dict):
                raise self.fault(f"{name} must be a list of objects, got {_shown(item)} in it")
            found.append(Record(self.file, self.line, self.number, item))
        return found

    def inner(self, name: str) -> Record:
        """Return a field that is an object, as a record of its own; an empty one where it is missing or null."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, dict):
            raise self.fault(f"{name} must be an object, got {_shown(value)}")
        return Record(self.file, self.line, self.number, value or {})

    def whole(self, name: str) -> int | None:
        """Return a field that is a whole number from 0 to 1,000,000; None if it is missing."""
        if not self.has(name):
            return None
        value = self.values[name]
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # tables write numbers like this if a cell of the column is empty
        if isinstance(value, str) and value.strip().isdecimal() and len(value) < _SHOWN:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
            raise self.fault(
                f"{name} must be a whole number from 0 to {LARGEST:,}, got {_shown(value)}; leave it out if unknown"
            )
        return value

    def checked(self, value: object, name: str) -> str:
        """Return a value as text, without blanks around it; numbers are keys in some graphs."""
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.fault(f"{name} must hold texts, got {_shown(value)}")
        text = str(value).strip()
        if not text:
            raise self.fault(f"{name} holds an empty text; leave it out")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise self.fault(f"{name} holds half a character (a lone surrogate): {_shown(value)}") from error
        return text


def _shown(value: object) -> str:
    """Return a value for a message, in ASCII and not too long."""
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
