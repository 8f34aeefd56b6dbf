"""Names of properties that are cut short, as columns of databases are: `dep_delay` for the departure delay."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import spaced, stem
from graphbrick.patterns.properties.sources import sources_of

_USUAL = {  # what columns are called, that does not begin as the word does, beside `names.in_full`
    "tel": "telephone|phone", "pct": "percentage|percent", "tz": "time zone|timezone", "lng": "longitude",
    "lon": "longitude", "lat": "latitude", "dob": "date of birth|birth date|birthday", "max": "maximum",
    "min": "minimum", "avg": "average", "ts": "timestamp",
    "sqft": "square feet|square foot|square footage|floor space|floor area|sq ft",
    "sqm": "square met(?:er|re)s|floor area|floor space",
    "srp": "retail price|list price", "msrp": "retail price|list price", "rrp": "retail price|list price",
}  # fmt: skip
_DATE_OF = Expression(r"\b(?P<noun>[a-z]{5,}) (?:dates?|times?|days?)\b")
_WHOLE_PHRASES = Expression("square (?:foot|feet|footage|met(?:er|re)s)|sq ft")
_NO_WORDS = Expression(r"[\W_]+")
_SHORTEST, _LONGEST, _LEFT_OUT = 3, 5, 2  # letters of what is left of a word, and those that are left out


def with_short_names(graph: Graph, text: str, classes: Iterable[str], known: Callable[[str], bool]) -> str:
    """Return a question with the names of properties for the words that they are short for.

    Args:
        graph: The graph.
        text: The question in lower case.
        classes: The classes of the graph, whose names may stand before those of properties: `stop_lon`.
        known: Whether a word means something else in this graph, so that no name is short for it: an airport is not
            the `air` of `air_time`.
    """
    spoken = (_NO_WORDS.sub(" ", source.spoken).split() for source in sources_of(graph) if source.relation < 0)
    kinds = {spaced(name).lower() for name in classes}
    for name, pattern in _patterns(frozenset(map(" ".join, filter(None, spoken))), frozenset(kinds)):
        for match in pattern.finditer(text):
            said = match[0]
            others = set(_NO_WORDS.sub(" ", said).split()).difference(name.split())
            if not others or (any(map(known, others)) and not _WHOLE_PHRASES.search(said)):
                continue
            text = _told(text, match, name)
            break
    for match in _DATE_OF.finditer(text):
        name = _date_named(graph, match["noun"])
        if name and not known(match["noun"]):
            return _told(text, match, name)
    return text


def _told(text: str, match: re.Match[str], name: str) -> str:
    """Return a text with a name in place of a match, and tell so."""
    event(f"{match[0]!r} is read as {name!r}", "operators.short_name", said=match[0], name=name)
    return f"{text[: match.start()]}{name}{text[match.end() :]}"


def _date_named(graph: Graph, noun: str) -> str:
    """Return the name of the only date with the verb behind a noun: `created_at` for the creation date; "" for none."""
    verb = forms.verb_behind(noun) if forms.is_installed() else ""
    said = {stem(verb), stem(forms.participle(verb))} if verb else set[str]()
    dates = [one for one in sources_of(graph) if one.is_date and stem(noun) not in one.words]
    named = [one for one in dates if said & set(one.stems)]
    return f"{named[0].spoken.removesuffix(' at').removesuffix(' on')} date" if len(named) == 1 else ""


@lru_cache(maxsize=64)
def _patterns(names: frozenset[str], kinds: frozenset[str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the names that are cut short, longest first, with what people say for them, also without the class."""
    found = list[tuple[str, re.Pattern[str]]]()
    for name in sorted(names, key=lambda one: (-len(one.split()), one)):
        parts = name.split()
        parts = parts[1:] if len(parts) > 1 and parts[0] in kinds else parts  # `stop_lon` of stops
        ways = [_ways(part, is_alone=len(parts) == 1) for part in parts]
        short = [cut for cut, words in _USUAL.items() if name in words.split("|")]
        short += ["".join(part[0] for part in parts)] if len(parts) >= _SHORTEST else []  # «dob» of `date_of_birth`
        if short or ways != list(map(re.escape, parts)):
            whole = "[ -]".join(ways)
            found.append((name, re.compile(rf"(?<![\w-])(?:{'|'.join((whole, *map(re.escape, short)))})(?![\w-])")))
    return tuple(found)


def _ways(part: str, *, is_alone: bool) -> str:
    """Return a pattern for what people say for a part of a name; alone, a word of English is not cut short."""
    plain = re.escape(part)
    if part in _USUAL:
        return rf"(?:{plain}|{_USUAL[part]})"
    is_cut = part.isalpha() and len(part) >= _SHORTEST
    is_cut &= forms.is_installed() and not forms.is_word(part) if is_alone else len(part) <= _LONGEST
    return rf"(?:{plain}|{plain}[a-z]{{{_LEFT_OUT},}})" if is_cut else plain
