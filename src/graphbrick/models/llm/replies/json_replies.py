"""Finding and reading JSON in what a language model replied: alone, between prose, in parts, or broken off.

Only what is certain is read: libraries that repair JSON guess («[3] Kenya» becomes the list [3]), so one is asked only
about what is JSON but for its marks (`graphbrick.models.llm.replies.repairing`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from graphbrick.models.llm.replies.repairing import repaired

_LINE_OF_OBJECT = re.compile(r"^[ \t]*\{", re.MULTILINE)
_OBJECT = re.compile(r'\{\s*"')
_CLOSING = {"{": "}", "[": "]"}
_NEXT = re.compile(r"[\s,;]*(?:```\w*\s*)*\{")
_MOST_OBJECTS = 1000
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
    """Return the JSON value of a text, else the first JSON object in it, at the beginning of a line if there is one.

    Objects that follow one another are one if their keys differ, and a list if each is a row of the same keys. Escapes
    that JSON does not have, raw newlines in strings, and marks that are nearly right are accepted. None if there is no
    JSON. Takes time linear in the text.

    Returns:
        The value, and whether it was whole. If it breaks off at the end of the text, its whole items are returned.

    >>> find_json('Here it is:\\n{"numbers": [3, 1]}\\nThese help most.')
    ({'numbers': [3, 1]}, True)
    >>> find_json('{"numbers": [3, 1, 2')
    ({'numbers': [3, 1]}, False)
    """
    text = _repair_escapes(text.lstrip("\ufeff"))
    try:
        value = _shallow(_decoder.decode(text), text)
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            return find_json(value)  # JSON that was written as a text of JSON
        return value, True
    except (ValueError, RecursionError):
        pass  # there may be words around it
    start = _LINE_OF_OBJECT.search(text)
    if start is None and text.lstrip()[:1] == "[":
        return _else_repaired(text.lstrip())
    start = start or _OBJECT.search(text)
    if start is None:
        return None, True
    begin = start.start() + start.group().index("{")
    try:
        value, end = _decoder.raw_decode(text, begin)
        return _with_following(_shallow(value, text[begin:end]), text, end), True
    except (ValueError, RecursionError):
        return _else_repaired(text[begin:])


def _else_repaired(text: str) -> tuple[object, bool]:
    """Return the whole items of JSON that breaks off, or else what a text is but for its marks."""
    value, whole = _whole_items(text)
    if value is not None and not whole:
        return value, whole
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        rows = [_decoder.decode(line.rstrip(" ,;")) for line in lines] if len(lines) > 1 else []
    except (ValueError, RecursionError):
        rows = []
    if rows and all(isinstance(row, list) and len(row) > 1 and all(isinstance(c, str) for c in row) for row in rows):
        return rows, True
    value = repaired(text)
    return _as_objects(value), True


def _with_following(value: object, text: str, end: int) -> object:
    """Return an object together with those that follow it: one of all keys, or a list of rows of the same keys."""
    values = [value]
    while isinstance(value, Object) and len(values) < _MOST_OBJECTS:
        following = _NEXT.match(text, end)
        if following is None:
            break
        try:
            value, end = _decoder.raw_decode(text, following.end() - 1)
            values.append(_shallow(value, text[following.end() - 1 : end]))
        except (ValueError, RecursionError):
            break
    objects = [one for one in values if isinstance(one, Object) and one]
    keys = [frozenset(one) for one in objects]
    if len(objects) > 1 and sum(map(len, keys)) == len(frozenset().union(*keys)):
        return Object([pair for one in objects for pair in one.pairs])
    are_rows = all(not isinstance(cell, dict | list) for one in objects for cell in one.values())
    return list(objects) if len(objects) > 1 and len(set(keys)) == 1 and are_rows else values[0]


def _as_objects(value: object) -> object:
    """Return a value with its dictionaries as `Object`."""
    if isinstance(value, dict):
        return Object([(str(key), _as_objects(one)) for key, one in value.items()])
    return [_as_objects(one) for one in value] if isinstance(value, list) else value


def unwrapped(value: object) -> object:
    """Return the object that is all there is in an object of one key, or in a list.

    >>> unwrapped({"reply": {"triples": []}}), unwrapped({"triples": [1]})
    ({'triples': []}, {'triples': [1]})
    """
    for _ in range(_DEEPEST):
        inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        if len(inner) != 1 or not isinstance(inner[0], dict):
            break
        value = inner[0]
    return value


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

    >>> only_list({"why": "...", "numbers": [3]}), only_list({"reply": {"numbers": [3]}})
    ([3], [3])
    """
    if isinstance(value, dict):
        inner = unwrapped(value)
        lists = [item for item in inner.values() if isinstance(item, list)] if isinstance(inner, dict) else []
        is_certain = inner is value or not any(item is None or isinstance(item, dict) for one in lists for item in one)
        return lists[0] if len(lists) == 1 and is_certain else None
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
