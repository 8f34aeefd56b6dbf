"""Questions that are near a question: with a name of the graph for a word it does not know, or without the word."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from graphbrick.core.answer import NearReading
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import WORD, stem

_NAMES, _SHORTEST = 3, 4  # names that are near to a word, and letters of the shortest word
_BEFORE = Expression(  # a preposition and an article without their noun
    r"(?:\b(?:in|on|at|by|with|for|from|to|of|about|per)\s+)?(?:\b(?:the|an?|our|any|each|every)\s+)?$", re.IGNORECASE
)
_BROKEN = Expression(  # what a question is not any more without its noun or verb
    r"(?:how (?:many|much)|which|whose|(?:in|at|on|of|for) (?:which|what)) "
    r"(?:is|are|was|were|do|does|did|has|have|had|can|will|in|of|at|on|for|with|by|from|to|than)\b"
    r"|(?:who|what|where) (?:(?:is|are) )?(?:\w+ing|in|of|at|the|an?)\b"
    r"(?!.*\b(?:is|are|was|were|do|does|did|has|have)\b)",
    re.IGNORECASE,
)


def rewordings(graph: Graph, question: str, unknown: Collection[str], *, can_do_without: bool) -> list[NearReading]:
    """Return questions that may be meant by one with words that the graph does not know; they are still to be tried.

    Args:
        graph: The graph.
        question: The question.
        unknown: The stems of these words.
        can_do_without: Whether the other words may be a question of their own.

    >>> from graphbrick.testing import tiny_graph
    >>> near = rewordings(tiny_graph(), "Which countries border Kenia?", ["kenia"], can_do_without=False)
    >>> [one.question for one in near]
    ['Which countries border Kenya?']
    """
    places = [match for match in WORD.finditer(question) if stem(match[0].lower()) in unknown]
    texts = dict[str, None]()
    for place in places:
        if len(place[0]) >= _SHORTEST and not _is_plain_word(place[0]):
            for match in graph.names.near(place[0], _NAMES):
                if match.may_be_meant_by(place[0]):
                    texts[f"{question[: place.start()]}{match.name}{question[place.end() :]}"] = None
    bare = _without(question, places)
    if places and can_do_without and (_BROKEN.match(question) or not _BROKEN.match(bare)):
        texts[bare] = None
    return [NearReading(text, text) for text in texts]


def _is_plain_word(word: str) -> bool:
    """Return whether a word is one of the dictionary, written without a capital: «first» is no error for a name."""
    return word.islower() and forms.is_installed() and forms.is_word(word)


def without_words(question: str, words: Collection[str]) -> list[NearReading]:
    """Return the question without some words, which its text names; nothing for none.

    >>> [one.text for one in without_words("For the mascot: which lines go to Cove?", ["mascot"])]
    ['Which lines go to Cove? (without «mascot»)']
    """
    places = [match for match in WORD.finditer(question) if match[0].lower() in words]
    if not places:
        return []
    bare = re.sub(
        r"^(?:(?:for|in|on|at|as) )?(?:the |our |my |a )?[:,;–-]+ *", "", _without(question, places), flags=re.I
    )
    bare = bare[:1].upper() + bare[1:]
    said = ", ".join(f"«{place[0]}»" for place in places)
    return [NearReading(f"{bare} (without {said})", bare)]


def with_whole_names(question: str, part: str, names: Sequence[str]) -> list[NearReading]:
    """Return the question with each of some names in place of a part of them.

    >>> [one.text for one in with_whole_names("Who drove x671?", "X671", ["X671 Monday", "X671 Tuesday"])]
    ['Who drove X671 Monday?', 'Who drove X671 Tuesday?']
    """
    place = re.search(rf"(?<!\w){re.escape(part)}(?!\w)", question, re.IGNORECASE)
    texts = [f"{question[: place.start()]}{name}{question[place.end() :]}" for name in names] if place else []
    return [NearReading(text, text) for text in texts]


def _without(question: str, places: list[re.Match[str]]) -> str:
    """Return the question without some words, and without prepositions and articles that are left without a noun.

    >>> text = "What is the size of an ISO, in the bytes?"
    >>> _without(text, [*re.finditer("ISO|bytes", text)])
    'What is the size?'
    """
    text = question
    for place in reversed(places):
        after = text[place.end() :]
        before = text[: place.start()]
        text = f"{before if WORD.match(after.lstrip()) else _BEFORE.sub('', before)}{after}"
    return re.sub(r"[\s,;:]*([?.!]|$)", r"\1", re.sub(r"\s+([,;:])", r"\1", " ".join(text.split())))
