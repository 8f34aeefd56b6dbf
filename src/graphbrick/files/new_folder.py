"""Writing the folder of a model so that it is there whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from graphbrick.core.errors import ModelError


@contextmanager
def new_folder(path: Path, check: Callable[[], None]) -> Iterator[Path]:
    """A hidden folder to write files into; at the end of the ``with`` block it takes the place of ``path``.

    Where the block raises, Ctrl-C included, nothing of it stays, and what was there before is there still.

    Args:
        path: The folder to make.
        check: Raises where what is at the place now must not be replaced; called before it is.

    Raises:
        ModelError: The folder cannot be written.
    """
    work = path.with_name(f".{path.name}.writing-{os.getpid()}")
    old = path.with_name(f".{path.name}.replaced-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        yield work
        for name in files_in(work):
            with (work / name).open("rb") as handle:
                os.fsync(handle.fileno())
        check()  # somebody may have made it meanwhile
        if path.exists():
            path.rename(old)
        work.rename(path)
    except OSError as error:
        raise ModelError(f"{path} cannot be written ({error.strerror or error}); choose another place") from error
    finally:
        if old.exists() and not path.exists():
            old.rename(path)
        shutil.rmtree(work, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)


def files_in(folder: Path) -> list[str]:
    """The files in a folder and below, by their paths in it, in order."""
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
