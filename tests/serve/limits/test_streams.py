"""Replies that are streams of events, and clients that leave them."""

from __future__ import annotations

import asyncio
import contextlib
import socket

import uvicorn

from graphbrick.core.errors import GraphbrickError
from graphbrick.pipeline.budget import Budget
from graphbrick.serve.limits.runner import ClientLeftError
from graphbrick.serve.limits.streams import Channel, EndsWithClient, EventStream
from graphbrick.serve.start import Listening, _config, _listener


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


def with_client_of(app, received):
    """Return what an application sends that ends with its client, and the error if it was cancelled."""
    sent, messages = [], list(received)

    async def receive():
        if messages:
            return messages.pop(0)
        await asyncio.sleep(60)

    async def send(message):
        sent.append(message)

    async def run():
        try:
            await EndsWithClient(app)({"type": "http"}, receive, send)
        except ClientLeftError as error:
            return error
        return None

    return sent, asyncio.run(run())


PARTS = [{"type": "http.request", "body": b"a", "more_body": True}, {"type": "http.request", "body": b"b"}]
GONE = {"type": "http.disconnect"}


def test_an_application_ends_with_its_client():
    ended = []

    async def waits(scope, receive, send):
        ended.append((await receive())["body"])
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    sent, error = with_client_of(waits, [*PARTS, GONE])
    assert (sent, ended) == ([], [b"ab", True])
    assert error.status == 499
    assert with_client_of(waits, [PARTS[0], GONE])[1].status == 499
    assert len(ended) == 2  # it was not begun without the whole body


def test_an_application_may_go_on_after_its_reply():
    ended = []

    async def replies(scope, receive, send):
        await receive()
        await send({"type": "http.response.start", "status": 202})
        await send({"type": "http.response.body", "body": b""})
        assert await receive() == GONE  # as a server tells it then
        await asyncio.sleep(0.01)
        ended.append(True)

    sent, error = with_client_of(replies, [*PARTS, GONE])
    assert ([message["type"] for message in sent], error) == (["http.response.start", "http.response.body"], None)
    assert ended == [True]


def test_a_channel_gives_all_events_and_ends_with_the_work(monkeypatch):
    monkeypatch.setattr("graphbrick.serve.limits.streams.SILENCE", 0.01)

    async def run():
        channel = Channel(asyncio.get_running_loop())
        budget = Budget()

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


def test_a_client_that_does_not_read_its_reply_is_cut_off(monkeypatch):
    monkeypatch.setattr("graphbrick.serve.start._STALLED_SECONDS", 0.1)

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 50_000_000})

    async def run():
        with contextlib.closing(_listener(Listening(port=0))) as listener:
            server = uvicorn.Server(_config(app, factory=False))
            serving = asyncio.ensure_future(server.serve([listener]))
            while not server.started:
                await asyncio.sleep(0.01)
            reader, writer = await asyncio.open_connection(*listener.getsockname(), limit=1)
            writer.write(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
            state = server.server_state
            while state.connections or not state.total_requests:
                await asyncio.sleep(0.01)
            writer.close()
            server.should_exit = True
            await serving
            return reader

    asyncio.run(asyncio.wait_for(run(), 60))


def test_replies_are_not_delayed_by_the_network():
    with contextlib.closing(_listener(Listening(port=0))) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_workers_have_time_to_import_on_a_busy_machine():
    assert _config(lambda: None, factory=True).timeout_worker_healthcheck >= 60
