"""Checksums of files and folders, which tell whether their contents have changed."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError

_SHA256 = re.compile(r"[0-9a-f]{64}")


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of a folder's files with their names, as hexadecimal text.

    It depends on contents only, not on where the file or folder lies. Each file is read once per process, and again
    when its size or time of change differs.

    Raises:
        InputError: The path does not exist or cannot be read.
    """
    try:
        if not path.is_dir():
            return _digest_of_file(path)
        total = hashlib.sha256()
        for name, file in sorted((file.relative_to(path).as_posix(), file) for file in _files_in(path)):
            total.update(f"{name}\0{_digest_of_file(file)}\n".encode("utf-8", "surrogateescape"))
        return total.hexdigest()
    except OSError as error:
        raise InputError(
            f"it cannot be read: {error.strerror or error}", error.filename or path, code="digest.unreadable"
        ) from error


def file_stamp(path: Path) -> tuple[int, int, int] | None:
    """Return numbers that change when a file or folder is replaced or written to; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _files_in(folder: Path) -> list[Path]:
    def unreadable(error: OSError) -> None:
        raise error  # os.walk would pass over the folder

    walked = os.walk(folder, onerror=unreadable, followlinks=True)
    return [Path(parent, name) for parent, _, names in walked for name in names]


def _digest_of_file(file: Path) -> str:
    status = file.stat()
    return _read(file, status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=4096)
def _read(file: Path, *_stamp: int) -> str:
    return sha256(file)


def sha256(file: Path) -> str:
    """Return the SHA-256 of a file, read now, as hexadecimal text."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def sealed(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON facts with a checksum of them, as "checksum"."""
    return {**facts, "checksum": _checksum(facts)}


def is_intact(facts: Mapping[str, Any]) -> bool:
    """Return whether facts fit their checksum; true of those that an earlier version wrote without one.

    A checksum under another name shows that the name is damaged.
    """
    if "checksum" in facts:
        return bool(facts["checksum"] == _checksum(facts))
    digests = [name for name, value in facts.items() if isinstance(value, str) and _SHA256.fullmatch(value)]
    return not any(facts[name] == _checksum(facts, name) for name in digests)


def _checksum(facts: Mapping[str, Any], own: str = "checksum") -> str:
    others = {name: value for name, value in facts.items() if name != own}
    return hashlib.sha256(json.dumps(others, sort_keys=True).encode()).hexdigest()
