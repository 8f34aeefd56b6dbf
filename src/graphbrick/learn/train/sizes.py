"""Learning how many entities a question needs, from questions with known answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.extract.ppr import PPR
from graphbrick.bricks.extract.sized_ppr import ranking
from graphbrick.bricks.extract.sizers import FEATURES, FORMAT, VERSION, Around, features, sizes_of
from graphbrick.core.compute import part_of
from graphbrick.core.errors import InputError
from graphbrick.core.files.replacing import replacing
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.frame import Report, Training, TrainOptions
from graphbrick.models.logistic import newton, sigmoid
from graphbrick.questions.grounding import Grounded, GroundedQuestion, ground
from graphbrick.questions.question import Question

_FOLDS = 5  # each question is held out once
_LEAST = 20  # questions that can be learned from
_PENALTY = 1e-3  # on the squares of the weights, so that they stay finite when all answers are found
_AIMS = (0.5, 0.6, 0.75, 0.9, 0.95)  # recalls whose sizes are told
_CUTS = np.concatenate([np.linspace(0.02, 0.9, 45), 1 - np.geomspace(0.09, 1e-4, 40)])

Example = tuple[Around, npt.NDArray[np.float64]]
"""The features of a question, and the share of its answers within each size."""


@dataclass(frozen=True, slots=True)
class SizesReport(Report):
    """Result of a training, measured on held-out questions.

    Attributes:
        learned_from: Questions learned from.
        recall: The recall at each cut.
        size: The mean number of entities at each cut.
    """

    learned_from: int
    recall: npt.NDArray[np.float64]
    size: npt.NDArray[np.float64]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        return {"learned_from": self.learned_from, "recall": self.recall.tolist(), "size": self.size.tolist()}

    def lines(self) -> list[str]:
        """Return what to tell the user."""
        lines = [f"learned from {self.learned_from:,} questions; a fifth at a time, while it was held back, had:"]
        for aim in _AIMS:
            reached = np.flatnonzero(self.recall >= aim)
            at = int(reached[0]) if len(reached) else len(self.recall) - 1
            lines.append(f"  recall {self.recall[at]:.3f} with {self.size[at]:,.0f} entities on average")
        return lines


def train_sizes(
    graph: Graph,
    questions: Sequence[Question] | Grounded,
    out: str | PathLike[str],
    *,
    ppr: PPR = PPR(),  # noqa: B008 - frozen
    **options: Unpack[TrainOptions],
) -> SizesReport:
    """Learn how many entities questions need, and write it to a file for `LearnedSizer`.

    The share of a question's answers among its best k entities is regressed (logistic, Newton's method) on what
    `graphbrick.bricks.extract.sizers.features` says of it and k. The recall that each fifth of the questions reaches
    when cut at each expected recall, as learned from the others, is written too, to calibrate the target recall.

    Args:
        graph: The graph.
        questions: Questions with answers, or the result of `ground`; those without seeds or answers in the graph are
            left out.
        out: The file to write; it appears only when it is complete.
        ppr: The ranking that sizes are learned for.
        **options: See `graphbrick.learn.train.frame.TrainOptions`; the seed is that of the choice of questions that are
            held out together.

    Raises:
        InputError: Fewer than 20 questions can be learned from, or the file exists already or cannot be written.
    """
    training = Training("train_sizes", out, options)
    if training.place.is_dir():
        raise InputError(
            "sizes are one file, and this is a folder; name a file in it, such as sizes.json",
            fspath(out),
            code="sizes.is_folder",
        )
    if training.place.exists() and not training.overwrite:
        raise InputError(
            "exists already; choose another name, or replace it with --overwrite", fspath(out), code="sizes.file_exists"
        )
    progress, total = training.progress, len(questions)
    if not isinstance(questions, Grounded):
        questions = ground(graph, questions, progress=part_of(progress, "finding the questions", total))
    usable = [question for question in questions.questions if question.seeds and question.answerable]
    if len(usable) < _LEAST:
        raise InputError(
            f"sizes are learned from at least {_LEAST} questions with seeds and answers in the graph, got "
            f"{len(usable)} of {total}",
            code="sizes.too_few_questions",
            n=len(usable),
            total=total,
        )
    examples = []
    for done, question in enumerate(usable, 1):
        examples.append(_example(graph, ppr, question))
        progress("ranking", done, total)
    order = np.random.default_rng(training.seed).permutation(len(usable))
    recall, size = np.zeros(len(_CUTS)), np.zeros(len(_CUTS))
    for fold in range(_FOLDS):
        apart = set(order[fold::_FOLDS].tolist())
        weights = _fit([example for i, example in enumerate(examples) if i not in apart])
        reached = _reached([examples[i] for i in sorted(apart)], weights)
        recall, size = recall + reached[0] / len(usable), size + reached[1] / len(usable)
    weights = _fit(examples)
    facts = {
        "format": FORMAT,
        "version": VERSION,
        "features": FEATURES,
        "weights": weights.tolist(),
        "cuts": _CUTS.tolist(),
        # If several cuts reach a target, the first of them is used.
        "reached": (np.maximum.accumulate(recall) + 1e-9 * np.arange(len(recall))).tolist(),
        "sizes": size.tolist(),
        "graph": graph.hash,
        "ppr": repr(ppr),
        "seed": training.seed,
        "questions": len(usable),
    }
    _write(training.place, json.dumps(facts, indent=1) + "\n")
    return SizesReport(len(usable), recall, size)


def _example(graph: Graph, ppr: PPR, question: GroundedQuestion) -> Example:
    """Return the features of a question, and the share of its answers within each size."""
    seeds = np.array(sorted(set(question.seeds)), dtype=np.int32)
    ranked, around = ranking(graph, ppr, question.question.text, seeds)
    place = {entity: i for i, entity in enumerate(ranked.tolist())} | dict.fromkeys(seeds.tolist(), -1)
    never = len(ranked)
    ranks = np.array([min((place.get(entity, never) for entity in names), default=never) for names in question.gold])
    sizes = sizes_of(len(ranked))
    return around, (ranks[:, None] < sizes[None, :]).mean(axis=0)


def _fit(examples: Sequence[Example]) -> npt.NDArray[np.float64]:
    """Return the weights of a logistic regression on shares, with a small penalty."""
    x = np.concatenate([features(around, sizes_of(len(around.shares))) for around, _ in examples])
    y = np.concatenate([recall for _, recall in examples])
    return newton(x, y, np.full(x.shape[1], _PENALTY))


def _reached(
    examples: Sequence[Example], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the sums of recall and of size over questions, with each cut at every expected recall."""
    recall, size = np.zeros(len(_CUTS)), np.zeros(len(_CUTS))
    for around, recalls in examples:
        sizes = sizes_of(len(around.shares))
        if not len(sizes):
            continue
        expected = np.maximum.accumulate(sigmoid(features(around, sizes) @ weights))
        at = np.minimum(np.searchsorted(expected, _CUTS), len(sizes) - 1)
        recall += recalls[at]
        size += sizes[at]
    return recall, size


def _write(path: Path, text: str) -> None:
    """Write a file completely or not at all."""
    try:
        with replacing(path) as out:
            out.write(text)
    except OSError as error:
        raise InputError(
            f"sizes cannot be written here: {error.strerror or error}", path, code="sizes.not_writable"
        ) from error
