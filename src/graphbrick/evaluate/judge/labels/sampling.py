"""Cases drawn at random for labelling by people, from every system and kind of question."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from graphbrick.core.errors import InputError
from graphbrick.evaluate.judge.cases import StudyCase
from graphbrick.evaluate.judge.verdicts import Label

LEAST = 2
"""Fewest cases of a stratum that are drawn, if it has them: one label has no spread."""


def draw(cases: Sequence[StudyCase], labels: Sequence[Label], n: int, *, seed: int = 0) -> list[StudyCase]:
    """Return cases drawn at random, stratified by system and group.

    Every question has a random place in a queue, the same for all systems; each stratum gives its first cases. So
    systems that share questions are labelled on the same questions, which makes their differences more exact, and the
    first rows of the sample are a random sample too: labelling can stop anywhere. A larger ``n`` with the same seed
    contains the smaller sample. Cases that lack what every label is about are not drawn (`StudyCase.lacks`).

    Args:
        cases: The cases of a study.
        labels: What they will be labelled by.
        n: Number of cases, at least two of each stratum; fewer are returned if there are fewer.
        seed: Seed of the queue.

    Returns:
        The cases in the order of the queue; the systems of a question follow each other in random order.

    Raises:
        InputError: The number is too small, or no case can be labelled.
    """
    strata: dict[tuple[str, str], list[StudyCase]] = {}
    for case in cases:
        if not all(case.lacks(label) for label in labels):
            strata.setdefault((case.system, case.group), []).append(case)
    if not strata:
        raise InputError("no answer can be labelled: none has evidence or an answer; evaluate other pipelines")
    if n < (least := sum(min(LEAST, len(stratum)) for stratum in strata.values())):
        raise InputError(
            f"{n} labels are too few for {len(strata)} strata of system and kind of question, as an interval needs "
            f"{LEAST} of each; draw at least {least}, better 30 of each system"
        )
    numbers = _quotas([len(stratum) for stratum in strata.values()], n)
    chosen = [
        case
        for stratum, number in zip(strata.values(), numbers, strict=True)
        for case in sorted(stratum, key=lambda one: _place(seed, *one.key))[:number]
    ]
    return sorted(chosen, key=lambda one: (_place(seed, *one.key), _place(seed, *one.key, one.system)))


def _quotas(sizes: Sequence[int], n: int) -> list[int]:
    """Split n in proportion to sizes, by largest remainders; at least two each, and never more than there are."""
    total = sum(sizes)
    if n >= total:
        return list(sizes)
    quotas = [min(size, max(LEAST, n * size // total)) for size in sizes]
    while sum(quotas) != n:
        step = 1 if sum(quotas) < n else -1
        owed = [n * size / total - quota for size, quota in zip(sizes, quotas, strict=True)]
        able = [
            place
            for place, (size, quota) in enumerate(zip(sizes, quotas, strict=True))
            if (quota < size if step > 0 else quota > min(LEAST, size))
        ]
        quotas[max(able, key=lambda place: step * owed[place])] += step
    return quotas


def _place(seed: int, *parts: str) -> bytes:
    """Return a place in the queue that looks random and depends on nothing else."""
    return hashlib.sha256("\0".join([str(seed), *parts]).encode("utf-8", "backslashreplace")).digest()
