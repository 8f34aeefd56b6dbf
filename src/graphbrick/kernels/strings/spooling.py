"""Write records into bucket buffers, which a builder writes to disk when one is full, and read them back.

There are three kinds of records. An *occurrence* of a key has a position (u32) and a text. A *text* of an entity has a
first position (u32), kind (u8), rank (u8), serial (u32) and a text. A *fact* is like a text record, with a key (another
text) in place of the position. A text is stored as its length (one byte, or 255 and a u32) and its bytes. Numbers are
little-endian. Rows of numbers are uint32.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit
from graphbrick.kernels.strings.spans import Bytes, Offsets

Integer: TypeAlias = int | np.integer[Any]

_LONG = 255


@jit
def put_number(buffer: Bytes, at: Integer, value: Integer) -> Integer:
    """Write a u32; return the position after it."""
    number = np.uint32(value)
    buffer[at] = np.uint8(number & np.uint32(255))
    buffer[at + 1] = np.uint8((number >> np.uint32(8)) & np.uint32(255))
    buffer[at + 2] = np.uint8((number >> np.uint32(16)) & np.uint32(255))
    buffer[at + 3] = np.uint8((number >> np.uint32(24)) & np.uint32(255))
    return at + 4


@jit
def get_number(data: Bytes, at: Integer) -> Integer:
    """Return the u32 at a position."""
    return np.int64(
        np.uint32(data[at])
        | np.uint32(data[at + 1]) << np.uint32(8)
        | np.uint32(data[at + 2]) << np.uint32(16)
        | np.uint32(data[at + 3]) << np.uint32(24)
    )


@jit
def text_size(size: Integer) -> Integer:
    """Return the number of bytes that a text of ``size`` bytes takes in a record."""
    return size + 1 if size < _LONG else size + 5


@jit
def put_text(buffer: Bytes, at: Integer, data: Bytes, start: Integer, end: Integer) -> Integer:
    """Write a text; return the position after it."""
    size = end - start
    if size < _LONG:
        buffer[at] = np.uint8(size)
        at += 1
    else:
        buffer[at] = np.uint8(_LONG)
        at = put_number(buffer, at + 1, size)
    for i in range(size):
        buffer[at + i] = data[start + i]
    return at + size


@jit
def get_text(data: Bytes, at: Integer) -> tuple[Integer, Integer]:
    """Return the start and end of the text at a position."""
    size: Integer = np.int64(data[at])
    if size < _LONG:
        return at + 1, at + 1 + size
    size = get_number(data, at + 1)
    return at + 5, at + 5 + size


@jit
def spool_occurrences(
    data: Bytes,
    starts: Offsets,
    ends: Offsets,
    bucket: npt.NDArray[np.int32],
    first: Integer,
    begin: Integer,
    buffer: npt.NDArray[np.uint8],
    fill: Offsets,
) -> Integer:
    """Write the occurrences from index ``begin`` on; return the index of the first that is not written.

    Occurrence i has the position ``first + i``. Stops when a buffer is full.
    """
    size = buffer.shape[1]
    for i in range(begin, len(starts)):
        b = bucket[i]
        if fill[b] + 4 + text_size(ends[i] - starts[i]) > size:
            return i
        at = put_number(buffer[b], fill[b], first + i)
        fill[b] = put_text(buffer[b], at, data, starts[i], ends[i])
    return len(starts)


@jit
def spool_texts(
    data: Bytes,
    starts: Offsets,
    ends: Offsets,
    key_data: Bytes,
    key_starts: Offsets,
    key_ends: Offsets,
    first: npt.NDArray[np.uint32],
    kind: Bytes,
    rank: Bytes,
    serial: npt.NDArray[np.uint32],
    bucket: npt.NDArray[np.int32],
    begin: Integer,
    buffer: npt.NDArray[np.uint8],
    fill: Offsets,
) -> Integer:
    """Write facts, or texts with the positions ``first`` if there are no keys; like `spool_occurrences`."""
    size = buffer.shape[1]
    keyed = len(key_starts) > 0
    for i in range(begin, len(starts)):
        b = bucket[i]
        need = 6 + text_size(ends[i] - starts[i])
        need += text_size(key_ends[i] - key_starts[i]) if keyed else 4
        if fill[b] + need > size:
            return i
        at = fill[b]
        if keyed:
            at = put_text(buffer[b], at, key_data, key_starts[i], key_ends[i])
        else:
            at = put_number(buffer[b], at, np.int64(first[i]))
        buffer[b, at] = kind[i]
        buffer[b, at + 1] = rank[i]
        at = put_number(buffer[b], at + 2, np.int64(serial[i]))
        fill[b] = put_text(buffer[b], at, data, starts[i], ends[i])
    return len(starts)


@jit
def spool_rows(
    rows: npt.NDArray[np.uint32],
    bucket: npt.NDArray[np.int32],
    begin: Integer,
    buffer: npt.NDArray[np.uint32],
    fill: Offsets,
) -> Integer:
    """Write rows of numbers, like `spool_occurrences`; the buffer is uint32, but ``fill`` counts bytes."""
    width = rows.shape[1]
    size = buffer.shape[1]
    for i in range(begin, len(rows)):
        b = bucket[i]
        at = fill[b] // 4
        if at + width > size:
            return i
        for j in range(width):
            buffer[b, at + j] = rows[i, j]
        fill[b] += 4 * width
    return len(rows)


@jit
def read_occurrences(stream: Bytes) -> tuple[npt.NDArray[np.uint32], Offsets, Offsets]:
    """Return the positions of occurrences and the spans of their keys."""
    count = 0
    at: Integer = np.int64(0)
    while at < len(stream):
        at = get_text(stream, at + 4)[1]
        count += 1
    positions = np.empty(count, dtype=np.uint32)
    starts = np.empty(count, dtype=np.int64)
    ends = np.empty(count, dtype=np.int64)
    at = np.int64(0)
    for i in range(count):
        positions[i] = get_number(stream, at)
        starts[i], ends[i] = get_text(stream, at + 4)
        at = ends[i]
    return positions, starts, ends


@jit
def read_texts(
    stream: Bytes, keyed: bool
) -> tuple[npt.NDArray[np.uint32], Offsets, Offsets, Bytes, Bytes, npt.NDArray[np.uint32], Offsets, Offsets]:
    """Return first positions, spans of keys, kinds, ranks, serials and spans of texts.

    Facts (``keyed``) have keys; texts have first positions.
    """
    count = 0
    at: Integer = np.int64(0)
    while at < len(stream):
        at = get_text(stream, at)[1] if keyed else at + 4
        at = get_text(stream, at + 6)[1]
        count += 1
    first = np.empty(count, dtype=np.uint32)
    key_starts = np.empty(count, dtype=np.int64)
    key_ends = np.empty(count, dtype=np.int64)
    kind = np.empty(count, dtype=np.uint8)
    rank = np.empty(count, dtype=np.uint8)
    serial = np.empty(count, dtype=np.uint32)
    starts = np.empty(count, dtype=np.int64)
    ends = np.empty(count, dtype=np.int64)
    at = np.int64(0)
    for i in range(count):
        if keyed:
            key_starts[i], key_ends[i] = get_text(stream, at)
            at = key_ends[i]
            first[i] = 0
        else:
            key_starts[i] = key_ends[i] = 0
            first[i] = get_number(stream, at)
            at += 4
        kind[i] = stream[at]
        rank[i] = stream[at + 1]
        serial[i] = get_number(stream, at + 2)
        starts[i], ends[i] = get_text(stream, at + 6)
        at = ends[i]
    return first, key_starts, key_ends, kind, rank, serial, starts, ends
