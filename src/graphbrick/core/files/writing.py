"""Write files with errors that name the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


class FileWriter:
    """A binary file opened for writing; an OSError of any call names the file.

    Errors of a plain file object name it only when opening fails, not when the disk is full or a size limit is reached.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("wb")

    def write(self, data: bytes | npt.NDArray[Any]) -> int:
        """Write bytes or a contiguous array and return the number of bytes."""
        with naming(self.path):
            return self._file.write(data)  # type: ignore[arg-type]  # arrays are buffers

    def tell(self) -> int:
        """Return the current position in the file, in bytes."""
        return self._file.tell()

    def rewind(self) -> None:
        """Go back to the start of the file."""
        with naming(self.path):
            self._file.seek(0)

    def close(self) -> None:
        """Flush and close the file; it is closed even if flushing fails."""
        with naming(self.path):
            self._file.close()

    def abandon(self) -> None:
        """Close the file and ignore write errors; used when it will be removed because of another error."""
        with suppress(OSError):
            self._file.close()


def write_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write the bytes of an array, without a header."""
    file = FileWriter(path)
    try:
        file.write(np.ascontiguousarray(array))
        file.close()
    finally:
        file.abandon()


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the file's name to an OSError that has none."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def write_in(folder: int, name: str, content: bytes) -> None:
    """Write or replace a file of a folder that is open by a descriptor, so that it is whole or was not touched.

    Raises:
        OSError: It cannot be written; what was there is kept.
    """
    unfinished = f".{name}.{os.getpid()}"
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644, dir_fd=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished, dir_fd=folder)
        raise
