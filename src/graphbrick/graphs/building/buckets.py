"""Records sorted into buckets on disk, more than fit memory: written as they come, read back bucket by bucket."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt
import zstandard

from graphbrick.files.writing import FileWriter, write_array
from graphbrick.kernels.spans import Bytes, Offsets
from graphbrick.kernels.spooling import Integer, spool_occurrences, spool_rows, spool_texts

COUNT_BITS = 10
COUNT = 1 << COUNT_BITS
"""Buckets of a file, as many as there can be; neighbours are read together where they are small."""

GROUP_BYTES = 1 << 25
"""What is read back at a time; a bucket of more than this is read in pieces, or as a whole where it must be sorted."""

_SMALL, _LARGE = 1 << 10, 1 << 16  # bytes of room for a bucket: of a small graph, and of any other
_LEVEL = 1


def bucket_of_hash(hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
    """The bucket of each hash, by its highest bits: buckets in order hold hashes in order."""
    return (hashes >> np.uint64(64 - COUNT_BITS)).astype(np.int32)


def width_for(total: int) -> int:
    """How many bits of a number below ``total`` to drop so that what is left is the number of a bucket."""
    return max(0, (max(total, 1) - 1).bit_length() - COUNT_BITS)


class BucketWriter:
    """Takes records into `COUNT` buckets; every bucket that is full goes to the end of one file.

    Records of a bucket keep their order. Rooms are small at first, so that a small graph costs little.

    Args:
        file: What to write; beside it comes the list of the pieces, ``.index``.
        pack: Compress the pieces, as for texts.
    """

    def __init__(self, file: Path, *, pack: bool = False) -> None:
        self._path, self._pack = file, pack
        self._file = FileWriter(file)
        self._room = np.empty((COUNT, _SMALL), dtype=np.uint8)
        self._fill: Offsets = np.zeros(COUNT, dtype=np.int64)
        self._pieces: list[tuple[int, int, int, int]] = []  # bucket, place in the file, bytes there, bytes unpacked
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
        """Take occurrences of keys at the positions from ``first`` on."""

        def single(i: int) -> bytes:
            return number(first + i) + text(data, starts[i], ends[i])

        self._all(
            bucket, lambda i: spool_occurrences(data, starts, ends, bucket, first, i, self._room, self._fill), single
        )

    def texts(
        self,
        data: Bytes,
        starts: Offsets,
        ends: Offsets,
        first: npt.NDArray[np.uint32],
        kind: Bytes,
        rank: Bytes,
        serial: npt.NDArray[np.uint32],
        bucket: npt.NDArray[np.int32],
    ) -> None:
        """Take texts of the entities that first stand at the positions ``first``."""
        none: Offsets = np.empty(0, dtype=np.int64)
        facts = (data, none, none, first, kind, rank, serial, bucket)

        def single(i: int) -> bytes:
            head = number(int(first[i])) + bytes([kind[i], rank[i]]) + number(int(serial[i]))
            return head + text(data, starts[i], ends[i])

        self._all(bucket, lambda i: spool_texts(data, starts, ends, *facts, i, self._room, self._fill), single)

    def facts(
        self,
        data: Bytes,
        starts: Offsets,
        ends: Offsets,
        key_data: Bytes,
        key_starts: Offsets,
        key_ends: Offsets,
        kind: Bytes,
        rank: Bytes,
        serial: npt.NDArray[np.uint32],
        bucket: npt.NDArray[np.int32],
    ) -> None:
        """Take texts of the entities with these keys."""
        facts = (data, starts, ends, key_data, key_starts, key_ends, serial, kind, rank, serial, bucket)

        def single(i: int) -> bytes:
            key = text(key_data, key_starts[i], key_ends[i])
            return key + bytes([kind[i], rank[i]]) + number(int(serial[i])) + text(data, starts[i], ends[i])

        self._all(bucket, lambda i: spool_texts(*facts, i, self._room, self._fill), single)

    def rows(self, rows: npt.NDArray[np.uint32], bucket: npt.NDArray[np.int32]) -> None:
        """Take rows of numbers, all of one width."""

        def spool(i: int) -> Integer:
            return spool_rows(rows, bucket, i, self._room.view(np.uint32), self._fill)

        self._all(bucket, spool, lambda i: rows[i].tobytes())

    def _all(
        self, bucket: npt.NDArray[np.int32], spool: Callable[[int], Integer], single: Callable[[int], bytes]
    ) -> None:
        """Spool until all is taken; a record that is larger than a room becomes a piece of its own."""
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
        """Go on with larger rooms, and with packing and writing beside the kernels."""
        for bucket in np.flatnonzero(self._fill).tolist():
            self._empty(bucket)
        self._room = np.empty((COUNT, _LARGE), dtype=np.uint8)
        if self._pack:
            self._writer = ThreadPoolExecutor(1)  # one thread, so that the order is always the same

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
        packed = zstandard.ZstdCompressor(_LEVEL).compress(data) if self._pack else data
        if len(packed) >= len(data):
            packed = data  # a piece of the same size is one that is not packed
        self._file.write(packed)
        self._pieces.append((bucket, self._end, len(packed), len(data)))
        self._end += len(packed)

    def close(self) -> None:
        """Write what is still in memory, and the list of pieces."""
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
        """Stop writing without keeping what is still in memory; does nothing after `close`."""
        if self._writer is not None:
            self._writer.shutdown(cancel_futures=True)
        self._file.abandon()


def index_of(file: Path) -> Path:
    """The list of the pieces of a file of buckets."""
    return file.with_name(file.name + ".index")


def number(value: int) -> bytes:
    """A u32 as the kernels write it."""
    return value.to_bytes(4, "little")


def text(data: Bytes, start: int, end: int) -> bytes:
    """A text as the kernels write it."""
    size = int(end - start)
    return (bytes([size]) if size < 255 else b"\xff" + number(size)) + data[start:end].tobytes()


class BucketReader:
    """Reads what a `BucketWriter` wrote."""

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
        """The bytes of every bucket, int64 [COUNT]."""
        sizes: npt.NDArray[np.int64] = np.diff(self._before[self._first])
        return sizes

    @property
    def total(self) -> int:
        """The bytes of all buckets."""
        return int(self._before[-1])

    def pieces(self, begin: int, end: int, limit: int = GROUP_BYTES) -> Iterator[Bytes]:
        """The bytes of the buckets from ``begin`` to before ``end``, in order, in pieces that hold whole records."""
        at, last = int(self._first[begin]), int(self._first[end])
        while at < last:
            until = int(np.searchsorted(self._before, self._before[at] + limit, side="right")) - 1
            until = min(max(until, at + 1), last)
            yield self._read(at, until)
            at = until

    def whole(self, begin: int, end: int) -> Bytes:
        """The bytes of the buckets from ``begin`` to before ``end`` in one array."""
        return self._read(int(self._first[begin]), int(self._first[end]))

    def rows(self, begin: int, end: int, width: int) -> npt.NDArray[np.uint32]:
        """The rows of the buckets from ``begin`` to before ``end``, uint32 [rows, width]."""
        return self.whole(begin, end).view(np.uint32).reshape(-1, width)

    def _read(self, begin: int, end: int) -> Bytes:
        out: Bytes = np.empty(int(self._before[end] - self._before[begin]), dtype=np.uint8)
        view, at = memoryview(out), 0  # type: ignore[arg-type]
        for _, place, packed, size in self._pieces[begin:end].tolist():
            self._file.seek(place)
            if packed == size:
                self._file.readinto(view[at : at + size])
            else:
                view[at : at + size] = zstandard.ZstdDecompressor().decompress(self._file.read(packed))
            at += size
        return out


def groups(readers: list[BucketReader], limit: int = GROUP_BYTES) -> Iterator[tuple[int, int]]:
    """Ranges of neighbouring buckets (begin, end), in order, that hold about as much as is read at a time."""
    begin, held = 0, 0
    if sum(reader.total for reader in readers) <= limit:
        yield 0, COUNT
        return
    for bucket, size in enumerate(np.sum([reader.sizes for reader in readers], axis=0).tolist()):
        if held and held + size > limit:
            yield begin, bucket
            begin, held = bucket, 0
        held += size
    yield begin, COUNT
