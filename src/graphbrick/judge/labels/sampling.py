"""Cases drawn at random for labelling by people, from every system and kind of question."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from graphbrick.core.errors import InputError
from graphbrick.judge.cases import StudyCase
from graphbrick.judge.verdicts import Label

LEAST = 2
"""Fewest cases of a stratum that are drawn, if it has them: one label has no spread."""


def draw(cases: Sequence[StudyCase], labels: Sequence[Label], n: int, *, seed: int = 0) -> list[StudyCase]:
    """Return cases drawn at random, stratified by system and group.

    Every question has a random place in a queue, the same for all systems; each stratum gives its first cases. So
    systems that share questions are labelled on the same questions, which makes their differences more exact, and the
    first rows of the sample are a random sample too: labelling can stop anywhere. A larger ``n`` with the same seed
    contains the smaller sample. Cases that no label can be judged of are not drawn (`StudyCase.applies`, `lacks`).

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
        if any(case.applies(label) and not case.lacks(label) for label in labels):
            strata.setdefault((case.system, case.group), []).append(case)
    if not strata:
        raise InputError(
            "no answer can be labelled: none has evidence or an answer, or gold answers for correctness; evaluate "
            "other pipelines",
            code="sampling.no_answer",
        )
    if n < (least := sum(min(LEAST, len(stratum)) for stratum in strata.values())):
        raise InputError(
            f"{n} labels are too few for {len(strata)} strata of system and kind of question, as an interval needs "
            f"{LEAST} of each; draw at least {least}, better 30 of each system",
            code="sampling.too_few",
            n=n,
            strata=len(strata),
            least=least,
        )
    numbers = _quotas([len(stratum) for stratum in strata.values()], n)
    chosen = [
        case
        for stratum, number in zip(strata.values(), numbers, strict=True)
        for case in sorted(stratum, key=lambda one: _place(seed, *one.key))[:number]
    ]
    return sorted(chosen, key=lambda one: (_place(seed, *one.key), _place(seed, *one.key, one.system)))


def _quotas(sizes: Sequence[int], n: int) -> list[int]:
    """Split n in proportion to sizes (Sainte-Laguë), with at least two each if there are as many.

    One after another goes to the stratum with the most cases for each of its draws, so that no quota falls as n grows.

    >>> _quotas([38, 56, 53], 48), _quotas([38, 56, 53], 49)
    ([13, 18, 17], [13, 18, 18])
    """
    quotas = [min(size, LEAST) for size in sizes]
    for _ in range(min(n, sum(sizes)) - sum(quotas)):
        averages = [size / (2 * quota + 1) if quota < size else 0.0 for size, quota in zip(sizes, quotas, strict=True)]
        quotas[averages.index(max(averages))] += 1
    return quotas


def _place(seed: int, *parts: str) -> bytes:
    """Return a place in the queue that looks random and depends on nothing else."""
    return hashlib.sha256("\0".join([str(seed), *parts]).encode("utf-8", "backslashreplace")).digest()
