"""What the trainers of small models over relation patterns share: rows of training, a split, and a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress
from graphbrick.core.errors import InputError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.patterns.pattern_examples import Examples
from graphbrick.learn.train.patterns.pattern_fit import Quality
from graphbrick.learn.train.patterns.patterns import apart, examples
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.text import Steps, without_marks
from graphbrick.questions.grounding import Grounded
from graphbrick.questions.question import Question

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


@dataclass(frozen=True, slots=True)
class RelationReport:
    """Result of a training.

    Attributes:
        questions: Number of questions given.
        learned: Questions with a pattern that leads to an answer.
        patterns: Number of distinct patterns found.
        epochs: Passes over the questions.
        untrained: Quality of the best-scored pattern of questions in held-out wordings before training; None if there
            were too few to hold some out, or if nothing can be said before training.
        trained: The same after training on the other wordings.
        seconds: Duration.
    """

    questions: int
    learned: int
    patterns: int
    epochs: int
    untrained: Quality | None
    trained: Quality | None
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [
            f"{self.questions:,} questions, of which {self.learned:,} were learned from; {self.patterns:,} patterns",
            f"{self.epochs} epochs, {self.seconds:.0f} s",
        ]
        if self.trained is not None:
            before = self.untrained
            hits, f1 = (f"{before.hits_at_1:.3f} -> ", f"{before.f1:.3f} -> ") if before is not None else ("", "")
            lines.append(
                f"of {self.trained.questions:,} questions in wordings kept apart: "
                f"Hits@1 {hits}{self.trained.hits_at_1:.3f}, F1 {f1}{self.trained.f1:.3f}"
            )
        return "\n".join(lines)


def found_examples(
    graph: Graph, questions: Sequence[Question] | Grounded, max_hops: int, seed: int, watch: Progress
) -> Examples:
    """Return the patterns around the seeds of questions.

    Raises:
        InputError: No question has a pattern that leads to an answer.
    """
    found = examples(graph, questions, max_hops=max_hops, seed=seed, watch=watch)
    if not any(example.f1.any() for example in found.all):
        raise InputError(
            f"none of {found.questions:,} questions has a pattern of at most {max_hops} hops from a seed to an answer; "
            "are they questions of this graph?"
        )
    return found


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


def questions_of(rows: Sequence[QuestionRow]) -> int:
    """Return how many questions some rows are about."""
    return len({row.number for row in rows})


def halves(rows: Sequence[QuestionRow], seed: int) -> tuple[list[QuestionRow], list[QuestionRow]]:
    """Split rows into those to train on and a tenth of the wordings, or none if there are few."""
    held = apart([row.question for row in rows], seed)
    return [row for row in rows if row.question not in held], [row for row in rows if row.question in held]


def quality(rows: Sequence[QuestionRow], score: Callable[[QuestionRow], npt.NDArray[Any]]) -> Quality | None:
    """Return the mean quality of the best-scored pattern of each row; ties go to the earlier pattern."""
    if not rows:
        return None
    best = [int(np.argmax(score(row))) for row in rows]
    hits = float(np.mean([row.precision[i] for row, i in zip(rows, best, strict=True)]))
    return Quality(len(rows), hits, float(np.mean([row.f1[i] for row, i in zip(rows, best, strict=True)])))


def vectors_of(embedder: Embedder, texts: Sequence[str], what: str, watch: Progress) -> Floats:
    """Return the vectors of texts, float32 [texts, dimensions]."""
    made = []
    for start in range(0, len(texts), _AT_ONCE):
        made.append(embedder.embed(texts[start : start + _AT_ONCE]).astype(np.float32))
        watch(what, min(start + _AT_ONCE, len(texts)), len(texts))
    return np.concatenate(made)


def is_plain(steps: Steps) -> bool:
    """Whether no step of a pattern comes back to its start: such steps have a mark."""
    return steps == without_marks(steps)
