"""How well sentences answer a question: by a scorer, by words, and by the kind of answer that it asks for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.language.folding import fold
from graphbrick.language.stems import root
from graphbrick.language.stop_words import INTERROGATIVES, QUESTION_WORDS, stop_words
from graphbrick.text.documents.quotable import Quotable

Floats = npt.NDArray[np.float64]

# Weights of what speaks for a sentence. They were chosen on one half of the questions of benchmarks/quotes.jsonl.
_SIMILARITY = 1.5  # of the similarity with the question, which is at most 1
_WORDS, _HEADING = 1.0, 1.0  # of the share of the question's words in the sentence, and in its heading alone
_KIND = 0.3
_EARLY = 0.3  # divided by 2 + the place of the passage
_SHORT, _OPEN, _PRONOUN, _CODE, _MENU = -0.3, -0.1, -0.1, -0.5, -1.0
_FEW_WORDS = 6

_MONTH = (
    r"jan(uary|uar)?|feb(ruary|ruar)?|mar(ch)?|märz|apr(il)?|may|mai|june?|juni|july?|juli|aug(ust)?|sept?(ember)?"
    r"|o[ck]t(ober)?|nov(ember)?|de[cz](ember)?"
)
_NUMBER = r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|once|twice|half|zwei|drei|vier|fünf|zehn|halb)\b"
_UNIT = r"(second|minute|hour|day|week|month|year|decade|sekunde|minute|stunde|tag|woche|monat|jahr)"
# Patterns of questions, and of the sentences that have what they ask for. The first that fits a question counts.
_KINDS = tuple(
    (re.compile(question, re.IGNORECASE), re.compile(sentence))
    for question, sentence in (
        (r"\b(called|named|name of|(term|word) for)\b", r"(?i)\b(called|known as|named|termed|referred to as)\b"),
        (
            r"^(what|who|was|wer) (is|are|ist|sind) [\w\s.-]{2,40}\?$",
            r"(?i)^(\W*(an?|the|eine?|der|die|das)\s)?([\w-]+\W+){1,6}?(\([^)]*\) )?(is|are|means|refers|ist|sind)\b",
        ),
        (
            r"^(when|wann)\b|^since when\b|\b(which|what) (year|day|date|month)\b",
            rf"(?i)\b(1\d|20)\d\d\b|\b({_MONTH})\.? \d|\b\d+\.? ({_MONTH})\b"
            r"|\b(when|while|before|after|during|if|until|wenn|als|sobald|bevor|nachdem)\b",
        ),
        (
            rf"\b(how (long|soon)|wie lange)\b|\bhow many {_UNIT}",
            rf"(?i)({_NUMBER}|\b(a few|several)\b)[^.]{{0,25}}\b({_UNIT}|limit)",
        ),
        (
            r"\b(how (many|much|often|large|big|tall|high|old|far|fast|expensive|heavy|deep)"
            r"|wie ?(viele?|oft|hoch|groß|alt|weit|teuer)|(what|which) (share|percentage|number|age|price))\b",
            rf"(?i){_NUMBER}|\b(most|million|billion|dozens?|hundreds|thousands)\b",
        ),
        (
            r"^(who|whom|whose|wer|wen|wem)\b",
            r"(?<=[a-zäöü,(] )[A-ZÄÖÜ]\w+ [A-ZÄÖÜ]\w+|^[A-ZÄÖÜ]\w+ [A-ZÄÖÜ]\w+"
            r"|\b(men|women|people|adults|children|by)\b",
        ),
        (
            r"^(where|wo|wohin|woher)\b|\b(which|what) (countr|cit|place|town|region|state)",
            r"\b(in|at|on|near|under|into|from|to|im|am|unter|bei|auf|nach|aus)\b (the |dem |der |den )?[A-ZÄÖÜ]\w+"
            r"|([A-ZÄÖÜ][\w ]+, ){2}",
        ),
        (
            r"^(why|warum|weshalb|wieso)\b",
            r"(?i)\b(because|due to|since|so that|in order|reasons?|caus\w+|therefore|comes? down to|thanks to"
            r"|as a result|weil|denn|damit|um\b.*\bzu"
            r"|to (ensure|prevent|reduce|avoid|keep|make))\b",
        ),
    )
)
_ASKS_FOR_CODE = re.compile(
    r"\b(code|command|commands|example|examples|syntax|snippet|script|Befehle?|Beispiele?)\b|`|\w\(\)|(?<!\w)--?\w",
    re.IGNORECASE,
)
_ASKS_FOR_LINKS = re.compile(r"\b(menu|links?|navigation|url|addresses|address)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(r"(This|It|They|These|Those|He|She|Otherwise|However|See|Diese|Dies|Er|Sie|Es)\b")
_CLOSED = (".", "!", "。", "！", "।", "۔", '"', "”", ")", "»")


class SentenceScores(NamedTuple):
    """The scores of sentences, and what they were made from.

    Attributes:
        total: How well each sentence answers the question, float64 [sentences].
        similarity: What the scorer gave, divided by the largest value if that is above 1.
        words: The share of the question's words in each sentence and its heading, from 0 to 1; rare words count more.
        weights: The weight of each word of the question; all add up to 1.
    """

    total: Floats
    similarity: Floats
    words: Floats
    weights: dict[str, float]


def sentence_scores(question: str, quotables: Sequence[Quotable], similarity: Floats) -> SentenceScores:
    """Return the scores of sentences for a question.

    Args:
        question: The question.
        quotables: The sentences.
        similarity: The score of each sentence by a scorer, float64 [sentences].
    """
    similarity = similarity / max(1.0, float(np.abs(similarity).max(initial=0.0)))
    own, with_heading, weights = _word_shares(question, quotables)
    total = _SIMILARITY * similarity + _WORDS * own + _HEADING * (with_heading - own)
    total += [_form(one) + _EARLY / (2 + one.item) for one in quotables]
    if not _ASKS_FOR_CODE.search(question):
        total += [_CODE * one.is_code for one in quotables]
    if not _ASKS_FOR_LINKS.search(question):
        total += [_MENU * one.is_menu for one in quotables]
    wanted = next((sentence for kind, sentence in _KINDS if kind.search(question.strip())), None)
    if wanted is not None:
        total += [_KIND * bool(wanted.search(one.text)) for one in quotables]
    return SentenceScores(total, similarity, with_heading, weights)


def roots(text: str) -> frozenset[str]:
    """Return the roots of the folded words of a text."""
    return frozenset(map(root, fold(text).split()))


def word_share(weights: Mapping[str, float], text: frozenset[str]) -> float:
    """Return the share of weighted words that a text has, from 0 to 1."""
    return sum(weight for word, weight in weights.items() if word in text)


def _word_shares(question: str, quotables: Sequence[Quotable]) -> tuple[Floats, Floats, dict[str, float]]:
    """Return the share of the question's words in each sentence, and with its heading, and the weights of the words."""
    own = [roots(one.text) for one in quotables]
    whole = [mine | roots(one.heading) for mine, one in zip(own, quotables, strict=True)]
    frequency = Counter(word for text in whole for word in text)
    raw = {word: max(0.1, log((len(whole) + 1) / (frequency[word] + 0.5))) for word in _content_words(question)}
    weights = {word: weight / sum(raw.values()) for word, weight in raw.items()}
    first, second = (np.array([word_share(weights, text) for text in texts]) for texts in (own, whole))
    return first, second, weights


def _content_words(question: str) -> tuple[str, ...]:
    """Return the roots of the words of a question that name what it is about; all words if none does."""
    words = fold(question).split()
    empty = QUESTION_WORDS | INTERROGATIVES | stop_words()["german"] | stop_words()["english"]
    return tuple(dict.fromkeys(root(word) for word in [word for word in words if word not in empty] or words))


def _form(one: Quotable) -> float:
    """Return what the form of a sentence takes from its score."""
    is_short = one.text.isascii() and len(one.text.split()) < _FEW_WORDS
    is_open = not one.text.endswith(_CLOSED)
    return _SHORT * is_short + _OPEN * is_open + _PRONOUN * bool(_POINTS_BACK.match(one.text))
