"""The bytes of a plain or packed source in blocks of whole lines, with line numbers."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import BufferedReader
from itertools import repeat
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.core.files.zstd import zstd
from graphbrick.graphs.records.records import BadRecords

BLOCK_BYTES = 1 << 22
PACKED = (".gz", ".zst", ".bz2", ".xz")
"""The suffixes of files that are unpacked while they are read."""

PACKINGS = dict(zip(PACKED, ("gzip", "Zstandard", "bzip2", "xz"), strict=True))
"""The names of the packings by suffix."""

_SKIPPED_MAGIC = b"\x2a\x4d\x18"  # of frames that hold no data, after a byte from 0x50 to 0x5f; pzstd writes one first
_PEEKED = 1 << 16  # bytes in which the first line end is looked for


@dataclass
class Meter:
    """Progress of reading a source, in bytes of the file on disk."""

    total: int = 0
    done: int = 0


def unpacked_name(file: Path) -> str:
    """Return the name of a file in lower case, without the suffix of its packing.

    >>> unpacked_name(Path("kb.TXT.gz"))
    'kb.txt'
    """
    name = file.name.lower()
    return next((name.removesuffix(suffix) for suffix in PACKED if name.endswith(suffix)), name)


def open_source(
    file: Path, meter: Meter | None = None, *, other_encodings: bool = False
) -> AbstractContextManager[BufferedReader]:
    """Open a file for reading bytes after the byte order mark of UTF-8; its first bytes show whether it is packed.

    The errors are raised when the context is entered, or while the file is read.

    Args:
        file: The file.
        meter: Told how much was read.
        other_encodings: Whether a file in UTF-16 may be opened; its mark is read too.

    Raises:
        InputError: The file is not packed although its name says so, truncated, damaged, UTF-16, empty or unreadable.
    """
    return _opened(file, meter, other_encodings)


@contextmanager
def _opened(file: Path, meter: Meter | None, other_encodings: bool) -> Iterator[BufferedReader]:
    packing = ""
    try:
        with file.open("rb") as plain:
            packing = _packing(plain.peek(10)[:10])
            with _unpacked(plain, packing, file) as stream:
                _skip_mark(stream, file, other_encodings=other_encodings)
                yield stream if meter is None else _Metered(stream, plain, meter)
    except EOFError as error:
        raise _truncated(packing, file) from error
    except (gzip.BadGzipFile, zlib.error, lzma.LZMAError, zstd.ZstdError) as error:
        raise _damaged(packing, error, file) from error
    except OSError as error:
        if error.errno is None:  # from bz2, about packed data
            raise _damaged(packing, error, file) from error
        reason = f"the file cannot be read: {error.strerror or error}"
        raise InputError(reason, file, code="reader.unreadable") from error


def _truncated(packing: str, file: Path) -> InputError:
    reason = f"the {packing} data end too early; the file is truncated, fetch it again"
    return InputError(reason, file, code="reader.truncated", packing=packing)


def _damaged(packing: str, error: Exception, file: Path) -> InputError:
    reason = f"the {packing} data are damaged ({error}); fetch the file again"
    return InputError(reason, file, code="reader.damaged", packing=packing)


def empty_file(file: Path) -> InputError:
    """Return the error about a file without content."""
    return InputError("the file is empty", file, code="reader.empty_file")


def no_rows(file: Path) -> InputError:
    """Return the error about a table without rows."""
    return InputError("the file holds no rows", file, code="reader.no_rows")


def not_text(fault: str, file: Path, line: int, text: str) -> InputError:
    """Return the error about a line that is not text, with the fault that `line_fault` returned."""
    return InputError(fault, file, line, text, code="reader.not_text")


def _packing(magic: bytes) -> str:
    """Return the packing of a file by its first bytes; empty if it is not packed."""
    if magic.startswith(b"\x1f\x8b"):
        return "gzip"
    if magic.startswith(b"\x28\xb5\x2f\xfd") or (magic[1:4] == _SKIPPED_MAGIC and magic[0] & 0xF0 == 0x50):
        return "Zstandard"
    if magic.startswith(b"BZh") and magic[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):  # the latter of empty data
        return "bzip2"
    return "xz" if magic.startswith(b"\xfd7zXZ\0") else ""


def _unpacked(plain: BufferedReader, packing: str, file: Path) -> BufferedReader:
    if packing == "gzip":
        return BufferedReader(gzip.open(plain, "rb"))
    if packing == "Zstandard":
        return BufferedReader(zstd.ZstdFile(plain), BLOCK_BYTES)
    if packing == "bzip2":
        return BufferedReader(bz2.BZ2File(plain))
    if packing == "xz":
        return BufferedReader(lzma.LZMAFile(plain))
    suffix = file.suffix.lower()
    if suffix in PACKED and plain.peek(1):
        reason = f"the file is not {PACKINGS[suffix]} in spite of its name; rename it without {suffix}"
        raise InputError(reason, file, code="reader.not_packed", packing=PACKINGS[suffix])
    return plain


class _Metered(BufferedReader):
    """A stream that updates a meter with the position in its file."""

    def __init__(self, stream: BufferedReader, plain: BufferedReader, meter: Meter) -> None:
        super().__init__(stream)
        self._plain, self._meter, self._before = plain, meter, meter.done

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self._meter.done = self._before + self._plain.tell()
        return data


def _skip_mark(stream: BufferedReader, file: Path, *, other_encodings: bool) -> None:
    start = stream.peek(3)[:3]
    if not start:
        raise empty_file(file)
    if start == codecs.BOM_UTF8:
        stream.read(3)
    elif start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and not other_encodings:
        reason = "the file is UTF-16; convert it to UTF-8, as with iconv -f UTF-16 -t UTF-8"
        raise InputError(reason, file, code="reader.utf16")


def blocks(file: Path, max_line_bytes: int, bad: BadRecords, meter: Meter | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield (number of the first line, whole lines); a line that is too long is a bad record."""
    with open_source(file, meter) as stream:
        line, rest = 1, b""
        returns = ends_with_returns(stream)
        while chunk := stream.read(BLOCK_BYTES):
            data = rest + (chunk.replace(b"\r", b"\n") if returns else chunk)
            end = data.rfind(b"\n") + 1
            if end:
                yield from _short_lines(line, data[:end], max_line_bytes, file, bad)
                line += data.count(b"\n", 0, end)
            rest = data[end:]
            if len(rest) > max_line_bytes:
                bad.add(_too_long(rest, line, max_line_bytes, file))
                rest = _after_line(stream, b"\r" if returns else b"\n")
                rest = rest.replace(b"\r", b"\n") if returns else rest
                line += 1
        if rest:
            yield from _short_lines(line, rest, max_line_bytes, file, bad)


