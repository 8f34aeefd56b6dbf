from __future__ import annotations

import json

import numpy as np
import pytest

from graphbrick import Rerank, ShortestPaths
from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.core.trace import Trace, record
from graphbrick.models.embedders.llm_embedder import LLMEmbedder
from graphbrick.testing import Reply, Request, ScriptedLLM, check_brick, tiny_graph

KEY = "sk-secret-0123456789"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def data(*rows: object) -> Reply:
    items = [{"index": i, "embedding": row} for i, row in enumerate(rows)]
    return Reply(body=json.dumps({"data": items, "usage": {"prompt_tokens": 7}}))


def test_unit_vectors_and_what_they_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedLLM([""]) as server, record(Trace(), "test", "rerank") as entry:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        vectors = LLMEmbedder("some-model", base_url=server.base_url).encode(["Kenyan shilling", "shilling", " \n"])
        (request,) = server.requests
    assert vectors.shape == (3, 64)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
    assert (entry.calls, entry.tokens_in, entry.tokens_out, entry.events) == (1, 3, 0, [])
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["model"] == "some-model"
    assert request.body["input"] == ["Kenyan shilling", "shilling", " "]


def test_vectors_are_scaled_and_put_in_the_order_of_the_texts() -> None:
    items = [{"index": 1, "embedding": [0, 0, 5]}, {"index": 0, "embedding": [3, 4, 0]}]
    with ScriptedLLM([Reply(body=json.dumps({"data": items, "usage": {"prompt_tokens": 7}}))]) as server:
        vectors = LLMEmbedder(base_url=server.base_url).encode(["a", "b"])
    np.testing.assert_allclose(vectors, [[0.6, 0.8, 0], [0, 0, 1]], rtol=1e-6)


@pytest.mark.parametrize(("batch", "sizes"), [(1, [1] * 5), (2, [2, 2, 1]), (5, [5]), (64, [5])])
def test_batches(batch: int, sizes: list[int]) -> None:
    texts = ["a b", "b", "c", "d e f", "b c"]
    with ScriptedLLM([""]) as server, record(Trace(), "test", "rerank") as entry:
        vectors = LLMEmbedder(base_url=server.base_url, batch=batch).encode(texts)
        assert [len(request.body["input"]) for request in server.requests] == sizes
    with ScriptedLLM([""]) as server:
        np.testing.assert_array_equal(vectors, LLMEmbedder(base_url=server.base_url).encode(texts))
    assert (entry.calls, entry.tokens_in) == (len(sizes), 9)


def test_scores_are_cosines() -> None:
    with ScriptedLLM([""]) as server:
        embedder = LLMEmbedder(base_url=server.base_url)
        scores = embedder.score("Kenyan shilling", ["shilling, Kenyan", "Ugandan shilling", "Nairobi"])
        one, two = embedder.encode(["Kenyan shilling", "Ugandan shilling"])
    assert scores[0] == pytest.approx(1, abs=2e-3)
    assert scores[1] == pytest.approx(float(one @ two), abs=2e-3)
    assert scores[0] > scores[1] > scores[2]


