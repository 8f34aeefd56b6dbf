"""The frame of trainings of judges with torch: labels with enough rows, and ``judge.json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.judge.judges.classifier.logistic import Logistic
from graphbrick.judge.judges.classifier.training import LEAST, TrainedLabel, is_learnable
from graphbrick.judge.synthetic.rows import Row
from graphbrick.judge.verdicts import Label


def learnable(rows: Sequence[Row]) -> dict[Label, list[Row]]:
    """Return the rows of each label that can be learned, in the order of the rows.

    Raises:
        InputError: There are too few questions.
    """
    by_label: dict[Label, list[Row]] = {}
    for row in rows:
        by_label.setdefault(row.label, []).append(row)
    enough = {label: of_label for label, of_label in by_label.items() if is_learnable(of_label)}
    if not enough:
        raise InputError(
            f"no label has {LEAST} questions with right and wrong rows; make more data", code="judge_training.too_few"
        )
    return enough


def description(
    scales: Mapping[Label, Logistic], reports: Mapping[Label, TrainedLabel], about: Mapping[str, Any], **kind: Any
) -> dict[str, Any]:
    """Return the contents of ``judge.json``: kind, base, scaling of log odds, and reports."""
    labels = {label: {"slope": one.slope, "shift": one.shift} for label, one in scales.items()}
    told = {label: one.to_dict() for label, one in reports.items()}
    return {**kind, "labels": labels, "report": {**about, "labels": told}}
