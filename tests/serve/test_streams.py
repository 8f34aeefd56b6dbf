"""Replies that are streams of events, and clients that leave them."""

from __future__ import annotations

import asyncio
import contextlib
import socket

from graphbrick.core.errors import GraphbrickError
from graphbrick.pipeline.budget import Budget
from graphbrick.serve.start import Listening, _config, _listener
from graphbrick.serve.streams import Channel, EventStream


def streamed(pieces, receive):
    """Return what an event stream sends."""
    sent = []

    async def send(message):
        sent.append(message)

    async def run():
        await EventStream(pieces()).__call__({"type": "http"}, receive, send)

    asyncio.run(run())
    return sent


async def staying():
    await asyncio.sleep(60)


def test_events_are_sent_as_they_come_and_the_reply_ends():
    async def pieces():
        yield b"a"
        yield b"b"

    sent = streamed(pieces, staying)
    assert [message.get("body") for message in sent] == [None, b"a", b"b", b""]
    assert [message["more_body"] for message in sent[1:]] == [True, True, False]
    assert dict(sent[0]["headers"])[b"content-type"] == b"text/event-stream; charset=utf-8"


def test_the_source_of_a_stream_is_closed_when_the_client_leaves():
    closed = []

    async def pieces():
        try:
            yield b"a"
            await asyncio.sleep(60)
            yield b"b"
        finally:
            closed.append(True)

    async def leaves():
        await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    sent = streamed(pieces, leaves)
    assert [message.get("body") for message in sent] == [None, b"a"]
    assert closed == [True]


def test_a_channel_gives_all_events_and_ends_with_the_work(monkeypatch):
    monkeypatch.setattr("graphbrick.serve.streams.SILENCE", 0.01)

    async def run():
        channel = Channel(asyncio.get_running_loop())
        budget = Budget(seconds=5)

        def work():
            for i in range(100):
                channel.put(f"{i}".encode())
            while True:
                budget.check()

        done = asyncio.get_running_loop().run_in_executor(None, work)
        pieces = []
        async for piece in channel.until(done):
            pieces.append(piece)
            if piece.startswith(b":"):
                budget.cancel()
        assert isinstance(done.exception(), GraphbrickError)
        return pieces

    pieces = asyncio.run(run())
    assert [piece for piece in pieces if not piece.startswith(b":")] == [f"{i}".encode() for i in range(100)]
    assert b": still running\n\n" in pieces


def test_replies_are_not_delayed_by_the_network():
    with contextlib.closing(_listener(Listening(port=0))) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_workers_have_time_to_import_on_a_busy_machine():
    assert _config(lambda: None, factory=True).timeout_worker_healthcheck >= 60
