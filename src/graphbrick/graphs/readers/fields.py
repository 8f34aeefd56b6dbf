"""Columns of properties: their names and kinds, and how their cells are read as values."""

from __future__ import annotations

import datetime
import decimal
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from graphbrick.core.properties.values import (
    LARGEST,
    NO_PROPERTIES,
    Kind,
    Properties,
    Raw,
    Scalar,
    Value,
    json_value,
    read_value,
)
from graphbrick.core.properties.written import unit_in
from graphbrick.graphs.records.columns import ColumnKey, read_fact
from graphbrick.graphs.records.records import LeftOut

_KINDS = {
    **dict.fromkeys(("int", "integer", "long", "byte", "short"), Kind.INTEGER),
    **dict.fromkeys(("float", "double"), Kind.NUMBER),
    **dict.fromkeys(("boolean", "bool"), Kind.BOOLEAN),
    "date": Kind.DATE,
    **dict.fromkeys(("datetime", "localdatetime"), Kind.DATETIME),
    **dict.fromkeys(("string", "char", "time", "localtime", "duration", "point"), Kind.TEXT),
}
"""Kinds of the types in headers of Neo4j and Neptune; times, durations and points are texts."""

VALUE_TYPE = re.compile(rf"({'|'.join(_KINDS)})(\[\])?", re.IGNORECASE)
"""The type of a column as a header names it."""

_WHOLE = re.compile(r"([+-]?[0-9]+)(?:\.0*)?")
_NOTHING = {"", "\\N"}
_SEPARATED = re.compile(r"[|;]|^[:\[]")

Cell: TypeAlias = str | tuple[str, ...]
"""The text of a cell; a tuple if the table stores a list."""


@dataclass(frozen=True)
class Field:
    """A column whose cells are values of a property.

    Attributes:
        place: The index of the column.
        name: The name of the property.
        kind: The kind that the header states; None if it states none.
        is_list: Whether the header says that a cell holds several values.
        separator: The text between the values of a cell.
        is_exact: Whether cells are read as they are, blanks included, as exports of this package write them.
        unit: The unit of its numbers; empty for none.
    """

    place: int
    name: str
    kind: Kind | None = None
    is_list: bool = False
    separator: str = ";"
    is_exact: bool = False
    unit: str = ""


def split_type(cell: str) -> tuple[str, str]:
    """Return the name and the type of a header cell; the type is empty if the cell states none.

    >>> [split_type(cell) for cell in ("price:float", "tags:String[]", "rdfs:label", "born:Date(single)")]
    [('price', 'float'), ('tags', 'string[]'), ('rdfs:label', ''), ('born', 'date')]
    """
    cell = re.sub(r"(?<=.)(\(.*\)|\{.*\})+$", "", cell.strip())
    name, _, suffix = cell.rpartition(":")
    if name and VALUE_TYPE.fullmatch(suffix):
        return name, suffix.casefold()
    return cell, ""


def field_of(place: int, cell: str, samples: Sequence[str] = ()) -> Field:
    """Return the property of a column.

    Args:
        place: The index of the column.
        cell: Its header.
        samples: Some of its cells, which show what separates the values of a list.
    """
    name, stated = split_type(cell)
    name = name.strip().lstrip("~:") or name.strip()
    if not stated:
        return Field(place, name, unit=unit_in(cell))
    kind, is_list = _KINDS[stated.removesuffix("[]")], stated.endswith("[]")
    separator = "|" if is_list and any("|" in text for text in samples) else ";"
    if any(";" in text for text in samples):
        separator = ";"
    return Field(place, name, kind, is_list, separator)


def distinct_names(fields: Iterable[Field]) -> tuple[Field, ...]:
    """Return the fields with different names: the second column ``price`` becomes ``price (2)``."""
    counts: dict[str, int] = {}
    renamed = []
    for field in fields:
        counts[field.name] = count = counts.get(field.name, 0) + 1
        name = field.name if count == 1 else f"{field.name} ({count})"
        renamed.append(replace(field, name=name))
    return tuple(renamed)


