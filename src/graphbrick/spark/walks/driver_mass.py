"""Walks whose mass is on the driver, while the graph is on the workers.

A step sends the mass that leaves entities to all workers, which pass it on along their blocks of rows, and brings back
what arrives, summed for each block. No table is joined or written. This suits walks from seeds, whose mass does not
grow with the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.spark.walks.blocks import ARRIVING, ROWS, Leaving, over_blocks, passing_on, rows_of
from graphbrick.spark.walks.progress import WalkProgress, Way
from graphbrick.spark.walks.rows import Rows
from graphbrick.spark.walks.set_mass import SetMass

Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_ROUND = 256_000_000  # bytes that one job brings to the driver, at most about; Spark's limit is 1 GB
_ARRIVING, _LEAVING = 24, 16  # bytes of an entity at which mass arrives, and of one from which it leaves
_WIDE = 4  # a set that has reached this part of the entities, or walks this part of the triples, is treated as a whole


class Outgrown(Exception):  # noqa: N818
    """The mass of the sets needs more memory than it may have."""


class _Part(NamedTuple):
    """The mass that leaves some entities of a set, or all of them."""

    number: int
    ids: Longs | None
    shares: Floats
    nbytes: int


class DriverMass:
    """The mass of several sets.

    Args:
        rows: The rows of the graph.
        starts: Ids, degrees and residuals where the walks of each set start.
        way: The parameters of the walks.
        budget: Bytes that the mass of all sets may take.
    """

    def __init__(self, rows: Rows, starts: Mapping[int, tuple[Longs, Longs, Floats]], way: Way, budget: int) -> None:
        self._rows, self._way, self._budget = rows, way, budget
        self._masses = {number: SetMass(*start) for number, start in starts.items()}
        counts = rows.prepared.facts["counts"]
        self._entities = int(counts["entities"])
        self._targets = int(counts["triples"]) * (2 if rows.direction == "both" else 1)
        self._degrees: Longs | None = None
        self._rows_by_block: dict[int, Longs] = {}
        self._progress: dict[int, WalkProgress] = {}

    def progress(self, k: int) -> dict[int, WalkProgress]:
        """Return how far the walks of each set are."""
        for number, mass in self._masses.items():
            if number not in self._progress:
                self._progress[number] = mass.progress(self._way.restart, k)
        return dict(self._progress)

    def step(self, limits: Mapping[int, float]) -> None:
        """Push the residuals above the limit of each set, and pass them on.

        Raises:
            Outgrown: The mass needs more memory than it may have.
        """
        parts: list[_Part] = []
        for part in self._parts(limits):
            if parts and sum(each.nbytes for each in parts) + part.nbytes > _ROUND:
                self._pass_on(parts)
                parts = []
            parts.append(part)
        if parts:
            self._pass_on(parts)
        for number in limits:
            self._progress.pop(number)
            mass = self._masses[number]
            if mass.ids is not None and len(mass) * _WIDE > self._entities and self._entities * 48 < self._budget:
                mass.widen(self._all_degrees())
        if sum(mass.nbytes for mass in self._masses.values()) > self._budget:
            raise Outgrown

    def scores(self, keep: int | None, seeds: Mapping[int, Longs]) -> Iterator[tuple[int, Longs, Floats]]:
        """Yield each set, its entities and their scores; see `SetMass.scores`."""
        for number, mass in self._masses.items():
            yield number, *mass.scores(self._way.restart, keep, seeds[number])

    def _parts(self, limits: Mapping[int, float]) -> Iterator[_Part]:
        """Push in each set, and yield what leaves it, cut so that a job brings back not too much."""
        for number, limit in limits.items():
            mass = self._masses[number]
            share, edges = mass.push(limit, self._way)
            if mass.ids is None and self._way.reversible and edges * _WIDE > self._targets:
                yield _Part(number, None, share, 8 * self._entities)
                continue
            ids, shares, degrees = mass.leaving(share)
            sizes = np.cumsum(_ARRIVING * degrees + _LEAVING)
            cuts = np.searchsorted(sizes, np.arange(_ROUND, int(sizes[-1]) if len(sizes) else 0, _ROUND))
            ends = [0, *np.unique(cuts).tolist(), len(ids)]
            for first, last in pairwise(ends):
                if first < last:
                    size = int(sizes[last - 1] - (sizes[first - 1] if first else 0))
                    yield _Part(number, ids[first:last], shares[first:last], size)

    def _pass_on(self, parts: list[_Part]) -> None:
        """Run one job over all blocks, and add what arrives."""
        listed = [part for part in parts if part.ids is not None]
        whole = [part for part in parts if part.ids is None]
        if whole and not self._rows_by_block:
            table = over_blocks(self._rows.blocks(), rows_of, ROWS).toArrow()
            for block, found in zip(table.column("block").to_pylist(), table.column("rows"), strict=True):
                self._rows_by_block[block] = np.frombuffer(found.as_buffer(), np.int64)
        leaving = Leaving(
            [part.number for part in listed],
            np.cumsum([0, *(len(part.shares) for part in listed)]),
            np.concatenate([np.empty(0, np.int64), *(part.ids for part in listed if part.ids is not None)]),
            np.concatenate([np.empty(0), *(part.shares for part in listed)]),
            [part.number for part in whole],
            np.stack([part.shares for part in whole]) if whole else np.empty((0, 0)),
        )
        sent = self._rows.prepared.spark.sparkContext.broadcast(tuple(leaving))
        arrived = over_blocks(self._rows.blocks(), passing_on(sent), ARRIVING).toArrow()
        sent.destroy()
        by_set: dict[int, list[tuple[Longs, Floats, Longs]]] = {}
        buffers = (map(_buffer, arrived.column(name)) for name in ("ids", "sums", "degrees"))
        numbers = (arrived.column(name).to_pylist() for name in ("set", "block"))
        for number, block, ids, sums, degrees in zip(*numbers, *buffers, strict=True):
            mass, mass_sums = self._masses[number], sums.view(np.float64)
            if not len(ids):
                mass.add(self._rows_by_block[block], mass_sums)
            elif mass.ids is None:
                mass.add(ids, mass_sums)
            else:
                by_set.setdefault(number, []).append((ids, mass_sums, degrees))
        for number, found in by_set.items():
            self._masses[number].receive(*map(np.concatenate, zip(*found, strict=True)))

    def _all_degrees(self) -> Longs:
        if self._degrees is None:
            self._degrees = self._rows.degrees()
        return self._degrees


def _buffer(value: object) -> Longs:
    return np.frombuffer(value.as_buffer(), np.int64)  # type: ignore[attr-defined]
