"""The parts of a pipeline's figures: times, means, answers, confidence, and the work of a judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from graphbrick.study.metrics.confidence import Bin, RiskCoverage
from graphbrick.study.runs.scoring import SIZES

POINTS = 100  # of a risk-coverage curve that are shown
RISK = 0.05  # share of wrong answers at which coverage is reported
RECALL_THRESHOLD = 0.6  # of subgraphs: answers hardly improve beyond (LEGO-GraphRAG, technical report, B.5)
SEED = 0  # of the bootstrap, so that the same study gives the same page
NOT_LOST = "not lost"
STRATA = ("hops", "dataset")
MEASURED = ("hits_at_1", "hit", "f1", "subgraph_recall", "subgraph_f1", "path_f1")  # with intervals
AVERAGED = ("nodes", "path_f1")
EXTRACTION = ("subgraph_precision", "subgraph_recall", "subgraph_f1", *SIZES)
PATHS = ("path_precision", "path_recall", "path_f1", "hit_at_1", "hit_at_10", "hit_at_32", "path_hit", "mrr")
ANSWERED = ("hit", "hits_at_1", "exact_match", "precision", "recall", "f1", "judge_at_1")
OF_MEANS = {
    "f1_of_means": ("precision", "recall"),
    "lego_f1_of_means": ("lego_precision", "lego_recall"),
    "subgraph_f1_of_means": ("subgraph_precision", "subgraph_recall"),
    "path_f1_of_means": ("path_precision", "path_recall"),
}
"""Harmonic means of two means, as the preliminary version of LEGO-GraphRAG publishes F1; no value for one question."""
SUMMED = ("calls", "tokens_in", "tokens_out", "estimated", "cost", "cache_hits")
OF_EMBEDDING = ("embedding_calls", "embedding_tokens")


class Times(NamedTuple):
    """Milliseconds a question.

    Attributes:
        median: Half of the questions take longer.
        p95: One in twenty takes longer (nearest rank).
        mean: Mean time.
        stages: Mean time of each kind of stage; they add up to ``mean``.
    """

    median: float
    p95: float
    mean: float
    stages: dict[str, float]


class Memory(NamedTuple):
    """A figure of memory of one kind of stage, in MB (1,048,576 bytes).

    Attributes:
        mean: Mean over questions.
        maximum: That of the question with the largest.
        questions: Number of questions of which it was measured.
    """

    mean: float
    maximum: float
    questions: int


class Spent(NamedTuple):
    """Average time and cost of some questions.

    Attributes:
        questions: Number of questions.
        median: Milliseconds; half of the questions take longer.
        p95: Milliseconds; one question in twenty takes longer (nearest rank).
        mean: Mean milliseconds.
        used: Averages: calls, tokens_in, tokens_out, cost and others, as in `PipelineFigures.used`.
    """

    questions: int
    median: float
    p95: float
    mean: float
    used: Mapping[str, float]


class Mean(NamedTuple):
    """The mean of a measure, without an interval.

    Attributes:
        all: Mean over all scored questions; None if there are none.
        answerable: Mean over the scored questions that the graph can answer; None if there are none.
        scored: Number of scored questions.
        scored_answerable: Number of scored questions that the graph can answer.
    """

    all: float | None
    answerable: float | None
    scored: int
    scored_answerable: int


class Answers(NamedTuple):
    """The quality of the answers to some questions.

    Attributes:
        questions: Number of questions.
        answerable: Number of questions that the graph can answer.
        means: Means by measure: those of `ANSWERED`, and, over all hops, those of the published scorers; measures that
            no result has are left out. Those of `OF_MEANS` are computed from the means of their two measures.
    """

    questions: int
    answerable: int
    means: Mapping[str, Mean]

    def to_dict(self) -> dict[str, Any]:
        """Return the means by measure, as plain JSON types."""
        return {name: mean._asdict() for name, mean in self.means.items()}


class Confidence(NamedTuple):
    """Quality of the confidence of a pipeline in its first answers.

    Attributes:
        questions: Number of scored questions.
        answered: Number of them that have an answer with a confidence.
        curve: Risk (share of wrong first answers) and coverage at every confidence.
        aurc: Area under that curve, from 0 (best) to 1.
        error: Expected calibration error, from 0 (best) to 1.
        coverage: Share of the questions that can be answered with at most `RISK`.
        bins: Answers by confidence, in ten intervals.
    """

    questions: int
    answered: int
    curve: RiskCoverage
    aurc: float
    error: float
    coverage: float
    bins: Sequence[Bin]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain JSON types, with at most 100 points of the curve, evenly spread."""
        places = np.unique(np.linspace(0, len(self.curve.risk) - 1, POINTS).round().astype(int))
        curve = {name: values[places].tolist() for name, values in self.curve._asdict().items()}
        return self._asdict() | {"curve": curve, "bins": [one._asdict() for one in self.bins]}


class Judged(NamedTuple):
    """The work of a judge on the answers of a pipeline.

    Attributes:
        answers: Number of judged answers.
        by_model: Number of answers judged by the model; the others equal a gold answer or are missing.
        unread: Number of answers whose verdict could not be read.
        errors: Number of answers on which the model failed.
        failure: The most frequent reason of failure; empty if there was none.
        calls: Number of calls of the model.
        tokens_in: Tokens sent to the model.
        tokens_out: Tokens generated by the model.
        cost: Cost in US dollars.
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
