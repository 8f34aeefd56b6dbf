"""The JSON in what a language model replied: alone, between prose, or broken off."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_LINE_OF_OBJECT = re.compile(r"^[ \t]*\{", re.MULTILINE)
_CLOSING = {"{": "}", "[": "]"}


class Object(dict[str, object]):
    """A JSON object that remembers what was written twice.

    Attributes:
        pairs: Every key with its value, in order.
    """

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


_decoder = json.JSONDecoder(object_pairs_hook=Object)


def find_json(text: str) -> tuple[object, bool]:
    """The JSON value that a text is, or else the first JSON object that begins a line of it; None where there is none.

    Returns:
        The value, and whether it was whole. Of one that breaks off at the end of the text, the items before are there.

    >>> find_json('Here it is:\\n{"numbers": [3, 1]}\\nThese help most.')
    ({'numbers': [3, 1]}, True)
    >>> find_json('{"numbers": [3, 1, 2')
    ({'numbers': [3, 1]}, False)
    """
    try:
        return _decoder.decode(text), True
    except (ValueError, RecursionError):
        pass  # there may be words around it
    start = _LINE_OF_OBJECT.search(text)
    if start:
        try:
            return _decoder.raw_decode(text, start.end() - 1)[0], True
        except (ValueError, RecursionError):
            return _mended(text[start.end() - 1 :])
    return _mended(text.lstrip()) if text.lstrip()[:1] == "[" else (None, True)


def _mended(text: str) -> tuple[object, bool]:
    """The value of JSON that breaks off, without what is not whole."""
    opened, inside, escaped = list[str](), False, False
    end, still_open = 0, list[str]()  # where the last whole item ends, and what is open there
    for i, char in enumerate(text):
        if inside:
            inside, escaped = char != '"' or escaped, char == "\\" and not escaped
        elif char == '"':
            inside = True
        elif char in _CLOSING:
            opened.append(char)
        elif char in "]}":
            if not opened or _CLOSING[opened.pop()] != char or not opened:
                return None, True  # it is no JSON, or does not break off
            end, still_open = i + 1, opened[:]
        elif char == ",":
            end, still_open = i, opened[:]
    try:
        closing = "".join(_CLOSING[char] for char in reversed(still_open))
        return (_decoder.decode(text[:end] + closing), False) if end else (None, True)
    except (ValueError, RecursionError):
        return None, True


def only_list(value: object) -> list[Any] | None:
    """The value where it is a list, or the only list in it where it is an object; else None.

    >>> only_list({"why": "...", "numbers": [3]})
    [3]
    """
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]
        return lists[0] if len(lists) == 1 else None
    return value if isinstance(value, list) else None


# Schemas, in the part of JSON Schema that both OpenAI's strict mode and the grammars of llama.cpp take


def json_object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object that has all of some properties and no other."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def json_list(items: Mapping[str, Any], most: int) -> dict[str, Any]:
    """The schema of a list of at most ``most`` items: small models may not come to an end by themselves."""
    return {"type": "array", "items": dict(items), "maxItems": most}


def whole_number(least: int, most: int) -> dict[str, Any]:
    """The schema of a whole number within bounds."""
    return {"type": "integer", "minimum": least, "maximum": most}
