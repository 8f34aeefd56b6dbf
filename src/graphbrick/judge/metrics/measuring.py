"""Metrics of many cases: values kept at once, means with intervals, rates of what is missing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, silent
from graphbrick.core.trace import Trace, record
from graphbrick.judge.kept_lines import KeptLines, digest_of
from graphbrick.judge.metrics.cases import SystemCase, by_system
from graphbrick.judge.metrics.metric_judge import NEEDS_EMBEDDER, CaseValues, Metric, MetricJudge, MetricValue
from graphbrick.judge.resuming import DONE, Pending
from graphbrick.judge.verdicts import Case
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.llm.conversations import Usage
from graphbrick.models.llm.messages import Request
from graphbrick.models.llm.naming import name_of
from graphbrick.study.statistics.intervals import Interval, interval
from graphbrick.study.store.encoding import plain_json


class MetricSummary(NamedTuple):
    """A metric over the cases of one system.

    Attributes:
        system: The system.
        metric: The metric.
        mean: Mean over the cases that have a value, with its 95 % interval; None if none has.
        cases: Number of cases.
        unreadable: Number of cases whose value could not be read.
        without: Number of cases that the metric is not defined for, by the reason, such as "no answer".
        example: Why the first of the unreadable ones could not be read; empty if there is none.
    """

    system: str
    metric: Metric
    mean: Interval | None
    cases: int
    unreadable: int
    without: dict[str, int]
    example: str


@dataclass
class MetricStudy:
    """Values of metrics of many cases.

    Attributes:
        judge: The judge.
        cases: The cases.
        values: The values of each case.
        usage: What the model was asked now; what was kept costs nothing.
    """

    judge: MetricJudge
    cases: Sequence[SystemCase]
    values: list[CaseValues]
    usage: Usage

    def summaries(self) -> list[MetricSummary]:
        """Return the means by metric and system, both in their order of first appearance."""
        systems = by_system(self.cases, self.values)
        return [
            _summary(system, metric, [one[metric] for one in values])
            for metric in self.judge.metrics
            for system, values in systems.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return means and values as plain JSON types."""
        values = [
            {"system": one.system, "id": one.id, "values": plain_json(row)}
            for one, row in zip(self.cases, self.values, strict=True)
        ]
        rows = plain_json(self.summaries())
        return {"judge": name_of(self.judge.llm), "metrics": rows, "usage": self.usage.to_dict(), "cases": values}


def _summary(system: str, metric: Metric, values: Sequence[MetricValue]) -> MetricSummary:
    numbers = [one.value for one in values if one.value is not None]
    unread = [one.reason for one in values if one.unreadable]
    without = Counter(one.reason for one in values if one.value is None and not one.unreadable)
    mean = interval(numbers) if numbers else None
    return MetricSummary(
        system, metric, mean, len(values), len(unread), dict(sorted(without.items())), next(iter(unread), "")
    )


def measure_cases(
    cases: Sequence[SystemCase],
    judge: MetricJudge,
    file: Path,
    *,
    retry: bool = False,
    progress: Progress = silent,
) -> MetricStudy:
    """Compute metrics of cases; a file keeps the values, so that the same call goes on.

    Equal cases are computed once.

    Args:
        cases: The cases.
        judge: The judge, with its metrics.
        file: Where values are kept (`KeptLines`).
        retry: Ask again for values that could not be read, even if replies are recorded.
        progress: Called with the number of different cases that are done, and of all.

    Raises:
        InputError: The file is damaged.
        ModelError: The model cannot be asked.
        StoppedError: The budget is used up.
    """
    lines, usage = KeptLines(file), Usage()
    lacking = _lacking(lines, judge, cases, unread=retry)
    groups: dict[tuple[Metric, ...], list[Case]] = {}
    for case, metrics in lacking.items():
        if metrics:
            groups.setdefault(metrics, []).append(case)
    if judge.embedder is not None and any(NEEDS_EMBEDDER & set(metrics) for metrics in groups):
        judge.embedder.embed(["once"])  # fails before anything is paid for, if it does

    def measured() -> Iterator[tuple[int, CaseValues]]:
        start = 0
        for metrics, group in groups.items():
            for place, values in replace(judge, metrics=metrics).measure(group, usage):
                yield start + place, values
            start += len(group)

    pending = Pending[Case, CaseValues](
        lambda case, values: lines.keep({_key(judge, case, metric): value for metric, value in values.items()}),
        chain.from_iterable(groups.values()),
        total=len(lacking),
        says=DONE.format("cases"),
    )
    progress("", pending.done, len(lacking))
    with record(Trace(), "judging", "judge") as entry:
        pending.ask(measured(), retry=retry, progress=progress)
    usage.events.update(entry.events)
    return MetricStudy(judge, cases, [_kept(lines, judge, one.case) for one in cases], usage)


