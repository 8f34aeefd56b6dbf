"""Titles of entries in a plain text: versions in a list of changes, and questions with their answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

_LEAST = 3  # entries of one kind
_LONGEST, _LONGEST_QUESTION = 100, 300  # characters
_MOST_LINES = 5  # of a question
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = (
    rf"(?:\d{{4}}[-/.]\d\d?[-/.]\d\d?|\b\d\d?(?:st|nd|rd|th)? {_MONTH},? \d{{4}}|\b{_MONTH} +\d\d?\b.{{0,20}}\b\d{{4}})"
)
# «Version 2.20 - 30 September 2020», «fetchmail-6.4.35 (released 2023-01-04):», «* Changes in release 9.1 [stable]»
_VERSION = re.compile(
    r"(?:[*=]{1,3} ?)?(?:(?:noteworthy )?changes (?:in|since|for) |what'?s new in |new in )?"
    r"(?:[a-z][\w+.]*(?:[ -][a-z]\w*)?[ -])??(?P<label>version |release |v(?:ersion |\.)?)?"
    r"(?P<number>\d{1,4}(?:\.\d{1,4}){1,3}\w{0,6})(?P<rest>[ ,:;(\[/-].*)?\Z",
    re.IGNORECASE,
)
_DATED = re.compile(_DATE, re.IGNORECASE)
_AFTER = re.compile(rf"[\s:=*]*(?:[(\[].*|[-/] .*|,? ?{_DATE}.*)?[\s:=*]*\Z", re.IGNORECASE)  # no sentence goes on
_QUESTION = re.compile(r"[ \t]*(?:(?P<number>\d{1,3})[.)]|(?:Q|Question|Frage|F)[ .-]?\d{0,3}(?:\.\d{1,3})?[.:)])\s+\S")
_ANSWER = re.compile(r"[ \t]*(?:A|Answer|Antwort|R)[ .-]?\d{0,3}(?:\.\d{1,3})?[.:)](?:\s|\Z)")
_NUMBERED = re.compile(r"[ \t]*\d[\d.)]*\s")
_RULE = re.compile(r"[-=_*~#]{3,}\s*\Z")


class Entry(NamedTuple):
    """The title of an entry.

    Attributes:
        first: Its first line.
        last: Its last line.
        title: Its words.
    """

    first: int
    last: int
    title: str


def entries_in(lines: Sequence[str]) -> list[Entry]:
    """Return the titles of entries among lines, in order.

    Versions stand at the beginning of lines, with a date, or the word «version», or a name that the others have too.
    Questions have numbers or «Q:», and are followed by text and not by each other. Fewer than three are no list.
    """
    return sorted([*_listed(list(_versions(lines))), *_listed(_answered(lines, list(_questions(lines))))])


def _listed(entries: list[Entry]) -> list[Entry]:
    return entries if len(entries) >= _LEAST else []


def _versions(lines: Sequence[str]) -> Iterator[Entry]:
    """Yield the lines that name a version, after a blank line or a rule."""
    for i, line in enumerate(lines):
        if not (0 < len(line) <= _LONGEST) or line[0].isspace():
            continue
        match = _VERSION.match(line.rstrip())
        above = lines[i - 1].strip() if i else ""
        if match is None or (above and not _RULE.match(above)):
            continue
        is_dated, rest = _DATED.search(line) is not None, match["rest"] or ""
        if (is_dated or match["label"]) and _AFTER.match(rest):
            yield Entry(i, i, " ".join(line.split()).rstrip(":"))


def _questions(lines: Sequence[str]) -> Iterator[Entry]:
    """Yield the questions of an FAQ: with a number or «Q:», and a question mark at their end."""
    number = 0
    for i, line in enumerate(lines):
        match = _QUESTION.match(line)
        if match is None or (i and lines[i - 1].strip() and not _RULE.match(lines[i - 1].strip())):
            continue
        is_next = match["number"] is not None and number > 0 and int(match["number"]) == number + 1
        for last in range(i, min(i + _MOST_LINES, len(lines))):
            after = lines[last + 1] if last + 1 < len(lines) else ""
            is_end = not after.strip() or _ANSWER.match(after) is not None
            if is_end or last + 1 == len(lines):
                title = " ".join(" ".join(lines[i : last + 1]).split())
                is_asked = title.rstrip("\"')»”").endswith("?") or (is_next and "? " in title)
                is_asked = is_asked and len(title) <= _LONGEST_QUESTION
                is_one = not any(map(_NUMBERED.match, lines[i + 1 : last + 1]))
                if is_end and is_one and (is_asked or (is_next and len(title) <= _LONGEST)):
                    number = int(match["number"] or 0)
                    yield Entry(i, last, title)
                break


def _answered(lines: Sequence[str], questions: list[Entry]) -> list[Entry]:
    """Return questions without those that another one follows, as in a list of contents."""
    followed = {
        one.first
        for one, two in pairwise(questions)
        if not any(line.strip() for line in lines[one.last + 1 : two.first])
    }
    return [one for one in questions if one.first not in followed]
