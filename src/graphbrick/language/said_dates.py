"""Days as a question writes them: 2013-02-08, 8 Feb 2013, February 8th, 2013."""

from __future__ import annotations

import re

from graphbrick.language.expressions.expression import Expression

_MONTHS = {name: at for at, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?:\d{1,2})(?:st|nd|rd|th)?"
_ISO = Expression(r"\b(?P<year>\d{4})-(?P<number>\d\d)-(?P<day>\d\d)\b")
_DAY_FIRST = Expression(rf"\b(?P<day>{_DAY}) (?:of )?{_MONTH},? (?P<year>\d{{4}})\b", re.IGNORECASE)
_MONTH_FIRST = Expression(rf"\b{_MONTH} (?:the )?(?P<day>{_DAY}),? (?P<year>\d{{4}})\b", re.IGNORECASE)


def said_days(text: str) -> dict[str, tuple[int, int]]:
    """Return the days that a text names as ISO writes them, each with its first place.

    >>> said_days("did it leave on Feb 8th, 2013 or on 9 march 2013")
    {'2013-03-09': (36, 48), '2013-02-08': (16, 29)}
    >>> said_days("in February 2013")
    {}
    """
    found: dict[str, tuple[int, int]] = {}
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST):
        for match in pattern.finditer(text):
            said = match.groupdict()
            month = int(said["number"]) if "number" in said else _MONTHS[said["month"].lower()[:3]]
            day = int(re.sub(r"\D", "", said["day"]))
            found.setdefault(f"{said['year']}-{month:02d}-{day:02d}", match.span())
    return found


def day_of_name(name: str) -> str:
    """Return the one day in a name as ISO writes it; "" for none, or several.

    >>> day_of_name("DL315 2013-02-07"), day_of_name("DL315")
    ('2013-02-07', '')
    """
    days = said_days(name)
    return next(iter(days)) if len(days) == 1 else ""
