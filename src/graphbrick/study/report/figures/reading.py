"""Computes the figures of each pipeline of a study: means, times, cost and losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.core.memory.meter import figure_of_memory
from graphbrick.questions.question import natural_order
from graphbrick.study.metrics.confidence import (
    aurc,
    calibration_error,
    coverage_at_risk,
    reliability,
    risk_coverage,
)
from graphbrick.study.metrics.linking_metrics import LINKING_METRICS
from graphbrick.study.metrics.published import PUBLISHED_METRICS
from graphbrick.study.metrics.sets import harmonic
from graphbrick.study.report.figures.pipeline import PipelineFigures
from graphbrick.study.report.figures.values import (
    ANSWERED,
    AVERAGED,
    EXTRACTION,
    MEASURED,
    NOT_LOST,
    OF_EMBEDDING,
    OF_MEANS,
    PATHS,
    RISK,
    SEED,
    STRATA,
    SUMMED,
    Answers,
    Confidence,
    Judged,
    Mean,
    Memory,
    Spent,
    Times,
)
from graphbrick.study.runs.query_scoring import QUERY_METRICS
from graphbrick.study.statistics.summary import Summary, summarize, summarize_by
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import FURTHER_JUDGE, Result, StoredJudgement, StudyQuestion, StudyRun


def read_figures(
    study: Study,
    questions: Sequence[StudyQuestion],
    decisive: str,
    *,
    by: str | None = None,
    watch: Callable[[StudyRun, Sequence[Result]], None] = lambda run, results: None,
    progress: Progress = silent,
) -> list[PipelineFigures]:
    """Return the figures of all runs, best first by the decisive measure.

    Unfinished runs are included.

    Args:
        study: The study to read.
        questions: All questions of the study.
        decisive: The measure that pipelines are ordered and compared by.
        by: Also group the decisive measure by this property of questions; None for hops and data set only.
        watch: Called with the results of each run, which are not kept.
        progress: Called with the number of runs read.

    Raises:
        InputError: No result has the decisive measure.
    """
    places = {question.id: place for place, question in enumerate(questions)}
    found, known = [], set[str]()
    for done, run in enumerate(study.runs(), 1):
        results = [result for result in study.results(run.id) if result.question in places]
        watch(run, results)
        known.update(*{tuple(result.metrics) for result in results})  # results of one version have the same measures
        its_questions = [questions[places[result.question]] for result in results]
        judged = _judged([one for one in study.judgements(run.id, words=False) if one.question in places])
        found.append(replace(_figures(run, results, its_questions, decisive, places, by), judged=judged))
        progress("", done, None)
    if known and decisive not in known:
        raise InputError(
            f"there is no measure {decisive!r} in this study; it has {', '.join(sorted(known))}",
            code="study.no_measure",
            measure=decisive,
            known=sorted(known),
        )
    ordered = sorted(found, key=lambda figures: -_mean(figures.means[decisive]))
    return [replace(figures, number=number) for number, figures in enumerate(ordered, 1)]


def with_recall(figures: Sequence[PipelineFigures], least: float | None) -> tuple[list[PipelineFigures], list[str]]:
    """Keep the pipelines whose subgraphs hold enough of the gold answers; the kept ones are numbered anew.

    Pipelines without a subgraph are kept, because they search the whole graph.

    Args:
        figures: The pipelines, best first.
        least: The least mean subgraph recall, in [0, 1]; None to keep all.

    Returns:
        The pipelines kept, and the names of those left out.

    Raises:
        InputError: The recall is out of range, or no pipeline would be left.
    """
    if least is None:
        return list(figures), []
    if not 0 <= least <= 1:
        raise InputError(
            f"the least subgraph recall must be in [0, 1], got {least:g}; try 0.6",
            code="figures.bad_recall",
            recall=least,
        )
    kept, left_out = list[PipelineFigures](), list[PipelineFigures]()
    for one in figures:
        recall = one.means["subgraph_recall"].all
        (kept if recall is None or recall.mean >= least else left_out).append(one)
    if left_out and not kept:
        best = max(_mean(one.means["subgraph_recall"]) for one in left_out)
        raise InputError(
            f"no pipeline has a subgraph recall of {least:g} or more; the highest is {best:.2f}",
            code="figures.recall_too_high",
            recall=least,
        )
    return [replace(one, number=number) for number, one in enumerate(kept, 1)], [one.name for one in left_out]


def recall_note(left_out: Sequence[str], least: float | None) -> list[str]:
    """Return a line that names the pipelines that `with_recall` left out; none if it kept all."""
    if not left_out:
        return []
    return [f"Left out, because their mean subgraph recall is below {least:g}: {', '.join(left_out)}"]


def _figures(
    run: StudyRun,
    results: Sequence[Result],
    questions: Sequence[StudyQuestion],
    decisive: str,
    places: Mapping[int, int],
    by: str | None,
) -> PipelineFigures:
    measures, groups = dict.fromkeys((*MEASURED, decisive)), dict.fromkeys((*STRATA, *([by] if by else [])))
    can = [question.answerable for question in questions]
    scores: list[float | None] = [None] * len(places)
    for result in results:
        scores[places[result.question]] = result.metrics.get(decisive)
    values = [result.metrics.get(decisive) for result in results]
    return PipelineFigures(
        number=0,
        run=run,
        results=len(results),
        answerable=sum(can),
        errors=sum(result.error is not None for result in results),
        means={name: summarize([r.metrics.get(name) for r in results], can, seed=SEED) for name in measures},
        averages={name: _average(results, name) for name in AVERAGED} | {"n_paths": _paths(results)},
        by={
            group: {
                str(name): mean
                for name, mean in summarize_by(_strata(questions, group), values, can, seed=SEED).items()
            }
            for group in groups
        },
        times=_times(results) if results else None,
        memory=_memory(results),
        used=_used(results),
        spent_by={group: _spent_by(results, _strata(questions, group)) for group in groups},
        lost=Counter(place_name(result.lost_at) for result in results if result.lost_at is not None),
        scores=scores,
        answers=_answers(results, can, (*ANSWERED, *_further(results), *PUBLISHED_METRICS)),
        answers_by_hops=_by_hops(results, questions),
        confidence=_confidence(results),
        linking=_scored(results, can, LINKING_METRICS),
        extraction=_scored(results, can, EXTRACTION),
        paths=_scored(results, can, PATHS),
        queries=_scored(results, can, QUERY_METRICS),
    )


def _further(results: Sequence[Result]) -> list[str]:
    """Return the measures of the study's further judges."""
    return [name for result in results[:1] for name in result.metrics if name.startswith(FURTHER_JUDGE)]


