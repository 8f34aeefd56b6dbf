"""Classify the cells of tables without types, and read the texts of values into arrays.

The readable versions are `graphbrick.core.properties.values.raw_kind` and `read_value`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.kernels.jit import jit
from graphbrick.kernels.strings.spans import Bytes, Offsets

TEXT, INTEGER, NUMBER, BOOLEAN, DATE, DATETIME, CODE = range(7)
"""What a cell reads as; a `CODE` is a whole number with leading zeros."""

NO_ZONE = -(1 << 15)
"""The zone of a date-time without one; others are minutes east of Greenwich."""

_LONGEST_INTEGER, _LONGEST_NUMBER = 18, 40
_MINUS, _PLUS, _DOT, _COLON, _SPACE, _T, _Z, _ZERO, _NINE = 45, 43, 46, 58, 32, 84, 90, 48, 57


@jit
def _digits(data: Bytes, at: int, end: int) -> int:
    """Return the position after the digits that begin here."""
    while at < end and _ZERO <= data[at] <= _NINE:
        at += 1
    return at


@jit
def _value(data: Bytes, start: int, end: int) -> int:
    """Return the number that digits are; -1 if there is anything else."""
    value = np.int64(0)
    for i in range(start, end):
        if not _ZERO <= data[i] <= _NINE:
            return -1
        value = value * 10 + np.int64(data[i] - _ZERO)
    return value


@jit
def _is_word(data: Bytes, start: int, end: int, word: bytes) -> bool:
    """Tell whether a span is a word in lower-case ASCII letters, in any case."""
    if end - start != len(word):
        return False
    for i in range(end - start):
        byte = data[start + i]
        if 65 <= byte <= 90:
            byte += 32
        if byte != word[i]:
            return False
    return True


@jit
def _number_kind(data: Bytes, start: int, end: int) -> int:
    at = start + 1 if data[start] == _MINUS else start
    after = _digits(data, at, end)
    if after == end:
        if after == at:
            return TEXT
        if after - at > 1 and data[at] == _ZERO:
            return CODE
        return INTEGER if after - at <= _LONGEST_INTEGER else TEXT
    if end - start > _LONGEST_NUMBER or (after - at > 1 and data[at] == _ZERO):
        return TEXT
    has_digits = after > at
    if data[after] == _DOT:
        at = after + 1
        after = _digits(data, at, end)
        has_digits = has_digits or after > at
    if has_digits and after < end and (data[after] == 101 or data[after] == 69):  # e, E
        at = after + 1
        if at < end and (data[at] == _MINUS or data[at] == _PLUS):
            at += 1
        after = _digits(data, at, end)
        has_digits = 0 < after - at <= 2
    return NUMBER if has_digits and after == end else TEXT


@jit
def days_from_1970(year: int, month: int, day: int) -> int:
    """Return the days from 1970-01-01 to a date of the Gregorian calendar."""
    year -= 1 if month <= 2 else 0
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


@jit
def _days(data: Bytes, start: int) -> int:
    """Return the days from 1970 of the ten bytes of a date; a number below -1,000,000 if they are not one."""
    if data[start + 4] != _MINUS or data[start + 7] != _MINUS:
        return -2_000_000
    year, month = _value(data, start, start + 4), _value(data, start + 5, start + 7)
    day = _value(data, start + 8, start + 10)
    if year < 1 or month < 1 or month > 12 or day < 1 or day > 31:
        return -2_000_000
    if day > 28:
        is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        longest = 30 if month in (4, 6, 9, 11) else (29 if is_leap else 28) if month == 2 else 31
        if day > longest:
            return -2_000_000
    return days_from_1970(year, month, day)


@jit
def _moment(data: Bytes, start: int, end: int) -> tuple[int, int, int]:
    """Return whether a span is a date-time (1), its microseconds from 1970 in its own zone, and the zone."""
    if end - start < 16 or _days(data, start) < -1_000_000:
        return 0, 0, 0
    if (data[start + 10] != _T and data[start + 10] != _SPACE) or data[start + 13] != _COLON:
        return 0, 0, 0
    hour, minute = _value(data, start + 11, start + 13), _value(data, start + 14, start + 16)
    if not (0 <= hour <= 23 and 0 <= minute <= 59):
        return 0, 0, 0
    micro, at = np.int64(0), start + 16
    if at < end and data[at] == _COLON:
        second = _value(data, at + 1, at + 3) if at + 3 <= end else -1
        if not 0 <= second <= 59:
            return 0, 0, 0
        micro, at = second * 1_000_000, at + 3
        if at < end and data[at] == _DOT:
            after = _digits(data, at + 1, end)
            if not 1 <= after - at - 1 <= 9:
                return 0, 0, 0
            scale = 100_000
            for i in range(at + 1, after):
                if scale == 0 and data[i] != _ZERO:
                    return 0, 0, 0
                micro += scale * (data[i] - _ZERO)
                scale //= 10
            at = after
    micro += (_days(data, start) * 1440 + hour * 60 + minute) * 60_000_000
    if at == end:
        return 1, micro, NO_ZONE
    if data[at] == _Z and at + 1 == end:
        return 1, micro, 0
    if (data[at] == _PLUS or data[at] == _MINUS) and (end - at == 5 or (end - at == 6 and data[at + 3] == _COLON)):
        hours, minutes = _value(data, at + 1, at + 3), _value(data, end - 2, end)
        if 0 <= hours <= 23 and 0 <= minutes <= 59:
            zone = hours * 60 + minutes
            return 1, micro, -zone if data[at] == _MINUS else zone
    return 0, 0, 0


@jit
def cell_kind(data: Bytes, start: int, end: int) -> int:
    """Return what a cell reads as."""
    size = end - start
    if size == 0:
        return TEXT
    first = data[start]
    if size == 4 and _is_word(data, start, end, b"true"):
        return BOOLEAN
    if size == 5 and _is_word(data, start, end, b"false"):
        return BOOLEAN
    if not (_ZERO <= first <= _NINE or first in (_MINUS, _DOT)):
        return TEXT
    if size == 10 and data[start + 4] == _MINUS:
        return DATE if _days(data, start) > -1_000_000 else TEXT
    if size >= 16 and data[start + 4] == _MINUS:
        return DATETIME if _moment(data, start, end)[0] else TEXT
    return _number_kind(data, start, end)


@jit
def cell_kinds(data: Bytes, starts: Offsets, ends: Offsets) -> Bytes:
    """Return what each cell reads as, uint8 [cells]."""
    kinds = np.empty(len(starts), dtype=np.uint8)
    for i in range(len(starts)):
        kinds[i] = cell_kind(data, starts[i], ends[i])
    return kinds


@jit
def read_integers(data: Bytes, starts: Offsets, ends: Offsets) -> npt.NDArray[np.int64]:
    """Return whole numbers, int64 [texts]; the texts must be digits, with a minus or not."""
    out = np.empty(len(starts), dtype=np.int64)
    for i in range(len(starts)):
        negative = data[starts[i]] == _MINUS
        value = _value(data, starts[i] + 1 if negative else starts[i], ends[i])
        out[i] = -value if negative else value
    return out


@jit
def read_dates(data: Bytes, starts: Offsets, ends: Offsets) -> npt.NDArray[np.int32]:
    """Return days from 1970, int32 [texts]; the texts must be dates."""
    out = np.empty(len(starts), dtype=np.int32)
    for i in range(len(starts)):
        out[i] = _days(data, starts[i])
    return out


@jit
def read_moments(data: Bytes, starts: Offsets, ends: Offsets) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int16]]:
    """Return microseconds from 1970 in the zone of each date-time, and the zones in minutes (`NO_ZONE` for none)."""
    out = np.empty(len(starts), dtype=np.int64)
    zones = np.empty(len(starts), dtype=np.int16)
    for i in range(len(starts)):
        _, out[i], zones[i] = _moment(data, starts[i], ends[i])
    return out, zones


@jit
def numbered_spans(
    data: Bytes, starts: Offsets, ends: Offsets, numbers: npt.NDArray[np.int32]
) -> tuple[Bytes, Offsets, Offsets]:
    """Return the texts of spans with a u32 before each: bytes, starts and ends."""
    total = np.int64(0)
    for i in range(len(starts)):
        total += ends[i] - starts[i] + 4
    out = np.empty(total, dtype=np.uint8)
    out_starts, out_ends = np.empty(len(starts), dtype=np.int64), np.empty(len(starts), dtype=np.int64)
    at = np.int64(0)
    for i in range(len(starts)):
        out_starts[i] = at
        number = np.uint32(numbers[i])
        for shift in range(4):
            out[at] = np.uint8((number >> np.uint32(8 * shift)) & np.uint32(255))
            at += 1
        for j in range(starts[i], ends[i]):
            out[at] = data[j]
            at += 1
        out_ends[i] = at
    return out, out_starts, out_ends


@jit
def numbers_before(data: Bytes, starts: Offsets) -> npt.NDArray[np.int32]:
    """Return the u32 at the start of each span, int32 [spans]; see `numbered_spans`."""
    out = np.empty(len(starts), dtype=np.int32)
    for i in range(len(starts)):
        at = starts[i]
        out[i] = (
            np.int32(data[at])
            | np.int32(data[at + 1]) << 8
            | np.int32(data[at + 2]) << 16
            | np.int32(data[at + 3]) << 24
        )
    return out
