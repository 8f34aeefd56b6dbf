"""The frame of trainings of judges with torch: the labels with enough rows, and the description of the folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.judge.judges.classifier.logistic import Logistic
from graphbrick.judge.judges.classifier.training import LEAST, TrainedLabel, is_learnable, plain
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
        raise InputError(f"no label has {LEAST} questions with right and wrong rows; make more data")
    return enough


def description(
    kind: str,
    base: str,
    scales: Mapping[Label, Logistic],
    reports: Mapping[Label, TrainedLabel],
    about: Mapping[str, Any],
    **more: Any,
) -> dict[str, Any]:
    """Return what ``judge.json`` says of a judge.

    Args:
        kind: The kind of judge.
        base: The model that was tuned.
        scales: For each label what log odds are multiplied by, and what is added, so that they fit held-out rows.
        reports: The report of each label.
        about: Facts about the data and the training.
        **more: What the kind needs.
    """
    labels = {label: {"slope": one.slope, "shift": one.shift} for label, one in scales.items()}
    return {"kind": kind, "base": base, **more, "labels": labels, "report": {**about, "labels": plain(reports)}}
