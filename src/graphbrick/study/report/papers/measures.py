"""What the columns of a paper's tables can show of each question: measures, time, tokens and calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from graphbrick.study.report.charts import megabytes, milliseconds, percent, short
from graphbrick.study.runs.scoring import METRICS, SIZES
from graphbrick.study.store.records import FURTHER_JUDGE, Result

_SECONDS = "seconds"
_RATED = "rated:"
_MEMORY = ("grown_mb", "peak_mb", "gpu_peak_mb")
_OF_QUESTIONS: Mapping[str, Callable[[Result], float | None]] = {
    _SECONDS: lambda one: one.seconds,
    "calls": lambda one: one.ledger.get("calls", 0),
    "cost": lambda one: one.ledger.get("cost", 0),
    "embedding_tokens": lambda one: one.ledger.get("embedding_tokens"),
    "llm_calls": lambda one: _without(one, "calls", "embedding_calls"),
    "llm_tokens": lambda one: _plus(_without(one, "tokens_in", "embedding_tokens"), one.ledger.get("tokens_out", 0)),
    "paths": lambda one: one.n_paths if one.metrics.get("path_f1") is not None else None,
}
_KINDS = ("link", "extract", "prune", "retrieve", "rerank", "generate", "union")


def measures() -> list[str]:
    """Return the names of measures, for messages."""
    stages = [f"{head}:retrieve+rerank" for head in (_SECONDS, *_MEMORY)]
    return [*METRICS, "judge_at_1", *_OF_QUESTIONS, *stages, f"{_RATED}answer_relevance"]


def known_measure(name: str) -> bool:
    """Return whether a measure has this name.

    >>> known_measure("seconds:extract+prune"), known_measure("grown_mb:cooking"), known_measure("hits_at_1")
    (True, False, True)
    """
    head, colon, kinds = name.partition(":")
    if head in (_SECONDS, *_MEMORY) and colon:
        return set(kinds.split("+")) <= set(_KINDS)
    return name in METRICS or name == "judge_at_1" or name in _OF_QUESTIONS or name.startswith((_RATED, FURTHER_JUDGE))


def rated_label(measure: str) -> str:
    """Return the label of a measure that judges rated, such as "answer_relevance"; empty for another measure."""
    return measure.removeprefix(_RATED) if measure.startswith(_RATED) else ""


def is_memory(measure: str) -> bool:
    """Return whether a measure is of memory, such as "grown_mb:retrieve+rerank", in MB."""
    return measure.partition(":")[0] in _MEMORY


def values_of(
    measure: str, results: Sequence[Result], ratings: Mapping[int, float | None] | None = None
) -> list[float | None]:
    """Return the value of each result; None for one that has none.

    Args:
        measure: The name of a measure.
        results: The results of a pipeline.
        ratings: For a measure that judges rated, the probability of each question.
    """
    if measure.startswith(_RATED):
        return [(ratings or {}).get(one.question) for one in results]
    if measure.startswith(f"{_SECONDS}:"):
        kinds = set(measure.partition(":")[2].split("+"))
        return [sum(seconds for _, kind, seconds in one.stage_seconds if kind in kinds) for one in results]
    if is_memory(measure):
        figure, _, kinds_text = measure.partition(":")
        return [_largest(one, [f"{figure}_{kind}" for kind in kinds_text.split("+")]) for one in results]
    own = _OF_QUESTIONS.get(measure)
    return [own(one) for one in results] if own else [one.metrics.get(measure) for one in results]


def is_share(measure: str) -> bool:
    """Return whether values of a measure are shares, which are shown in percent."""
    if is_memory(measure) or measure.startswith(_SECONDS):
        return False
    return measure not in SIZES and measure not in _OF_QUESTIONS


def shown(measure: str, value: float) -> str:
    """Write a value.

    >>> shown("hits_at_1", 0.602), shown("seconds", 0.008), shown("llm_tokens", 6094.0), shown("cost", 0.00012)
    ('60.2', '8 ms', '6.09k', '$0.00012')
    """
    if is_share(measure):
        return percent(value)
    if measure.startswith(_SECONDS):
        return milliseconds(1000 * value)
    if is_memory(measure):
        return megabytes(value)
    return f"${value:.2g}" if measure == "cost" else short(value)


def unit(measure: str) -> str:
    """Return what stands behind the name of a measure."""
    return ", %" if is_share(measure) else ""


def _largest(one: Result, names: Sequence[str]) -> float | None:
    """Return the largest of some measures of a result; None if it has none of them."""
    return max((value for name in names if (value := one.metrics.get(name)) is not None), default=None)


def _without(one: Result, name: str, part: str) -> float | None:
    """Return a sum without the part of embedders; None in studies that do not tell them apart."""
    return one.ledger.get(name, 0) - one.ledger[part] if part in one.ledger else None


def _plus(value: float | None, more: float) -> float | None:
    return None if value is None else value + more
