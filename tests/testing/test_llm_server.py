from __future__ import annotations

import base64
import json
from typing import Any
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

import numpy as np
import pytest
from faults import fails

from graphbrick import LLM
from graphbrick.testing import Reply, Request, ScriptedLLM


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def ask(server: ScriptedLLM, text: str) -> str:
    return LLM(base_url=server.base_url, timeout=60.0, retries=0).complete([{"role": "user", "content": text}])


def embed(server: ScriptedLLM, **body: Any) -> dict[str, Any]:
    sent = HttpRequest(f"{server.base_url}/embeddings", json.dumps({"model": "m"} | body).encode())
    with urlopen(sent) as reply:
        return json.load(reply)  # type: ignore[no-any-return]


def test_a_script_reads_the_request() -> None:
    def script(request: Request) -> str | Reply:
        return request.prompt.upper() if len(request.prompt) < 10 else Reply("too long", finish_reason="length")

    with ScriptedLLM(script) as server:
        assert ask(server, "four") == "FOUR"
        assert ask(server, "a long question") == "too long"
        assert [request.prompt for request in server.requests] == ["four", "a long question"]


def test_an_error_in_a_script_is_told() -> None:
    def script(request: Request) -> str:
        raise KeyError("candidates")

    with ScriptedLLM(script) as server, fails("server.refused", status=400) as caught:
        ask(server, "four")
    assert "the script raised KeyError" in str(caught.value.values["reason"])


def test_embeddings_are_unit_vectors_by_the_words_of_a_text() -> None:
    with ScriptedLLM(["not used"]) as server:
        reply = embed(server, input=["Kenyan shilling", "SHILLING, Kenyan!", "Ugandan shilling", "Nairobi", "", "?"])
    vectors = np.array([item["embedding"] for item in reply["data"]])
    assert [item["index"] for item in reply["data"]] == list(range(6))
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
    same, shared, other = vectors[1:4] @ vectors[0]
    assert same == pytest.approx(1)
    assert same > shared > other
    assert not np.allclose(vectors[4], vectors[5])
    assert reply["usage"] == {"prompt_tokens": 8, "total_tokens": 8}


def test_embeddings_are_the_same_in_both_encodings_and_every_time() -> None:
    with ScriptedLLM([""]) as server:
        plain = embed(server, input="Kenya")["data"][0]["embedding"]
        packed = embed(server, input=["Kenya"], encoding_format="base64")["data"][0]["embedding"]
    assert np.frombuffer(base64.b64decode(packed), dtype="<f4").tolist() == plain
    assert len(plain) == 64


def test_embeddings_meet_the_same_faults() -> None:
    with ScriptedLLM([Reply(usage=False), Reply(body='{"data": []}')]) as server:
        assert "usage" not in embed(server, input="Kenya")
        assert embed(server, input="Kenya") == {"data": []}
