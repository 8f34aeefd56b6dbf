"""The probability that passages hold an answer to a question, so that «not in these documents» can be said."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from graphbrick.bricks.generate.sentence_scores import SentenceScores, passage_text, roots, word_share
from graphbrick.core import Item

# Weights of logistic regressions: of 1, the similarity of the nearest sentence, the share of the question's words in
# the best sentence, and their share in the best passage. They were fitted by benchmarks/quotes.py --fit to half of the
# questions of three sets of documents in English, each asked over its own set and over another.
_BY_SIMILARITY = (-6.1, 9.4, 2.1, 2.4)
_BY_WORDS = (-2.9, 0.0, 2.3, 5.9)


def features(items: Sequence[Item], scores: SentenceScores) -> tuple[float, float, float, float]:
    """Return what the confidence is computed from: 1, the best similarity, and shares of words in sentence and passage.

    Args:
        items: The passages.
        scores: The scores of their sentences.
    """
    times = any(" " in word for word in scores.weights)  # names of days and months, for which ranges count
    words = [roots(passage_text(item), scores.root, times=times) for item in items]
    in_passage = max(word_share(scores.weights, text, scores.root) for text in words)
    return 1.0, float(scores.similarity.max()), float(scores.words[scores.total.argmax()]), in_passage


def document_confidence(items: Sequence[Item], scores: SentenceScores, *, by_similarity: bool) -> float:
    """Return the probability that the passages hold an answer, from 0 to 1.

    Rare words count more, and words that no passage has count most.

    Args:
        items: The passages.
        scores: The scores of their sentences.
        by_similarity: Whether the similarities are cosines of embeddings, which compare from question to question; else
            words alone tell.
    """
    weights = _BY_SIMILARITY if by_similarity else _BY_WORDS
    value = sum(weight * one for weight, one in zip(weights, features(items, scores), strict=True))
    return 1 / (1 + exp(-value))
