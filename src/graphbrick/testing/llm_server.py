"""A chat server on this machine that says what a test wants it to say."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One reply of a `ScriptedLLM`, good or faulty.

    Attributes:
        text: What the model says; may be empty.
        status: HTTP status; of 400 and above, the body is an error message and ``text`` its words.
        headers: Further headers, such as ``{"Retry-After": "1"}``.
        delay: Seconds to wait before replying.
        drop: Break the connection in the middle of the body.
        body: Send this in the place of the JSON object, for instance to send invalid JSON.
        content_type: What the body claims to be.
        finish_reason: "stop", or "length" for a reply that was cut.
        usage: Whether the tokens are reported: one a word.
    """

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False
    body: str | None = None
    content_type: str = "application/json"
    finish_reason: str = "stop"
    usage: bool = True


@dataclass(frozen=True)
class Request:
    """One request that a `ScriptedLLM` got.

    Attributes:
        path: Such as "/v1/chat/completions".
        headers: By lower-case name.
        body: The JSON object sent: model, messages and parameters.
    """

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class ScriptedLLM:
    """An OpenAI-compatible chat server on loopback, for tests of what talks to a language model; a context manager.

    Args:
        replies: Texts and faults in the order they are sent; the last is repeated for ever.

    Attributes:
        base_url: Where it listens, for ``LLM(base_url=...)``.
        requests: What it was asked, in order of arrival.

    Example:
        >>> from graphbrick import LLM, Generate, ShortestPaths
        >>> from graphbrick.testing import ScriptedLLM, tiny_graph
        >>> with ScriptedLLM(["Kenyan shilling"]) as server:
        ...     pipeline = ShortestPaths() >> Generate(LLM(base_url=server.base_url))
        ...     answer = pipeline(tiny_graph(), "Which currency is used in Kenya?")
        >>> answer.texts, len(server.requests)
        (('Kenyan shilling',), 1)
    """

    def __init__(self, replies: Sequence[str | Reply]) -> None:
        if not replies:
            raise ValueError("ScriptedLLM needs at least one reply; try ScriptedLLM(['Kenyan shilling'])")
        self._replies = [Reply(reply) if isinstance(reply, str) else reply for reply in replies]
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self.requests: list[Request] = []
        self._server = _Server(("127.0.0.1", 0), self)
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        # shutdown() waits for one more poll.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> ScriptedLLM:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def take(self, request: Request) -> Reply:
        """Note a request and give the reply that is due, after its delay."""
        with self._lock:
            self.requests.append(request)
            reply = self._replies[min(len(self.requests), len(self._replies)) - 1]
        self._closing.wait(reply.delay)
        return reply


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], script: ScriptedLLM) -> None:
        self.script = script
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        sent = json.loads(self.rfile.read(int(headers.get("content-length", "0"))) or b"{}")
        reply = self.server.script.take(Request(self.path, headers, sent))
        body = (_body(reply, sent) if reply.body is None else reply.body).encode()
        try:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if reply.drop else body)
        except ConnectionError:
            self.close_connection = True  # the client did not wait

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is that of the base class
        """Say nothing."""


def _body(reply: Reply, sent: Mapping[str, Any]) -> str:
    if reply.status >= 400:
        return json.dumps({"error": {"message": reply.text or "scripted fault", "type": "scripted", "code": None}})
    message = {"role": "assistant", "content": reply.text}
    tokens_in = sum(len(str(message["content"]).split()) for message in sent.get("messages", []))
    tokens_out = len(reply.text.split())
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
    completion = {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": sent.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
    }
    return json.dumps(completion | ({"usage": usage} if reply.usage else {}))
