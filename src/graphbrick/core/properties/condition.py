"""Conditions on the values of properties."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Kind, Scalar, Value, kind_of


@dataclass(frozen=True, slots=True)
class Condition:
    """What the value of a property must be; all bounds together, at least one.

    A whole number equals a number of the same value. A date is its first moment where it is compared with a date-time.
    One element of a list is enough.

    Attributes:
        name: The name of the property.
        equals: The value.
        above: A value that is less.
        at_least: A value that is less or equal.
        below: A value that is greater.
        at_most: A value that is greater or equal.

    Raises:
        InputError: No bound, or bounds of values that cannot be compared.

    >>> Condition("price", above=30).holds(39.0), Condition("price", above=30).holds("many")
    (True, False)
    """

    name: str
    equals: Scalar | None = None
    above: Scalar | None = None
    at_least: Scalar | None = None
    below: Scalar | None = None
    at_most: Scalar | None = None

    def __post_init__(self) -> None:
        if not self.bounds:
            text = f"a condition on {self.name!r} needs a bound; try equals=30 or at_least=30"
            raise InputError(text, code="condition.no_bound", name=self.name)
        kinds = {_family(bound) for bound in self.bounds.values()}
        if len(kinds) > 1:
            text = f"the bounds of {self.name!r} must be of one kind, got {', '.join(map(repr, self.bounds.values()))}"
            raise InputError(text, code="condition.several_kinds", name=self.name)

    @property
    def bounds(self) -> dict[str, Scalar]:
        """The bounds that are set, by name."""
        names = ("equals", "above", "at_least", "below", "at_most")
        return {name: bound for name in names if (bound := getattr(self, name)) is not None}

    def holds(self, value: Value) -> bool:
        """Return whether a value meets the condition."""
        if isinstance(value, tuple):
            return any(map(self.holds, value))
        return all(_meets(value, name, bound) for name, bound in self.bounds.items())


_COMPARED = {
    "equals": lambda one, other: one == other,
    "above": lambda one, other: one > other,
    "at_least": lambda one, other: one >= other,
    "below": lambda one, other: one < other,
    "at_most": lambda one, other: one <= other,
}


def _meets(value: Scalar, name: str, bound: Scalar) -> bool:
    if _family(value) != _family(bound):
        return False
    return bool(_COMPARED[name](comparable(value), comparable(bound)))


def _family(value: Scalar) -> str:
    """Return the name that values share which can be compared."""
    kind = kind_of(value)
    return {Kind.INTEGER: "amount", Kind.NUMBER: "amount", Kind.DATE: "time", Kind.DATETIME: "time"}.get(kind, kind)


def comparable(value: Scalar) -> Scalar:
    """Return a value that can be compared with others of its kind: dates and date-times as microseconds from 1970.

    Date-times without a zone count as UTC.
    """
    if not isinstance(value, datetime.date):
        return value
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    moment = value if value.tzinfo else value.replace(tzinfo=datetime.UTC)
    return (moment - _EPOCH) // datetime.timedelta(microseconds=1)


_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
