"""Means over all questions, and over the questions that the graph can answer.

Every scored question counts: if a pipeline failed, found nothing or was cut off, its value is 0. None marks a question
that could not be scored, for example because it has no gold answers. Such questions are left out of both means, and
their number is reported.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from graphbrick.study.statistics.intervals import Interval, interval


class Summary(NamedTuple):
    """The means of a measure over a set of questions.

    Attributes:
        all: Mean over all scored questions; None if there are none.
        answerable: Mean over the scored questions that the graph can answer; None if there are none.
        questions: Number of questions.
        unscored: Number of questions that could not be scored.
    """

    all: Interval | None
    answerable: Interval | None
    questions: int
    unscored: int

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain JSON types."""
        parts = {"all": self.all, "answerable": self.answerable}
        return {"unscored": self.unscored} | {
            name: None if part is None else part._asdict() for name, part in parts.items()
        }


def summarize(
    values: Sequence[float | None],
    answerable: Sequence[bool],
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Summary:
    """Return the means over all and over answerable questions, with intervals and counts.

    Args:
        values: One number a question, None for what could not be scored.
        answerable: For each question, whether the graph can answer it: as a rule, whether at least one gold answer is
            in it and can be reached from a seed.
        level: Level of the intervals (`graphbrick.study.statistics.intervals.interval`), in (0, 1).
        resamples: For the bootstrap, at least 100.
        seed: For the bootstrap.

    Raises:
        ValueError: There are not as many values as questions, a value is not finite, or a parameter is out of range.

    Example:
        >>> summary = summarize([1, 0, 0, None], [True, True, False, True])
        >>> summary.answerable.mean, summary.answerable.n, summary.all.n, summary.unscored
        (0.5, 2, 3, 1)
    """
    if len(values) != len(answerable):
        raise ValueError(f"each question needs a value and whether it is answerable, {_unequal(values, answerable)}")
    scored = [(value, can) for value, can in zip(values, answerable, strict=True) if value is not None]

    def mean(part: list[float]) -> Interval | None:
        return interval(part, level=level, resamples=resamples, seed=seed) if part else None

    return Summary(
        mean([value for value, _ in scored]),
        mean([value for value, can in scored if can]),
        len(values),
        len(values) - len(scored),
    )


def summarize_by(
    strata: Sequence[Hashable],
    values: Sequence[float | None],
    answerable: Sequence[bool],
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> dict[Any, Summary]:
    """Summarize each stratum, such as each number of hops, each data set, or each pair of both.

    Args:
        strata: The stratum of each question: a number, a text, None for not known, or a tuple of these.
        values: As for `summarize`.
        answerable: As for `summarize`.
        level: As for `summarize`.
        resamples: As for `summarize`.
        seed: As for `summarize`.

    Returns:
        By stratum: numbers first, then texts, None last; tuples likewise, part by part.

    Raises:
        ValueError: As for `summarize`, or there are not as many strata as values.

    Example:
        >>> found = summarize_by([2, 1, 1, None], [0, 1, 0, 1], [True] * 4)
        >>> [(hops, summary.all.mean) for hops, summary in found.items()]
        [(1, 0.5), (2, 0.0), (None, 1.0)]
    """
    if len(strata) != len(values) or len(values) != len(answerable):
        raise ValueError(
            f"each question needs a stratum, a value and whether it is answerable, got {len(strata)} strata, "
            f"{_unequal(values, answerable)}"
        )
    places: dict[Hashable, list[int]] = {}
    for place, stratum in enumerate(strata):
        places.setdefault(stratum, []).append(place)
    return {
        stratum: summarize(
            [values[i] for i in places[stratum]],
            [answerable[i] for i in places[stratum]],
            level=level,
            resamples=resamples,
            seed=seed,
        )
        for stratum in sorted(places, key=_order)
    }


def _unequal(values: Sequence[float | None], answerable: Sequence[bool]) -> str:
    return f"got {len(values)} values and {len(answerable)} of the other"


def _order(stratum: Hashable) -> tuple[Any, ...]:
    """Return a key that sorts numbers, texts, tuples and None among each other."""
    if isinstance(stratum, tuple):
        return 2, tuple(map(_order, stratum))
    if stratum is None:
        return (3,)
    return (0, stratum) if isinstance(stratum, int | float) else (1, str(stratum))
