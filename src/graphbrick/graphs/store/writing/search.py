"""Indexes that find entities by key and by name.

Hashes and trigrams are first spread over buckets, then sorted into arrays.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, silent
from graphbrick.graphs.records.interner import spans_of, text_at
from graphbrick.graphs.store.writing.arrays import ArrayWriter
from graphbrick.graphs.store.writing.buckets import BucketReader, BucketWriter, bucket_of_hash, groups, index_of
from graphbrick.kernels.positions import Numbers
from graphbrick.kernels.strings.names import LEFT, fold_names, name_grams
from graphbrick.kernels.strings.spans import Bytes, Hashes, Offsets
from graphbrick.language.folding import gram_hashes, name_form, span_hash, trigrams

NAME_HASHES, GRAMS = "name_hashes.tmp", "grams.tmp"
"""Rows (64-bit hash, name id) in buckets by hash; rows (64-bit trigram, name id) in buckets by trigram."""

_NAMES = 1 << 15  # names per batch when computing trigrams


def hash_rows(hashes: Hashes, ids: npt.NDArray[np.int32]) -> Numbers:
    """Pack hashes and ids into rows, uint32 [ids, 3]."""
    rows = np.empty((len(ids), 3), dtype=np.uint32)
    rows[:, :2] = hashes.view(np.uint32).reshape(-1, 2)
    rows[:, 2] = ids
    return rows


def _parted(rows: Numbers) -> tuple[Hashes, npt.NDArray[np.int32]]:
    """Unpack rows into hashes and ids."""
    return np.ascontiguousarray(rows[:, :2]).view(np.uint64).ravel(), rows[:, 2].astype(np.int32)


class SearchWriter:
    """Writer of the name hashes and trigrams into buckets.

    Args:
        work: The folder of the build.
        near: Whether to write the trigrams that find near misses.
    """

    def __init__(self, work: Path, *, near: bool) -> None:
        self.longest = 0
        self._hashes = BucketWriter(work / NAME_HASHES)
        self._grams = BucketWriter(work / GRAMS) if near else None

    def __enter__(self) -> SearchWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._hashes.__exit__(kind, error, tb)
        if self._grams is not None:
            self._grams.__exit__(kind, error, tb)

    def add(self, spans: tuple[Bytes, Offsets, Offsets], names: npt.NDArray[np.int32]) -> None:
        """Add names, given as text spans and name ids."""
        data, starts, ends = spans
        hashes, words, state = fold_names(data, starts, ends)
        left = np.flatnonzero(state == LEFT)
        folded = [name_form(text_at(data, starts[i], ends[i])) for i in left.tolist()]
        hashes[left] = np.fromiter(map(span_hash, folded), dtype=np.uint64, count=len(folded))
        words[left] = [len(name.split()) for name in folded]
        named = words > 0
        self.longest = max(self.longest, int(words.max(initial=0)))
        self._hashes.rows(hash_rows(hashes[named], names[named]), bucket_of_hash(hashes[named]))
        if self._grams is None:
            return
        for begin in range(0, len(names), _NAMES):
            part = slice(begin, begin + _NAMES)
            self._add_grams(name_grams(data, starts[part], ends[part], names[part], state[part]))
        grams = [gram_hashes(trigrams(name)) if name else gram_hashes(()) for name in folded]
        if grams:
            repeated = np.repeat(names[left], [len(own) for own in grams])
            self._add_grams(hash_rows(np.concatenate(grams), repeated))

    def _add_grams(self, rows: Numbers) -> None:
        assert self._grams is not None
        # The highest bits of a trigram select its bucket, as for a hash.
        bucket = bucket_of_hash(rows[:, 1].astype(np.uint64) << np.uint64(32))
        self._grams.rows(rows, bucket)


def write_hashes(work: Path, buckets: str, hash_file: str, id_file: str, progress: Progress) -> None:
    """Sort (hash, id) rows by hash, then id, and write an array of hashes and an array of ids."""
    with (
        BucketReader(work / buckets) as rows,
        ArrayWriter(work / hash_file, np.uint64) as hash_array,
        ArrayWriter(work / id_file, np.int32) as id_array,
    ):
        for begin, end in groups([rows], progress):
            hashes, ids = _parted(rows.rows(begin, end, 3))
            order = np.lexsort((ids, hashes))
            hash_array.extend(hashes[order])
            id_array.extend(ids[order])


def write_grams(work: Path, progress: Progress) -> None:
    """Sort (trigram, name) rows and write the trigram index.

    It consists of the distinct trigrams, the end of each trigram's list of names, and the lists.
    """
    count = 0
    with (
        BucketReader(work / GRAMS) as rows,
        ArrayWriter(work / "gram.npy", np.uint64) as gram_array,
        ArrayWriter(work / "gram_end.npy", np.uint64) as end_array,
        ArrayWriter(work / "gram_name.npy", np.int32) as name_array,
    ):
        for begin, end in groups([rows], progress):
            grams, names = _parted(rows.rows(begin, end, 3))
            order = np.lexsort((names, grams))
            distinct, counts = np.unique(grams[order], return_counts=True)
            gram_array.extend(distinct)
            end_array.extend(count + np.cumsum(counts))
            name_array.extend(names[order])
            count += len(names)


def write_names(folder: Path, names: list[str]) -> int:
    """Write both indexes over names, numbered in the given order; return the word count of the longest name."""
    data, starts, ends = spans_of(names)
    with SearchWriter(folder, near=True) as writer:
        writer.add((data, starts, ends), np.arange(len(names), dtype=np.int32))
    write_hashes(folder, NAME_HASHES, "name_hash.npy", "name_id.npy", silent)
    write_grams(folder, silent)
    for file in (NAME_HASHES, GRAMS):
        (folder / file).unlink()
        index_of(folder / file).unlink()
    return writer.longest
