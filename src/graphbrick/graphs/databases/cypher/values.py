"""Values of Cypher databases as values of properties, and as plain data of query results."""

from __future__ import annotations

import datetime
import json
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

from graphbrick.core.properties.values import LARGEST, Kind, Properties, Scalar, Value, kind_of, value_text
from graphbrick.graphs.databases.names import whole_number

_WHOLE = ("INT", "UINT", "SERIAL")
_NUMBERS = ("FLOAT", "DOUBLE", "DECIMAL", "REAL")


def properties_among(values: Mapping[str, Any], without: Collection[str]) -> Properties:
    """Return the properties among the values of a node or a relation.

    Args:
        values: The values by name, as the client of the database returns them.
        without: Names of values that are no properties, such as the key.
    """
    read = ((name, property_value(value)) for name, value in values.items() if name not in without)
    return {str(name): value for name, value in read if value is not None}


def property_value(value: Any) -> Value | None:
    """Return a value of a database as value of a property; None for no value and for an empty list.

    Durations, points, maps and other types become texts, maps as JSON. A list of different kinds becomes one of texts.

    >>> property_value([1, 2.5]), property_value({"x": 1}), property_value(["a", None, 1]), property_value([])
    ((1.0, 2.5), '{"x": 1}', ('a', '1'), None)
    >>> property_value(datetime.timedelta(days=1, hours=2)), property_value(Decimal("24.10"))
    ('P1DT2H', 24.1)
    """
    value = plain_scalar(value)
    if isinstance(value, Decimal):
        value = _number(value)
    if isinstance(value, list | tuple | set | frozenset):
        return _list(value)
    if isinstance(value, Mapping):
        return json.dumps(_json(value), ensure_ascii=False)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST:
        return str(value)
    return value if value is None or isinstance(value, str | int | float | datetime.date) else str(value)


def plain_scalar(value: Any) -> Any:
    """Return a value without types of a client: times as those of Python, or as texts where those are less exact."""
    if isinstance(value, str | int | float | datetime.date) or value is None:
        return value
    if isinstance(value, datetime.timedelta):
        return _duration(0, value.days, value.seconds, value.microseconds)
    if isinstance(value, datetime.time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if hasattr(value, "to_native"):  # of the client of Neo4j: a date, a date-time or a time
        is_exact = getattr(value, "nanosecond", 0) % 1000 == 0 and hasattr(value, "year")
        return value.to_native() if is_exact else value.iso_format()
    if hasattr(value, "iso_format"):  # a duration, which is a tuple of four numbers
        return value.iso_format()
    if hasattr(value, "srid"):  # a point, which is a tuple of its coordinates
        return f"POINT({' '.join(map(str, value))})"
    if type(value).__name__ == "relativedelta":  # a duration, of the client of FalkorDB
        seconds = value.hours * 3600 + value.minutes * 60 + value.seconds
        return _duration(12 * value.years + value.months, value.days, seconds, value.microseconds)
    return value


def _list(values: Collection[Any]) -> Value | None:
    parts = [property_value(part) for part in values]
    scalars = [part for part in parts if part is not None]
    if any(isinstance(part, tuple) for part in scalars):
        return json.dumps(_json(values), ensure_ascii=False)
    flat: list[Scalar] = [part for part in scalars if not isinstance(part, tuple)]
    kinds = set(map(kind_of, flat))
    if kinds == {Kind.INTEGER, Kind.NUMBER}:
        flat = [float(part) for part in flat if isinstance(part, int | float)]
    elif len(kinds) > 1:
        flat = list(map(value_text, flat))
    return tuple(flat) or None


def _number(value: Decimal) -> Scalar:
    """Return a decimal number as the nearest value: a whole number if it has no decimals and is not too large."""
    if value.is_finite() and value.as_tuple().exponent == 0:
        return int(value) if abs(value) <= LARGEST else str(int(value))
    return float(value)


def _duration(months: int, days: int, seconds: int, microseconds: int) -> str:
    """Return a duration as ISO 8601 writes it.

    >>> _duration(14, 0, 0, 0), _duration(0, -1, 3605, 500000), _duration(0, 0, 0, 0)
    ('P1Y2M', 'P-1DT1H5.5S', 'PT0S')
    """
    years, months = divmod(months, 12)
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    shown = f"{rest}.{microseconds:06}".rstrip("0") if microseconds else str(rest)
    date = "".join(f"{n}{unit}" for n, unit in ((years, "Y"), (months, "M"), (days, "D")) if n)
    time = "".join(f"{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M")) if n)
    time += f"{shown}S" if rest or microseconds else ""
    return f"P{date}{'T' + time if time else ''}" if date or time else "PT0S"


def _json(value: Any) -> Any:
    """Return a value as plain JSON types."""
    value = plain_scalar(value)
    if isinstance(value, Mapping):
        return {str(name): _json(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return list(map(_json, value))
    if value is None or isinstance(value, str | bool | int | float):
        return value
    single = property_value(value)
    return single if isinstance(single, str | int | float) else value_text(single) if single is not None else None


def type_kind(name: str) -> tuple[Kind, bool]:
    """Return the kind of the values of a type in the words of a database, and whether they are lists.

    >>> type_kind("INT64"), type_kind("DATE[]"), type_kind("STRUCT(x INT64)")
    ((<Kind.INTEGER: 'whole number'>, False), (<Kind.DATE: 'date'>, True), (<Kind.TEXT: 'text'>, False))
    """
    inner, bracket, rest = name.partition("[")
    if name.startswith(("STRUCT", "MAP", "UNION", "INTERVAL")) or "[" in rest:
        return Kind.TEXT, False
    if bracket:
        return type_kind(inner)[0], True
    if name.startswith(_WHOLE):
        return Kind.INTEGER, False
    if name.startswith(_NUMBERS):
        return Kind.NUMBER, False
    if name.startswith("TIMESTAMP"):
        return Kind.DATETIME, False
    return {"BOOL": Kind.BOOLEAN, "BOOLEAN": Kind.BOOLEAN, "DATE": Kind.DATE}.get(name, Kind.TEXT), False


def key_value(key: str, type_name: str) -> str | int | float | None:
    """Return a key as a value that can be compared with a property of a type; None if it cannot be one.

    >>> key_value("7", "INT64"), key_value("x", "INT64"), key_value("1.5", "DOUBLE"), key_value("7", "STRING")
    (7, None, 1.5, '7')
    """
    kind, is_list = type_kind(type_name)
    if is_list or kind not in (Kind.INTEGER, Kind.NUMBER):
        return key
    try:
        return whole_number(key) if kind == Kind.INTEGER else float(key)
    except ValueError:
        return None
