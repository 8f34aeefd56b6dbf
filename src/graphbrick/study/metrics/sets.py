"""Measures of answers by identity, each defined once.

Answers are hashable values, usually entity ids or keys. None is an answer that does not name an entity; it equals
nothing, and each None counts separately. A gold answer is one such value, or a collection (tuple, list, set) of
alternatives: its possible entities. A gold answer that is not in the graph is None or an empty collection; it cannot be
found, but still counts. For texts, which have spellings and aliases, see `graphbrick.study.metrics.answers`.

All measures lie in [0, 1], higher is better, and are computed from three counts. ``given`` is the number of distinct
answers, ``wanted`` the number of distinct gold answers, and ``right`` the size of a maximum matching: each answer
matches at most one gold answer and each gold answer at most one answer. Gold answers with the same alternatives count
once, because they cannot be told apart.

If there is no answer, every measure is 0. If there are no gold answers, every measure raises ValueError, so that
callers exclude such questions explicitly.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from graphbrick.study.metrics.matching import maximum_matching

Answers: TypeAlias = Collection[Hashable]
Gold: TypeAlias = Collection[Hashable | Collection[Hashable]]


class AnswerScores(NamedTuple):
    """All measures of the answers to one question.

    Attributes:
        hit: 1 if any answer is right.
        hits_at_1: 1 if the first answer is right.
        exact_match: 1 if the answers are exactly the gold answers, in any order: ``right == given == wanted``.
        precision: The share of distinct answers that are right, ``right / given``; 0 if there are none.
        recall: The share of distinct gold answers that were given, ``right / wanted``.
        f1: The harmonic mean of precision and recall, ``2 right / (given + wanted)``.
    """

    hit: float
    hits_at_1: float
    exact_match: float
    precision: float
    recall: float
    f1: float


def answer_scores(answers: Sequence[Hashable], gold: Gold) -> AnswerScores:
    """Return all measures of the answers to one question, best answer first.

    >>> answer_scores([3, 5], [5])
    AnswerScores(hit=1.0, hits_at_1=0.0, exact_match=0.0, precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    right, given, wanted = _counts(answers, gold)
    return AnswerScores(
        hit=float(right > 0),
        hits_at_1=float(_counts(answers[:1], gold)[0] > 0),
        exact_match=float(right == given == wanted),
        precision=right / given if given else 0.0,
        recall=right / wanted,
        f1=2 * right / (given + wanted),
    )


def harmonic(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 if both are 0.

    >>> harmonic(0.5, 1.0), harmonic(0.0, 0.0)
    (0.6666666666666666, 0.0)
    """
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def require_gold(gold: Collection[object]) -> None:
    """Raise ValueError if there are no gold answers."""
    if not len(gold):
        raise ValueError("a question without gold answers cannot be scored; leave it out and say so")


def gold_sets(gold: Gold) -> list[frozenset[Hashable]]:
    """Return the alternatives of each gold answer, in order.

    Gold answers with the same alternatives are returned once; those without alternatives are all kept.

    Raises:
        TypeError: ``gold`` is a single string instead of a collection.
        ValueError: There are no gold answers.

    >>> gold_sets([7, (7,), None, ()])
    [frozenset({7}), frozenset(), frozenset()]
    """
    _refuse_text(gold, "gold")
    require_gold(gold)
    distinct: list[frozenset[Hashable]] = []
    seen = set()
    for answer in gold:
        several: Iterable[Hashable] = answer if isinstance(answer, tuple | list | set | frozenset) else (answer,)
        alternatives = frozenset(several) - {None}
        if alternatives not in seen:
            distinct.append(alternatives)
        if alternatives:
            seen.add(alternatives)
    return distinct


def places(gold: Sequence[Collection[Hashable]]) -> dict[Hashable, list[int]]:
    """Return, for every alternative, the indices of the gold answers that have it.

    >>> places([{7}, {7, 8}])
    {7: [0, 1], 8: [1]}
    """
    places_of: dict[Hashable, list[int]] = {}
    for place, alternatives in enumerate(gold):
        for alternative in alternatives:
            places_of.setdefault(alternative, []).append(place)
    return places_of


def _counts(answers: Answers, gold: Gold) -> tuple[int, int, int]:
    """Return the counts (right, given, wanted)."""
    _refuse_text(answers, "answers")
    wanted, distinct = gold_sets(gold), set(answers)
    unknown = sum(answer is None for answer in answers) if None in distinct else 0
    distinct.discard(None)
    meant = places(wanted)
    right = maximum_matching([meant[answer] for answer in distinct & meant.keys()])
    return right, len(distinct) + unknown, len(wanted)


def _refuse_text(collection: object, what: str) -> None:
    if isinstance(collection, str):
        raise TypeError(f"{what} must be a collection, got the text {collection!r:.80}; try [{collection!r:.80}]")
