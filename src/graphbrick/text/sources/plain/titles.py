"""The titles in a plain text: numbered, underlined, in capitals, versions, or questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from graphbrick.text.sources.plain.entries import Entry, entries_in

_WORDS = (
    r"(?:chapter|part|appendix|annex|section|kapitel|teil|anhang|abschnitt|chapitre|partie|annexe|capítulo|parte|anexo)"
)
NUMBERED = re.compile(
    rf"(?P<indent>[^\S\n]*)(?:(?P<word>{_WORDS})[^\S\n]+)?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?:\.\d{1,3}){1,5}|(?<=[a-z]\s)[A-Z](?=[.: \n]|\Z))"
    r"(?P<mark>[.:)]?)(?:[^\S\n]+|\Z)(?P<title>.*)",
    re.IGNORECASE,
)
"""A line that begins with the number of a title."""

_LETTER = 1_000  # the place of letters of appendices behind numbers of chapters
_LONGEST = 100  # characters of a title
_LONGEST_CAPITALS = 70
_MOST_LINES = 2  # of a title
_LEAST_WRAPPED = 45  # characters of the first of two lines
_ENDS = (".", ",", ";", ":")
_RULE = re.compile(r"[ \t]*(=+|-+|~+|\^+|\*+|#+|\"+|_+)[ \t]*\Z")
_LEAST_RULE = 3
_NEAR = 4  # characters by which a title and its rule differ
_MOST_INDENTED = 8  # characters by which a title is indented more than running text
_MOST_TITLE_WORDS = 10  # of a title that ends with a dot
_LEAST_CASED = 5  # letters of a word that begins with a capital in such a title
_WIDE = 40  # characters of a line of running text
_GAP = 2  # steps to the next number, as one title may be missing
_LEAST_CAPITALS = 4


class Title(NamedTuple):
    """A title.

    Attributes:
        first: Its first line.
        last: Its last line; that of an underline comes after it.
        level: Its level, from 1.
        title: Its words.
    """

    first: int
    last: int
    level: int
    title: str


class _Numbered(NamedTuple):
    first: int
    last: int
    number: tuple[int, ...]
    title: str


def titles_in(lines: Sequence[str]) -> list[Title]:
    """Return the titles among lines, in order.

    A title stands alone between blank lines or over a rule, and is short. Numbers of titles count up; those of a list,
    whose items follow each other without text between them, are no titles. The versions of a list of changes and the
    questions of an FAQ are titles, also where they are long or where text follows at once.
    """
    blocks = list(_blocks(lines))
    underlined = _underlined(lines)
    taken = {title.first for title in underlined}
    entries = [one for one in entries_in(lines) if one.first not in taken]
    taken |= {one.first for one in entries}
    indent = usual_indent(lines)
    numbered = [one for one in _numbered(lines, blocks, indent) if one.first not in taken]
    has_top = bool(underlined) and bool(numbered) and underlined[0].first < numbered[0].first
    titles = sorted([*underlined, *(Title(a, b, len(n) + has_top, title) for a, b, n, title in numbered)])
    titles = sorted([*titles, *_below(titles, entries)])
    return sorted([*titles, *_capitals(lines, blocks, indent, titles)])


def usual_indent(lines: Sequence[str]) -> int:
    """Return by how many characters running text is indented."""
    counts = Counter(len(line) - len(line.lstrip()) for line in lines if len(line.strip()) >= _WIDE)
    return max(counts, key=lambda n: (counts[n], -n), default=0)


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each run of lines between blank ones."""
    for is_text, run in groupby(range(len(lines)), lambda i: bool(lines[i].strip())):
        if is_text:
            numbers = list(run)
            yield numbers[0], numbers[-1]


def _underlined(lines: Sequence[str]) -> list[Title]:
    """Return the titles over a rule; the first kind of rule is the highest level."""
    found: list[tuple[int, str]] = []
    for i in range(len(lines) - 1):
        line, rule = lines[i], _RULE.match(lines[i + 1])
        title = line.strip()
        if rule is None or len(rule[1]) < _LEAST_RULE or not any(map(str.isalnum, title)) or title.endswith(_ENDS):
            continue
        above = lines[i - 1].strip() if i else ""
        is_over = bool(above) and above[0] == rule[1][0] and not above.strip(above[0])
        below = lines[i + 2].strip() if i + 2 < len(lines) else ""
        is_rule_of_text = rule[1][0] in "-_*" and abs(len(rule[1]) - len(title)) > _NEAR
        is_near = len(title) - _NEAR <= len(rule[1]) and not is_rule_of_text
        if (not above or is_over) and is_near and len(title) <= _LONGEST and not _RULE.match(below):
            found.append((i, ("over " if is_over else "") + rule[1][0]))
    kinds = list(dict.fromkeys(kind for _, kind in found))
    return [Title(i, i, kinds.index(kind) + 1, " ".join(lines[i].split())) for i, kind in found]


def number_of(match: re.Match[str]) -> tuple[int, ...]:
    """Return the number of a title; letters of appendices are behind numbers of chapters."""
    return tuple(
        int(part) if part.isdigit() else _LETTER + ord(part.upper()) - ord("A") for part in match["number"].split(".")
    )


