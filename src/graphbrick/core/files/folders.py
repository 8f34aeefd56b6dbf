"""Write a folder so that it is complete or absent, even if the process is killed.

A folder is written beside its final path under a hidden name, ``.name.building-...``, and renamed at the end. With a
folder that it replaces it exchanges names. Where the system cannot do that, the other one is first renamed to
``.name.replaced-...``, and for a moment there is no folder: code that opens a folder calls `recover` if it is missing.
"""

from __future__ import annotations

import errno
import itertools
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.files import system
from graphbrick.core.files.claims import beside, claim_folder, claim_left_over, hidden, recover
from graphbrick.core.files.exchanging import exchange
from graphbrick.core.files.system import close_unused, flush_to_disk

_serial = itertools.count()


class NewFolder:
    """Context manager for writing a new folder; leaving it without `commit` removes the written files.

    Entering it removes the folders that killed processes have left beside ``path``.

    Args:
        path: The folder to make; a link is followed.
        check: Function that raises if ``path`` must not be replaced; called at the start and before committing.
        can_resume: Function that tells whether the folder left by a killed process can be continued.
    """

    def __init__(
        self, path: Path, check: Callable[[], None], *, can_resume: Callable[[Path], bool] = lambda folder: False
    ) -> None:
        self._path, self._check, self._can_resume = path.resolve(), check, can_resume
        self._claims: list[int | None] = []

    def __enter__(self) -> Path:
        recover(self._path)
        for folder in [*hidden(self._path, "building"), *hidden(self._path, "replaced")]:
            with suppress(OSError):  # a running process has claimed it, or another one removes it
                self._take(folder)
        self._check()
        while not self._claims:
            self.work = beside(self._path, "building")
            self.work.mkdir(parents=True)
            # A process that begins at the same moment may take it for left over, and remove it.
            with suppress(FileNotFoundError, BlockingIOError):
                claim = claim_folder(self.work)
                self.work.stat()
                self._claims.append(claim)
        return self.work

    def _take(self, folder: Path) -> None:
        """Continue the folder of a killed process, or remove it."""
        claim = claim_left_over(folder)
        if ".building-" in folder.name and not self._claims and self._can_resume(folder):
            self._claims.append(claim)
            self.work = folder
            return
        shutil.rmtree(folder, ignore_errors=True)
        if claim is not None:
            os.close(claim)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        for claim in self._claims:
            if claim is not None:
                os.close(claim)

    def commit(self) -> None:
        """Rename the finished folder to its final path; processes with open files of the old one keep them.

        Raises:
            GraphbrickError: Another process is writing the folder too, or has made it meanwhile.
        """
        self._check()  # another process may have created it meanwhile
        put_in_place(self.work, self._path, self._check)


def put_in_place(work: Path, path: Path, check: Callable[[], None] = lambda: None) -> None:
    """Flush a finished folder to the disk and rename it to ``path``; an old folder there is removed.

    The old folder is locked while it is checked and moved aside. A folder that another process puts there meanwhile is
    never moved unchecked, as renaming a folder to one that is not empty fails.

    Args:
        work: The finished folder.
        path: Its final path.
        check: Function that raises if what is there must not be replaced.

    Raises:
        GraphbrickError: Another process is writing the folder too, or, on Windows, has files of it open.
        OSError: It cannot be renamed; the old folder is kept.
    """
    for name in files_in(work):
        flush_to_disk(work / name)
    close_unused()
    try:
        while not _renamed(work, path):
            check()
            with suppress(FileNotFoundError), _claimed(path):  # another process has just moved it
                check()
                _replace(work, path)
                return
    except BlockingIOError as error:
        raise GraphbrickError(
            f"another process is writing {path} too; nothing was changed: start again when it has ended",
            code="folder.written_by_another",
            path=path,
        ) from error
    except PermissionError as error:
        if not system.IS_WINDOWS or not path.exists():
            raise
        raise GraphbrickError(
            f"{path} cannot be replaced while a program has files of it open, as Windows does not allow it: end that "
            "program, or close the graph in this one, and start again",
            code="folder.in_use",
            path=path,
        ) from error


def _renamed(work: Path, path: Path) -> bool:
    """Rename a folder unless there is something at ``path``; return whether it was renamed."""
    try:
        work.rename(path)
    except OSError as error:
        if not path.is_dir() or not work.is_dir():
            raise
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.EACCES):  # the last on Windows
            raise
        return False
    return True


