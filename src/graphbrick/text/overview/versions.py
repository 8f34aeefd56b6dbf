"""Version numbers in titles, headings and questions: «v9.0.0 (2023-10-22)», «the second version»."""

from __future__ import annotations

import re
from typing import NamedTuple

from graphbrick.language.folding import fold

DATE = re.compile(
    r"(?<![\d.])\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?(?![\d.]|-\d)|(?<![\d.])\d{1,2}[./]\d{1,2}[./]\d{4}(?!\d)"
    r"|\b\d{1,2}\.? [^\W\d_]{3,9}\.?,? \d{4}\b|\b[^\W\d_]{3,9}\.?(?: \d{1,2}(?:st|nd|rd|th)?,?)? \d{4}\b"
)
"""A date with a year, as headings of changes have it."""
_NUMBER = re.compile(r"(?<![\w.])(?<!\d,)[vV]?(?P<number>\d+(?:\.\d+)*)(?![^\W_]|\.\d|,\d{3}|%)")
_LABEL = re.compile(r"([^\W\d_]+)[\s_(\[\"«-]*$")
_ORDINALS = {
    word: str(number)
    for number, words in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th"), 1)
    for word in words.split()
}
_ORDINAL = re.compile(rf"\b({'|'.join(_ORDINALS)})\s+(version|edition|release)\b", re.IGNORECASE)


class Version(NamedTuple):
    """A number that may be a version.

    Attributes:
        number: The number without zeros at its end, such as "9" for «9.0.0»; as it compares with others.
        written: The number as it is written.
        label: The folded word before it; empty for none.
        start: Offset of its first character.
        end: Offset after its last character.
    """

    number: str
    written: str
    label: str
    start: int
    end: int


def versions_in(text: str) -> list[Version]:
    """Return the numbers in a text that may be versions, in order; parts of dates are none.

    >>> [(one.number, one.label) for one in versions_in("Python 3.10 and v9.0.0 (2023-10-22), GPL-2, 3.5 of 1,000")]
    [('3.10', 'python'), ('9', 'and'), ('2', 'gpl'), ('3.5', '')]
    """
    dates = [match.span() for match in DATE.finditer(text)]
    found = []
    for match in _NUMBER.finditer(text):
        start, end = match.span("number")
        if not any(first <= start < last for first, last in dates):
            label = _LABEL.search(text[:start].removesuffix("v").removesuffix("V"))
            found.append(Version(plain(match["number"]), match["number"], fold(label[1]) if label else "", start, end))
    return found


def plain(number: str) -> str:
    """Return a version as it compares with others: without zeros at its end.

    >>> plain("9.0.0"), plain("9.10"), plain("0.0")
    ('9', '9.10', '0')
    """
    parts = number.split(".")
    while len(parts) > 1 and not parts[-1].strip("0"):
        parts.pop()
    return ".".join(part.lstrip("0") or "0" for part in parts)


def ordinals_as_numbers(text: str) -> str:
    """Return a text with ordinals of versions as numbers.

    >>> ordinals_as_numbers("the second version of the GPL")
    'the version 2 of the GPL'
    """
    return _ORDINAL.sub(lambda match: f"{match[2]} {_ORDINALS[match[1].lower()]}", text)
