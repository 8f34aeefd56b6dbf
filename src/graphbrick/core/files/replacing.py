"""Text files that appear, or replace an earlier one, when they are complete."""

from __future__ import annotations

import os
import tempfile
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
    handle, name = tempfile.mkstemp(prefix=f".{begin}.", dir=path.parent)
    try:
        # Lone surrogates, which no encoding has, are written as escapes.
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Return the permissions that new files lack; they can only be read by setting them."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
