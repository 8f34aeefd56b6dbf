"""What the rows of a table show: which columns have values, which identify a row, and what refers to what."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import numpy.typing as npt

from graphbrick.core.properties.values import is_exact_float
from graphbrick.core.properties.written import WrittenCells
from graphbrick.graphs.readers.ends import KeySet
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.relational.tables import Cells, SourceTable
from graphbrick.graphs.records.interner import spans_of
from graphbrick.kernels.strings.spans import hash_spans

Places = tuple[int, ...]
"""The indices of the columns of a key."""

BATCH = 1 << 14
_MIDNIGHT = re.compile(r"\d{4}-\d\d-\d\d[ T]00:00(?::00(?:\.0+)?)?")
_DECIMALS = re.compile(r"(-?\d+)\.0+")
MISSING = frozenset("N/A n/a #N/A NA na n.a. NaN nan None none NULL null - -- ?".split())
"""Texts that stand for a missing value among numbers and dates."""
_VALUE = re.compile(r"[\d.,:/ +\-eETZ%']*\d[\d.,:/ +\-eETZ%']*")
_MOSTLY = 0.95  # of the cells of a column of numbers or dates are such
_NONE = ("0", "-1")
"""Keys that stand for none, where no row has them."""


@dataclass
class Profile:
    """What the rows of a table show.

    Attributes:
        rows: The number of rows.
        filled: The number of values of each column.
        keys: The keys of the rows in each of the columns that may identify them.
        complete: The number of rows with a value in all of these columns.
        midnights: The columns of dates with a time that is always midnight.
        mixed: The columns of whole numbers and other numbers.
        values: The columns of numbers or dates, by the first rows.
        cells: How the cells of each column are written.
        large: The columns of `mixed` with a whole number that a number with decimals cannot hold.
    """

    rows: int
    filled: list[int]
    keys: dict[Places, KeySet] = field(default_factory=dict)
    complete: dict[Places, int] = field(default_factory=dict)
    midnights: frozenset[int] = frozenset()
    mixed: frozenset[int] = frozenset()
    values: frozenset[int] = frozenset()
    cells: list[WrittenCells] = field(default_factory=list)
    large: frozenset[int] = frozenset()

    def identifies(self, places: Places) -> bool:
        """Return whether all rows have a key in some columns, and all keys differ."""
        return self.rows > 0 and self.complete[places] == self.rows == self.count(places)

    def is_unique(self, places: Places) -> bool:
        """Return whether all keys in some columns differ; some rows may have none."""
        return 0 < self.complete[places] == self.count(places)

    def count(self, places: Places) -> int:
        """Return the number of different keys in some columns."""
        return len(self.keys[places].hashes())


def batches(table: SourceTable, reading: FileReading) -> Iterator[list[Cells]]:
    """Yield the rows of a table, many at a time."""
    rows = (cells for _, cells in table.open(reading))
    while batch := list(islice(rows, BATCH)):
        yield batch


def hashes_of(texts: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return the hashes of keys."""
    return hash_spans(*spans_of(texts))


def profiled(table: SourceTable, reading: FileReading, wanted: Collection[Places]) -> Profile:
    """Go through the rows of a table.

    Args:
        table: The table.
        reading: How to read it.
        wanted: The columns that may identify a row.
    """
    width = len(table.columns)
    profile = Profile(0, [0] * width, {places: KeySet() for places in wanted}, dict.fromkeys(wanted, 0))
    dates = {place for place in range(width) if _may_be_midnights(table, place)}
    kinds: list[set[type]] = [set() for _ in range(width)]
    profile.cells = list(map(WrittenCells, table.columns))
    large = set[int]()
    for batch in batches(table, reading):
        profile.rows += len(batch)
        for place, cells in enumerate(zip(*batch, strict=True)):
            if table.typed:
                profile.filled[place] += sum(cell is not None and cell != "" for cell in cells)
                found = set(map(type, cells))
                kinds[place] |= found
                if int in found and any(type(cell) is int and not is_exact_float(cell) for cell in cells):
                    large.add(place)
            else:
                profile.filled[place] += sum(map(bool, cells))
            if profile.cells[place].is_open:
                profile.cells[place].extend(cells)
            if place in dates and not all(map(_is_midnight, cells)):
                dates.discard(place)
        for places, keys in profile.keys.items():
            texts = [text for cells in batch if (text := table.key(cells, places))]
            profile.complete[places] += len(texts)
            if texts:
                keys.add(hashes_of(texts))
    profile.values = frozenset(place for place in range(width) if _holds_values(table, place))
    profile.mixed = frozenset(place for place, found in enumerate(kinds) if {int, float} <= found)
    profile.large = frozenset(large & profile.mixed)
    profile.midnights = frozenset(place for place in dates if profile.filled[place])
    return profile


def _may_be_midnights(table: SourceTable, place: int) -> bool:
    texts = [row[place] for row in table.samples if row[place]]
    return bool(texts) and all(_MIDNIGHT.match(text) for text in texts)


def _holds_values(table: SourceTable, place: int) -> bool:
    """Return whether nearly all first cells of a column, but for those that say that one is missing, are values."""
    texts = [row[place].strip() for row in table.samples if row[place].strip() not in MISSING | {""}]
    return sum(_VALUE.fullmatch(text) is not None for text in texts) >= _MOSTLY * len(texts) > 0


def _is_midnight(cell: object) -> bool:
    if isinstance(cell, datetime.datetime):
        return cell.time() == datetime.time(0) and cell.tzinfo is None
    return cell is None or cell == "" or (isinstance(cell, str) and _MIDNIGHT.fullmatch(cell) is not None)


@dataclass
class Fit:
    """How many values of a column are keys of another table.

    Attributes:
        values: The number of rows with a value.
        hits: The number of those that are keys.
        whole_hits: The number of keys if decimals that are zero are left out: 17 of «17.0».
    """

    values: int = 0
    hits: int = 0
    whole_hits: int = 0

    @property
    def share(self) -> float:
        """The share of values that are keys, with or without decimals."""
        return max(self.hits, self.whole_hits) / self.values if self.values else 0.0

    @property
    def is_whole(self) -> bool:
        """Whether decimals have to be left out."""
        return self.whole_hits > self.hits


def whole(text: str) -> str:
    """Return a key without decimals that are zero, as «17» of «17.0», which a column of numbers with gaps has.

    >>> whole("17.0"), whole("17.5"), whole("A1.0")
    ('17', '17.5', 'A1.0')
    """
    match = _DECIMALS.fullmatch(text)
    return match[1] if match else text


def fits(table: SourceTable, reading: FileReading, candidates: Sequence[tuple[Places, KeySet]]) -> list[Fit]:
    """Return how many values of columns are in sets of keys; 0 and -1 are no values unless they are keys."""
    found = [Fit() for _ in candidates]
    for batch in batches(table, reading):
        texts_of: dict[Places, list[str]] = {}
        for fit, (places, keys) in zip(found, candidates, strict=True):
            if places not in texts_of:
                texts_of[places] = [text for cells in batch if (text := table.key(cells, places))]
            texts = texts_of[places]
            if not texts:
                continue
            is_key = keys.has(hashes_of(texts))
            none = sum(text in _NONE for text, hit in zip(texts, is_key.tolist(), strict=True) if not hit)
            fit.values += len(texts) - none
            fit.hits += int(is_key.sum())
            shorter = [whole(text) for text in texts]
            fit.whole_hits += int(is_key.sum() if shorter == texts else keys.has(hashes_of(shorter)).sum())
    return found
