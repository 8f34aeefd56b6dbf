"""On-disk buckets for more records than fit in memory: written in any order, read bucket by bucket."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress
from graphbrick.core.files.writing import FileWriter, write_array
from graphbrick.core.files.zstd import zstd
from graphbrick.kernels.strings.spans import Bytes, Offsets
from graphbrick.kernels.strings.spooling import Integer, spool_occurrences, spool_rows, spool_texts

COUNT_BITS = 10
COUNT = 1 << COUNT_BITS
"""Number of buckets per file; small neighbouring buckets are read together."""

GROUP_BYTES = 1 << 25
"""Bytes read at a time. A larger bucket is read in pieces, or as a whole if it must be sorted."""

_SMALL, _LARGE = 1 << 10, 1 << 16  # buffer bytes per bucket: for a small graph, and for any other
_LEVEL = 1


def bucket_of_hash(hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
    """Return the bucket of each hash: its highest bits, so that bucket order is hash order."""
    return (hashes >> np.uint64(64 - COUNT_BITS)).astype(np.int32)


def width_for(total: int) -> int:
    """Return how many low bits to drop from a number below ``total`` to get its bucket."""
    return max(0, (max(total, 1) - 1).bit_length() - COUNT_BITS)


Spans = tuple[Bytes, Offsets, Offsets]
"""UTF-8 bytes, and where each text in them begins and ends."""


class BucketWriter:
    """Writer of records into `COUNT` buckets; a full bucket buffer is appended to one file as a piece.

    Records of a bucket keep their order. Buffers are small at first, so that a small graph costs little.

    Args:
        file: The file to write; the list of its pieces is written beside it with the suffix ``.index``.
        pack: Whether to compress the pieces; worthwhile for texts.
    """

    def __init__(self, file: Path, *, pack: bool = False) -> None:
        self._path, self._pack = file, pack
        self._file = FileWriter(file)
        self._room = np.empty((COUNT, _SMALL), dtype=np.uint8)
        self._fill: Offsets = np.zeros(COUNT, dtype=np.int64)
        self._pieces: list[tuple[int, int, int, int]] = []  # bucket, offset in file, size in file, size unpacked
        self._end = 0
        self._writer: ThreadPoolExecutor | None = None
        self._waiting: deque[Future[None]] = deque()

    def __enter__(self) -> BucketWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self.stop()

    def occurrences(
        self, data: Bytes, starts: Offsets, ends: Offsets, bucket: npt.NDArray[np.int32], first: int
    ) -> None:
        """Add key occurrences at consecutive positions that start with ``first``."""

        def single(i: int) -> bytes:
            return number(first + i) + text(data, starts[i], ends[i])

        self._all(
            bucket, lambda i: spool_occurrences(data, starts, ends, bucket, first, i, self._room, self._fill), single
        )

    def texts(
        self,
        texts: Spans,
        first: npt.NDArray[np.uint32],
        kind: Bytes,
        rank: Bytes,
        serial: npt.NDArray[np.uint32],
        bucket: npt.NDArray[np.int32],
    ) -> None:
        """Add texts of entities, which are identified by their first positions ``first``."""
        data, starts, ends = texts
        none: Offsets = np.empty(0, dtype=np.int64)
        facts = (*texts, data, none, none, first, kind, rank, serial, bucket)

        def single(i: int) -> bytes:
            head = number(int(first[i])) + bytes([kind[i], rank[i]]) + number(int(serial[i]))
            return head + text(data, starts[i], ends[i])

        self._all(bucket, lambda i: spool_texts(*facts, i, self._room, self._fill), single)

    def facts(
        self,
        texts: Spans,
        keys: Spans,
        kind: Bytes,
        rank: Bytes,
        serial: npt.NDArray[np.uint32],
        bucket: npt.NDArray[np.int32],
    ) -> None:
        """Add texts of the entities with these keys."""
        data, starts, ends = texts
        facts = (*texts, *keys, serial, kind, rank, serial, bucket)

        def single(i: int) -> bytes:
            key = text(keys[0], keys[1][i], keys[2][i])
            return key + bytes([kind[i], rank[i]]) + number(int(serial[i])) + text(data, starts[i], ends[i])

        self._all(bucket, lambda i: spool_texts(*facts, i, self._room, self._fill), single)

    def rows(self, rows: npt.NDArray[np.uint32], bucket: npt.NDArray[np.int32]) -> None:
        """Add rows of numbers, all of the same width."""

        def spool(i: int) -> Integer:
            return spool_rows(rows, bucket, i, self._room.view(np.uint32), self._fill)

        self._all(bucket, spool, lambda i: rows[i].tobytes())

    def _all(
        self, bucket: npt.NDArray[np.int32], spool: Callable[[int], Integer], single: Callable[[int], bytes]
    ) -> None:
        """Add all records; a record larger than a buffer becomes a piece of its own."""
        done = 0
        while (done := int(spool(done))) < len(bucket):
            full = int(bucket[done])
            if self._fill[full]:
                self._empty(full)
                if self._room.shape[1] == _SMALL and len(self._pieces) > COUNT:
                    self._enlarge()
            else:
                self._write(full, single(done))
                done += 1

    def _enlarge(self) -> None:
        """Switch to larger buffers, and compress and write in another thread if packing."""
        for bucket in np.flatnonzero(self._fill).tolist():
            self._empty(bucket)
        self._room = np.empty((COUNT, _LARGE), dtype=np.uint8)
        if self._pack:
            self._writer = ThreadPoolExecutor(1)  # one thread keeps the order deterministic

    def _empty(self, bucket: int) -> None:
        self._write(bucket, self._room[bucket, : self._fill[bucket]].tobytes())
        self._fill[bucket] = 0

    def _write(self, bucket: int, data: bytes) -> None:
        if self._writer is None:
            self._append(bucket, data)
            return
        self._waiting.append(self._writer.submit(self._append, bucket, data))
        if len(self._waiting) > COUNT:
            self._waiting.popleft().result()

    def _append(self, bucket: int, data: bytes) -> None:
        packed = zstd.compress(data, _LEVEL) if self._pack else data
        if len(packed) >= len(data):
            packed = data  # equal sizes mark a piece as uncompressed
        self._file.write(packed)
        self._pieces.append((bucket, self._end, len(packed), len(data)))
        self._end += len(packed)

    def close(self) -> None:
        """Write what is still in memory and the list of pieces."""
        try:
            for bucket in np.flatnonzero(self._fill).tolist():
                self._empty(bucket)
            for waiting in self._waiting:
                waiting.result()
            self._file.close()
        finally:
            self.stop()
        pieces = np.array(self._pieces, dtype=np.int64).reshape(-1, 4)
        write_array(index_of(self._path), pieces[np.argsort(pieces[:, 0], kind="stable")])

    def stop(self) -> None:
        """Stop writing and discard what is still in memory; does nothing after `close`."""
        if self._writer is not None:
            self._writer.shutdown(cancel_futures=True)
        self._file.abandon()


def index_of(file: Path) -> Path:
    """Return the path of the piece list of a bucket file."""
    return file.with_name(file.name + ".index")


def number(value: int) -> bytes:
    """Encode a u32 like the kernels do."""
    return value.to_bytes(4, "little")


def text(data: Bytes, start: int, end: int) -> bytes:
    """Encode a text like the kernels do: its size, then its bytes."""
    size = int(end - start)
    return (bytes([size]) if size < 255 else b"\xff" + number(size)) + data[start:end].tobytes()


class BucketReader:
    """Reader of a file written by `BucketWriter`."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("rb")
        self._pieces = np.fromfile(index_of(file), dtype=np.int64).reshape(-1, 4)
        self._first = np.searchsorted(self._pieces[:, 0], np.arange(COUNT + 1))
        self._before = np.concatenate([[0], np.cumsum(self._pieces[:, 3])])

    def __enter__(self) -> BucketReader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._file.close()

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Unpacked size of every bucket in bytes, int64 [COUNT]."""
        sizes: npt.NDArray[np.int64] = np.diff(self._before[self._first])
        return sizes

    def pieces(self, begin: int, end: int, limit: int = GROUP_BYTES) -> Iterator[Bytes]:
        """Yield the bytes of the buckets [begin, end) in order, in chunks of whole records."""
        at, last = int(self._first[begin]), int(self._first[end])
        while at < last:
            until = int(np.searchsorted(self._before, self._before[at] + limit, side="right")) - 1
            until = min(max(until, at + 1), last)
            yield self._read(at, until)
            at = until

    def contents(self, begin: int, end: int) -> Bytes:
        """Return the bytes of the buckets [begin, end) as one array."""
        return self._read(int(self._first[begin]), int(self._first[end]))

    def rows(self, begin: int, end: int, width: int) -> npt.NDArray[np.uint32]:
        """Return the rows of the buckets [begin, end), uint32 [rows, width]."""
        return self.contents(begin, end).view(np.uint32).reshape(-1, width)

    def _read(self, begin: int, end: int) -> Bytes:
        out: Bytes = np.empty(int(self._before[end] - self._before[begin]), dtype=np.uint8)
        view, at = memoryview(out), 0  # type: ignore[arg-type]
        for _, place, packed, size in self._pieces[begin:end].tolist():
            self._file.seek(place)
            if packed == size:
                self._file.readinto(view[at : at + size])
            else:
                view[at : at + size] = zstd.decompress(self._file.read(packed))
            at += size
        return out


def groups(readers: list[BucketReader], progress: Progress, limit: int = GROUP_BYTES) -> Iterator[tuple[int, int]]:
    """Yield ranges [begin, end) of buckets, in order, that hold about ``limit`` bytes each.

    After each range, ``progress`` is called with the share of the bytes that are done.
    """
    sizes = np.sum([reader.sizes for reader in readers], axis=0).tolist()
    begin, held, done = 0, 0, 0
    for bucket, size in enumerate(sizes):
        if held and held + size > limit:
            yield begin, bucket
            done += held
            progress("", done / sum(sizes), 1.0)
            begin, held = bucket, 0
        held += size
    yield begin, COUNT
    progress("", 1.0, 1.0)
