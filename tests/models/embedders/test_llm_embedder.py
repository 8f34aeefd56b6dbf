from __future__ import annotations

import json

import numpy as np
import pytest
from faults import fails, told

from graphbrick import Rerank, ShortestPaths
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
    assert (entry.calls, told(entry.events)) == (1, [("llm_embedder.tokens_estimated", {})])


@pytest.mark.parametrize(
    ("reply", "code", "values"),
    [
        (data([1, 0]), "llm_embedder.wrong_number", {"vectors": 1, "texts": 2}),
        (data([1, 0], [1, 0], [1, 0]), "llm_embedder.wrong_number", {"vectors": 3, "texts": 2}),
        (
            Reply(body='{"data": [{"index": 1, "embedding": [1]}, {"index": 1, "embedding": [1]}]}'),
            "llm_embedder.wrong_number",
            {"vectors": 2},
        ),
        (data([1, 0], [1, 0, 0]), "llm_embedder.not_vectors", {}),
        (data(["a"], ["b"]), "llm_embedder.not_vectors", {}),
        (data([], []), "llm_embedder.wrong_shape", {"shape": (2, 0)}),
        (data(None, None), "llm_embedder.wrong_shape", {"shape": (2,)}),
        (data([1, 0], [0, 0]), "llm_embedder.no_direction", {"text": "b"}),
        (data([1, 0], [float("nan"), 1]), "llm_embedder.no_direction", {"text": "b"}),
        (data([float("inf"), 0], [1, 0]), "llm_embedder.no_direction", {"text": "a"}),
        (Reply(body="[]"), "llm_embedder.no_embeddings", {}),
        (Reply(body='{"data": 5}'), "llm_embedder.no_embeddings", {}),
        (Reply(body='{"data": [5, 6]}'), "llm_embedder.no_embeddings", {}),
        (Reply(body="<html></html>", content_type="text/html"), "llm_embedder.no_embeddings", {}),
        (Reply(body='{"data": []}'), "server.unreadable_reply", {}),
        (Reply(body="{nope"), "server.unreadable_reply", {}),
        (Reply("no such model", status=404), "server.refused", {"status": 404}),
        (Reply(f"wrong {KEY}", status=401), "server.key_refused", {"has_key": False}),
        (Reply(f"wrong {KEY}", status=400), "server.refused", {"status": 400}),
    ],
)
def test_a_fault(reply: Reply, code: str, values: dict[str, object]) -> None:
    with ScriptedLLM([reply]) as server, fails(code, **values) as caught:
        LLMEmbedder(base_url=server.base_url).encode(["a", "b"])
    assert KEY not in str(caught.value)


def test_vectors_of_two_sizes() -> None:

    with ScriptedLLM([data([1, 0]), data([1, 0, 0])]) as server, fails("llm_embedder.other_dimensions", sizes=[2, 3]):
        LLMEmbedder(base_url=server.base_url, batch=1).encode(["a", "b"])


def test_no_server_and_one_that_is_late(monkeypatch: pytest.MonkeyPatch) -> None:

    with ScriptedLLM([Reply(delay=30)]) as server, fails("server.timeout", seconds=0.1):
        LLMEmbedder(base_url=server.base_url, timeout=0.1).encode(["a"])
    monkeypatch.delenv("OPENAI_API_KEY")
    with fails("server.no_model", wanted="embedding model"):
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
    with fails("server.password"):
        LLMEmbedder(base_url="https://me:secret@host/v1")
    with fails("parameter.not_allowed", name="batch", value="0", example="64"):
        LLMEmbedder(batch=0)
    with fails("parameter.not_allowed", brick="LLMEmbedder", name="model"):
        LLMEmbedder(" ")


def test_the_contract() -> None:
    def script(request: Request) -> str:
        assert request.path == "/v1/embeddings"
        return ""

    with ScriptedLLM(script) as server:
        check_brick(LLMEmbedder(base_url=server.base_url, batch=3), installed=False)
