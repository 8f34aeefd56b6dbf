"""Measures of answers by identity, each defined once.

Answers are anything hashable, as a rule entity ids or keys; None is an answer that names no entity, equals nothing, and
each None counts. A gold answer is one such thing, or a collection (tuple, list, set) of alternatives: the entities that
it may mean. A gold answer that is not in the graph is None or an empty collection: it cannot be given, and counts. For
texts, which have spellings and aliases, see `graphbrick.evaluate.metrics.answers`.

All measures lie in [0, 1], higher is better, and rest on three counts. ``given`` are the distinct answers, ``wanted``
the distinct gold answers, and ``right`` the pairs of a maximum matching: each answer stands for at most one gold answer
and each gold answer for at most one answer. Gold answers with the same alternatives count once, as they cannot be told
apart.

Without an answer every measure is 0. Without gold there is nothing to measure, and every measure raises ValueError:
whoever leaves such a question out has to say so.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from graphbrick.evaluate.metrics.matching import maximum_matching

Answers: TypeAlias = Collection[Hashable]
Gold: TypeAlias = Collection[Hashable | Collection[Hashable]]


class AnswerScores(NamedTuple):
    """All measures of the answers to one question.

    Attributes:
        hit: 1 if any answer is right.
        hits_at_1: 1 if the first answer is right.
        exact_match: 1 if the answers and the gold are the same set.
        precision: The share of the answers that are right.
        recall: The share of the gold that was given.
        f1: The harmonic mean of precision and recall.
    """

    hit: float
    hits_at_1: float
    exact_match: float
    precision: float
    recall: float
    f1: float


def hit(answers: Answers, gold: Gold) -> float:
    """1 if any answer is right, else 0.

    >>> hit(["Kampala", "Nairobi"], {"Nairobi"})
    1.0
    """
    right, _, _ = _counts(answers, gold)
    return float(right > 0)


def hits_at_1(answers: Sequence[Hashable], gold: Gold) -> float:
    """1 if the first answer is right, else 0.

    >>> hits_at_1(["Kampala", "Nairobi"], {"Nairobi"})
    0.0
    """
    return hit(answers[:1], gold)


def exact_match(answers: Answers, gold: Gold) -> float:
    """1 if ``right``, ``given`` and ``wanted`` are equal: the answers are the gold and nothing else, in any order.

    >>> exact_match(["Nairobi", "Kampala"], ["Kampala", "Nairobi"])
    1.0
    """
    right, given, wanted = _counts(answers, gold)
    return float(right == given == wanted)


def precision(answers: Answers, gold: Gold) -> float:
    """Return the share of distinct answers that are right, ``right / given``; 0 where there is no answer.

    >>> precision([7, None, None], [7])
    0.3333333333333333
    """
    right, given, _ = _counts(answers, gold)
    return right / given if given else 0.0


def recall(answers: Answers, gold: Gold) -> float:
    """Return the share of distinct gold answers that were given, ``right / wanted``.

    >>> recall([7], [(7, 8), None])
    0.5
    """
    right, _, wanted = _counts(answers, gold)
    return right / wanted


def f1(answers: Answers, gold: Gold) -> float:
    """Return the harmonic mean of precision and recall, ``2 right / (given + wanted)``; 0 where no answer is right.

    >>> round(f1(["Nairobi", "Kampala"], ["Nairobi"]), 3)
    0.667
    """
    right, given, wanted = _counts(answers, gold)
    return 2 * right / (given + wanted)


def answer_scores(answers: Sequence[Hashable], gold: Gold) -> AnswerScores:
    """Return all measures of the answers to one question, best answer first.

    >>> answer_scores([3, 5], [5])
    AnswerScores(hit=1.0, hits_at_1=0.0, exact_match=0.0, precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    right, given, wanted = _counts(answers, gold)
    return AnswerScores(
        hit=float(right > 0),
        hits_at_1=hits_at_1(answers, gold),
        exact_match=float(right == given == wanted),
        precision=right / given if given else 0.0,
        recall=right / wanted,
        f1=2 * right / (given + wanted),
    )


def gold_sets(gold: Gold) -> list[frozenset[Hashable]]:
    """The alternatives of each gold answer, in order; what has the same alternatives once, what has none each time.

    Raises:
        TypeError: One text was given in the place of a collection; its letters are no answers.
        ValueError: There is no gold.

    >>> gold_sets([7, (7,), None, ()])
    [frozenset({7}), frozenset(), frozenset()]
    """
    _refuse_text(gold, "gold")
    if not len(gold):
        raise ValueError("a question without gold answers cannot be scored; leave it out and say so")
    found: list[frozenset[Hashable]] = []
    seen = set()
    for answer in gold:
        several: Iterable[Hashable] = answer if isinstance(answer, tuple | list | set | frozenset) else (answer,)
        alternatives = frozenset(several) - {None}
        if alternatives not in seen:
            found.append(alternatives)
        if alternatives:
            seen.add(alternatives)
    return found


def places(gold: Sequence[Collection[Hashable]]) -> dict[Hashable, list[int]]:
    """For every alternative, the places of the gold answers that have it.

    >>> places([{7}, {7, 8}])
    {7: [0, 1], 8: [1]}
    """
    found: dict[Hashable, list[int]] = {}
    for place, alternatives in enumerate(gold):
        for alternative in alternatives:
            found.setdefault(alternative, []).append(place)
    return found


def _counts(answers: Answers, gold: Gold) -> tuple[int, int, int]:
    """Right, given and wanted."""
    _refuse_text(answers, "answers")
    wanted, given = gold_sets(gold), set(answers)
    unknown = sum(answer is None for answer in answers) if None in given else 0
    given.discard(None)
    meant = places(wanted)
    right = maximum_matching([meant[answer] for answer in given & meant.keys()])
    return right, len(given) + unknown, len(wanted)


def _refuse_text(collection: object, what: str) -> None:
    if isinstance(collection, str):
        raise TypeError(f"{what} must be a collection, got the text {collection!r:.80}; try [{collection!r:.80}]")
