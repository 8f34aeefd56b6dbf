"""Values of properties: their kinds, and how texts are read as values."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | datetime.date | datetime.datetime
"""One value."""

Value: TypeAlias = Scalar | tuple[Scalar, ...]
"""The value of a property; a tuple for a list."""

Properties: TypeAlias = Mapping[str, Value]
"""Properties of one entity or triple by name."""

NO_PROPERTIES: Properties = MappingProxyType({})
"""The properties of an entity or triple that has none."""

LARGEST = (1 << 63) - 1
"""The largest whole number that is kept as a number; larger ones are texts."""

INFINITE = {"INF": math.inf, "+INF": math.inf, "-INF": -math.inf}
"""Infinite numbers as RDF writes them."""

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_NUMBER = re.compile(r"-?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_CELL_NUMBER = re.compile(r"-?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]{1,2})?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_HOURS = r"(?:[01]\d|2[0-3])"
_DATETIME = re.compile(
    rf"\d{{4}}-\d{{2}}-\d{{2}}[T ]{_HOURS}:[0-5]\d(?::[0-5]\d(?:\.\d{{1,9}})?)?(?:Z|[+-]{_HOURS}:?[0-5]\d)?",
    re.ASCII,
)
_LONGEST_INTEGER, _LONGEST_NUMBER = 18, 40  # digits and letters of cells without types that are read as numbers


class Kind(StrEnum):
    """The kind of a value."""

    TEXT = "text"
    INTEGER = "whole number"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "date-time"


class Raw(str):
    """A text as it stands in a file without types; a build decides its kind from all values of the property."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class PropertyColumn:
    """All values of a property that have one kind.

    Attributes:
        name: The name of the property.
        kind: The kind of the values, or of the elements of lists.
        count: Number of entities or triples that have a value.
        is_list: Whether values are lists.
        examples: A few values as texts.
        unit: The unit of numbers; empty for none.
    """

    name: str
    kind: Kind
    count: int
    is_list: bool = False
    examples: tuple[str, ...] = ()
    unit: str = ""


def kind_of(value: Scalar) -> Kind:
    """Return the kind of a value.

    Raises:
        TypeError: It is not a value.

    >>> [str(kind_of(value)) for value in ("a", 1, 1.5, True, datetime.date(2020, 1, 2))]
    ['text', 'whole number', 'number', 'boolean', 'date']
    """
    if isinstance(value, str):
        return Kind.TEXT
    if isinstance(value, bool):
        return Kind.BOOLEAN
    if isinstance(value, int):
        return Kind.INTEGER if -LARGEST <= value <= LARGEST else Kind.TEXT
    if isinstance(value, float):
        return Kind.NUMBER
    if isinstance(value, datetime.datetime):
        return Kind.DATETIME
    if isinstance(value, datetime.date):
        return Kind.DATE
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def value_text(value: Value) -> str:
    """Return a value as text, from which `read_value` reads the same value; lists are joined by "; ".

    >>> value_text(24.0), value_text(True), value_text(datetime.date(2020, 1, 2)), value_text(("a", "b"))
    ('24.0', 'true', '2020-01-02', 'a; b')
    """
    if isinstance(value, tuple):
        return "; ".join(map(value_text, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return repr(value) if isinstance(value, float) else str(value)


def shown_value(value: Value) -> str:
    """Return a value as people write it: whole numbers without decimals, lists joined by ", ".

    >>> shown_value(24.0), shown_value(24.5), shown_value(1e21), shown_value(("a", "b"))
    ('24', '24.5', '1e+21', 'a, b')
    """
    if isinstance(value, tuple):
        return ", ".join(map(shown_value, value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value_text(value)


def read_value(text: str, kind: Kind) -> Scalar | None:
    """Return the value of a kind that a text is; None if it is not one.

    >>> read_value("24.5", Kind.NUMBER), read_value("TRUE", Kind.BOOLEAN), read_value("007", Kind.INTEGER)
    (24.5, True, None)
    >>> read_value("2020-02-30", Kind.DATE) is None
    True
    """
    if kind == Kind.TEXT:
        return str(text)
    text = text.strip()
    if kind == Kind.BOOLEAN:
        return {"true": True, "false": False}.get(text.casefold())
    if kind == Kind.INTEGER:
        return int(text) if _INTEGER.fullmatch(text) and abs(int(text)) <= LARGEST else None
    if kind == Kind.NUMBER:
        return _number(text)
    try:
        if kind == Kind.DATE:
            return datetime.date.fromisoformat(text) if _DATE.fullmatch(text) else None
        return _moment(text) if _DATETIME.fullmatch(text) else None
    except ValueError:
        return None


def _number(text: str) -> float | None:
    """Return a number; None for a whole number whose digits would not all be kept."""
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    is_kept = math.isfinite(value) and (not text.removeprefix("-").isdigit() or Decimal(value) == Decimal(text))
    return value if is_kept else None


def _moment(text: str) -> datetime.datetime | None:
    """Return a date-time; None if it is more exact than a microsecond."""
    fraction = re.search(r"\.(\d+)", text)
    if fraction and fraction[1][6:].strip("0"):
        return None
    return datetime.datetime.fromisoformat(text)


def raw_kind(text: str) -> Kind:
    """Return the kind that a cell of a table without types reads as.

    >>> [str(raw_kind(text)) for text in ("291", "24.5", "007", "false", "2008-10-13", "Berlin")]
    ['whole number', 'number', 'text', 'boolean', 'date', 'text']
    """
    text = text.strip()
    for kind in (Kind.INTEGER, Kind.BOOLEAN, Kind.DATE, Kind.DATETIME):
        if read_value(text, kind) is not None:
            return kind if kind != Kind.INTEGER or len(text.lstrip("-")) <= _LONGEST_INTEGER else Kind.TEXT
    if is_code(text) or len(text) > _LONGEST_NUMBER or text.removeprefix("-").isdigit():
        return Kind.TEXT
    return Kind.NUMBER if _CELL_NUMBER.fullmatch(text) else Kind.TEXT


def is_code(text: str) -> bool:
    """Return whether digits begin with a zero that a number would lose.

    >>> is_code("007"), is_code("0.7"), is_code("0")
    (True, False, False)
    """
    digits = text.strip().removeprefix("-")
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()


def is_exact_float(number: int) -> bool:
    """Return whether a number with decimals can hold a whole number.

    >>> is_exact_float(1 << 53), is_exact_float((1 << 53) + 1)
    (True, False)
    """
    return -(1 << 53) <= number <= 1 << 53 or (abs(number) <= LARGEST and int(float(number)) == number)


def json_value(value: Value) -> object:
    """Return a value as plain JSON types: dates and date-times as text, infinite numbers too."""
    if isinstance(value, tuple):
        return list(map(json_value, value))
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
