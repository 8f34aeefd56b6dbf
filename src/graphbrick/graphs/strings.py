"""A table of strings on disk in compressed blocks of some kilobytes, read by memory map, one block at a time."""

from __future__ import annotations

import mmap
import threading
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import zstandard

from graphbrick.core.errors import GraphFormatError
from graphbrick.files.locks import AST

_REMEMBERED = 1 << 15  # strings of a table that stay decoded
_BLOCKS = 256  # blocks of a table that stay unpacked
_NUMBER = 8  # bytes


def open_array(file: Path) -> npt.NDArray[Any]:
    """An array file as a read-only memory map."""
    with AST:
        # A plain array over the map: numba knows its type, and slicing it is cheaper than slicing np.memmap.
        return np.load(file, mmap_mode="r").view(np.ndarray)  # type: ignore[no-any-return]


class _Decompressor(threading.local):
    """One decompressor a thread, as it must not be used by two at once."""

    def __init__(self) -> None:
        self.packed = zstandard.ZstdDecompressor()


_decompressor = _Decompressor()


class StringTable:
    """Strings by index, read from disk as they are asked for.

    Opening costs the same whatever the size; nothing is unpacked before it is read. A block holds some strings in a
    row: their sizes (u32 each) and their UTF-8 text, as one Zstandard frame. Behind the blocks are a row a block and
    one more for the end, u64 each: the index of its first string and where it begins; then the number of these rows.
    """

    def __init__(self, blob: mmap.mmap, blocks: npt.NDArray[np.uint64]) -> None:
        self._blob, self._count = blob, int(blocks[-1, 0])
        # Items of a memoryview are plain integers, several times faster to get than numpy's.
        self._first = memoryview(np.ascontiguousarray(blocks[:, 0]))  # type: ignore[arg-type]
        self._place = memoryview(np.ascontiguousarray(blocks[:, 1]))  # type: ignore[arg-type]
        # Paths name the same entities again and again.
        self._get = lru_cache(maxsize=_REMEMBERED)(self._read)
        self._unpack = lru_cache(maxsize=_BLOCKS)(self._block)

    @staticmethod
    def files(name: str) -> tuple[str, ...]:
        """The file names of the table ``name``."""
        return (f"{name}.zst",)

    @classmethod
    def open(cls, folder: Path, name: str) -> StringTable:
        """Open the table ``name`` of a graph folder."""
        (path,) = (folder / file for file in cls.files(name))
        with path.open("rb") as file:
            size = file.seek(0, 2)
            blob = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size >= _NUMBER else b""
        rows = int.from_bytes(blob[size - _NUMBER :], "little")
        if not isinstance(blob, mmap.mmap) or not 0 < rows <= size // (2 * _NUMBER):
            raise ValueError(f"{path.name} is damaged")
        start = size - (2 * rows + 1) * _NUMBER
        return cls(blob, np.frombuffer(blob, dtype=np.uint64, count=2 * rows, offset=start).reshape(-1, 2))

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> str:
        return self._get(index)

    def _read(self, index: int) -> str:
        if not 0 <= index < self._count:
            raise IndexError(f"string {index} of a table of {self._count}")
        try:
            block = bisect_right(self._first, index) - 1
            ends, text = self._unpack(block)
            at = index - self._first[block]
            return text[ends[at] : ends[at + 1]].decode("utf-8", "surrogatepass")
        except (UnicodeDecodeError, zstandard.ZstdError, IndexError, ValueError) as error:
            raise GraphFormatError(f"text {index} of a graph is damaged ({error}); build it again") from error

    def _block(self, block: int) -> tuple[memoryview, bytes]:
        """Where the strings of a block end, after a 0, and their text."""
        data = _decompressor.packed.decompress(self._blob[self._place[block] : self._place[block + 1]])
        count = self._first[block + 1] - self._first[block]
        ends = np.zeros(count + 1, dtype=np.int64)
        np.cumsum(np.frombuffer(data, dtype="<u4", count=count), out=ends[1:])
        if ends[-1] != len(data) - 4 * count:
            raise ValueError("a block has another size")
        return memoryview(ends), data[4 * count :]  # type: ignore[arg-type]
