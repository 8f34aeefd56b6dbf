"""Folders in use: a process claims the one that it writes, and what a kill left aside is put back."""

from __future__ import annotations

import errno
import glob
import itertools
import os
import time
from contextlib import suppress
from pathlib import Path

_ABANDONED_SECONDS = 86_400
_serial = itertools.count()


def recover(path: Path) -> bool:
    """Restore a missing folder that a killed process had moved aside.

    Returns:
        Whether to try opening it again: it was restored, or another process is replacing it now.
    """
    path = path.resolve()
    aside = hidden(path, "replaced")
    for folder in [] if path.exists() else aside:
        if not is_claimed(folder):
            with suppress(OSError):  # another process was faster
                folder.rename(path)
            break
    return bool(aside)


def beside(path: Path, what: str) -> Path:
    """Return a new hidden name beside a folder, such as ``.films.graph.building-71-0``."""
    if not path.name:  # nothing can be beside the root
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return path.with_name(f".{path.name}.{what}-{os.getpid()}-{next(_serial)}")


def hidden(path: Path, what: str) -> list[Path]:
    """Return the hidden folders of this kind beside a folder, also those of other processes."""
    prefix = f".{path.name}.{what}-"
    folders = path.parent.glob(f"{glob.escape(prefix)}*")
    return [folder for folder in folders if folder.name.removeprefix(prefix)[:1].isdigit() and folder.is_dir()]


def claim_folder(folder: Path) -> int | None:
    """Lock a folder until the returned descriptor is closed or the process ends, even if it is killed.

    Unlike a process id, a lock also works across containers and hosts. Windows cannot lock folders: there the result
    is None, and a folder counts as claimed for a day.
    """
    try:
        import fcntl
    except ImportError:
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def claim_left_over(folder: Path) -> int | None:
    """Lock a hidden folder; raise BlockingIOError if a running process has claimed it."""
    claim = claim_folder(folder)
    if claim is None and time.time() - folder.stat().st_mtime < _ABANDONED_SECONDS:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(folder))
    return claim


def is_claimed(folder: Path) -> bool:
    """Return whether a running process is writing a folder."""
    try:
        claim = claim_left_over(folder)
        if claim is not None:
            os.close(claim)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
