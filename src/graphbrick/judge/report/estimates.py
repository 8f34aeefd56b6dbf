"""Share of a system's answers that a label holds for: by labels, by the judge, and by both."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from graphbrick.judge.cases import StudyCase
from graphbrick.judge.report.population import Mask, Population, strata_of
from graphbrick.study.statistics.few_labels import (
    among_known,
    difference_p_value,
    mean_difference,
    share_of,
    t_p_value,
    t_quantile,
    unpaired_difference,
)
from graphbrick.study.statistics.paired import benjamini_hochberg, holm
from graphbrick.study.statistics.prediction_powered import Estimate, Sample, remarks
from graphbrick.study.statistics.rogan_gladen import TrueShare, rogan_gladen

ALL = "all"


class Alone(NamedTuple):
    """The mean of the judge's probabilities: what it would be without labels by people.

    Attributes:
        mean: Mean of the readable verdicts, and 0 for cases that lack what the label is about.
        low: Lower end of its interval, which knows nothing of the judge's errors.
        high: Upper end of its interval.
        least: The mean if each missing verdict were 0.
        most: The mean if each missing verdict were 1.
    """

    mean: float
    low: float
    high: float
    least: float
    most: float


@dataclass(frozen=True)
class SystemRow:
    """The figures of one system, over all its questions or one kind of them.

    Attributes:
        system: The system.
        group: The kind of questions; "all" for all of them.
        cases: Number of its answers.
        labels: Number of labels.
        lacking: Number of answers without what the label is about; they count 0.
        missing: Number of answers without a readable verdict of the judge.
        classical: By labels alone; None with fewer than two labels.
        alone: By the judge alone; None without a judge or a readable verdict.
        ppi: By both with the weight 1; None without labels or a judge.
        tuned: By both with the best weight (PPI++); None without labels or a judge.
        hard: Rogan-Gladen's share by the judge's yes and no; None if it has none.
        true: The share by the labels of all cases, if labels follow from a rule; None elsewhere.
        remarks: What a reader should know.
    """

    system: str
    group: str
    cases: int
    labels: int
    lacking: int
    missing: int
    classical: Estimate | None
    alone: Alone | None
    ppi: Estimate | None
    tuned: Estimate | None
    hard: TrueShare | None
    true: float | None
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """Two systems by one label.

    Attributes:
        first: The first system.
        second: The second system.
        estimate: Share of the first minus share of the second.
        paired: Whether it rests on questions that are labelled for both.
        p: Two-sided p-value, not corrected.
        p_holm: Corrected by Holm for all differences of the label.
        p_bh: Corrected by Benjamini and Hochberg.
    """

    first: str
    second: str
    estimate: Estimate
    paired: bool
    p: float
    p_holm: float = 1.0
    p_bh: float = 1.0


def rows_of(
    population: Population, *, judged: bool, pooled: bool, level: float, true: dict[int, float] | None = None
) -> list[SystemRow]:
    """Return the figures of each system over all its questions, then over each kind if there are several.

    Args:
        population: The cases of a label.
        judged: Whether there is a judge.
        pooled: Whether the labels of all systems correct each of them.
        level: Confidence level, in (0, 1).
        true: Label of every case by its place, if labels follow from a rule.
    """
    rows = []
    groups = {ALL: np.ones(len(population.cases), dtype=np.bool_)}
    if len(population.groups) > 1:
        groups |= {name or "unknown": mask for name, mask in population.groups.items()}
    for system, own in population.systems.items():
        for group, mask in groups.items():
            if (own & mask).any():
                one = _Row(population, own & mask, judged, level, mask if pooled else None)
                rows.append(one.row(system, group, true))
    return rows


class _Row:
    """The figures of some cases of one system."""

    def __init__(self, population: Population, chosen: Mask, judged: bool, level: float, pool: Mask | None) -> None:
        self._population, self._chosen, self._judged, self._level = population, chosen, judged, level
        self._pool = pool
        self._share = float((chosen & ~population.lacking).sum() / chosen.sum())

    def row(self, system: str, group: str, true: dict[int, float] | None) -> SystemRow:
        """Return the row."""
        population, chosen = self._population, self._chosen
        rated = chosen & population.rated
        labels = int((chosen & population.labelled).sum())
        strata, joined = strata_of(population, chosen, _group)
        notes = list(remarks(strata)) if labels else ["no labels"]
        if joined and len(strata) >= 1 and labels > 1 and group == ALL:
            notes.append(f"{joined} kinds of questions have fewer than 2 labels and are taken together with others")
        missing = int((rated & np.isnan(population.said)).sum()) if self._judged else 0
        enough = labels > 1
        ppi, tuned = self._corrected(strata, enough)
        return SystemRow(
            system=system,
            group=group,
            cases=int(chosen.sum()),
            labels=labels,
            lacking=int((chosen & population.lacking).sum()),
            missing=missing,
            classical=self._scaled(share_of(strata, weight=0.0, level=self._level)) if enough else None,
            alone=self._alone(rated) if self._judged else None,
            ppi=ppi,
            tuned=tuned,
            hard=self._hard() if self._judged and enough else None,
            true=None if true is None else float(np.mean([true[int(place)] for place in np.flatnonzero(chosen)])),
            remarks=tuple(notes) if self._judged else tuple(one for one in notes if "judge" not in one),
        )

    def _corrected(self, strata: list[Sample], enough: bool) -> tuple[Estimate | None, Estimate | None]:
        """Return PPI and PPI++; with pooled labels PPI only."""
        if not self._judged:
            return None, None
        if self._pool is not None:
            return self._pooled(self._pool), None
        if not enough:
            return None, None
        ppi, tuned = share_of(strata, weight=1.0, level=self._level), share_of(strata, level=self._level)
        return self._scaled(ppi), self._scaled(tuned)

    def _pooled(self, pool: Mask) -> Estimate | None:
        """Return the mean of the judge, corrected by its mean error on the labels of all systems."""
        together = self._population.sample(pool)
        if len(together.labels) < 2:
            return None
        own = self._population.predictions[self._chosen & ~self._population.lacking]
        if not len(own):
            return None
        return self._scaled(share_of([together._replace(others=own)], weight=1.0, level=self._level))

    def _scaled(self, estimate: Estimate) -> Estimate:
        scaled = among_known(estimate, self._share, int(self._chosen.sum()), level=self._level)
        return scaled._replace(low=max(0.0, scaled.low), high=min(1.0, scaled.high))

    def _alone(self, rated: Mask) -> Alone | None:
        said = self._population.said[rated]
        read = said[~np.isnan(said)]
        gaps = len(said) - len(read)
        if not len(read):
            return None
        mean = float(read.mean())
        error = float(read.std(ddof=1)) / np.sqrt(len(read)) if len(read) > 1 else 0.0
        reach = t_quantile(self._level, len(read) - 1) * error
        ends = [float((read.sum() + gaps * value) / len(said)) for value in (0, 1)]
        figures = (mean, max(0.0, mean - reach), min(1.0, mean + reach), *ends)
        return Alone(*(self._share * figure for figure in figures))

    def _hard(self) -> TrueShare | None:
        corrected = rogan_gladen(self._population.sample(self._chosen), level=self._level)
        if corrected is None:
            return None
        return corrected._replace(
            share=self._share * corrected.share, low=self._share * corrected.low, high=self._share * corrected.high
        )


def differences_of(population: Population, *, judged: bool, level: float) -> list[Difference]:
    """Return the difference of every two systems that have labels, corrected for their number.

    Two systems are compared on the questions that both answered. If at least two of these are labelled for both, the
    differences of labels and of predictions are taken question by question, in strata of the kind of question and of
    which system lacks what the label is about; otherwise the two means are subtracted.
    """
    raw = []
    for first, second in combinations(population.systems, 2):
        paired = _paired(population, first, second, judged, level)
        one = paired or _apart(population, first, second, judged, level)
        if one is not None:
            raw.append(one)
    p = [one.p for one in raw]
    return [
        Difference(one.first, one.second, one.estimate, one.paired, one.p, by_holm, by_bh)
        for one, by_holm, by_bh in zip(raw, holm(p), benjamini_hochberg(p), strict=True)
    ]


def _paired(population: Population, first: str, second: str, judged: bool, level: float) -> Difference | None:
    """Return the difference over the questions of both systems; None if too few are labelled for both."""
    at: list[dict[tuple[str, str], int]] = [
        {population.cases[place].key: int(place) for place in np.flatnonzero(population.systems[name])}
        for name in (first, second)
    ]
    lacking, known = population.lacking, population.labelled | population.lacking
    labels = np.where(lacking, 0.0, population.labels)
    strata: dict[tuple[object, ...], list[tuple[float, float, bool]]] = {}
    for key, a in at[0].items():
        b = at[1].get(key)
        if b is not None:
            stratum = (population.cases[a].group, bool(lacking[a]), bool(lacking[b]))
            predicted = float(population.predictions[a] - population.predictions[b])
            strata.setdefault(stratum, []).append(
                (float(labels[a] - labels[b]), predicted, bool(known[a] and known[b]))
            )
    both_lack = {stratum for stratum in strata if stratum[1:] == (True, True)}
    same = sum(len(strata.pop(stratum)) for stratum in both_lack)
    samples = _joined(list(strata.values()))
    if samples is None:
        return None
    total = same + sum(one.size for one in samples)
    estimate = mean_difference(samples, weight=None if judged else 0.0, level=level)
    whole = among_known(estimate, 1 - same / total, total, level=level)
    whole = whole._replace(low=max(-1.0, whole.low), high=min(1.0, whole.high))
    return Difference(first, second, whole, True, difference_p_value(whole, samples))


def _joined(strata: list[list[tuple[float, float, bool]]]) -> list[Sample] | None:
    """Return strata of differences of two or more labels, small ones joined; None for fewer than two."""

    def labelled(stratum: list[tuple[float, float, bool]]) -> int:
        return sum(known for *_, known in stratum)

    if sum(map(labelled, strata)) < 2:
        return None
    strata = sorted(strata, key=labelled)
    while len(strata) > 1 and labelled(strata[0]) < 2:
        strata[-1] = strata[-1] + strata.pop(0)
        strata.sort(key=labelled)
    return [
        Sample(
            np.array([label for label, _, known in stratum if known]),
            np.array([predicted for _, predicted, known in stratum if known]),
            np.array([predicted for _, predicted, known in stratum if not known]),
        )
        for stratum in strata
    ]


def _apart(population: Population, first: str, second: str, judged: bool, level: float) -> Difference | None:
    """Return the difference of two means; None if one system has fewer than two labels."""
    estimates, n_strata = [], 0
    for name in (first, second):
        chosen = population.systems[name]
        strata, _ = strata_of(population, chosen, _group)
        if sum(len(one.labels) for one in strata) < 2:
            return None
        mean = mean_difference(strata, weight=None if judged else 0.0, level=level, least=0.0)
        share = float((chosen & ~population.lacking).sum() / chosen.sum())
        estimates.append(among_known(mean, share, int(chosen.sum()), level=level))
        n_strata += len(strata)
    estimate = unpaired_difference(estimates[0], estimates[1], n_strata, level=level)
    return Difference(first, second, estimate, False, t_p_value(estimate, n_strata))


def _group(case: StudyCase) -> str:
    return case.group
