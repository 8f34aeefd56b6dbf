"""Fetching pages politely: one at a time, at a limited rate, as robots.txt allows, on one host."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from graphbrick.core import __version__
from graphbrick.core.errors import ModelError

if TYPE_CHECKING:
    from protego import Protego

AGENT = "graphbrick"
TIMEOUT = 30.0  # seconds without a byte
LONGEST = 120.0  # seconds for one answer
MOST_BYTES = 32 << 20  # of one page
_REDIRECTS = 5
_TRIES = 3  # where the server asks to come back later
_LONGEST_PAUSE = 60.0  # seconds that a server may ask to wait
_MOST_RULES = 500 << 10  # bytes of a robots.txt that are read, as RFC 9309 allows
_CHUNK = 1 << 16
_SENT = "%/:=&?~+!$,;'@()*[]"  # signs of addresses that stay as they are


class FetchError(Exception):
    """A page that cannot be fetched.

    Args:
        reason: Why.
        status: The status of the answer; 0 if there was none.
    """

    def __init__(self, reason: str, status: int = 0) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True)
class Answer:
    """The answer of a server: status, headers in lower case, and content."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A handler that leaves redirections to the caller."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        """Follow no redirection."""


class Client:
    """A client that fetches pages, one after another.

    Args:
        rate: Most requests a second; a Crawl-delay of the host may lower it.
        home: Host (and port) whose pages may be at a private address; empty for none.
        only_home: Whether pages of all other hosts are refused.
    """

    def __init__(self, rate: float, home: str, *, only_home: bool) -> None:
        self._pause, self._home, self._only_home = 1 / rate, home, only_home
        self._robots: dict[str, Protego] = {}
        self._next = 0.0
        self._opener = urllib.request.build_opener(_NoRedirect)

    def get(self, url: str, headers: Mapping[str, str] | None = None, most: int = MOST_BYTES) -> Answer:
        """Return the answer for an address: its content, or that it has not changed (status 304).

        Raises:
            FetchError: The address is refused, or there is no such answer.
        """
        host = host_of(url)
        for _ in range(_REDIRECTS):
            self._check(url, host)
            url = _in_ascii(url)
            robots = self._robots_of(url)
            if not robots.can_fetch(url, AGENT):
                raise FetchError("robots.txt does not allow it")
            answer = self._patiently(url, headers or {}, most, min(robots.crawl_delay(AGENT) or 0.0, _LONGEST_PAUSE))
            if answer.status in (200, 304):
                return answer
            if answer.status not in (301, 302, 303, 307, 308) or "location" not in answer.headers:
                raise FetchError(f"the server answers with status {answer.status}", answer.status)
            url = urljoin(url, answer.headers["location"])
            if urlsplit(url).hostname != urlsplit(f"//{host}").hostname:
                raise FetchError(f"it leads to another host, {urlsplit(url).hostname}")
            host = host_of(url)
        raise FetchError(f"it is redirected more than {_REDIRECTS} times")

    def _check(self, url: str, host: str) -> None:
        """Refuse addresses of other kinds, other hosts, and private ones."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise FetchError("only addresses with http:// and https:// are fetched")
        if parts.username or parts.password:
            raise FetchError("addresses with a name and password are not fetched")
        is_home = parts.hostname == urlsplit(f"//{self._home}").hostname if self._home else False
        if self._only_home and not is_home:
            raise FetchError(f"it is on another host than the sitemap, {host}")
        if not is_home and is_private(parts.hostname):
            raise FetchError(f"{host} is at a private address")

    def _robots_of(self, url: str) -> Protego:
        """Return the rules of a host, which are fetched once; without an answer, nothing is allowed."""
        parts = urlsplit(url)
        root = urlunsplit((parts.scheme, parts.netloc, "/robots.txt", "", ""))
        if root not in self._robots:
            answer = self._patiently(root, {}, MOST_BYTES, 0.0)
            if answer.status >= 500:
                raise FetchError(f"robots.txt cannot be read: the server answers with status {answer.status}")
            # RFC 9309: where there is none, everything is allowed.
            self._robots[root] = rules_in(answer.body if answer.status == 200 else b"")
        return self._robots[root]

    def _patiently(self, url: str, headers: Mapping[str, str], most: int, delay: float) -> Answer:
        """Return the answer for an address; come back later if the server asks for it."""
        for tries_left in reversed(range(_TRIES)):
            time.sleep(max(0.0, self._next - time.monotonic()))
            try:
                answer = self._ask(url, headers, most)
            finally:
                self._next = time.monotonic() + max(self._pause, delay)
            wait = answer.headers.get("retry-after", "")
            if answer.status not in (429, 503) or not tries_left or not wait.isdecimal():
                return answer
            if int(wait) > _LONGEST_PAUSE:
                raise FetchError(f"the server asks to come back in {int(wait):,} s; run the command again then", 429)
            self._next = max(self._next, time.monotonic() + int(wait))
        raise AssertionError("the last try returns")

    def _ask(self, url: str, headers: Mapping[str, str], most: int) -> Answer:
        """Return the answer for an address, whatever its status."""
        request = urllib.request.Request(url, headers={"User-Agent": f"{AGENT}/{__version__}", **headers})
        deadline = time.monotonic() + LONGEST
        try:
            try:
                with self._opener.open(request, timeout=TIMEOUT) as reply:
                    return Answer(reply.status, _lower(reply.headers), _read(reply, most, deadline))
            except urllib.error.HTTPError as error:
                with error:
                    return Answer(error.code, _lower(error.headers), b"")
        except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            raise FetchError(f"the server cannot be reached ({str(reason) or type(reason).__name__})") from error


def rules_in(robots: bytes) -> Protego:
    """Return the rules of a robots.txt.

    >>> rules = rules_in(b"User-agent: *\\nDisallow: /a/\\nAllow: /a/*.html$")
    >>> [rules.can_fetch(f"https://example.org{path}", AGENT) for path in ("/", "/a/b", "/a/b.html", "/a/b.html?c")]
    [True, False, True, False]
    """
    try:
        from protego import Protego
    except ImportError as error:
        raise ModelError(
            "sitemaps need the package protego: pip install 'graphbrick[text]'", code="web.no_package"
        ) from error
    return Protego.parse(robots[:_MOST_RULES].decode("utf-8-sig", "replace"))


def _in_ascii(url: str) -> str:
    """Return an address with the letters beyond ASCII in its path and query encoded, as they are sent."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=quote(parts.path, safe=_SENT), query=quote(parts.query, safe=_SENT)))


def _lower(headers: Message) -> dict[str, str]:
    return {name.lower(): str(value) for name, value in headers.items()}


def _read(reply: Any, most: int, deadline: float) -> bytes:
    """Return the content of an answer."""
    parts: list[bytes] = []
    size = 0
    while part := reply.read1(_CHUNK):
        parts.append(part)
        size += len(part)
        if size > most:
            raise FetchError(f"it has more than {most >> 20} MB")
        if time.monotonic() > deadline:
            raise FetchError(f"it did not come within {LONGEST:.0f} s")
    return b"".join(parts)


def host_of(url: str) -> str:
    """Return host and port of an address, in lower case.

    >>> host_of("https://Example.org:8080/a?b")
    'example.org:8080'
    """
    return urlsplit(url).netloc.lower()


def is_private(host: str) -> bool:
    """Return whether a host is this machine, in a local network, or cannot be found."""
    try:
        addresses = socket.getaddrinfo(host, None)
    except OSError:
        return True
    return not all(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]).is_global for entry in addresses)
