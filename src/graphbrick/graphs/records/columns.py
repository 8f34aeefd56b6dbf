"""Properties as facts: the column of a value, and the text that carries it through a build."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from graphbrick.core.properties.values import (
    Kind,
    Properties,
    Raw,
    Scalar,
    Value,
    is_exact_float,
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
        unit: The unit of the numbers; empty for none.
    """

    name: str
    kind: Kind | None
    is_list: bool = False
    unit: str = ""

    @property
    def form(self) -> str:
        """Kind and form in words: "number", "list of date"."""
        return f"list of {self.kind}" if self.is_list else f"{self.kind}"


_TITLE = re.compile(rf"(?P<name>.+) \((?P<form>(?:list of )?(?:{'|'.join(Kind)}))\)", re.DOTALL)


def column_titles(columns: Iterable[ColumnKey], taken: Collection[str] = ()) -> dict[ColumnKey, str]:
    """Return a different title for each column of a file: the name of the property, or name and kind.

    The first column of a name has it as title, unless it is taken or reads as a name with a kind.

    Args:
        columns: The columns.
        taken: Titles of the other columns of the file, in lower case.

    >>> price = [ColumnKey("price", Kind.NUMBER), ColumnKey("price", Kind.TEXT), ColumnKey("id", Kind.DATE, True)]
    >>> list(column_titles(price, {"id"}).values())
    ['price', 'price (text)', 'id (list of date)']
    """
    used, titles = set(taken), dict[ColumnKey, str]()
    for column in columns:
        folded = column.name.casefold()
        is_plain = folded not in used and _TITLE.fullmatch(column.name) is None
        titles[column] = column.name if is_plain else f"{column.name} ({column.form})"
        used.add(folded)
    return titles


def titled_name(title: str) -> tuple[str, str]:
    """Return the name and the form of a title of `column_titles`; an unstated form is empty.

    >>> titled_name("price (text)"), titled_name("price")
    (('price', 'text'), ('price', ''))
    """
    match = _TITLE.fullmatch(title)
    return (match["name"], match["form"]) if match else (title, "")


def column_of_form(name: str, form: str) -> ColumnKey:
    """Return the column with a name and a form.

    >>> column_of_form("born", "list of date")
    ColumnKey(name='born', kind=<Kind.DATE: 'date'>, is_list=True, unit='')

    Raises:
        ValueError: There is no such form.
    """
    return ColumnKey(name, Kind(form.removeprefix("list of ")), form.startswith("list of "))


def column_of(name: str, value: Value) -> ColumnKey:
    """Return the column of a value that has a kind."""
    return ColumnKey(name, list_kind(value), True) if isinstance(value, tuple) else ColumnKey(name, kind_of(value))


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
        are_kept = all(is_exact_float(value) for value in values if isinstance(value, int))
        return Kind.NUMBER if are_kept else Kind.TEXT
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
        return float(text) if is_exact_float(int(text)) else text
    return _read(text, kind) if not kinds or kind in kinds else text


def to_json(properties: Properties) -> dict[str, Any]:
    """Return properties as JSON for `from_json`: kind, form and text of each."""
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
