"""Weights that choose among the entities at the end of patterns: fixed or learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

FEATURES = (
    "share", "best share", "spread share", "walks", "second seed", "other seeds", "best pattern", "few ends",
    "joined", "degree", "relations", "in question", "unnamed", "date",
    "name words", "name cover", "type words", "description words", "neighbour words", "neighbour named",
    "name similarity", "name similarity, masked", "neighbour similarity", "relation similarity",
    "relation similarity, mean",
)  # fmt: skip
"""The features of a candidate; see `docs/train.md` for what each says."""
ALL = 1e9
"""A margin that leaves no end of the best pattern out."""

_DEFAULT = {
    "best pattern": 1000.0, "share": 0.01, "second seed": 0.3, "other seeds": 2.0, "joined": 0.3, "date": 2.0,
    "in question": -1.0, "unnamed": -2.0, "name words": 0.5, "type words": 3.0, "description words": 3.0,
    "neighbour words": 0.5, "neighbour named": 2.0, "few ends": 0.01,
}  # fmt: skip
_OPEN = {
    "spread share": 0.2, "joined": 2.0, "relations": 0.3, "neighbour words": 0.5, "neighbour named": 0.2,
    "name similarity": 1.0, "name similarity, masked": 1.0, "neighbour similarity": 0.3, "relation similarity": 0.7,
    "relation similarity, mean": 0.5,
}  # fmt: skip
_KEPT = 100.0  # weight of the best pattern from which no end of another one can be better


@dataclass(frozen=True)
class EndModel:
    """A linear score of candidates, and how far below the best one an answer may score.

    Attributes:
        weights: float64 [features], in the order of `FEATURES`.
        margin: For questions that ask for one entity: ends of the best pattern that score lower than the best end by
            more than this are no answers. From 0; `ALL` keeps every end.
        margin_of_many: The same for questions that ask for several.
        learned: Number of questions the weights were learned from; 0 for the fixed ones.
    """

    weights: Floats
    margin: float = ALL
    margin_of_many: float = ALL
    learned: int = 0

    def __post_init__(self) -> None:
        if self.weights.shape != (len(FEATURES),) or not np.isfinite(self.weights).all():
            raise ValueError(f"weights must be {len(FEATURES)} finite numbers, got shape {self.weights.shape}")
        if not (self.margin >= 0 and self.margin_of_many >= 0):
            raise ValueError(f"margins must be at least 0, got {self.margin} and {self.margin_of_many}")

    @property
    def keeps_best(self) -> bool:
        """True if only ends of the best pattern are answers."""
        return bool(self.weights[FEATURES.index("best pattern")] >= _KEPT)

    def score(self, features: Floats) -> Floats:
        """Return the score of each candidate, float64 [candidates]; their softmax is a probability."""
        scores: Floats = features @ self.weights
        return scores

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain JSON types; weights by the names of their features."""
        return {
            "weights": dict(zip(FEATURES, self.weights.tolist(), strict=True)),
            "margin": self.margin,
            "margin_of_many": self.margin_of_many,
            "learned": self.learned,
        }

    @classmethod
    def from_dict(cls, described: Mapping[str, Any]) -> EndModel:
        """Return the model that `to_dict` described; features that it does not name have weight 0.

        Raises:
            KeyError, TypeError, ValueError: It is damaged.
        """
        by_name = described["weights"]
        weights = np.array([float(by_name.get(name, 0.0)) for name in FEATURES])
        margins = float(described["margin"]), float(described["margin_of_many"])
        return cls(weights, *margins, learned=int(described["learned"]))


DEFAULT = EndModel(np.array([_DEFAULT.get(name, 0.0) for name in FEATURES]), margin=1.0, margin_of_many=1.0)
"""Keeps the best pattern, and orders its ends by seeds that meet, words of the question, types and dates."""
OPEN = EndModel(np.array([_OPEN.get(name, 0.0) for name in FEATURES]), margin=1.0)
"""For patterns of many relations that were learned without labels, of which the best one is seldom certain: ends that
several patterns lead to and that are close to the question. Chosen on 200 questions over one such graph."""
