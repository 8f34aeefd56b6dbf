"""The probability that the best relation pattern of a question is the right one.

Scores say which pattern fits best, not whether it fits. «Who composed the film X?» gets an answer from a graph without
composers too: that of the pattern which is the least wrong. A logistic model reads from a few figures how far the best
pattern is ahead and how well it fits (Platt, Probabilistic Outputs for Support Vector Machines, 1999). It is fitted to
questions that were written from the graph, part of which the graph cannot answer
(`graphbrick.learn.fitting.calibration`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core import Reading
from graphbrick.core.deferred import cached_property
from graphbrick.language.stems import stem
from graphbrick.language.stop_words import FUNCTION_WORDS, WHO_WHEN_WHERE
from graphbrick.models.logistic import sigmoid
from graphbrick.patterns.alignment.alignment_table import EMISSION, MISSING
from graphbrick.patterns.english.usual import all_roots
from graphbrick.patterns.several_steps import ALIKE
from graphbrick.patterns.text import Steps, canonical, labelled, masked, readable, without_marks, words_of

if TYPE_CHECKING:
    from graphbrick.models.embedders.embedder import Embedder
    from graphbrick.patterns.alignment.alignment import Alignment
    from graphbrick.patterns.model.model import PatternModel, Prepared

Floats = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
Spoken = Mapping[tuple[str, bool], tuple[str, ...]]
"""Words by relation label and direction."""

FEATURES = {
    "odds": 1,
    "linear odds": 1,
    "elsewhere": -1,
    "words": 1,
    "missing": -1,
    "support": 1,
}
"""Figures of the best pattern, with the sign of their weights.

- odds: log odds of its answers, in a softmax over all patterns around the seeds;
- linear odds: the same by the linear scorer alone, without the alignment;
- elsewhere: how far the best pattern that other entities have, and the seed does not, is ahead of it, in log
  probability; 0 if it is behind;
- words: mean log probability of the question's words in the best alignment;
- missing: hops that no word speaks of;
- support: for each hop, the cosine of the question's word that is nearest to a word of the relation, or of written
  questions about such a hop; the lowest of all hops, from .3 to .65. Words that belong to no hop do not lower it.
"""
SUPPORT = (0.3, 0.65)
"""Cosines beyond which support says no more: unrelated words have .2 to .45, other words for the same .55 and more."""
_REMEMBERED = 20_000  # vectors of words
_CLIP = 12.0  # log odds are cut off at plus and minus this
ALIGNED = 32
"""Patterns at the seed that are compared, and as many of other entities."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """A logistic model of the probability that the best pattern is right.

    Attributes:
        weights: float64 [features], in the order of `FEATURES`.
        bias: The constant of the log odds.
        min_confidence: The least confidence that an answer should have, from 0 to 1.
        words: The words of written questions about each step.
        heard: Words of the questions that people gave, whatever they speak of.
    """

    weights: Scores
    bias: float
    min_confidence: float
    words: Spoken
    heard: frozenset[str] = frozenset()

    @cached_property
    def vectors(self) -> dict[str, Floats]:
        """Vectors of length 1 of the words met so far."""
        return {}

    @cached_property
    def known(self) -> frozenset[str]:
        """The stems of all words of written and given questions."""
        return frozenset(map(stem, self._met))

    @cached_property
    def roots(self) -> frozenset[str]:
        """The roots of all words of written and given questions; needs a dictionary."""
        return all_roots(self._met)

    @property
    def _met(self) -> frozenset[str]:
        return self.heard.union(*self.words.values())

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Calibration:
        """Return the calibration that `to_dict` described.

        Raises:
            ValueError: A number is not finite, or ``min_confidence`` is not from 0 to 1.
            KeyError: A number is missing.
        """
        weights = np.array([float(stored["weights"][name]) for name in FEATURES])
        bias, least = float(stored["bias"]), float(stored["min_confidence"])
        if not np.isfinite([*weights, bias]).all() or not 0 <= least <= 1:
            raise ValueError("the calibration has a weight that is not finite, or min_confidence is not from 0 to 1")
        words = {
            (str(label), bool(forward)): tuple(map(str, spoken))
            for label, ways in stored["words"].items()
            for forward, spoken in enumerate(ways)
        }
        return cls(weights, bias, least, words, frozenset(map(str, stored.get("heard", ()))))

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration as plain JSON types."""
        weights = dict(zip(FEATURES, self.weights.tolist(), strict=True))
        labels = sorted({label for label, _ in self.words})
        words = {label: [list(self.words.get((label, way), ())) for way in (False, True)] for label in labels}
        fitted = {"weights": weights, "bias": self.bias, "min_confidence": self.min_confidence}
        return fitted | {"words": words, "heard": sorted(self.heard)}

    def probability(self, features: Scores) -> float:
        """Return the probability that the best pattern is right, from 0 to 1."""
        return float(sigmoid(self.weights @ features + self.bias))


def fit_features(
    model: PatternModel, words: Spoken, vectors: dict[str, Floats], query: str, readings: Sequence[Reading]
) -> Scores:
    """Return how well the first of some readings fits a question, float64 [features]; see `FEATURES`.

    Args:
        model: The model that gave the scores; it must have an alignment.
        words: The words of written questions about each step.
        vectors: Vectors of words met so far; extended.
        query: The question.
        readings: The best patterns around the seeds, best first; at least one.
    """
    start = readings[0].pattern.start_label
    alike = [reading for reading in readings if reading.pattern.start_label == start][:ALIGNED]
    here = [canonical(labelled(reading.pattern.steps), model.symmetric) for reading in alike]
    scores = np.array([reading.score for reading in readings])
    prepared = model.ask(masked(query, start))
    found = Best(scores, _same_answers(readings), here, model.linear(prepared, here), _same_answers(alike))
    return features_of_best(model, words, vectors, prepared, found)


