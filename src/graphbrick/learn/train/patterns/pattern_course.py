"""The fits of one training: how many rounds are best, the model, and models on parts of the examples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from graphbrick.core.compute import Progress, part_of
from graphbrick.learn.train.patterns.pattern_examples import Example
from graphbrick.learn.train.patterns.pattern_fit import Encoded, Floats, Ints, Quality, Weights, fit, quality
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.model.model import PatternModel, kinds_of
from graphbrick.patterns.text import Steps, readable

_PATIENCE = 4
_OFTEN = 3  # examples that a pattern needs to get weights of its own
# The most frequent relations and patterns get weights of their own; others are scored by their words. Bounds memory.
_MOST_RELATIONS, _MOST_PATTERNS = 600, 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternParameters:
    """Parameters of one training.

    Attributes:
        embedder: Embeds questions and relations.
        max_hops: The longest pattern.
        rounds: Rounds at most.
        seed: Seed of everything that is drawn at random.
        hold_out: Find the number of rounds with a tenth of the wordings; else all rounds are run.
        whole: Train the weights of whole patterns; else they stay 0. With few questions a pattern, they learn wordings
            by heart, and patterns without questions lose.
        symmetric: Relations whose two directions mean the same.
        embedded: Written questions that are embedded; the features of the others are estimated from them.
    """

    embedder: Embedder
    max_hops: int
    rounds: int
    seed: int
    hold_out: bool = True
    whole: bool = True
    symmetric: frozenset[str] = frozenset()
    embedded: int = 1_000


@dataclass(frozen=True)
class Course:
    """The shared data and parameters of all fits of one training.

    Attributes:
        how: Parameters of the training.
        questions: float32 [questions, features], the features of the masked questions.
        steps: The patterns, in which symmetric relations are followed forwards.
        progress: Told the step, the number done and the total.
    """

    how: PatternParameters
    questions: Floats
    steps: list[Steps]
    progress: Progress

    def best_rounds(self, learned: list[Example], held: list[Example], rounds: int) -> tuple[int, Quality, Quality]:
        """Return the best number of rounds for held-out examples, and quality before and after."""
        weights, *_ = self.weights(learned)
        before = quality(weights, held, self.questions)
        best = self._fit(weights, learned, held, rounds, "rounds to find how many")
        return best, before, quality(weights, held, self.questions)

    def model(self, examples: list[Example], rounds: int, what: str) -> PatternModel:
        """Return a model fitted to examples for a number of rounds; ``what`` names the step for progress."""
        weights, relations, patterns = self.weights(examples)
        self._fit(weights, examples, [], rounds, what)
        values = weights.values
        if not self.how.whole:
            values |= {"pattern_weights": np.zeros((len(patterns), values["lengths"].shape[1]), dtype=np.float32)}
        model = PatternModel(self.how.embedder, relations=relations, patterns=patterns, **values)  # type: ignore[arg-type]
        return replace(model, symmetric=self.how.symmetric)

    def _fit(self, weights: Weights, examples: list[Example], held: list[Example], rounds: int, what: str) -> int:
        return fit(
            weights, examples, self.questions, held, rounds=rounds, patience=_PATIENCE, seed=self.how.seed,
            progress=part_of(self.progress, what),
        )  # fmt: skip

    def weights(self, learned: list[Example]) -> tuple[Weights, tuple[str, ...], tuple[Steps, ...]]:
        """Return weights before training, and the relations and the patterns that have some of their own."""
        often: Counter[int] = Counter()
        for example in learned:
            top = example.f1.max(initial=0)
            if top > 0:
                often.update(set(example.pattern[example.f1 >= top].tolist()))
        uses: Counter[str] = Counter()
        for pattern, count in sorted(often.items()):
            uses.update({label: count for label, _ in self.steps[pattern]})
        relations = tuple(sorted(label for label, _ in uses.most_common(_MOST_RELATIONS)))
        frequent = [pattern for pattern, count in often.most_common(_MOST_PATTERNS) if count >= _OFTEN]
        patterns = tuple(sorted({self.steps[pattern] for pattern in frequent}))
        labels = sorted({label for pattern in self.steps for label, _ in pattern})
        words = self.how.embedder.embed([readable(label) for label in labels]).astype(np.float32)
        encoded = _encoded(self.steps, labels, relations, patterns, self.how.max_hops)
        if not self.how.whole:  # the weights of patterns stay 0, and are not fitted
            encoded.whole[:] = -1
        return Weights(self.how.max_hops, words, encoded, self.how.seed), relations, patterns


def _encoded(
    steps: list[Steps],
    labels: list[str],
    relations: tuple[str, ...],
    patterns: tuple[Steps, ...],
    max_hops: int,
) -> Encoded:
    kinds, number = kinds_of(max_hops), {label: i for i, label in enumerate(labels)}
    place: Ints = np.full((len(steps), max_hops + 1), -1, dtype=np.int64)
    for row, pattern in enumerate(steps):
        for hop, (label, forward) in enumerate(pattern):
            place[row, hop] = number[label] * kinds + 2 * hop + forward
        label, forward = pattern[-1]
        place[row, len(pattern)] = number[label] * kinds + kinds - 2 + forward
    own, whole = {label: i for i, label in enumerate(relations)}, {pattern: i for i, pattern in enumerate(patterns)}
    return Encoded(
        place,
        np.array([len(pattern) for pattern in steps], dtype=np.int64),
        np.array([own.get(label, -1) for label in labels], dtype=np.int64),
        np.array([whole.get(pattern, -1) for pattern in steps], dtype=np.int64),
    )
