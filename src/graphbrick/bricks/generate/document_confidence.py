"""The probability that passages hold an answer to a question, so that «not in these documents» can be said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import exp

from graphbrick.bricks.generate.answer_kinds import answer_pattern, has_kind
from graphbrick.bricks.generate.sentence_scores import SentenceScores, headings_of, passage_text, roots, word_share
from graphbrick.core import Item
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import fold, tokens
from graphbrick.language.stop_words import stop_words, stop_words_of
from graphbrick.text.documents.quotable import Quotable, joined_sentences
from graphbrick.text.overview.versions import DATE, plain

_THOUSANDS = Expression(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBER = Expression(r"(?<![\d.])\d+(?:\.\d+)*")
_WHEN = Expression(r"\W*(when|wann|quand|cu[aá]ndo|on (what|which) (date|day))\b", re.IGNORECASE)
_OF_VERSIONS = "version release released latest newest recent current last new news change changes changed"

# Weights of logistic regressions: of 1, the similarity of the nearest sentence, the share of the question's words in
# the first quotation, their share in the best passage, whether the quotation lacks the kind of answer that is asked
# for, how many names and numbers of the question no passage has, and whether the question is in another language than
# English, of which MiniLM reads less. They were fitted to questions over 14 sets of documents, each asked again without
# the passages that answer it, and to questions that were written without an answer, which counted three times
# (benchmarks/quotes.py --fit has a fit that is near); three of four questions are taken to have one.
_BY_SIMILARITY = (-4.3, 4.7, 2.55, 1.55, -0.85, -1.9, 0.9)
_BY_WORDS = (-1.6, 0.0, 2.8, 1.8, -0.9, -1.9, 0.0)


def features(
    question: str, items: Sequence[Item], quotation: Sequence[Quotable], scores: SentenceScores
) -> tuple[float, ...]:
    """Return what the confidence is computed from; see the weights.

    Args:
        question: The question.
        items: The passages.
        quotation: The sentences of the first quotation.
        scores: The scores of all their sentences.
    """
    item = items[quotation[0].item]
    version = scores.versions[quotation[0].item] if scores.versions else ""
    quoted = f"{version} {joined_sentences(quotation, item.text)}"
    wanted = answer_pattern(question)
    lacks_kind = wanted is not None and not has_kind(wanted, quoted)
    is_other = stop_words_of(question.lower().split()) not in (stop_words()["english"], frozenset())
    similarity = float(scores.similarity.max())
    if version and scores.is_of_version:
        in_quotation, in_passage = 1.0, 1.0
        missing = float(_WHEN.match(question) is not None and DATE.search(quoted) is None)
    else:
        in_quotation, in_passage, missing = _by_words(question, items, f"{quoted} {quotation[0].heading}", item, scores)
    return 1.0, similarity, in_quotation, in_passage, float(lacks_kind), missing, float(is_other)


def _by_words(
    question: str, items: Sequence[Item], quoted: str, item: Item, scores: SentenceScores
) -> tuple[float, float, float]:
    """Return the share of the question's words in the quotation and in the best passage, and how many names have none.

    What the headings and the document of a passage are called counts: «GPL 3» in a passage of ``GPL-3.txt``.
    """
    times = any(" " in word for word in scores.weights)  # names of days and months, for which ranges count
    words = [roots(passage_text(one), scores.root, times=times) for one in items]
    own = roots(f"{quoted} {headings_of(item)}", scores.root, times=times)
    if any(scores.versions):
        of_version = roots(_OF_VERSIONS, scores.root)
        own |= of_version
        words = [one | of_version if scores.versions[i] else one for i, one in enumerate(words)]
    everywhere = frozenset[str]().union(*words)
    numbers = frozenset[str]().union(*(_numbers(passage_text(one)) for one in items))
    missing = sum(scores.root(part) not in everywhere for name in _names(question) for part in fold(name).split())
    missing += sum(not {number, f"{number}.0"} & numbers for number in _numbers(question))
    in_passage = max(word_share(scores.weights, text, scores.root) for text in words)
    return word_share(scores.weights, own, scores.root), in_passage, float(missing)


def _names(question: str) -> list[str]:
    """Return the names of a question: words with a capital, or with letters and digits, but for its first word and «I».

    >>> _names("Do I need Python 2.6 and JSON or x86?")
    ['Python', 'JSON', 'x86']
    """
    words = [question[one.start : one.end] for one in tokens(question)]
    return [
        word
        for i, word in enumerate(words)
        if (any(map(str.isdigit, word)) and not word.isdigit())
        or (len(word) > 1 and word[0].isupper() and (i > 0 or word.isupper()))
    ]


def _numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text, whole: «3.13» is neither 3 nor 13, and «3.0.0» is 3.0, and not any 3.

    >>> sorted(_numbers("Python 3.13 since GPL-2.0, 1,000 or v9 of 2024-05-01"))
    ['1', '1000', '2.0', '2024', '3.13', '5', '9']
    """
    found = _NUMBER.findall(_THOUSANDS.sub("", text))
    return frozenset(plain(one) if "." not in one or "." in plain(one) else f"{plain(one)}.0" for one in found)


def document_confidence(
    question: str,
    items: Sequence[Item],
    quotation: Sequence[Quotable],
    scores: SentenceScores,
    *,
    by_similarity: bool,
) -> float:
    """Return the probability that the passages hold an answer, from 0 to 1.

    Rare words count more, and words that no passage has count most.

    Args:
        question: The question.
        items: The passages.
        quotation: The sentences of the first quotation.
        scores: The scores of all their sentences.
        by_similarity: Whether the similarities are cosines of embeddings, which compare from question to question; else
            words alone tell.
    """
    weights = _BY_SIMILARITY if by_similarity else _BY_WORDS
    values = features(question, items, quotation, scores)
    value = sum(weight * one for weight, one in zip(weights, values, strict=True))
    return 1 / (1 + exp(-value))
