"""Table of strings on disk, stored in compressed blocks of some kilobytes and read by memory map."""

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
from graphbrick.core.files.locks import AST

_REMEMBERED = 1 << 15  # decoded strings cached per table
_BLOCKS = 256  # unpacked blocks cached per table
_NUMBER = 8  # bytes


def open_array(file: Path) -> npt.NDArray[Any]:
    """Open an array file as a read-only memory map."""
    with AST:
        # A plain array over the map: numba knows its type, and slicing it is cheaper than slicing np.memmap.
        return np.load(file, mmap_mode="r").view(np.ndarray)  # type: ignore[no-any-return]


class _Decompressor(threading.local):
    """One decompressor per thread, as a decompressor is not thread-safe."""

    def __init__(self) -> None:
        self.packed = zstandard.ZstdDecompressor()


_decompressor = _Decompressor()


class StringTable:
    """Strings by index, read from disk on demand.

    Opening takes constant time, and a block is unpacked only when one of its strings is read. A block holds
    consecutive strings as one Zstandard frame: their sizes (u32 each), then their UTF-8 text. After the blocks comes
    an index with one row per block and a final row for the end. A row holds two u64: the index of the block's first
    string and the block's offset. The last 8 bytes are the number of rows.
    """

    def __init__(self, blob: mmap.mmap, blocks: npt.NDArray[np.uint64]) -> None:
        self._blob, self._count = blob, int(blocks[-1, 0])
        # Memoryview items are plain integers; reading them is several times faster than reading numpy items.
        self._first = memoryview(np.ascontiguousarray(blocks[:, 0]))  # type: ignore[arg-type]
        self._place = memoryview(np.ascontiguousarray(blocks[:, 1]))  # type: ignore[arg-type]
        # Paths repeat the same entities often.
        self._get = lru_cache(maxsize=_REMEMBERED)(self._read)
        self._unpack = lru_cache(maxsize=_BLOCKS)(self._block)

    @staticmethod
    def file(name: str) -> str:
        """Return the file name of the table ``name``."""
        return f"{name}.zst"

    @classmethod
    def open(cls, folder: Path, name: str) -> StringTable:
        """Open the table ``name`` of a graph folder."""
        path = folder / cls.file(name)
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
            text_fault = f"text {index} of a graph is damaged ({error}); build it again"
            raise GraphFormatError(text_fault, code="graph.damaged_text", index=index) from error

    def _block(self, block: int) -> tuple[memoryview, bytes]:
        """Return the end offsets of a block's strings (preceded by 0) and their UTF-8 text."""
        data = _decompressor.packed.decompress(self._blob[self._place[block] : self._place[block + 1]])
        count = self._first[block + 1] - self._first[block]
        ends = np.zeros(count + 1, dtype=np.int64)
        np.cumsum(np.frombuffer(data, dtype="<u4", count=count), out=ends[1:])
        if ends[-1] != len(data) - 4 * count:
            raise ValueError("a block has another size")
        return memoryview(ends), data[4 * count :]  # type: ignore[arg-type]
