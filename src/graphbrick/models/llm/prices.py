"""Prices and context lengths of hosted language models: a table that the user can override."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from graphbrick.core.errors import InputError

_DATED = re.compile(r"-20\d\d-?\d\d-?\d\d$")
_MILLION = 1_000_000
_KEYS = {"input", "output", "context"}


@dataclass(frozen=True)
class Hosted:
    """Price and context length of a model at a server.

    Attributes:
        input: US dollars for a million tokens read.
        output: US dollars for a million tokens written.
        context: Tokens it reads and writes at most; 0 if that is not known.
    """

    input: float = 0.0
    output: float = 0.0
    context: int = 0

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Return what a call costs, in US dollars."""
        return (tokens_in * self.input + tokens_out * self.output) / _MILLION


def hosted(model: str) -> Hosted | None:
    """Return price and context length of a model; None if they are not known.

    A provider before the name ("openai/gpt-4o") and a date after it ("gpt-4o-2024-08-06") are left out if the whole
    name is not in the table.

    >>> hosted("openai/gpt-4o-mini-2024-07-18").input
    0.15
    """
    own, shipped = _own(os.environ.get("GRAPHBRICK_PRICES", "")), _shipped()
    bare = model.rpartition("/")[2]
    for name in (model, bare, _DATED.sub("", bare)):
        for table in (own, shipped):
            if name in table:
                return table[name]
    return None


def _own(path: str) -> Mapping[str, Hosted]:
    if not path:
        return {}
    try:
        changed = Path(path).stat().st_mtime_ns
    except OSError as error:
        raise InputError(
            f"the prices of GRAPHBRICK_PRICES cannot be read: {error.strerror}", path, code="prices.unreadable"
        ) from error
    return _read_own(path, changed)


@lru_cache(maxsize=1)
def _read_own(path: str, changed: int) -> Mapping[str, Hosted]:
    del changed  # part of the key: a file that was edited is read again
    try:
        return _table(Path(path).read_text("utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"the prices cannot be read: {error}; GRAPHBRICK_PRICES names a TOML file", path, code="prices.not_text"
        ) from error


@lru_cache(maxsize=1)
def _shipped() -> Mapping[str, Hosted]:
    return _table((files("graphbrick.models.llm") / "hosted.toml").read_text("utf-8"), "hosted.toml")


def _table(text: str, path: str) -> Mapping[str, Hosted]:
    try:
        entries = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"the prices are not TOML: {error}", path, code="prices.not_toml") from error
    table = {}
    for name, entry in entries.items():
        right = isinstance(entry, dict) and set(entry) <= _KEYS
        right = right and all(isinstance(v, int | float) and not isinstance(v, bool) and v >= 0 for v in entry.values())
        if not right:
            raise InputError(
                f"the entry of {name!r} must have input and output (US dollars for a million tokens) and context "
                f'(tokens) as numbers, got {entry!r}; a name with a dot stands in quotes, as in ["{name}"]',
                path,
                code="prices.bad_entry",
                name=name,
            )
        table[name] = Hosted(float(entry.get("input", 0)), float(entry.get("output", 0)), int(entry.get("context", 0)))
    return MappingProxyType(table)
