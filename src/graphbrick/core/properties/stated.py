"""Conditions whose values are given as texts, and properties as short texts for people, models and programs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from graphbrick.core.errors import InputError
from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import (
    Kind,
    Properties,
    PropertyColumn,
    Scalar,
    Value,
    is_code,
    json_value,
    read_value,
    shown_value,
)

_READ_AS = {
    Kind.INTEGER: (Kind.INTEGER, Kind.NUMBER),
    Kind.NUMBER: (Kind.INTEGER, Kind.NUMBER),
    Kind.DATE: (Kind.DATE, Kind.DATETIME),
    Kind.DATETIME: (Kind.DATETIME, Kind.DATE),
}
_EXAMPLES = {
    Kind.INTEGER: "30",
    Kind.NUMBER: "24.5",
    Kind.BOOLEAN: "true or false",
    Kind.DATE: "2020-05-31",
    Kind.DATETIME: "2020-05-31T12:00:00Z",
}
_NAMED = 20  # properties that an error names
_ELEMENTS = 20  # elements of a list that people and models read
_LARGEST = 1 << 53  # the largest whole number that a program with one kind of number reads exactly


def stated_condition(columns: Sequence[PropertyColumn], name: str, bounds: Mapping[str, str]) -> Condition:
    """Return a condition whose bounds are texts, read as the kind of the property.

    Args:
        columns: The properties of the graph.
        name: The name of the property; case, spaces and underscores may differ where one property is meant.
        bounds: The bounds of `Condition` by name; empty texts are no bounds.

    Raises:
        InputError: There is no such property, no bound, or a bound that does not read as the kind of the property.

    >>> columns = [PropertyColumn("unit price", Kind.NUMBER, 12)]
    >>> stated_condition(columns, "Unit_Price", {"above": "30", "below": ""})
    Condition(name='unit price', equals=None, above=30, at_least=None, below=None, at_most=None)
    """
    name = _known_name(columns, name)
    kinds = list(dict.fromkeys(column.kind for column in columns if column.name == name))
    kinds.sort(key=lambda kind: kind == Kind.TEXT)  # every text reads as a text, so other kinds are tried first
    texts = {bound: text.strip() for bound, text in bounds.items() if text.strip()}
    if not texts:
        return Condition(name)
    for kind in kinds:
        values = {bound: _read(text, kind) for bound, text in texts.items()}
        present = {bound: value for bound, value in values.items() if value is not None}
        if len(present) == len(texts):
            return Condition(name, **present)
    kind = Kind.NUMBER if Kind.NUMBER in kinds else kinds[0]
    wrong = next((text for text in texts.values() if _read(text, kind) is None), "")
    told = f"{name} is a {kind}, and {wrong[:80]!r} is not; write it like {_EXAMPLES[kind]}"
    raise InputError(told, code="stated_condition.wrong_kind", name=name, value=wrong, kind=str(kind))


def _read(text: str, kind: Kind) -> Scalar | None:
    if kind in (Kind.INTEGER, Kind.NUMBER) and is_code(text):
        return None
    values = (read_value(text, one) for one in _READ_AS.get(kind, (kind,)))
    return next((value for value in values if value is not None), None)


def _known_name(columns: Sequence[PropertyColumn], name: str) -> str:
    """Return the name of a property as the graph writes it."""
    names = list(dict.fromkeys(column.name for column in columns))
    if name in names:
        return name
    alike = [known for known in names if _form(known) == _form(name)]
    if len(alike) == 1:
        return alike[0]
    if not names:
        told = "the graph has no properties of entities"
    else:
        near = alike or difflib.get_close_matches(name, names, n=3, cutoff=0.6)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        told = f"no property is called {name[:80]!r}{hint or '; there are ' + ', '.join(names[:_NAMED]) + more}"
    raise InputError(told, code="stated_condition.no_property", name=name)


def _form(name: str) -> str:
    return " ".join(name.replace("_", " ").casefold().split())


def shortened(text: str, longest: int) -> str:
    """Return a text, cut at so many characters, with how many it has.

    >>> shortened("abcdef", 3), shortened("abc", 3)
    ('abc... (6 characters)', 'abc')
    """
    return text if len(text) <= longest else f"{text[:longest]}... ({len(text):,} characters)"


def shown_properties(properties: Properties, most: int, longest: int) -> Iterator[tuple[str, str]]:
    """Yield names and values as short texts; the last pair says how many properties are left out.

    >>> list(shown_properties({"price": 24.5, "tags": ("a", "b"), "x": 1}, 2, 9))
    [('price', '24.5'), ('tags', 'a, b'), ('...', 'and 1 property more')]
    """
    for name, value in [*properties.items()][:most]:
        yield shortened(name, longest), shortened(" ".join(_text_of(value).split()), longest)
    more = len(properties) - most
    if more > 0:
        yield "...", f"and {more:,} {'property' if more == 1 else 'properties'} more"


def _text_of(value: Value) -> str:
    if isinstance(value, tuple) and len(value) > _ELEMENTS:
        return f"{shown_value(value[:_ELEMENTS])} and {len(value) - _ELEMENTS:,} more"
    return shown_value(value)


def short_json(properties: Properties, most: int, longest: int) -> tuple[dict[str, object], bool]:
    """Return properties as plain JSON types, and whether any was cut; whole numbers beyond 2^53 are texts.

    Args:
        properties: The properties.
        most: Most properties, and most elements of a list.
        longest: Most characters of a text.
    """
    values = {name: json_value(value) for name, value in [*properties.items()][:most]}
    exact = {name: _exact(value) for name, value in values.items()}
    short = {name: _short(value, most, longest) for name, value in exact.items()}
    return short, len(properties) > most or short != exact


def _exact(value: object) -> object:
    """Return a value with large whole numbers as texts, which many programs would round."""
    if isinstance(value, list):
        return list(map(_exact, value))
    return str(value) if isinstance(value, int) and abs(value) > _LARGEST else value


def _short(value: object, most: int, longest: int) -> object:
    if isinstance(value, list):
        return [_short(one, most, longest) for one in value[:most]]
    return shortened(value, longest) if isinstance(value, str) else value


def kinds_text(columns: Iterable[PropertyColumn], most: int) -> str:
    """Return the names, kinds and counts of properties in one line.

    >>> kinds_text([PropertyColumn("price", Kind.NUMBER, 12), PropertyColumn("tags", Kind.TEXT, 3, True)], 9)
    'price (number, 12), tags (list of text, 3)'
    """
    listed = list(columns)
    texts = [
        f"{column.name} ({'list of ' * column.is_list}{column.kind}, {column.count:,})" for column in listed[:most]
    ]
    return ", ".join(texts) + (f" and {len(listed) - most:,} more" if len(listed) > most else "")