def _answers(results: Sequence[Result], can: Sequence[bool], measures: Sequence[str] = ANSWERED) -> Answers:
    means = {}
    for name in measures:
        values = [(value, yes) for result, yes in zip(results, can, strict=True)
                  if (value := result.metrics.get(name)) is not None]  # fmt: skip
        if values or any(name in result.metrics for result in results[:1]):
            answerable = [value for value, yes in values if yes]
            every = [value for value, _ in values]
            mean = fmean(answerable) if answerable else None
            means[name] = Mean(fmean(every) if every else None, mean, len(every), len(answerable))
    for name, parts in OF_MEANS.items():
        if all(part in means for part in parts):
            means[name] = _of_means(*(means[part] for part in parts))
    return Answers(len(results), sum(can), means)


def _of_means(precision: Mean, recall: Mean) -> Mean:
    """Return the harmonic mean of two means."""

    def both(a: float | None, b: float | None) -> float | None:
        return None if a is None or b is None else harmonic(a, b)

    return Mean(
        both(precision.all, recall.all),
        both(precision.answerable, recall.answerable),
        min(precision.scored, recall.scored),
        min(precision.scored_answerable, recall.scored_answerable),
    )


def _scored(results: Sequence[Result], can: Sequence[bool], measures: Sequence[str]) -> dict[str, Mean]:
    """Return the means of the measures that some result has."""
    return {name: mean for name, mean in _answers(results, can, measures).means.items() if mean.scored}


def _by_hops(results: Sequence[Result], questions: Sequence[StudyQuestion]) -> dict[str, Answers]:
    groups: dict[str, list[tuple[Result, bool]]] = {}
    for result, question in zip(results, questions, strict=True):
        groups.setdefault(question.group("hops"), []).append((result, question.answerable))
    return {hops: _answers(*zip(*groups[hops], strict=True)) for hops in sorted(groups, key=natural_order)}


