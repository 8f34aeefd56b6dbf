"""What documents and sections are called, and which of them a question names: «GPL version 2», «v9.0.0»."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from graphbrick.core.graph import PassageText
from graphbrick.core.session import current_session
from graphbrick.graphs.corpus import TextGraph, passage_words
from graphbrick.language.folding import fold, nfc
from graphbrick.language.forms import is_installed, is_word
from graphbrick.language.languages.asking import asking_words
from graphbrick.language.stop_words import QUESTION_WORDS
from graphbrick.text.overview.versions import Version, ordinals_as_numbers, plain, versions_in

_FIRST_LINES, _LONGEST_LINE = 2, 80
_WORD = re.compile(r"[^\W_]+")
_WORD_OR_NUMBER = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")
_NAME_ENDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LABELS = frozenset("version versions v ver release releases edition section no number".split())
_LINKS = frozenset("of the for and".split())
_SUFFIXES = re.compile(r"(?:\.(?:rst|txt|md|html?|pdf|docx?|epub|eml|mbox|gz|zst))+$", re.IGNORECASE)
_SHORTEST, _LONGEST = 2, 8  # letters of an abbreviation
_JOINED = re.compile(r"\b([A-Z]{2,})[vV]?(\d+(?:\.\d+)*)\b")  # «GPLv2»
_KINDS = frozenset("licence license public standard manual guide specification".split())


class Calling(NamedTuple):
    """What a document is called.

    Attributes:
        words: Folded words of its title, file name and first lines.
        names: Those of each of these, but for numbers.
        initials: Those of the names in them, in small letters: "mpl" for «Mozilla Public License».
        versions: Their version numbers, without zeros at the end: "2.1".
        part: Its title, if that is the heading of one of its parts only; empty for others.
    """

    words: frozenset[str] = frozenset()
    names: tuple[frozenset[str], ...] = ()
    initials: frozenset[str] = frozenset()
    versions: frozenset[str] = frozenset()
    part: str = ""


def calling_of(graph: TextGraph, document: str) -> Calling:
    """Return what a document is called; nothing for one that the graph does not have."""
    return _callings(graph).get(document, Calling())


def called_above(graph: TextGraph, document: str, section: str) -> str:
    """Return in words what a document is called, for a passage in a section: words, initials and versions.

    A title that is the heading of another part, as in a file of several, is not among them.
    """
    own = calling_of(graph, document)
    if own.part and own.part not in section.split(" > "):
        return ""
    return " ".join((*own.words, *own.initials, *own.versions, *(f"{number}.0" for number in own.versions)))


def initials_of(text: str) -> frozenset[str]:
    """Return the initials of the names in a title: of each two to eight words with capitals beside each other.

    >>> sorted(initials_of("The GNU Free Documentation License"))[:4], "ms" in initials_of("Mail System of today")
    (['dl', 'fd', 'fdl', 'gf'], True)
    """
    runs: list[list[str]] = [[]]
    for word in _WORD.findall(text):
        if word[0].isupper() and word.casefold() not in _LINKS:
            runs[-1].append(word[0].casefold())
        elif word.casefold() not in _LINKS:
            runs.append([])
    return frozenset(
        "".join(run[i:j])
        for run in runs
        for i in range(len(run))
        for j in range(i + _SHORTEST, min(len(run), i + _LONGEST) + 1)
    )


def _callings(graph: TextGraph) -> dict[str, Calling]:
    return current_session().get(("callings",), lambda: _made(graph), of=graph)


def _made(graph: TextGraph) -> dict[str, Calling]:
    """Return what each document of a graph is called."""
    first: dict[str, tuple[int, int]] = {}
    tops = defaultdict[str, set[str]](set)
    for i in range(graph.n_passages):
        passage = graph.passage(i)
        tops[passage.document].add(passage.section.split(" > ")[0])
        first[passage.document] = min(first.get(passage.document, (passage.start, i)), (passage.start, i))
    made = {}
    for document, (_, i) in first.items():
        passage = graph.passage(i)
        stem = _SUFFIXES.sub("", PurePath(document.rstrip("/")).name)
        texts = [passage.title, _NAME_ENDS.sub(" ", stem), *_first_lines(passage)]
        numbers = (*versions_in(stem), *versions_in(passage.title), *_labelled(texts[2:]))
        made[document] = Calling(
            frozenset(word for text in texts for word in fold(text).split()),
            tuple({frozenset(word for word in fold(text).split() if not word.isdigit()): 0 for text in texts}),
            frozenset[str]().union(*map(initials_of, texts)),
            frozenset(number.number for number in numbers),
            passage.title if passage.title in tops[document] and len(tops[document]) > 1 else "",
        )
    return made


def _first_lines(passage: PassageText) -> list[str]:
    """Return the lines that a document begins with, if they are short, no sentences, and no headings of sections."""
    sections = passage.section.split(" > ")[1:]
    lines = [line.strip() for line in passage.text.split("\n", 2 * _FIRST_LINES)[: 2 * _FIRST_LINES] if line.strip()]
    return [
        line
        for line in lines[:_FIRST_LINES]
        if len(line) <= _LONGEST_LINE and not line.endswith(".") and line.lstrip("# ") not in sections
    ]


def _labelled(texts: Iterable[str]) -> Iterator[Version]:
    """Yield the numbers of texts that are called versions."""
    for text in texts:
        yield from (one for one in versions_in(text) if one.label in _LABELS)


class _Name(NamedTuple):
    """A name in a question: its folded words, and the version beside it, which may be empty; one of both is there."""

    words: tuple[str, ...]
    version: str


def named_documents(graph: TextGraph, question: str) -> frozenset[str]:
    """Return the documents that a question names by their whole title, file name, first line, or initials of these.

    A version beside the name decides between several: «section 3 of the GPL version 2». Words that more than half of
    the documents are called by, such as «manual», tell nothing, and may be missing.
    """
    callings = _callings(graph)
    frequency = Counter(word for one in callings.values() for word in one.words | one.initials)
    telling = {word for word, count in frequency.items() if 2 * count <= len(callings)} - QUESTION_WORDS
    question = _JOINED.sub(lambda one: one[0] if fold(one[0]) in telling else f"{one[1]} {one[2]}", nfc(question))
    said = frozenset(fold(question).split())
    found: set[str] = set()
    for name in _names(question, telling):
        words = frozenset(word for word in name.words if not _is_everywhere(graph, word, len(callings)))
        found |= _called(callings, words, name.version, telling, said)
    return frozenset(found)


def _is_everywhere(graph: TextGraph, word: str, n_documents: int) -> bool:
    """Return whether more than half of the documents have a word, as the name of what all are about."""
    scores = passage_words(graph).scores([word], graph.n_passages)
    having = {graph.passage(passage).document for passage in np.flatnonzero(scores > 0).tolist()}
    return 2 * len(having) > n_documents


def _called(
    callings: Mapping[str, Calling], words: frozenset[str], number: str, telling: set[str], said: frozenset[str]
) -> set[str]:
    """Return the documents that one name means: by its words, else by initials; with its version, if any has it."""
    shared = {
        document: max((len(one & telling) for one in own.names if one & words and one & telling <= said), default=0)
        for document, own in callings.items()
    }
    most = max(shared.values(), default=0)
    called = {document for document, n in shared.items() if n == most > 0}
    called = called or {document for document, own in callings.items() if own.initials & words & telling}
    return {document for document in called if number in callings[document].versions} or called


def _names(question: str, known: set[str]) -> Iterator[_Name]:
    """Yield the names in a question that have a word by which few documents are called."""
    words = _WORD_OR_NUMBER.findall(ordinals_as_numbers(question))
    is_german = asking_words(question) == asking_words("was ist das")
    run: list[str] = []
    before = ""  # the number in «version 2 of the GPL»
    for i, word in enumerate([*words, "?"]):
        folded = fold(word)
        if _is_name(word, is_plain=i == 0 or is_german) or (folded in known and _is_abbreviation(word)):
            run.append(folded)
        elif word[0].isdigit() or folded not in _LINKS | _LABELS | _KINDS | {"the"}:
            number = plain(word) if word[0].isdigit() else ""
            kept = tuple(one for one in run if one in known)
            if kept:
                yield _Name(kept, number or before)
            before = number if not run and i and fold(words[i - 1]) in _LABELS else ""
            run = []


def _is_name(word: str, *, is_plain: bool) -> bool:
    """Return whether a word of a question looks like a name: by its capital, by several if other words have one too."""
    if word[0].isdigit() or fold(word) in QUESTION_WORDS:
        return False
    return any(map(str.isupper, word[1:])) or (word[0].isupper() and not is_plain and len(word) > 1)


def _is_abbreviation(word: str) -> bool:
    """Return whether a word in small letters is no word of English, as «gpl»."""
    return word.isascii() and 3 <= len(word) <= _LONGEST and is_installed() and not is_word(word.lower())
