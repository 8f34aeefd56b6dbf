"""Check of judges on labelled rows, side by side with judges that learn nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.core.errors import InputError, ModelError
from graphbrick.core.trace import event
from graphbrick.judge.judges.baselines import CosineJudge, LengthJudge, RerankerJudge, WordsJudge
from graphbrick.judge.report.quality import order_warning
from graphbrick.judge.synthetic.rows import Row
from graphbrick.judge.verdicts import Judge, Label
from graphbrick.study.metrics.confidence import calibration_error
from graphbrick.study.statistics.agreement import Agreement, Auc, auc, cohens_kappa
from graphbrick.study.statistics.auc_gain import auc_gain
from graphbrick.study.statistics.label_power import correlation_of

LENGTH = "length"
_BINS = 5
_HALF = 0.5
_TOGETHER = 32  # rows between two looks at how far it is, for judges that read many at once
_LEAST = 2  # rows with each label that areas can be compared on
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Checked:
    """One judge on the rows of one label, those whose verdict could be read.

    Attributes:
        judge: Its name.
        label: The label.
        rows: Number of rows.
        failed: Number of them without a readable verdict.
        holds: Share of the rows whose label holds.
        says: Mean probability that the judge gives.
        auc: Area under the ROC curve. Of length, in the direction that is better on these rows. None if all of them
            have the same label.
        correlation: Pearson's correlation of probability and label.
        agreement: Of yes (at least 1/2) and no with the labels.
        error: Expected calibration error over five bins.
    """

    judge: str
    label: Label
    rows: int
    failed: int
    holds: float
    says: float
    auc: Auc | None
    correlation: float
    agreement: Agreement
    error: float


@dataclass(frozen=True)
class Check:
    """A judge beside the baselines.

    Attributes:
        rows: The judge first, then the baselines, for each label.
        remarks: What to think of it, in sentences.
    """

    rows: tuple[Checked, ...]
    remarks: tuple[str, ...]


def check_judge(
    name: str,
    judge: Judge,
    rows: Sequence[Row],
    *,
    models: bool = True,
    progress: Progress = silent,
) -> Check:
    """Compare a judge on labelled rows with length, shared words, cosine and the small re-ranker.

    Args:
        name: What the judge is called.
        judge: The judge.
        rows: The labelled rows. Labels that the judge does not judge, and those with fewer than two right or two wrong
            rows, are left out with a remark.
        models: Whether the baselines that need models are there, too. A re-ranker that was not fetched is an event.
        progress: Called with the label and who judges by it, the number of verdicts, and the number of rows.

    Raises:
        InputError: The judge judges none of the labels, or nearly all rows of each have the same label.
    """
    checks, remarks = list[Checked](), list[str]()
    for label in Label:
        chosen = [row for row in rows if row.label is label]
        y = np.array([row.value for row in chosen], dtype=np.float64)
        if label not in judge.labels or min(y.sum(), (1 - y).sum()) < _LEAST:
            if chosen:
                remarks.append(_left_out(name, judge, label, y))
            continue
        said = {name: _said(judge, label, chosen, part_of(progress, f"{label} by {name}"))}
        for other, baseline in _baselines(models).items():
            try:
                said[other] = _said(baseline, label, chosen, part_of(progress, f"{label} by {other}"))
            except ModelError as error:
                event(f"{other} is left out: {error}", "checking.left_out", judge=other)
        said[LENGTH] = _better_way(y, said[LENGTH])
        if np.isnan(said[name]).all():
            raise InputError(
                f"{name} gave no verdict on {label} that could be read; look at its reasons",
                code="checking.no_verdict",
                judge=name,
                label=label,
            )
        checks += [_checked(one, label, y, values) for one, values in said.items()]
        remarks += remarks_on(name, label, y, said)
    if not checks:
        judged = ", ".join(sorted(judge.labels))
        raise InputError(
            f"{name} judges {judged}; the rows have no label of these with {_LEAST} right and {_LEAST} wrong ones",
            code="checking.no_label",
            judge=name,
            labels=sorted(judge.labels),
        )
    return Check(tuple(checks), tuple(remarks))


def remarks_on(name: str, label: Label, y: Floats, said: Mapping[str, Floats]) -> list[str]:
    """Return what to think of a judge, in sentences.

    Args:
        name: The judge.
        label: What is judged.
        y: The labels.
        said: The probabilities of the judge and of the baselines, NaN where there is none.
    """
    readable = ~np.isnan(said[name])
    y, mine = y[readable], said[name][readable]
    area = auc(y, mine)
    if area is None or min(y.sum(), (1 - y).sum()) < _LEAST:
        return [f"on {label}, nearly all labels with a readable verdict are the same, so that nobody can say more"]
    remarks = [text] if (text := order_warning(area, name, label)) else []
    areas = {other: auc(y, values[readable]) for other, values in said.items() if other != name}
    best, other = max(((one, value) for one, value in areas.items() if value), key=lambda pair: pair[1].value)
    gain = auc_gain(y, mine, said[best][readable])
    by = f"{gain.value:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]"
    if gain.low > 0:
        remarks.append(f"on {label}, {name} is better than {best}, the best baseline, by {by} AUC")
    elif gain.value > 0:
        remarks.append(f"on {label}, {name} is not certainly better than {best}, AUC {other.value:.3f}: {by}")
    else:
        remarks.append(f"on {label}, {name} is no better than {best}, AUC {other.value:.3f}; do not use it")
    if not readable.all():
        remarks.append(f"on {label}, {(~readable).mean():.1%} of the verdicts could not be read and do not count here")
    off = float(mine.mean() - y.mean())
    if abs(off) > 0.1:
        more = "more" if off > 0 else "less"
        remarks.append(
            f"on {label}, {name} says yes {more} often than people ({mine.mean():.2f} to {y.mean():.2f}): use its "
            "scores only with a correction by labels (prediction-powered inference)"
        )
    return remarks


def _left_out(name: str, judge: Judge, label: Label, y: Floats) -> str:
    """Return why nothing is said of a label."""
    if label not in judge.labels:
        return f"{name} does not judge {label}: {len(y):,} rows are left out"
    right = int(y.sum())
    return (
        f"of the {len(y):,} rows on {label}, {right:,} hold: they are left out, as an area needs {_LEAST} that hold "
        f"and {_LEAST} that do not"
    )


def _baselines(models: bool) -> dict[str, Judge]:
    plain: dict[str, Judge] = {LENGTH: LengthJudge(), "words": WordsJudge()}
    return {**plain, "cosine": CosineJudge(), "re-ranker": RerankerJudge()} if models else plain


def _said(judge: Judge, label: Label, rows: Sequence[Row], progress: Progress) -> Floats:
    said, done = np.full(len(rows), np.nan), 0
    for start in range(0, len(rows), _TOGETHER):
        for place, verdict in judge.rate_each(label, [row.case for row in rows[start : start + _TOGETHER]]):
            said[start + place] = np.nan if verdict.probability is None else verdict.probability
            done += 1
            progress("", done, len(rows))
    return said


def _better_way(y: Floats, said: Floats) -> Floats:
    area = auc(y, said)
    return said if area is None or area.value >= _HALF else 1 - said


def _checked(name: str, label: Label, y: Floats, said: Floats) -> Checked:
    readable = ~np.isnan(said)
    right, values = y[readable], said[readable]
    return Checked(
        judge=name,
        label=label,
        rows=len(y),
        failed=int((~readable).sum()),
        holds=float(y.mean()),
        says=float(values.mean()),
        auc=auc(right, values),
        correlation=correlation_of(right, values) if len(right) > 1 else 0.0,
        agreement=cohens_kappa(right, (values >= _HALF).astype(np.float64)),
        error=calibration_error(values.tolist(), right.tolist(), bins=_BINS),
    )
