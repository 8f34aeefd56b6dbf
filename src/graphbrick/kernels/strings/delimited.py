"""Split ordinary lines of delimited text into the cells of triples; unusual lines are left to Python.

The readable version is `graphbrick.graphs.readers.delimited.literal_rows` with `Triples.of` of the reader.
"""

from __future__ import annotations

import numpy as np

from graphbrick.kernels.jit import jit
from graphbrick.kernels.strings.lines import count_lines, may_be_blank
from graphbrick.kernels.strings.spans import Bytes, Offsets

_NEWLINE, _SPACE = 10, 32


@jit
def _is_space(byte: int) -> bool:
    """Tell whether Python's ``str.strip`` removes an ASCII byte."""
    return byte == _SPACE or 9 <= byte <= 13 or 28 <= byte <= 31


@jit
def split_triples(
    data: Bytes, size: int, delimiter: int, width: int, places: Offsets
) -> tuple[Offsets, Offsets, Offsets]:
    """Return where the cells of triples are in lines without quoting; all positions are byte offsets.

    A line is ordinary if it has ``width`` cells, and its head, relation and tail have a text whose ends are not white
    space, once that of ASCII is stripped. Empty lines are skipped.

    Args:
        data: Lines in UTF-8, and after them the text of the relation of lines without a cell for it.
        size: The number of bytes of the lines.
        delimiter: The byte between cells.
        width: The number of cells of a line.
        places: int64 [3]; the columns of head, relation and tail, from 0; -1 for a relation after the lines.

    Returns:
        Starts and ends of heads, relations and tails, int64 [3, triples] each; and the unusual lines, int64 [lines, 4]:
        number (from 0), start, end, and the number of triples before.
    """
    capacity = count_lines(data)
    starts, ends = np.empty((3, capacity), dtype=np.int64), np.empty((3, capacity), dtype=np.int64)
    odd = np.empty((capacity, 4), dtype=np.int64)
    found = faults = line = start = np.int64(0)
    while start < size:
        at = cell = start
        column = 0
        while True:
            byte = data[at] if at < size else _NEWLINE
            if byte in (delimiter, _NEWLINE):
                for j in range(3):
                    if places[j] == column:
                        starts[j, found], ends[j, found] = cell, at
                column, cell = column + 1, at + 1
                if byte == _NEWLINE:
                    break
            at += 1
        good = column == width
        for j in range(3):
            if not good:
                break
            if places[j] < 0:
                starts[j, found], ends[j, found] = size, len(data)
                continue
            first, last = starts[j, found], ends[j, found]
            while first < last and _is_space(data[first]):
                first += 1
            while first < last and _is_space(data[last - 1]):
                last -= 1
            good = not may_be_blank(data, first, last)
            starts[j, found], ends[j, found] = first, last
        if good:
            found += 1
        elif at > start:
            odd[faults, 0], odd[faults, 1], odd[faults, 2], odd[faults, 3] = line, start, at, found
            faults += 1
        line, start = line + 1, at + 1
    return starts[:, :found].copy(), ends[:, :found].copy(), odd[:faults].copy()
