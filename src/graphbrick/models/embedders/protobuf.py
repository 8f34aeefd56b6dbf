"""Reading and writing messages of Protocol Buffers, as far as files of ONNX need it.

A package for it is larger than the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # how values are written


class Field(NamedTuple):
    """One field of a message.

    Attributes:
        number: The number of the field in the definition of the message.
        value: The content of a text, of bytes or of a message; empty for numbers.
        whole: The field as it is written, with its number.
    """

    number: int
    value: memoryview
    whole: memoryview


def fields(content: bytes | memoryview) -> Iterator[Field]:
    """Yield the fields of a message; their values are parts of it, not copies."""
    message, place = memoryview(content), 0
    while place < len(message):
        start = place
        tag, place = _read(message, place)
        number, value = tag >> 3, message[:0]
        if tag & 7 == BYTES:
            size, place = _read(message, place)
            value = message[place : place + size]
            place += size
        elif tag & 7 == VARINT:
            _, place = _read(message, place)
        else:
            place += {FIXED64: 8, FIXED32: 4}[tag & 7]
        yield Field(number, value, message[start:place])


def texts_of(message: bytes | memoryview, number: int) -> list[str]:
    """Return the texts of a field of a message."""
    return [str(field.value, "utf-8") for field in fields(message) if field.number == number]


def _read(message: memoryview, place: int) -> tuple[int, int]:
    """Return the number that begins at a place, and the place after it."""
    number = shift = 0
    while message[place] & 0x80:
        number |= (message[place] & 0x7F) << shift
        place, shift = place + 1, shift + 7
    return number | message[place] << shift, place + 1


def varint(number: int) -> bytes:
    """Return a number as it is written, seven bits a byte."""
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


def number_field(field: int, number: int) -> bytes:
    """Return a field that holds a whole number."""
    return varint(field << 3 | VARINT) + varint(number)


def bytes_field(field: int, value: bytes) -> bytes:
    """Return a field that holds a text, bytes or a message."""
    return bytes_opening(field, len(value)) + value


def bytes_opening(field: int, size: int) -> bytes:
    """Return what stands before a value of a size in bytes: the number of the field, and the size."""
    return varint(field << 3 | BYTES) + varint(size)
