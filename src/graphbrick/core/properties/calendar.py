"""Dates that are not written as ISO dates: 5/19/2006, 31.12.1899, 4 March 2021, with or without a time."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field

ORDERS = ("dmy", "mdy")
"""The orders of day and month."""

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = {name[:length]: n for n, name in enumerate(_MONTHS, 1) for length in (3, len(name))} | {"sept": 9}
_TIME = r"(?:,?[ T](?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?"
_SHAPES = tuple(
    re.compile(shape + _TIME, re.ASCII)
    for shape in (
        r"(?P<first>\d{1,2})(?P<by>[./-])(?P<second_part>\d{1,2})(?P=by)(?P<year>\d{4})",
        r"(?P<year>\d{4})(?P<by>[./])(?P<month>\d{1,2})(?P=by)(?P<day>\d{1,2})",
        r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?[ -](?P<name>[A-Za-z]{3,9})\.?,?[ -](?P<year>\d{4})",
        r"(?P<name>[A-Za-z]{3,9})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})",
    )
)


@dataclass
class Days:
    """What the cells of a column show of how dates are written.

    Attributes:
        are_days: Whether all cells are dates that are not ISO dates.
        orders: The orders of day and month that all of them may have: "dmy", "mdy".
        has_times: Whether a cell has a time that is not midnight.
    """

    are_days: bool = True
    orders: set[str] = field(default_factory=lambda: set(ORDERS))
    has_times: bool = False
    _is_shown: bool = False

    def add(self, text: str) -> None:
        """Look at one more cell."""
        read = {order: moment for order in sorted(self.orders) if (moment := _moment(text, order)) is not None}
        self.are_days = bool(read)
        if not read:
            return
        shape = next(match for match in (shape.fullmatch(text) for shape in _SHAPES) if match)
        if "first" in shape.groupdict():
            self._is_shown = True
            self.orders = set(read) if shape["by"] != "." else set(read) & {"dmy"}
            self.are_days = bool(self.orders)
        self.has_times = self.has_times or any(moment.time() != datetime.time(0) for moment in read.values())

    @property
    def is_open(self) -> bool:
        """Whether the cells leave both orders."""
        return self._is_shown and len(self.orders) == 2

    @staticmethod
    def iso(text: str, order: str, *, with_times: bool) -> str | None:
        """Return a date, or a date-time, as ISO writes it; None for another text."""
        moment = _moment(text.strip(), order)
        if moment is None:
            return None
        return moment.isoformat() if with_times else moment.date().isoformat()


def _moment(text: str, order: str) -> datetime.datetime | None:
    match = next((match for match in (shape.fullmatch(text) for shape in _SHAPES) if match), None)
    if match is None:
        return None
    found = match.groupdict()
    if "first" in found:
        parts = found["first"], found["second_part"]
        day, month = map(int, parts if order == "dmy" else parts[::-1])
    else:
        day = int(found["day"])
        month = int(found["month"]) if "month" in found else _MONTH.get(found["name"].lower(), 0)
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (found["half"] in "pP")
    try:
        return datetime.datetime(int(found["year"]), month, day, hour, minute, second)
    except ValueError:
        return None
