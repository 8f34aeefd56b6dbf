"""Arrays written piece by piece."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.files.writing import FileWriter


class ArrayWriter:
    """Incremental writer of a ``.npy`` file; the header holds the length and is written last."""

    def __init__(self, file: Path, dtype: type[np.generic]) -> None:
        self._file, self._dtype, self._count = FileWriter(file), np.dtype(dtype), 0
        self._head(np.iinfo(np.int64).max)

    def __enter__(self) -> ArrayWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            if kind is None:
                self._file.rewind()
                self._head(self._count)
                self._file.close()
        finally:
            self._file.abandon()

    def _head(self, count: int) -> None:
        description = {"descr": self._dtype.str, "fortran_order": False, "shape": (count,)}
        text = repr(description).ljust(109).encode()  # same size for any count; the header is a multiple of 64
        self._file.write(b"\x93NUMPY\x01\x00" + (len(text) + 9).to_bytes(2, "little") + text + b" " * 8 + b"\n")

    def extend(self, values: npt.NDArray[Any]) -> None:
        """Append values."""
        self._file.write(np.ascontiguousarray(values, dtype=self._dtype))
        self._count += len(values)
