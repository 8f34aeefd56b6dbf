"""A model server that answers badly in every way that HTTP and JSON allow, and a trap that must not be called."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import socket
import threading
import time
from typing import Any

from mutating import TOKENS, mutated

_DRIP = 60.0  # seconds for which a reply comes a byte at a time
_USAGES: list[Any] = [None, {}, [], "x", 7, {"prompt_tokens": -5, "completion_tokens": -5}, {"prompt_tokens": 10**30},
                      {"prompt_tokens": float("nan"), "completion_tokens": float("inf")}, {"prompt_tokens": "many"},
                      {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": 1, "completion_tokens": 0},
                      {"prompt_tokens": 10**9, "completion_tokens": 1}, {"prompt_tokens": True}]  # fmt: skip
_THOUGHTS: list[Any] = [
    "<think>" * 30_000, "<think>never closed", "a</think>" * 20_000, "<|channel|>" * 20_000, "analysisWe",
    "[1]", "- [1] [2]", "[1]" * 20_000, [{"type": "thinking", "thinking": [[["deep"]]]}], ["Kenya", None, 7],
    [{"type": "text", "text": "Kenya"}] * 900, [{"type": "text", "text": {"value": 7}}], {"type": "text"},
    "{'entities': ['Kenya',], }" * 3_000, "{" + "'a':" * 30_000, "{'a': [" + "'b' " * 60_000, "// " * 60_000 + "{",
    '{"reply": ' * 90 + "{}" + "}" * 90,
]  # fmt: skip
TOOLS = ["retrieve_node", "neighbours", "check_node", "finish", "scratch_pad", "__init__", "", "x" * 5_000]


class LyingServer:
    """A server on loopback, of which each connection gets one bad, or sometimes a good reply.

    Args:
        draw: All that is random about the replies.
        only_usage: Whether replies are good, and only the figures of the tokens lie.

    Attributes:
        base_url: Its address as that of a model.
        sent: The bodies of the requests that it got.
        trapped: Number of requests that followed a redirect to another host.
        longest: Seconds for which a client waited for the end of one reply.
    """

    def __init__(self, draw: random.Random, *, only_usage: bool = False) -> None:
        self._draw, self._only_usage, self._lock = draw, only_usage, threading.Lock()
        self._usage = draw.choice(_USAGES)  # the same lie every time
        self.sent: list[bytes] = []
        self.trapped, self.longest = 0, 0.0
        self._server, self._trap = socket.create_server(("127.0.0.1", 0)), socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self._server.getsockname()[1]}/v1"
        self._elsewhere = f"http://localhost:{self._trap.getsockname()[1]}/v1/chat/completions"

    def __enter__(self) -> LyingServer:
        for server, handle in ((self._server, self._handle), (self._trap, self._handle_trap)):
            threading.Thread(target=self._accept, args=(server, handle), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()
        self._trap.close()

    def _accept(self, server: socket.socket, handle: Any) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                threading.Thread(target=self._guarded, args=(handle, connection), daemon=True).start()

    @staticmethod
    def _guarded(handle: Any, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError, ValueError):
            connection.settimeout(_DRIP)
            handle(connection)

    def _handle_trap(self, connection: socket.socket) -> None:
        if connection.recv(10):
            self.trapped += 1

    def _handle(self, connection: socket.socket) -> None:
        reader = connection.makefile("rb")
        length = 0
        while (line := reader.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        body = reader.read(length)
        with self._lock:
            self.sent.append(body)
            draw = random.Random(self._draw.random())
        start = time.monotonic()
        try:
            self._reply(connection, draw, json.loads(body or b"{}"))
        finally:
            self.longest = max(self.longest, time.monotonic() - start)

    def _reply(self, connection: socket.socket, draw: random.Random, body: dict[str, Any]) -> None:
        good = json.dumps(completion(draw, body, self._usage, good=self._only_usage)).encode()
        kind = 0 if self._only_usage or draw.random() < 0.5 else draw.randint(3, 13)
        send = connection.sendall
        if kind == 0:
            send(head(len(good)) + good)
        elif kind == 3:
            status = draw.choice((301, 302, 303, 307, 308))
            place = draw.choice((self._elsewhere, "//evil.example/", "file:///etc/passwd", "/v1/other", "x" * 9_000))
            send(head(0, f"{status} Moved", f"Location: {place}"))
        elif kind == 4:  # hundreds of megabytes
            send(head(400 << 20))
            for _ in range(400):
                send(b'{"choices": [' if draw.random() < 0.01 else b" " * (1 << 20))
        elif kind == 5:
            send(head(len(good)))
            for byte in good:
                send(bytes([byte]))
                time.sleep(0.3)
        elif kind == 6:
            send((head(len(good)) + good)[: draw.randrange(len(good) + 100)])
        elif kind == 7:
            spoiled = mutated(draw, good)
            send(head(len(spoiled)) + spoiled)
        elif kind == 8:
            status = draw.choice(
                (100, 101, 204, 206, 304, 400, 401, 403, 404, 408, 409, 413, 429, 429, 500, 502, 503, 999)
            )
            text = json.dumps({"error": {"message": draw.choice(TOKENS).decode(errors="replace") * 3}}).encode()
            wait = draw.choice(("1e9", "-1", "soon", "0", "Wed, 21 Oct 2099 07:28:00 GMT", "0.01"))
            send(head(len(text), f"{status} X", f"Retry-After: {wait}") + text)
        elif kind == 9:  # ten gigabytes of zeros, packed
            bomb = gzip.compress(bytes(10 << 20), 9) * 1_000
            send(head(len(bomb), "200 OK", "Content-Encoding: gzip") + bomb)
        elif kind == 10:
            text = draw.choice(
                (b"[" * 300_000, b'{"choices":' * 100_000, b"null", b"[]", b'""', b"\xff\xfe", b"NaN", b"")
            )
            send(head(len(text)) + text)
        elif kind == 11:
            send(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: %s\r\n" % (i, b"y" * 100) for i in range(100_000)) + b"\r\n")
        elif kind == 12:
            send(draw.randbytes(draw.choice((0, 5, 3_000))))
        else:
            send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            for piece in (b"data: " + good, b"\n\n", b"data: {", b"data: [DONE]\n\n", draw.choice(TOKENS)):
                send(b"%x\r\n%s\r\n" % (len(piece), piece))


def head(length: int, status: str = "200 OK", *lines: str) -> bytes:
    """Return the head of a reply."""
    rows = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {length}", "Connection: close"]
    return "\r\n".join([*rows, *lines, "", ""]).encode("utf-8", "replace")


def completion(draw: random.Random, body: dict[str, Any], usage: Any, *, good: bool) -> dict[str, Any]:
    """Return a chat completion whose text, calls and figures are odd; if it is good, only the figures are."""
    text = '{"entities": ["Kenya", "Nairobi"], "triples": [["Nairobi", "is capital of", "Kenya"]]}'
    message: dict[str, Any] = {"role": "assistant", "content": text}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "stop"}
    reply: dict[str, Any] = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    if draw.random() < 0.9:
        reply["usage"] = usage
    if good:
        return reply
    odd = (
        draw.choice(TOKENS).decode(errors="replace"),
        "Kenyan shilling",
        "yes",
        "1",
        text,
        "x" * 300_000,
        None,
        7,
        [],
        "[" * 5_000,
        '{"numbers": [1, 99999999999999999999, -1, null]}',
        "MATCH (n) DELETE n",
        "1\n" * 20_000,
        *_THOUGHTS,
    )
    message["content"] = draw.choice(odd)
    if draw.random() < 0.1:
        message[draw.choice(("reasoning", "reasoning_content", "thinking"))] = draw.choice(odd)
    if body.get("tools") and draw.random() < 0.8:
        arguments = draw.choice(
            ('{"text": "Kenya"}', "{", "[]", "null", '{"entity": 7}', "x" * 90_000, '{"nodes": ["L1"]}')
        )
        call = {"id": "c", "type": "function", "function": {"name": draw.choice(TOOLS), "arguments": arguments}}
        message["tool_calls"] = draw.choice(([call], [call] * 500, [{}], "x", [None]))
    if draw.random() < 0.2:
        choice["finish_reason"] = draw.choice(("length", "content_filter", "tool_calls", None, 7, "x"))
    if draw.random() < 0.1:
        errors = {"code": draw.choice((429, "502", "rate_limit", 10**30, None, [])), "message": draw.choice(odd)}
        bad = ([], None, [choice] * 1_000, "x", [None], [{"message": 7}], [{"error": errors}], [{"text": 7}])
        reply["choices"] = draw.choice(bad)
        if draw.random() < 0.5:
            reply["error"] = draw.choice((errors, "x" * 90_000, [errors] * 900, {"error": {"error": errors}}, True))
    return reply
