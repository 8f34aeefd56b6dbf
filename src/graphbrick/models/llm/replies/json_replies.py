"""Finding and reading JSON in what a language model replied: alone, between prose, or broken off.

Ours, because repairing libraries guess («[3] Kenya» becomes the list [3]); here only what is certain is repaired.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_LINE_OF_OBJECT = re.compile(r"^[ \t]*\{", re.MULTILINE)
_CLOSING = {"{": "}", "[": "]"}
_DEEPEST = 100  # lists and objects inside one another
_ESCAPE = re.compile(
    r"""\\(?:(?P<right>["\\/bfnrt]|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|"""
    r"""(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|(?P<other>u[0-9a-fA-F]{4})|(?P<quote>')|)"""
)


class Object(dict[str, object]):
    """A JSON object that remembers keys that occur twice.

    Attributes:
        pairs: Every key with its value, in order.
    """

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


_decoder = json.JSONDecoder(object_pairs_hook=Object, strict=False)


def find_json(text: str) -> tuple[object, bool]:
    """Return the JSON value of a text, else the first JSON object that begins a line; None if neither.

    Escapes that JSON does not have and raw newlines in strings are accepted. Takes time linear in the text.

    Returns:
        The value, and whether it was whole. If it breaks off at the end of the text, its whole items are returned.

    >>> find_json('Here it is:\\n{"numbers": [3, 1]}\\nThese help most.')
    ({'numbers': [3, 1]}, True)
    >>> find_json('{"numbers": [3, 1, 2')
    ({'numbers': [3, 1]}, False)
    """
    text = _repair_escapes(text)
    try:
        return _shallow(_decoder.decode(text), text), True
    except (ValueError, RecursionError):
        pass  # there may be words around it
    start = _LINE_OF_OBJECT.search(text)
    if start:
        try:
            value, end = _decoder.raw_decode(text, start.end() - 1)
            return _shallow(value, text[start.end() - 1 : end]), True
        except (ValueError, RecursionError):
            return _whole_items(text[start.end() - 1 :])
    return _whole_items(text.lstrip()) if text.lstrip()[:1] == "[" else (None, True)


def json_string(text: str) -> str:
    r"""Return the text that a JSON string with its quotes stands for; its escapes may be wrong.

    >>> print(json_string(r'"the king\'s \q"'))
    the king's \q
    """
    return str(json.loads(_repair_escapes(text), strict=False))


def _repair_escapes(text: str) -> str:
    """Return JSON with right escapes: lone surrogates are replaced, unknown escapes are kept as text."""

    def repaired(match: re.Match[str]) -> str:
        if match["half"]:
            return r"\ufffd"
        if match["quote"]:
            return "'"
        return match[0] if match["right"] or match["other"] else r"\\"

    return _ESCAPE.sub(repaired, text) if "\\" in text else text


def _shallow(value: object, text: str) -> object:
    """Return the value, or raise `RecursionError` if it is nested so deeply that reading it may fail."""
    if text.count("[") + text.count("{") > _DEEPEST and _depth(value) > _DEEPEST:
        raise RecursionError
    return value


def _depth(value: object) -> int:
    """Return how deep lists and objects are nested, without recursion."""
    depth, level = 0, [value]
    while level and depth <= _DEEPEST:
        inner = [i for v in level for i in (v.values() if isinstance(v, dict) else v if isinstance(v, list) else ())]
        depth, level = depth + 1, inner
    return depth


def _whole_items(text: str) -> tuple[object, bool]:
    """Return the value of JSON that breaks off, without the items that are not whole."""
    opened, inside, escaped = list[str](), False, False
    end, depth = 0, 0  # where the last whole item ends, and how many of those opened are open there
    for i, char in enumerate(text):
        if inside:
            inside, escaped = char != '"' or escaped, char == "\\" and not escaped
        elif char == '"':
            inside = True
        elif char in _CLOSING:
            opened.append(char)
            if len(opened) > _DEEPEST:
                return None, True
        elif char in "]}":
            if not opened or _CLOSING[opened.pop()] != char or not opened:
                return None, True  # it is not JSON, or does not break off
            end, depth = i + 1, len(opened)
        elif char == ",":
            end, depth = i, len(opened)
    try:
        closing = "".join(_CLOSING[char] for char in reversed(opened[:depth]))
        return (_decoder.decode(text[:end] + closing), False) if end else (None, True)
    except (ValueError, RecursionError):
        return None, True


def only_list(value: object) -> list[Any] | None:
    """Return the value if it is a list, or the only list in it if it is an object; else None.

    >>> only_list({"why": "...", "numbers": [3]})
    [3]
    """
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]
        return lists[0] if len(lists) == 1 else None
    return value if isinstance(value, list) else None


def number_in(value: object) -> float | None:
    """Return the number in a cell, also one written as text; None if it is not a number.

    >>> number_in(7), number_in("[7]"), number_in("high"), number_in(True)
    (7.0, 7.0, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value.strip("[] ") if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


# Schemas, in the part of JSON Schema that both OpenAI's strict mode and the grammars of llama.cpp take


def json_object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def json_list(items: Mapping[str, Any], most: int) -> dict[str, Any]:
    """Return the schema of a list of at most ``most`` items: small models may not stop by themselves."""
    return {"type": "array", "items": dict(items), "maxItems": most}


def whole_number(least: int, most: int) -> dict[str, Any]:
    """Return the schema of a whole number within bounds."""
    return {"type": "integer", "minimum": least, "maximum": most}
