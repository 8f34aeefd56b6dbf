"""Checks of every request before a route sees it: host, token, size and time of the body; log, safe headers."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from graphbrick.serve.errors import ErrorReply, ServeError, error_json, error_reply
from graphbrick.serve.limits.runner import told_failure
from graphbrick.serve.options import ServeOptions

access = logging.getLogger("graphbrick.access")

_OPEN = ("/healthz", "/readyz")  # paths that need no token: no data, for probes
_DISCARDED, _DISCARD_SECONDS = 256 << 20, 5.0  # of a body that is too large, before its sender is told so
_PAUSE = 0.3  # seconds without a byte of such a body, after which nothing more is expected
_GUARDED = ("/v1", "/mcp")  # the pages hold no data, and ask for the token themselves
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'",
}


class Guard:
    """ASGI application that checks every request before it passes it on to another one.

    Args:
        app: The application.
        options: Token, hosts and sizes.
        watch: Called after every request with path, status and seconds, for metrics.
    """

    def __init__(
        self, app: Any, options: ServeOptions, watch: Callable[[str, int, float], None] = lambda path, status, s: None
    ) -> None:
        self._app, self._options, self._watch = app, options, watch
        self._token = options.token.encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)  # only the start and the end of the server: there are no websockets
            return
        exchange = _Exchange(scope, receive, send, self._options, self.limit(scope["path"]))
        try:
            self._admit(scope, exchange.headers)
            await self._app(scope, exchange.receive, exchange.send)
        except Exception as error:  # noqa: BLE001 - no request may end the server, and the reason goes to its log
            await self._fail(exchange, error)
        finally:
            exchange.report(self._watch)

    def _admit(self, scope: Any, headers: dict[bytes, bytes]) -> None:
        """Raise ServeError unless the request may go on."""
        options, path = self._options, scope["path"]
        host = host_of(headers.get(b"host", b"").decode("latin-1"))
        if options.hosts and host not in options.hosts and path not in _OPEN:
            # A web page whose name was made to point to this machine could otherwise read what is served to it alone.
            raise ServeError(
                421, "wrong_host", f"the server answers under {', '.join(options.hosts)}; name others with --allow-host"
            )
        if path.startswith(_GUARDED) and not self._is_own(headers):
            # A browser asks for a page that any server sent, and sends some requests without asking first.
            raise ServeError(
                403,
                "other_origin",
                "the server does not answer web pages of other origins; graphbrick serve --origin names those that it "
                "does, as in --origin https://page.example",
            )
        if self._token and path.startswith(_GUARDED) and scope["method"] != "OPTIONS":
            kind, _, token = headers.get(b"authorization", b"").partition(b" ")
            asked = {"WWW-Authenticate": "Bearer"}
            if kind.lower() != b"bearer" or not token.strip():
                message = "send the server's token as Authorization: Bearer ..."
                raise ServeError(401, "no_token", message, asked)
            if not hmac.compare_digest(token.strip(), self._token):
                raise ServeError(401, "wrong_token", "that token is wrong: it is not the one of this server", asked)
        if scope["method"] == "POST" and path.startswith("/v1") and not _is_json(headers):
            # A web page elsewhere can send other types without asking first.
            raise ServeError(415, "not_json", "send the body as JSON, with Content-Type: application/json")
        if b"transfer-encoding" in headers and b"content-length" in headers:
            # A proxy before the server could read another end of the body, and so another next request.
            raise ServeError(400, "two_lengths", "send one of the two: a length, or chunks", {"Connection": "close"})
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length[:20]) > self.limit(path):
            raise too_large(self.limit(path))

    def _is_own(self, headers: dict[bytes, bytes]) -> bool:
        """Return whether a request is not of a web page, or of one that may call the server.

        Such pages are those of the server itself, also behind a proxy that changes the host: the browser says so.
        """
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        if not origin or headers.get(b"sec-fetch-site") == b"same-origin":
            return True
        same = origin.partition("://")[2] == headers.get(b"host", b"").decode("latin-1").lower()
        return same or "*" in self._options.origins or origin in self._options.origins

    def limit(self, path: str) -> int:
        """Return the largest body of requests to a path, in bytes."""
        options = self._options
        return options.document_bytes if path.startswith("/v1/documents") else options.body_bytes

    async def _fail(self, exchange: _Exchange, error: Exception) -> None:
        """Send an error, unless the reply has begun already."""
        reply = error_reply(told_failure(error, exchange.id))
        if not exchange.has_begun:
            if reply.status == 413:
                await exchange.discard()
            await exchange.send_error(reply)


def _is_json(headers: dict[bytes, bytes]) -> bool:
    return headers.get(b"content-type", b"").partition(b";")[0].strip().lower() == b"application/json"


def too_large(most: int) -> ServeError:
    """Return the error about a body that is too large."""
    return ServeError(413, "too_large", f"the request body may have {most:,} bytes; send less", {"Connection": "close"})


def host_of(header: str) -> str:
    """Return a Host header without port, in lower case.

    >>> host_of("localhost:8080"), host_of("[::1]:8080")
    ('localhost', '[::1]')
    """
    text = header.lower()
    if text.startswith("["):
        return text.partition("]")[0] + "]"
    return text.partition(":")[0]


def _within(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """Return a header; a redirect without host and scheme, which may be wrong behind a proxy.

    >>> _within((b"location", b"http://evil.example/v1/graphs?n=1"))
    (b'location', b'/v1/graphs?n=1')
    """
    name, value = header
    if name.lower() != b"location":
        return header
    return name, urlunsplit(urlsplit(value)._replace(scheme=b"", netloc=b""))


class _Exchange:
    """One request and its reply: counts and limits bytes, adds headers, and remembers what the log says."""

    def __init__(self, scope: Any, receive: Any, send: Any, options: ServeOptions, most: int) -> None:
        self.scope, self.id = scope, secrets.token_hex(8)
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.has_begun = False
        self._receive, self._send, self._options = receive, send, options
        self._status, self._bytes, self._start = 0, 0, time.monotonic()
        self._read, self._complete, self._given_up = 0, False, False
        self._most = most
        scope.setdefault("state", {}).update(log={}, request_id=self.id)

    async def receive(self) -> Any:
        """Receive the next part of the request; its body must come in time and may not be too large."""
        if self._complete:
            return await self._receive()  # waits until the client leaves
        left = self._options.body_seconds - (time.monotonic() - self._start)
        try:
            message = await asyncio.wait_for(self._receive(), max(left, 0.01))
        except TimeoutError:
            seconds = self._options.body_seconds
            slow = f"the request body did not come within {seconds:g} seconds"
            return await self._give_up(ServeError(408, "slow_body", slow, {"Connection": "close"}))
        if message["type"] == "http.request":
            self._read += len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
            if self._read > self._most:
                await self.discard()
                return await self._give_up(too_large(self._most))
        return message

    async def discard(self) -> None:
        """Read the rest of a body, within limits: many clients look for a reply only when they have sent all.

        They would only see that the connection was closed. One that waits to be told to go on need not send anything.
        """
        if b"expect" in self.headers:
            return
        with contextlib.suppress(TimeoutError):  # the connection is closed after the reply
            async with asyncio.timeout(_DISCARD_SECONDS):
                while not self._complete and self._read < _DISCARDED:
                    message = await asyncio.wait_for(self._receive(), _PAUSE)
                    self._read += len(message.get("body", b""))
                    self._complete = not message.get("more_body", False)

    async def _give_up(self, error: ServeError) -> Any:
        """Send an error while the body is read, and tell the application that the client has left."""
        await self.send_error(error_reply(error))
        self._complete = self._given_up = True
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        """Send a part of the reply; nothing after an error has been sent in its place."""
        if self._given_up:
            return
        if message["type"] == "http.response.start":
            self.has_begun = True
            self._status = message["status"]
            names = {name.lower() for name, _ in message.get("headers", ())}
            extra = _HEADERS | {"x-request-id": self.id}
            headers = [(name.encode(), value.encode()) for name, value in extra.items() if name.encode() not in names]
            message = message | {"headers": [*map(_within, message.get("headers", ())), *headers]}
        else:
            self._bytes += len(message.get("body", b""))
        await self._send(message)

    async def send_error(self, reply: ErrorReply) -> None:
        """Send an error as the whole reply."""
        body = json.dumps(reply.body | {"request_id": self.id}).encode()
        headers = {"content-type": "application/json", "content-length": str(len(body))} | reply.headers
        pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await self.send({"type": "http.response.start", "status": reply.status, "headers": pairs})
        await self.send({"type": "http.response.body", "body": body})

    def report(self, watch: Callable[[str, int, float], None]) -> None:
        """Write one line into the access log, without query, header and body, so without question and key."""
        seconds = time.monotonic() - self._start
        route = getattr(self.scope.get("route"), "path", "")
        watch(route, self._status, seconds)
        if not access.isEnabledFor(logging.INFO):
            return
        client = self.scope.get("client")
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "id": self.id,
            "client": client[0] if client else "",
            "method": self.scope["method"],
            "path": self.scope["path"],
            "status": self._status,
            "ms": round(1000 * seconds, 1),
            "bytes_in": self._read,
            "bytes_out": self._bytes,
            **self.scope["state"]["log"],
        }
        access.info(json.dumps(line, ensure_ascii=True))


def as_json_error(status: int, code: str, message: str) -> ErrorReply:
    """Return an error of the web framework in the form of all others."""
    return ErrorReply(status, error_json(status, code, message), {})
