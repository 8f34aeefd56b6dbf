"""Columns of properties on disk, opened by memory map.

Column N consists of the files ``property-N-owner.npy`` (uint32, ascending: the entities or triples that have a value),
``property-N-value.npy`` (or ``property-N.zst`` for texts), and ``property-N-order.npy`` (uint32: the values in
ascending order, for texts by hash, with the hashes in ``property-N-hash.npy``). Lists have ``property-N-end.npy``, the
ends of their elements among the values; date-times ``property-N-zone.npy``, minutes east of Greenwich.
"""

from __future__ import annotations

import datetime
from bisect import bisect_left
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.deferred import cached_property
from graphbrick.core.properties.condition import Condition, comparable
from graphbrick.core.properties.values import Kind, PropertyColumn, Scalar, Value, kind_of, shown_value
from graphbrick.graphs.store.manifest import PropertyFiles
from graphbrick.graphs.store.strings import StringTable, open_array
from graphbrick.graphs.store.value_keys import NO_ZONE, sortable, stem, text_key, utc_shift

Ids = npt.NDArray[np.int64]

_EXAMPLES = 3
_FEWEST_CODES = 3  # values, from which those that all differ are no chance
_DAY = 86_400_000_000  # microseconds
_EPOCH = datetime.date(1970, 1, 1)
_START = datetime.datetime(1970, 1, 1)


