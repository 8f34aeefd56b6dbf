"""The bytes of a source, plain or gzip, in blocks of whole lines that know their line numbers."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from itertools import repeat
from pathlib import Path
from typing import Any

from graphbrick.errors import InputError
from graphbrick.graphs.records import BadRecords

BLOCK_BYTES = 1 << 18
_GZIP_MAGIC = b"\x1f\x8b"


@contextmanager
def open_source(file: Path) -> Iterator[BufferedReader[Any]]:
    """Open a file for reading bytes, after a byte order mark; gzip is known by its first bytes, not by its name.

    Raises:
        InputError: Not gzip in spite of its name, truncated or damaged gzip, UTF-16, an empty or unreadable file.
    """
    try:
        with file.open("rb") as plain:
            if plain.peek(2)[:2] == _GZIP_MAGIC:
                with BufferedReader(gzip.open(plain, "rb")) as unpacked:
                    _skip_mark(unpacked, file)
                    yield unpacked
            elif file.suffix.lower() == ".gz":
                raise InputError("the file is not gzip in spite of its name; rename it without .gz", file)
            else:
                _skip_mark(plain, file)
                yield plain
    except EOFError as error:
        raise InputError("the gzip data end too early; the file is truncated, fetch it again", file) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"the gzip data are damaged ({error}); fetch the file again", file) from error
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror or error}", file) from error


def _skip_mark(stream: BufferedReader[Any], file: Path) -> None:
    start = stream.peek(3)[:3]
    if not start:
        raise InputError("the file is empty", file)
    if start == codecs.BOM_UTF8:
        stream.read(3)
    elif start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError("the file is UTF-16; convert it to UTF-8, as with iconv -f UTF-16 -t UTF-8", file)


def blocks(file: Path, max_line_bytes: int, bad: BadRecords) -> Iterator[tuple[int, bytes]]:
    """Yield (number of the first line, whole lines). A line that is too long is a bad record and is left out."""
    with open_source(file) as stream:
        line, rest = 1, b""
        while chunk := stream.read(BLOCK_BYTES):
            data = rest + chunk
            end = data.rfind(b"\n") + 1
            if end:
                yield from _short_lines(line, data[:end], max_line_bytes, file, bad)
                line += data.count(b"\n", 0, end)
            rest = data[end:]
            if len(rest) > max_line_bytes:
                bad.add(_too_long(rest, line, max_line_bytes, file))
                rest = _after_line(stream)
                line += 1
        if rest:
            yield from _short_lines(line, rest, max_line_bytes, file, bad)


def _after_line(stream: BufferedReader[Any]) -> bytes:
    """Read past the end of the line; what was read of the next ones."""
    while chunk := stream.read(BLOCK_BYTES):
        _, newline, rest = chunk.partition(b"\n")
        if newline:
            return rest
    return b""


def _short_lines(first: int, data: bytes, limit: int, file: Path, bad: BadRecords) -> Iterator[tuple[int, bytes]]:
    # Lines in less than `limit` bytes cannot be too long: with the usual limit nothing is split here.
    if len(data) <= limit or max(map(len, data.split(b"\n"))) <= limit:
        yield first, data
        return
    for number, line in enumerate(whole_lines(data), first):
        if len(line) > limit:
            bad.add(_too_long(line, number, limit, file))
        else:
            yield number, line + b"\n"


def _too_long(line: bytes, number: int, limit: int, file: Path) -> InputError:
    text = line[:200].decode(errors="replace")
    return InputError(f"the line is longer than {limit:,} bytes", file, number, text)


def whole_lines(data: bytes) -> list[bytes]:
    """The lines of a block, without their line ends."""
    return data.removesuffix(b"\n").split(b"\n")


def text_lines(data: bytes) -> Iterable[tuple[str, str]]:
    """The lines of a block as (text, fault); the fault is empty for a good line."""
    if line_fault(data):
        return ((line.decode(errors="replace"), line_fault(line)) for line in whole_lines(data))
    return zip(data.removesuffix(b"\n").decode().split("\n"), repeat(""), strict=False)


def line_fault(line: bytes) -> str:
    """What makes a line (or some line of a block) unreadable as text; empty when nothing does."""
    nul = line.find(b"\0")
    if nul >= 0:
        return f"a NUL byte at byte {nul + 1} of the line"
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8: byte 0x{line[error.start]:02x} at byte {error.start + 1} of the line"
    return ""
