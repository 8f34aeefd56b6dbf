"""A model server on this machine that says what a test wants it to say."""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.text import fold, hash64

_DIMENSIONS = 64


@dataclass(frozen=True)
class Reply:
    """One reply of a `ScriptedLLM`, good or faulty.

    Attributes:
        text: What the model says; may be empty. A request for embeddings gets vectors in its place.
        status: HTTP status; of 400 and above, the body is an error message and ``text`` its words.
        headers: Further headers, such as ``{"Retry-After": "1"}``.
        delay: Seconds to wait before replying.
        drop: Break the connection in the middle of the body.
        stall: Seconds to wait in the middle of a reply that is streamed.
        refusal: What the model says in the place of a reply that it refuses.
        likeliest: The likeliest first words with the natural logarithm of their probability.
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
    stall: float = 0.0
    refusal: str | None = None
    likeliest: Mapping[str, float] = field(default_factory=dict)
    body: str | None = None
    content_type: str = "application/json"
    finish_reason: str = "stop"
    usage: bool = True


@dataclass(frozen=True)
class Request:
    """One request that a `ScriptedLLM` got.

    Attributes:
        path: Such as "/v1/chat/completions" or "/v1/embeddings".
        headers: By lower-case name.
        body: The JSON object sent: model, messages (of embeddings: input) and parameters.
    """

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def prompt(self) -> str:
        """What the model was told, its messages one after the other; empty for embeddings."""
        return "\n\n".join(str(message["content"]) for message in self.body.get("messages", []))


Script: TypeAlias = Callable[[Request], str | Reply]
"""What reads a request and says what the reply is."""


class ScriptedLLM:
    """An OpenAI-compatible server on loopback, for tests of what talks to a model; a context manager.

    It answers ``/v1/chat/completions`` with the reply that is due, and ``/v1/embeddings`` with unit vectors of 64
    numbers: equal for texts of the same words, the closer the more words two texts share. A request for embeddings
    takes a reply like any other, so that it can meet faults too, but its text is not used.

    Args:
        replies: Texts and faults in the order they are sent, of which the last is repeated for ever; or a function that
            reads the `Request` and gives the text or `Reply`. It is called in a thread of the server; an error in it
            is sent as status 400.

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

        >>> def script(request):
        ...     return "YES" if "Nairobi" in request.prompt else "NO"
        >>> with ScriptedLLM(script) as server:
        ...     LLM(base_url=server.base_url).complete([{"role": "user", "content": "Is it Nairobi?"}])
        'YES'
    """

    def __init__(self, replies: Sequence[str | Reply] | Script) -> None:
        if not replies:
            raise ValueError("ScriptedLLM needs at least one reply; try ScriptedLLM(['Kenyan shilling'])")
        self._script = replies if callable(replies) else None
        self._replies = () if callable(replies) else tuple(replies)
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
            number = len(self.requests)
        due = self._ask(request) if self._script else self._replies[min(number, len(self._replies)) - 1]
        reply = Reply(due) if isinstance(due, str) else due
        self._closing.wait(reply.delay)
        return reply

    def pause(self, seconds: float) -> None:
        """Wait, but not longer than the server lives."""
        self._closing.wait(seconds)

    def _ask(self, request: Request) -> str | Reply:
        assert self._script is not None
        try:
            return self._script(request)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test is to see it
            return Reply(f"the script raised {type(error).__name__}: {error}", status=400)


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
        if sent.get("stream") and reply.status < 400 and reply.body is None:
            self._stream(reply, sent)
            return
        body = (_body(reply, self.path, sent) if reply.body is None else reply.body).encode()
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

    def _stream(self, reply: Reply, sent: Mapping[str, Any]) -> None:
        """Send a reply word by word, as server-sent events."""
        whole = _completion(reply, sent)
        words = re.findall(r"\S+\s*|\s+", reply.text)
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": word} for word in words]
        chunks = [_chunk(whole, delta) for delta in deltas or [{"role": "assistant", "refusal": reply.refusal}]]
        chunks.append(_chunk(whole, {}, finish_reason=reply.finish_reason))
        if reply.usage and sent.get("stream_options", {}).get("include_usage"):
            chunks.append({**_chunk(whole, {}), "choices": [], "usage": whole["usage"]})
        lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]
        middle = max(len(words) // 2, 1)
        self.close_connection = True
        try:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write("".join(lines[:middle]).encode())
            self.wfile.flush()
            self.server.script.pause(reply.stall)
            if not reply.drop:
                self.wfile.write("".join(lines[middle:]).encode())
        except ConnectionError:
            return  # the client did not wait

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is that of the base class
        """Say nothing."""


def _body(reply: Reply, path: str, sent: Mapping[str, Any]) -> str:
    if reply.status >= 400:
        return json.dumps({"error": {"message": reply.text or "scripted fault", "type": "scripted", "code": None}})
    answer = _embeddings(sent) if path.endswith("/embeddings") else _completion(reply, sent)
    if not reply.usage:
        del answer["usage"]
    return json.dumps(answer)


def _completion(reply: Reply, sent: Mapping[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.text if reply.refusal is None else None, "refusal": reply.refusal}
    tokens_in = sum(len(str(message["content"]).split()) for message in sent.get("messages", []))
    tokens_out = len(reply.text.split())
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": sent.get("model", ""),
        "choices": [
            {"index": 0, "message": message, "finish_reason": reply.finish_reason, "logprobs": _likeliest(reply, sent)}
        ],
        "usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out},
    }


def _chunk(whole: Mapping[str, Any], delta: Mapping[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    """A piece of a streamed reply."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {**whole, "object": "chat.completion.chunk", "choices": [choice], "usage": None}


def _likeliest(reply: Reply, sent: Mapping[str, Any]) -> dict[str, Any] | None:
    """The log-probabilities of the first word, where they were asked for."""
    if not sent.get("logprobs") or not reply.likeliest:
        return None
    top = [{"token": word, "logprob": p, "bytes": None} for word, p in reply.likeliest.items()]
    return {"content": [{**top[0], "top_logprobs": top[: sent.get("top_logprobs", 0)]}]}


def _embeddings(sent: Mapping[str, Any]) -> dict[str, Any]:
    given = sent.get("input", "")
    texts = [given] if isinstance(given, str) else [str(text) for text in given]
    packed = sent.get("encoding_format") == "base64"
    vectors = [_vector(text) for text in texts]
    tokens = sum(len(text.split()) for text in texts)
    return {
        "object": "list",
        "model": sent.get("model", ""),
        "data": [
            {
                "object": "embedding",
                "index": i,
                "embedding": base64.b64encode(v.astype("<f4").tobytes()).decode() if packed else v.tolist(),
            }
            for i, v in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _vector(text: str) -> npt.NDArray[np.float32]:
    """The sum of a random vector a word, scaled to length 1."""
    words = fold(text).split() or [text]
    total = np.sum([np.random.default_rng(hash64(word)).standard_normal(_DIMENSIONS) for word in words], axis=0)
    return np.asarray(total / np.linalg.norm(total), dtype=np.float32)
