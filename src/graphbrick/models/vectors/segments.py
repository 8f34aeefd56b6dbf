"""Segment files: sorted hashes of texts and a vector for each; a file is complete or absent.

Layout: the header (magic, dimensions, rows), uint64 [rows, 2] hashes sorted by their first half, float16 [rows,
dimensions] vectors, the magic once more, which shows that the end was written, and the CRC-32 of hashes and vectors (0
in files of earlier versions, which have none).
"""

from __future__ import annotations

import hashlib
import itertools
import os
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick.core.files.claims import claim_folder, claim_left_over
from graphbrick.core.files.locks import claim
from graphbrick.core.files.system import remove_lock, remove_mapped

_MAGIC = 0x31564247  # "GBV1"
_END = _MAGIC.to_bytes(4, "little")
_ENDING = 8  # bytes of the end and the checksum
_SMALL = 1 << 16  # bytes of a file whose checksum is compared when it is opened; larger ones are checked on request
_HEADER = 3 * 8
_serial = itertools.count()

Hashes = npt.NDArray[np.uint64]


def hash_texts(texts: Sequence[str]) -> Hashes:
    """Return 128-bit hashes, uint64 [texts, 2]."""
    blake = hashlib.blake2b
    digests = b"".join([blake(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts])
    return np.frombuffer(digests, dtype=np.uint64).reshape(-1, 2)


class Segment:
    """One segment file, open by memory map.

    Raises:
        ValueError: The file is not a segment, or is incomplete, or it is small and damaged.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        with file.open("rb") as handle:
            header = np.frombuffer(handle.read(_HEADER), dtype=np.uint64)
            self.bytes = handle.seek(0, 2)
            handle.seek(max(0, self.bytes - _ENDING))
            end = handle.read()
        if len(header) < 3 or header[0] != _MAGIC or end[:4] != _END or not header[2]:
            raise ValueError("it is not a segment of vectors, or it is incomplete")
        self.dimensions, rows = int(header[1]), int(header[2])
        if self.bytes != _HEADER + rows * (16 + 2 * self.dimensions) + _ENDING:
            raise ValueError(f"{self.bytes:,} bytes do not hold {rows:,} vectors")
        whole = np.memmap(file, dtype=np.uint8, mode="r").view(np.ndarray)[:-_ENDING]
        self._content, self._checksum = whole[_HEADER:], int.from_bytes(end[4:], "little")
        if self.bytes <= _SMALL:
            self.check()
        ends = _HEADER + rows * 16
        self.keys: Hashes = whole[_HEADER:ends].view(np.uint64).reshape(rows, 2)
        self.vectors: npt.NDArray[np.float16] = whole[ends:].view(np.float16).reshape(rows, self.dimensions)
        # Contiguous, so that a search touches few pages.
        self._first = np.ascontiguousarray(self.keys[:, 0])

    def check(self) -> None:
        """Read all bytes, and raise ValueError if they are not what was written; files without a checksum pass."""
        if self._checksum not in (0, zlib.crc32(self._content.data)):
            raise ValueError("its checksum differs")

    def find(self, keys: Hashes) -> npt.NDArray[np.int64]:
        """Return the row of each hash, -1 for those that are not in this segment."""
        at = np.minimum(np.searchsorted(self._first, keys[:, 0]), len(self._first) - 1)
        return np.where((self.keys[at] == keys).all(axis=1), at, -1)


def write_segment(folder: Path, keys: Hashes, vectors: npt.NDArray[np.float16]) -> Path:
    """Write a segment under a new name; of equal hashes the first is kept."""
    order = np.lexsort((keys[:, 1], keys[:, 0]))
    keys = keys[order]
    new = np.ones(len(keys), dtype=np.bool_)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    keys, order = keys[new], order[new]
    work, held = _claimed_file(folder)
    file = work.with_name(f"{work.stem[1:]}.seg")
    try:
        with work.open("wb") as handle:
            handle.write(np.array([_MAGIC, vectors.shape[1], len(keys)], dtype=np.uint64).tobytes())
            checksum = 0
            parts = (vectors[order[start : start + 4096]].astype(np.float16) for start in range(0, len(order), 4096))
            for content in itertools.chain([keys.tobytes()], (part.tobytes() for part in parts)):
                checksum = zlib.crc32(content, checksum)
                handle.write(content)
            handle.write(_END + checksum.to_bytes(4, "little"))
            handle.flush()
            os.fsync(handle.fileno())
        work.rename(file)
    finally:
        work.unlink(missing_ok=True)
        if held is not None:
            os.close(held)
    return file


def _claimed_file(folder: Path) -> tuple[Path, int | None]:
    """Return a new hidden file, and the descriptor that holds it against `remove_left_over`."""
    while True:
        work = folder / f".{os.getpid()}-{next(_serial)}-{os.urandom(4).hex()}.part"
        work.touch()
        # Another process may take it for left over before it is held, and remove it.
        with suppress(FileNotFoundError, BlockingIOError):
            held = claim_folder(work)
            if work.exists():
                return work, held
            if held is not None:
                os.close(held)


def remove_left_over(folder: Path) -> None:
    """Remove the incomplete files of processes that were killed."""
    for file in folder.glob(".*.part"):
        with suppress(OSError):  # a running process holds it, or another one removes it
            held = claim_left_over(file)
            file.unlink(missing_ok=True)
            if held is not None:
                os.close(held)


def merge(folder: Path, segments: Sequence[Segment]) -> Segment | None:
    """Merge segments into one and remove them; None if one is damaged, or another process merges or has merged some."""
    lock_file = folder / ".merge.lock"
    try:
        lock = claim(lock_file)
    except BlockingIOError:
        return None
    with lock:
        try:
            if not all(segment.file.exists() for segment in segments):
                return None
            for segment in segments:
                segment.check()
            keys = np.concatenate([segment.keys for segment in segments])
            merged = Segment(write_segment(folder, keys, np.concatenate([segment.vectors for segment in segments])))
            for segment in segments:
                remove_mapped(segment.file)  # one that stays is merged again
            return merged
        except ValueError:  # damage stays visible to a check: a merged file would have a checksum that fits
            return None
        finally:
            remove_lock(lock_file)
