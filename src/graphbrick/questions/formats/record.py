"""One record of a question file, with checked fields and its position for error messages."""

from __future__ import annotations

import json
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
        values: The fields: JSON types, or strings if the file is a table.
        is_table: Whether the record is a row of delimited text, in which ``|`` separates several values of a cell.
    """

    file: Path
    line: int
    number: int
    values: Mapping[str, object]
    is_table: bool = False

    def fault(self, reason: str, *, code: str = "", **values: object) -> InputError:
        """Return an error about this record."""
        return InputError(reason, self.file, self.line, "", code=code, **values)

    def has(self, name: str) -> bool:
        """Return whether the field has a value that is not null or an empty string."""
        value = self.values.get(name)
        return value is not None and not (isinstance(value, str) and not value.strip())

    def text(self, name: str) -> str:
        """Return a field that must be a non-empty string or a number."""
        if not self.has(name):
            raise self.fault(f"there is no {name}; every question needs one", code="questions.no_field", field=name)
        return self.checked(self.values[name], name)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the distinct strings of a list field; empty if it is missing, null or an empty string."""
        return tuple(dict.fromkeys(self.listed(name)))

    def listed(self, name: str) -> list[str]:
        """Return the strings of a list field, with duplicates."""
        return [self.checked(value, name) for value in self.items(name)]

    def items(self, name: str) -> list[object]:
        """Return a list field with values of any type; empty if it is missing or null."""
        if not self.has(name):
            return []
        value = self.values[name]
        if self.is_table:
            return list(str(value).split("|"))
        if not isinstance(value, list):
            bracketed = json.dumps([value])[:_SHOWN]
            raise self.fault(
                f"{name} must be a list, got {_shown(value)}; put it in brackets: {bracketed}",
                code="questions.not_a_list",
                field=name,
            )
        return value

    def objects(self, name: str) -> list[Record]:
        """Return a list field of objects, each as a `Record`; empty if it is missing or null."""
        records = []
        for item in self.items(name):
            if not isinstance(item, dict):
                raise self.fault(
                    f"{name} must be a list of objects, got {_shown(item)} in it",
                    code="questions.not_objects_in_list",
                    field=name,
                )
            records.append(Record(self.file, self.line, self.number, item))
        return records

    def inner(self, name: str) -> Record:
        """Return an object field as a `Record`; an empty record if it is missing or null."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, dict):
            raise self.fault(
                f"{name} must be an object, got {_shown(value)}", code="questions.not_an_object", field=name
            )
        return Record(self.file, self.line, self.number, value or {})

    def whole_number(self, name: str) -> int | None:
        """Return a field that is a whole number from 0 to 1,000,000; None if it is missing."""
        if not self.has(name):
            return None
        value = self.values[name]
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # table exports write integers as floats if a cell of the column is empty
        if isinstance(value, str) and value.strip().isdecimal() and len(value) < _SHOWN:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
            raise self.fault(
                f"{name} must be a whole number from 0 to {LARGEST:,}, got {_shown(value)}; leave it out if unknown",
                code="questions.not_a_number",
                field=name,
            )
        return value

    def checked(self, value: object, name: str) -> str:
        """Return a value as stripped text; numbers are accepted, because some graphs use them as keys."""
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.fault(f"{name} must hold texts, got {_shown(value)}", code="questions.not_text", field=name)
        text = str(value).strip()
        if not text:
            raise self.fault(f"{name} holds an empty text; leave it out", code="questions.empty_text", field=name)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise self.fault(
                f"{name} holds half a character (a lone surrogate): {_shown(value)}",
                code="questions.half_character",
                field=name,
            ) from error
        return text


def _shown(value: object) -> str:
    """Return a value for an error message, in ASCII and shortened."""
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
