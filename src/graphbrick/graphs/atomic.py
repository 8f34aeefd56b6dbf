"""Writing a folder so that it is there whole or not at all."""

from __future__ import annotations

import glob
import itertools
import os
import shutil
from pathlib import Path
from types import TracebackType

from graphbrick.errors import GraphbrickError
from graphbrick.graphs import manifest

_serial = itertools.count()


class AtomicFolder:
    """A graph folder in the making: written beside its place under a hidden name, and renamed at the end.

    Leaving the ``with`` block without `commit` removes what was written. Entering clears up after processes that were
    killed; an old graph that such a process had moved aside comes back.

    Args:
        path: The folder to make; a link is followed.
        overwrite: Replace a graph that is there. Anything that is not a graph is never replaced.
    """

    def __init__(self, path: Path, *, overwrite: bool) -> None:
        self._shown, self._path, self._overwrite = path, path.resolve(), overwrite

    def __enter__(self) -> Path:
        self.work = self._path.with_name(f".{self._path.name}.building-{os.getpid()}-{next(_serial)}")
        try:
            self._clear_up()
            self._refuse_target()
            self.work.mkdir(parents=True)
        except OSError as error:
            raise GraphbrickError(
                f"{self._shown} cannot be written ({error.strerror or error}); choose another place for the graph"
            ) from error
        return self.work

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        shutil.rmtree(self.work, ignore_errors=True)

    def commit(self) -> None:
        """Put the finished folder in its place; readers that have the old one open keep it."""
        for file in self.work.iterdir():
            with file.open("rb") as handle:
                os.fsync(handle.fileno())
        self._refuse_target()  # somebody may have made it meanwhile
        old = self._path.with_name(f".{self._path.name}.replaced-{os.getpid()}-{next(_serial)}")
        if self._path.exists():
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
        if not (path / manifest.NAME).is_file():
            raise GraphbrickError(f"{self._shown} exists and is not a graph folder; choose another place for the graph")
        if not self._overwrite:
            raise GraphbrickError(
                f"{self._shown} holds a graph already; replace it with --overwrite, or choose another place"
            )

    def _clear_up(self) -> None:
        for folder in self._left_over("building"):
            shutil.rmtree(folder, ignore_errors=True)
        for folder in self._left_over("replaced"):
            if self._path.exists():
                shutil.rmtree(folder, ignore_errors=True)
            else:
                folder.rename(self._path)  # killed between the two renames

    def _left_over(self, what: str) -> list[Path]:
        """The hidden folders of this graph whose process is gone."""
        prefix = f".{self._path.name}.{what}-"
        found = []
        for folder in self._path.parent.glob(f"{glob.escape(prefix)}*"):
            pid = folder.name.removeprefix(prefix).partition("-")[0]
            if pid.isdigit() and not _alive(int(pid)):
                found.append(folder)
        return found


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
