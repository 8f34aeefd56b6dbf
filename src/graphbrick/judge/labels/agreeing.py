"""Two labellers of the same answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.judge.labels.files import label_of, open_labels
from graphbrick.judge.verdicts import Label
from graphbrick.study.statistics.agreement import Agreement, cohens_kappa


@dataclass(frozen=True)
class LabelAgreement:
    """Agreement of two labellers on one label.

    Attributes:
        label: The label.
        agreement: The figures.
        apart: Ids of the answers that they labelled differently.
    """

    label: Label
    agreement: Agreement
    apart: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON types."""
        return {"label": self.label.value, **self.agreement._asdict(), "apart": list(self.apart)}


def agreements(first: Path, second: Path) -> list[LabelAgreement]:
    """Return how two files of labels agree, for each label that both have.

    Raises:
        InputError: A file cannot be read, or nothing is labelled in both.
    """
    a, b = _labels(first), _labels(second)
    agreements = []
    for label in [label for label in a if label in b]:
        both = [case for case in a[label] if case in b[label]]
        if both:
            values = [[labels[label][case] for case in both] for labels in (a, b)]
            apart = tuple(case for case, one, other in zip(both, *values, strict=True) if one != other)
            agreements.append(LabelAgreement(label, cohens_kappa(*values), apart))
    if not agreements:
        raise InputError(
            f"no answer has a label in both {first} and {second}; label the same sample twice",
            code="agreeing.nothing_in_common",
        )
    return agreements


def _labels(path: Path) -> dict[Label, dict[str, float]]:
    """Return the labels of a file by id."""
    file = open_labels(path)
    values: dict[Label, dict[str, float]] = {label: {} for label in file.labels}
    seen: dict[str, int] = {}
    for row, line in zip(file.rows, file.lines, strict=True):
        case = row["id"].strip()
        if case in seen:
            raise InputError(
                f"the case {case} is labelled on line {seen[case]} too; leave one of them out",
                path,
                line,
                code="agreeing.labelled_twice",
                first=seen[case],
            )
        seen[case] = line
        for label in file.labels:
            value = label_of(row[label], path, line, label)
            if isinstance(value, float):
                values[label][case] = value
    return values