def _confidence(results: Sequence[Result]) -> Confidence | None:
    scored = [one.metrics for one in results if one.metrics.get("hits_at_1") is not None]
    rated = [one for one in scored if one.get("confidence") is not None]
    if not rated:
        return None
    sure, right = ([one[name] or 0.0 for one in rated] for name in ("confidence", "hits_at_1"))
    return Confidence(
        len(scored),
        len(rated),
        risk_coverage(sure, right, questions=len(scored)),
        aurc(sure, right),
        calibration_error(sure, right),
        coverage_at_risk(sure, right, RISK, questions=len(scored)),
        reliability(sure, right),
    )


def _judged(judgements: Sequence[StoredJudgement]) -> Judged | None:
    if not judgements:
        return None
    failures = Counter(one.error for one in judgements if one.error is not None).most_common(1)
    return Judged(
        len(judgements),
        sum(one.by == "model" for one in judgements),
        sum(one.right is None and one.error is None for one in judgements),
        sum(one.error is not None for one in judgements),
        failures[0][0] if failures else "",
        *(sum(one.ledger.get(name, 0) for one in judgements) for name in ("calls", "tokens_in", "tokens_out", "cost")),
    )


def place_name(place: str) -> str:
    """Return the name in tables of a place where questions are lost."""
    return NOT_LOST if place == "none" else place


def _average(results: Sequence[Result], name: str) -> float | None:
    values = [value for result in results if (value := result.metrics.get(name)) is not None]
    return fmean(values) if values else None


def _paths(results: Sequence[Result]) -> float | None:
    """Return the mean number of items of the evidence; None if the pipeline retrieves none."""
    counts = [result.n_paths for result in results if result.metrics.get("path_f1") is not None]
    return fmean(counts) if counts else None


def _strata(questions: Sequence[StudyQuestion], by: str) -> list[int | str]:
    """Return the group of each question; whole numbers as numbers, so that they are ordered by size."""
    names = [question.group(by) for question in questions]
    return [int(name) if name.isdecimal() and str(int(name)) == name else name for name in names]


def _used(results: Sequence[Result]) -> dict[str, float]:
    """Return the sums of calls, tokens and cost; the part of embedders if every result tells it."""
    split = all(OF_EMBEDDING[1] in result.ledger for result in results if result.ledger)
    names = (*SUMMED, *OF_EMBEDDING) if split else SUMMED
    used = {name: sum(result.ledger.get(name, 0) for result in results) for name in names}
    if split:
        used["llm_calls"] = used["calls"] - used["embedding_calls"]
        used["llm_tokens_in"] = used["tokens_in"] - used["embedding_tokens"]
    return used


def _spent_by(results: Sequence[Result], strata: Sequence[int | str]) -> dict[str, Spent]:
    """Return time and cost of each group of questions, in natural order."""
    groups: dict[str, list[Result]] = {}
    for result, stratum in zip(results, strata, strict=True):
        groups.setdefault(str(stratum), []).append(result)
    spent = {}
    for name in sorted(groups, key=natural_order):
        times, members = _times(groups[name]), groups[name]
        used = {key: value / len(members) for key, value in _used(members).items()}
        spent[name] = Spent(len(members), times.median, times.p95, times.mean, used)
    return spent


def _times(results: Sequence[Result]) -> Times:
    taken = sorted(1000 * result.seconds for result in results)
    stages: dict[str, float] = {}
    for result in results:
        for _, kind, seconds in result.stage_seconds:
            stages[kind] = stages.get(kind, 0.0) + 1000 * seconds / len(results)
    # Nearest rank: the smallest value that at least 95 % of the values do not exceed.
    return Times(median(taken), taken[-(-len(taken) * 95 // 100) - 1], fmean(taken), stages)


def _memory(results: Sequence[Result]) -> dict[str, dict[str, Memory]]:
    """Return memory by figure and kind of stage; nothing where it was not measured."""
    found: dict[str, dict[str, Memory]] = {}
    for column in dict.fromkeys(name for result in results for name in result.metrics):
        figure, kind = figure_of_memory(column)
        values = [value for result in results if (value := result.metrics.get(column)) is not None] if figure else []
        if values:
            found.setdefault(figure, {})[kind] = Memory(fmean(values), max(values), len(values))
    return found


def _mean(summary: Summary) -> float:
    return summary.all.mean if summary.all is not None else -1.0
