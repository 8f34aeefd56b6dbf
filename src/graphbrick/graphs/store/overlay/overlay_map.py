"""Array files that can be changed and extended in memory, without reading or copying the file."""

from __future__ import annotations

import ctypes
import mmap
import os
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from graphbrick.core.files.locks import AST

_CAN_MAP = hasattr(mmap, "MAP_PRIVATE")  # Windows cannot
_MAP_FIXED = 0x10  # on Linux and on macOS; Python does not name it
_MAP_FAILED = ctypes.c_void_p(-1).value


def open_with_spare(file: Path, spare: int) -> npt.NDArray[Any]:
    """Open an array file as a private, writable array with ``spare`` additional entries at the end.

    A changed graph consists of the built arrays with some entries changed and some appended. Its files may be
    gigabytes, so they are not copied: a range of addresses is reserved, and the file is mapped copy-on-write over its
    start. Memory is used only for pages that are written; the file and its other readers never see a change. The range
    is released with the last view of the array. On Windows the file is copied to memory.

    Args:
        file: A file in numpy's format, with a one-dimensional array.
        spare: Number of additional entries; they are 0 at first.

    Returns:
        The array, with ``spare`` more entries than the file.
    """
    with file.open("rb") as handle:
        start, kind, count = _header(handle)
        # Accessing pages beyond the end of a file would crash the process.
        if os.fstat(handle.fileno()).st_size < start + count * kind.itemsize:
            raise ValueError(f"{file} is cut short")
        if not _CAN_MAP:
            copied = np.zeros(count + spare, dtype=kind)
            copied[:count] = np.fromfile(handle, dtype=kind, count=count)
            return copied
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
        length = start + (count + spare) * kind.itemsize
        reserved = mmap.mmap(-1, length, flags=flags, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        address = np.frombuffer(reserved, dtype=np.uint8).ctypes.data
        # The rest of the file's last page and the range after it are writable zeros.
        _lay_over(address, start + count * kind.itemsize, handle.fileno())
    return np.frombuffer(reserved, dtype=kind, count=count + spare, offset=start)


def _header(handle: BinaryIO) -> tuple[int, np.dtype[Any], int]:
    """Return the offset of the first entry of an array file, the dtype and the number of entries."""
    with AST:
        if np.lib.format.read_magic(handle) != (1, 0):
            raise ValueError(f"{handle.name} is an array file of an unknown version")
        shape, _, kind = np.lib.format.read_array_header_1_0(handle)
    (count,) = shape
    return handle.tell(), kind, count


def _lay_over(address: int, length: int, descriptor: int) -> None:
    """Map the start of a file, private and writable, over a reserved range of addresses."""
    prot, flags = mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | _MAP_FIXED
    mapped = _mmap()(address, length, prot, flags, descriptor, 0)
    if mapped is None or mapped == _MAP_FAILED:
        number = ctypes.get_errno()
        raise OSError(number, f"cannot be mapped: {os.strerror(number)}")


@lru_cache(maxsize=1)
def _mmap() -> Any:
    """Return the C function mmap; Python's wrapper cannot map a file at a fixed address."""
    function = ctypes.CDLL(None, use_errno=True).mmap
    function.restype = ctypes.c_void_p
    function.argtypes = [
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_longlong
    ]  # fmt: skip
    return function
