"""The checksum of a database of documents, in a file beside it: SQLite keeps none of its own.

It is written when the last process that had the database open closes it after a change. As long as SQLite's log of
changes is there, the checksum means nothing: a process writes, or was killed, and whoever opens the database next
removes the checksum. A process that changed the database removes it before the log goes. Its nine bytes are written
at once and in place, so that a process killed meanwhile leaves an empty file, which tells nothing.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path

_CHUNK = 1 << 20


def unseal(database: Path) -> None:
    """Remove the checksum of a database that a process writes, or was writing when it was killed."""
    if _has_log(database):
        with suppress(OSError):  # as long as the log is there nobody believes it
            _place(database).unlink(missing_ok=True)


def seal(database: Path) -> None:
    """Write the checksum of a database, unless another process has it open."""
    if _has_log(database):
        return
    try:
        with _place(database).open("wb") as file:
            file.write(_line(database))
            file.flush()
            os.fsync(file.fileno())
    except OSError:  # without a checksum nothing can be compared; with that of before, a database would seem damaged
        with suppress(OSError):
            _place(database).unlink(missing_ok=True)


def can_tell(database: Path) -> bool:
    """Return whether there is a checksum that the database can be compared with."""
    return bool(_size(_place(database))) and not _has_log(database)


def is_broken(database: Path) -> bool:
    """Return whether a database is not what was written, as far as its checksum can tell."""
    if not can_tell(database):
        return False
    return _place(database).read_bytes() != _line(database)


def _place(database: Path) -> Path:
    return database.with_name(f"{database.name}.crc32")


def _has_log(database: Path) -> bool:
    return bool(_size(database.with_name(f"{database.name}-wal")))


def _size(file: Path) -> int:
    """Return the bytes of a file; 0 if there is none."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _line(database: Path) -> bytes:
    """Return what the file of the checksum of a database has to hold, to the last byte."""
    checksum = 0
    with database.open("rb") as file:
        while chunk := file.read(_CHUNK):
            checksum = zlib.crc32(chunk, checksum)
    return f"{checksum:08x}\n".encode()
