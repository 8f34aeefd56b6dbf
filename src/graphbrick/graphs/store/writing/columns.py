"""Write the column of a property: owners, values and the order of the values; see `graphbrick.graphs.store.columns`."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import silent
from graphbrick.core.properties.values import Kind
from graphbrick.graphs.records.interner import spans_of, text_at
from graphbrick.graphs.store.strings import open_array
from graphbrick.graphs.store.value_keys import Keys, sortable, stem, utc_shift
from graphbrick.graphs.store.writing.arrays import ArrayWriter
from graphbrick.graphs.store.writing.buckets import COUNT, BucketReader, BucketWriter, groups, index_of
from graphbrick.graphs.store.writing.string_writer import StringWriter
from graphbrick.kernels.strings import cells
from graphbrick.kernels.strings.names import LEFT, fold_names
from graphbrick.kernels.strings.spans import Bytes, Offsets, copy_spans, hash_spans
from graphbrick.language.folding import name_form
from graphbrick.language.hashing import span_hash

_TYPES: dict[Kind, type[np.generic]] = {
    Kind.INTEGER: np.int64,
    Kind.NUMBER: np.float64,
    Kind.BOOLEAN: np.uint8,
    Kind.DATE: np.int32,
    Kind.DATETIME: np.int64,
}
_AT_ONCE = 1 << 22  # values that are sorted in memory
_BLANK = ord(" ")
_SAMPLE = 1 << 16  # values that decide the buckets of a longer column

Spans = tuple[Bytes, Offsets, Offsets]


class ColumnWriter:
    """Writer of one column; owners must ascend.

    Args:
        work: The folder of the files.
        number: The number of the column.
        kind: The kind of the values, or of the elements of lists.
        is_list: Whether values are lists, whose texts are JSON arrays of the texts of their elements.
    """

    def __init__(self, work: Path, number: int, kind: Kind, *, is_list: bool) -> None:
        self._work, self._stem, self._kind, self._count, self._elements = work, stem(number), kind, 0, 0
        self._stack = ExitStack()
        self._owner = self._array("owner", np.uint32)
        self._end = self._array("end", np.uint64) if is_list else None
        self._text = self._stack.enter_context(StringWriter(work, self._stem)) if kind == Kind.TEXT else None
        self._value = None if kind == Kind.TEXT else self._array("value", _TYPES[kind])
        self._zone = self._array("zone", np.int16) if kind == Kind.DATETIME else None
        self._hash = self._array("hash.tmp", np.int64) if kind == Kind.TEXT else None

    def _array(self, name: str, kind: type[np.generic]) -> ArrayWriter:
        return self._stack.enter_context(ArrayWriter(self._work / f"{self._stem}-{name}.npy", kind))

    def extend(self, owners: npt.NDArray[np.uint32], texts: Spans) -> None:
        """Append the values of further owners."""
        self._owner.extend(owners)
        self._count += len(owners)
        if self._end is not None:
            lists = [json.loads(text_at(texts[0], *span)) for span in zip(*texts[1:], strict=True)]
            self._end.extend(self._elements + np.cumsum([len(one) for one in lists]))
            texts = spans_of([text for one in lists for text in one])
        self._elements += len(texts[1])
        self._values(texts)

    def _values(self, texts: Spans) -> None:
        data, starts, ends = texts
        if self._text is not None and self._hash is not None:
            self._text.extend(data, starts, ends)
            self._hash.extend(text_keys(texts))
        elif self._zone is not None and self._value is not None:
            values, zones = cells.read_moments(data, starts, ends)
            self._value.extend(values)
            self._zone.extend(zones)
        elif self._value is not None:
            self._value.extend(_read(self._kind, data, starts, ends))

    def close(self) -> int:
        """Finish the files, write the order of the values, and return the number of owners."""
        self._stack.close()
        if self._kind != Kind.BOOLEAN:
            self._write_order()
        return self._count

    def _write_order(self) -> None:
        """Write the elements in ascending order of their keys, and for texts the keys in that order."""
        source = self._work / f"{self._stem}-hash.tmp.npy"
        if self._kind != Kind.TEXT:
            source = self._work / f"{self._stem}-value.npy"
        raw = open_array(source)
        zones = None if self._kind != Kind.DATETIME else open_array(self._work / f"{self._stem}-zone.npy")
        with ExitStack() as stack:
            order = stack.enter_context(ArrayWriter(self._work / f"{self._stem}-order.npy", np.uint32))
            hashes = None
            if self._kind == Kind.TEXT:
                hashes = stack.enter_context(ArrayWriter(self._work / f"{self._stem}-hash.npy", np.uint32))
            if len(raw) <= _AT_ONCE:
                keys = _keys(raw, zones, slice(None))
                ascending = np.argsort(keys, kind="stable")
                order.extend(ascending)
                if hashes is not None:
                    hashes.extend(keys[ascending])
            else:
                _sort_on_disk(self._work / f"{self._stem}-sort.tmp", raw, zones, order, hashes)
        if self._kind == Kind.TEXT:
            source.unlink()


def text_keys(texts: Spans) -> Keys:
    """Return the key that finds each text: the lower half of the hash of its folded words, or of the text."""
    data, starts, ends = texts
    hashes, words, state = fold_names(data, starts, ends)
    for i in np.flatnonzero(state == LEFT).tolist():
        folded = name_form(text_at(data, starts[i], ends[i]))
        hashes[i], words[i] = (span_hash(folded), 1) if folded else (0, 0)
    bare = np.flatnonzero(words == 0)
    hashes[bare] = hash_spans(data, starts[bare], ends[bare])
    return (hashes & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _keys(raw: npt.NDArray[np.generic], zones: npt.NDArray[np.int16] | None, part: slice) -> Keys:
    """Return the values of a part of a column as int64 in the same order."""
    values = np.asarray(raw[part])
    if values.dtype == np.float64:
        return sortable(values)
    keys = values.astype(np.int64)
    return keys if zones is None else keys - utc_shift(zones[part])


def _sort_on_disk(
    scratch: Path,
    raw: npt.NDArray[np.generic],
    zones: npt.NDArray[np.int16] | None,
    order: ArrayWriter,
    hashes: ArrayWriter | None,
) -> None:
    """Sort a column in buckets on disk, whose bounds come from a sample; frequent values have buckets of their own."""
    sample = _keys(raw, zones, slice(None, None, -(-len(raw) // _SAMPLE)))
    distinct, counts = np.unique(sample, return_counts=True)
    frequent = distinct[counts > _SAMPLE // COUNT]
    bounds = np.unique(np.concatenate([np.sort(sample)[:: 4 * _SAMPLE // COUNT], frequent, frequent + 1]))[: COUNT - 1]
    with BucketWriter(scratch) as rows:
        for at in range(0, len(raw), _AT_ONCE):
            keys = _keys(raw, zones, slice(at, at + _AT_ONCE))
            row = np.empty((len(keys), 3), dtype=np.uint32)
            row[:, :2] = keys.view(np.uint32).reshape(-1, 2)
            row[:, 2] = np.arange(at, at + len(keys))
            rows.rows(row, np.searchsorted(bounds, keys, side="right").astype(np.int32))
    with BucketReader(scratch) as reader:
        for begin, end in groups([reader], silent):
            is_one = end == begin + 1 and 0 < begin < len(bounds) and bounds[begin] == bounds[begin - 1] + 1
            for piece in reader.pieces(begin, end) if is_one else [reader.contents(begin, end)]:
                row = piece.view(np.uint32).reshape(-1, 3)
                keys = np.ascontiguousarray(row[:, :2]).view(np.int64).ravel()
                ascending = np.argsort(keys, kind="stable")
                order.extend(row[ascending, 2])
                if hashes is not None:
                    hashes.extend(keys[ascending])
    scratch.unlink()
    index_of(scratch).unlink()


def _read(kind: Kind, data: Bytes, starts: Offsets, ends: Offsets) -> npt.NDArray[np.generic]:
    """Return the values of texts, which are of a kind."""
    if kind == Kind.INTEGER:
        return cells.read_integers(data, starts, ends)
    if kind == Kind.DATE:
        return cells.read_dates(data, starts, ends)
    if kind == Kind.BOOLEAN:
        return np.asarray(ends - starts == len("true"), dtype=np.uint8)
    return _numbers(data, starts, ends)


def _numbers(data: Bytes, starts: Offsets, ends: Offsets) -> npt.NDArray[np.float64]:
    lasts = np.cumsum(ends - starts)
    texts = np.insert(copy_spans(data, starts, ends), lasts, _BLANK).tobytes().split()
    return np.fromiter(map(float, texts), dtype=np.float64, count=len(starts))