def text_properties(
    fields: Sequence[Field], left_out: LeftOut, file_name: str
) -> Callable[[Sequence[str]], Properties]:
    """Return the function that reads the properties of a row of texts.

    An empty cell is no value. Cells of a column without a type are `Raw`. A cell that is not what the header says is
    kept as text, and reported.
    """
    if all(field.kind is None for field in fields):
        places = [(field.name, field.place) for field in fields]

        def raw(cells: Sequence[str]) -> Properties:
            values: Properties = {
                name: Raw(text) for name, place in places if (text := cells[place].strip()) and text != "\\N"
            }
            return values or NO_PROPERTIES

        return raw if places else lambda cells: NO_PROPERTIES
    readers = [(field.name, field.place, cell_reader(field, left_out, file_name), field.is_exact) for field in fields]

    def typed(cells: Sequence[str]) -> Properties:
        values: dict[str, Value] = {}
        for name, place, read, is_exact in readers:
            text = cells[place] if is_exact else cells[place].strip()
            is_nothing = text == "" if is_exact else text in _NOTHING
            if not is_nothing and (value := read(text)) is not None:
                values[name] = value
        return values or NO_PROPERTIES

    return typed


def cell_reader(field: Field, left_out: LeftOut, file_name: str) -> Callable[[str], Value | None]:
    """Return the function that reads a cell of a column."""
    kind = field.kind
    if kind is None:
        return Raw

    def one(text: str) -> Scalar | None:
        value = typed_value(text, kind)
        if value is None:
            if text.casefold() == "nan":
                return None
            left_out.add(
                f"cells of {file_name} that are not what the header says (kept as texts)", f"{field.name}: {text}"
            )
            return text
        return value

    if not field.is_list:
        return one

    def several(text: str) -> Value | None:
        parts = text.split(field.separator) if field.is_exact else split_list(text, field.separator)
        values = map(one, parts)
        return tuple(value for value in values if value is not None) or None

    return several


def split_list(text: str, separator: str) -> list[str]:
    """Return the elements of a cell that holds a list: separated, or as a JSON array.

    >>> split_list("a; b;", ";"), split_list('["a;b", 2]', ";")
    (['a', 'b'], ['a;b', '2'])
    """
    if text.startswith("[") and text.endswith("]"):
        try:
            return [
                part if isinstance(part, str) else json.dumps(part) for part in json.loads(text) if part is not None
            ]
        except (ValueError, RecursionError):
            pass
    return [part.strip() for part in text.split(separator) if part.strip()]


def typed_value(text: str, kind: Kind) -> Scalar | None:
    """Return the value of a cell whose header states the kind; None if it is not one.

    >>> typed_value("007", Kind.INTEGER), typed_value("12.0", Kind.INTEGER), typed_value("12.5", Kind.INTEGER)
    (7, 12, None)
    """
    if kind == Kind.INTEGER:
        match = _WHOLE.fullmatch(text)
        return int(match[1]) if match and abs(int(match[1])) <= LARGEST else None
    if kind == Kind.NUMBER:
        try:
            number = float(text)
        except ValueError:
            return None
        return None if math.isnan(number) or "_" in text else number
    if kind in (Kind.DATE, Kind.DATETIME):
        other = Kind.DATETIME if kind == Kind.DATE else Kind.DATE
        value = read_value(text, kind)
        return read_value(text, other) if value is None else value
    return read_value(text, kind)


def cells_properties(fields: Sequence[Field]) -> Callable[[Sequence[object]], Properties]:
    """Return the function that reads the properties of a row whose cells are Python values."""
    places = [(field.name, field.place, exact_reader(field) if field.is_exact else value_of) for field in fields]

    def read(cells: Sequence[object]) -> Properties:
        values = {name: value for name, place, of in places if (value := of(cells[place])) is not None}
        return values or NO_PROPERTIES

    return read if places else lambda cells: NO_PROPERTIES


def exact_reader(field: Field) -> Callable[[object], Value | None]:
    """Return the function that reads a cell of a table or of JSON that this package exported.

    Texts of another kind, such as dates, are read as values of the kind that the column states.

    >>> exact_reader(Field(0, "born", Kind.DATE, True))(["2020-01-02"]), exact_reader(Field(0, "x"))("")
    ((datetime.date(2020, 1, 2),), '')
    """
    column = ColumnKey(field.name, field.kind or Kind.TEXT)

    def one(cell: Any) -> Scalar:
        if isinstance(cell, str) and column.kind != Kind.TEXT:
            cell = read_fact(column, cell)
        return float(cell) if column.kind == Kind.NUMBER else cell

    def read(cell: Any) -> Value | None:
        if cell is None:
            return None
        return tuple(map(one, cell)) if isinstance(cell, list) else one(cell)

    return read


