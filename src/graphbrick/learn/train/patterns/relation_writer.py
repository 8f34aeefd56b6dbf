"""Training the small sequence model of `WrittenRelations`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.patterns.adam import Adam
from graphbrick.learn.train.patterns.patterns import check_whole_numbers
from graphbrick.learn.train.patterns.relation_models import (
    Floats,
    Ints,
    QuestionRow,
    RelationReport,
    found_examples,
    halves,
    is_plain,
    quality,
    questions_of,
    rows_of,
    vectors_of,
)
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.patterns.learned_file import LearnedFile, check_free, save_learned
from graphbrick.patterns.planned.relation_model import KIND, STOP, Relation, RelationModel
from graphbrick.patterns.text import Steps
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
    seed: int = 0,
    overwrite: bool = False,
    watch: Progress = silent,
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
        seed: Of everything that is drawn at random.
        overwrite: Replace a file that is there.
        watch: Called with (name of the step, number done, total).

    Raises:
        InputError: There is no question to learn from, or a parameter is out of range.
        ModelError: The file cannot be written, or the embedder is not installed.
    """
    started = time.perf_counter()
    check_whole_numbers("train_writer", max_hops=(max_hops, 1, 10, 3), epochs=(epochs, 1, 10_000, 30), seed=seed)
    check_free(Path(out).expanduser(), overwrite=overwrite)
    embedder = embedder or MiniLM()
    found = found_examples(graph, questions, max_hops, seed, watch)
    steps = found.steps(graph)
    rows = rows_of(found)
    asked = vectors_of(embedder, list(found.masked), "questions embedded", watch)
    plain = [row for row in rows if any(is_plain(steps[p]) for p in row.patterns[row.right])]
    if not plain:
        raise InputError(
            "every relation pattern that leads to an answer comes back to its seed, and a writer learns only from "
            "those that do not; give other questions, or train_patterns"
        )
    relations = tuple(sorted({step for row in plain for p in row.patterns[row.right] for step in _plain(steps[p])}))
    learned, held = halves(plain, seed)
    after = None
    if held:
        model = _fitted(learned, steps, asked, relations, max_hops, epochs, seed, watch)
        after = quality(held, lambda row: _scores(model, asked[row.question], [steps[p] for p in row.patterns]))
    model = _fitted(plain, steps, asked, relations, max_hops, epochs, seed, watch)
    about = {"graph": graph.hash, "relations": [list(one) for one in relations], "epochs": epochs, "seed": seed}
    arrays = {"weights": model.weights, "after": model.after}
    save_learned(LearnedFile(KIND, embedder, about, arrays), Path(out).expanduser(), overwrite=overwrite)
    return RelationReport(
        found.questions, questions_of(plain), len(steps), epochs, None, after, time.perf_counter() - started
    )


def _plain(steps: Steps) -> Steps:
    return steps if is_plain(steps) else ()


def _scores(model: RelationModel, vector: Floats, patterns: Sequence[Steps]) -> npt.NDArray[np.float64]:
    """Return the log probability of each pattern, -inf for those with a relation that the model does not know."""
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


def _fitted(
    rows: Sequence[QuestionRow],
    steps: Sequence[Steps],
    asked: Floats,
    relations: tuple[Relation, ...],
    max_hops: int,
    epochs: int,
    seed: int,
    watch: Progress,
) -> RelationModel:
    """Return the model of the right sequences of rows; those of one row share its weight."""
    question, place, before, now, weight = _steps_of(rows, steps, relations)
    n = len(relations) + 1
    values = {f"place {i}": np.zeros((asked.shape[1], n), dtype=np.float32) for i in range(max_hops + 1)}
    values["after"] = np.zeros((n, n), dtype=np.float32)
    adam, rng = Adam(values, dict.fromkeys(values, _RATE), decay=1e-3), np.random.default_rng(seed)
    for epoch in range(epochs):
        order = rng.permutation(len(question))
        for start in range(0, len(order), _BATCH):
            which = order[start : start + _BATCH]
            gradients = {"after": np.zeros((n, n), dtype=np.float32)}
            for i in np.unique(place[which]).tolist():
                of = which[place[which] == i]
                x = asked[question[of]]
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
        watch("epochs", epoch + 1, epochs)
    return RelationModel(relations, np.stack([values[f"place {i}"] for i in range(max_hops + 1)]), values["after"])


def _steps_of(
    rows: Sequence[QuestionRow], steps: Sequence[Steps], relations: tuple[Relation, ...]
) -> tuple[Ints, Ints, Ints, Ints, Floats]:
    """Return every step of the right sequences: question, place, symbol before, symbol, and weight."""
    symbol = {relation: i for i, relation in enumerate(relations, 1)}
    made: list[tuple[int, int, int, int, float]] = []
    for row in rows:
        right = [p for p in row.patterns[row.right].tolist() if is_plain(steps[p])]
        for p in right:
            symbols = [symbol[step] for step in steps[p]]
            for place, (before, now) in enumerate(zip([STOP, *symbols], [*symbols, STOP], strict=True)):
                made.append((row.question, place, before, now, 1 / len(right)))
    columns = np.array([entry[:4] for entry in made], dtype=np.int64).T
    return columns[0], columns[1], columns[2], columns[3], np.array([entry[4] for entry in made], dtype=np.float32)
