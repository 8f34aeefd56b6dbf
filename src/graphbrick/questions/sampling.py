"""Reproducible samples of questions; a larger sample contains every smaller one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from graphbrick.core.errors import InputError
from graphbrick.questions.question import Question, grouped


def sample(questions: Iterable[Question], n: int, *, seed: int = 0, by: str = "hops") -> tuple[Question, ...]:
    """Return a sample of ``n`` questions, stratified in proportion to the size of each group.

    The draw depends on the seed and the ids, not on the order of the questions. A sample with a larger ``n`` contains
    the smaller ones, so that an evaluation can be extended later.

    Args:
        questions: The questions, ids distinct.
        n: Sample size, at least 1; all questions are returned if there are fewer.
        seed: Seed of the draw.
        by: Property to group by: "hops", "dataset" or a fact (see `Question.group`).

    Returns:
        The sample, in the order given.

    Raises:
        InputError: ``n`` is below 1, or there is no such fact.

    Example:
        >>> some = [Question(str(i), "?", hops=1 + i % 2) for i in range(100)]
        >>> [question.hops for question in sample(some, 4)].count(2)
        2
    """
    every = _checked(questions, n)
    places: list[tuple[float, str, str, Question]] = []
    for name, group in grouped(every, by).items():
        # Each group is spread evenly over [0, 1), so that any cut takes the same share of every group.
        ranked = _shuffled(group, seed)
        places += [((i + 0.5) / len(ranked), name, question.id, question) for i, question in enumerate(ranked)]
    places.sort(key=lambda place: place[:3])
    return _in_order(every, [question for *_, question in places[:n]])


def sample_each(questions: Iterable[Question], n: int, *, seed: int = 0, by: str = "hops") -> tuple[Question, ...]:
    """Return at most ``n`` questions of each group; arguments, order and errors as for `sample`.

    >>> some = [Question(str(i), "?", hops=1 + (i > 5)) for i in range(100)]
    >>> [question.hops for question in sample_each(some, 3)]
    [1, 1, 1, 2, 2, 2]
    """
    every = _checked(questions, n)
    groups = grouped(every, by).values()
    return _in_order(every, [question for group in groups for question in _shuffled(group, seed)[:n]])


def _checked(questions: Iterable[Question], n: int) -> tuple[Question, ...]:
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise InputError(f"a sample has at least 1 question, got n={n!r}; try 100", code="sample.too_few", n=n)
    return tuple(questions)


def _shuffled(group: Sequence[Question], seed: int) -> list[Question]:
    """Return a group in an order that depends only on the seed and the ids."""

    def rank(question: Question) -> tuple[bytes, str]:
        text = f"{seed}\0{question.dataset}\0{question.id}"
        return hashlib.blake2b(text.encode(), digest_size=16).digest(), question.id

    return sorted(group, key=rank)


def _in_order(every: Sequence[Question], drawn: Iterable[Question]) -> tuple[Question, ...]:
    wanted = {id(question) for question in drawn}
    return tuple(question for question in every if id(question) in wanted)