def _replace(work: Path, path: Path) -> None:
    if exchange(work, path):
        shutil.rmtree(work, ignore_errors=True)  # the old one
        return
    old = beside(path, "replaced")
    try:
        path.rename(old)
        if not _renamed(work, path):
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(path))
    except BaseException:
        with suppress(OSError):  # another process has put its folder there
            old.rename(path)
        raise
    finally:
        if path.exists():
            shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _claimed(path: Path) -> Iterator[None]:
    """Lock the folder that is at a path now; raise FileNotFoundError if it was moved before it was locked."""
    before = path.stat()
    claim = claim_folder(path)
    try:
        if claim is not None and not os.path.samestat(before, os.fstat(claim)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        if not os.path.samestat(before, path.stat()):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        yield
    finally:
        if claim is not None:
            os.close(claim)


@contextmanager
def new_folder(path: Path, check: Callable[[], None], error: type[GraphbrickError] = GraphbrickError) -> Iterator[Path]:
    """Yield a hidden folder to write files into; it replaces ``path`` at the end of the ``with`` block.

    If the block raises (also on Ctrl-C), the hidden folder is removed and the old folder is kept.

    Args:
        path: The folder to make.
        check: Function that raises if ``path`` must not be replaced.
        error: Raised if the folder cannot be written.
    """
    try:
        folder = NewFolder(path, check)
        with folder as work:
            yield work
            folder.commit()
    except OSError as reason:
        text = f"{path} cannot be written ({reason.strerror or reason}); choose another place"
        raise error(text, code="folder.not_writable", path=path) from reason


@contextmanager
def working_folder(parent: Path, ending: str) -> Iterator[Path]:
    """Yield a new hidden folder that is removed at the end, unless it was renamed.

    What killed processes have left there under the same ending is removed first.

    Args:
        parent: The folder to make it in.
        ending: How its name ends, such as ".part".
    """
    for left_over in parent.glob(f".*{ending}"):
        with suppress(OSError):  # a running process has claimed it
            claim = claim_left_over(left_over)
            shutil.rmtree(left_over, ignore_errors=True)
            if claim is not None:
                os.close(claim)
    while True:
        work = parent / f".{os.getpid()}-{next(_serial)}-{os.urandom(4).hex()}{ending}"
        work.mkdir()
        # A process that begins at the same moment may take it for left over, and remove it.
        with suppress(FileNotFoundError, BlockingIOError):
            claim = claim_folder(work)
            work.stat()
            break
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        if claim is not None:
            os.close(claim)


def remove_replaced(path: Path, is_whole: Callable[[Path], bool]) -> None:
    """Remove the whole folders that killed processes had replaced, but not yet removed, beside their successor.

    What is not whole is of a build that may be continued.
    """
    path = path.resolve()
    for folder in (*hidden(path, "building"), *hidden(path, "replaced")):
        with suppress(OSError):  # a running process has claimed it, or another one removes it
            if is_whole(folder):
                claim = claim_left_over(folder)
                shutil.rmtree(folder, ignore_errors=True)
                if claim is not None:
                    os.close(claim)


def check_place(
    path: Path,
    what: str,
    foreign: Callable[[Path], list[str] | None],
    *,
    overwrite: bool,
    error: type[GraphbrickError] = GraphbrickError,
) -> None:
    """Raise an error unless a folder of a kind may be written to ``path``.

    It may be written where nothing is, to an empty folder and, with ``overwrite``, over a folder of the same kind.

    Args:
        path: The folder to write.
        what: Name of what it will hold, such as "a graph".
        foreign: Return the names of what else an existing file or folder holds, which would be lost; None if it is not
            a folder of this kind.
        overwrite: Whether a folder of this kind may be replaced.
        error: Class of the error.
    """
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    others = foreign(path)
    if others is None:
        text = f"{path} exists and does not hold {what}; choose another place"
        raise error(text, code="place.other_contents", path=path, what=what)
    if others:
        text = f"{path} holds {what} and also {others[0]}; move that away first"
        raise error(text, code="place.other_files", path=path, what=what, file=others[0])
    if not overwrite:
        text = f"{path} holds {what} already; replace it with --overwrite (overwrite=True), or choose another place"
        raise error(text, code="place.taken", path=path, what=what)


def check_writable(path: Path) -> None:
    """Raise OSError unless a folder can be made at ``path``: make a hidden one there, and remove it.

    Parents that are missing are not made; the hidden folder is then in the nearest one that exists.
    """
    path = path.resolve()
    parent = path.parent
    while not parent.exists() and parent != parent.parent:
        parent = parent.parent
    probe = parent / beside(path, "building").name
    probe.mkdir()
    probe.rmdir()


def user_folder(variable: str, name: str = "") -> Path:
    """Return the folder that an environment variable names; without it, one in the user's cache folder."""
    from platformdirs import user_cache_path

    chosen = os.environ.get(variable)
    return Path(chosen).expanduser() if chosen else user_cache_path("graphbrick") / name


def files_in(folder: Path) -> list[str]:
    """Return the relative paths of all files in a folder and its subfolders, sorted."""
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
