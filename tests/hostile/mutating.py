"""Random changes of bytes and texts, as damage, attackers and other programs make them."""

from __future__ import annotations

import random

TOKENS = [
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n", b"\t", b'"', b"'", b"\\", b"\\u0000", b"\\ud800",
    b"&lol;", b"<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>", b"]]>", b"<!--", b"NaN", b"Infinity",
    b"-1", b"0", b"1e999", b"9" * 400, b"99999999999999999999", b"-0.0", b"null", b"[]", b"{}", b"[" * 500,
    b"{" * 500, b"(" * 500, b"<a>" * 500, b"../../../etc/passwd", b"%00", b"%n%s", b"=HYPERLINK(1)", b"\xc3\x28",
    b"\xed\xa0\x80", b"\xf4\x90\x80\x80", "\u202e".encode(), "e\u0301".encode() * 60, "\U0001f9ea".encode(),
    "\u0000\u200b\ufeff".encode(), b"http://[", b"http://\x7f/", b"_:" + b"b" * 3_000, b"@en", b"^^<x>", b"true",
    b"2020-13-45", b"0000-00-00T99:99:99Z", b"id", b"__class__", b"x" * 70_000,
]  # fmt: skip
"""What parsers stumble over."""


def mutated(draw: random.Random, data: bytes) -> bytes:
    """Return bytes after one to six random changes, two million bytes at most."""
    for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
        data = draw.choice(_CHANGES)(draw, data)[:2_000_000]
    return data


def mutated_text(draw: random.Random, text: str) -> str:
    """Return a text after random changes; a part that is not UTF-8 then becomes letters."""
    return mutated(draw, text.encode()).decode(errors="replace")


def _slice(draw: random.Random, data: bytes, longest: int = 200) -> tuple[int, int]:
    begin = draw.randrange(len(data) + 1)
    return begin, min(len(data), begin + draw.randint(1, longest))


def _flip(draw: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 4) if data else 0):
        changed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _cut(draw: random.Random, data: bytes) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _without(draw: random.Random, data: bytes) -> bytes:
    begin, end = _slice(draw, data)
    return data[:begin] + data[end:]


def _twice(draw: random.Random, data: bytes) -> bytes:
    begin, end = _slice(draw, data)
    return data[:end] + data[begin:end] * draw.choice((1, 1, 2, 50, 2_000)) + data[end:]


def _inserted(draw: random.Random, data: bytes) -> bytes:
    begin = draw.randrange(len(data) + 1)
    return data[:begin] + draw.choice(TOKENS) + data[begin:]


def _replaced(draw: random.Random, data: bytes) -> bytes:
    begin, end = _slice(draw, data, 12)
    return data[:begin] + draw.choice(TOKENS) + data[end:]


def _noise(draw: random.Random, data: bytes) -> bytes:
    begin, end = _slice(draw, data)
    return data[:begin] + draw.randbytes(end - begin) + data[end:]


def _moved(draw: random.Random, data: bytes) -> bytes:
    begin, end = _slice(draw, data)
    rest = data[:begin] + data[end:]
    place = draw.randrange(len(rest) + 1)
    return rest[:place] + data[begin:end] + rest[place:]


_CHANGES = (_flip, _flip, _cut, _without, _twice, _inserted, _inserted, _replaced, _noise, _moved)