def test_no_report_of_tokens_is_an_event() -> None:
    with ScriptedLLM([Reply(usage=False)]) as server, record(Trace(), "test", "rerank") as entry:
        LLMEmbedder("some-model", base_url=server.base_url).encode(["a"])
    assert (entry.calls, entry.events) == (1, ["some-model did not report the tokens it used; they are estimated"])


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (data([1, 0]), "got 1 vectors for 2 texts"),
        (data([1, 0], [1, 0], [1, 0]), "got 3 vectors for 2 texts"),
        (Reply(body='{"data": [{"index": 1, "embedding": [1]}, {"index": 1, "embedding": [1]}]}'), "got 2 vectors for"),
        (data([1, 0], [1, 0, 0]), "got vectors of different lengths, or of values that are not numbers"),
        (data(["a"], ["b"]), "got vectors of different lengths, or of values that are not numbers"),
        (data([], []), r"got values of shape \(2, 0\) in place of vectors"),
        (data(None, None), r"got values of shape \(2,\) in place of vectors"),
        (data([1, 0], [0, 0]), "got a vector that is zero or not finite for the text 'b'"),
        (data([1, 0], [float("nan"), 1]), "got a vector that is zero or not finite for the text 'b'"),
        (data([float("inf"), 0], [1, 0]), "got a vector that is zero or not finite for the text 'a'"),
        (Reply(body="[]"), "got a reply that holds no embeddings; is it the right address"),
        (Reply(body='{"data": 5}'), "got a reply that holds no embeddings"),
        (Reply(body='{"data": [5, 6]}'), "got a reply that holds no embeddings"),
        (Reply(body="<html></html>", content_type="text/html"), "got a reply that holds no embeddings"),
        (Reply(body='{"data": []}'), r"gave a reply that cannot be read \(ValueError\)"),
        (Reply(body="{nope"), r"gave a reply that cannot be read \(JSONDecodeError\)"),
        (Reply("no such model", status=404), "refused with status 404: .*no such model"),
        (Reply(f"wrong {KEY}", status=401), "asks for a key; set GRAPHBRICK_API_KEYS="),
        (Reply(f"wrong {KEY}", status=400), r"refused with status 400: .*wrong \*\*\*"),
    ],
)
def test_a_fault(reply: Reply, message: str) -> None:
    with ScriptedLLM([reply]) as server, pytest.raises(ModelError, match=message) as caught:
        LLMEmbedder(base_url=server.base_url).encode(["a", "b"])
    assert KEY not in str(caught.value)


def test_vectors_of_two_sizes() -> None:
    message = "got vectors of 2 and of 3 dimensions"
    with ScriptedLLM([data([1, 0]), data([1, 0, 0])]) as server, pytest.raises(ModelError, match=message):
        LLMEmbedder(base_url=server.base_url, batch=1).encode(["a", "b"])


def test_no_server_and_one_that_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    message = r"did not answer within 0\.1 s; raise timeout"
    with ScriptedLLM([Reply(delay=30)]) as server, pytest.raises(ModelError, match=message):
        LLMEmbedder(base_url=server.base_url, timeout=0.1).encode(["a"])
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelError, match=r"no embedding model: set OPENAI_API_KEY, .*; MiniLM\(\) needs no server"):
        LLMEmbedder().encode(["a"])


def test_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    assert LLMEmbedder("m").identity == "m at api.openai.com"
    assert LLMEmbedder("m", base_url="https://host:81/v1").identity == "m at host:81"
    monkeypatch.setenv("OPENAI_BASE_URL", "https://me:secret@other/v1")
    assert LLMEmbedder("m").identity == "m at other"


def test_in_a_pipeline() -> None:
    with ScriptedLLM([""]) as server:
        pipeline = ShortestPaths(max_hops=2) >> Rerank(LLMEmbedder(base_url=server.base_url), n=1)
        run = pipeline.run(tiny_graph(), "Nairobi capital Kenya currency Kenyan shilling", seeds=("Nairobi",))
    assert run.evidence is not None
    assert run.evidence.items[0].text == "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"
    assert run.trace.stages[-1].calls >= 1


def test_wrong_parameters() -> None:
    with pytest.raises(PipelineError, match="LLMEmbedder base_url must not hold a name and password"):
        LLMEmbedder(base_url="https://me:secret@host/v1")
    with pytest.raises(PipelineError, match="LLMEmbedder batch must be a whole number of at least 1, got 0; try 64"):
        LLMEmbedder(batch=0)
    with pytest.raises(PipelineError, match="LLMEmbedder model must be a text that is not empty"):
        LLMEmbedder(" ")


def test_the_contract() -> None:
    def script(request: Request) -> str:
        assert request.path == "/v1/embeddings"
        return ""

    with ScriptedLLM(script) as server:
        check_brick(LLMEmbedder(base_url=server.base_url, batch=3), installed=False)
