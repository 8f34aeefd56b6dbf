"""Values of properties in the pages of a copy, as JSON from which just these values are read."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from graphbrick.core.properties.values import NO_PROPERTIES, Properties, Scalar

_READ = {"date": datetime.date.fromisoformat, "time": datetime.datetime.fromisoformat}


def json_properties(properties: Properties) -> dict[str, Any] | None:
    """Return properties as JSON types; None for none.

    >>> json_properties({"born": datetime.date(1970, 1, 2), "tags": ("a", "b")})
    {'born': {'date': '1970-01-02'}, 'tags': ['a', 'b']}
    """
    return {
        name: list(map(_written, value)) if isinstance(value, tuple) else _written(value)
        for name, value in properties.items()
    } or None


def properties_in(row: Mapping[str, Any] | None) -> Properties:
    """Return the properties that `json_properties` wrote."""
    if not row:
        return NO_PROPERTIES
    return {
        name: tuple(map(_value, value)) if isinstance(value, list) else _value(value) for name, value in row.items()
    }


def _written(value: Scalar) -> Any:
    if isinstance(value, datetime.datetime):
        return {"time": value.isoformat()}
    return {"date": value.isoformat()} if isinstance(value, datetime.date) else value


def _value(value: Any) -> Scalar:
    if not isinstance(value, Mapping):
        return value  # type: ignore[no-any-return]
    ((kind, text),) = value.items()
    return _READ[kind](text)
