"""Files as Windows treats them.

One that is open or mapped cannot be removed, renamed or replaced, nor can a folder around it.
"""

from __future__ import annotations

import errno
import gc
import importlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock


def open_here() -> set[str]:
    """Return the paths of all files that this process has open or mapped; Linux only."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    places = {line.split(maxsplit=5)[5] for line in maps if "/" in line}
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # that of the listing itself
            place = entry.readlink()
            if not place.is_dir():  # folders are opened to be locked, which Windows cannot
                places.add(str(place))
    return places


@contextmanager
def _missing(module: str) -> Iterator[None]:
    """Let a module be one that does not exist; those imported within the block stay."""
    before = importlib.import_module(module)
    sys.modules[module] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.modules[module] = before


@contextmanager
def _without_functions(*names: str) -> Iterator[None]:
    """Take functions out of `os` within the block."""
    before = {name: getattr(os, name) for name in names}
    for name in names:
        delattr(os, name)
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(os, name, function)


@contextmanager
def as_on_windows() -> Iterator[None]:
    """Within the block, refuse what Windows refuses about open files, and let there be no fcntl."""
    gc.collect()  # what other tests have left removes its own files, which is not to be looked at here

    def guarded(change: Callable[..., Any]) -> Callable[..., Any]:
        def changed(*paths: Any, **options: Any) -> Any:
            for path in map(os.path.realpath, paths):
                used = [place for place in open_here() if place == path or place.startswith(f"{path}/")]
                if used:
                    raise PermissionError(errno.EACCES, f"open as {used[0]}", str(path))
            return change(*paths, **options)

        return changed

    with (
        mock.patch("os.unlink", guarded(os.unlink)),
        mock.patch("os.remove", guarded(os.remove)),
        mock.patch("os.rename", guarded(os.rename)),
        mock.patch("os.replace", guarded(os.replace)),
        mock.patch("os.rmdir", guarded(os.rmdir)),
        mock.patch.object(shutil, "_use_fd_functions", False),
        _missing("fcntl"),
        _without_functions("sysconf", "sched_getaffinity", "geteuid", "getuid", "statvfs", "fork"),
        mock.patch("graphbrick.core.files.system.IS_WINDOWS", True),
        mock.patch("graphbrick.core.files.folders.exchange", return_value=False),
    ):
        yield
