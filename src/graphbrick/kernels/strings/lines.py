"""Number and blank ends of lines, for kernels that read text."""

from __future__ import annotations

from graphbrick.kernels.jit import jit
from graphbrick.kernels.strings.spans import Bytes

_NEWLINE, _SPACE = 10, 32


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
