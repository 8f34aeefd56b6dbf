"""Measures of answers by text: spellings and aliases count as one answer, parts of words never match.

Two texts are the same answer if `answer_form` gives both the same form. A gold answer is a text, or a collection of
texts: its name and its aliases. The measures are those of `graphbrick.study.metrics.sets`, applied to forms:

- Answers with the same form count once. Two aliases of one gold answer count as two answers, and only one is right.
- Gold answers with the same forms count once: two films with one title cannot be told apart by text.
- A text that is empty after normalising (``!!!``, ``The``) is compared in lower case instead, so that it equals only
  itself.
- A blank text equals nothing. A blank answer is wrong, a blank gold answer cannot be found, and a blank alias is
  ignored.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

from graphbrick.language.folding import answer_form
from graphbrick.study.metrics.sets import AnswerScores, answer_scores

TextGold: TypeAlias = Sequence[str | Collection[str]]


def text_scores(answers: Sequence[str], gold: TextGold) -> AnswerScores:
    """Return all measures of the answers to one question, each in [0, 1].

    All measures are 0 if there is no answer.

    Args:
        answers: The answer texts, best first.
        gold: The gold answers, each a text or a collection of a name and its aliases.

    Raises:
        TypeError: ``answers`` or ``gold`` is a single string.
        ValueError: There are no gold answers.

    Example:
        >>> text_scores(["Kansas"], ["Arkansas"]).hit
        0.0
        >>> scores = text_scores(["the U.S.A.", "Canada"], [("United States of America", "USA"), ("Mexico",)])
        >>> scores.hits_at_1, scores.precision, scores.recall
        (1.0, 0.5, 0.5)
    """
    if isinstance(answers, str):
        raise TypeError(f"answers must be a list of texts, got the text {answers!r:.80}; try [{answers!r:.80}]")
    return answer_scores([answer_form(text) or None for text in answers], gold_forms(gold))


def gold_forms(gold: TextGold) -> list[frozenset[str]]:
    """Return the forms of each gold answer's name and aliases; an empty set if all are blank.

    Raises:
        TypeError: ``gold`` is a single string.

    >>> [sorted(forms) for forms in gold_forms([("USA", "U.S.A.", "United States"), "Mexico", " "])]
    [['united states', 'usa'], ['mexico'], []]
    """
    if isinstance(gold, str):
        raise TypeError(f"gold must be a list of answers, got the text {gold!r:.80}; try [{gold!r:.80}]")
    names = ([answer] if isinstance(answer, str) else answer for answer in gold)
    return [frozenset(filter(None, map(answer_form, several))) for several in names]
