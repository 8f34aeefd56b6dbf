"""What llama.cpp's server of this release does: a real model, asked over HTTP. Bricks rely on each of these."""

from __future__ import annotations

import http.client
import json
import socket
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from graphbrick.core.errors import ModelError
from graphbrick.models.llm.serving.serving import Server, serve
from graphbrick.models.llm.serving.serving import shared_server as shared

pytestmark = pytest.mark.models

CAPITALS = {
    "type": "object",
    "properties": {"france": {"type": "string"}, "kenya": {"type": "string"}},
    "required": ["france", "kenya"],
    "additionalProperties": False,
}
LONG = {"max_tokens": 3000, "messages": [{"role": "user", "content": "Write a very long story about a ship."}]}


def ask(server: Server, path: str, body: dict[str, Any]) -> tuple[int, str]:
    address = urlsplit(server.base_url)
    with closing(http.client.HTTPConnection(address.hostname or "", address.port, timeout=600)) as connection:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        with connection.getresponse() as reply:
            return reply.status, reply.read().decode()


def chat(server: Server, text: str, **more: Any) -> dict[str, Any]:
    body = {"messages": [{"role": "user", "content": text}], "temperature": 0, "max_tokens": 60} | more
    status, reply = ask(server, "/v1/chat/completions", body)
    assert status == 200, reply
    found: dict[str, Any] = json.loads(reply)
    return found


def test_a_schema_is_kept_to(local_server: Server) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "capitals", "schema": CAPITALS, "strict": True}}
    reply = chat(local_server, "Name the capitals of France and of Kenya.", response_format=form)
    assert json.loads(reply["choices"][0]["message"]["content"]) == {"france": "Paris", "kenya": "Nairobi"}


def test_a_schema_that_is_none_is_refused(local_server: Server) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "nonsense"}}}
    body = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 5, "response_format": form}
    status, reply = ask(local_server, "/v1/chat/completions", body)
    assert status == 400
    assert "JSON schema error" in reply


def test_the_probabilities_of_the_likeliest_words(local_server: Server) -> None:
    question = "Is Paris the capital of France? Answer yes or no."
    reply = chat(local_server, question, max_tokens=1, logprobs=True, top_logprobs=20)
    (first,) = reply["choices"][0]["logprobs"]["content"]
    listed = {entry["token"].strip().casefold(): entry["logprob"] for entry in reversed(first["top_logprobs"])}
    assert len(first["top_logprobs"]) == 20
    assert listed["no"] < listed["yes"] <= 0


def test_the_tokens_of_a_prompt_are_counted_by_the_server(local_server: Server) -> None:
    reply = chat(local_server, "Hello world", max_tokens=1)
    messages = [{"role": "user", "content": "Hello world"}]
    status, counted = ask(local_server, "/v1/chat/completions/input_tokens", {"messages": messages})
    assert status == 200
    assert json.loads(counted)["input_tokens"] == reply["usage"]["prompt_tokens"]
    status, text = ask(local_server, "/tokenize", {"content": "Hello world"})
    assert (status, len(json.loads(text)["tokens"])) == (200, 2)


def test_a_stream_ends_with_what_was_used(local_server: Server) -> None:
    question = "Count from one to five."
    whole = chat(local_server, question)
    body = {"messages": [{"role": "user", "content": question}], "temperature": 0, "max_tokens": 60}
    body |= {"stream": True, "stream_options": {"include_usage": True}}
    status, reply = ask(local_server, "/v1/chat/completions", body)
    assert status == 200
    lines = [line.removeprefix("data: ") for line in reply.splitlines() if line.startswith("data: ")]
    assert lines.pop() == "[DONE]"
    chunks = [json.loads(line) for line in lines]
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"] == whole["usage"]
    deltas = [chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks[:-1]]
    assert len(deltas) > 3
    assert "".join(deltas) == whole["choices"][0]["message"]["content"]


@pytest.mark.parametrize("stream", [True, False])
def test_a_caller_that_goes_away_ends_the_work(local_server: Server, stream: bool) -> None:
    address = urlsplit(local_server.base_url)
    body = json.dumps(LONG | {"stream": stream}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection((address.hostname, address.port)) as caller:
        caller.sendall(head.encode() + body)
        time.sleep(3.0)
    start = time.monotonic()
    chat(local_server, "hi", max_tokens=1)
    # The whole story takes minutes.
    assert time.monotonic() - start < 60


def test_the_same_question_has_the_same_answer(local_server: Server) -> None:
    question = "Tell me something about Nairobi in one sentence."
    first = chat(local_server, question)
    chat(local_server, f"{question} Be brief.")
    second = chat(local_server, question)
    assert first["choices"] == second["choices"]
    assert second["usage"]["prompt_tokens_details"]["cached_tokens"] == 0


def test_a_prompt_that_is_too_long_is_refused(local_server: Server) -> None:
    body = {"messages": [{"role": "user", "content": "word " * (local_server.context + 1)}], "max_tokens": 5}
    status, reply = ask(local_server, "/v1/chat/completions", body)
    assert status == 400
    assert json.loads(reply)["error"]["type"] == "exceed_context_size_error"


def test_web_pages_and_prompts_in_work_are_not_shown(local_server: Server) -> None:
    address = urlsplit(local_server.base_url)
    for path in ("/", "/slots", "/metrics"):
        with closing(http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)) as connection:
            connection.request("GET", path, headers={"Origin": "http://somewhere.example"})
            with connection.getresponse() as reply:
                assert reply.status in (404, 501)
                assert not reply.headers.get("Access-Control-Allow-Origin")
                reply.read()


def test_a_cut_file_is_an_error_with_the_cause(local_server: Server, tmp_path: Path) -> None:
    with local_server.path.open("rb") as file:
        (tmp_path / "cut.gguf").write_bytes(file.read(30_000_000))
    with pytest.raises(ModelError, match=r"the server of cut\.gguf did not start; it said: .*cut\.gguf"):
        serve(tmp_path / "cut.gguf", context=512)


def test_a_second_one_is_shared(local_server: Server) -> None:
    server = shared(local_server.path, 512, 1)
    try:
        assert shared(local_server.path, 512, 1) is server
        assert chat(server, "hi", max_tokens=1)["usage"]["completion_tokens"] == 1
    finally:
        server.close()
