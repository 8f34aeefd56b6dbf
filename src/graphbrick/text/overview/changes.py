"""Sections about one version, as lists of changes have them, and which of them a question asks for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from graphbrick.core.session import current_session
from graphbrick.graphs.corpus import TextGraph, passage_words
from graphbrick.language.folding import fold
from graphbrick.language.stop_words import QUESTION_WORDS
from graphbrick.text.overview.versions import DATE, Version, ordinals_as_numbers, versions_in

_LABELS = frozenset("version versions release releases edition v ver".split())
_BESIDE = _LABELS | frozenset(
    "released changes change changed in new what s whats notes note the for of unreleased rst txt md html".split()
)
_OF_CHANGES = _BESIDE | frozenset(
    "out come came date published publish latest news happened happen added add different since features feature "
    "contain include included updates update major minor".split()
)
_LATEST = re.compile(
    r"\b(?:latest|newest|most recent|current|last)(?: [\w.-]+)? (?:version|release)(?: number)?"
    r"(?: (?:of|for) (?:the )?[\w.-]+)?[\s?.!]*$",
    re.IGNORECASE,
)
# What may stand before the number of a version in a question besides the name of the product.
_BEFORE_NUMBER = _LABELS | frozenset(
    "in since of from with to by after before at under is was for and or until".split()
)
_FEWEST = 3  # versions of a list of changes
_OTHER_WORDS = 1  # the name of the product
_ASKS_FOR_VERSION = re.compile(
    r"\b(?:which|what|since what) (?:versions?|releases?)\b|\b(?:welche[rn]?) (?:version|ausgabe)"
    r"|^(?:since |from )?when (?:was|were|did|has|have|is|are)\b.*"
    r"\b(?:add|introduc|remov|dropp|fix|deprecat|releas|support|chang)",
    re.IGNORECASE,
)
_ASIDE = re.compile(rf"\s[(\[].*(?:{DATE.pattern}|released?\b|stable\b).*$")
_PHRASE = re.compile(r"([^\W\d_][\w.+-]*)[ -](?:version )?v?(\d+(?:\.\d+)*)(?![\w%]|\.\d)")


def version_of(heading: str) -> Version | None:
    """Return the version that a heading is the name of; None for other headings.

    >>> headings = ("v9.0.0 (2023-10-22)", "[3.1] - 2020-03", "Version 2.1 (bug fix release)", "Python 2.6 dropped")
    >>> [one and one.number for one in map(version_of, headings)]
    ['9', '3.1', '2.1', None]
    """
    numbers = versions_in(heading)
    aside = _ASIDE.search(heading, numbers[0].end) if numbers else None
    if aside is not None:  # «fetchmail-6.4.35 (released 2023-01-04, 31707 LoC)»
        heading = heading[: aside.start()]
        numbers = versions_in(heading)
    if len(numbers) != 1:
        return None
    one = numbers[0]
    words = fold(DATE.sub(" ", heading[: one.start] + " " + heading[one.end :])).split()
    is_number = "." in one.written or one.label in _LABELS or heading[one.start - 1 : one.start] in ("v", "V")
    others = [word for word in words if word not in _BESIDE]
    is_first = not others or fold(heading).startswith(others[0])  # «Flask 2.0», and no «2.1 Installing»
    return one if is_number and len(others) <= _OTHER_WORDS and is_first else None


def version_heading(section: str, number: str) -> str:
    """Return the heading of a section that is the name of a version; empty for none.

    >>> version_heading("Changelog > v9.0.0 (2023-10-22) > Fix", "9")
    'v9.0.0 (2023-10-22)'
    """
    for heading in section.split(" > "):
        own = version_of(heading)
        if own is not None and own.number == number:
            return heading
    return ""


def version_above(section: str) -> str:
    """Return the innermost heading of a section that is the name of a version; empty for none.

    >>> version_above("Changelog > v9.0.0 (2023-10-22) > Fix")
    'v9.0.0 (2023-10-22)'
    """
    return next((heading for heading in reversed(section.split(" > ")) if version_of(heading) is not None), "")


def asks_for_version(question: str) -> bool:
    """Return whether a question asks for a version, or when something changed, which the heading of a change says."""
    return _ASKS_FOR_VERSION.search(question) is not None


class AskedVersion(NamedTuple):
    """The version that a question asks about.

    Attributes:
        number: The version, without zeros at its end; empty for none.
        is_all: Whether the question is about nothing else: «When was 9.0.0 released?», «What is new in 9.17?»
    """

    number: str = ""
    is_all: bool = False


def version_asked(graph: TextGraph, question: str) -> AskedVersion:
    """Return the version whose section a question asks about.

    «Python 3.8» is none in the changes of a program that is not called Python. The latest version is the highest one.
    """
    sections = _sections(graph)
    if not sections:
        return AskedVersion()
    question = ordinals_as_numbers(question)
    for one in versions_in(question):
        if one.number in sections and (one.label in _BEFORE_NUMBER or not one.label or _is_product(graph, one.label)):
            rest = fold(f"{question[: one.start]} {question[one.end :]}").split()
            return AskedVersion(one.number, not {*rest} - QUESTION_WORDS - _OF_CHANGES - {one.label})
    if _LATEST.search(question) and len(sections) >= _FEWEST:
        return AskedVersion(max(sections, key=_order), is_all=True)
    return AskedVersion()


def version_passages(graph: TextGraph, number: str) -> list[int]:
    """Return the passages about a version: in its section, or in the document that is called by it."""
    return _sections(graph).get(number, [])


def _order(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))


def _sections(graph: TextGraph) -> dict[str, list[int]]:
    return current_session().get(("versions",), lambda: _found(graph), of=graph)


def _found(graph: TextGraph) -> dict[str, list[int]]:
    """Return the passages about each version."""
    sections = defaultdict[str, list[int]](list)
    for i in range(graph.n_passages):
        for number in _of_passage(graph, i):
            sections[number].append(i)
    return dict(sections)


def _of_passage(graph: TextGraph, i: int) -> Iterator[str]:
    """Yield the versions that a passage is about: the last that a heading names, else that of its document."""
    passage = graph.passage(i)
    versions = [one.number for one in map(version_of, passage.section.split(" > ")) if one is not None]
    if versions:
        yield versions[-1]
    else:
        for name in (passage.title, PurePath(passage.document).name):
            own = version_of(name)
            if own is not None and set(fold(name).split()) <= {*fold(own.written).split(), *_BESIDE}:
                yield own.number
                return


def _is_product(graph: TextGraph, word: str) -> bool:
    """Return whether most of the versions that stand after a word in the documents are those of sections."""
    phrases = current_session().get(("versions of words",), lambda: _phrases(graph), of=graph)
    numbers, sections = phrases.get(word, frozenset()), _sections(graph)
    return word in passage_words(graph) and 2 * sum(number in sections for number in numbers) >= len(numbers)


def _phrases(graph: TextGraph) -> dict[str, frozenset[str]]:
    """Return the versions that stand after each word."""
    phrases = defaultdict[str, set[str]](set)
    for i in range(graph.n_passages):
        for match in _PHRASE.finditer(graph.passage(i).text):
            for one in versions_in(match[0]):
                phrases[fold(match[1])].add(one.number)
    return {word: frozenset(numbers) for word, numbers in phrases.items()}
