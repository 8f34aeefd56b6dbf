"""A table of strings on disk: one file of UTF-8 text and one of offsets, read by memory map, one string at a time."""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.errors import GraphFormatError
from graphbrick.locks import AST

_REMEMBERED = 1 << 15  # strings of a table that stay decoded


def open_array(file: Path) -> npt.NDArray[Any]:
    """An array file as a read-only memory map."""
    with AST:
        # A plain array over the map: numba knows its type, and slicing it is cheaper than slicing np.memmap.
        return np.load(file, mmap_mode="r").view(np.ndarray)  # type: ignore[no-any-return]


class StringTable:
    """Strings by index, read from disk as they are asked for.

    Opening costs the same whatever the size; nothing is decoded before it is read.
    """

    def __init__(self, blob: mmap.mmap | bytes, ends: npt.NDArray[np.uint64]) -> None:
        # Items of a memoryview are plain integers, several times faster to get than numpy's.
        self._blob, self._ends = blob, memoryview(ends)  # type: ignore[arg-type]
        # Paths name the same entities again and again.
        self._get = lru_cache(maxsize=_REMEMBERED)(self._read)

    @staticmethod
    def files(name: str) -> tuple[str, str]:
        """The two file names of the table ``name``."""
        return f"{name}.txt", f"{name}_end.npy"

    @classmethod
    def open(cls, folder: Path, name: str) -> StringTable:
        """Open the table ``name`` of a graph folder."""
        text, ends = cls.files(name)
        with (folder / text).open("rb") as file:
            size = file.seek(0, 2)
            # An empty file cannot be mapped.
            blob = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        return cls(blob, open_array(folder / ends))

    @classmethod
    def write(cls, folder: Path, name: str, values: Iterable[str]) -> None:
        """Write a table into a folder, string by string."""
        text, ends = cls.files(name)
        offsets: list[int] = []
        end = 0
        with (folder / text).open("wb") as file:
            for value in values:
                end += file.write(value.encode("utf-8", "surrogatepass"))
                offsets.append(end)
        np.save(folder / ends, np.array(offsets, dtype=np.uint64))

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, index: int) -> str:
        return self._get(index)

    def _read(self, index: int) -> str:
        if not 0 <= index < len(self._ends):
            raise IndexError(f"string {index} of a table of {len(self._ends)}")
        start = self._ends[index - 1] if index else 0
        try:
            return self._blob[start : self._ends[index]].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise GraphFormatError(f"text {index} of a graph is damaged ({error.reason}); build it again") from error
