"""Values of properties from the texts and JSON of graph files."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from graphbrick.core.properties.values import LARGEST, Kind, Scalar, Value, read_value, value_text
from graphbrick.graphs.records.records import LeftOut

MISMATCHED = "values that are not of the type that the file declares, kept as texts"
NESTED = "nested values, kept as JSON texts"
MIXED = "lists of values of several kinds, kept as texts"
NO_ELEMENTS = "elements of lists without a value (null or an empty text)"
NOT_NUMBERS = "values that are not a number (NaN)"
_KINDS = {
    **dict.fromkeys(("int", "integer", "long", "short", "byte", "biginteger", "nonnegativeinteger"), Kind.INTEGER),
    **dict.fromkeys(("float", "double", "decimal", "bigdecimal"), Kind.NUMBER),
    **dict.fromkeys(("boolean", "bool"), Kind.BOOLEAN),
    "date": Kind.DATE,
    "datetime": Kind.DATETIME,
}
_WORDS: dict[Kind, dict[str, Scalar]] = {
    Kind.BOOLEAN: {"1": True, "0": False},
    Kind.NUMBER: {"inf": math.inf, "infinity": math.inf, "-inf": -math.inf, "-infinity": -math.inf},
}


def text_value(text: str) -> Scalar:
    """Return a text, or the date or date-time that it is in ISO 8601.

    >>> text_value("2020-01-02"), text_value("24.5")
    (datetime.date(2020, 1, 2), '24.5')
    """
    if text[4:5] != "-" or not text[:4].isdigit():
        return text
    for kind in (Kind.DATE, Kind.DATETIME):
        value = read_value(text, kind)
        if value is not None:
            return value
    return text


def typed_value(text: str, type_: str, left_out: LeftOut) -> Scalar | None:
    """Return the value of a text whose type a file declares; None if there is none.

    Args:
        text: The text.
        type_: The name of the type in GraphML or GEXF; other names are texts.
        left_out: Receives NaN, and the texts that are not of their type, which stay texts.
    """
    stripped = text.strip()
    kind = _KINDS.get(type_.strip().casefold())
    if not stripped:
        return None
    if kind is None:
        return text_value(stripped)
    if kind == Kind.NUMBER and stripped.casefold() == "nan":
        left_out.add(NOT_NUMBERS)
        return None
    value = read_value(stripped.removeprefix("+"), kind)
    if value is None:
        value = _WORDS.get(kind, {}).get(stripped.casefold())
    if value is None:
        value = text_value(stripped)
        if isinstance(value, str) or kind not in (Kind.DATE, Kind.DATETIME):
            left_out.add(MISMATCHED, stripped)
    return value


def json_property(value: object, left_out: LeftOut) -> Value | None:
    """Return a value of JSON as the value of a property; None for null, an empty text or an empty list.

    Args:
        value: What `json` made of it.
        left_out: Receives NaN and nested values, which become JSON texts.
    """
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        items = [_scalar(item, left_out) for item in value]
        values = [item for item in items if item is not None]
        if len(values) < len(items):
            left_out.add(NO_ELEMENTS, json.dumps(value, ensure_ascii=False)[:80], len(items) - len(values))
        if not {type(item) for item in values} <= {int, float} and len({type(item) for item in values}) > 1:
            left_out.add(MIXED, json.dumps(value, ensure_ascii=False)[:80])
        return one_kind(values) or None
    if isinstance(value, list | dict):
        if not value:
            return None
        left_out.add(NESTED)
        return json.dumps(value, ensure_ascii=False)
    return _scalar(value, left_out)


def _scalar(value: object, left_out: LeftOut) -> Scalar | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float) and math.isnan(value):
        left_out.add(NOT_NUMBERS)
        return None
    if isinstance(value, int):
        return value if abs(value) <= LARGEST else str(value)
    if isinstance(value, float):
        return value
    text = str(value).strip()
    return text_value(text) if text else None


def one_kind(items: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """Return the elements of a list as values of one kind: numbers if all are numbers, else texts.

    >>> one_kind([1, 2.5]), one_kind([1, "a"])
    ((1.0, 2.5), ('1', 'a'))
    """
    types = {type(item) for item in items}
    if types == {int, float}:
        return tuple(float(item) for item in items if isinstance(item, int | float))
    return tuple(items) if len(types) < 2 else tuple(map(value_text, items))
