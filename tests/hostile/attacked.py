"""Hostile requests to a server beside good ones, whose answers stay right; its memory stays flat."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import random
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from asked import made_question
from cli_studies import BM25
from mutating import TOKENS, mutated
from trying import Fault, Surface, command, held, same

from graphbrick import build
from graphbrick.core.workers.worker import used_memory
from graphbrick.testing import TINY
from hostile_requests import garbage, half_open_stream, large_head, left_at_once, smuggled, told_gigabyte
from index_kill import write_documents
from server_process import ServerProcess

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
_ASK = {"graph": "tiny", "question": QUESTION, "recipe": "paths"}
_GOOD: list[tuple[str, str, dict[str, Any] | None]] = [
    ("POST", "/v1/ask", _ASK),
    ("POST", "/v1/query", {"graph": "tiny", "query": "MATCH (a)-[r]->(b) RETURN count(*) AS n"}),
    ("GET", "/v1/graphs/tiny", None),
    ("GET", "/v1/entities?graph=tiny&q=Kenya", None),
]
_FIRST: list[dict[str, Any]] = [{"graph": name, "question": QUESTION} for name in ("tiny", "notes")]
_GETS = ["/", "/v1/graphs", "/v1/graphs/tiny", "/v1/graphs/notes/schema", "/v1/recipes", "/v1/bricks?name=PPR",
         "/v1/entities?graph=tiny&q=Ken&n=5", "/v1/entities/one?graph=tiny&key=Kenya", "/v1/documents?graph=notes",
         "/v1/entities/neighbours?graph=tiny&key=Kenya&offset=0&n=3", "/v1/entities/where?graph=tiny&property=x&is=1",
         "/v1/paths?graph=tiny&start=Kenya&end=Kampala&max_hops=3", "/v1/documents/text?graph=notes&document=0.md",
         "/v1/documents/passages?graph=notes&document=0.md", "/v1/merges?graph=notes", "/v1/status", "/healthz",
         "/v1/merges/proposals?graph=notes", "/v1/models", "/v1/models/paths", "/v1/studies", "/v1/tunings",
         "/v1/labels", "/openapi.json", "/docs", "/page/main.js", "/mcp", "/v1/documents/status"]  # fmt: skip
_POSTS: list[tuple[str, dict[str, Any]]] = [
    ("/v1/ask", _ASK),
    (
        "/v1/ask",
        {"graph": "tiny", "question": QUESTION, "pipeline": BM25, "budget": {"seconds": 5}, "seeds": ["Kenya"]},
    ),
    ("/v1/ask", _ASK | {"stream": True, "subgraph": True, "min_confidence": 0.1}),
    ("/v1/retrieve", _ASK),
    ("/v1/check", {"pipeline": BM25}),
    ("/v1/check", {"blocks": {"then": [{"brick": "PPR", "parameters": {"k": 5}}, {"brick": "PathAnswer"}]}}),
    ("/v1/query", {"graph": "tiny", "query": "MATCH (a)-[r]->(b) RETURN a.key, b.key", "limit": 5}),
    ("/v1/feedback", {"graph": "tiny", "question": QUESTION, "right": True, "answers": ["Kenya"], "recipe": "paths"}),
    ("/v1/merges", {"graph": "notes", "keys": ["Kenya", "Uganda"], "action": "apart"}),
    ("/v1/chat/completions", {"model": "paths", "messages": [{"role": "user", "content": QUESTION}], "stream": True}),
    ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": _ASK}}),
    ("/v1/labels", {"case": 1, "label": "yes"}),
]
_VALUES: list[Any] = [0, -1, 1e308, True, None, [], {}, [[]], {"a": {"b": 1}}, "\x00", "../../etc/passwd", "x" * 9_999,
                      "", "\u202e", "<script>", [1] * 5_000, {"k" * 500: 1}, 2**70, "tiny", "notes"]  # fmt: skip
_HEADERS = ["Content-Type: text/plain", "Content-Type: application/json; charset=utf-99", "Content-Length: -1",
            "Content-Length: 5", "Transfer-Encoding: chunked", "Host: evil.example", "Host:", "Origin: null",
            "Authorization: Bearer x", "Accept-Encoding: gzip, br", "Expect: 100-continue", "Upgrade: websocket",
            "Range: bytes=0-1", "Content-Encoding: gzip", "X: " + "y" * 9_000, "Connection: close", "Accept: */*",
            "Cookie: a=b", "X-Forwarded-For: 127.0.0.1", "Mcp-Session-Id: x", "Bad Header", ": x"]  # fmt: skip
_SECONDS = 120.0  # until a request counts as a hang; the server ends a run after 15
_WARM = 0.3  # share of the samples of memory after which the server has loaded all that it needs
_FLAT = 1.10
_CUT = b"\x00\x00cut"


def spoiled(draw: random.Random, value: Any) -> Any:
    """Return a JSON value of which one part is another."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        name = draw.choice(sorted(value))
        kind = draw.randrange(4)
        if kind == 0:
            return {key: part for key, part in value.items() if key != name}
        if kind == 1:
            return {**value, draw.choice(("x", "__class__", "", "question ", "graph")): draw.choice(_VALUES)}
        return {**value, name: spoiled(draw, value[name])}
    if isinstance(value, list) and value and draw.random() < 0.5:
        return [*value, *[spoiled(draw, value[0])] * draw.choice((1, 50))]
    if isinstance(value, str) and draw.random() < 0.6:
        return made_question(draw, ["Kenya", "Nairobi"])[: draw.choice((50, 9_000, 40_000))]
    return draw.choice(_VALUES)


