"""Server-sent events: a reply that is sent piece by piece, and ends the work when the client leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.responses import Response

from graphbrick.serve.limits.runner import ClientLeftError

SILENCE = 15.0  # seconds after which a comment is sent, so that nothing between takes the connection for dead
_STALLED = 60.0  # seconds that a client may take to read one piece


def sse(event: str, data: object) -> bytes:
    """Return one event.

    >>> sse("token", {"text": "a"})
    b'event: token\\ndata: {"text": "a"}\\n\\n'
    """
    return f"event: {event}\ndata: {json.dumps(data)}\n\n".encode()


class EventStream(Response):
    """A reply of server-sent events.

    Args:
        pieces: The encoded events; closed when the client leaves.
    """

    media_type = "text/event-stream"

    def __init__(self, pieces: AsyncIterator[bytes]) -> None:
        self.status_code, self.background = 200, None
        self._pieces = pieces
        self.init_headers({"cache-control": "no-store", "x-accel-buffering": "no"})

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send the events until they end, or the client leaves or stops reading.

        Raises:
            ClientLeftError: It did not read for a minute.
        """
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        sending = asyncio.ensure_future(self._send(send))
        leaving = asyncio.ensure_future(gone(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        except TimeoutError:
            raise ClientLeftError from None
        finally:
            leaving.cancel()
            sending.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send(self, send: Any) -> None:
        try:
            async for piece in self._pieces:
                message = {"type": "http.response.body", "body": piece, "more_body": True}
                await asyncio.wait_for(send(message), _STALLED)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            close = getattr(self._pieces, "aclose", None)
            if close is not None:
                await close()


async def gone(receive: Callable[[], Awaitable[Any]]) -> None:
    """Return when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


class EndsWithClient:
    """An ASGI application that is cancelled when its client leaves before the end of the reply.

    Args:
        app: The application.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Read the body, then run the application until it ends or the client leaves.

        Raises:
            ClientLeftError: The client left before the end.
        """
        body, message = bytearray(), dict[str, Any](more_body=True)
        while message.get("more_body", False):
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientLeftError
            body += message.get("body", b"")
        leaving = asyncio.ensure_future(gone(receive))
        to_read = [{"type": "http.request", "body": bytes(body), "more_body": False}]
        is_sent = False

        async def read() -> Any:
            if to_read:
                return to_read.pop()
            await asyncio.shield(leaving)
            return {"type": "http.disconnect"}

        async def write(message: Any) -> None:
            nonlocal is_sent
            await send(message)
            is_sent = message["type"] == "http.response.body" and not message.get("more_body", False)

        working = asyncio.ensure_future(self._app(scope, read, write))
        try:
            await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done() and not is_sent:  # a reply that was sent looks like a client that left
                raise ClientLeftError
            await working
        finally:
            working.cancel()
            leaving.cancel()
            await asyncio.gather(working, leaving, return_exceptions=True)


class Channel:
    """Events from the thread of a run to the reply.

    Args:
        loop: The event loop of the reply.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._queue: asyncio.Queue[bytes] = asyncio.Queue()

    def put(self, piece: bytes) -> None:
        """Add an event, from any thread."""
        self._loop.call_soon_threadsafe(self._queue.put_nowait, piece)

    async def until(self, done: asyncio.Future[Any]) -> AsyncIterator[bytes]:
        """Yield the events until the work is done, and comments while there are none."""
        while True:
            getting = asyncio.ensure_future(self._queue.get())
            try:
                await asyncio.wait({getting, done}, timeout=SILENCE, return_when=asyncio.FIRST_COMPLETED)
                if getting.done():
                    yield getting.result()
                elif done.done():
                    while not self._queue.empty():
                        yield self._queue.get_nowait()
                    return
                else:
                    yield b": still running\n\n"
            finally:
                getting.cancel()
