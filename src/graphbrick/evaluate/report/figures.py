"""The figures of a study: for each pipeline the means, times, cost and losses that tables and charts show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Any, NamedTuple

from graphbrick.core.errors import InputError
from graphbrick.evaluate.metrics.published import PUBLISHED_METRICS
from graphbrick.evaluate.statistics.summary import Summary, summarize, summarize_by
from graphbrick.evaluate.study.reader import Study
from graphbrick.evaluate.study.records import Result, StoredJudgement, StudyQuestion, StudyRun

SEED = 0  # of the bootstrap, so that the same study gives the same page
NOT_LOST = "not lost"
STRATA = ("hops", "dataset")
MEASURED = ("hits_at_1", "hit", "f1", "subgraph_recall")  # with intervals
AVERAGED = ("nodes", "path_f1")
ANSWERED = ("hit", "hits_at_1", "exact_match", "precision", "recall", "f1", "judge_at_1")
_SUMMED = ("calls", "tokens_in", "tokens_out", "estimated", "cost", "cache_hits")


class Times(NamedTuple):
    """Milliseconds a question.

    Attributes:
        median: Half of the questions take longer.
        p95: One in twenty takes longer (nearest rank).
        mean: On average.
        stages: By kind of stage, the mean; together they are ``mean``.
    """

    median: float
    p95: float
    mean: float
    stages: dict[str, float]


class Mean(NamedTuple):
    """The mean of a measure, without an interval.

    Attributes:
        all: Over all questions that could be scored; None where there is none.
        answerable: Over those of them that the graph can answer; None where there is none.
        scored: How many could be scored.
        scored_answerable: How many of them the graph can answer.
    """

    all: float | None
    answerable: float | None
    scored: int
    scored_answerable: int


class Answers(NamedTuple):
    """The quality of the answers to some questions.

    Attributes:
        questions: How many questions there are.
        answerable: How many of them the graph can answer.
        means: By measure, of `ANSWERED`, and over all hops of the published scorers; those that no result has are left
            out.
    """

    questions: int
    answerable: int
    means: Mapping[str, Mean]

    def to_dict(self) -> dict[str, Any]:
        """Return the means by measure, as plain JSON types."""
        return {name: mean._asdict() for name, mean in self.means.items()}


class Judged(NamedTuple):
    """The work of a judge on the answers of a pipeline.

    Attributes:
        answers: How many it judged; what it took for them follows.
        by_model: For how many the model was asked; the others equal a gold answer, or are none.
        unread: Of how many the verdict could not be read.
        errors: On how many the model failed.
        failure: Why, most often; empty where it did not.
        calls: Calls of the model.
        tokens_in: Tokens it was sent.
        tokens_out: Tokens it wrote.
        cost: In US dollars.
    """

    answers: int
    by_model: int
    unread: int
    errors: int
    failure: str
    calls: float
    tokens_in: float
    tokens_out: float
    cost: float


@dataclass(frozen=True, slots=True)
class PipelineFigures:
    """The figures of one pipeline of a study.

    Attributes:
        number: Its number in tables and charts, from 1 for the best.
        run: The run it comes from.
        results: How many questions it is done with.
        answerable: How many of them the graph can answer.
        errors: How many ended in an error.
        means: By measure, over all questions done and over those that are answerable.
        averages: By measure, the mean over all questions that have it; None where there is none.
        by: The decisive measure by "hops", by "dataset" and by what else was asked for, in natural order.
        times: None where no question is done.
        used: Sums over questions: calls, tokens_in, tokens_out, estimated, cost, cache_hits.
        lost: How many questions were lost at which stage; those without gold answers are not counted.
        scores: For each question of the study its value of the decisive measure; None where it is not done, or cannot
            be scored.
        answers: How good its answers are, by every measure of answers.
        answers_by_hops: The same for each number of hops, in natural order.
        judged: What the judge of the study did with its answers; None where there is none.
    """

    number: int
    run: StudyRun
    results: int
    answerable: int
    errors: int
    means: Mapping[str, Summary]
    averages: Mapping[str, float | None]
    by: Mapping[str, Mapping[str, Summary]]
    times: Times | None
    used: Mapping[str, float]
    lost: Mapping[str, int]
    scores: Sequence[float | None]
    answers: Answers
    answers_by_hops: Mapping[str, Answers]
    judged: Judged | None = None

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.run.name

    def a_question(self, name: str) -> float:
        """Return the average of one of ``used`` for a question; 0 if none is done."""
        return self.used[name] / self.results if self.results else 0.0

    def to_dict(self, by: str | None = None) -> dict[str, Any]:
        """Return the figures as plain JSON types; with ``by`` also the decisive measure of each group."""
        groups = {} if by is None else {"by": {name: mean.to_dict() for name, mean in self.by[by].items()}}
        return {
            "run": self.run.id,
            "name": self.name,
            "recipe": self.run.recipe,
            "graph": {"path": self.run.graph_path, "hash": self.run.graph_hash},
            "linked": self.run.linked,
            "asked": self.run.asked,
            "done": self.results,
            "answerable": self.answerable,
            "errors": self.errors,
            "means": {name: {"pipeline": self.name} | mean.to_dict() for name, mean in self.means.items()},
            **groups,
            "answers": self.answers.to_dict(),
            "judged": None if self.judged is None else self.judged._asdict(),
            "averages": dict(self.averages),
            "milliseconds": None if self.times is None else self.times._asdict(),
            "used": {name: self.a_question(name) for name in self.used},
            "lost": dict(self.lost),
        }


def read_figures(
    study: Study,
    questions: Sequence[StudyQuestion],
    decisive: str,
    *,
    by: str | None = None,
    watch: Callable[[StudyRun, Sequence[Result]], None] = lambda run, results: None,
    progress: Callable[[int], None] = lambda done: None,
) -> list[PipelineFigures]:
    """Return the figures of all runs, best first by the decisive measure; unfinished runs are included.

    Args:
        study: Where the results are.
        questions: All of the study's questions.
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
        known.update(*{tuple(result.metrics) for result in results})  # those of one version have all the same
        asked = [questions[places[result.question]] for result in results]
        judged = _judged([one for one in study.judgements(run.id, words=False) if one.question in places])
        found.append(replace(_figures(run, results, asked, decisive, places, by), judged=judged))
        progress(done)
    if known and decisive not in known:
        raise InputError(f"there is no measure {decisive!r} in this study; it has {', '.join(sorted(known))}")
    ordered = sorted(found, key=lambda figures: -_mean(figures.means[decisive]))
    return [replace(figures, number=number) for number, figures in enumerate(ordered, 1)]


