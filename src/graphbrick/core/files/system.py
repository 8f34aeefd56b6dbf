"""Where systems differ about files: what Windows cannot, or does otherwise."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

IS_WINDOWS = sys.platform == "win32"
"""Whether this is Windows: an open file cannot be removed or renamed there, and folders cannot be opened or locked."""


def close_unused() -> None:
    """On Windows, close the files of objects that nobody uses any more, so that what they had open can be renamed."""
    if IS_WINDOWS:
        gc.collect()


def flush_to_disk(file: Path) -> None:
    """Wait until what was written to a file is on the disk.

    Raises:
        OSError: The file is missing, or cannot be written to the disk.
    """
    with file.open("r+b" if IS_WINDOWS else "rb") as handle:  # Windows flushes only what is open for writing
        os.fsync(handle.fileno())


def remove_lock(file: Path) -> None:
    """Remove the file of a lock that is held; Windows keeps it, as it is open, and the next process locks it again.

    Raises:
        OSError: It cannot be removed; a missing file is no error.
    """
    if not IS_WINDOWS:
        file.unlink(missing_ok=True)


def remove_mapped(file: Path) -> None:
    """Remove a file that readers may have mapped; Windows keeps it while they do.

    Raises:
        OSError: It is missing or cannot be removed.
    """
    try:
        file.unlink()
    except PermissionError:
        if not IS_WINDOWS:
            raise
