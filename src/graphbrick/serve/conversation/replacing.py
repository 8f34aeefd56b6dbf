"""The question before with another value, year, superlative or class: «and in France?», «and the smallest?»."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from graphbrick.core.properties.values import Kind
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.stems import WORD
from graphbrick.patterns.properties.sources import holders_of, sources_of

_LONGEST_VALUE = 5  # words
_PREPOSITION = r"(?:in|of|for|from|with|by|on|at|during|since|about)"
_ELLIPSIS = re.compile(
    rf"(?P<preposition>{_PREPOSITION} )?(?:the )?(?P<said>.+?)(?: (?:instead|then|too))?", re.IGNORECASE
)
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december|q[1-4])(?: of)?"
_TIME = re.compile(rf"\b(?:{_MONTH} )?\d{{4}}\b|\b{_MONTH}\b", re.IGNORECASE)
_RANK = r"(?:second|third|fourth|fifth|next|2nd|3rd|4th|5th)"
_SUPERLATIVE = re.compile(
    rf"\b(?P<rank>{_RANK}[ -])?"
    r"(?P<word>(?:most|least|fewest)\b|(?!(?:rest|west|east|best|test|guest|forest|interest|request|latest)\b)[a-z]{3,}est\b"
    r"|(?:best|latest|worst)\b)",
    re.IGNORECASE,
)
_ALIKE = (  # superlatives of the same amount
    frozenset("biggest largest greatest highest most smallest lowest least fewest".split()),
    frozenset("oldest youngest newest earliest latest".split()),
    frozenset("longest shortest tallest".split()),
)
_INSIDE = frozenset("in of for during at".split())
_MORE = frozenset(("most", "least", "fewest"))


class Replaced(NamedTuple):
    """A question in which something takes the place of something else.

    Attributes:
        question: The question.
        said: What is new.
        before: What it replaces.
        rest: The question before without that.
    """

    question: str
    said: str
    before: str
    rest: str


_ONE = re.compile(r" (?:ones?|year)$", re.IGNORECASE)


def said_alone(core: str) -> str:
    """Return what a message without verb speaks of: a preposition and «the» before it are left out.

    >>> said_alone("in France?"), said_alone("the goalkeepers")
    ('France', 'goalkeepers')
    """
    match = _ELLIPSIS.fullmatch(core.strip().rstrip("?.! "))
    return match["said"].strip() if match else ""


def with_other_time(core: str, former: str) -> Replaced | None:
    """Return a question with another year or month, which must be all that a message says.

    >>> with_other_time("in 2024?", "How many incidents were there in 2023?").question
    'How many incidents were there in 2024?'
    >>> with_other_time("in March?", "Which orders are of July 1997?").question
    'Which orders are of March 1997?'
    >>> with_other_time("the 1922 one?", "Who won the 1921 prize?").question
    'Who won the 1922 prize?'
    """
    said = _ONE.sub("", said_alone(core))
    old = _TIME.search(former)
    if old is None or not _TIME.fullmatch(said):
        return None
    year = re.search(r"\d{4}$", old[0])
    if year and not re.search(r"\d", said.removeprefix("q").removeprefix("Q")[1:]):
        said = f"{said} {year[0]}" if old[0] != year[0] else said
    return _in_place(former, old.start(), old.end(), said)


def with_other_phrase(core: str, former: str) -> Replaced | None:
    """Return a question with another noun phrase in the place of one that has the same noun: «and the blue car?».

    >>> with_other_phrase("the 1922 chemistry prize?", "Who won the 1921 physics prize?").question
    'Who won the 1922 chemistry prize?'
    """
    said = said_alone(core)
    noun = said.split()[-1:]
    words = rf"(?:(?!{_PREPOSITION} )[\w-]+ ){{1,4}}?"
    old = re.search(rf"\bthe (?P<old>{words}{re.escape(noun[0])})\b", former, re.IGNORECASE) if noun else None
    if (
        old is None
        or len(said.split()) < 2
        or not core.lower().startswith("the ")
        or old["old"].lower() == said.lower()
    ):
        return None
    return _in_place(former, old.start("old"), old.end("old"), said)


def with_other_superlative(core: str, former: str) -> Replaced | None:
    """Return a question with another superlative.

    >>> with_other_superlative("the least?", "Who has the most goals?").question
    'Who has the least goals?'
    >>> with_other_superlative("the second largest?", "Which is the largest lake?").question
    'Which is the second largest lake?'
    >>> with_other_superlative("the cheapest", "Which is the most expensive tea?").question
    'Which is the cheapest tea?'
    >>> with_other_superlative("the second?", "Who has the most goals?").question
    'Who has the second most goals?'
    >>> with_other_superlative("the least expensive", "Which is the most expensive tea?").question
    'Which is the least expensive tea?'
    """
    said = said_alone(core)
    new, old = _SUPERLATIVE.match(said), _SUPERLATIVE.search(former)
    if old is not None and re.fullmatch(rf"{_RANK}(?: one)?", said, re.IGNORECASE):
        return _in_place(former, *old.span(), f"{said.split()[0]} {old['word']}")
    if new is None or old is None:
        return None
    rest = said[new.end() :].strip()
    start, end = old.span()
    follows = re.match(r" [\w-]+", former[end:])
    if rest and (" " in rest or new["word"].lower() not in _MORE):
        return None  # «the tallest player» is more than another superlative
    is_of_adjective = old["word"].lower() in _MORE and follows and not _may_be_noun(follows[0].strip().lower())
    if follows and (is_of_adjective if new["word"].lower() not in _MORE else rest and old["word"].lower() in _MORE):
        end += follows.end()  # «the least expensive», or «the cheapest», for «the most common»
    return _in_place(former, start, end, said)


def is_same_kind(core: str, one: Replaced, former: str) -> bool:
    """Return whether what is new can only mean what it replaces: the same preposition, the same kind of superlative.

    >>> former = "Which team had the biggest budget in 2023?"
    >>> is_same_kind("the smallest?", with_other_superlative("the smallest", former), former)
    True
    >>> is_same_kind("the oldest?", with_other_superlative("the oldest", former), former)
    False
    >>> is_same_kind("since 2024?", with_other_time("since 2024", former), former)
    False
    """
    new, old = _SUPERLATIVE.fullmatch(said_alone(core)), _SUPERLATIVE.match(one.before)
    if old is not None and re.fullmatch(_RANK, said_alone(core), re.IGNORECASE):
        return True
    if old is not None:
        words = {match["word"].lower() for match in (new, old) if match}
        return new is not None and (len(words) == 1 or any(words <= alike for alike in _ALIKE))
    before = re.search(rf"({_PREPOSITION})(?: the)? $", former[: former.rindex(one.before)], re.IGNORECASE)
    says = re.match(rf"({_PREPOSITION}) ", core.strip(), re.IGNORECASE)
    pair = {match[1].lower() for match in (before, says) if match}
    return says is None or len(pair) == (1 if before else 0) or (before is not None and pair <= _INSIDE)


def is_superlative(said: str) -> bool:
    """Return whether what is said is a superlative: «tallest», «second most expensive»."""
    return _SUPERLATIVE.match(said) is not None


def with_other_value(graph: Any, core: str, former: str) -> Replaced | None:
    """Return a question with another value of a property of which it has a value already.

    Args:
        graph: The graph; only folder graphs can tell.
        core: A message that says only a value.
        former: The question.
    """
    said = said_alone(core)
    if not isinstance(graph, Graph) or not said or len(WORD.findall(said)) > _LONGEST_VALUE:
        return None
    texts = [source for source in sources_of(graph) if source.relation < 0 and source.kind == Kind.TEXT]
    kinds = [source for source in texts if source.measured is None and _has_value(graph, source, said)]
    for start, end in _spans(former):
        if any(_has_value(graph, source, former[start:end]) for source in kinds):
            return _in_place(former, start, end, said)
    match = re.match(_PREPOSITION, core.strip(), re.IGNORECASE)
    if not match or not kinds:
        return None
    for start, end in _spans(former):  # «in France» for «in London», though one is a country and one a city
        is_same = former[:start].lower().endswith(f" {match[0].lower()} ")
        if is_same and any(_has_value(graph, source, former[start:end]) for source in texts if source.measured is None):
            return _in_place(former, start, end, said)
    return None


def with_other_class(noun: str, former: str, types: frozenset[str]) -> Replaced | None:
    """Return a question for other things.

    Args:
        noun: What is asked for instead.
        former: The question.
        types: The names of the classes of the graph, in lower case, singular and plural.

    >>> with_other_class("suppliers", "Which customers are in Berlin?", frozenset({"customers"})).question
    'Which suppliers are in Berlin?'
    """
    for start, end in _spans(former):
        if former[start:end].lower() in types:
            return _in_place(former, start, end, noun)
    return None


def class_names(graph: Any) -> frozenset[str]:
    """Return the names of the classes of a graph, in lower case, also as plurals."""
    labels = [" ".join(WORD.findall(label)).lower() for label in getattr(graph, "type_labels", list)()]
    plurals = map(forms.plural, filter(None, labels)) if forms.is_installed() else ()
    return frozenset((*labels, *plurals))


def _may_be_noun(word: str) -> bool:
    return forms.is_installed() and forms.may_be_noun(word)


def _has_value(graph: Graph, source: Any, text: str) -> bool:
    single = forms.singular(text.lower()) if forms.is_installed() else text
    return any(len(holders_of(graph, source, one)) > 0 for one in {text, single})


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of up to five words in a text, longer ones first, the last ones first."""
    words = [match.span() for match in WORD.finditer(text)]
    for size in range(_LONGEST_VALUE, 0, -1):
        for at in range(len(words) - size, -1, -1):
            yield words[at][0], words[at + size - 1][1]


def _in_place(text: str, start: int, end: int, said: str) -> Replaced:
    return Replaced(f"{text[:start]}{said}{text[end:]}", said, text[start:end], f"{text[:start]}{text[end:]}")