def _figures(
    run: StudyRun,
    results: Sequence[Result],
    asked: Sequence[StudyQuestion],
    decisive: str,
    places: Mapping[int, int],
    by: str | None,
) -> PipelineFigures:
    measures = dict.fromkeys((*MEASURED, decisive))
    can = [question.answerable for question in asked]
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
        averages={name: _average(results, name) for name in AVERAGED},
        by={
            group: {
                str(name): mean for name, mean in summarize_by(_strata(asked, group), values, can, seed=SEED).items()
            }
            for group in dict.fromkeys((*STRATA, *([by] if by else [])))
        },
        times=_times(results) if results else None,
        used={name: sum(result.ledger.get(name, 0) for result in results) for name in _SUMMED},
        lost=Counter(place_name(result.lost_at) for result in results if result.lost_at is not None),
        scores=scores,
        answers=_answers(results, can, (*ANSWERED, *PUBLISHED_METRICS)),
        answers_by_hops=_by_hops(results, asked),
    )


def _answers(results: Sequence[Result], can: Sequence[bool], measures: Sequence[str] = ANSWERED) -> Answers:
    means = {}
    for name in measures:
        values = [(value, yes) for result, yes in zip(results, can, strict=True)
                  if (value := result.metrics.get(name)) is not None]  # fmt: skip
        if values or any(name in result.metrics for result in results[:1]):
            some = [value for value, yes in values if yes]
            every = [value for value, _ in values]
            mean = fmean(some) if some else None
            means[name] = Mean(fmean(every) if every else None, mean, len(every), len(some))
    return Answers(len(results), sum(can), means)


def _by_hops(results: Sequence[Result], asked: Sequence[StudyQuestion]) -> dict[str, Answers]:
    groups: dict[str, list[tuple[Result, bool]]] = {}
    for result, question in zip(results, asked, strict=True):
        groups.setdefault(question.group("hops"), []).append((result, question.answerable))
    ordered = sorted(groups, key=lambda hops: (not hops, len(hops), hops))
    return {hops: _answers(*zip(*groups[hops], strict=True)) for hops in ordered}


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


def _strata(questions: Sequence[StudyQuestion], by: str) -> list[int | str]:
    """Return the group of each question; numbers stay numbers, so that they are ordered by size."""
    names = [question.group(by) for question in questions]
    return [int(name) if name.isdecimal() else name for name in names]


def _times(results: Sequence[Result]) -> Times:
    taken = sorted(1000 * result.seconds for result in results)
    stages: dict[str, float] = {}
    for result in results:
        for _, kind, seconds in result.stage_seconds:
            stages[kind] = stages.get(kind, 0.0) + 1000 * seconds / len(results)
    # Nearest rank: the least value that at least 95 of 100 do not exceed.
    return Times(median(taken), taken[-(-len(taken) * 95 // 100) - 1], fmean(taken), stages)


def _mean(summary: Summary) -> float:
    return summary.all.mean if summary.all is not None else -1.0
