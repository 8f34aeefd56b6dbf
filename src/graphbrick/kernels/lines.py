"""Split lines of triples at a delimiter. The kernel handles ordinary lines only.

Unusual lines are left to the Python reader, which can parse them or report the error. The kernel returns the starts and
ends of head, relation and tail (int64 [3, triples]). For each unusual line it returns the line number (from 0), its
start and end, and the number of ordinary triples before it (int64 [lines, 4]).
"""

from __future__ import annotations

import numpy as np

from graphbrick.kernels.jit import jit
from graphbrick.kernels.spans import Bytes, Offsets

_NEWLINE, _RETURN, _SPACE = 10, 13, 32


@jit
def count_lines(data: Bytes) -> int:
    """Return an upper bound of the number of lines: the number of newlines plus one."""
    count = 1
    for byte in data:
        if byte == _NEWLINE:
            count += 1
    return count


@jit
def may_be_blank(data: Bytes, start: int, end: int) -> bool:
    """Tell whether a span is empty, or may begin or end with white space (ASCII or Unicode)."""
    if start == end or data[start] <= _SPACE or data[end - 1] <= _SPACE:
        return True
    # U+0085, U+00A0, U+1680, U+2000 to U+205F and U+3000 in UTF-8, and some code points next to them.
    if data[start] == 0xC2 and data[start + 1] in (0x85, 0xA0):
        return True
    if data[start] == 0xE1 and data[start + 1] == 0x9A:
        return True
    if data[start] == 0xE2 and data[start + 1] in (0x80, 0x81):
        return True
    if data[start] == 0xE3 and data[start + 1] == 0x80:
        return True
    if end - start >= 2 and data[end - 2] == 0xC2 and data[end - 1] in (0x85, 0xA0):
        return True
    if end - start >= 3:
        lead, middle = data[end - 3], data[end - 2]
        if lead == 0xE1 and middle == 0x9A:
            return True
        if lead == 0xE2 and middle in (0x80, 0x81):
            return True
        if lead == 0xE3 and middle == 0x80:
            return True
    return False


@jit
def split_lines(data: Bytes, delimiter: int, width: int, places: Offsets) -> tuple[Offsets, Offsets, Offsets]:
    """Return the spans of head, relation and tail of all lines that have ``width`` cells.

    A line is ordinary if it has the right width and its three cells are not empty and need no stripping. A carriage
    return at the end of the line is ignored. Empty lines are skipped.

    Args:
        data: Lines of valid UTF-8 without NUL.
        delimiter: The byte between cells.
        width: Number of cells per line.
        places: Indices of the cells with head, relation and tail.
    """
    room = count_lines(data)
    starts = np.empty((3, room), dtype=np.int64)
    ends = np.empty((3, room), dtype=np.int64)
    odd = np.empty((room, 4), dtype=np.int64)
    found = 0
    faults = 0
    line = 0
    start = 0
    size = len(data)
    while start < size:
        cell = 0
        begin = start
        at = start
        while True:
            stop = at == size or data[at] == _NEWLINE
            if stop or data[at] == delimiter:
                for j in range(3):
                    if places[j] == cell:
                        starts[j, found] = begin
                        ends[j, found] = at - 1 if stop and at > begin and data[at - 1] == _RETURN else at
                cell += 1
                begin = at + 1
                if stop:
                    break
            at += 1
        if at > start:
            good = cell == width
            if good:
                for j in range(3):
                    good = good and not may_be_blank(data, starts[j, found], ends[j, found])
            if good:
                found += 1
            else:
                odd[faults, 0] = line
                odd[faults, 1] = start
                odd[faults, 2] = at
                odd[faults, 3] = found
                faults += 1
        line += 1
        start = at + 1
    return starts[:, :found].copy(), ends[:, :found].copy(), odd[:faults].copy()
