"""Split ordinary lines of N-Triples into their terms; unusual lines are left to the parser."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphbrick.kernels.jit import inlined, jit
from graphbrick.kernels.strings.lines import count_lines, may_be_blank
from graphbrick.kernels.strings.names import local_span
from graphbrick.kernels.strings.spans import Bytes, Hashes, Offsets, hash_span, same_bytes

_NEWLINE, _RETURN, _SPACE, _TAB = 10, 13, 32, 9
_OPEN, _CLOSE, _DOT, _COLON, _UNDERSCORE, _HASH, _SLASH, _PERCENT = 60, 62, 46, 58, 95, 35, 47, 37
_QUOTE, _BACKSLASH, _AT, _CARET, _HYPHEN, _DELETE = 34, 92, 64, 94, 45, 127

IRI, PLAIN, TAGGED, TYPED = range(4)
"""Kind of a tail: an IRI or blank node; a plain literal, one with a language, or one with a datatype."""

LABEL, TYPE = range(2)
"""Kind of a fact: a label or a type."""

PREFERRED, VARIANT, NO_LANGUAGE, OTHER = range(1, 5)
"""Rank of a label: in the preferred language, in a variant of it, without a language, in another one."""


class Statements(NamedTuple):
    """The terms of the ordinary lines of a block; all positions are byte offsets into the block.

    Attributes:
        starts: int64 [3, triples]; starts of heads, relations and tails.
        ends: int64 [3, triples]; their ends.
        literal: uint8 [triples]; kind of each tail.
        value: int64 [2, triples]; start and end of the value of a literal.
        type: int64 [2, triples]; start and end of the local name of its datatype.
        facts: int64 [facts, 7]; start and end of the key, start and end of the text, kind, rank, and line number.
        odd: int64 [lines, 4]; number (from 0), start and end of an unusual line, and the number of triples before it.
    """

    starts: Offsets
    ends: Offsets
    literal: Bytes
    value: Offsets
    type: Offsets
    facts: Offsets
    odd: Offsets


@jit
def _is_letter(byte: int) -> bool:
    return 97 <= byte <= 122 or 65 <= byte <= 90


@jit
def _is_digit(byte: int) -> bool:
    return 48 <= byte <= 57


@jit
def _is_hex(byte: int) -> bool:
    return 48 <= byte <= 57 or 97 <= byte <= 102 or 65 <= byte <= 70


@jit
def _is_plain(byte: int) -> bool:
    """Tell whether a byte is a letter, a digit or one of ``-._~!$&'()*+,;=:@``, which may stand in a path."""
    if _is_letter(byte) or _is_digit(byte):
        return True
    return byte in (45, 46, 95, 126, 33, 36, 38, 39, 40, 41, 42, 43, 44, 59, 61, 58, 64)


@jit
def _after_iri(data: Bytes, at: int, size: int) -> int:
    """Return the position after an ordinary ``<scheme:...>`` that opens here, or -1."""
    at += 1
    if at >= size or not _is_letter(data[at]):
        return -1
    while at < size and (_is_letter(data[at]) or _is_digit(data[at])):
        at += 1
    if at >= size or data[at] != _COLON:
        return -1
    at += 1
    if at + 1 < size and data[at] == _SLASH and data[at + 1] == _SLASH:
        at += 2
        host = at
        while at < size and (_is_letter(data[at]) or _is_digit(data[at]) or data[at] in (45, 46)):
            at += 1
        if at == host or at >= size or data[at] not in (_SLASH, _HASH, _CLOSE):
            return -1
    marks = 0  # number of fragment marks; only one is ordinary
    while at < size and data[at] != _CLOSE:
        byte = data[at]
        if byte == _HASH and marks == 0:
            marks = 1
        elif byte == _PERCENT:
            if at + 2 >= size or not _is_hex(data[at + 1]) or not _is_hex(data[at + 2]):
                return -1
            at += 2
        elif byte == _SLASH:
            if at + 1 < size and data[at + 1] == _SLASH:
                return -1
        elif not _is_plain(byte):
            return -1
        at += 1
    return at + 1 if at < size else -1


