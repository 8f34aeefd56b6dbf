"""Writing a folder so that it is there whole or not at all."""

from __future__ import annotations

import ctypes
import errno
import glob
import itertools
import json
import os
import shutil
from pathlib import Path
from types import TracebackType

from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs import manifest
from graphbrick.graphs.building.steps import is_left_by
from graphbrick.graphs.delta_files import is_delta

_serial = itertools.count()
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD, and RENAME_EXCHANGE of Linux, which macOS calls RENAME_SWAP


class AtomicFolder:
    """A graph folder in the making: written beside its place under a hidden name, and renamed at the end.

    Leaving the ``with`` block without `commit` removes what was written. Entering clears up after processes that were
    killed; an old graph that such a process had moved aside comes back.

    Args:
        path: The folder to make; a link is followed.
        overwrite: Replace a graph that is there. Anything that is not a graph is never replaced.
        mark: The `fingerprint` of the build; what a killed one with the same has left is gone on with.
    """

    def __init__(self, path: Path, *, overwrite: bool, mark: str = "") -> None:
        self._shown, self._path, self._overwrite, self._mark = path, path.resolve(), overwrite, mark
        self._claims: list[int] = []

    def __enter__(self) -> Path:
        self.work = self._path.with_name(f".{self._path.name}.building-{os.getpid()}-{next(_serial)}")
        try:
            self._clear_up()
            self._refuse_target()
            if not self._claims:
                self.work.mkdir(parents=True)
                self._claims.append(_claim(self.work))
        except OSError as error:
            raise GraphbrickError(
                f"{self._shown} cannot be written ({error.strerror or error}); choose another place for the graph"
            ) from error
        return self.work

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        for claim in self._claims:
            os.close(claim)

    def commit(self) -> None:
        """Put the finished folder in its place; readers that have the old one open keep it."""
        for file in self.work.iterdir():
            with file.open("rb") as handle:
                os.fsync(handle.fileno())
        self._refuse_target()  # somebody may have made it meanwhile
        old = self._path.with_name(f".{self._path.name}.replaced-{os.getpid()}-{next(_serial)}")
        if self._path.exists():
            self._claims.append(_claim(self._path))
            if _exchange(self.work, self._path):
                return  # at no moment was there no graph; the old one is removed as what was left of the work
            self._path.rename(old)
        try:
            self.work.rename(self._path)
        except OSError:
            if old.exists():
                old.rename(self._path)
            raise
        shutil.rmtree(old, ignore_errors=True)

    def _refuse_target(self) -> None:
        path = self._path
        if not path.exists() or (path.is_dir() and not any(path.iterdir())):
            return
        foreign = _foreign(path)
        if foreign is None:
            raise GraphbrickError(f"{self._shown} exists and is not a graph folder; choose another place for the graph")
        if foreign:
            raise GraphbrickError(f"{self._shown} holds a graph and also {foreign[0]}; move that away first")
        if not self._overwrite:
            raise GraphbrickError(
                f"{self._shown} holds a graph already; replace it with --overwrite, or choose another place"
            )

    def _clear_up(self) -> None:
        for folder in self._left_over("building"):
            if self._mark and not self._claims and is_left_by(folder, self._mark):
                self._claims.append(_claim(folder))
                self.work = folder
            else:
                shutil.rmtree(folder, ignore_errors=True)
        for folder in self._left_over("replaced"):
            if self._path.exists():
                shutil.rmtree(folder, ignore_errors=True)
            else:
                folder.rename(self._path)  # killed between the two renames

    def _left_over(self, what: str) -> list[Path]:
        """The hidden folders of this graph that no running build claims."""
        prefix = f".{self._path.name}.{what}-"
        folders = self._path.parent.glob(f"{glob.escape(prefix)}*")
        return [f for f in folders if f.name.removeprefix(prefix)[:1].isdigit() and f.is_dir() and not _claimed(f)]


def _foreign(path: Path) -> list[str] | None:
    """The files of a graph folder that are not the graph's; None where it is no graph folder."""
    try:
        listed = json.loads((path / manifest.NAME).read_text(encoding="utf-8"))
        if listed["format"] != manifest.FORMAT:
            return None
        own = {manifest.NAME, *listed["files"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return sorted(file.name for file in path.iterdir() if file.name not in own and not is_delta(file.name))


def _exchange(first: Path, second: Path) -> bool:
    """Let two folders change their names in one step; False where the system or the file system cannot."""
    system = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(first), os.fsencode(second)
    if hasattr(system, "renameat2"):
        done = bool(system.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE) == 0)
    elif hasattr(system, "renamex_np"):
        done = bool(system.renamex_np(*names, _EXCHANGE) == 0)
    else:
        return False
    number = ctypes.get_errno()
    if not done and number not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        raise OSError(number, os.strerror(number), str(second))
    return done


def _claim(folder: Path) -> int:
    """Lock a folder until the descriptor that returns is closed, or the process ends however it ends.

    A lock tells of processes in other containers and on other hosts too, which a process id does not.
    """
    import fcntl  # Windows has no such module; building a graph there is not supported

    descriptor = os.open(folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def _claimed(folder: Path) -> bool:
    try:
        os.close(_claim(folder))
    except OSError:
        return True
    return False
