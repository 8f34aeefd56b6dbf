"""Training of the judge without torch, with figures on rows that it did not learn from."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.judge.judges.classifier.features import Features, names_of, rarity, signs_of
from graphbrick.judge.judges.classifier.logistic import Logistic, balanced, fit, platt
from graphbrick.judge.judges.parts import Floats, Reader
from graphbrick.judge.synthetic.negatives import EASY
from graphbrick.judge.synthetic.rows import OWN, Row
from graphbrick.judge.verdicts import Label
from graphbrick.learn.train.frame import Report
from graphbrick.study.metrics.confidence import calibration_error
from graphbrick.study.statistics.agreement import auc

FOLDS = 5
PENALTIES = (1e-3, 1e-2, 1e-1, 1.0)
LEAST = 20
"""Questions below which a label is not learned."""

_BETTER = 0.01  # of the area under the curve: less is no gain over a single number
_TOGETHER = 200  # cases whose numbers are made before progress is reported


@dataclass(frozen=True, slots=True)
class TrainedLabel(Report):
    """Base class of the reports on one label of a judge, by questions that it did not learn from.

    Attributes:
        rows: Number of rows.
        questions: Number of groups of rows, which are never split.
    """

    rows: int
    questions: int


@dataclass(frozen=True, slots=True)
class ClassifierReport(TrainedLabel):
    """Figures of a classifier by cross-validation over fifths of the questions.

    Attributes:
        penalty: The penalty on weights that was chosen.
        auc: Area under the ROC curve over all rows; the interval counts rows as if they were independent.
        low: Lower end of its interval.
        high: Upper end of its interval.
        by_kind: The area for right rows against each kind of negative.
        alone: The area of each number by itself, as it is or reversed, whichever is better.
        calibration: Expected calibration error, with both classes counted as much.
        weights: The weight of each standardised number.
    """

    penalty: float
    auc: float
    low: float
    high: float
    by_kind: dict[str, float]
    alone: dict[str, float]
    calibration: float
    weights: dict[str, float]

    def lines(self) -> list[str]:
        """Return what to tell the user."""
        lines = [f"AUC {self.auc:.3f} on held-out questions ({self.questions:,} questions, {self.rows:,} rows)"]
        for kind, area in self.by_kind.items():
            lines.append(f"  against {kind}: {area:.3f}{' (easy)' if kind in EASY else ''}")
        best, area = max(self.alone.items(), key=lambda entry: entry[1])
        if self.auc < area + _BETTER:
            return [*lines, f"  no better than {best} alone, {area:.3f}: more or harder examples may help"]
        return [*lines, f"  best single number: {best}, {area:.3f}"]


@dataclass(frozen=True)
class Trained:
    """A judge that was trained.

    Attributes:
        models: The logistic model of each label.
        rarity: Inverse document frequencies of words.
        reports: How each label did.
        left_out: Labels that were not learned, and why.
    """

    models: dict[Label, Logistic]
    rarity: dict[str, float]
    reports: dict[Label, ClassifierReport]
    left_out: dict[str, str]

    def report(self) -> dict[str, object]:
        """Return the figures as plain JSON types."""
        return {"labels": {label: one.to_dict() for label, one in self.reports.items()}, "left out": self.left_out}


def is_learnable(rows: Sequence[Row]) -> bool:
    """Return whether the rows of a label are enough to learn from."""
    return len({row.group for row in rows}) >= LEAST and len({row.value for row in rows}) == 2


def area_of(values: Floats, scores: Floats) -> float:
    """Return the area under the ROC curve; 1/2 if all values are the same."""
    area = auc(values, scores)
    return 0.5 if area is None else area.value


def train_classifier(
    rows: Sequence[Row],
    reader: Reader,
    *,
    seed: int = 0,
    progress: Progress = silent,
) -> Trained:
    """Train a judge on the rows of a data set, a logistic model for each of their labels.

    The penalty is the highest that does as well as any on held-out questions, in five folds: with it, a judge
    does better on passages of another kind than those it learned from. The model learns from all rows; its
    probabilities are calibrated on those that models of the other folds gave to held-out rows. Right and wrong rows
    count as much, so that a probability of 1/2 is even odds, whatever the share of negatives in the data.

    Args:
        rows: The rows.
        reader: Compares texts.
        seed: Seed of the folds.
        progress: Told the step, the number done and the total.

    Raises:
        InputError: No label has enough rows.
    """
    known = rarity({text for row in rows for text in row.case.evidence})
    features = Features(reader, known)
    models, reports, left_out = dict[Label, Logistic](), dict[Label, ClassifierReport](), dict[str, str]()
    for label in Label:
        chosen = [row for row in rows if row.label is label]
        if not chosen:
            continue
        if not names_of(label):
            left_out[label] = "cannot be learned"
        elif not is_learnable(chosen):
            n = len({row.group for row in chosen})
            left_out[label] = f"{n} questions with labels {sorted({row.value for row in chosen})} are too few"
        else:
            x = _numbers(features, label, chosen, progress)
            models[label], reports[label] = fit_label(label, chosen, x, seed)
    if not models:
        reasons = "; ".join(f"{label}: {reason}" for label, reason in left_out.items()) or "there are no rows"
        raise InputError(
            f"no label can be learned ({reasons}); {LEAST} questions with right and wrong rows are needed",
            code="classifier.no_label",
            left_out=left_out,
        )
    return Trained(models, known, reports, left_out)


def _numbers(features: Features, label: Label, rows: Sequence[Row], progress: Progress) -> Floats:
    parts = []
    for start in range(0, len(rows), _TOGETHER):
        parts.append(features.of(label, [row.case for row in rows[start : start + _TOGETHER]]))
        progress(f"{label.replace('_', ' ')}: rows read", min(start + _TOGETHER, len(rows)), len(rows))
    return np.concatenate(parts)


def fit_label(label: Label, rows: Sequence[Row], x: Floats, seed: int) -> tuple[Logistic, ClassifierReport]:
    """Return the model of a label and how it did on held-out rows.

    Args:
        label: The label.
        rows: Its rows.
        x: Their numbers, float64 [rows, numbers].
        seed: Seed of the folds.
    """
    y = np.array([row.value for row in rows], dtype=np.float64)
    fold = folds([row.group for row in rows], seed)
    signs = signs_of(label)
    held = {penalty: _held_out(x, y, fold, penalty, signs) for penalty in PENALTIES}
    penalty = _penalty({one: _losses(logits, y) for one, logits in held.items()})
    logits = held[penalty]
    calibrated = platt(logits, y)
    model = fit(x, y, penalty=penalty, signs=signs)
    model = Logistic(model.mean, model.scale, model.weights, model.bias, calibrated.slope, calibrated.shift)
    probabilities = calibrated.probabilities(logits[:, None])
    return model, _report(label, rows, x, y, logits, probabilities, penalty, model)


def folds(groups: Sequence[str], seed: int) -> Floats:
    """Return the fold of each row, from 0; rows of one group are in one fold."""
    order = sorted(set(groups), key=lambda group: hashlib.sha256(f"{seed} {group}".encode()).digest())
    place = {group: i % FOLDS for i, group in enumerate(order)}
    return np.array([place[group] for group in groups], dtype=np.float64)


def _held_out(x: Floats, y: Floats, fold: Floats, penalty: float, signs: Floats) -> Floats:
    """Return the log odds of each row by a model that did not learn from its fold."""
    logits = np.zeros(len(y))
    for number in range(FOLDS):
        out = fold == number
        if out.any() and len(np.unique(y[~out])) == 2:
            logits[out] = fit(x[~out], y[~out], penalty=penalty, signs=signs).logits(x[out])
    return logits


def _losses(logits: Floats, y: Floats) -> Floats:
    """Return the balanced log loss of each row."""
    losses: Floats = balanced(y) * (np.logaddexp(0, logits) - y * logits)
    return losses


def _penalty(losses: Mapping[float, Floats]) -> float:
    """Return the highest penalty within one standard error of the best."""
    best = min(losses, key=lambda one: losses[one].mean())

    def is_as_good(penalty: float) -> bool:
        worse = losses[penalty] - losses[best]
        return bool(worse.mean() <= worse.std() / np.sqrt(len(worse)))

    return max(filter(is_as_good, losses))


def _report(
    label: Label, rows: Sequence[Row], x: Floats, y: Floats, logits: Floats, probabilities: Floats, penalty: float,
    model: Logistic,
) -> ClassifierReport:  # fmt: skip
    right = y > 0
    kinds = dict.fromkeys(row.kind for row in rows if row.kind != OWN)
    by_kind: dict[str, float] = {}
    for kind in kinds:
        chosen = right | np.array([row.kind == kind for row in rows])
        area = auc(y[chosen], logits[chosen])
        if area is not None:
            by_kind[kind] = area.value
    area = auc(y, logits)
    assert area is not None, "both classes occur"
    areas = {name: area_of(y, column) for name, column in zip(names_of(label), x.T, strict=True)}
    alone = {name: max(value, 1 - value) for name, value in areas.items()}
    return ClassifierReport(
        rows=len(rows),
        questions=len({row.group for row in rows}),
        penalty=penalty,
        auc=area.value,
        low=area.low,
        high=area.high,
        by_kind=by_kind,
        alone=alone,
        calibration=_balanced_error(probabilities, y),
        weights=dict(zip(names_of(label), model.weights.tolist(), strict=True)),
    )


def _balanced_error(probabilities: Floats, y: Floats) -> float:
    """Return the calibration error with as many wrong rows as right ones, drawn with a fixed seed."""
    rng = random.Random(0)
    classes: Mapping[int, list[int]] = {value: np.flatnonzero(y == value).tolist() for value in (0, 1)}
    n = min(len(places) for places in classes.values())
    chosen = sorted(place for places in classes.values() for place in rng.sample(places, n))
    return calibration_error(probabilities[chosen].tolist(), y[chosen].tolist())
