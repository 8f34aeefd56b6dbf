"""Example questions about properties: what is asked for, as a condition, and as a superlative."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.properties.values import Value, shown_value
from graphbrick.graphs.cards import is_reference
from graphbrick.graphs.store.literals import DATE, read_literal
from graphbrick.language import forms
from graphbrick.language.stems import possible_singulars
from graphbrick.learn.example_words import is_mass, plain, plural
from graphbrick.patterns.english.labels import PREPOSITIONS

_LONGEST_VALUE = 60  # characters
_LONGEST_CONDITION = 20  # characters of a value that is a condition
_ROUNDED = 1_000  # numbers from which on a condition is round
_FEWEST = 4  # of what is counted, for «more than» half of it
_YEARS = (1_000, 2_100)  # whole numbers that may be years
_LARGE = frozenset("area population size capacity length number count".split())
_WORDS = re.compile(r"[^\W\d_]{2,}(?:[ -][^\W\d_]+)*")  # a value that people say, and not a code or a pattern
_NOT_SAID = frozenset("yes no true false none null unknown other".split())
_CODES = frozenset(
    "address code email extension fax guid hash id index isbn key lat latitude link lon longitude no numeric password "
    "path pattern phone postal postcode regex sha slug token tz uri url uuid version zip zipcode".split()
)
_PARTS_OF_CODES = ("regex", "code", "hash", "email", "uuid", "numeric")
_HAPPENS = frozenset("begin depart die end expire happen arrive retire start".split())  # done by the thing itself


def in_order(properties: Mapping[str, Value]) -> list[tuple[str, Value]]:
    """Return the properties of an entity, those first whose names are words that people say.

    >>> [name for name, _ in in_order({"stu_no": 7, "hair_colour": "red"})]
    ['hair_colour', 'stu_no']
    """
    return sorted(properties.items(), key=lambda one: not is_said(one[0]))


def is_said(name: str) -> bool:
    """Return whether the name of a property is of words that people say, and says no code."""
    try:
        return not _is_code(name) and all(map(forms.is_word, plain(name).split()))
    except GraphbrickError:  # no word forms are installed
        return not _is_code(name)


def asks(name: str, value: Value, who: str) -> str:
    """Return the question for a property of an entity; empty for a property that nobody asks for.

    >>> asks("founded", 1923, "Ostley Rovers"), asks("is_verbal", True, "Fireball"), asks("beds", 24, "Cardiology")
    ('When was Ostley Rovers founded?', 'Is Fireball verbal?', 'How many beds does Cardiology have?')
    """
    words = plain(name)
    if is_reference(name) or isinstance(value, tuple) or len(shown_value(value)) > _LONGEST_VALUE:
        return ""
    if isinstance(value, bool):
        verb, rest = _said_of(words)
        return f"Does {who} {verb} {rest}?" if verb else f"Is {who} {rest}?" if rest else ""
    if _is_done(words):
        if not isinstance(value, datetime.date) and not _is_year(value):
            return ""
        verb = forms.participle_of(words)
        return f"When did {who} {verb}?" if verb in _HAPPENS else f"When was {who} {words}?"
    if _is_counted(words, value):
        return f"How many {words} does {who} have?"
    return f"What is the {words} of {who}?"


def filters(noun: str, name: str, value: Value) -> str:
    """Return a question for the entities with a value of a property; empty for a value that nobody asks for.

    >>> filters("club", "founded", 1923), filters("artist", "died", 1850), filters("browser", "accepts_flags", True)
    ('Which clubs were founded after 1920?', 'Which artists died after 1840?', 'Which browsers accept flags?')
    >>> filters("country", "postal_code_regex", "^12$"), filters("product", "discontinued", 0)
    ('', '')
    """
    words, nouns, number = plain(name), plural(noun), _number(value)
    if is_reference(name) or _is_code(name) or is_mass(noun) or isinstance(value, tuple):
        return ""
    if len(shown_value(value)) > _LONGEST_CONDITION:
        return ""
    if isinstance(value, bool):
        verb, rest = _said_of(words) if value else ("", "")
        return f"Which {nouns} {verb} {rest}?" if verb else f"Which {nouns} are {rest}?" if rest else ""
    if _is_done(words):
        done = words if forms.participle_of(words) in _HAPPENS else f"were {words}"
        if isinstance(value, datetime.date):
            return f"Which {nouns} {done} in {value.year}?"
        return f"Which {nouns} {done} after {(int(number) - 1) // 10 * 10}?" if number and _is_year(value) else ""
    if number is None:
        is_said = isinstance(value, str) and _WORDS.fullmatch(value) and value.lower() not in _NOT_SAID
        return f"Which {nouns} have {words} {value}?" if is_said and len(str(value)) > 2 else ""
    if _is_counted(words, value):
        return f"Which {nouns} have more than {int(number) // 2:,} {words}?" if number >= _FEWEST else ""
    if number < _ROUNDED:
        return f"Which {nouns} have {words} {shown_value(value)}?" if isinstance(value, int) and number > 1 else ""
    if isinstance(value, datetime.date) or (_is_year(value) and {"year", "season"} & {*words.split()}):
        return ""
    article = "an" if words[0] in "aeiou" else "a"
    size = 10 ** (len(str(int(number))) - 1)
    return f"Which {nouns} have {article} {words} of more than {int(number) // size * size:,}?"


def measures(properties: Mapping[str, Value]) -> list[tuple[str, Value]]:
    """Return the properties of an entity whose numbers measure it, those of few words first."""
    own = [(name, value) for name, value in in_order(properties) if _is_measure(name, value)]
    return sorted(own, key=lambda one: (not is_said(one[0]), len(plain(one[0]).split())))


def largest(noun: str, name: str, value: Value) -> str:
    """Return the question for the entity with the largest value of a property.

    >>> largest("club", "founded", 1923), largest("ward", "beds", 24), largest("lake", "area", 2.5)
    ('Which club was founded last?', 'Which ward has the most beds?', 'Which lake has the largest area?')
    """
    words = plain(name)
    if _is_done(words):
        verb = forms.participle_of(words)
        return f"Which {noun} {words if verb in _HAPPENS else f'was {words}'} last?"
    if _is_counted(words, value):
        return f"Which {noun} has the most {words}?"
    return f"Which {noun} has the {'largest' if _LARGE & {*words.split()} else 'highest'} {words}?"


def _is_measure(name: str, value: Value) -> bool:
    """Return whether the largest value of a property is of interest: no code, flag, or name of digits, and no year."""
    words = plain(name)
    if is_reference(name) or _is_code(name) or _number(value) is None or value in (0, 1):
        return False
    literal = read_literal(value) if isinstance(value, str) else None
    if literal is not None and not literal.unit:  # digits as text are a name, such as «04109»
        return False
    return _is_done(words) or not (_is_year(value) and {"year", "season"} & {*words.split()})


def _said_of(words: str) -> tuple[str, str]:
    """Return what a property that is true says: a verb and the rest, or the rest alone; empty for what nobody says.

    >>> _said_of("accepts flags"), _said_of("is full time"), _said_of("florist"), _said_of("coffee bar")
    (('accept', 'flags'), ('', 'full time'), ('', ''), ('', ''))
    """
    said = re.sub(r"^(?:is|are) ", "", words)
    first, _, rest = said.partition(" ")
    try:
        verb = forms.third_person_of(first) if rest and not forms.gerund_of(first) else ""
        if verb:
            return verb, rest
        last = said.split()[-1]
        begins = bool(rest) and (first in PREPOSITIONS or forms.is_adjective(first))
        is_quality = all(map(forms.is_word, said.split())) and (forms.is_adjective(last) or begins)
        return "", said if (is_quality or forms.participle_of(last)) and not forms.gerund_of(last) else ""
    except GraphbrickError:  # no word forms are installed
        return "", said


def _is_code(name: str) -> bool:
    """Return whether a property holds codes, addresses or the like, which nobody compares."""
    words = plain(name)
    return (
        bool(_CODES & {*words.split()})
        or words.split()[-1:] == ["number"]
        or any(part in words for part in _PARTS_OF_CODES)
    )


def _is_counted(words: str, value: Value) -> bool:
    """Return whether a property says how many there are, such as the beds of a ward."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return is_whole and any(plural(singular) == words for singular in possible_singulars(words))


def _is_year(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and _YEARS[0] <= value <= _YEARS[1]


def _number(value: Value) -> float | None:
    """Return the number that a value is, or is the text of; None for another value."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    literal = read_literal(value) if isinstance(value, str) else None
    return literal.value if literal is not None and literal.kind != DATE else None


def _is_done(words: str) -> bool:
    """Return whether the name of a property is a participle, such as «founded»."""
    try:
        return bool(forms.participle_of(words))
    except GraphbrickError:
        return False
