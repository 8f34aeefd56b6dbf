"""Quality of a judge on the labels of people, beside the length of the text, with warnings in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from graphbrick.judge.report.estimates import ALL, SystemRow
from graphbrick.judge.report.population import Array, Population
from graphbrick.judge.verdicts import Label
from graphbrick.study.metrics.confidence import Bin, calibration_error, reliability
from graphbrick.study.statistics.agreement import Agreement, Auc, auc, cohens_kappa
from graphbrick.study.statistics.label_power import correlation_of
from graphbrick.study.statistics.prediction_powered import FEW_LABELS
from graphbrick.study.statistics.rogan_gladen import THRESHOLD
from graphbrick.study.store.encoding import plain_json

CURVE_BINS = 5
ONE_SIDED = 0.95
"""A judge that says the same of this share of cases is one-sided, if people are not."""
UNREAD = 0.05
"""A share of missing verdicts that is worth a warning."""
FOLLOWS_LENGTH = 0.5
"""A rank correlation of probability and length that is worth a warning, if the labels have less than half of it."""


class Length(NamedTuple):
    """The length of the text as a judge: the baseline.

    Attributes:
        text: Which text: "evidence" or "answer".
        longer: Whether longer texts hold more often; the better direction on these labels is taken.
        auc: Area under the ROC curve in this direction.
        follows: Rank correlation of the judge's probability with the length, over all cases; None without a judge.
        labels_follow: Rank correlation of the labels with the length.
    """

    text: str
    longer: bool
    auc: Auc
    follows: float | None
    labels_follow: float


@dataclass(frozen=True)
class Quality:
    """Figures of a judge on the labelled cases with a readable verdict.

    Attributes:
        labels: Number of labels.
        compared: Number of them with a readable verdict.
        rated: Number of cases that the judge was asked about.
        missing: Number of these without a readable verdict.
        says_yes: Share of verdicts of at least 0.5.
        holds: Share of labels that are 1.
        auc: Area under the ROC curve; None if all labels are the same.
        correlation: Pearson's correlation of probability and label; it decides what the judge is worth to PPI++.
        agreement: Agreement of yes and no with the labels.
        error: Expected calibration error.
        curve: The calibration curve.
        length: The baseline; None if all labels are the same.
    """

    labels: int
    compared: int
    rated: int
    missing: int
    says_yes: float
    holds: float
    auc: Auc | None
    correlation: float
    agreement: Agreement | None
    error: float | None
    curve: tuple[Bin, ...]
    length: Length | None

    @property
    def missing_share(self) -> float:
        """Share of cases without a readable verdict."""
        return self.missing / self.rated if self.rated else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON types."""
        return {**plain_json(self), "missing_share": self.missing_share}


def quality_of(population: Population, *, judged: bool) -> Quality:
    """Return how a judge does on the labels of all systems together."""
    labelled, rated = population.labelled, population.rated
    readable = ~np.isnan(population.said)
    both = labelled & readable
    y, f = population.labels[both], population.said[both]
    spoken = population.said[rated & readable]
    enough = judged and len(y) > 1
    return Quality(
        labels=int(labelled.sum()),
        compared=int(both.sum()),
        rated=int(rated.sum()) if judged else 0,
        missing=int((rated & ~readable).sum()) if judged else 0,
        says_yes=float((spoken >= THRESHOLD).mean()) if len(spoken) else 0.0,
        holds=float(population.labels[labelled].mean()) if labelled.any() else 0.0,
        auc=auc(y, f) if enough else None,
        correlation=correlation_of(y, f) if enough else 0.0,
        agreement=cohens_kappa(y, (f >= THRESHOLD).astype(np.float64)) if enough else None,
        error=calibration_error(f.tolist(), y.tolist(), bins=CURVE_BINS) if enough else None,
        curve=tuple(one for one in reliability(f.tolist(), y.tolist(), bins=CURVE_BINS) if one.n) if enough else (),
        length=_length(population, judged=judged),
    )


def warnings_of(quality: Quality, rows: Sequence[SystemRow], label: Label) -> list[str]:
    """Return sentences that say where a judge adds nothing or misleads; none if nowhere."""
    warnings = [text for text in (_one_sided(quality), _order(quality, label), _by_length(quality, label)) if text]
    if quality.missing_share >= UNREAD:
        warnings.append(
            f"{quality.missing:,} of {quality.rated:,} verdicts ({quality.missing_share:.0%}) are missing: the judge "
            "failed or could not be read. They count neither as yes nor as no, and make intervals wider; --retry asks "
            "again"
        )
    if 0 < quality.labels < FEW_LABELS:
        warnings.append(f"there are only {quality.labels} labels; label at least {FEW_LABELS} of each system")
    gain = gain_of(rows)
    if quality.compared > 1 and gain is not None and gain < 1.05:
        warnings.append(
            "the judge adds nothing: the intervals with it are as wide as those of the labels alone; trust the labels, "
            "and take another judge or more labels"
        )
    return warnings


