"""Downloads from a scripted server: what is asked for, what is tried again, and what is refused."""

from __future__ import annotations

import http.client
import io
import urllib.error
import urllib.request
from collections.abc import Sequence
from email.message import Message
from pathlib import Path

import pytest

from graphbrick.core.files import downloading
from graphbrick.core.files.downloading import CHUNK, RETRIES, DownloadError, download, size_of

URL = "https://example.org/data.bin"
Block = bytes | Exception


class Reply:
    """A reply of a server: blocks of bytes, or errors in their place."""

    def __init__(self, *blocks: Block, status: int = 200, **headers: str) -> None:
        self.status, self.headers, self._blocks = status, Message(), list(blocks)
        for name, value in headers.items():
            self.headers[name.replace("_", "-")] = value
        self.asked_for: list[int] = []

    def __enter__(self) -> Reply:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read(self, size: int) -> bytes:
        self.asked_for.append(size)
        block = self._blocks.pop(0) if self._blocks else b""
        if isinstance(block, Exception):
            raise block
        return block


class Server:
    """What ``urlopen`` talks to: gives one reply after the other and keeps the headers of the requests."""

    def __init__(self) -> None:
        self.replies: list[Reply | Exception] = []
        self.requests: list[dict[str, str]] = []
        self.waited: list[float] = []

    def urlopen(self, request: urllib.request.Request, timeout: float) -> Reply:
        assert (request.full_url, timeout) == (URL, downloading.TIMEOUT)
        headers = dict(request.header_items())
        assert headers.pop("User-agent").startswith("graphbrick/")
        assert headers.pop("Accept-encoding") == "identity"
        self.requests.append(headers)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()
    monkeypatch.setattr(urllib.request, "urlopen", server.urlopen)
    monkeypatch.setattr("time.sleep", server.waited.append)
    return server


def fetched(
    server: Server, part: Path, *replies: Reply | Exception, size: int | None = None
) -> list[tuple[str, int, int | None]]:
    """Download from these replies; return the progress."""
    told: list[tuple[str, int, int | None]] = []
    server.replies = list(replies)
    download(URL, part, lambda *progress: told.append(progress), size=size)
    assert server.replies == []
    assert not part.with_name(f"{part.name}.etag").exists()
    return told


def refusal(server: Server, part: Path, *replies: Reply | Exception, size: int | None = None) -> DownloadError:
    """Download from these replies; return the error."""
    with pytest.raises(DownloadError) as refused:
        fetched(server, part, *replies, size=size)
    return refused.value


def broken() -> Exception:
    return ConnectionResetError(104, "Connection reset by peer")


def http_error(code: int) -> urllib.error.HTTPError:
    return urllib.error.HTTPError(URL, code, "Reason", Message(), io.BytesIO(b"page"))


def test_a_file_is_read_in_blocks_with_progress(server: Server, tmp_path: Path) -> None:
    part, reply = tmp_path / "part", Reply(b"abc", b"de", Content_Length="5")
    assert fetched(server, part, reply) == [("", 3, 5), ("", 5, 5)]
    assert (part.read_bytes(), size_of(part), server.requests, server.waited) == (b"abcde", 5, [{}], [])
    assert reply.asked_for == [CHUNK] * 3


def test_a_file_of_unknown_length_ends_with_its_bytes(server: Server, tmp_path: Path) -> None:
    assert fetched(server, tmp_path / "part", Reply(b"abc")) == [("", 3, None)]
    assert fetched(server, tmp_path / "empty", Reply(Content_Length="0")) == []
    assert (tmp_path / "empty").read_bytes() == b""


