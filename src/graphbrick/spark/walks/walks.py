"""Walks with restart over the rows of a graph on the workers: forward push of mass, for many sets of seeds at once.

This is the push of `PPR` (Andersen et al., FOCS 2006), done for all entities of a step together. In each step, every
entity whose residual is above a threshold per triple settles ``restart`` of it and passes the rest on.

Walks both ways are reversible. Their steps are accelerated by momentum (second-order Richardson iteration; Golub and
Varga, 1961), which needs a third of the steps: an entity moves a little more than its residual, and a share of what it
moved in the step before. Residuals may then be negative.

The mass is on the driver (`DriverMass`) as long as it fits a quarter of its memory, fewer sets together if need be. If
that of a single set does not, it is in tables on the workers (`TableMass`).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from graphbrick.core.compute import Progress, check_limits, silent
from graphbrick.spark.errors import SparkError
from graphbrick.spark.walks.driver_mass import DriverMass, Floats, Longs, Outgrown
from graphbrick.spark.walks.progress import Threshold, WalkProgress, Way, limits
from graphbrick.spark.walks.rows import Rows
from graphbrick.spark.walks.table_mass import TableMass

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_log = logging.getLogger("graphbrick")

_MOST_STEPS = 1000
_SHARE = 4  # the mass on the driver takes this part of the memory of the machine at most
_MEMORY = 8_000_000_000  # bytes, where the system does not tell
_START = 40  # bytes of an entity where walks start

Starts = Mapping[int, tuple[Longs, Longs, Floats]]


@dataclass(frozen=True)
class Walks:
    """Finished walks.

    Attributes:
        scores: ``set`` (int), ``id``, ``score``: the scores of each set, which sum to 1 but for what is left.
        progress: The last progress of each set.
        steps: Number of steps made.
        in_tables: Number of sets whose mass outgrew the driver.
    """

    scores: DataFrame
    progress: dict[int, WalkProgress]
    steps: int
    in_tables: int


def walk(
    rows: Rows,
    start: DataFrame,
    entities: int,
    way: Way,
    threshold: Threshold,
    *,
    k: int,
    keep: int | None = None,
    work: str,
    progress: Progress = silent,
) -> Walks:
    """Walk from all sets, until each is done.

    Args:
        rows: The rows of the graph.
        start: ``set`` (int), ``id``, ``degree``, ``residual``: where the walks start; residuals of a set sum to 1.
        entities: Number of rows of ``start``.
        way: The parameters of the walks.
        threshold: Gives the residual that need not be pushed any more.
        k: Rank of the score in `WalkProgress.kth`.
        keep: Entities of each set that the caller needs: the best ones and those where the walks start; None for all.
            There may be more.
        work: A folder for tables, on storage that all workers share; deleted by the caller.
        progress: Called with the name of each step.

    Raises:
        SparkError: The walks do not end within a thousand steps.
    """
    budget = mass_budget()
    if entities * _START * _SHARE > budget:
        return _in_tables(rows, start, way, threshold, k, work, progress)
    starts, done, outgrown = _collected(start), [], []
    groups = [list(starts)]
    while groups:
        group = groups.pop(0)
        try:
            done.append(_on_driver(rows, {number: starts[number] for number in group}, way, threshold, k, keep, budget,
                                   progress))  # fmt: skip
        except Outgrown:
            if len(group) == 1:
                outgrown += group
                continue
            half = len(group) // 2
            _log.info("the mass of %d sets needs more than %.1f GB; %d walk together", len(group), budget / 1e9, half)
            groups[:0] = [group[first : first + half] for first in range(0, len(group), half)]
    if outgrown:
        chosen = start.where(f"set IN ({', '.join(map(str, outgrown))})")
        done.append(_in_tables(rows, chosen, way, threshold, k, work, progress))
    return _joined(rows.prepared.spark, done)


def mass_budget() -> int:
    """Return the bytes that mass on the driver may take."""
    memory = _MEMORY
    with suppress(ValueError, OSError, AttributeError):  # the last on Windows
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return memory // _SHARE


def _collected(start: DataFrame) -> dict[int, tuple[Longs, Longs, Floats]]:
    """Return where the walks of each set start: ids, ascending; degrees; residuals."""
    table = start.select("set", "id", "degree", "residual").toArrow()
    numbers, ids, degrees, residuals = (table.column(name).to_numpy() for name in table.column_names)
    order = np.lexsort((ids, numbers))
    first = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    parts = np.split(order, first[1:])
    return {int(numbers[part[0]]): (ids[part], degrees[part], residuals[part]) for part in parts if len(part)}


def _on_driver(
    rows: Rows, starts: Starts, way: Way, threshold: Threshold, k: int, keep: int | None, budget: int,
    progress: Progress,
) -> Walks:  # fmt: skip
    mass = DriverMass(rows, starts, way, budget)
    far, steps = _walked(mass, threshold, k, progress, "mass on the driver")
    seeds = {number: ids for number, (ids, _, _) in starts.items()}
    parts = list(mass.scores(keep, seeds))
    scores = _frame(rows.prepared.spark, parts)
    return Walks(scores, far, steps, 0)


def _in_tables(
    rows: Rows, start: DataFrame, way: Way, threshold: Threshold, k: int, work: str, progress: Progress
) -> Walks:
    _log.info("the mass of the walks outgrows the driver, and is in tables on the workers")
    mass = TableMass(rows, start, way, work)
    far, steps = _walked(mass, threshold, k, progress, "mass in tables")
    return Walks(mass.scores(far), far, steps, len(far))


def _walked(
    mass: DriverMass | TableMass, threshold: Threshold, k: int, progress: Progress, place: str
) -> tuple[dict[int, WalkProgress], int]:
    """Make steps until each set is done."""
    for step in range(_MOST_STEPS):
        check_limits()
        far = mass.progress(k)
        least = limits(far, threshold)
        progress(f"walking; step {step}, {len(far) - len(least)} of {len(far)} sets done; {place}", 0, 1)
        if not least:
            return far, step
        mass.step(least)
    text = f"the walks did not end within {_MOST_STEPS:,} steps; try a larger tolerance or restart"
    raise SparkError(text, code="walks.steps")


def _frame(spark: SparkSession, parts: list[tuple[int, Longs, Floats]]) -> DataFrame:
    """Return ``set``, ``id``, ``score``."""
    import pyarrow

    numbers = np.repeat(
        np.array([number for number, _, _ in parts], np.int32), [len(ids) for _, ids, _ in parts]
    )  # fmt: skip
    columns = {
        "set": numbers,
        "id": np.concatenate([np.empty(0, np.int64), *(ids for _, ids, _ in parts)]),
        "score": np.concatenate([np.empty(0), *(scores for _, _, scores in parts)]),
    }
    return spark.createDataFrame(pyarrow.table(columns))


def _joined(spark: SparkSession, done: list[Walks]) -> Walks:
    """Return the walks of several groups of sets as one."""
    if not done:
        return Walks(_frame(spark, []), {}, 0, 0)
    far = {number: each for walks in done for number, each in walks.progress.items()}
    scores = reduce(lambda one, other: one.union(other), (walks.scores for walks in done))
    return Walks(scores, far, sum(walks.steps for walks in done), sum(walks.in_tables for walks in done))
