"""Values as SQLite and JSON can hold them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def to_json(value: object) -> str:
    """Return JSON in ASCII, because SQLite does not accept the lone surrogates that labels may hold."""
    return json.dumps(value, separators=(",", ":"))


def plain(text: str) -> str:
    """Return a text with lone surrogates, as in badly decoded file names, written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def plain_json(value: Any) -> Any:
    """Return a value with dataclasses as dictionaries and tuples as lists, at any depth.

    >>> from graphbrick.study.statistics.intervals import Interval
    >>> plain_json({"means": (Interval(0.5, 0.4, 0.6, 9),)})
    {'means': [{'mean': 0.5, 'low': 0.4, 'high': 0.6, 'n': 9}]}
    """
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    elif is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: plain_json(part) for key, part in value.items()}
    return [plain_json(part) for part in value] if isinstance(value, list | tuple) else value