class Best(NamedTuple):
    """The best patterns around the seeds of a question, best first.

    Attributes:
        scores: float64 [patterns].
        same: bool [patterns], which lead to the answers of the first.
        here: Those that begin where the first does, at most `ALIGNED`, without the direction of symmetric relations.
        linear: float64 [here], their scores without the alignment.
        same_here: bool [here], like ``same``.
    """

    scores: Scores
    same: npt.NDArray[np.bool_]
    here: Sequence[Steps]
    linear: Scores
    same_here: npt.NDArray[np.bool_]


def features_of_best(
    model: PatternModel, words: Spoken, vectors: dict[str, Floats], prepared: Prepared, best: Best
) -> Scores:
    """Return how well the first of some patterns fits a question, float64 [features]; see `fit_features`."""
    alignment = model.alignment
    if alignment is None:
        raise ValueError("the confidence of patterns needs an alignment")
    parts, elsewhere = _elsewhere(model, alignment, prepared, best.here)
    return np.array(
        [
            _odds(best.scores, best.same),
            _odds(best.linear, best.same_here),
            (elsewhere - best.scores[0]).clip(0, _CLIP),
            parts[EMISSION] / max(1, sum(map(len, prepared.tokens))),
            parts[MISSING],
            _support(model, words, vectors, prepared, best.here[0]),
        ]
    )


def _support(model: PatternModel, words: Spoken, vectors: dict[str, Floats], prepared: Prepared, steps: Steps) -> float:
    """Return how well the least supported hop of a pattern is spoken of, within `SUPPORT`."""
    words_met = (token.word for side in prepared.tokens for token in side)
    question = [word for word in words_met if word not in WHO_WHEN_WHERE and word != ALIKE]
    by_step = [
        list(dict.fromkeys((*words.get(step, ()), *words_of_relation(step[0]))))
        for step in dict.fromkeys(without_marks(steps))
    ]
    if not question or not by_step:
        return SUPPORT[0]
    rows = unit_vectors(model.embedder, {word for group in (question, *by_step) for word in group}, vectors)
    question_vectors = np.stack([rows[word] for word in question])
    least = min((question_vectors @ np.stack([rows[word] for word in group]).T).max() for group in by_step)
    return float(np.clip(least, *SUPPORT))


def words_of_relation(label: str) -> list[str]:
    """Return the words of a relation that mean something; few questions are written about it, and may lack one."""
    label = readable(label).lower()
    return [word for word in words_of(label) if word not in FUNCTION_WORDS] or [label]


def unit_vectors(embedder: Embedder, words: Collection[str], known: dict[str, Floats]) -> dict[str, Floats]:
    """Return the vectors of words, of length 1.

    Args:
        embedder: Makes them.
        words: The words.
        known: Vectors of words met so far; extended, and emptied when there are too many.
    """
    if len(known) > _REMEMBERED:
        known.clear()
    # Each vector is read once, because another thread may clear the cache.
    rows = {word: vector for word in words if (vector := known.get(word)) is not None}
    fresh = sorted(word for word in words if word not in rows)
    if fresh:
        made = embedder.embed(fresh).astype(np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True) + np.float32(1e-12)
        rows |= dict(zip(fresh, made, strict=True))
        known.update({word: rows[word] for word in fresh})
    return rows


def _same_answers(readings: Sequence[Reading]) -> npt.NDArray[np.bool_]:
    """Return which readings lead to the ends of the first, or are its pattern from another entity of the same name."""
    first = readings[0]
    steps = first.pattern.start_label, first.pattern.steps
    return np.array(
        [
            (reading.pattern.start_label, reading.pattern.steps) == steps or np.array_equal(reading.ends, first.ends)
            for reading in readings
        ]
    )


def _odds(scores: Scores, chosen: npt.NDArray[np.bool_]) -> float:
    """Return the log odds of the chosen ones in a softmax over scores."""
    if chosen.all():
        return _CLIP
    odds = np.logaddexp.reduce(scores[chosen]) - np.logaddexp.reduce(scores[~chosen])
    return float(odds.clip(-_CLIP, _CLIP))


def _elsewhere(
    model: PatternModel, alignment: Alignment, prepared: Prepared, here: Sequence[Steps]
) -> tuple[Scores, np.float64]:
    """Return the alignment of the first pattern, and the best score of one the seed does not have.

    Such a pattern is one that other entities of the graph have.
    """
    is_other = np.ones(len(model.rivals), dtype=np.bool_)
    for steps in here:
        place = model.rival_places.get(without_marks(steps))
        if place is not None:
            is_other[place] = False
    scores = model.linear_of(prepared, model.rival_rows) if is_other.any() else np.zeros(0)
    best = np.argsort(-scores, kind="stable")
    best = best[is_other[best]][:ALIGNED]
    numbered = np.full((1 + len(best), max(alignment.max_hops, model.max_hops)), -1, dtype=np.int64)
    first = alignment.steps(here[0]) or ()
    numbered[0, : len(first)] = first
    if len(best):
        aligned = model.rival_rows.aligned[best]
        numbered[1:, : aligned.shape[1]] = aligned
    features = alignment.features_of(prepared.spoken, alignment.beginnings(numbered))
    return features[0], (scores[best] + features[1:] @ alignment.weights).max(initial=-np.inf)
