"""Training `PathTowers`: two heads over frozen vectors, by a margin between right and other patterns."""

from __future__ import annotations

import time
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.patterns.adam import Adam
from graphbrick.learn.train.patterns.patterns import check_whole_numbers
from graphbrick.learn.train.patterns.relation_models import (
    Floats,
    QuestionRow,
    RelationReport,
    found_examples,
    halves,
    quality,
    questions_of,
    rows_of,
    vectors_of,
)
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.patterns.learned_file import LearnedFile, check_free, save_learned
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
    seed: int = 0,
    overwrite: bool = False,
    watch: Progress = silent,
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
        seed: Of everything that is drawn at random.
        overwrite: Replace a file that is there.
        watch: Called with (name of the step, number done, total).

    Raises:
        InputError: There is no question to learn from, or a parameter is out of range.
        ModelError: The file cannot be written, or the embedder is not installed.
    """
    started = time.perf_counter()
    check_whole_numbers("train_towers", max_hops=(max_hops, 1, 10, 2), epochs=(epochs, 1, 10_000, 10), seed=seed)
    if not isinstance(margin, int | float) or not 0 < margin <= 2:
        raise InputError(f"train_towers margin must be a number above 0 and at most 2, got {margin!r}; try 0.5")
    check_free(Path(out).expanduser(), overwrite=overwrite)
    embedder = embedder or MiniLM()
    found = found_examples(graph, questions, max_hops, seed, watch)
    rows = rows_of(found)
    asked = vectors_of(embedder, list(found.masked), "questions embedded", watch)
    paths = vectors_of(embedder, [relations_text(steps) for steps in found.steps(graph)], "patterns embedded", watch)
    learned, held = halves(rows, seed)
    before = after = None
    if held:
        start = np.eye(asked.shape[1], dtype=np.float32)
        before = quality(held, lambda row: _cosines(row, asked, paths, start, start))
        question, path = _fitted(learned, asked, paths, epochs, margin, seed, watch)
        after = quality(held, lambda row: _cosines(row, asked, paths, question, path))
    question, path = _fitted(rows, asked, paths, epochs, margin, seed, watch)
    about = {"graph": graph.hash, "max_hops": max_hops, "epochs": epochs, "margin": margin, "seed": seed}
    model = LearnedFile(KIND, embedder, about, {"question": question, "path": path})
    save_learned(model, Path(out).expanduser(), overwrite=overwrite)
    return RelationReport(
        found.questions, questions_of(rows), len(paths), epochs, before, after, time.perf_counter() - started
    )


def _cosines(row: QuestionRow, asked: Floats, paths: Floats, question: Floats, path: Floats) -> Floats:
    made: Floats = towered(paths[row.patterns], path) @ towered(asked[row.question][None], question)[0]
    return made


def _fitted(
    rows: Sequence[QuestionRow],
    asked: Floats,
    paths: Floats,
    epochs: int,
    margin: float,
    seed: int,
    watch: Progress,
) -> tuple[Floats, Floats]:
    """Return the heads of questions and of paths."""
    rng = np.random.default_rng(seed)
    heads = {name: np.eye(asked.shape[1], dtype=np.float32) for name in ("question", "path")}
    adam = Adam(heads, dict.fromkeys(heads, _RATE), decay=1e-2)
    for epoch in range(epochs):
        order = rng.permutation(len(rows))
        for start in range(0, len(rows), _BATCH):
            batch = [rows[i] for i in order[start : start + _BATCH]]
            adam.step(_gradients(batch, asked, paths, heads["question"], heads["path"], margin, rng))
        watch("epochs", epoch + 1, epochs)
    return heads["question"], heads["path"]


def _gradients(
    batch: Sequence[QuestionRow],
    asked: Floats,
    paths: Floats,
    question: Floats,
    path: Floats,
    margin: float,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """Return the gradients of the mean hinge loss over the pairs of each question."""
    drawn = [_drawn(row, rng) for row in batch]
    distinct, place = np.unique(np.concatenate([row.patterns for row in drawn]), return_inverse=True)
    x, y = asked[[row.question for row in drawn]], paths[distinct]
    u, v = x @ question, y @ path
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
