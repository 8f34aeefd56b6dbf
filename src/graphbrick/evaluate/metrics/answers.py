"""Measures of answers by text: spellings and aliases count as one answer, parts of words do not count at all.

Two texts are the same answer if they are equal in the form that `answer_form` gives them. A gold answer is a text, or a
collection of texts: its name and its aliases. The measures are those of `graphbrick.evaluate.metrics.sets`, of forms:

- Answers of the same form count once. Two aliases of one gold answer are two answers, of which one is right.
- Gold answers with the same forms count once: as texts, two films of one title cannot be told apart.
- A text of which normalising leaves nothing (``!!!``, ``The``) is compared as it is, in lower case, so that it equals
  itself and not everything.
- A blank text equals nothing. As an answer it is a wrong one, as a gold answer it is one that cannot be given, and
  among aliases it is left out.
"""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Sequence
from typing import TypeAlias

from graphbrick.evaluate.metrics.sets import AnswerScores, answer_scores
from graphbrick.graphs.text import nfc

TextGold: TypeAlias = Sequence[str | Collection[str]]

_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def normalize(text: str) -> str:
    """Return a text as the scorers of RoG and LEGO-GraphRAG compare it; can be empty.

    Lower case, without ASCII punctuation, without the words a, an and the, with single spaces. Words that only a hyphen
    or a slash parts become one.

    >>> normalize(" The  Sound of MUSIC! "), normalize("Spider-Man"), normalize("!!!")
    ('sound of music', 'spiderman', '')
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_WITHOUT_PUNCTUATION)).split())


def answer_form(text: str) -> str:
    """Return the form that spellings of one answer share: normalised, or lower case if that is empty.

    >>> answer_form("The Beatles"), answer_form("The The"), answer_form("???"), answer_form("  ")
    ('beatles', 'the the', '???', '')
    """
    composed = nfc(text)
    return normalize(composed) or " ".join(composed.lower().split())


def text_scores(answers: Sequence[str], gold: TextGold) -> AnswerScores:
    """Return all measures of the answers to one question, best answer first; each in [0, 1], all 0 without an answer.

    Args:
        answers: The texts, best first.
        gold: Each a text, or a collection of a name and its aliases.

    Raises:
        TypeError: The answers or the gold are one text.
        ValueError: There is no gold.

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
    """Return the forms of each gold answer: of its name and its aliases; none for one that is blank.

    Raises:
        TypeError: The gold is one text.

    >>> [sorted(forms) for forms in gold_forms([("USA", "U.S.A.", "United States"), "Mexico", " "])]
    [['united states', 'usa'], ['mexico'], []]
    """
    if isinstance(gold, str):
        raise TypeError(f"gold must be a list of answers, got the text {gold!r:.80}; try [{gold!r:.80}]")
    names = ([answer] if isinstance(answer, str) else answer for answer in gold)
    return [frozenset(filter(None, map(answer_form, several))) for several in names]
