"""Number of labels that a study needs for intervals of a wished length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from graphbrick.core.errors import InputError
from graphbrick.judge.cases import StudyCase
from graphbrick.judge.labels.files import Labels
from graphbrick.judge.report.population import population_of
from graphbrick.study.statistics.label_power import Purchase, cheapest, correlation_of, labels_needed
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import RatingJudge

_NEAR_ONE = 0.999  # correlations beyond it would make predictions worth as much as labels


class Costs(NamedTuple):
    """Costs of a label and of a verdict, in one unit.

    Attributes:
        label: Cost of a label, above 0.
        verdict: Cost of a verdict, at least 0.
    """

    label: float
    verdict: float


class Wish(NamedTuple):
    """The intervals that are wished for.

    Attributes:
        width: Their length.
        level: Confidence level, in (0, 1).
        costs: Costs of labels and verdicts; None if nothing is bought.
    """

    width: float
    level: float
    costs: Costs | None


@dataclass(frozen=True)
class Need:
    """The labels that one system needs.

    Attributes:
        label: The label; empty for expected figures.
        system: The system; empty for expected figures.
        cases: Number of its answers.
        labels: Number of labels so far.
        correlation: Of judge and labels.
        alone: Labels needed without a judge; None if labels of all answers do not suffice.
        judged: Labels needed with the judge; None if labels of all answers do not suffice.
        purchase: The cheapest mixture of labels and verdicts; None without costs.
    """

    label: str
    system: str
    cases: int
    labels: int
    correlation: float
    alone: int | None
    judged: int | None
    purchase: Purchase | None


def expected(wish: Wish, share: float, correlation: float, cases: int) -> Need:
    """Return the need of a system of which nothing is known yet.

    Raises:
        InputError: A figure is out of its range.
    """
    if not 0 <= share <= 1:
        raise InputError(f"--share must be from 0 to 1, got {share}; try 0.5", code="buying.bad_share", share=share)
    return _need("", "", (cases, 0), share * (1 - share), correlation, None, wish)


def needs_of(
    study: Study, cases: Sequence[StudyCase], labels: Labels, judge: RatingJudge | None, wish: Wish
) -> list[Need]:
    """Return the need of each system by each label, from its labels so far.

    Raises:
        InputError: No system has two labels, or a figure is out of its range.
    """
    needs = []
    for label, values in labels.values.items():
        ratings = study.ratings(judge.id, label) if judge is not None else []
        said = {(one.run, one.question): one.probability for one in ratings}
        population = population_of([case for case in cases if case.applies(label)], label, values, said)
        for system, own in population.systems.items():
            one = population.sample(own)
            if len(one.labels) < 2:
                continue
            correlation = correlation_of(one.labels, one.predictions)
            mean = (one.labels.sum() + 1) / (len(one.labels) + 2)  # never quite 0 or 1
            spread = float(np.concatenate([one.predictions, one.others]).std())
            sizes = (one.size, len(one.labels))
            needs.append(_need(label.value, system, sizes, mean * (1 - mean), correlation, spread, wish))
    if not needs:
        raise InputError(
            "no system has two labels yet; label some answers first, or ask without a study", code="buying.no_labels"
        )
    return needs


def _need(
    label: str,
    system: str,
    sizes: tuple[int, int],
    variance: float,
    correlation: float,
    spread: float | None,
    wish: Wish,
) -> Need:
    (cases, labels), (width, level, costs) = sizes, wish
    try:
        alone = labels_needed(width, variance=variance, correlation=0.0, cases=cases, level=level)
        judged = labels_needed(
            width, variance=variance, correlation=correlation, cases=cases, spread=spread, level=level
        )
        purchase = None
        if costs is not None and alone is not None:
            useful = min(_NEAR_ONE, max(0.0, correlation))
            purchase = cheapest(useful, alone, label=costs.label, prediction=costs.verdict, cases=cases)
    except ValueError as error:
        raise InputError(str(error), code="buying.bad_figure") from error
    return Need(label, system, cases, labels, correlation, alone, judged, purchase)
