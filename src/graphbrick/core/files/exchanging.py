"""Two folders exchange their names in one step, where the system can do that."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_HERE = -100  # AT_FDCWD of Linux: paths are taken from the working folder
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, and RENAME_SWAP of macOS


def exchange(one: Path, other: Path) -> bool:
    """Let two folders exchange their names, so that there is one under each at any moment.

    Returns:
        Whether they did; False where the system, the C library or the file system cannot, and nothing was changed.
    """
    if os.name != "posix":
        return False
    library = ctypes.CDLL(None)
    if sys.platform == "darwin" and hasattr(library, "renamex_np"):
        return not library.renamex_np(os.fsencode(one), os.fsencode(other), _EXCHANGE)
    if hasattr(library, "renameat2"):
        return not library.renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE)
    return False
