"""Properties as facts of columns: the column of a value, and the text that carries it through a build."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from graphbrick.core.properties.values import (
    Kind,
    Properties,
    Raw,
    Scalar,
    Value,
    kind_of,
    raw_kind,
    read_value,
    value_text,
)


class ColumnKey(NamedTuple):
    """What values of one column share.

    Attributes:
        name: The name of the property.
        kind: The kind of the values, or of the elements of lists; None if it is decided from all values.
        is_list: Whether values are lists.
    """

    name: str
    kind: Kind | None
    is_list: bool = False


def property_facts(properties: Properties) -> Iterator[tuple[ColumnKey, str]]:
    """Yield the column and the text of each property; NaN is no value.

    The text of a list is a JSON array of the texts of its elements. A list of whole numbers and numbers is one of
    numbers; a list of other different kinds is one of texts.
    """
    for name, value in properties.items():
        if isinstance(value, tuple):
            kind = list_kind(value)
            yield ColumnKey(name, kind, is_list=True), json.dumps([_text(element, kind) for element in value])
        elif isinstance(value, Raw):
            yield ColumnKey(name, None), value.strip()
        elif not (isinstance(value, float) and math.isnan(value)):
            yield ColumnKey(name, kind_of(value)), value_text(value)


def list_kind(values: tuple[Scalar, ...]) -> Kind:
    """Return the kind of the elements of a list."""
    kinds = {Kind.TEXT if isinstance(value, Raw) else kind_of(value) for value in values}
    if kinds == {Kind.INTEGER, Kind.NUMBER}:
        return Kind.NUMBER
    return kinds.pop() if len(kinds) == 1 else Kind.TEXT


def _text(value: Scalar, kind: Kind) -> str:
    return repr(float(value)) if kind == Kind.NUMBER and isinstance(value, int | float) else value_text(value)


def read_fact(column: ColumnKey, text: str) -> Value:
    """Return the value that the text of a fact carries; `Raw` if its kind is not decided."""
    if column.is_list:
        return tuple(_read(element, column.kind or Kind.TEXT) for element in json.loads(text))
    return Raw(text) if column.kind is None else _read(text, column.kind)


def _read(text: str, kind: Kind) -> Scalar:
    if kind == Kind.NUMBER:
        return float(text)
    if kind == Kind.DATETIME:
        return datetime.datetime.fromisoformat(text)
    value = read_value(text, kind)
    return text if value is None else value


def read_raw(properties: Properties, kinds: Mapping[str, Collection[Kind]]) -> Properties:
    """Return properties in which each `Raw` value has a kind.

    Args:
        properties: The properties.
        kinds: The kinds of the values that a graph has already, by name; a value that reads as none of them is a text.
    """
    if not any(isinstance(value, Raw) for value in properties.values()):
        return properties
    return {
        name: _read_cell(value.strip(), kinds.get(name, ())) if isinstance(value, Raw) else value
        for name, value in properties.items()
    }


def _read_cell(text: str, kinds: Collection[Kind]) -> Scalar:
    kind = raw_kind(text)
    if kind == Kind.INTEGER and Kind.NUMBER in kinds and Kind.INTEGER not in kinds:
        return float(text)
    return _read(text, kind) if not kinds or kind in kinds else text


def to_json(properties: Properties) -> dict[str, Any]:
    """Return properties as plain JSON from which `from_json` makes the same: kind, form and text of each."""
    facts = ((column, text) for column, text in property_facts(properties))
    return {column.name: [column.kind or raw_kind(text), column.is_list, text] for column, text in facts}


def from_json(properties: dict[str, Any]) -> dict[str, Value]:
    """Return the properties of `to_json`."""
    return {
        name: read_fact(ColumnKey(name, Kind(kind), is_list), text)
        for name, (kind, is_list, text) in properties.items()
    }


def properties_text(properties: Properties) -> str:
    """Return a text that is the same for equal properties, in whatever order."""
    return json.dumps(to_json(properties), sort_keys=True)
