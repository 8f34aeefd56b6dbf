"""The frame of small models over relation patterns: rows, training and report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.frame import Training, TrainingReport, held_out
from graphbrick.learn.train.patterns.pattern_examples import Examples
from graphbrick.learn.train.patterns.pattern_fit import Quality
from graphbrick.learn.train.patterns.patterns import examples, in_batches, quality_lines, require_reached
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.patterns.learned_file import Arrays, LearnedFile, check_free, save_learned
from graphbrick.patterns.text import Steps, without_marks
from graphbrick.questions.grounding import Grounded
from graphbrick.questions.question import Question

Model = TypeVar("Model")
_RIGHT = 0.5  # a right pattern has at least this share of the F1 of the best one, as in `path_examples`
_AT_ONCE = 256  # texts embedded

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question with the patterns around one of its seeds.

    Attributes:
        number: The place of the question among all; those with several seeds have several rows.
        question: The masked question, its place in `Examples.masked`.
        patterns: int64 [patterns], places in `Examples.patterns`.
        right: bool [patterns], whether each leads to the answers about as well as the best one.
        f1: float32 [patterns], of the entities at its end.
        precision: float32 [patterns], the share of these that are answers.
    """

    number: int
    question: int
    patterns: Ints
    right: npt.NDArray[np.bool_]
    f1: Floats
    precision: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationReport(TrainingReport[Quality]):
    """Result of a training; `Quality` is that of the best-scored pattern.

    Attributes:
        questions: Number of questions given.
        learned: Questions with a pattern that leads to an answer.
        patterns: Number of distinct patterns found.
        epochs: Passes over the questions.
    """

    questions: int
    learned: int
    patterns: int
    epochs: int

    def lines(self) -> list[str]:
        """Return what to tell the user."""
        return [
            f"{self.questions:,} questions, of which {self.learned:,} were learned from; {self.patterns:,} patterns",
            f"{self.epochs} epochs, {self.seconds:.0f} s",
            *quality_lines(self),
        ]


@dataclass
class RelationTrainee(ABC, Generic[Model]):
    """A small model over relation patterns in training.

    Attributes:
        kind: Kind of model, for its file.
        embedder: Makes vectors of texts.
        rows: A row for each question and seed with a right pattern.
        steps: The patterns.
        questions: float32 [questions, dimensions], vectors of the masked questions.
        max_hops: The longest pattern.
        epochs: Passes over the questions.
        seed: Seed of everything that is drawn at random.
        progress: Told the step, the number done and the total.
    """

    kind: ClassVar[str]
    embedder: Embedder
    rows: list[QuestionRow]
    steps: list[Steps]
    questions: Floats
    max_hops: int
    epochs: int
    seed: int
    progress: Progress

    @abstractmethod
    def untrained(self) -> Model | None:
        """Return the model before training; None if it says nothing then."""

    @abstractmethod
    def fit(self, rows: Sequence[QuestionRow]) -> Model:
        """Return the model of some rows."""

    @abstractmethod
    def scores(self, model: Model, row: QuestionRow) -> npt.NDArray[Any]:
        """Return the score of each pattern of a row."""

    @abstractmethod
    def content(self, model: Model) -> tuple[dict[str, Any], Arrays]:
        """Return the facts and the arrays of the file."""


def train_relation_model(
    trainee_of: Callable[..., RelationTrainee[Model]],
    training: Training,
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    *,
    max_hops: int,
    epochs: int,
    embedder: Embedder | None,
) -> RelationReport:
    """Train a model on the patterns around the seeds of questions, and write its file; see `train_towers`."""
    check_free(training.place, overwrite=training.overwrite)
    embedder, seed, progress = embedder or MiniLM(), training.seed, training.progress
    taught = examples(graph, questions, max_hops=max_hops, seed=seed, progress=progress)
    require_reached(taught, max_hops)
    vectors = vectors_of(embedder, list(taught.masked), "questions embedded", progress)
    trainee = trainee_of(embedder, rows_of(taught), taught.steps(graph), vectors, max_hops, epochs, seed, progress)
    learned, held = held_out(trainee.rows, lambda row: row.question, seed)
    before = after = None
    if held:
        start = trainee.untrained()
        before = None if start is None else quality(held, partial(trainee.scores, start))
        after = quality(held, partial(trainee.scores, trainee.fit(learned)))
    about, arrays = trainee.content(trainee.fit(trainee.rows))
    about = {"graph": graph.hash, **about, "seed": seed}
    save_learned(LearnedFile(trainee.kind, embedder, about, arrays), training.place, overwrite=training.overwrite)
    return RelationReport(
        questions=taught.questions, learned=len({row.number for row in trainee.rows}), patterns=len(trainee.steps),
        epochs=epochs, untrained=before, trained=after, seconds=training.seconds,
    )  # fmt: skip


def rows_of(found: Examples) -> list[QuestionRow]:
    """Return a row for each question and seed with a right pattern."""
    rows = []
    for example in found.all:
        for question in np.unique(example.masked).tolist():
            of = example.masked == question
            f1 = example.f1[of]
            if not f1.any():
                continue
            right = f1 >= _RIGHT * f1.max()
            patterns, precision = example.pattern[of].astype(np.int64), example.precision[of]
            rows.append(QuestionRow(example.question, question, patterns, right, f1, precision))
    return rows


def quality(rows: Sequence[QuestionRow], score: Callable[[QuestionRow], npt.NDArray[Any]]) -> Quality:
    """Return the mean quality of the best-scored pattern of each row; ties go to the earlier pattern."""
    best = [int(np.argmax(score(row))) for row in rows]
    hits = float(np.mean([row.precision[i] for row, i in zip(rows, best, strict=True)]))
    return Quality(len(rows), hits, float(np.mean([row.f1[i] for row, i in zip(rows, best, strict=True)])))


def vectors_of(embedder: Embedder, texts: Sequence[str], what: str, progress: Progress) -> Floats:
    """Return the vectors of texts, float32 [texts, dimensions]."""
    return in_batches(texts, embedder.embed, _AT_ONCE, what, progress)


def is_plain(steps: Steps) -> bool:
    """Return whether no step of a pattern comes back to its start: such steps have a mark."""
    return steps == without_marks(steps)
