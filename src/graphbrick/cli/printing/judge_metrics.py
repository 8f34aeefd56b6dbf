"""Terminal output of `graphbrick judge metrics`, `pairs` and `score`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from rich.console import Console

from graphbrick.cli.printing.terminal import console, note, plain, print_json, table
from graphbrick.judge.metrics.comparing import PairStudy
from graphbrick.judge.metrics.measuring import MetricStudy, Plan
from graphbrick.judge.metrics.metric_judge import MetricJudge
from graphbrick.judge.metrics.scoring import ScoreStudy
from graphbrick.models.llm.conversations import Usage
from graphbrick.study.statistics.intervals import Interval

_EVENTS = 5  # shown


def print_metrics(study: MetricStudy, *, as_json: bool) -> None:
    """Print a line for each metric and system."""
    if as_json:
        print_json(study.to_dict())
        return
    out, rows = console(), study.summaries()
    named = any(row.system for row in rows)
    listed = table("metric", *(["system"] if named else []), "mean", "95 % interval", "cases", "unreadable", "without")
    for row in rows:
        without = ", ".join(f"{reason}: {n:,}" for reason, n in row.without.items())
        share = _share(row.unreadable, row.cases)
        listed.add_row(
            row.metric.value,
            *([plain(row.system)] if named else []),
            *_mean(row.mean),
            f"{row.cases:,}",
            share,
            without,
        )
    out.print(listed)
    for row in rows:
        if row.example:
            note(
                out,
                f"note: {row.metric.value}{f' of {row.system}' if named else ''}, unreadable, such as: {row.example}",
            )
    _print_usage(out, study.usage)


def print_plan(plan: Plan, judge: MetricJudge, *, as_json: bool) -> None:
    """Print the cost of metrics before they are computed."""
    if as_json:
        print_json(plan._asdict())
        return
    usd = "no price is known for this model" if plan.cost is None else f"about ${plan.cost:.2f}"
    tokens = f"{plan.tokens_in:,} tokens in, {plan.tokens_out:,} out"
    console().print(
        f"{', '.join(judge.metrics)}: about {plan.calls:,} calls, {tokens}: {usd}; {plan.kept:,} cases are done already"
    )


def print_pairs(study: PairStudy, *, as_json: bool) -> None:
    """Print how often each system won."""
    if as_json:
        print_json(study.to_dict())
        return
    out, summary = console(), study.summary()
    listed = table(f"{summary.pairs:,} pairs", "share", "95 % interval")
    shares = [
        (f"{study.systems[0]} wins", summary.first),
        (f"{study.systems[1]} wins", summary.second),
        (f"{study.systems[0]} wins more often by", summary.difference),
        ("same verdict in both orders", summary.consistency),
        ("decided for the answer shown first", summary.shown_first),
    ]
    for name, share in shares:
        listed.add_row(plain(name), *_mean(share))
    out.print(listed)
    p = "" if summary.p is None else f"; wins against losses: p = {summary.p:.3g} (McNemar)"
    out.print(
        f"{summary.ties:,} ties, {summary.inconsistent:,} won in one order only, {summary.unreadable:,} unreadable{p}"
    )
    _print_example(out, (one.reason for one in study.verdicts if one.outcome is None))
    _print_usage(out, study.usage)


def print_scores(study: ScoreStudy, *, as_json: bool) -> None:
    """Print a line for each system."""
    if as_json:
        print_json(study.to_dict())
        return
    out, (low, high) = console(), study.judge.scale
    for number, step in enumerate(study.judge.steps, 1):
        out.print(f"{number}. {plain(step)}")
    listed = table("system", f"mean, {low} to {high}", "95 % interval", "cases", "unreadable", "by")
    for row in study.summaries():
        by = ", ".join(f"{way}: {n:,}" for way, n in row.by.items())
        unreadable = _share(row.unreadable, row.cases)
        listed.add_row(plain(row.system) or "-", *_mean(row.mean), f"{row.cases:,}", unreadable, by)
    out.print(listed)
    _print_example(out, (one.reason for one in study.scores if one.value is None))
    _print_usage(out, study.usage)


def _print_example(out: Console, reasons: Iterable[str]) -> None:
    """Print why the first reply could not be read."""
    for reason in islice(reasons, 1):
        note(out, f"note: unreadable, such as: {reason}")


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if part else "0"


def _mean(mean: Interval | None) -> tuple[str, str]:
    return ("-", "") if mean is None else (f"{mean.mean:.3f}", f"{mean.low:.3f} to {mean.high:.3f}")


def _print_usage(out: Console, usage: Usage) -> None:
    hits = f", {usage.cache_hits:,} recorded replies" if usage.cache_hits else ""
    out.print(
        f"{usage.calls:,} calls{hits}, {usage.tokens_in:,} tokens read, {usage.tokens_out:,} written, ${usage.cost:.2f}"
    )
    for text, times in usage.events.most_common(_EVENTS):
        note(out, f"note: {text}{f' ({times:,} times)' if times > 1 else ''}")
