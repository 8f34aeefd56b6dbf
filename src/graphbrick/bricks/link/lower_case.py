"""Parts of names in lower case, numbers that end names («senna», «sprint 8»), and words that name nothing."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.bricks.link.exact import Matches
from graphbrick.bricks.link.question import Question, Span
from graphbrick.bricks.link.unmatched import MISSPELT, READ_WORDS, Unmatched
from graphbrick.bricks.link.words import TITLES, vocabulary
from graphbrick.core import Mention
from graphbrick.graphs.graph import Graph
from graphbrick.language.folding import Token
from graphbrick.language.forms import is_installed, is_word
from graphbrick.language.stems import WORD
from graphbrick.language.stop_words import FUNCTION_WORDS, QUESTION_WORDS

_SMALL = frozenset((*QUESTION_WORDS, *FUNCTION_WORDS))
_AUXILIARIES = frozenset(("do", "does", "did", "has", "have", "had", "is", "was"))


def parts_of_names(unmatched: Unmatched) -> Matches:
    """Return parts of names in a question that shows none by capitals, and numbers that end names."""
    question = unmatched.question
    parts = [] if question.shows_names or question.shouts else _lower_parts(unmatched)
    return [*parts, *_numbered(unmatched)]


def _lower_parts(unmatched: Unmatched) -> Matches:
    """Return words in lower case that English does not have and that are parts of one name alone: «senna».

    Of several such words the whole counts first: «winston churchill».
    """
    known, taken, words = (
        vocabulary(unmatched.graph),
        list[tuple[Span, Mention]](),
        unmatched.question.words[:READ_WORDS],
    )
    small = QUESTION_WORDS | TITLES
    is_common = [word.text in small or word.text in known or not word.text.isalpha() for word in words]
    is_foreign = [_is_foreign(words, at) for at in range(len(words))]
    for size in (3, 2, 1):
        for at in range(len(words) - size + 1):
            span = Span(at, at + size - 1)
            inside = slice(at, at + size)
            if any(is_common[inside]) or not any(is_foreign[inside]) or any(span.overlaps(one) for one, _ in taken):
                continue
            mention = unmatched.abridged(span) or unmatched.part(span)
            taken += [(span, mention)] if mention is not None else []
    return taken


def _is_foreign(words: Sequence[Token], at: int) -> bool:
    """Return whether English does not have a word, or it stands where a name does: «did senna win»."""
    word, before = words[at].text, words[at - 1].text if at else ""
    is_subject = before in _AUXILIARIES and not word.endswith("s")
    return len(word) >= MISSPELT and (is_subject or not (is_installed() and is_word(word)))


def _numbered(unmatched: Unmatched) -> Matches:
    """Return numbers after a word of the graph that end one name alone: «sprint 8» of «Web Sprint 8»."""
    known, taken, words = (
        vocabulary(unmatched.graph),
        list[tuple[Span, Mention]](),
        unmatched.question.words[:READ_WORDS],
    )
    for at in range(1, len(words)):
        span, noun = Span(at - 1, at), words[at - 1].text
        is_numbered = words[at].text.isdigit() and noun in known and noun not in QUESTION_WORDS
        if is_numbered and not unmatched.graph.names.exact(unmatched.question.folded(span)):
            mention = unmatched.part(span)
            taken += [(span, mention)] if mention is not None else []
    return taken


def unknown_words(graph: Graph, question: Question, most: int) -> list[str]:
    """Return the first words of a question that build no question and speak of no type, relation or property."""
    known = vocabulary(graph)
    words = (match[0] for match in WORD.finditer(question.text) if match[0].lower() not in _SMALL)
    return list(dict.fromkeys(word for word in words if word.lower() not in known and not word.isdecimal()))[:most]
