"""The probability that passages hold an answer to a question, so that «not in these documents» can be said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphbrick.bricks.generate.sentence_scores import SentenceScores, content_words, roots, word_weights
from graphbrick.core import Item

# Logistic regression over the nearest similarity and the shares of words.
_BY_MEANING = (-7.0, 9.0, 2.0, 3.0)
_BY_WORDS = (-4.0, 0.0, 3.0, 4.0)


def document_confidence(question: str, items: Sequence[Item], scores: SentenceScores, *, is_similarity: bool) -> float:
    """Return the probability that the passages hold an answer, from 0 to 1.

    It is a logistic regression over three numbers: the similarity of the nearest sentence, the share of the question's
    words in the best sentence, and their share in the best passage. Rare words count more, and words that no passage
    has count most.

    Args:
        question: The question.
        items: The passages.
        scores: The scores of their sentences.
        is_similarity: Whether the scorer gives cosines, which compare from question to question; else words alone tell.
    """
    words = content_words(question)
    texts = [roots(" ".join((item.text, *(place.section for place in item.citations)))) for item in items]
    weights = word_weights(words, texts)
    in_passage = max(sum(weights[k] for k, word in enumerate(words) if word in text) for text in texts) / weights.sum()
    best = int(scores.total.argmax())
    bias, meaning, sentence, passage = _BY_MEANING if is_similarity else _BY_WORDS
    value = bias + meaning * float(scores.similarity.max()) + sentence * float(scores.words[best])
    return float(1 / (1 + np.exp(-(value + passage * float(in_passage)))))
