"""What restricts a question or a sentence to a part of what it is about: days, months, years, numbers and limits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import root, spaced, stem

# English, German, French, Spanish, Italian and Dutch; Monday first.
_DAYS = (
    "mondays?|montag|lundis?|lunes|lunedì|maandag",
    "tuesdays?|dienstag|mardis?|martes|martedì|dinsdag",
    "wednesdays?|mittwoch|mercredis?|miércoles|mercoledì|woensdag",
    "thursdays?|donnerstag|jeudis?|jueves|giovedì|donderdag",
    "fridays?|freitag|vendredis?|viernes|venerdì|vrijdag",
    "saturdays?|samstag|sonnabend|samedis?|sábados?|sabato|zaterdag",
    "sundays?|sonntag|sonn-|dimanches?|domingos?|domenica|zondag",
)
# Abbreviations count with a capital before a colon, a dash, a dot or a number: «Mon-Fri», «Sa. 9-12».
_SHORT_DAYS = ("Mon?", "Tues?|Di", "Wed|Mi", "Thu(?:rs)?|Do", "Fri?", "Sat?", "Sun|So")
_DAY = Expression(
    "|".join(f"(?P<d{i}>\\b(?:{names})\\w*)" for i, names in enumerate(_DAYS)),
    re.IGNORECASE,
)
_SHORT_DAY = Expression(
    "|".join(
        rf"(?P<d{i}>\b(?:{names})(?=\.?\s{{0,2}}[-–—/:&+]|\.?\s{{0,2}}\d|\.\s|\.?\s(?:to|bis)\s[A-Z][a-z]{{1,4}}\b)"
        rf"|(?:(?<=[-–—/&+])|(?<=[-–—/&+]\s)|(?<=[a-z]\sto\s)(?=[A-Z][a-z]{{2}})|(?<=[a-z]\sbis\s))(?:{names})\b)"
        for i, names in enumerate(_SHORT_DAYS)
    )
)
_WEEKEND = Expression(r"\b(?:weekends?|wochenenden?|week-ends?|fin de semana|fine settimana)\b", re.IGNORECASE)
_WORKING = Expression(
    r"\b(?:weekdays?|working days?|workdays?|werktags|wochentags|werktagen|werktage|en semaine|doordeweeks)\b",
    re.IGNORECASE,
)
_DAILY = Expression(
    r"\b(?:daily|every day|each day|seven days a week|täglich|jeden tag|tous les jours|todos los días)\b", re.IGNORECASE
)
_MONTHS = (
    "january|januar|janvier|enero|gennaio|januari",
    "february|februar|février|febrero|febbraio|februari",
    "march|märz|marzo|maart",
    "april|avril|abril|aprile",
    "may|mai|mayo|maggio|mei",
    "june|juni|juin|junio|giugno",
    "july|juli|juillet|julio|luglio",
    "august|août|agosto|augustus",
    "september|septembre|septiembre|settembre",
    "october|oktober|octobre|octubre|ottobre",
    "november|novembre|noviembre",
    "december|dezember|décembre|diciembre|dicembre",
)
_MONTH = Expression("|".join(rf"(?P<m{i}>\b(?:{names})\b)" for i, names in enumerate(_MONTHS)), re.IGNORECASE)
_MAY = Expression(r"\b(?:in|of|from|to|until|since|before|after|by|early|late|and|\d{1,2}\.?) May\b|\bMay \d")

_NUMBER = Expression(r"(?<![\w.,])\d{1,20}(?:[.,:]\d{1,20}){0,8}(?!\w)")
_THOUSANDS = Expression(r"[.,](?=\d{3}(?:[.,]\d{3})*$)")
_READ = 4_000  # characters
_YEAR = Expression(r"(?:1[5-9]|20)\d\d")
_LABEL = Expression(r"(?<!\w)(?P<label>[^\W\d_][\w-]{0,30}|§|#)\.?\s?(?P<number>\d{1,20}(?:[.,]\d{1,20}){0,8})(?!\w)")
_MEASURE = Expression(
    r"(?<![\w.,])(?P<number>\d{1,20}(?:[.,:]\d{1,20}){0,8})[\s-]?(?:[%°€$£¥]|(?:percent|prozent|degrees?|grad|euros?|dollars?|pounds?|"
    r"cents?|pence|seconds?|sec|minutes?|mins?|hours?|days?|weeks?|months?|years?|sekunden?|minuten?|stunden?|std|tage?n?|"
    r"wochen?|monate?n?|jahre?n?|uhr|[ap]\.?m|o'clock|times|mal|miles?|met(?:er|re)s?|lit(?:er|re)s?|gram(?:me?s?|s)?|tonn?e?s?n?|"
    r"[kmcd]?m[²³]?|k?g|mg|[kmgt]i?b|m?l|mph|km/h|guests|people|persons?|personen|visitors?|besucher)\b)",
    re.IGNORECASE,
)
_UNLABELLED = frozenset(
    "in on at by of to from for since until till before after under over above below between about than is are was and "
    "or the a an with per every around only no im am um ab bis von vor nach unter über seit zwischen mit und oder als "
    "ist sind nur etwa rund für je pro".split()
)
_NEGATION = Expression(
    r"\b(?:not|cannot|never|none|nobody|nothing|without|except|unless|\w+n['’]t|nicht|kein\w*|nie|niemals|ohne|außer|"
    r"niemand|nichts)\b",
    re.IGNORECASE,
)

_LIMIT = Expression(
    r"\b(?:(?P<before>before|prior to|predecessors?|bevor|vorher|vor|vorgänger\w*)"
    r"|(?P<after>after|successors?|nachdem|nachher|nach|nachfolger\w*)"
    r"|(?P<first>first|1st|erste[nmrs]?|zuerst)|(?P<second>second|2nd|zweite[nmrs]?)"
    r"|(?P<third>third|3rd|dritte[nmrs]?)|(?P<last>last|latest|letzte[nmrs]?|zuletzt))\b",
    re.IGNORECASE,
)

_BESIDE = Expression(r"[\d.,\s]")  # beside the names of a range: «15 May to 10 June»
_TO = Expression(r"-|–|—|to|till|until|through|thru|bis(?:zum)?|à|au|al?|tot(?:enmet)?", re.IGNORECASE)
_BETWEEN = Expression(r"\b(?:between|zwischen|entre|tra|fra|tussen)\b", re.IGNORECASE)
_COUNTS = Expression(r"(?:how many|(?:number|count) of) (?:the )?$", re.IGNORECASE)
_BEFORE = Expression(r"(?P<word>[^\W\d_]+)\s+$")
_AFTER = Expression(r"\s*(?P<word>[^\W_]*)")
_FREE = frozenset(  # after «the 131», of which other words would be the number: «the 131 trips»
    "a an the and or but nor than vs versus is are was were be been do does did has have had can will would should "
    "could may must stop stops run runs go goes start starts end ends serve serves leave leaves depart departs arrive "
    "arrives call calls reach reaches pass passes take takes cover covers operate operates in on at from to of for by "
    "with between before "
    "after "
    "during also too please pls still ever not never which that who when where".split()
)
_TIMES = frozenset(map(stem, "year date day month season".split()))


class Restrictions(NamedTuple):
    """What a text is restricted to.

    Attributes:
        days: Days of the week, 0 for Monday to 6 for Sunday; those of a range and of «weekdays» too.
        months: Months, 0 for January to 11 for December; those of a range too.
        years: Years, such as "2023".
        labelled: Numbers with the root of the word before them, such as ("bus", "12") and ("version", "1.1").
        numbers: All numbers but years, without marks of thousands.
        measured: Those of them that stand before a unit: "14" in «14 minutes».
        limits: What it is before, after, first or last: "before", "after", "first", "second", "third", "last".
        is_negative: Whether it says «not», «never», «without».
    """

    days: frozenset[int]
    months: frozenset[int]
    years: frozenset[str]
    labelled: frozenset[tuple[str, str]]
    numbers: frozenset[str]
    measured: frozenset[str]
    limits: frozenset[str]
    is_negative: bool


@lru_cache(maxsize=8192)
def restrictions(text: str) -> Restrictions:
    """Return what restricts a text, by its first 4,000 characters.

    >>> found = restrictions("When does bus 12 run from Friday to Sunday?")
    >>> sorted(found.days), sorted(found.labelled)
    ([4, 5, 6], [('bus', '12')])
    """
    text = text[:_READ]
    numbers = {_THOUSANDS.sub("", match[0]) for match in _NUMBER.finditer(text)}
    years = {number for number in numbers if _YEAR.fullmatch(number)}
    labelled = {
        (root(match["label"].casefold()), _THOUSANDS.sub("", match["number"]))
        for match in _LABEL.finditer(text)
        if match["label"].casefold() not in _UNLABELLED
    }
    measured = {_THOUSANDS.sub("", match["number"]) for match in _MEASURE.finditer(text)} - years
    return Restrictions(
        _days(text),
        _months(text),
        frozenset(years),
        frozenset(pair for pair in labelled if pair[1] not in years | measured),
        frozenset(numbers - years),
        frozenset(measured),
        frozenset(match.lastgroup for match in _LIMIT.finditer(text) if match.lastgroup),
        _NEGATION.search(text) is not None,
    )


def _days(text: str) -> frozenset[int]:
    """Return the days of the week that a text names.

    >>> [sorted(_days(text)) for text in ("Mon-Wed: 9-12", "sonntags", "on weekdays", "An Sonn- und Feiertagen", "sun")]
    [[0, 1, 2], [6], [0, 1, 2, 3, 4], [6], []]
    """
    matches = sorted((*_DAY.finditer(text), *_SHORT_DAY.finditer(text)), key=lambda match: match.start())
    found = _with_ranges(
        text, [(match.start(), match.end(), int((match.lastgroup or "d0")[1:])) for match in matches], 7
    )
    if _WEEKEND.search(text):
        found |= {5, 6}
    if _WORKING.search(text):
        found |= {0, 1, 2, 3, 4}
    if _DAILY.search(text):
        found |= set(range(7))
    return frozenset(found)


def _months(text: str) -> frozenset[int]:
    """Return the months that a text names; «may» only beside a number or after a preposition.

    >>> [sorted(_months(text)) for text in ("from November to February", "It may rain in June", "since May 2020")]
    [[0, 1, 10, 11], [5], [4]]
    """
    places = [
        (match.start(), match.end(), int((match.lastgroup or "m0")[1:]))
        for match in _MONTH.finditer(text)
        if match[0].casefold() != "may" or _MAY.search(text[max(0, match.start() - 8) : match.end() + 3])
    ]
    return frozenset(_with_ranges(text, places, 12))


def _with_ranges(text: str, places: list[tuple[int, int, int]], n: int) -> set[int]:
    """Return numbers of names in a text, with those between two that «to», a dash or «between» joins.

    Args:
        text: The text.
        places: Start, end and number of each name, in order.
        n: Number of names there are; after the last comes the first.
    """
    found = {number for _, _, number in places}
    for (begin, end, first), (start, _, last) in pairwise(places):
        between = _BESIDE.sub("", text[end:start])
        is_pair = between.lower() in ("and", "und") and _BETWEEN.search(text, max(0, begin - 20), begin)
        if is_pair or _TO.fullmatch(between):
            found |= {(first + i) % n for i in range((last - first) % n + 1)}
    return found


def written(text: str) -> list[tuple[str, Restrictions]]:
    """Return each day, month, year and labelled number of a text as it is written, with what it restricts.

    >>> [word for word, _ in written("Does bus 12 run on Sundays in May 2024?")]
    ['bus 12', 'Sundays', 'May 2024']
    """
    found: list[tuple[int, str, Restrictions]] = []
    text = text[:_READ]
    for match in _LABEL.finditer(text):
        has = restrictions(match[0])
        if match["label"].casefold() not in _UNLABELLED and (has.labelled or has.months):
            found.append((match.start(), match[0], has))
    ends = [(start, start + len(word)) for start, word, _ in found]
    for match in (*_DAY.finditer(text), *_MONTH.finditer(text), *_NUMBER.finditer(text)):
        has = restrictions(match[0] if match[0].casefold() != "may" else f"in {match[0]}")
        is_new = not any(start <= match.start() < end for start, end in ends)
        if is_new and (has.days or has.years or (has.months and has.months <= _months(text))):
            found.append((match.start(), match[0], has))
    return [(word, has) for _, word, has in sorted(found, key=lambda one: one[0])]


def is_numbered(text: str, start: int, end: int, kinds: Iterable[str]) -> bool:
    """Return whether a number in a text is the name of a thing: its kind, or «the» before it and no noun after it.

    After «how many» and «number of» it counts nothing, so that it is one too.

    Args:
        text: The text.
        start: Where the number begins.
        end: Where it ends.
        kinds: What the things of this name are, such as "Route"; none is known for no kinds.

    >>> [is_numbered(text, text.index("131"), text.index("131") + 3, ["Route"]) for text in
    ...  ("trips of route 131", "does the 131 run on Sundays", "how many 131 trips", "the 131 trips", "over 131 trips")]
    [True, True, True, False, False]
    """
    before, after = _BEFORE.search(text[:start]), _AFTER.match(text, end)
    if before is None or not text[start:end].strip():
        return False
    word = before["word"].lower()
    words = {stem(one) for kind in kinds for one in spaced(kind).lower().split()}
    following = after["word"].lower() if after else ""
    if following and _COUNTS.search(text[:start]) and following not in _FREE:
        return True
    return (stem(word) in words - _TIMES) or (word == "the" and (not following or following in _FREE))
