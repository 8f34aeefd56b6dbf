"""Tables of an experiment file, with errors that name the table and the key."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError, shown

Values = Mapping[str, Any]


class Seed(int):
    """The kind of a value that seeds random numbers, which may be 0."""


_KINDS = {
    str: "text in quotes",
    bool: "true or false",
    int: "a whole number of at least 1",
    Seed: "a whole number of at least 0",
    list: "a list of texts",
    dict: "a table of names and texts",
}


def read_toml(file: Path) -> dict[str, Any]:
    """Return the content of a TOML file.

    Raises:
        InputError: It cannot be read.
    """
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"it cannot be read as TOML ({error})", file, code="experiment.not_toml") from error


class Table:
    """A table of an experiment file, whose keys are known and of known kinds.

    Args:
        file: The file, for messages.
        where: What the table is, for messages: ``data 2``.
        content: What the file has there.
        keys: The kind of each key; a list may also be written as one text.

    Raises:
        InputError: It is not a table, has another key, or a value of another kind.
    """

    def __init__(self, file: Path, where: str, content: object, keys: Mapping[str, type]) -> None:
        self.file, self.where = file, where
        if not isinstance(content, dict):
            raise self.refused(f"must be a table, got {shown(content, 80)}", "experiment.no_table")
        self._content: Values = content
        for key, value in self._content.items():
            if key not in keys:
                raise self.refused(f"has {key!r}; there is {', '.join(keys)}", "experiment.unknown_key")
            if not _is_kind(value, keys[key]):
                raise self.refused(f"has {key} = {shown(value, 80)}; it is {_KINDS[keys[key]]}", "experiment.bad_value")

    def text(self, key: str, default: str = "") -> str:
        """Return a text."""
        return str(self._content.get(key, default))

    def number(self, key: str, default: int | None = None) -> int | None:
        """Return a whole number of at least 1, or of at least 0 for a seed; the default if there is none."""
        value = self._content.get(key, default)
        return None if value is None else int(value)

    def is_true(self, key: str) -> bool:
        """Return true or false; false if there is neither."""
        return bool(self._content.get(key, False))

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, of which one may stand alone."""
        value = self._content.get(key, [])
        return (value,) if isinstance(value, str) else tuple(value)

    def named(self, key: str) -> dict[str, str]:
        """Return a table of texts."""
        return dict(self._content.get(key, {}))

    def lists(self, key: str) -> dict[str, list[str]]:
        """Return a table of lists, with their values as recipe text."""
        found: dict[str, list[str]] = {}
        for name, values in self._content.get(key, {}).items():
            if not isinstance(values, list) or not values or not name.isidentifier():
                raise self.refused(
                    f"has {key}.{name} = {shown(values, 80)}; it is a list such as [100, 300]", "experiment.bad_sweep"
                )
            found[name] = [value if isinstance(value, str) else repr(value) for value in values]
        return found

    def has(self, key: str) -> bool:
        """Return whether the file gives a value."""
        return key in self._content

    def refused(self, reason: str, code: str) -> InputError:
        """Return an error that names the file and the table."""
        return InputError(f"{self.where} {reason}", self.file, code=code)


def _is_kind(value: object, kind: type) -> bool:
    if kind is list:
        return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))
    if kind in (int, Seed):
        return isinstance(value, int) and not isinstance(value, bool) and value >= (kind is int)
    return isinstance(value, kind)


def arrays(content: Values, name: str, file: Path) -> Sequence[object]:
    """Return the tables ``[[name]]`` of a file.

    Raises:
        InputError: There is none.
    """
    tables = content.get(name)
    if not isinstance(tables, list) or not tables:
        raise InputError(f"it has no [[{name}]]; give at least one", file, code="experiment.no_tables", name=name)
    return tables
