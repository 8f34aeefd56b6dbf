"""Write tables of strings; see `graphbrick.graphs.store.strings` for the format."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from types import TracebackType

import numpy as np

from graphbrick.core.files.writing import FileWriter
from graphbrick.core.files.zstd import zstd
from graphbrick.graphs.records.interner import spans_of
from graphbrick.graphs.store.strings import StringTable
from graphbrick.kernels.strings.spans import Bytes, Offsets, copy_spans

_BLOCK_BYTES = 1 << 14
_BLOCK_STRINGS = 1 << 12
_LEVEL = 3
_BATCH = 1 << 14


class StringWriter:
    """Writer of a string table, many strings per call; the file does not depend on the batch sizes.

    Args:
        folder: The folder of the file.
        name: The name of the table.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._file = FileWriter(folder / StringTable.file(name))
        parameter = zstd.CompressionParameter
        options: dict[int, int] = {parameter.compression_level: _LEVEL, parameter.checksum_flag: 1}
        self._packer = zstd.ZstdCompressor(options=options)
        self._rows = [(0, 0)]
        self._sizes: Offsets = np.empty(0, dtype=np.int64)
        self._text: Bytes = np.empty(0, dtype=np.uint8)
        self.count = 0

    def __enter__(self) -> StringWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            if kind is None:
                self._cut(last=True)
                self._file.write(b"\0" * (-self._file.tell() % 8))  # align the index, which is mapped as u64
                self._file.write(np.array(self._rows, dtype="<u8").tobytes() + len(self._rows).to_bytes(8, "little"))
                self._file.close()
        finally:
            self._file.abandon()

    def extend(self, data: Bytes, starts: Offsets, ends: Offsets) -> None:
        """Write the strings at these spans of UTF-8 text."""
        self._text = np.concatenate([self._text, copy_spans(data, starts, ends)])
        self._sizes = np.concatenate([self._sizes, ends - starts])
        self.count += len(starts)
        self._cut(last=False)

    def _cut(self, *, last: bool) -> None:
        """Write all full blocks; with ``last``, also the remaining strings."""
        ends = np.cumsum(self._sizes)
        first, start = 0, 0
        while first < len(ends):
            # The string that reaches the block size is the last one of its block.
            full = int(np.searchsorted(ends, start + _BLOCK_BYTES)) + 1
            stop = min(full, first + _BLOCK_STRINGS)
            if stop > len(ends):
                if not last:
                    break
                stop = len(ends)
            self._block(self._sizes[first:stop], self._text[start : ends[stop - 1]])
            first, start = stop, int(ends[stop - 1])
        self._sizes, self._text = self._sizes[first:], self._text[start:]

    def _block(self, sizes: Offsets, text: Bytes) -> None:
        block = sizes.astype("<u4").tobytes() + text.tobytes()
        packed = self._packer.compress(block, zstd.ZstdCompressor.FLUSH_FRAME)
        strings, place = self._rows[-1]
        self._rows.append((strings + len(sizes), place + self._file.write(packed)))


def write_strings(folder: Path, name: str, values: Iterable[str]) -> None:
    """Write a table of strings into a folder."""
    with StringWriter(folder, name) as table:
        rest = iter(values)
        while batch := list(islice(rest, _BATCH)):
            table.extend(*spans_of(batch))
