"""Downloading one file, going on with what an earlier try has left of it."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

CHUNK = 1 << 18
TIMEOUT = 30.0  # seconds without a byte, after which a server is given up
RETRIES = 4  # after a connection that broke; those that brought something do not count
WAIT = 1.0  # seconds before the first of them; twice as long before each next
_AGAIN = (408, 429, 500, 502, 503, 504)
Advance = Callable[[int, int | None], None]
"""Called with how many bytes are there, and how many there will be; None where the server does not say."""


class DownloadError(Exception):
    """A server did not give a file; ``again`` tells whether it may do so later."""

    def __init__(self, reason: str, *, again: bool = False) -> None:
        self.again = again
        super().__init__(reason)


def download(url: str, part: Path, advance: Advance, *, size: int | None = None) -> None:
    """Write what an address gives into a file, or what is missing there.

    A file of known size is gone on with wherever it was left; what came is for the caller to check by its checksum. One
    of unknown size is gone on with only while the server says that it is still the same file (by its ETag, kept beside
    ``part`` until the file is whole), and begun again otherwise.

    Args:
        url: The address, http or https; redirections are followed.
        part: The file; its folder must be there.
        advance: Told of progress.
        size: Bytes of the whole file, where they are known.

    Raises:
        DownloadError: The server is away, refuses, sends a web page or another file, or breaks off again and again.
        OSError: The file cannot be written.
    """
    tag = _Tag(part)
    if size is None and not tag.text:
        part.unlink(missing_ok=True)  # whether it is of the same file cannot be known
    elif size is not None and size_of(part) > size:
        part.unlink()
    tries, most, ever = 0, size_of(part), False
    while size is None or size_of(part) < size:
        try:
            _get(url, part, advance, size, tag)
            break
        except DownloadError as error:
            brought = size_of(part) > most
            most, ever = max(most, size_of(part)), ever or brought
            tries = 0 if brought else tries + 1
            # A server that never gave anything is not waited for.
            if not error.again or not ever or tries > RETRIES:
                raise
        time.sleep(WAIT * 2**tries)
    tag.drop()


def size_of(part: Path) -> int:
    """The bytes of a file; 0 where there is none."""
    return part.stat().st_size if part.exists() else 0


class _Tag:
    """What a server calls the file of which a part is there, kept in a file beside it."""

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


def _get(url: str, part: Path, advance: Advance, size: int | None, tag: _Tag) -> None:
    """Ask for what is missing, and write it as it comes."""
    from graphbrick import __version__

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
        if error.code == 416 and size is None:  # the part is whole already, or of another file
            part.unlink(missing_ok=True)
            raise DownloadError("it has no such part", again=True) from error
        raise DownloadError(f"status {error.code} {error.reason}", again=error.code in _AGAIN) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise DownloadError(_reason(error), again=isinstance(error, OSError | http.client.HTTPException)) from error
    with reply:
        whole = _checked(reply, begin, size)
        # A server that knows no ranges sends the whole file.
        with part.open("ab" if reply.status == 206 else "wb") as out:
            if size is None and reply.status == 200:
                tag.keep(reply.headers.get("ETag"))
            done = out.tell() if reply.status == 206 else 0
            while block := _read(reply):
                if whole is not None and done + len(block) > whole:
                    raise DownloadError(f"it sends more than the {whole:,} bytes of the file")
                out.write(block)
                done += len(block)
                advance(done, whole)
    if whole is not None and done < whole:
        raise DownloadError("the connection broke", again=True)


def _checked(reply: http.client.HTTPResponse, begin: int, size: int | None) -> int | None:
    """The bytes of the whole file, where a reply is what was asked for; None where it does not say."""
    if reply.status == 206:
        said = reply.headers.get("Content-Range") or ""
        whole = int(last) if size is None and (last := said.rpartition("/")[2]).isdecimal() else size
        expected = f"bytes {begin}-{(whole or 0) - 1}/{whole}"
        if said != expected:
            raise DownloadError(f"it sent {said!r} where {expected!r} was asked for")
        return whole
    if reply.status != 200:
        raise DownloadError(f"status {reply.status}")
    if size is not None and reply.headers.get("Content-Length", str(size)) != str(size):
        raise DownloadError(f"it has {reply.headers['Content-Length']} bytes where the file has {size}")
    if reply.headers.get_content_type() == "text/html":
        raise DownloadError("it sent a web page, not the file")
    packed = reply.headers.get("Content-Encoding", "identity")
    if packed != "identity":
        raise DownloadError(f"it sent the file packed as {packed!r}, which was not asked for")
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
    return str(getattr(inner, "strerror", None) or inner or type(inner).__name__)
