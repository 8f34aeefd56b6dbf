"""Training `PathTowers`: two heads over frozen vectors, by a margin between right and other patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any, Unpack

import numpy as np

from graphbrick.core.errors import InputError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.frame import Training, TrainOptions
from graphbrick.learn.train.patterns.adam import Adam
from graphbrick.learn.train.patterns.relation_models import (
    Floats,
    QuestionRow,
    RelationReport,
    RelationTrainee,
    train_relation_model,
    vectors_of,
)
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.learned_file import Arrays
from graphbrick.patterns.planned.path_towers import KIND, relations_text, towered
from graphbrick.questions.grounding import Grounded
from graphbrick.questions.question import Question

_BATCH = 32
_RATE = 1e-3
_NEGATIVES = 64  # patterns of a question in one pass


def train_towers(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    out: str | PathLike[str],
    *,
    max_hops: int = 2,
    embedder: Embedder | None = None,
    epochs: int = 10,
    margin: float = 0.5,
    **options: Unpack[TrainOptions],
) -> RelationReport:
    """Train two towers that compare a question with the relations of a path; `PathTowers` uses them.

    Right patterns come from the graph: those around the seeds whose ends match the answers about as well as the best
    one, by F1. All others around the same seed are negatives. The loss is the margin between the cosines of each pair.
    KELP tunes all of distilbert, on pairs that a language model ranks; here the embedder stays as it is and only a
    square matrix for each side is trained, which starts as the identity. A tenth of the wordings is held out for the
    report at first; then the towers are trained on all.

    Args:
        graph: The graph.
        questions: Questions with answers; those without seeds are linked by labels.
        out: The file to write.
        max_hops: The longest pattern, from 1 to 10.
        embedder: Makes vectors of questions and relations; MiniLM() by default.
        epochs: Passes over the questions, at least 1.
        margin: How far a right pattern is to be ahead, in cosine; above 0 and at most 2.
        **options: See `graphbrick.learn.train.frame.TrainOptions`.

    Raises:
        InputError: There is no question to learn from, or a parameter is out of range.
        ModelError: The file cannot be written, or the embedder is not installed.
    """
    training = Training("train_towers", out, options)
    training.check(max_hops=(max_hops, 1, 10, 2), epochs=(epochs, 1, 10_000, 10))
    if not isinstance(margin, int | float) or not 0 < margin <= 2:
        raise InputError(
            f"train_towers margin must be a number above 0 and at most 2, got {margin!r}; try 0.5",
            code="train_towers.bad_margin",
            margin=margin,
        )
    return train_relation_model(
        partial(_Towers, margin=margin), training, graph, questions, max_hops=max_hops, epochs=epochs, embedder=embedder
    )


@dataclass
class _Towers(RelationTrainee[tuple[Floats, Floats]]):
    """The heads of questions and of paths in training."""

    kind = KIND
    margin: float

    def __post_init__(self) -> None:
        texts = [relations_text(steps) for steps in self.steps]
        self.paths = vectors_of(self.embedder, texts, "patterns embedded", self.progress)

    def untrained(self) -> tuple[Floats, Floats]:
        start = np.eye(self.paths.shape[1], dtype=np.float32)
        return start, start

    def scores(self, model: tuple[Floats, Floats], row: QuestionRow) -> Floats:
        question, path = model
        vector = self.questions[row.question]
        made: Floats = towered(self.paths[row.patterns], path) @ towered(vector[None], question)[0]
        return made

    def fit(self, rows: Sequence[QuestionRow]) -> tuple[Floats, Floats]:
        rng = np.random.default_rng(self.seed)
        heads = {name: np.eye(self.paths.shape[1], dtype=np.float32) for name in ("question", "path")}
        adam = Adam(heads, dict.fromkeys(heads, _RATE), decay=1e-2)
        for epoch in range(self.epochs):
            order = rng.permutation(len(rows))
            for start in range(0, len(rows), _BATCH):
                drawn = [_drawn(rows[i], rng) for i in order[start : start + _BATCH]]
                adam.step(_gradients(drawn, self.questions, self.paths, heads, self.margin))
            self.progress("epochs", epoch + 1, self.epochs)
        return heads["question"], heads["path"]

    def content(self, model: tuple[Floats, Floats]) -> tuple[dict[str, Any], Arrays]:
        about = {"max_hops": self.max_hops, "epochs": self.epochs, "margin": self.margin}
        return about, {"question": model[0], "path": model[1]}


def _gradients(
    drawn: Sequence[QuestionRow], questions: Floats, paths: Floats, heads: dict[str, Floats], margin: float
) -> dict[str, Floats]:
    """Return the gradients of the mean hinge loss over the pairs of each question."""
    distinct, place = np.unique(np.concatenate([row.patterns for row in drawn]), return_inverse=True)
    x, y = questions[[row.question for row in drawn]], paths[distinct]
    u, v = x @ heads["question"], y @ heads["path"]
    long_u, long_v = np.linalg.norm(u, axis=1, keepdims=True), np.linalg.norm(v, axis=1, keepdims=True)
    unit_u, unit_v = u / np.maximum(long_u, 1e-9), v / np.maximum(long_v, 1e-9)
    scores = unit_u @ unit_v.T
    pull = np.zeros_like(scores)
    begin = 0
    for i, row in enumerate(drawn):
        at = place[begin : begin + len(row.patterns)]
        begin += len(row.patterns)
        right, wrong = at[row.right], at[~row.right]
        if len(right) and len(wrong):
            active = (margin - scores[i, right][:, None] + scores[i, wrong][None, :]) > 0
            weight = 1 / (active.size * len(drawn))
            pull[i, right] -= active.sum(1) * weight
            pull[i, wrong] += active.sum(0) * weight
    along_u = (pull @ unit_v - (pull * scores).sum(1, keepdims=True) * unit_u) / np.maximum(long_u, 1e-9)
    along_v = (pull.T @ unit_u - (pull * scores).sum(0)[:, None] * unit_v) / np.maximum(long_v, 1e-9)
    return {"question": x.T @ along_u, "path": y.T @ along_v}


def _drawn(row: QuestionRow, rng: np.random.Generator) -> QuestionRow:
    """Return a row with at most 64 negatives."""
    wrong = np.flatnonzero(~row.right)
    if len(wrong) <= _NEGATIVES:
        return row
    which = np.sort(np.concatenate([np.flatnonzero(row.right), rng.choice(wrong, _NEGATIVES, replace=False)]))
    return QuestionRow(
        row.number, row.question, row.patterns[which], row.right[which], row.f1[which], row.precision[which]
    )
