"""How well sentences answer a question: by a scorer, by words, and by the kind of answer that it asks for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.generate.answer_kinds import answer_pattern, counted_pattern, has_kind
from graphbrick.bricks.generate.restricted import restriction_scores
from graphbrick.core import Item
from graphbrick.graphs.corpus import TextGraph
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import fold, nfc, tokens
from graphbrick.language.languages.asking import asking_words
from graphbrick.language.languages.german import german_root
from graphbrick.language.languages.roots import function_words, root_of
from graphbrick.language.restrictions import restrictions
from graphbrick.language.scripts import UNSPACED
from graphbrick.language.stems import root
from graphbrick.language.stop_words import INTERROGATIVES, QUESTION_WORDS, stop_words_of
from graphbrick.text.documents.quotable import POINTS_BACK, Quotable
from graphbrick.text.overview.calling import called_above, initials_of, named_documents
from graphbrick.text.overview.changes import (
    AskedVersion,
    asks_for_version,
    version_above,
    version_asked,
    version_heading,
)

Floats = npt.NDArray[np.float64]

# Weights of what speaks for a sentence. They were chosen on one half of the questions of benchmarks/quotes.jsonl.
_SIMILARITY = 1.5  # of the similarity with the question, which is at most 1
_WORDS, _HEADING = 1.0, 1.0  # of the share of the question's words in the sentence, and in its heading alone
_KIND = 0.3
_LANGUAGE = -0.25  # of another language than the question has, where some passages are in that
_COUNTED = 0.3  # of a number before what «how many» asks for: «150 people»
_BEFORE, _SIMILAR_BEFORE = 1.0, 0.75  # of words and similarity that a sentence has from the one it goes on from
_TOPIC = 1.0  # of the share of words, but for days and months, that the passage of a sentence has
_NAMED = -2.0  # of words that a heading above some passage has, and neither the passage of a sentence nor its headings
_DOCUMENT = 0.5  # of a passage of a document that the question names
_VERSION, _ONLY_VERSION = 1.0, 10.0  # of a passage about the version that the question asks about, with else or alone
_TITLE = -4.0  # of what has no other words than headings and titles
_INSIDE = 0.5  # of a German word that is a part of another one, against 1 for the word itself
_LONG = 6  # letters of the shortest such word
_EARLY = 0.3  # divided by 2 + the place of the passage
_SHORT, _OPEN, _PRONOUN, _CODE, _MENU = -0.3, -0.1, -0.1, -0.5, -1.0
_FEW_WORDS = 6
_LOOKED_AT = 400  # characters of a passage that tell its language

_ASKS_FOR_CODE = Expression(
    r"\b(code|command|commands|example|examples|syntax|snippet|script|Befehle?|Beispiele?)\b|`|\w\(\)|(?<!\w)--?\w",
    re.IGNORECASE,
)
_ASKS_FOR_LINKS = Expression(r"\b(menu|links?|navigation|url|addresses|address)\b", re.IGNORECASE)
# A sentence that begins so goes on from the one before: «It is closed on Fridays», «On Sundays it runs once an hour».
_GOES_ON = Expression(
    r"(?:It|They|These|Those|This|He|She|His|Her|Its|Their|Er|Sie|Es|Ihre?|Seine?|Diese[rs]?|Dies|Dort|There)\b"
    r"|(?:[\w'’-]+,?\s){1,4}?(?:it|they|these|this|he|she|him|her|them|er|sie|es|dies)\b"
)
# What speaks of documents and of today, and not of what they say.
_OF_DOCUMENTS = frozenset(
    "say says said mention mentioned state stated document documents current currently now today aktuell derzeit "
    "actuel actuellement actual actualmente".split()
)
_HOW = Expression(r"(?<=\bhow )(long|often|soon)\b|(?<=\bwie )(lange|oft)\b", re.IGNORECASE)  # a kind of answer
_UNSPACED = Expression(f"[{UNSPACED}]")
_DAY_BEFORE = Expression(r"^(montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?(?=\w)")
_CLOSED = (".", "!", "。", "！", "।", "۔", '"', "”", ")", "»")


class SentenceScores(NamedTuple):
    """The scores of sentences, and what they were made from.

    Attributes:
        total: How well each sentence answers the question, float64 [sentences].
        similarity: What the scorer gave, divided by the largest value if that is above 1.
        weights: The weight of each word of the question; all add up to 1.
        root: What gives the roots of words.
        versions: The heading of each passage that is the version which the question asks about; empty for others.
        is_of_version: Whether the question asks about nothing but this version.
        above: The version that each passage stands under, where the question asks for one; else empty.
    """

    total: Floats
    similarity: Floats
    weights: dict[str, float]
    root: Callable[[str], str]
    versions: Sequence[str] = ()
    is_of_version: bool = False
    above: Sequence[str] = ()


def sentence_scores(
    question: str, quotables: Sequence[Quotable], similarity: Floats, items: Sequence[Item] = ()
) -> SentenceScores:
    """Return the scores of sentences for a question.

    Args:
        question: The question.
        quotables: The sentences.
        similarity: The score of each sentence by a scorer, float64 [sentences].
        items: The passages that they stand in; what these are about then counts too.
    """
    similarity = similarity / max(1.0, float(np.abs(similarity).max(initial=0.0)))
    before = sentences_before(quotables)
    of = root_of(question)
    own, with_heading, with_before, weights = _word_shares(question, quotables, before, of)
    total = _SIMILARITY * similarity + _WORDS * own + _HEADING * (with_heading - own)
    total += _BEFORE * (with_before - with_heading)
    total += [
        _SIMILAR_BEFORE * max(0.0, similarity[j] - similarity[i]) if j >= 0 else 0.0 for i, j in enumerate(before)
    ]
    total += restriction_scores(question, quotables, before)
    if items and not _UNSPACED.search(question):  # single characters are on every page
        topics = _topic_scores(weights, items, of)
        total += [topics[one.item] for one in quotables]
    total += [_form(one) + _EARLY / (2 + one.item) for one in quotables]
    if not _ASKS_FOR_CODE.search(question):
        total += [_CODE * one.is_code for one in quotables]
    if not _ASKS_FOR_LINKS.search(question):
        total += [_MENU * one.is_menu for one in quotables]
    others = _in_other_languages(question, items)
    total += [_LANGUAGE * others[one.item] for one in quotables] if items else 0.0
    graph = next((item.graph for item in items if isinstance(item.graph, TextGraph)), None)
    versions, is_all = version_headings(question, items)
    total += [(_ONLY_VERSION if is_all else _VERSION) * any(versions[one.item : one.item + 1]) for one in quotables]
    if graph is not None and (named := named_documents(graph, question)):
        is_named = [any(place.document in named for place in item.citations) for item in items]
        total += [_DOCUMENT * is_named[one.item] for one in quotables]
    titles = [frozenset(fold(" ".join(place.section for place in item.citations)).split()) for item in items]
    total += [_TITLE * (bool(items) and titles[one.item].issuperset(fold(one.text).split())) for one in quotables]
    wanted = answer_pattern(question)
    if wanted is not None:
        total += [_KIND * has_kind(wanted, one.text) for one in quotables]
    counted = counted_pattern(question)
    if counted is not None:
        total += [_COUNTED * (counted.search(one.text) is not None) for one in quotables]
    asks = asks_for_version(question)
    sections = (next((place.section for place in item.citations if place.document), "") for item in items)
    above = [version_above(section) if asks else "" for section in sections]
    return SentenceScores(total, similarity, weights, of, versions, is_all, above)


def version_headings(question: str, items: Sequence[Item]) -> tuple[list[str], bool]:
    """Return the heading of each passage that is the version asked about, else "", and if nothing else is asked."""
    graph = next((item.graph for item in items if isinstance(item.graph, TextGraph)), None)
    asked = version_asked(graph, question) if graph is not None else AskedVersion()
    sections = (next((place.section for place in item.citations if place.document), "") for item in items)
    return [version_heading(section, asked.number) if asked.number else "" for section in sections], asked.is_all


def sentences_before(quotables: Sequence[Quotable]) -> list[int]:
    """Return the index of the sentence that each one goes on from with a pronoun; -1 for none.

    It is the one before in the same passage and under the same heading.
    """
    pairs = pairwise(quotables)
    goes_on = [one.item == two.item and one.heading == two.heading and _GOES_ON.match(two.text) for one, two in pairs]
    return [-1, *(i if is_next else -1 for i, is_next in enumerate(goes_on))][: len(quotables)]


def roots(text: str, of: Callable[[str], str] = root, *, times: bool = False) -> frozenset[str]:
    """Return the roots of the folded words of a text.

    >>> sorted(roots("Fri-Sat: open", times=True))
    ['day 4', 'day 5', 'fri', 'open', 'sat']

    Args:
        text: The text.
        of: Gives the root of a word.
        times: Whether to add the days and months that it speaks of.
    """
    return frozenset((*map(of, fold(text).split()), *(_times(text) if times else ())))


def _times(text: str) -> list[str]:
    """Return names for the days and months of a text."""
    found = restrictions(text)
    return [f"day {day}" for day in sorted(found.days)] + [f"month {month}" for month in sorted(found.months)]


def _names(word: str, of: Callable[[str], str]) -> list[str]:
    """Return what stands for a word of a question: days and months for a name of these, so that ranges have it.

    A compound has both: «Donnerstagnachmittag».
    """
    times, rest = _times(word), _DAY_BEFORE.sub("", fold(word))
    return [*times, *([of(rest)] if not times or (rest != fold(word) and len(rest) >= _LONG) else [])]


def word_share(weights: Mapping[str, float], text: frozenset[str], of: Callable[[str], str] = root) -> float:
    """Return the share of weighted words that a text has, from 0 to 1.

    A long word of German counts half if it is a part of a word of the text, or has one.

    Args:
        weights: The weight of each word.
        text: The words of the text.
        of: What gave their roots.
    """
    share = sum(weight for word, weight in weights.items() if word in text)
    if of is german_root:
        long = [word for word in text if len(word) >= _LONG]
        missing = [word for word in weights if word not in text and len(word) >= _LONG]
        share += sum(_INSIDE * weights[word] for word in missing if any(word in one or one in word for one in long))
    return share


def _word_shares(
    question: str, quotables: Sequence[Quotable], before: Sequence[int], of: Callable[[str], str]
) -> tuple[Floats, Floats, Floats, dict[str, float]]:
    """Return the share of the question's words in sentences, and the weights of the words.

    The shares are those of each sentence, of it with its heading, and of these with the sentences that it goes on from.
    """
    times = bool(_times(question))
    own = [roots(one.text, of, times=times) for one in quotables]
    whole = [mine | roots(one.heading, of, times=times) for mine, one in zip(own, quotables, strict=True)]
    chained: list[frozenset[str]] = []
    for mine, last in zip(whole, before, strict=True):
        passed_on = {word for word in chained[last] if " " not in word} if last >= 0 else set()  # but no day or month
        chained.append(mine | passed_on)
    frequency = Counter(word for text in whole for word in text)
    words = dict.fromkeys(name for word in _content_words(question) for name in _names(word, of))
    raw = {word: max(0.1, log((len(whole) + 1) / (frequency[word] + 0.5))) for word in words}
    weights = {word: weight / sum(raw.values()) for word, weight in raw.items()}
    first, second, third = (
        np.array([word_share(weights, text, of) for text in texts]) for texts in (own, whole, chained)
    )
    return first, second, third, weights


def passage_text(item: Item) -> str:
    """Return a passage with the headings above it, and what its document is called."""
    return f"{item.text} {headings_of(item)}"


def headings_of(item: Item) -> str:
    """Return the headings above a passage, and what its document is called, abbreviated too."""
    sections = " ".join(place.section for place in item.citations)
    if not isinstance(item.graph, TextGraph):
        return sections
    names = (called_above(item.graph, place.document, place.section) for place in item.citations if place.document)
    return " ".join((sections, *names, *initials_of(sections)))


def _topic_scores(weights: Mapping[str, float], items: Sequence[Item], of: Callable[[str], str]) -> list[float]:
    """Return what each passage adds to the scores of its sentences by what it is about.

    «Is the library open on Sundays?» is not answered by the hours of the pool: «library» stands in the heading of
    another passage, and nowhere in this one.
    """
    topic = {word: weight for word, weight in weights.items() if " " not in word}
    total = sum(topic.values()) or 1.0
    headings = frozenset[str]().union(*(roots(headings_of(item), of) for item in items))
    named = {word: weight for word, weight in topic.items() if word in headings}
    texts = [roots(passage_text(item), of) for item in items]
    missing = (sum(named.values()) - word_share(named, text, of) for text in texts)
    shares = (word_share(topic, text, of) / total for text in texts)
    return [_TOPIC * share + _NAMED * lack for share, lack in zip(shares, missing, strict=True)]


def _content_words(question: str) -> list[str]:
    """Return the words of a question that name what it is about, as they are written; all words if none does."""
    question = _HOW.sub("", nfc(question))
    words = tokens(question)
    of_language = map(fold, asking_words(question))  # «à quoi sert ...»
    empty = (QUESTION_WORDS | INTERROGATIVES | function_words("german") | function_words("english")).union(of_language)
    own = [one for one in words if one.text not in empty]
    said = [one for one in own if one.text not in _OF_DOCUMENTS]
    return [question[word.start : word.end] for word in said or own or words]


def _form(one: Quotable) -> float:
    """Return what the form of a sentence takes from its score."""
    is_open = not one.text.endswith(_CLOSED)
    n_words = len(one.text.split()) + (not is_open)  # a sentence may be shorter than a line
    is_short = one.text.isascii() and n_words < _FEW_WORDS and ": " not in one.text
    return _SHORT * is_short + _OPEN * is_open + _PRONOUN * bool(POINTS_BACK.match(one.text))


def _in_other_languages(question: str, items: Sequence[Item]) -> list[bool]:
    """Return whether each passage is in another language than the question, if any of them is in that."""
    own = stop_words_of(fold(question).split())
    languages = [stop_words_of(fold(item.text[:_LOOKED_AT]).split()) for item in items]
    is_told = bool(own) and own in languages
    return [is_told and bool(one) and one != own for one in languages]
