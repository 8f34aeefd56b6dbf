"""Other spellings of a name: rules for forms that people write in place of a label."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.bricks.link.question import Question, Span
from graphbrick.language.stems import possible_singulars
from graphbrick.language.stop_words import ARTICLES

_INITIALS = 5  # longest run of initials


def other_spellings(question: Question, span: Span) -> Iterator[str]:
    """Yield the folded texts that a label may have for a span of the question; not the text as it is.

    Initials with or without points («JRR Tolkien», «J. R. R. Tolkien»), «&» for «and» or either left out, an article
    left out («Matrix»), plurals and possessives without a letter («Kenyas», «the Joneses'»).
    """
    words = [word.text for word in question.words[span.first : span.last + 1]]
    known = {" ".join(words)}
    for spelled in (*_initials(question, span), _joined_initials(words), *_conjunctions(question, span), words):
        singulars = possible_singulars(spelled[-1]) if spelled else ()
        for singular in (spelled, *([*spelled[:-1], last] for last in singulars)):
            for article in ("", *(f"{word} " for word in ARTICLES["english"])):
                text = article + " ".join(singular)
                if singular and text not in known:
                    known.add(text)
                    yield text


def _initials(question: Question, span: Span) -> Iterator[list[str]]:
    """Yield the words with initials in capitals taken apart: «JRR Tolkien» as «j r r tolkien»."""
    words: list[str] = []
    for word in question.words[span.first : span.last + 1]:
        surface = question.text[word.start : word.end]
        apart = 2 <= len(surface) <= _INITIALS and surface.isupper() and surface.isalpha()
        words += list(word.text) if apart and not question.shouts else [word.text]
    yield words


def _joined_initials(words: list[str]) -> list[str]:
    """Return the words with neighbouring initials joined: «j r r tolkien» as «jrr tolkien».

    >>> _joined_initials(["j", "r", "r", "tolkien"]), _joined_initials(["o", "brien"])
    (['jrr', 'tolkien'], ['o', 'brien'])
    """
    joined: list[str] = []
    in_run = False
    for word in words:
        is_initial = len(word) == 1 and word.isalpha()
        if is_initial and in_run:
            joined[-1] += word
        else:
            joined.append(word)
        in_run = is_initial
    return joined


def _conjunctions(question: Question, span: Span) -> Iterator[list[str]]:
    """Yield the words without «and» between them, and with «and» for every «&»."""
    words = question.words[span.first : span.last + 1]
    yield [word.text for at, word in enumerate(words) if word.text != "and" or at in (0, len(words) - 1)]
    written: list[str] = []
    for at, word in enumerate(words):
        if at and "&" in question.text[words[at - 1].end : word.start]:
            written.append("and")
        written.append(word.text)
    yield written