def ends_with_returns(stream: BufferedReader) -> bool:
    """Return whether the lines of a stream end with carriage returns alone, as its first bytes show."""
    start = stream.peek(_PEEKED)[:_PEEKED]
    # One carriage return in a file of one line may be part of a cell.
    return b"\n" not in start[:-1] and start.rstrip(b"\r\n").count(b"\r") > start.endswith(b"\n")


def _after_line(stream: BufferedReader, end: bytes) -> bytes:
    """Read past the end of the line; return the part of the next lines that was read."""
    while chunk := stream.read(BLOCK_BYTES):
        _, newline, rest = chunk.partition(end)
        if newline:
            return rest
    return b""


def _short_lines(first: int, data: bytes, limit: int, file: Path, bad: BadRecords) -> Iterator[tuple[int, bytes]]:
    # Find the last line end within the limit, again and again: with the usual limit nothing is split here.
    at = -1
    while len(data) - at - 1 > limit:
        until = data.rfind(b"\n", at + 1, at + limit + 2)
        if until < 0:
            break
        at = until
    else:
        yield first, data
        return
    for number, line in enumerate(whole_lines(data), first):
        if len(line) > limit:
            bad.add(_too_long(line, number, limit, file))
        else:
            yield number, line + b"\n"


def _too_long(line: bytes, number: int, limit: int, file: Path) -> InputError:
    text = line[:200].decode(errors="replace")
    reason = f"the line is longer than {limit:,} bytes"
    return InputError(reason, file, number, text, code="reader.line_too_long", limit=limit)


def whole_lines(data: bytes) -> list[bytes]:
    """Return the lines of a block, without their line ends."""
    return data.removesuffix(b"\n").split(b"\n")


def text_lines(data: bytes) -> Iterable[tuple[str, str]]:
    """Return the lines of a block as (text, fault); the fault is empty for a good line."""
    if line_fault(data):
        return ((line.decode(errors="replace"), line_fault(line)) for line in whole_lines(data))
    return zip(data.removesuffix(b"\n").decode().split("\n"), repeat(""), strict=False)


def line_fault(line: bytes) -> str:
    """Return the reason why a line (or a line of a block) cannot be read as text; empty if it can."""
    nul = line.find(b"\0")
    if nul >= 0:
        return f"a NUL byte at byte {nul + 1} of the line"
    try:
        line.decode()
    except UnicodeDecodeError as error:
        fault = f"not UTF-8: byte 0x{line[error.start]:02x} at byte {error.start + 1} of the line"
        return fault + "; if Excel on Windows wrote the file, convert it: iconv -f WINDOWS-1252 -t UTF-8"
    return ""


def check_first_line(file: Path) -> None:
    """Raise if the first line of a file, which may be its header, is not text.

    Raises:
        InputError: It is not UTF-8, or has a NUL byte.
    """
    with open_source(file) as stream:
        line = stream.read(_PEEKED).replace(b"\r", b"\n").lstrip(b"\n").partition(b"\n")[0]
    fault = line_fault(line) if len(line) < _PEEKED else ""
    if fault:
        raise not_text(fault, file, 1, line.decode("utf-8", "replace"))
