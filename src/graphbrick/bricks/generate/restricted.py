"""Whether sentences speak of the part that a question asks about: its day, year or number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from graphbrick.language.restrictions import Restrictions, restrictions, written
from graphbrick.text.documents.quotable import Quotable

Floats = npt.NDArray[np.float64]

# What a restriction of the question adds to the score of a sentence. The weights were chosen on one half of the
# questions of benchmarks/quotes.jsonl, where .15 to .6 are as good.
_SAME, _NEAR = 0.3, 0.25  # that has it too, itself or in its heading or what it goes on from
_OTHER = -0.4  # that has another day, year or number of the same kind in its place
_LIMIT, _NEGATION = 0.4, 0.15
_BACK = 4  # sentences before one that may name the number that it is about


def restriction_scores(question: str, quotables: Sequence[Quotable], before: Sequence[int]) -> Floats:
    """Return what restrictions of a question add to the scores of sentences, float64 [sentences].

    «When does bus 12 run on Sundays?» wants a sentence with Sunday, or one with a range of days that has it, and one
    about bus 12; a sentence about Saturdays or bus 14 is wrong, however near it is. A sentence without a day or number
    loses nothing.

    Args:
        question: The question.
        quotables: The sentences.
        before: Index of the sentence that each one goes on from; -1 for none.
    """
    wanted = restrictions(question)
    if wanted == restrictions(""):
        return np.zeros(len(quotables))
    own = [restrictions(one.text) for one in quotables]
    scores = [
        sum(_of_times(wanted, own[i], [restrictions(one.heading), *_chain(own, before, i)]))
        + sum(_of_numbers(wanted, own[i], [*_preceding(quotables, own, i), restrictions(one.heading)]))
        for i, one in enumerate(quotables)
    ]
    return np.array(scores, dtype=np.float64)


def _chain(own: Sequence[Restrictions], before: Sequence[int], i: int) -> Iterator[Restrictions]:
    """Yield the restrictions of the sentences that a sentence goes on from, the nearest first."""
    while (i := before[i]) >= 0:
        yield own[i]


def _preceding(quotables: Sequence[Quotable], own: Sequence[Restrictions], i: int) -> Iterator[Restrictions]:
    """Yield the restrictions of the sentences before one in its passage and under its heading, the nearest first."""
    for j in range(i - 1, max(-1, i - 1 - _BACK), -1):
        if quotables[j].item != quotables[i].item or quotables[j].heading != quotables[i].heading:
            return
        yield own[j]


def _of_times(wanted: Restrictions, own: Restrictions, near: Sequence[Restrictions]) -> Iterator[float]:
    """Yield what days, months, years and limits of the question add to a sentence."""
    for times, mine, others in (
        (wanted.days, own.days, [one.days for one in near]),
        (wanted.months, own.months, [one.months for one in near]),
        (wanted.years, own.years, [one.years for one in near]),
    ):
        if times and mine:
            yield _SAME if times & mine else _OTHER
        elif times and not (own.days or own.months or own.years):
            yield _NEAR * any(times & other for other in others)
    yield _LIMIT * len(wanted.limits & own.limits)
    yield _NEGATION * (wanted.is_negative and own.is_negative)


def _of_numbers(wanted: Restrictions, own: Restrictions, near: Sequence[Restrictions]) -> Iterator[float]:
    """Yield what numbers of the question add to a sentence, which the nearest one of others may name for it."""
    for label, number in wanted.labelled:
        labels = {word for word, other in own.labelled if other == number}
        if labels or (number in own.numbers - own.measured and _labelled(own, label)):
            yield _SAME
        elif _labelled(own, label):
            yield _OTHER
        else:
            named = next((numbers for numbers in (_labelled(one, label) for one in near) if numbers), None)
            yield 0.0 if named is None else _NEAR if number in named else _OTHER
    for number in wanted.numbers - {number for _, number in wanted.labelled}:
        yield _SAME if number in own.numbers else _NEAR * any(number in one.numbers for one in near[:1])


def _labelled(one: Restrictions, label: str) -> frozenset[str]:
    """Return the numbers that stand after a word: {"12", "14"} for "bus"."""
    return frozenset(number for word, number in one.labelled if word == label)


def unmet(question: str, quotables: Sequence[Quotable], before: Sequence[int], i: int) -> list[str]:
    """Return the days, months, years and labelled numbers of a question that a sentence does not speak of.

    They are as the question writes them, such as "Sunday" and "bus 12". What its heading, and the sentences that it
    goes on from, speak of counts too, and for numbers the sentences before it.

    Args:
        question: The question.
        quotables: The sentences.
        before: Index of the sentence that each one goes on from; -1 for none.
        i: Index of the sentence.
    """
    wanted = restrictions(question)
    if not (wanted.days or wanted.months or wanted.years or wanted.labelled):
        return []
    own = [restrictions(one.text) for one in quotables]
    near = [own[i], restrictions(quotables[i].heading), *_chain(own, before, i)]
    numbers = frozenset[str]().union(*(one.numbers for one in (*near, *_preceding(quotables, own, i))))
    missing = []
    for word, has in written(question):
        is_met = any(has.days & one.days or has.months & one.months or has.years & one.years for one in near)
        if not is_met and not any(number in numbers for _, number in has.labelled):
            missing.append(word)
    return missing
