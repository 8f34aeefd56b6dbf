"""Training the small sequence model of `WrittenRelations`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import InputError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.frame import Training, TrainOptions
from graphbrick.learn.train.patterns.adam import Adam
from graphbrick.learn.train.patterns.relation_models import (
    Floats,
    Ints,
    QuestionRow,
    RelationReport,
    RelationTrainee,
    is_plain,
    train_relation_model,
)
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.learned_file import Arrays
from graphbrick.patterns.planned.relation_model import KIND, STOP, Relation, RelationModel
from graphbrick.questions.grounding import Grounded
from graphbrick.questions.question import Question

_BATCH = 64
_RATE = 1e-2


def train_writer(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    out: str | PathLike[str],
    *,
    max_hops: int = 3,
    embedder: Embedder | None = None,
    epochs: int = 30,
    **options: Unpack[TrainOptions],
) -> RelationReport:
    """Train a small model that writes the relations which lead to the answer; `WrittenRelations` uses it.

    It learns the relation sequences around the seeds whose ends match the answers about as well as the best one. GSR
    tunes a small language model (a transformer) for this; here it is a log-linear model over the vector of the masked
    question, the place in the sequence and the relation before: it trains in seconds, and writes only relations that it
    has seen. A tenth of the wordings is held out for the report at first; then it is trained on all.

    Args:
        graph: The graph.
        questions: Questions with answers; those without seeds are linked by labels.
        out: The file to write.
        max_hops: The longest sequence, from 1 to 10.
        embedder: Makes vectors of questions; MiniLM() by default.
        epochs: Passes over the questions, at least 1.
        **options: See `graphbrick.learn.train.frame.TrainOptions`.

    Raises:
        InputError: There is no question to learn from, or a parameter is out of range.
        ModelError: The file cannot be written, or the embedder is not installed.
    """
    training = Training("train_writer", out, options)
    training.check(max_hops=(max_hops, 1, 10, 3), epochs=(epochs, 1, 10_000, 30))
    return train_relation_model(
        _Writer, training, graph, questions, max_hops=max_hops, epochs=epochs, embedder=embedder
    )


@dataclass
class _Writer(RelationTrainee[RelationModel]):
    """The sequence model in training; it learns from patterns that do not come back to their seed."""

    kind = KIND

    def __post_init__(self) -> None:
        self.rows = [row for row in self.rows if self._plain(row)]
        if not self.rows:
            raise InputError(
                "every relation pattern that leads to an answer comes back to its seed, and a writer learns only from "
                "those that do not; give other questions, or train_patterns",
                code="train_writer.only_returning",
            )
        steps = {step for row in self.rows for p in self._plain(row) for step in self.steps[p]}
        self.relations: tuple[Relation, ...] = tuple(sorted(steps))

    def _plain(self, row: QuestionRow) -> list[int]:
        """Return the right patterns of a row that the model can write."""
        return [p for p in row.patterns[row.right].tolist() if is_plain(self.steps[p])]

    def untrained(self) -> None:  # before training, all sequences are as likely
        """Return nothing."""

    def scores(self, model: RelationModel, row: QuestionRow) -> npt.NDArray[np.float64]:
        """Return the log probability of each pattern, -inf for one with an unknown relation."""
        vector, patterns = self.questions[row.question], [self.steps[p] for p in row.patterns]
        symbol = {relation: i for i, relation in enumerate(model.relations, 1)}
        scores = np.full(len(patterns), -np.inf)
        for i, steps in enumerate(patterns):
            symbols = [symbol.get(step) for step in steps]
            if len(symbols) > model.max_hops or None in symbols:
                continue
            before, total = STOP, 0.0
            for place, now in enumerate([*symbols, STOP]):
                assert now is not None
                total += float(model.log_probabilities(vector, place, before)[now])
                before = now
            scores[i] = total
        return scores

    def fit(self, rows: Sequence[QuestionRow]) -> RelationModel:
        """Return the model of the right sequences of rows; those of one row share its weight."""
        question, place, before, now, weight = self._steps_of(rows)
        n = len(self.relations) + 1
        values = {
            f"place {i}": np.zeros((self.questions.shape[1], n), dtype=np.float32) for i in range(self.max_hops + 1)
        }
        values["after"] = np.zeros((n, n), dtype=np.float32)
        adam, rng = Adam(values, dict.fromkeys(values, _RATE), decay=1e-3), np.random.default_rng(self.seed)
        for epoch in range(self.epochs):
            order = rng.permutation(len(question))
            for start in range(0, len(order), _BATCH):
                which = order[start : start + _BATCH]
                gradients = {"after": np.zeros((n, n), dtype=np.float32)}
                for i in np.unique(place[which]).tolist():
                    of = which[place[which] == i]
                    x = self.questions[question[of]]
                    logits = x @ values[f"place {i}"] + values["after"][before[of]]
                    if i == 0:
                        logits[:, STOP] = -np.inf
                    chances = np.exp(logits - logits.max(1, keepdims=True))
                    chances /= chances.sum(1, keepdims=True)
                    chances[np.arange(len(of)), now[of]] -= 1
                    chances *= weight[of][:, None] / len(which)
                    gradients[f"place {i}"] = x.T @ chances
                    np.add.at(gradients["after"], before[of], chances)
                adam.step(gradients)
            self.progress("epochs", epoch + 1, self.epochs)
        weights = np.stack([values[f"place {i}"] for i in range(self.max_hops + 1)])
        return RelationModel(self.relations, weights, values["after"])

    def content(self, model: RelationModel) -> tuple[dict[str, Any], Arrays]:
        about = {"relations": [list(one) for one in self.relations], "epochs": self.epochs}
        return about, {"weights": model.weights, "after": model.after}

    def _steps_of(self, rows: Sequence[QuestionRow]) -> tuple[Ints, Ints, Ints, Ints, Floats]:
        """Return every step of the right sequences: question, place, symbol before, symbol, and weight."""
        symbol = {relation: i for i, relation in enumerate(self.relations, 1)}
        made: list[tuple[int, int, int, int, float]] = []
        for row in rows:
            right = self._plain(row)
            for p in right:
                symbols = [symbol[step] for step in self.steps[p]]
                for place, (before, now) in enumerate(zip([STOP, *symbols], [*symbols, STOP], strict=True)):
                    made.append((row.question, place, before, now, 1 / len(right)))
        columns = np.array([entry[:4] for entry in made], dtype=np.int64).T
        return columns[0], columns[1], columns[2], columns[3], np.array([entry[4] for entry in made], dtype=np.float32)