def _key(judge: MetricJudge, case: Case, metric: Metric) -> tuple[str, str, str]:
    return judge.identity(metric), digest_of(case), metric.value


def _kept(lines: KeptLines, judge: MetricJudge, case: Case) -> CaseValues:
    """Return the values of a case that a file has."""
    stored = ((metric, lines.find(*_key(judge, case, metric))) for metric in judge.metrics)
    return {metric: MetricValue(*value) for metric, value in stored if value is not None}


def _lacking(
    lines: KeptLines, judge: MetricJudge, cases: Iterable[SystemCase], *, unread: bool = False
) -> dict[Case, tuple[Metric, ...]]:
    """Return the metrics of each case without a value; with ``unread`` also unreadable ones."""
    known = {case: _kept(lines, judge, case) for case in dict.fromkeys(one.case for one in cases)}
    return {
        case: tuple(one for one in judge.metrics if one not in values or (unread and values[one].unreadable))
        for case, values in known.items()
    }


class Plan(NamedTuple):
    """Estimate of the cost of metrics.

    Attributes:
        calls: Number of calls, about.
        tokens_in: Tokens read, about.
        tokens_out: Tokens written, about.
        cost: US dollars, about; None if no price is known.
        kept: Number of different cases whose values are kept already.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    kept: int


def plan_metrics(cases: Sequence[SystemCase], judge: MetricJudge, file: Path) -> Plan:
    """Return the cost of `measure_cases`, without a call, at four statements or names a reply.

    Args:
        cases: The cases.
        judge: The judge.
        file: Where values are kept.
    """
    llm = judge.llm
    calls = tokens_in = tokens_out = kept = 0
    for case, missing in _lacking(KeptLines(file), judge, cases).items():
        kept += not missing
        for request, reply in (
            _imagined(replace(judge, metrics=missing, embedder=_NoEmbedder()), case) if missing else ()
        ):
            calls += 1
            tokens_in += llm.tokens(request.messages)
            tokens_out += llm.tokens([{"role": "assistant", "content": reply}])
    price = llm.price()
    return Plan(calls, tokens_in, tokens_out, None if price is None else price.cost(tokens_in, tokens_out), kept)


@dataclass(frozen=True, repr=False)
class _NoEmbedder(Embedder):
    """Stands for an embedder where nothing is compared."""

    @property
    def identity(self) -> str:
        return "none"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the same vector for every text."""
        return np.ones((len(texts), 1), dtype=np.float32)


def _imagined(judge: MetricJudge, case: Case) -> Iterator[tuple[Request, str]]:
    """Yield the requests about a case with replies that look like those of a model."""
    talk = judge.conversation(case)
    request = next(talk, None)
    while request is not None:
        reply = json.dumps(_example(request.schema or {}))
        yield request, reply
        try:
            request = talk.send(reply)
        except StopIteration:
            return


def _example(schema: Any, number: int = 1) -> Any:
    """Return a value of a schema as a model might write it."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {name: _example(part, number) for name, part in schema["properties"].items()}
    if schema.get("type") == "array":
        n = schema.get("minItems", min(4, schema["maxItems"]))
        return [_example(schema["items"], i + 1) for i in range(n)]
    return number if schema.get("type") == "integer" else f"this is what statement {number} says of one thing"
