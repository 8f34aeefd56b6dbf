"""Text files that appear, or replace an earlier one, when they are complete."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A file written to a temporary name and renamed on success; removed on failure.

    A device or a pipe, such as /dev/stdout, is written to and not replaced.
    """
    path = path.resolve()  # replaces the target of a link, not the link
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as out:
            yield out
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    begin = path.name.encode(errors="ignore")[:100].decode(errors="ignore")  # names are limited in bytes
    temporary = path.with_name(f".{begin}.{secrets.token_hex(8)}")
    mode = path.stat().st_mode & 0o777 if path.exists() else None  # an earlier file keeps its permissions
    try:
        # A new file gets the permissions that the umask allows; content for an earlier one stays private until then.
        temporary.touch(0o666 if mode is None else 0o600, exist_ok=False)
        # Lone surrogates, which no encoding has, are written as escapes.
        with temporary.open("w", encoding="utf-8", errors="backslashreplace", newline="") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
