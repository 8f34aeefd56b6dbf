"""The true share of a label from hard verdicts, by the sensitivity and specificity of the judge."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from graphbrick.study.statistics.intervals import normal_quantile
from graphbrick.study.statistics.prediction_powered import Sample

THRESHOLD = 0.5
"""A probability of at least this is a yes."""


class TrueShare(NamedTuple):
    """The share of a label, corrected for the errors of a judge.

    Attributes:
        share: The share, from 0 to 1.
        low: Lower end of the interval.
        high: Upper end of the interval.
        yes: Share of yes among all verdicts.
        sensitivity: Share of yes among the cases that people label 1.
        specificity: Share of no among the cases that people label 0.
    """

    share: float
    low: float
    high: float
    yes: float
    sensitivity: float
    specificity: float


def rogan_gladen(cases: Sample, *, level: float = 0.95) -> TrueShare | None:
    """Return ``(yes + specificity - 1) / (sensitivity + specificity - 1)``, clipped to [0, 1].

    See Rogan and Gladen, American Journal of Epidemiology 1978; the interval is that of Lang and Reiczigel, Preventive
    Veterinary Medicine 2014, which counts the uncertainty of all three shares.

    Args:
        cases: Labels of 0 and 1, and predictions of which those of at least 0.5 are a yes.
        level: Confidence level, in (0, 1).

    Returns:
        The share; None if people labelled all cases alike, or if the judge is no better than chance, also after one
        more right and one more wrong verdict on either label, as the interval counts.

    >>> from graphbrick.study.statistics.prediction_powered import sample
    >>> found = rogan_gladen(sample([1] * 10 + [0] * 10, [1] * 9 + [0] + [1] * 2 + [0] * 8, [1] * 50 + [0] * 30))
    >>> round(found.share, 3), found.sensitivity, found.specificity
    (0.586, 0.9, 0.8)
    """
    said = cases.predictions >= THRESHOLD
    right, wrong = cases.labels == 1, cases.labels == 0
    n_right, n_wrong = int(right.sum()), int(wrong.sum())
    if not n_right or not n_wrong:
        return None
    n = cases.size
    n_yes = int(said.sum()) + int((cases.others >= THRESHOLD).sum())
    hits, passes = int(said[right].sum()), int((~said[wrong]).sum())
    sensitivity, specificity = hits / n_right, passes / n_wrong
    se, sp = (hits + 1) / (n_right + 2), (passes + 1) / (n_wrong + 2)
    better = se + sp - 1
    if sensitivity + specificity <= 1 or better <= 0:
        return None
    share = (n_yes / n + specificity - 1) / (sensitivity + specificity - 1)
    z = normal_quantile(level)
    yes = (n_yes + z * z / 2) / (n + z * z)
    centre = (yes + sp - 1) / better
    of_yes, of_se, of_sp = yes * (1 - yes) / (n + z * z), se * (1 - se) / (n_right + 2), sp * (1 - sp) / (n_wrong + 2)
    shift = 2 * z * z * (centre * of_se - (1 - centre) * of_sp)
    reach = z * sqrt(of_yes + centre**2 * of_se + (1 - centre) ** 2 * of_sp) / better
    low, high = (min(1.0, max(0.0, centre + shift + side * reach)) for side in (-1, 1))
    return TrueShare(min(1.0, max(0.0, share)), low, high, n_yes / n, sensitivity, specificity)
