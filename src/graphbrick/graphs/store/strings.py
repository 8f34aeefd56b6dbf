"""Table of strings on disk, stored in compressed blocks of some kilobytes and read by memory map."""

from __future__ import annotations

import math
import mmap
import re
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import GraphFormatError
from graphbrick.core.files.zstd import zstd

_REMEMBERED = 1 << 15  # decoded strings cached per table
_BLOCKS = 256  # unpacked blocks cached per table
_NUMBER = 8  # bytes
_HEAD = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '([<|][biuf]\d)', 'fortran_order': False, "
    rb"'shape': \((\d{1,18},|\d{1,18}(?:, \d{1,9})+)\),? ?\} *\n",
    re.DOTALL,
)
"""The head of an array file as numpy writes it, without the parts of numpy's format that no graph has."""
_LONGEST_HEAD = 256
_KINDS = {
    **dict.fromkeys(("out_ptr", "in_ptr", "type_ptr"), "<u4"),
    **dict.fromkeys(("tail", "relation", "in_head", "in_triple", "type_id", "alias_entity"), "<i4"),
    **dict.fromkeys(("key_entity", "name_id", "gram_name"), "<i4"),
    **dict.fromkeys(("key_hash", "name_hash", "gram", "gram_end"), "<u8"),
}
"""The types of the arrays of a graph, by name."""


class DamagedArrayError(GraphFormatError, ValueError):
    """An array file that is not what was written."""


def open_array(file: Path) -> npt.NDArray[Any]:
    """Open an array file as a read-only memory map.

    Raises:
        DamagedArrayError: Its head or size is not that of an array of this name.
    """
    with file.open("rb") as handle:
        size = handle.seek(0, 2)
        handle.seek(0)
        head = _HEAD.match(handle.read(_LONGEST_HEAD))
        if head is None or int.from_bytes(head[1], "little") + 10 != head.end():
            raise _damaged(file, "its head is not that of an array")
        kind, shape = np.dtype(head[2].decode()), tuple(int(n) for n in head[3].split(b",") if n.strip())
        expected = _KINDS.get(file.stem)
        if expected not in (None, kind.str):
            raise _damaged(file, f"it holds {kind} instead of {np.dtype(expected)}")
        count = math.prod(shape)
        if size != head.end() + count * kind.itemsize:
            raise _damaged(file, f"it has {size:,} bytes instead of {head.end() + count * kind.itemsize:,}")
        if not count:
            empty = np.zeros(shape, dtype=kind)
            empty.setflags(write=False)
            return empty
        blob = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
    # A plain array over the map: numba knows its type, and slicing it is cheaper than slicing np.memmap.
    return np.frombuffer(blob, dtype=kind, count=count, offset=head.end()).reshape(shape)


def _damaged(file: Path, fault: str) -> DamagedArrayError:
    text = f"{file} is damaged ({fault}); build it again"
    return DamagedArrayError(text, code="graph.damaged_array", file=file.name, fault=fault)


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
        except (UnicodeDecodeError, zstd.ZstdError, IndexError, ValueError) as error:
            text_fault = f"text {index} of a graph is damaged ({error}); build it again"
            raise GraphFormatError(text_fault, code="graph.damaged_text", index=index) from error

    def _block(self, block: int) -> tuple[memoryview, bytes]:
        """Return the end offsets of a block's strings (preceded by 0) and their UTF-8 text."""
        data = zstd.decompress(self._blob[self._place[block] : self._place[block + 1]])
        count = self._first[block + 1] - self._first[block]
        ends = np.zeros(count + 1, dtype=np.int64)
        np.cumsum(np.frombuffer(data, dtype="<u4", count=count), out=ends[1:])
        if ends[-1] != len(data) - 4 * count:
            raise ValueError("a block has another size")
        return memoryview(ends), data[4 * count :]  # type: ignore[arg-type]