@jit
def _after_blank(data: Bytes, at: int, size: int) -> int:
    """Return the end of an ordinary ``_:name`` that begins here, or -1."""
    if at + 2 >= size or data[at + 1] != _COLON:
        return -1
    at += 2
    start = at
    while at < size and (_is_letter(data[at]) or _is_digit(data[at]) or (data[at] == _UNDERSCORE)):
        at += 1
    return at if at > start else -1


@jit
def _after_term(data: Bytes, at: int, size: int) -> int:
    """Return the end of an IRI or blank node that begins here, or -1."""
    if at >= size:
        return -1
    if data[at] == _OPEN:
        return _after_iri(data, at, size)
    if data[at] == _UNDERSCORE:
        return _after_blank(data, at, size)
    return -1


@jit
def _after_space(data: Bytes, at: int, size: int) -> int:
    while at < size and (data[at] == _SPACE or data[at] == _TAB):
        at += 1
    return at


@jit
def _is_among(value: np.uint64, hashes: Hashes) -> bool:
    for other in hashes:  # noqa: SIM110
        if other == value:
            return True
    return False


@jit
def _after_tag(data: Bytes, at: int, size: int) -> int:
    """Return the end of an ordinary language tag such as ``en``, ``en-gb`` or ``zh-hant``, or -1."""
    start = at
    while at < size and 97 <= data[at] <= 122:
        at += 1
    if not 2 <= at - start <= 3:
        return -1
    if at < size and data[at] == _HYPHEN:
        start = at + 1
        at = start
        while at < size and 97 <= data[at] <= 122:
            at += 1
        if at - start not in (2, 4):
            return -1
    return -1 if at < size and (_is_letter(data[at]) or _is_digit(data[at]) or data[at] == _HYPHEN) else at


@jit
def _after_text(data: Bytes, at: int, size: int) -> int:
    """Return the end of the value of a literal that opens here, or -1 if it has an escape."""
    at += 1
    while at < size and data[at] != _QUOTE:
        if data[at] == _BACKSLASH or data[at] < _SPACE or data[at] == _DELETE:
            return -1
        at += 1
    return at if at < size else -1


@jit
def _rank(data: Bytes, start: int, end: int, language: Bytes) -> int:
    size = len(language)
    if end - start < size or not same_bytes(language, 0, size, data, start):
        return OTHER
    if end - start == size:
        return PREFERRED
    return VARIANT if data[start + size] == _HYPHEN else OTHER


@jit
def _after_literal(
    data: Bytes, first: int, end: int, language: Bytes, special: Hashes
) -> tuple[int, int, int, int, int, int]:
    """Read the literal that begins with a quote at ``first``.

    Returns:
        The position after it, -1 if the literal is left to the parser; kind of the tail; rank of its language; end of
        the value; start and end of the local name of its datatype.
    """
    tail, rank, kind_start, kind_end = PLAIN, NO_LANGUAGE, np.int64(0), np.int64(0)
    value_end = np.int64(_after_text(data, first, end))
    if value_end < 0 or may_be_blank(data, first + 1, value_end):
        return np.int64(-1), tail, rank, value_end, kind_start, kind_end
    at = value_end + 1
    if at < end and data[at] == _AT:
        tail, tag = TAGGED, at + 1
        at = np.int64(_after_tag(data, tag, end))
        rank = _rank(data, tag, at, language)
    elif at + 2 < end and data[at] == _CARET and data[at + 1] == _CARET and data[at + 2] == _OPEN:
        tail, iri = TYPED, at + 3
        at = np.int64(_after_iri(data, at + 2, end))
        if at >= 0:
            kind_start, kind_end, left = local_span(data, iri, at - 1)
            if left or _is_among(hash_span(data, iri, at - 1), special):
                at = np.int64(-1)
    return at, tail, rank, value_end, kind_start, kind_end


@jit
def _ends_at(data: Bytes, at: int, end: int) -> bool:
    """Return whether a line has nothing after a position but a full stop and spaces."""
    if at >= end or data[at] != _DOT:
        return False
    at = _after_space(data, at + 1, end)
    if at < end and data[at] == _RETURN:
        at += 1
    return at == end


@inlined
def _line_end(data: Bytes, at: int) -> int:
    """Return the position of the next end of a line, or the length of the data."""
    while at < len(data) and data[at] != _NEWLINE:
        at += 1
    return at


