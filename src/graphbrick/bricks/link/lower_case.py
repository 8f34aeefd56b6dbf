"""Parts of names in lower case, numbers that end names («senna», «sprint 8»), and words that name nothing."""

from __future__ import annotations

from graphbrick.bricks.link.exact import Matches
from graphbrick.bricks.link.question import Question, Span
from graphbrick.bricks.link.unmatched import MISSPELT, READ_WORDS, Unmatched
from graphbrick.bricks.link.words import vocabulary
from graphbrick.core import Mention
from graphbrick.graphs.graph import Graph
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
    """Return words in lower case that English does not have and that are parts of one name alone: «senna»."""
    known, taken, words = (
        vocabulary(unmatched.graph),
        list[tuple[Span, Mention]](),
        unmatched.question.words[:READ_WORDS],
    )
    for at, word in enumerate(words):
        is_common = word.text in QUESTION_WORDS or word.text in known or not word.text.isalpha()
        before = words[at - 1].text if at else ""
        is_subject = before in _AUXILIARIES and not word.text.endswith("s")  # «did senna win»
        is_english = is_installed() and is_word(word.text) and not is_subject
        if is_common or len(word.text) < MISSPELT or is_english:
            continue
        mention = unmatched.part(Span(at, at))
        taken += [(Span(at, at), mention)] if mention is not None else []
    return taken


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
