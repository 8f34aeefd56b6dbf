"""Server-sent events: a reply that is sent piece by piece, and ends the work when the client leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.responses import Response

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
        """Send the events until they end, or the client leaves or stops reading."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        sending = asyncio.ensure_future(self._send(send))
        leaving = asyncio.ensure_future(gone(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
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
