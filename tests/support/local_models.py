"""Files in GGUF form without weights, and the stand-in for xllamacpp."""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path
from typing import Any

import pytest

_FAKE = Path(__file__).with_name("fake_llama.py")


def write_gguf(path: Path, values: dict[str, Any] | None = None, *, version: int = 3, mode: str = "") -> Path:
    """A head with these values (by default of a model that reads 4,096 tokens), and how the stand-in is to behave."""
    if values is None:
        values = {"general.architecture": "tiny", "general.name": "Tiny", "tiny.context_length": 4096}
    body = b"".join(_text(name) + _value(value) for name, value in values.items())
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", version, 0, len(values)) + body + b"MODE:" + mode.encode())
    return path


def use_fake_llama(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let this process, and those it starts, find the stand-in in the place of xllamacpp.

    Args:
        patch: What ends it.
        folder: Where a folder for it can be made.
    """
    place = folder / "fake_llama"
    place.mkdir()
    shutil.copy(_FAKE, place / "xllamacpp.py")
    patch.syspath_prepend(str(place))
    patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(place), os.environ.get("PYTHONPATH", "")])))


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _value(value: Any) -> bytes:
    match value:
        case bool():
            return struct.pack("<I?", 7, value)
        case int():
            return struct.pack("<II", 4, value)
        case float():
            return struct.pack("<If", 6, value)
        case str():
            return struct.pack("<I", 8) + _text(value)
        case list():
            inner = [_value(entry) for entry in value]
            kind = inner[0][:4] if inner else struct.pack("<I", 4)
            return struct.pack("<I", 9) + kind + struct.pack("<Q", len(value)) + b"".join(part[4:] for part in inner)
    raise TypeError(value)