class Column:
    """One column of properties.

    Args:
        folder: The graph.
        number: The number of the column.
        facts: Its entry in the manifest.
    """

    def __init__(self, folder: Path, number: int, facts: PropertyFiles) -> None:
        self.name, self.kind, self.is_list = facts.name, Kind(facts.kind), facts.is_list
        self.of_triples, self.unit = facts.of_triples, facts.unit
        self._folder, self._stem = folder, stem(number)
        self.owners: npt.NDArray[np.uint32] = self._array("owner")
        """The entities or triples that have a value, ascending."""
        self._owner = memoryview(self.owners)  # type: ignore[arg-type]  # its items are plain integers
        self._end = self._array("end") if self.is_list else None
        self._texts = StringTable.open(folder, self._stem) if self.kind == Kind.TEXT else None
        self._value = None if self.kind == Kind.TEXT else self._array("value")
        self._zone = self._array("zone") if self.kind == Kind.DATETIME else None
        self._order = None if self.kind == Kind.BOOLEAN else self._array("order")
        self._hash = self._array("hash") if self.kind == Kind.TEXT else None
        if len(self.owners) != facts.count:
            raise ValueError(f"{self._stem} has {len(self.owners):,} owners instead of {facts.count:,}")

    def _array(self, name: str) -> npt.NDArray[Any]:
        return open_array(self._folder / f"{self._stem}-{name}.npy")

    def __len__(self) -> int:
        return len(self.owners)

    def described(self) -> PropertyColumn:
        """Return name, kind, count and examples."""
        step = max(1, len(self) // _EXAMPLES)
        shown = dict.fromkeys(shown_value(self.value(row)) for row in range(0, len(self), step))
        return PropertyColumn(self.name, self.kind, len(self), self.is_list, tuple(shown)[:_EXAMPLES], self.unit)

    def of(self, owner: int) -> Value | None:
        """Return the value of an entity or triple; None if it has none."""
        row = bisect_left(self._owner, owner)
        if row == len(self._owner) or self._owner[row] != owner:
            return None
        return self.value(row)

    def value(self, row: int) -> Value:
        """Return a value by row."""
        if self._end is None:
            return self.element(row)
        first = int(self._end[row - 1]) if row else 0
        return tuple(self.element(place) for place in range(first, int(self._end[row])))

    def element(self, place: int) -> Scalar:
        """Return one value; of lists, one element of the elements of all lists."""
        if self._texts is not None:
            return self._texts[place]
        assert self._value is not None
        value = self._value[place].item()
        if self.kind == Kind.BOOLEAN:
            return bool(value)
        if self.kind == Kind.DATE:
            return _EPOCH + datetime.timedelta(days=value)
        if self._zone is None:
            number: int | float = value
            return number
        zone = int(self._zone[place])
        moment = _START + datetime.timedelta(microseconds=value)
        if zone == NO_ZONE:
            return moment
        return moment.replace(tzinfo=datetime.timezone(datetime.timedelta(minutes=zone)))

    @cached_property
    def tells_apart(self) -> bool:
        """Whether its values are texts of which no two owners have the same, such as codes of airports."""
        if self._hash is None or self.is_list or len(self._hash) < _FEWEST_CODES:
            return False
        return not bool((self._hash[1:] == self._hash[:-1]).any())

    def few_texts(self, most: int) -> list[str]:
        """Return one text of each form after folding, if there are at most so many forms; else none."""
        texts, at = list[str](), 0
        while self._hash is not None and at < len(self._hash):
            if len(texts) == most:
                return []
            texts.append(str(self.element(int(self._order[at]))))  # type: ignore[index]
            at = int(np.searchsorted(self._hash, self._hash[at], side="right"))
        return texts

    def is_binary(self) -> bool:
        """Return whether its values are whole numbers, both 0 and 1 and no others."""
        if self.kind != Kind.INTEGER or self._order is None or not len(self._order):
            return False
        return [self.element(int(self._order[at])) for at in (0, -1)] == [0, 1]

    @property
    def numbers(self) -> npt.NDArray[np.generic] | None:
        """The values as numbers in the order of the owners: amounts, days or microseconds; None for texts."""
        return self._value

    def zones(self) -> set[int | None]:
        """Return the zones of date-times in minutes east of Greenwich; None for those without a zone."""
        zones = [] if self._zone is None else np.unique(self._zone).tolist()
        return {None if zone == NO_ZONE else int(zone) for zone in zones}

    def matching(self, condition: Condition) -> Ids:
        """Return the owners with a value that meets a condition, ascending and distinct."""
        if self.kind == Kind.TEXT:
            places = self._texts_where(condition)
        elif self.kind == Kind.BOOLEAN:
            places = self._booleans_where(condition)
        else:
            places = self._numbers_where(condition)
        if self._end is not None:
            places = np.unique(np.searchsorted(self._end, places, side="right"))
        return np.sort(self.owners[places]).astype(np.int64)

    def named(self, text: str) -> Ids:
        """Return the owners with a text equal to another after folding case, accents and punctuation."""
        if self._texts is None:
            return np.empty(0, dtype=np.int64)
        rows = self._with_key(text)
        if not len(rows):
            return rows
        if self._end is not None:
            rows = np.unique(np.searchsorted(self._end, rows, side="right"))
        return np.sort(self.owners[rows]).astype(np.int64)

    def _with_key(self, text: str) -> Ids:
        """Return the places of the texts that may equal a text, by the hash of their folded form."""
        assert self._hash is not None
        assert self._order is not None
        key = np.uint32(text_key(text))
        first = int(np.searchsorted(self._hash, key))
        if first == len(self._hash) or self._hash[first] != key:
            return np.empty(0, dtype=np.int64)
        return np.asarray(self._order[first : np.searchsorted(self._hash, key, "right")], dtype=np.int64)

    def _texts_where(self, condition: Condition) -> Ids:
        assert self._texts is not None
        texts, equals = self._texts, condition.equals
        if equals is not None:
            if not isinstance(equals, str):
                return np.empty(0, dtype=np.int64)
            candidates: Sequence[int] = self._with_key(equals).tolist()
        elif kind_of(next(iter(condition.bounds.values()))) != Kind.TEXT:
            return np.empty(0, dtype=np.int64)
        else:
            candidates = range(len(texts))
        return np.array([place for place in candidates if condition.holds(texts[place])], dtype=np.int64)

    def _booleans_where(self, condition: Condition) -> Ids:
        assert self._value is not None
        allowed = [value for value in (False, True) if condition.holds(value)]
        return np.flatnonzero(np.isin(self._value, allowed))

    def _numbers_where(self, condition: Condition) -> Ids:
        """Return the places of numbers, dates or date-times by bisection of their order."""
        assert self._order is not None
        low, high = 0, len(self._order)
        for name, bound in condition.bounds.items():
            if (kind_of(bound) in (Kind.DATE, Kind.DATETIME)) != (self.kind in (Kind.DATE, Kind.DATETIME)):
                return np.empty(0, dtype=np.int64)
            if isinstance(bound, str | bool):
                return np.empty(0, dtype=np.int64)
            wanted = comparable(bound)
            if name in ("equals", "above", "at_least"):
                low = max(low, self._bisect(wanted, after=name == "above"))
            if name in ("equals", "below", "at_most"):
                high = min(high, self._bisect(wanted, after=name != "below"))
        return np.asarray(self._order[low:high], dtype=np.int64)

    def _bisect(self, wanted: Any, *, after: bool) -> int:
        """Return how many values are less than a bound, or less or equal with ``after``."""
        key = self._comparable
        assert self._order is not None
        low, high = 0, len(self._order)
        while low < high:
            middle = (low + high) // 2
            value = key(int(self._order[middle]))
            if value < wanted or (after and value == wanted):
                low = middle + 1
            else:
                high = middle
        return low

    @property
    def _comparable(self) -> Callable[[int], int | float]:
        value, zone = self._value, self._zone
        assert value is not None
        if self.kind == Kind.DATE:
            return lambda place: int(value[place]) * _DAY
        if zone is not None:
            return lambda place: int(value[place]) - int(utc_shift(zone[place : place + 1])[0])
        return lambda place: value[place].item()

    def check(self, n_owners: int) -> str:
        """Return what is wrong with the files of the column; empty if nothing is."""
        owners = self.owners
        if len(owners) and (int(owners.max()) >= n_owners or not (owners[1:] > owners[:-1]).all()):
            return "owner"
        size = len(self._texts) if self._texts is not None else len(self._value)  # type: ignore[arg-type]
        ends = self._end
        if ends is not None and (len(ends) != len(owners) or (len(ends) and int(ends[-1]) != size)):
            return "end"
        if ends is None and size != len(owners):
            return "value"
        if ends is not None and not (ends[1:] >= ends[:-1]).all():
            return "end"
        order = self._order
        if order is None:
            return ""
        seen = np.zeros(size, dtype=np.bool_)
        if len(order) != size or (size and int(order.max()) >= size):
            return "order"
        seen[order] = True
        if not seen.all():
            return "order"
        return "" if self._is_ordered(order) else "order"

    def _is_ordered(self, order: npt.NDArray[np.uint32]) -> bool:
        if self._hash is not None:
            return len(self._hash) == len(order) and bool((self._hash[1:] >= self._hash[:-1]).all())
        assert self._value is not None
        values = np.asarray(self._value)
        keys = sortable(values) if self.kind == Kind.NUMBER else values.astype(np.int64)
        keys = keys if self._zone is None else keys - utc_shift(self._zone)
        return bool((keys[order[1:]] >= keys[order[:-1]]).all())


def open_columns(folder: Path, entries: Sequence[dict[str, Any]]) -> list[Column]:
    """Open all columns of a graph."""
    return [Column(folder, number, PropertyFiles(**entry)) for number, entry in enumerate(entries)]