def test_nothing_is_asked_for_if_all_bytes_are_there(server: Server, tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.write_bytes(b"abc")
    assert fetched(server, part, size=3) == []
    assert part.read_bytes() == b"abc"


def test_a_part_of_known_size_is_continued(server: Server, tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.write_bytes(b"abc")
    told = fetched(server, part, Reply(b"de", status=206, Content_Range="bytes 3-4/5"), size=5)
    assert (part.read_bytes(), told, server.requests) == (b"abcde", [("", 5, 5)], [{"Range": "bytes=3-"}])


def test_a_part_that_is_too_long_or_of_another_file_is_dropped(server: Server, tmp_path: Path) -> None:
    for size in (5, None):
        part = tmp_path / f"part{size}"
        part.write_bytes(b"ABCDEF")
        fetched(server, part, Reply(b"abcde"), size=size)
        assert part.read_bytes() == b"abcde"
    assert server.requests == [{}, {}]


def test_a_server_without_ranges_sends_the_whole_file(server: Server, tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.write_bytes(b"ABC")
    told = fetched(server, part, Reply(b"abcd", b"e", Content_Length="5"), size=5)
    assert (part.read_bytes(), told) == (b"abcde", [("", 4, 5), ("", 5, 5)])


def test_a_broken_connection_is_continued_while_the_file_is_the_same(server: Server, tmp_path: Path) -> None:
    part = tmp_path / "part"
    fetched(
        server,
        part,
        Reply(b"abc", broken(), Content_Length="6", ETag='"one"'),
        Reply(b"d", status=206, Content_Range="bytes 3-5/6"),
        Reply(b"ef", status=206, Content_Range="bytes 4-5/6"),
    )
    assert part.read_bytes() == b"abcdef"
    tags = {"If-range": '"one"'}
    assert server.requests == [{}, {"Range": "bytes=3-", **tags}, {"Range": "bytes=4-", **tags}]
    assert server.waited == [1.0, 1.0]  # each brought bytes


@pytest.mark.parametrize("tag", ["", 'W/"weak"'])
def test_a_file_without_a_strong_tag_is_started_over(server: Server, tmp_path: Path, tag: str) -> None:
    part = tmp_path / "part"
    fetched(server, part, Reply(b"abc", broken(), Content_Length="6", ETag=tag), Reply(b"uvwxyz"))
    assert (part.read_bytes(), server.requests) == (b"uvwxyz", [{}, {}])


def test_a_later_call_continues_by_the_tag(server: Server, tmp_path: Path) -> None:
    part = tmp_path / "part"
    reply = Reply(b"abc", OSError(28, "No space left on device"), Content_Length="5", ETag='"one"')
    assert refusal(server, part, reply, *[broken()] * (RETRIES + 1)).again
    assert (tmp_path / "part.etag").read_text() == '"one"'
    server.requests.clear()
    fetched(server, part, Reply(b"de", status=206, Content_Range="bytes 3-4/5"))
    assert (part.read_bytes(), server.requests) == (b"abcde", [{"Range": "bytes=3-", "If-range": '"one"'}])


def test_a_tag_without_its_part_says_nothing(server: Server, tmp_path: Path) -> None:
    (tmp_path / "part.etag").write_text('"one"')
    fetched(server, tmp_path / "part", Reply(b"abc"))
    assert server.requests == [{}]


def test_tries_that_bring_nothing_wait_longer_each_time(server: Server, tmp_path: Path) -> None:
    part = tmp_path / "part"
    tries = [broken() for _ in range(RETRIES)]
    fetched(server, part, Reply(b"ab", broken()), *tries, Reply(b"c", status=206, Content_Range="bytes 2-2/3"), size=3)
    assert part.read_bytes() == b"abc"
    assert server.waited == [1.0, 2.0, 4.0, 8.0, 16.0]
    error = refusal(server, tmp_path / "other", Reply(b"ab", broken()), *tries, broken(), size=3)
    assert (str(error), error.again) == ("Connection reset by peer", True)
    assert len(server.replies) == 0


def test_bytes_that_were_there_before_are_not_brought(server: Server, tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.write_bytes(b"ab")
    assert refusal(server, part, broken(), size=3).again
    assert server.waited == []


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 504])
def test_a_server_that_is_busy_is_asked_again(server: Server, tmp_path: Path, code: int) -> None:
    error = http_error(code)
    fetched(server, tmp_path / "part", Reply(b"a", broken()), error, Reply(b"ab", Content_Length="2"), size=2)
    assert error.fp is None or error.fp.closed
    alone = refusal(server, tmp_path / "other", http_error(code))
    assert (str(alone), alone.again) == (f"status {code} Reason", True)


def test_a_server_that_refuses_is_not_asked_again(server: Server, tmp_path: Path) -> None:
    error = refusal(server, tmp_path / "part", Reply(b"a", broken()), http_error(404), size=2)
    assert (str(error), error.again) == ("status 404 Reason", False)
    assert refusal(server, tmp_path / "part", http_error(416), size=2).args == ("status 416 Reason",)


def test_a_range_that_is_not_there_starts_the_file_over(server: Server, tmp_path: Path) -> None:
    part = tmp_path / "part"
    first = Reply(b"abc", broken(), Content_Length="4", ETag='"one"')
    fetched(server, part, first, http_error(416), Reply(b"xyz"))
    assert (part.read_bytes(), [set(request) for request in server.requests]) == (
        b"xyz",
        [set(), {"Range", "If-range"}, set()],
    )


@pytest.mark.parametrize(
    ("reply", "size", "reason"),
    [
        (Reply(status=206, Content_Range="bytes 0-2/3"), 4, "it sent 'bytes 0-2/3' instead of 'bytes 0-3/4'"),
        (Reply(status=206, Content_Range="bytes 1-2/3"), None, "it sent 'bytes 1-2/3' instead of 'bytes 0-2/3'"),
        (Reply(status=206), None, "it sent '' instead of 'bytes 0--1/None'"),
        (Reply(status=204), None, "status 204"),
        (Reply(b"abc", Content_Length="3"), 4, "it has 3 bytes instead of 4"),
        (Reply(b"abc", Content_Type="text/html; charset=utf-8"), None, "it sent a web page, not the file"),
        (Reply(b"abc", Content_Encoding="gzip"), None, "it sent the file compressed as 'gzip', which"),
        (Reply(b"abc", b"de", Content_Length="4"), None, "it sends more than the 4 bytes of the file"),
        (Reply(b"a" * 1500), 1499, "it sends more than the 1,499 bytes of the file"),
    ],
)  # fmt: skip
def test_a_wrong_reply_is_refused(server: Server, tmp_path: Path, reply: Reply, size: int | None, reason: str) -> None:
    error = refusal(server, tmp_path / "part", reply, size=size)
    assert str(error).startswith(reason)
    assert not error.again


@pytest.mark.parametrize(
    ("error", "reason", "again"),
    [
        (urllib.error.URLError(TimeoutError()), "no answer within 30 s", True),
        (TimeoutError(), "no answer within 30 s", True),
        (urllib.error.URLError(OSError(111, "Connection refused")), "Connection refused", True),
        (urllib.error.URLError("unknown url type"), "unknown url type", True),
        (http.client.BadStatusLine("x"), "x", True),
        (ValueError("bad address"), "bad address", False),
        (http.client.HTTPException(), "HTTPException", True),
    ],
)
def test_the_reason_is_told(server: Server, tmp_path: Path, error: Exception, reason: str, again: bool) -> None:
    refused = refusal(server, tmp_path / "part", error)
    assert (str(refused), refused.again) == (reason, again)


@pytest.mark.parametrize("error", [http.client.IncompleteRead(b"x"), TimeoutError()])
def test_an_end_within_the_file_is_tried_again(server: Server, tmp_path: Path, error: Exception) -> None:
    def replies(end: Sequence[Block]) -> tuple[Reply, Reply]:
        return Reply(b"ab", *end, Content_Length="3"), Reply(b"c", status=206, Content_Range="bytes 2-2/3")

    for number, end in enumerate(([], [error])):
        part = tmp_path / f"part{number}"
        fetched(server, part, *replies(end), size=3)
        assert part.read_bytes() == b"abc"