@inlined
def _write_fact(
    data: Bytes,
    starts: Offsets,
    ends: Offsets,
    value: Offsets,
    row: int,
    facts: Offsets,
    number: int,
    is_type: bool,
    rank: int,
) -> bool:
    """Write a label or a type, whose terms are in a row, as a fact; return whether it is ordinary."""
    facts[number, 0], facts[number, 1] = starts[0, row], ends[0, row]
    facts[number, 2], facts[number, 3] = value[0, row], value[1, row]
    facts[number, 4], facts[number, 5] = LABEL, rank
    if not is_type:
        return True
    facts[number, 2], facts[number, 3], left = local_span(data, starts[2, row], ends[2, row])
    facts[number, 4], facts[number, 5] = TYPE, 0
    return not left and data[starts[2, row]] != _UNDERSCORE  # a class without a name is the tail of a triple


@jit
def split_ntriples(
    data: Bytes, language: Bytes, labels: Hashes, types: Hashes, special: Hashes, literals: bool
) -> tuple[Offsets, Offsets, Bytes, Offsets, Offsets, Offsets, Offsets]:
    """Return the terms of lines such as ``<iri> <iri> <iri> .``, as the fields of `Statements`.

    Terms may also be blank nodes or literals. A line is ordinary if it has no escapes, graph names or comments, its
    IRIs are plain, and its literals need no stripping. Empty lines are skipped.

    Args:
        data: Lines of N-Triples in UTF-8.
        language: The preferred language.
        labels: Hashes of the predicates that state labels.
        types: Hashes of the predicates that state types.
        special: Hashes of the predicates and datatypes that are left to the parser.
        literals: Whether lines with literals, labels or types count as ordinary.
    """
    capacity = count_lines(data)
    starts, ends = np.empty((3, capacity), dtype=np.int64), np.empty((3, capacity), dtype=np.int64)
    value, kind = np.zeros((2, capacity), dtype=np.int64), np.zeros((2, capacity), dtype=np.int64)
    literal = np.empty(capacity, dtype=np.uint8)
    facts, odd = np.empty((capacity, 7), dtype=np.int64), np.empty((capacity, 4), dtype=np.int64)
    found = stated = faults = line = start = np.int64(0)  # for a constant 0 all functions would be compiled once more
    while start < len(data):
        end = _line_end(data, start)
        at, good, tail, rank = start, True, IRI, NO_LANGUAGE
        for j in range(3):
            first = at
            if j == 2 and literals and at < end and data[at] == _QUOTE:
                at, tail, rank, value_end, kind_start, kind_end = _after_literal(data, first, end, language, special)
                if at < 0:
                    good = False
                    break
                starts[2, found], ends[2, found] = first, at
                value[0, found], value[1, found] = first + 1, value_end
                kind[0, found], kind[1, found] = kind_start, kind_end
            else:
                at = _after_term(data, first, end)
                if at < 0 or (j == 1 and data[first] == _UNDERSCORE):
                    good = False
                    break
                bracket = np.int64(data[first] == _OPEN)
                starts[j, found] = first + bracket
                ends[j, found] = at - bracket
            after = _after_space(data, at, end)
            if after == at and j < 2:
                good = False
                break
            at = after
        good = good and _ends_at(data, at, end)
        if good:
            predicate = hash_span(data, starts[1, found], ends[1, found])
            is_label, is_type = _is_among(predicate, labels), _is_among(predicate, types)
            if _is_among(predicate, special):
                good = False
            elif is_label or is_type:
                # A label must be a literal and a class must not; otherwise it is a triple, which the parser handles.
                good = literals and is_type == (tail == IRI)
                good = good and _write_fact(data, starts, ends, value, found, facts, stated, is_type, rank)
                facts[stated, 6] = line
                stated += good
            else:
                literal[found] = tail
                found += 1
        if not good and end > start and not (end == start + 1 and data[start] == _RETURN):
            odd[faults, 0], odd[faults, 1], odd[faults, 2], odd[faults, 3] = line, start, end, found
            faults += 1
        line, start = line + 1, end + 1
    return (
        starts[:, :found].copy(),
        ends[:, :found].copy(),
        literal[:found].copy(),
        value[:, :found].copy(),
        kind[:, :found].copy(),
        facts[:stated].copy(),
        odd[:faults].copy(),
    )
