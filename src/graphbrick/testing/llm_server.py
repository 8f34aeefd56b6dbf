"""A model server on loopback that sends replies scripted by a test."""

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

from graphbrick.language.folding import fold
from graphbrick.language.hashing import hash64

_DIMENSIONS = 64


@dataclass(frozen=True)
class Reply:
    """One reply of a `ScriptedLLM`, good or faulty.

    Attributes:
        text: The model's reply; may be empty. A request for embeddings gets vectors instead.
        status: HTTP status; from 400 on, the body is an error message with ``text``.
        headers: Further headers, such as ``{"Retry-After": "1"}``.
        delay: Seconds to wait before replying.
        drop: Break the connection in the middle of the body.
        stall: Seconds to wait in the middle of a streamed reply.
        refusal: The text of a refusal, sent instead of a reply.
        likeliest: The likeliest first words with the natural logarithm of their probability.
        tokens: The text cut into tokens, each with its likeliest alternatives and the natural logarithm of their
            probability; ``likeliest`` is not used then.
        body: Send this instead of the JSON object, for instance to send invalid JSON.
        content_type: Content type of the body.
        finish_reason: "stop", "length" for a reply that was cut, or "tool_calls"; empty for none.
        usage: Whether tokens are reported, counting one for each word.
        tool_calls: Names and arguments, as JSON text, of the tools that the model calls.
        others: Further replies, for requests with ``n`` above 1.
        forever: Repeat a streamed text until the client leaves; an empty text is sent as empty pieces.
    """

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False
    stall: float = 0.0
    refusal: str | None = None
    likeliest: Mapping[str, float] = field(default_factory=dict)
    tokens: Sequence[tuple[str, Mapping[str, float]]] = ()
    body: str | None = None
    content_type: str = "application/json"
    finish_reason: str = "stop"
    usage: bool = True
    tool_calls: Sequence[tuple[str, str]] = ()
    others: Sequence[str] = ()
    forever: bool = False


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
        """Text of all messages of the request, joined in order; empty for embeddings."""
        return "\n\n".join(str(message.get("content") or "") for message in self.body.get("messages", []))


Script: TypeAlias = Callable[[Request], str | Reply]
"""A function that reads a request and returns the reply."""


class ScriptedLLM:
    """An OpenAI-compatible server on loopback, for tests of code that calls a model; a context manager.

    It answers ``/v1/chat/completions`` with the next reply, and ``/v1/embeddings`` with unit vectors of 64
    numbers: equal for texts of the same words, and closer the more words two texts share. A request for embeddings
    takes a reply like any other, so that it can meet faults too, but its text is not used.

    Args:
        replies: Texts and faults in the order they are sent, the last one is repeated forever; or a function that
            takes the `Request` and returns the text or `Reply`. It is called in a thread of the server; an error in it
            is sent as status 400.

    Attributes:
        base_url: Its address, for ``LLM(base_url=...)``.
        requests: Received requests, in order of arrival.

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
        """Record a request and return the next reply, after its delay."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
        due = self._ask(request) if self._script else self._replies[min(number, len(self._replies)) - 1]
        reply = Reply(due) if isinstance(due, str) else due
        self._closing.wait(reply.delay)
        return reply

    @property
    def closing(self) -> bool:
        """Return whether the server is being closed."""
        return self._closing.is_set()

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
        deltas += _tool_call_deltas(reply)
        chunks = [_chunk(whole, delta) for delta in deltas or [{"role": "assistant", "refusal": reply.refusal}]]
        for i, text in enumerate(reply.others[: sent.get("n", 1) - 1], 1):
            chunks.append(_chunk(whole, {"role": "assistant", "content": text}, index=i))
            chunks.append(_chunk(whole, {}, finish_reason=reply.finish_reason, index=i))
        if reply.finish_reason:
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
            while reply.forever and not self.server.script.closing:
                self.wfile.write(f"data: {json.dumps(_chunk(whole, {'content': reply.text}))}\n\n".encode())
                self.server.script.pause(0.0 if reply.text else 0.02)
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
    message: dict[str, Any] = {
        "role": "assistant",
        "content": reply.text if reply.refusal is None else None,
        "refusal": reply.refusal,
    }
    if reply.tool_calls:
        message["tool_calls"] = [_tool_call(i, name, text) for i, (name, text) in enumerate(reply.tool_calls)]
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason or None}
    choices = [{**choice, "logprobs": _likeliest(reply, sent)}]
    for i, text in enumerate(reply.others[: sent.get("n", 1) - 1], 1):
        choices.append({**choice, "index": i, "message": {"role": "assistant", "content": text}})
    tokens_in = sum(len(str(message.get("content") or "").split()) for message in sent.get("messages", []))
    tokens_out = len(reply.text.split())
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": sent.get("model", ""),
        "choices": choices,
        "usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out},
    }


def _tool_call(number: int, name: str, arguments: str) -> dict[str, Any]:
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def _tool_call_deltas(reply: Reply) -> list[dict[str, Any]]:
    """Return the tool calls in pieces: id and name, then the arguments in three parts."""
    deltas: list[dict[str, Any]] = []
    for i, (name, text) in enumerate(reply.tool_calls):
        deltas.append({"tool_calls": [{"index": i} | _tool_call(i, name, "")]})
        third = max(len(text) // 3, 1)
        pieces = [text[:third], text[third : 2 * third], text[2 * third :]]
        deltas += [{"tool_calls": [{"index": i, "function": {"arguments": piece}}]} for piece in pieces]
    return deltas


def _chunk(
    whole: Mapping[str, Any], delta: Mapping[str, Any], finish_reason: str | None = None, index: int = 0
) -> dict[str, Any]:
    """Return a piece of a streamed reply."""
    choice = {"index": index, "delta": delta, "finish_reason": finish_reason}
    return {**whole, "object": "chat.completion.chunk", "choices": [choice], "usage": None}


def _likeliest(reply: Reply, sent: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the log-probabilities of the tokens, or of the first word, if the request asks for them."""
    tokens = reply.tokens or ([(next(iter(reply.likeliest)), reply.likeliest)] if reply.likeliest else [])
    if not sent.get("logprobs") or not tokens:
        return None
    content = []
    for token, likeliest in tokens:
        top = [{"token": word, "logprob": p, "bytes": None} for word, p in likeliest.items()]
        logprob = likeliest.get(token, 0.0)
        content.append({"token": token, "logprob": logprob, "top_logprobs": top[: sent.get("top_logprobs", 0)]})
    return {"content": content}


def _embeddings(sent: Mapping[str, Any]) -> dict[str, Any]:
    texts_sent = sent.get("input", "")
    texts = [texts_sent] if isinstance(texts_sent, str) else [str(text) for text in texts_sent]
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
    """Return the sum of one random vector for each word, scaled to length 1."""
    words = fold(text).split() or [text]
    total = np.sum([np.random.default_rng(hash64(word)).standard_normal(_DIMENSIONS) for word in words], axis=0)
    return np.asarray(total / np.linalg.norm(total), dtype=np.float32)
