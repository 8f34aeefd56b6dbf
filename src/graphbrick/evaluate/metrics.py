"""Measures of answers, each defined once. Answers and gold are anything hashable: entity ids, keys, or texts."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence


def hits_at_1(answers: Sequence[Hashable], gold: Collection[Hashable]) -> float:
    """1 if the first answer is right, else 0; 0 where there is no answer.

    >>> hits_at_1(["Kampala", "Nairobi"], {"Nairobi"})
    0.0
    """
    return float(bool(answers) and answers[0] in gold)


def precision(answers: Collection[Hashable], gold: Collection[Hashable]) -> float:
    """The share of distinct answers that are right; 0 where there is no answer."""
    given = set(answers)
    return len(given & set(gold)) / len(given) if given else 0.0


def recall(answers: Collection[Hashable], gold: Collection[Hashable]) -> float:
    """The share of gold answers that were given.

    Raises:
        ValueError: There is no gold answer, so there is nothing to find.
    """
    if not gold:
        raise ValueError("a question without gold answers cannot be scored; leave it out and say so")
    return len(set(answers) & set(gold)) / len(set(gold))


def f1(answers: Collection[Hashable], gold: Collection[Hashable]) -> float:
    """The harmonic mean of precision and recall, as sets; 0 where no answer is right.

    >>> round(f1(["Nairobi", "Kampala"], ["Nairobi"]), 3)
    0.667
    """
    p, r = precision(answers, gold), recall(answers, gold)
    return 2 * p * r / (p + r) if p + r else 0.0


def path_precision(paths: Collection[Collection[Hashable]], gold: Collection[Hashable]) -> float:
    """The share of paths that meet an answer, each path given as what it meets; 0 where there is no path.

    >>> path_precision([["Kenya", "Nairobi"], ["Kenya", "Uganda"]], {"Nairobi"})
    0.5
    """
    wanted = set(gold)
    return sum(not wanted.isdisjoint(path) for path in paths) / len(paths) if paths else 0.0


def path_f1(paths: Collection[Collection[Hashable]], gold: Collection[Hashable]) -> float:
    """The harmonic mean of the share of paths that meet an answer and the share of answers that paths meet."""
    p, r = path_precision(paths, gold), recall({entity for path in paths for entity in path}, gold)
    return 2 * p * r / (p + r) if p + r else 0.0
