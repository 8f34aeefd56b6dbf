"""The arithmetic of the metrics, from the verdicts of a judge.

`graphbrick.judge.Metric` says what they mean. None is returned where a metric is not defined, and never
stands for 0.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

FACTS, SIMILARITY = 0.75, 0.25
"""Weights of the two parts of answer correctness."""


def share(verdicts: Sequence[bool]) -> float | None:
    """Return the share of yes; None if there are no verdicts.

    >>> share([True, False]), share([])
    (0.5, None)
    """
    return sum(verdicts) / len(verdicts) if verdicts else None


def average_precision(useful: Sequence[bool]) -> float | None:
    """Return the mean precision at each useful item of a ranking; 0 if none, None without items.

    >>> average_precision([True, False, True]) == (1 / 1 + 2 / 3) / 2
    True
    """
    if not useful:
        return None
    precisions = [sum(useful[:rank]) / rank for rank, is_useful in enumerate(useful, 1) if is_useful]
    return sum(precisions) / len(precisions) if precisions else 0.0


def f1(true: int, false: int, missed: int) -> float | None:
    """Return ``true / (true + (false + missed) / 2)``; None if all are 0.

    >>> f1(2, 1, 1) == 2 / 3
    True
    """
    return true / (true + (false + missed) / 2) if true + false + missed else None


def correctness(facts: float, similarity: float) -> float:
    """Return ``.75 facts + .25 similarity``.

    >>> correctness(1.0, 0.5)
    0.875
    """
    return FACTS * facts + SIMILARITY * similarity


def relevancy(similarities: Sequence[float], *, noncommittal: bool) -> float | None:
    """Return the mean similarity, or 0 for a noncommittal answer; None without similarities.

    >>> relevancy([0.5, 1.0], noncommittal=False), relevancy([0.5, 1.0], noncommittal=True)
    (0.75, 0.0)
    """
    if not similarities:
        return None
    return 0.0 if noncommittal else sum(similarities) / len(similarities)


def recall(wanted: Set[str], present: Set[str]) -> float | None:
    """Return the share of the wanted names that are present; None if none is wanted.

    >>> recall({"kenya", "nairobi"}, {"kenya", "uganda"})
    0.5
    """
    return len(wanted & present) / len(wanted) if wanted else None


def noise_sensitivity(
    right: Sequence[bool],
    claims: Sequence[Sequence[bool]],
    reference: Sequence[Sequence[bool]],
    *,
    relevant: bool,
) -> float | None:
    """Return the share of an answer's claims that are wrong and follow from (ir)relevant evidence.

    An item of evidence is relevant if at least one statement of the reference follows from it. A wrong claim that
    follows from items of both kinds counts for the relevant ones only.

    Args:
        right: For each claim of the answer, whether it follows from the reference.
        claims: For each item of evidence, whether each claim follows from it.
        reference: For each item of evidence, whether each statement of the reference follows from it.
        relevant: Whether claims are counted that follow from relevant items, or those from irrelevant ones only.

    Returns:
        From 0 to 1, low is good; None without claims.

    >>> noise_sensitivity([True, False], [[True, True], [False, True]], [[True], [False]], relevant=True)
    0.5
    """
    if not right:
        return None
    kinds = [any(statements) for statements in reference]
    wrong = 0
    for number, is_right in enumerate(right):
        from_kinds = {kind for kind, follows in zip(kinds, claims, strict=True) if follows[number]}
        wrong += not is_right and (True in from_kinds if relevant else from_kinds == {False})
    return wrong / len(right)
