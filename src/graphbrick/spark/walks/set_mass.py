"""The mass of one set of seeds on the driver: residuals and scores of the entities that its walks have reached."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.pagerank.settling import settle, standing
from graphbrick.spark.walks.progress import BUCKETS, WalkProgress, Way

Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class SetMass:
    """Residual and settled mass by entity.

    Entities are listed in ascending order while they are few. After `widen` there is an entry for each entity of the
    graph, so that adding what arrives needs no search.

    Args:
        ids: Where the walks start, ascending.
        degree: The degrees of these entities.
        residual: The share of the walks that starts at each; they sum to 1.

    Attributes:
        ids: The entities reached, ascending; None when there is an entry for each entity.
        walked: Triples walked.
    """

    def __init__(self, ids: Longs, degree: Longs, residual: Floats) -> None:
        self.ids: Longs | None = ids
        self._degree, self._residual = degree, residual.copy()
        self._settled, self._moved = np.zeros(len(ids)), np.zeros(len(ids))
        self.walked = 0
        self._low = 0.0

    def __len__(self) -> int:
        return len(self._residual)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that no other set shares."""
        return len(self) * (24 if self.ids is None else 40)

    def widen(self, degrees: Longs) -> None:
        """Make an entry for each entity of the graph.

        Args:
            degrees: The degrees of all entities; they are shared by all sets.
        """
        assert self.ids is not None
        for name in ("_residual", "_settled", "_moved"):
            wide = np.zeros(len(degrees))
            wide[self.ids] = getattr(self, name)
            setattr(self, name, wide)
        self.ids, self._degree = None, degrees

    def push(self, limit: float, way: Way) -> tuple[Floats, int]:
        """Push every residual above a limit per triple.

        Returns:
            The mass that goes along each triple of every entity, and the number of triples walked.
        """
        share = np.empty(len(self))
        edges = settle(
            self._residual, self._settled, self._moved, self._degree, limit, way.omega, way.restart, share
        )  # fmt: skip
        self.walked += int(edges)
        return share, int(edges)

    def leaving(self, share: Floats) -> tuple[Longs, Floats, Longs]:
        """Return the entities from which mass goes, the mass along each of their triples, and their degrees."""
        places = np.flatnonzero(share)
        return places if self.ids is None else self.ids[places], share[places], self._degree[places]

    def add(self, ids: Longs, sums: Floats) -> None:
        """Add mass to entities, each of which is given once; there must be an entry for each entity of the graph."""
        assert self.ids is None
        self._residual[ids] += sums

    def receive(self, ids: Longs, sums: Floats, degrees: Longs) -> None:
        """Add mass to entities, which may be new, and may be given more than once."""
        assert self.ids is not None
        unique, first, places = np.unique(ids, return_index=True, return_inverse=True)
        mass = np.bincount(places, sums, len(unique))
        at = np.minimum(np.searchsorted(self.ids, unique), len(self.ids) - 1)
        known = self.ids[at] == unique
        self._residual[at[known]] += mass[known]
        if known.all():
            return
        new = ~known
        merged = np.concatenate([self.ids, unique[new]])
        order = np.argsort(merged, kind="stable")
        self.ids = merged[order]
        self._degree = np.concatenate([self._degree, degrees[first[new]]])[order]
        self._residual = np.concatenate([self._residual, mass[new]])[order]
        empty = np.zeros(int(new.sum()))
        self._settled = np.concatenate([self._settled, empty])[order]
        self._moved = np.concatenate([self._moved, empty])[order]

    def progress(self, restart: float, k: int) -> WalkProgress:
        """Return how far the walks are."""
        scores = np.empty(len(self))
        found = standing(self._residual, self._settled, self._degree, restart, self._low, scores)
        if found[3] < k and self._low:
            found = standing(self._residual, self._settled, self._degree, restart, 0.0, scores)
        left, given, worst, count = found
        kth = 0.0
        if count >= k:
            exact = float(np.partition(scores[:count], -k)[-k])
            kth = 2.0 ** (math.floor(math.log2(exact) * BUCKETS) / BUCKETS)
            self._low = kth / 2  # scores change little from step to step
        return WalkProgress(left, given, worst, kth, self.walked)

    def scores(self, restart: float, keep: int | None, seeds: Longs) -> tuple[Longs, Floats]:
        """Return entities and their scores, which sum to 1 but for what is left.

        Args:
            restart: Probability of going back to the start.
            keep: Number of entities; those tied with the last are kept too, and all seeds. None keeps all.
            seeds: The seeds of the set.
        """
        scores = self._settled + restart * self._residual
        scores /= float((self._settled + self._residual).sum())
        chosen = scores > 0
        if keep is not None and np.count_nonzero(chosen) > keep:
            least = float(np.partition(scores, -keep)[-keep])
            at = seeds if self.ids is None else np.searchsorted(self.ids, seeds)
            is_seed = np.zeros(len(self), dtype=bool)
            is_seed[at] = True
            chosen &= (scores >= least - _TIE) | is_seed
        places = np.flatnonzero(chosen)
        return places if self.ids is None else self.ids[places], scores[places]


_TIE = 1e-13  # more than the rounding by which scores are ranked (`DIGITS` of extract)