def value_of(cell: object) -> Value | None:
    """Return a value of a typed table as the value of a property; None if the cell is empty.

    Lists become tuples; nested lists, structs and maps become JSON texts; times and durations become texts.

    >>> value_of([1, None, 2]), value_of({"k": 1}), value_of(" "), value_of(datetime.time(9, 30))
    ((1, 2), '{"k": 1}', None, '09:30:00')
    """
    if isinstance(cell, str):
        return cell.strip() or None
    if isinstance(cell, bool | datetime.date):
        return cell
    if isinstance(cell, int):
        return cell if abs(cell) <= LARGEST else str(cell)
    if isinstance(cell, float):
        return None if math.isnan(cell) else cell
    if cell is None:
        return None
    if isinstance(cell, list | tuple):
        parts = (json_text(part) if isinstance(part, list | tuple) else value_of(part) for part in cell)
        return tuple(part for part in parts if part is not None and not isinstance(part, tuple)) or None
    if isinstance(cell, decimal.Decimal):
        number = float(cell)
        return number if decimal.Decimal(repr(number)) == cell else str(cell)
    return json_text(cell) or None


def json_text(value: object) -> str:
    """Return a value that is not a property as text: JSON for lists, structs and maps.

    >>> json_text({"k": 1, "v": b"x", "at": datetime.date(2020, 1, 2)})
    '{"k": 1, "v": "x", "at": "2020-01-02"}'
    """
    plain = _plain(value)
    return plain.strip() if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def _plain(value: object) -> object:
    """Return a value as plain JSON types; anything else as text."""
    if isinstance(value, Mapping):
        return {str(_plain(name)): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value.hex()
    if isinstance(value, str | int | float | datetime.date):
        return json_value(value)
    if isinstance(value, datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return f"PT{value / datetime.timedelta(seconds=1)}S".replace(".0S", "S")
    return None if value is None else str(value)


def cell_text(value: object) -> Cell:
    """Return a Python value as the text of a key, name or type; whole floats become whole numbers.

    >>> cell_text(7.0), cell_text(["Ann", None, "Anna"]), cell_text(True), cell_text({"k": 1}), cell_text(None)
    ('7', ('Ann', 'Anna'), 'true', '{"k": 1}', '')
    """
    if isinstance(value, str):
        return value.strip()
    if value is None or value != value:  # some tables store NaN instead of null
        return ""
    if isinstance(value, list | tuple):
        texts = (json_text(part) if isinstance(part, list | tuple) else cell_text(part) for part in value)
        return tuple(text for text in texts if isinstance(text, str) and text)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return json_text(value)


def one_of(cell: Cell) -> str:
    """Return the first text of a cell; empty if it has none."""
    return cell if isinstance(cell, str) else next(iter(cell), "")


def all_of(cell: Cell) -> tuple[str, ...]:
    """Return all texts of a cell of a typed table."""
    return cell if isinstance(cell, tuple) else (cell,)


def several_of(cell: Cell) -> tuple[str, ...]:
    """Return the texts of a cell that may hold several, separated by ``|`` or ``;``.

    >>> several_of("Gene; Target|Hub"), several_of(("Y|Z",)), several_of(":Person:Actor")
    (('Gene', 'Target', 'Hub'), ('Y|Z',), ('Person', 'Actor'))
    """
    if isinstance(cell, str) and not _SEPARATED.search(cell):
        return (cell.strip(),) if cell.strip() else ()
    if isinstance(cell, str) and cell.startswith("["):
        cell = tuple(split_list(cell, ";"))
    if isinstance(cell, str) and cell.startswith(":"):  # as APOC writes the labels of a node
        cell = tuple(cell.split(":"))
    parts = re.split(r"[|;]", cell) if isinstance(cell, str) else cell
    return tuple(part.strip() for part in parts if part.strip())


def own_list(cell: str) -> tuple[str, ...]:
    """Return the texts of a cell in a table that an export of this package wrote.

    >>> own_list("a|b; c;")
    ('a|b', 'c')
    """
    return tuple(part.strip() for part in cell.split(";") if part.strip())
