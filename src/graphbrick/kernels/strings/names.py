"""Fold names, hash them, list their trigrams, and find local names of IRIs, for ASCII text only.

All other text is left to Python: `graphbrick.language.folding`, `graphbrick.language.hashing` and
`graphbrick.graphs.records.rdf_names.local_name`, which are also the readable versions of these kernels.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.hashing import place_of, slot_table
from graphbrick.kernels.jit import jit
from graphbrick.kernels.strings.spans import Bytes, Hashes, Offsets, hash_span
from graphbrick.language.hashing import STEP

FOLDED, NOTHING, LEFT = 0, 1, 2
"""State of a name after `fold_names`: folded; empty; left to Python (not ASCII, or nothing left after folding)."""

_MULTIPLIER = np.uint64(STEP)
_FEW = 48
_SHARP, _SLASH, _PERCENT, _UNDERSCORE, _QUOTE, _COLON, _DOT, _V = 35, 47, 37, 95, 34, 58, 46, 118


@jit
def _fold(data: Bytes, start: int, end: int, out: Bytes) -> int:
    """Write the lower-case words of a span into ``out`` and return the number of bytes written.

    Words are separated by one space, with one space before the first and after the last. Returns -1 if the span is not
    ASCII.
    """
    out[0] = 32
    at = 1
    for i in range(start, end):
        byte = data[i]
        if byte >= 128:
            return -1
        if 65 <= byte <= 90:
            byte += np.uint8(32)
        if 97 <= byte <= 122 or 48 <= byte <= 57:
            out[at] = byte
            at += 1
        elif out[at - 1] != 32:
            out[at] = 32
            at += 1
    if out[at - 1] != 32:
        out[at] = 32
        at += 1
    return at


@jit
def _longest(starts: Offsets, ends: Offsets) -> int:
    longest = 0
    for i in range(len(starts)):
        longest = max(longest, ends[i] - starts[i])
    return longest


@jit
def fold_names(data: Bytes, starts: Offsets, ends: Offsets) -> tuple[Hashes, npt.NDArray[np.int32], Bytes]:
    """Return the hash of every folded name (as `span_hash`), its number of words, and its state."""
    hashes = np.zeros(len(starts), dtype=np.uint64)
    words = np.zeros(len(starts), dtype=np.int32)
    state = np.zeros(len(starts), dtype=np.uint8)
    folded = np.empty(_longest(starts, ends) + 3, dtype=np.uint8)
    for i in range(len(starts)):
        size = _fold(data, starts[i], ends[i], folded)
        if starts[i] == ends[i]:
            state[i] = NOTHING
        elif size < 2:
            state[i] = LEFT
        else:
            value = np.uint64(0)
            first = np.int64(1)
            for j in range(1, size):
                if folded[j] == 32:
                    value = (value + hash_span(folded, first, j)) * _MULTIPLIER
                    words[i] += 1
                    first = j + 1
            hashes[i] = value
    return hashes, words, state


@jit
def name_grams(
    data: Bytes, starts: Offsets, ends: Offsets, names: npt.NDArray[np.int32], state: Bytes
) -> npt.NDArray[np.uint32]:
    """Return the distinct trigrams of each folded name, as rows of (gram, 64 bits, and name).

    A gram is the packed trigram times an odd number, modulo 2**64, so that grams are spread evenly.
    """
    capacity = 0
    for i in range(len(starts)):
        if state[i] == FOLDED:
            capacity += ends[i] - starts[i] + 1
    rows = np.empty((capacity, 3), dtype=np.uint32)
    longest = _longest(starts, ends)
    folded = np.empty(longest + 3, dtype=np.uint8)
    grams = np.empty(longest + 1, dtype=np.uint64)
    count = 0
    for i in range(len(starts)):
        if state[i] != FOLDED:
            continue
        size = _fold(data, starts[i], ends[i], folded)
        found = 0
        if size > _FEW:
            seen = slot_table(size)
        for j in range(size - 2):
            gram = np.uint64(folded[j]) << np.uint64(42) | np.uint64(folded[j + 1]) << np.uint64(21)
            gram = (gram | np.uint64(folded[j + 2])) * _MULTIPLIER
            known = False
            if size > _FEW:
                key = np.int64(folded[j]) << 16 | np.int64(folded[j + 1]) << 8 | np.int64(folded[j + 2])
                at = place_of(seen, key)
                known = seen[at] == key
                seen[at] = key
            else:
                for k in range(found):
                    known = known or grams[k] == gram
            if not known:
                grams[found] = gram
                found += 1
        for j in range(found):
            rows[count, 0] = np.uint32(grams[j] & np.uint64(0xFFFFFFFF))
            rows[count, 1] = np.uint32(grams[j] >> np.uint64(32))
            rows[count, 2] = np.uint32(names[i])
            count += 1
    return rows[:count].copy()


@jit
def local_span(data: Bytes, start: int, end: int) -> tuple[int, int, bool]:
    """Return the start and end of the local name of an IRI, and whether it is left to Python.

    The name of a blank node or literal is its whole text. Names that may be versions, as `4.0`, are left to Python.
    """
    whole = end
    if end > start and data[start] == _QUOTE:
        return start, whole, False
    if end > start + 1 and data[start] == _UNDERSCORE and data[start + 1] == _COLON:
        return start, whole, False
    while end > start and (data[end - 1] == _SHARP or data[end - 1] == _SLASH):
        end -= 1
    slash, sharp = start, start
    for i in range(start, end):
        byte = data[i]
        if byte >= 128 or byte == _PERCENT or byte <= 32:
            return start, whole, True
        if byte == _SLASH:
            slash = i + 1
        elif byte == _SHARP:
            sharp = i + 1
    name = sharp if sharp > start else slash
    is_version, dots = name < end, 0
    for i in range(name, end):
        dots += data[i] == _DOT
        is_version = is_version and (data[i] == _DOT or 48 <= data[i] <= 57 or (i == name and data[i] == _V))
    if is_version and dots > 0:
        return start, whole, True
    return (name, end, False) if name < end else (start, whole, False)


@jit
def local_spans(data: Bytes, starts: Offsets, ends: Offsets) -> tuple[Offsets, Offsets, npt.NDArray[np.bool_]]:
    """Return the spans of the local names of IRIs, and which of them are left to Python."""
    first = starts.copy()
    last = ends.copy()
    left = np.zeros(len(starts), dtype=np.bool_)
    for i in range(len(starts)):
        first[i], last[i], left[i] = local_span(data, starts[i], ends[i])
    return first, last, left


@jit
def camel_names(data: Bytes, starts: Offsets, ends: Offsets) -> npt.NDArray[np.bool_]:
    """Return which names may be small and capital letters alone, with a capital letter after the first one.

    Letters beyond ASCII count as small ones.
    """
    camel = np.zeros(len(starts), dtype=np.bool_)
    for i in range(len(starts)):
        capitals = small = False
        for j in range(starts[i], ends[i]):
            if 97 <= data[j] <= 122 or data[j] >= 128:
                small = True
            elif 65 <= data[j] <= 90:
                capitals = capitals or j > starts[i]
            else:
                small = False
                break
        camel[i] = small and capitals
    return camel