def _numbered(lines: Sequence[str], blocks: Sequence[tuple[int, int]], indent: int) -> list[_Numbered]:
    """Return the numbered titles."""
    found: list[_Numbered] = []
    at: list[int] = []  # their places among the blocks
    for i, (first, last) in enumerate(blocks):
        match = NUMBERED.match(lines[first])
        if match is None or last - first >= _MOST_LINES:
            continue
        words = " ".join(" ".join(lines[first : last + 1]).split())
        is_wrapped = last == first or len(lines[first].strip()) >= _LEAST_WRAPPED
        own = len(match["indent"].expandtabs())
        after = lines[blocks[i + 1][0]].expandtabs() if i + 1 < len(blocks) else ""
        # Text below a title is indented as that is; below an item of a list, it is indented more.
        is_over_text = last == first and len(after) > 0 and len(after) - len(after.lstrip()) == own
        is_in_line = match["word"] is not None or own <= indent or (is_over_text and own <= indent + _MOST_INDENTED)
        is_title = any(map(str.isalpha, match["title"])) or match["word"] is not None
        is_ended = words.endswith(_ENDS) and not (words.endswith(".") and _is_in_title_case(match["title"]))
        if is_wrapped and is_in_line and is_title and len(words) <= _LONGEST and not is_ended:
            found.append(_Numbered(first, last, number_of(match), words))
            at.append(i)
    listed: set[int] = set()  # items of a list, without text between them
    for (i, one), (j, two) in pairwise(enumerate(found)):
        if at[j] == at[i] + 1 and one.number[:-1] == two.number[:-1] and two.number[-1] == one.number[-1] + 1:
            listed |= {i, j}
    titles: list[_Numbered] = []
    for one in [one for i, one in enumerate(found) if i not in listed]:
        is_first = _is_first(one.number)
        if not titles or (is_first and not _is_first(titles[0].number)) or not (is_first or len(titles) > 1):
            before: tuple[int, ...] = titles[-1].number if titles else ()
            titles = [*titles, one] if before and _counts_on(before, one.number) else [one]
        elif _counts_on(titles[-1].number, one.number):
            titles.append(one)
    return titles if len(titles) > 1 else []


def _is_in_title_case(title: str) -> bool:
    """Return whether all longer words of a title begin with a capital.

    >>> _is_in_title_case("Conveying Modified Source Versions."), _is_in_title_case("Open the lid.")
    (True, False)
    """
    words = title.split()
    cased = [word for word in words if len(word.strip(".,")) >= _LEAST_CASED]
    return len(words) <= _MOST_TITLE_WORDS and bool(cased) and all(word[0].isupper() for word in cased)


def _is_first(number: tuple[int, ...]) -> bool:
    """Return whether a number may be the first of a text."""
    return set(number) <= {0, 1}


def _counts_on(before: tuple[int, ...], number: tuple[int, ...]) -> bool:
    """Return whether a number may follow another.

    >>> [_counts_on((3, 2), number) for number in ((3, 2, 1), (3, 3), (4,), (3, 1), (7,), (3, 3, 1))]
    [True, True, True, False, False, True]
    """
    if number[0] == _LETTER and before[0] < _LETTER:
        return set(number[1:]) <= {0, 1}
    same = next((i for i, (one, two) in enumerate(zip(before, number, strict=False)) if one != two), None)
    if same is None:
        return len(number) > len(before) and set(number[len(before) :]) <= {0, 1}
    return 0 < number[same] - before[same] <= _GAP and set(number[same + 1 :]) <= {0, 1}


def _capitals(
    lines: Sequence[str], blocks: Sequence[tuple[int, int]], indent: int, titles: Sequence[Title]
) -> list[Title]:
    """Return the lines in capitals that stand alone, or over text that is indented, if there are several."""
    found: list[tuple[int, str]] = []
    taken = {title.first for title in titles}
    for i, (first, last) in enumerate(blocks):
        line = lines[first]
        words = " ".join(line.split())
        own = len(line) - len(line.lstrip())
        is_alone = first == last or len(lines[first + 1]) - len(lines[first + 1].lstrip()) > own
        letters = [sign for sign in words if sign.isalpha()]
        is_shouted = len(letters) >= _LEAST_CAPITALS and all(map(str.isupper, letters))
        after = lines[blocks[i + 1][0]] if first == last and i + 1 < len(blocks) else ""
        is_first = first == last and after.upper() == after and any(map(str.isalpha, after))  # of several in capitals
        is_title = len(words) <= _LONGEST_CAPITALS and not words.endswith(_ENDS) and words[0].isalnum()
        if is_alone and is_shouted and is_title and first not in taken and own <= indent and not is_first:
            found.append((first, words))
    if len(found) == 1:
        return []
    return _below(titles, [Entry(first, first, words) for first, words in found])


def _below(titles: Sequence[Title], entries: Sequence[Entry]) -> list[Title]:
    """Return entries as titles one level below the last of other titles before each."""
    out: list[Title] = []
    for first, last, words in entries:
        above = max((title for title in titles if title.first < first), default=None)
        out.append(Title(first, last, 1 if above is None else above.level + 1, words))
    return out
