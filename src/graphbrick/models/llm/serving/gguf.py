"""Reading the header of GGUF files; the weights are not read."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from graphbrick.core.errors import ModelError

_MAGIC = b"GGUF"
_OLDEST, _NEWEST = 2, 3  # of the format; version 1 counts with 32 bits
_LONGEST = 1 << 16  # bytes of a name, or of a value that is wanted
_MOST = 1 << 32  # entries of a list; a damaged file could say any number
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
_Value = str | int | float | bool | None


@dataclass(frozen=True)
class Head:
    """The header of a GGUF file.

    Attributes:
        architecture: Such as "qwen2".
        context: Tokens that the model was trained to read at most; None if the file does not say it.
    """

    architecture: str
    context: int | None


def read_head(path: Path) -> Head:
    """Return the header of a GGUF file.

    Raises:
        ModelError: There is no such file, or it is not a GGUF file, or it is cut.
    """
    if path.is_dir():
        raise ModelError(
            f"{path} is a folder; a local language model is one file in GGUF form", code="gguf.is_a_folder"
        )
    try:
        with path.open("rb") as file:
            return _read(file, path)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}", code="gguf.unreadable") from error
    except (struct.error, UnicodeDecodeError, ValueError) as error:
        raise ModelError(f"{path} is damaged or cut ({error}); fetch it again", code="gguf.damaged") from error


def _read(file: BinaryIO, path: Path) -> Head:
    magic = file.read(4)
    if magic != _MAGIC:
        raise ModelError(
            f"{path} is not a GGUF file (it starts with {magic!r}); a local model is one file in GGUF form",
            code="gguf.other_format",
            start=magic,
        )
    version, _tensors, n_values = _numbers(file, "<IQQ")
    if not _OLDEST <= version <= _NEWEST:
        raise ModelError(
            f"{path} is GGUF version {version}; versions {_OLDEST} to {_NEWEST} can be "
            "read; convert the model again with a newer llama.cpp",
            code="gguf.other_version",
            version=version,
        )
    architecture, lengths = "", {}
    for _ in range(n_values):
        name = _text(file)
        (kind,) = _numbers(file, "<I")
        value = _value(file, kind)
        if name == "general.architecture":
            architecture = str(value)
        elif name.endswith(".context_length") and isinstance(value, int):
            lengths[name.removesuffix(".context_length")] = value
        if architecture in lengths:
            break  # the vocabulary, which is long, mostly comes later
    return Head(architecture, lengths.get(architecture))


def _value(file: BinaryIO, kind: int) -> _Value:
    """Return the next value; lists and very long texts are skipped, and None."""
    if kind in _NUMBERS:
        return _numbers(file, f"<{_NUMBERS[kind]}")[0]
    if kind == _TEXT:
        return _text(file)
    if kind != _LIST:
        raise ValueError(f"it holds a value of the unknown kind {kind}")
    entry, n = _numbers(file, "<IQ")
    if n > _MOST:
        raise ValueError(f"it says that a list has {n:,} entries")
    if entry in _NUMBERS:
        file.seek(n * struct.calcsize(f"<{_NUMBERS[entry]}"), 1)
    else:
        for _ in range(n):
            _value(file, entry)
    return None


def _text(file: BinaryIO) -> str:
    (length,) = _numbers(file, "<Q")
    if length > _LONGEST:
        file.seek(length, 1)
        return ""
    data = file.read(length)
    if len(data) < length:
        raise ValueError("it ends in the middle of its head")
    return data.decode("utf-8", "replace")


def _numbers(file: BinaryIO, form: str) -> tuple[int, ...]:
    return struct.unpack(form, file.read(struct.calcsize(form)))
