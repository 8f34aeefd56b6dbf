"""Scores of relations in each role for questions, by their words, and the gradients of the weights behind them.

A role scores a relation by ``words @ (scale[role] * e + maps[role] @ narrow @ q)``, see `PatternModel`. The product is
cheaper from the side of the relations, unless a batch has many of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RoleScores:
    """Scores of relations in each role, and what their gradients need.

    Attributes:
        table: float32 [questions, roles, relations], the scores.
        narrowed: float32 [questions, rank], the questions by ``narrow``.
        projected: float32 [roles, relations, rank], the relations by ``maps``; None where relations are many.
    """

    table: Floats
    narrowed: Floats
    projected: Floats | None

    @classmethod
    def of(cls, values: Mapping[str, Floats], questions: Floats, words: Floats) -> RoleScores:
        """Return the scores.

        Args:
            values: ``scale``, ``narrow`` and ``maps`` of a `PatternModel`.
            questions: float32 [questions, features].
            words: float32 [relations, dimensions].
        """
        scale, maps = values["scale"], values["maps"]
        (k, d, rank), s, r = maps.shape, len(questions), len(words)
        narrowed: Floats = questions @ values["narrow"].T
        if is_many(r, s, rank):
            roles: Floats = (narrowed @ maps.reshape(k * d, rank).T).reshape(s, k, d)
            roles += scale[:, None] * questions[:, None, :d]
            return cls((roles.reshape(s * k, d) @ words.T).reshape(s, k, r), narrowed, None)
        projected: Floats = words @ maps
        table: Floats = (narrowed @ projected.reshape(k * r, rank).T).reshape(s, k, r)
        table += scale[:, None] * (questions[:, :d] @ words.T)[:, None, :]
        return cls(table, narrowed, projected)

    def gradients(
        self, values: Mapping[str, Floats], questions: Floats, words: Floats, table: Floats
    ) -> dict[str, Floats]:
        """Return the gradients of ``scale``, ``narrow`` and ``maps``.

        Args:
            values, questions, words: As for `of`.
            table: float32 [questions, roles, relations], the gradient of each score.
        """
        maps = values["maps"]
        (k, d, rank), s, r = maps.shape, len(questions), len(words)
        by_map: Floats
        if self.projected is None:
            towards: Floats = (table.reshape(s * k, r) @ words).reshape(s, k * d)
            narrowed = towards @ maps.reshape(k * d, rank)
            by_scale = (towards.reshape(s, k, d) * questions[:, None, :d]).sum(axis=(0, 2))
            by_map = (towards.T @ self.narrowed).reshape(k, d, rank)
        else:
            flat = table.reshape(s, k * r)
            narrowed = flat @ self.projected.reshape(k * r, rank)
            by_scale = (table * (questions[:, :d] @ words.T)[:, None, :]).sum(axis=(0, 2))
            by_map = words.T @ (flat.T @ self.narrowed).reshape(k, r, rank)
        return {"scale": by_scale, "narrow": narrowed.T @ questions, "maps": by_map}


def is_many(relations: int, questions: int, rank: int) -> bool:
    """Return whether the products are cheaper with the questions first."""
    # Multiplications for each role and dimension: three products of questions by rank and two of questions by
    # relations, or two of relations by rank; the rest is small.
    return 2 * relations * rank > questions * (3 * rank + 2 * relations)