def gain_of(rows: Sequence[SystemRow]) -> float | None:
    """Return how many labels alone a label beside the judge is worth, the mean over systems; or None."""
    gains = [
        (row.classical.error / row.tuned.error) ** 2
        for row in rows
        if row.group == ALL and row.classical is not None and row.tuned is not None and row.tuned.error > 0
    ]
    return float(np.mean(gains)) if gains else None


def _one_sided(quality: Quality) -> str:
    """Return a warning if the judge says the same of nearly all cases and people do not."""
    if quality.compared < 2:
        return ""
    for word, share, others in (
        ("yes", quality.says_yes, 1 - quality.holds),
        ("no", 1 - quality.says_yes, quality.holds),
    ):
        if share >= ONE_SIDED and others > 2 * (1 - share) and others >= UNREAD:
            useful = quality.auc is not None and quality.auc.low > 0.5
            rest = (
                "; its probabilities still tell cases apart, so that it helps after correction"
                if useful
                else ", so that it tells little"
            )
            people = f"{1 - others:.0%}"
            always = "always says" if share >= 0.995 else "nearly always says"
            return f"the judge {always} {word}: of {share:.0%} of the cases, and the labels of {people}{rest}"
    return ""


def _order(quality: Quality, label: Label) -> str:
    """Return the warning of `order_warning`, or one that all labels are the same."""
    if quality.auc is not None:
        return order_warning(quality.auc, "the judge", label)
    same = quality.compared > 1 and quality.holds in (0.0, 1.0)
    return "all labels are the same, so that nobody can say what the judge is worth; label more cases" if same else ""


def order_warning(area: Auc, judge: str, label: Label) -> str:
    """Return a warning if a judge ranks cases no better than chance, or wrongly; else empty.

    Args:
        area: Its area under the ROC curve.
        judge: What it is called.
        label: What is judged.

    >>> order_warning(Auc(0.1, 0.02, 0.33), "mine", Label.CORRECTNESS)
    'mine is wrong more often than chance about correctness (AUC 0.10, 95 % interval 0.02 to 0.33): it says the ...'
    """
    shown = f"AUC {area.value:.2f}, 95 % interval {area.low:.2f} to {area.high:.2f}"
    if area.high < 0.5:
        return f"{judge} is wrong more often than chance about {label.value} ({shown}): it says the opposite of people"
    return f"{judge} cannot be told from chance on {label.value} ({shown})" if area.low <= 0.5 else ""


def _by_length(quality: Quality, label: Label) -> str:
    """Return a warning if the judge follows the length of a text, or is no better than it."""
    length = quality.length
    if length is None or length.follows is None:
        return ""
    follows, labels = length.follows, length.labels_follow
    if abs(follows) >= FOLLOWS_LENGTH and abs(labels) < abs(follows) / 2:
        kind = "long" if follows > 0 else "short"
        return (
            f"the judge prefers {kind} {_plural(length.text)}: its probabilities follow the length (rank correlation "
            f"{follows:+.2f}), the labels do not ({labels:+.2f})"
        )
    if quality.auc is not None and quality.auc.value <= length.auc.value:
        kind = "longer" if length.longer else "shorter"
        return (
            f"the judge (AUC {quality.auc.value:.2f}) is no better than the length of the {length.text} (AUC "
            f"{length.auc.value:.2f}, {kind} is better) on {label.value}"
        )
    return ""


def _plural(text: str) -> str:
    return "answers" if text == "answer" else "texts of evidence"


def _length(population: Population, *, judged: bool) -> Length | None:
    """Return the length of the judged text as a baseline; None if all labels are the same."""
    text = "evidence" if population.label is Label.CONTEXT_RELEVANCE else "answer"
    lengths = np.array([len(getattr(case, f"{text}_text")) for case in population.cases], dtype=np.float64)
    labelled = population.labelled
    area = auc(population.labels[labelled], lengths[labelled]) if labelled.any() else None
    if area is None:
        return None
    longer = area.value >= 0.5
    if not longer:
        area = Auc(1 - area.value, 1 - area.high, 1 - area.low)
    readable = population.rated & ~np.isnan(population.said)
    follows = rank_correlation(population.said[readable], lengths[readable]) if judged and readable.sum() > 1 else None
    return Length(text, longer, area, follows, rank_correlation(population.labels[labelled], lengths[labelled]))


def rank_correlation(first: Array, second: Array) -> float:
    """Return Spearman's rank correlation, with ties; 0 if one of them does not vary.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 15.0]))
    0.5
    """
    if len(first) < 2:
        return 0.0
    return correlation_of(_ranks(first), _ranks(second))


def _ranks(values: Array) -> Array:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Array = (ends - (counts - 1) / 2)[place]
    return ranks
