"""The checksum of a database of documents, in a file beside it: SQLite keeps none of its own.

It is written when the last process that had the database open closes it after a change. As long as SQLite's log of
changes is there, the checksum means nothing: a process writes, or was killed, and whoever opens the database next
removes the checksum.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from pathlib import Path

from graphbrick.core.files.replacing import replacing

_CHUNK = 1 << 20


def unseal(database: Path) -> None:
    """Remove the checksum of a database that a process writes, or was writing when it was killed."""
    if _has_log(database):
        _place(database).unlink(missing_ok=True)


def seal(database: Path) -> None:
    """Write the checksum of a database, unless another process has it open."""
    if _has_log(database):
        return
    try:
        with replacing(_place(database)) as file:
            file.write(_line(database).decode())
    except OSError:  # without a checksum nothing can be compared; with that of before, a database would seem damaged
        with suppress(OSError):
            _place(database).unlink(missing_ok=True)


def can_tell(database: Path) -> bool:
    """Return whether there is a checksum that the database can be compared with."""
    return _place(database).exists() and not _has_log(database)


def is_broken(database: Path) -> bool:
    """Return whether a database is not what was written, as far as its checksum can tell."""
    if not can_tell(database):
        return False
    return _place(database).read_bytes() != _line(database)


def _place(database: Path) -> Path:
    return database.with_name(f"{database.name}.crc32")


def _has_log(database: Path) -> bool:
    try:
        return database.with_name(f"{database.name}-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def _line(database: Path) -> bytes:
    """Return what the file of the checksum of a database has to hold, to the last byte."""
    checksum = 0
    with database.open("rb") as file:
        while chunk := file.read(_CHUNK):
            checksum = zlib.crc32(chunk, checksum)
    return f"{checksum:08x}\n".encode()