def deep(draw: random.Random) -> bytes:
    """Return JSON that is nested deeply."""
    n = draw.choice((50, 900, 5_000, 200_000))
    return draw.choice((b"[" * n + b"]" * n, b'{"a":' * n + b"1" + b"}" * n, b'{"question": ' + b"[" * n, b"[{" * n))


class Server(Surface):
    """`graphbrick serve` under hostile requests."""

    tries = 1_500
    seconds = 600.0

    def prepare(self) -> None:
        """Start a server, ask it, and watch its memory."""
        self.samples: list[float] = []
        self.ended, self.watching = threading.Event(), threading.Thread(target=self._watch)
        tiny = build(TINY, self.folder / "tiny.graph").path
        write_documents(self.folder / "docs", 5, changed=False)
        held(command("index", self.folder / "docs", self.folder / "notes.graph", "--no-embed"), (0,))
        self.server = ServerProcess(f"tiny={tiny}", f"notes={self.folder / 'notes.graph'}", "--recipe",
                                    "paths=ShortestPaths() >> PathAnswer()", "--timeout", "15", "--write")  # fmt: skip
        self.server.wait_until_ready()
        for body in _FIRST:  # each loads what only such a request needs
            self.sent(_request("POST", "/v1/ask", json.dumps(body).encode()))
        self.known = [self.good(number) for number in range(len(_GOOD))]
        self.watching.start()
        self.idle: list[socket.socket] = []

    def _watch(self) -> None:
        while not self.ended.wait(1.0):
            self.samples.append(used_memory(self.server.process.pid) / (1 << 20))

    def good(self, number: int) -> object:
        """Make a good request; return what its reply says."""
        method, path, body = _GOOD[number]
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=_SECONDS)
        with contextlib.closing(connection):
            connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
            reply = connection.getresponse()
            text = reply.read()
        if reply.status != 200:
            raise Fault(f"a good {path}: {reply.status} {text[-300:]!r}")
        facts = json.loads(text)
        return facts.get("answers", facts.get("rows", facts.get("entities", facts.get("triples"))))

    def sent(self, data: bytes) -> tuple[int, bytes]:
        """Send bytes, and return the status, 0 for none, and the reply until its end."""
        with socket.create_connection((self.server.host, self.server.port), timeout=_SECONDS) as connection:
            reply = b""
            try:
                with contextlib.suppress(OSError):  # it may be closed
                    connection.sendall(data)
                    if data.endswith(_CUT):
                        connection.shutdown(socket.SHUT_WR)
                with contextlib.suppress(ConnectionResetError):
                    while piece := connection.recv(1 << 16):
                        reply += piece
            except TimeoutError as error:
                raise Fault(f"no end of the reply to {data[:200]!r}; so far {reply[:100]!r}") from error
        line = reply.split(b"\r\n", 1)[0].split()
        return (int(line[1]) if len(line) > 1 and line[1].isdigit() else 0), reply

    def attempt(self, draw: random.Random, work: Path) -> str:
        """Send one hostile request, and then a good one."""
        kind = draw.randrange(9)
        outcome = self._checked(self._made(draw, kind)) if kind else self._socket(draw)
        number = draw.randrange(len(_GOOD))
        same(self.good(number), self.known[number], f"the reply to a good {_GOOD[number][1]}")
        return outcome

    def _made(self, draw: random.Random, kind: int) -> bytes:
        """Return a hostile request."""
        if kind == 1:
            path = draw.choice(_GETS)
            at = draw.randrange(len(path))
            ugly = draw.choice(
                (quote(draw.choice(TOKENS)[:2_000]), "..%2f..%2fetc", "%00", "&n=-1", "&n=1e99", "//", "?")
            )
            return _request(draw.choice(("GET", "GET", "HEAD", "PUT", "DELETE")), path[:at] + ugly + path[at:], b"")
        if kind == 2:
            return _request(draw.choice(("OPTIONS", "PATCH", "TRACE", "FOO", "PUT")), draw.choice(_GETS), b"{}")
        path, body = draw.choice(_POSTS)
        if kind == 3:
            return _request("POST", path, deep(draw))
        content = json.dumps(body).encode()
        if kind == 4:
            return _request("POST", path, mutated(draw, content))
        if kind == 5:
            return _request("POST", path, content, draw.sample(_HEADERS, draw.randint(1, 4)))
        if kind == 6:  # the bytes of the request itself; the other side is told that no more comes
            return mutated(draw, _request("POST", path, content))[:200_000] + _CUT
        for _ in range(draw.randint(1, 3)):
            body = spoiled(draw, body)
        return _request("POST", path, json.dumps(body).encode())

    def _checked(self, data: bytes) -> str:
        """Send a request; raise `Fault` unless it is answered or refused as it should be."""
        status, reply = self.sent(data)
        if status >= 500 and status not in (501, 503, 504):
            raise Fault(f"{status} to {data[:300]!r}: {reply[-300:]!r}")
        if b"Traceback (most recent" in reply or b"root:x:" in reply:
            raise Fault(f"the reply to {data[:300]!r} shows {reply[-300:]!r}")
        content = reply.partition(b"\r\n\r\n")[2]
        is_envelope = b'"Validation error: ' in content and b"JSONRPC" in content  # the words of the MCP library
        if status in (400, 403, 413, 422, 429) and b"application/json" in reply and not is_envelope:
            with contextlib.suppress(ValueError):
                message = json.loads(content).get("error", {})
                message = message.get("message", "") if isinstance(message, dict) else str(message)
                if "\n" in message or len(message) > 5_000:
                    raise Fault(f"a message of {len(message)} characters: {message[:200]!r}")
        return f"{status // 100}xx" if status else "closed"

    def _socket(self, draw: random.Random) -> str:
        """Attack the connection itself."""
        if draw.random() < 0.4:  # half a request, and the connection stays open
            connection = socket.create_connection((self.server.host, self.server.port), timeout=_SECONDS)
            whole = _request("POST", "/v1/ask", json.dumps(_ASK).encode())
            connection.sendall(whole[: draw.randrange(len(whole))])
            self.idle.append(connection)
            if len(self.idle) > 40:
                self.idle.pop(0).close()
            return "half open"
        attack = draw.choice((garbage, half_open_stream, large_head, left_at_once, smuggled, told_gigabyte))
        with contextlib.suppress(OSError):
            status = asyncio.run(asyncio.wait_for(attack(self.server), _SECONDS))
            if status == "500":
                raise Fault(f"{attack.__name__}: 500")
        return "attacked"

    def finish(self) -> Iterator[str]:
        """Yield what the server shows at its end: its memory, what it logged, and whether it stops."""
        if not hasattr(self, "idle"):  # it did not start, or did not answer
            with contextlib.suppress(AttributeError):
                self.server.stop()
            return
        self.ended.set()
        self.watching.join()
        if self.server.process.poll() is not None:
            yield f"the server ended with {self.server.process.returncode}: {self.server.log()[-300:]!r}"
        flat = self.samples[int(_WARM * len(self.samples)) :]
        third = len(flat) // 3
        before, after = (statistics.median(part) for part in (flat[:third] or [1.0], flat[-third:] or [1.0]))
        print(f"memory of the server: {before:.0f} MB, and at the end {after:.0f} MB, over {len(self.samples)} s")
        if len(self.samples) > 200 and after > _FLAT * before:
            yield f"the memory of the server grew from {before:.0f} to {after:.0f} MB"
        log = self.server.log()
        if "Traceback" in log:
            yield f"the server logged a traceback: {log[log.index('Traceback') :][-400:]!r}"
        start = time.monotonic()
        self.server.stop()
        if time.monotonic() - start > 55:
            yield "the server did not stop"


def _request(method: str, path: str, body: bytes, headers: list[str] | None = None) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close"]
    own = headers or []
    if not any(line.startswith("Content-Length") for line in own) and (body or method != "GET"):
        lines.append(f"Content-Length: {len(body)}")
    if not any(line.startswith("Content-Type") for line in own):
        lines += ["Content-Type: application/json", "Accept: application/json, text/event-stream"]
    return "\r\n".join([*lines, *own, "", ""]).encode("utf-8", "replace") + body
