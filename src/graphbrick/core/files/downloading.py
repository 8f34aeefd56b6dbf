"""Downloading one file, continuing where an earlier try stopped."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from pathlib import Path

from graphbrick.core.compute import Progress

CHUNK = 1 << 18
TIMEOUT = 30.0  # seconds without a byte until a try is given up
RETRIES = 4  # further tries after a broken connection; tries that brought bytes are not counted
WAIT = 1.0  # seconds before the first further try, doubled before each next one
_AGAIN = (408, 429, 500, 502, 503, 504)


class DownloadError(Exception):
    """A file could not be downloaded; ``again`` tells whether another try may help."""

    def __init__(self, reason: str, *, again: bool = False) -> None:
        self.again = again
        super().__init__(reason)


def download(url: str, part: Path, progress: Progress, *, size: int | None = None) -> None:
    """Download the missing part of a file.

    A file of known size is always continued; the caller checks its checksum. A file of unknown size is continued only
    while the server says that it is the same file, by its ETag, which is kept beside ``part`` until the download is
    complete. Otherwise it is started over.

    Args:
        url: The address, http or https; redirections are followed.
        part: The file to write; its folder must exist.
        progress: Called with the bytes that are there, and those of the complete file.
        size: Bytes of the complete file, if known.

    Raises:
        DownloadError: The server cannot be reached, refuses, sends a web page or another file, or its connections break
            repeatedly without bringing anything.
        OSError: The file cannot be written.
    """
    tag = _Tag(part)
    if size is None and not tag.text:
        part.unlink(missing_ok=True)  # it may be of another file
    elif size is not None and size_of(part) > size:
        part.unlink()
    tries, most, any_bytes = 0, size_of(part), False
    while size is None or size_of(part) < size:
        try:
            _get(url, part, progress, size, tag)
            break
        except DownloadError as error:
            brought = size_of(part) > most
            most, any_bytes = max(most, size_of(part)), any_bytes or brought
            tries = 0 if brought else tries + 1
            # A server that never sent anything is not tried again.
            if not error.again or not any_bytes or tries > RETRIES:
                raise
        time.sleep(WAIT * 2**tries)
    tag.drop()


def size_of(part: Path) -> int:
    """Return the size of a file in bytes; 0 if there is none."""
    return part.stat().st_size if part.exists() else 0


class _Tag:
    """The ETag of a partly downloaded file, kept in a file beside it."""

    def __init__(self, part: Path) -> None:
        self._file = part.with_name(f"{part.name}.etag")
        self.text = self._file.read_text(encoding="utf-8") if part.exists() and self._file.exists() else ""

    def keep(self, text: str | None) -> None:
        # A weak tag does not promise the same bytes.
        self.text = "" if text is None or text.startswith("W/") else text
        if self.text:
            self._file.write_text(self.text, encoding="utf-8")
        else:
            self.drop()

    def drop(self) -> None:
        self._file.unlink(missing_ok=True)


def _get(url: str, part: Path, progress: Progress, size: int | None, tag: _Tag) -> None:
    """Request the missing bytes and write them as they arrive."""
    from graphbrick.core import __version__

    begin = size_of(part) if size is not None or tag.text else 0
    headers = {"User-Agent": f"graphbrick/{__version__}", "Accept-Encoding": "identity"}
    if begin:
        headers["Range"] = f"bytes={begin}-"
        if size is None:
            headers["If-Range"] = tag.text
    try:
        reply = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416 and size is None:  # the part is complete already, or of another file
            part.unlink(missing_ok=True)
            raise DownloadError("it does not have the requested range", again=True) from error
        raise DownloadError(f"status {error.code} {error.reason}", again=error.code in _AGAIN) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise DownloadError(_reason(error), again=isinstance(error, OSError | http.client.HTTPException)) from error
    with reply:
        total = _checked(reply, begin, size)
        # A server without support for ranges sends the complete file.
        with part.open("ab" if reply.status == 206 else "wb") as out:
            if size is None and reply.status == 200:
                tag.keep(reply.headers.get("ETag"))
            done = out.tell() if reply.status == 206 else 0
            while block := _read(reply):
                if total is not None and done + len(block) > total:
                    raise DownloadError(f"it sends more than the {total:,} bytes of the file")
                out.write(block)
                done += len(block)
                progress("", done, total)
    if total is not None and done < total:
        raise DownloadError("the connection broke", again=True)


def _checked(reply: http.client.HTTPResponse, begin: int, size: int | None) -> int | None:
    """Return the size of the complete file, None if the server does not tell; raise for a wrong reply."""
    if reply.status == 206:
        sent = reply.headers.get("Content-Range") or ""
        total = int(last) if size is None and (last := sent.rpartition("/")[2]).isdecimal() else size
        expected = f"bytes {begin}-{(total or 0) - 1}/{total}"
        if sent != expected:
            raise DownloadError(f"it sent {sent!r} instead of {expected!r}")
        return total
    if reply.status != 200:
        raise DownloadError(f"status {reply.status}")
    if size is not None and reply.headers.get("Content-Length", str(size)) != str(size):
        raise DownloadError(f"it has {reply.headers['Content-Length']} bytes instead of {size}")
    if reply.headers.get_content_type() == "text/html":
        raise DownloadError("it sent a web page, not the file")
    encoding = reply.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise DownloadError(f"it sent the file compressed as {encoding!r}, which was not requested")
    length = reply.headers.get("Content-Length", "")
    return size if size is not None else int(length) if length.isdecimal() else None


def _read(reply: http.client.HTTPResponse) -> bytes:
    try:
        return reply.read(CHUNK)
    except (OSError, http.client.HTTPException) as error:
        raise DownloadError(_reason(error), again=True) from error


def _reason(error: BaseException) -> str:
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(inner, TimeoutError):
        return f"no answer within {TIMEOUT:g} s"
    return str(getattr(inner, "strerror", None) or inner) or type(inner).__name__
