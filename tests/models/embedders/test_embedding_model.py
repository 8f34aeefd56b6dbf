"""Embedding models in ONNX: vectors, tokens and identity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from faults import fails, told
from onnx_models import INPUTS, write_embedder, write_settings
from word_vectors import TABLE, unit

from graphbrick.core.files import digests
from graphbrick.core.trace import Trace, record
from graphbrick.models import onnx_text
from graphbrick.models.embedders.embedding_model import EmbeddingModel
from graphbrick.models.onnx_text import WEIGHTS
from graphbrick.testing import check_brick

# In ONNX: vectors


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("inputs", [INPUTS, INPUTS[:2], INPUTS[:1]])
def test_known_vectors_and_cosines(tmp_path: Path, weights: str, inputs: Sequence[str]) -> None:
    write_embedder(tmp_path, TABLE, weights=weights, inputs=inputs)
    model = EmbeddingModel(str(tmp_path))
    vectors = model.encode(["Kenya", "lake", "kenya uganda", "uganda lake"])
    assert vectors.dtype == np.float32
    expected = [unit(1, 0, 0), unit(0, 3, 4), unit(1, 1, 0), unit(0, 4, 4)]
    np.testing.assert_allclose(vectors, expected, rtol=0, atol=1e-6)
    scores = model.score("uganda", ["kenya", "lake", "uganda", "kenya uganda"])
    np.testing.assert_allclose(scores, [0, 0.6, 1, 0.5**0.5], rtol=0, atol=1e-3)  # stored in half precision


def test_contract(tmp_path: Path) -> None:
    # The model knows no word of the contract's texts, so that all its vectors but those of the prefixes are zero.
    write_embedder(tmp_path, TABLE)
    with pytest.raises(AssertionError, match="of only zeros for the text 'Which currency"):
        check_brick(EmbeddingModel(str(tmp_path)), installed=False)
    check_brick(EmbeddingModel(str(tmp_path), query_prefix="kenya ", text_prefix="lake "), installed=False)


def test_padding_does_not_count(folder: Path) -> None:
    texts = ["kenya", "lake " * 20, "kenya uganda", *["uganda " * n for n in range(1, 60)]]
    together = EmbeddingModel(str(folder)).encode(texts)
    alone = np.vstack([EmbeddingModel(str(folder)).encode([text]) for text in texts])
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-6)
    np.testing.assert_allclose(together[:3], [unit(1, 0, 0), unit(0, 3, 4), unit(1, 1, 0)], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"pooling_mode": "mean"}, unit(1, 3, 4)),
        ({"pooling_mode": ["mean"], "include_prompt": True}, unit(1, 3, 4)),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, unit(1, 3, 4)),
        ({}, unit(1, 3, 4)),
        (None, unit(1, 3, 4)),
        ({"pooling_mode": "cls"}, unit(1, 0, 0)),
        ({"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True}, unit(1, 0, 0)),
        ({"pooling_mode": "max"}, unit(1, 3, 4)),
        ({"pooling_mode_max_tokens": True}, unit(1, 3, 4)),
    ],
)
def test_token_vectors_are_joined_as_the_folder_says(
    tmp_path: Path, settings: dict[str, Any] | None, expected: npt.NDArray[np.float64]
) -> None:
    write_embedder(tmp_path, TABLE, specials=False)
    if settings is not None:
        write_settings(tmp_path / "1_Pooling" / "config.json", settings)
    # The third text makes the others shorter than the batch.
    vectors = EmbeddingModel(str(tmp_path)).encode(["kenya lake", "passage", "uganda uganda uganda uganda"])
    np.testing.assert_allclose(vectors, [expected, unit(-1, 0, 0), unit(0, 1, 0)], rtol=0, atol=1e-6)


def test_max_pooling_differs_from_the_mean(tmp_path: Path) -> None:
    write_embedder(tmp_path, TABLE, specials=False)
    write_settings(tmp_path / "1_Pooling" / "config.json", {"pooling_mode": "max"})
    vectors = EmbeddingModel(str(tmp_path)).encode(["lake uganda uganda", "kenya kenya lake"])
    np.testing.assert_allclose(vectors, [unit(0, 3, 4), unit(1, 3, 4)], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "modes"),
    [
        ({"pooling_mode": "lasttoken"}, ["lasttoken"]),
        ({"pooling_mode_weightedmean_tokens": True}, ["weightedmean"]),
        ({"pooling_mode": ["mean", "max"]}, ["mean", "max"]),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}, ["cls", "mean"]),
    ],
)
def test_other_ways_to_join_are_refused(folder: Path, settings: dict[str, Any], modes: list[str]) -> None:
    write_settings(folder / "1_Pooling" / "config.json", settings)
    with fails("embedding_model.unknown_pooling", modes=modes):
        EmbeddingModel(str(folder)).encode(["kenya"])


def test_a_module_that_is_not_in_the_onnx_file_is_refused(folder: Path) -> None:
    kinds = ["base.modules.transformer.Transformer", "models.Pooling", "models.Normalize"]
    write_settings(folder / "modules.json", [{"type": f"sentence_transformers.{kind}"} for kind in kinds])
    assert EmbeddingModel(str(folder)).encode(["kenya"])[0] == pytest.approx([1, 0, 0])
    write_settings(folder / "modules.json", [{"type": f"sentence_transformers.{kind}"} for kind in [*kinds, "m.Dense"]])
    with fails("embedding_model.extra_module", module="Dense"):
        EmbeddingModel(str(folder)).encode(["kenya"])


def test_sentence_vectors_are_taken_as_they_are(tmp_path: Path) -> None:
    write_embedder(tmp_path, TABLE, output="sentence_embedding")
    write_settings(tmp_path / "1_Pooling" / "config.json", {"pooling_mode": "lasttoken"})
    write_settings(tmp_path / "modules.json", [{"type": "sentence_transformers.models.Dense"}])
    vectors = EmbeddingModel(str(tmp_path)).encode(["kenya", "uganda lake uganda"])
    np.testing.assert_allclose(vectors, [unit(1, 0, 0), unit(0, 5, 4)], rtol=0, atol=1e-6)


def test_prefixes_mark_questions_and_texts(folder: Path) -> None:
    model = EmbeddingModel(str(folder), query_prefix="query: ", text_prefix="passage: ")
    np.testing.assert_allclose(model.encode(["uganda"]), [unit(-1, 1, 0)], rtol=0, atol=1e-6)
    np.testing.assert_allclose(model.encode_query("uganda"), unit(0, 1, 1), rtol=0, atol=1e-6)
    assert model.score("uganda", ["uganda"])[0] == pytest.approx(0.5, abs=1e-3)


def test_whole_numbers_of_32_bits(tmp_path: Path) -> None:
    write_embedder(tmp_path, TABLE, integers=onnx.TensorProto.INT32)
    assert EmbeddingModel(str(tmp_path)).encode(["kenya"])[0] == pytest.approx([1, 0, 0])


# In ONNX: tokens


def ids_of_batch(folder: Path, texts: list[str]) -> npt.NDArray[np.int64]:
    """What the model is fed, [texts, tokens], in order of length."""
    model = onnx_text.load(str(folder), folder / "model.onnx")
    return model._arrays(model._encode(texts))["input_ids"]


@pytest.mark.parametrize(
    ("pad", "settings", "expected"),
    [(None, None, 0), (1, None, 1), (None, {"pad_token": "[SEP]"}, 3), (None, {"pad_token": {"content": "[UNK]"}}, 1)],
)
def test_the_padding_is_that_of_the_tokenizer(
    tmp_path: Path, pad: int | None, settings: dict[str, Any] | None, expected: int
) -> None:
    write_embedder(tmp_path, TABLE, pad=pad)
    if settings is not None:
        write_settings(tmp_path / "tokenizer_config.json", settings)
    ids = ids_of_batch(tmp_path, ["kenya", "lake lake lake"])
    assert ids.tolist() == [[2, 4, 3, expected, expected], [2, 6, 6, 6, 3]]


@pytest.mark.parametrize(
    ("files", "most"),
    [
        ({}, 512),
        ({"sentence_bert_config.json": {"max_seq_length": 20}}, 20),
        ({"sentence_bert_config.json": {"max_seq_length": 20}, "tokenizer_config.json": {"model_max_length": 30}}, 20),
        (
            {"sentence_bert_config.json": {"max_seq_length": None}, "tokenizer_config.json": {"model_max_length": 30}},
            30,
        ),
        ({"tokenizer_config.json": {"model_max_length": 1e30}}, 512),
        ({"sentence_bert_config.json": {"max_seq_length": 8192}}, 512),
    ],
)
def test_long_texts_are_cut_and_that_is_an_event(folder: Path, files: dict[str, Any], most: int) -> None:
    for name, settings in files.items():
        write_settings(folder / name, settings)
    trace, model = Trace(), EmbeddingModel(str(folder))
    with record(trace, "model", "rerank") as entry:
        vectors = model.encode(["kenya " * (most - 2) + "lake " * 600, "kenya " * (most - 2), "lake"])
    np.testing.assert_allclose(vectors, [unit(1, 0, 0), unit(1, 0, 0), unit(0, 3, 4)], rtol=0, atol=1e-6)
    assert told(trace.events) == [("onnx.texts_cut", {"model": str(folder), "tokens": most, "cut": 1})]
    assert entry.tokens_in == 2 * most + 3


def test_the_limit_in_the_tokenizer_file_is_kept(folder: Path) -> None:
    file = folder / "tokenizer.json"
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.enable_truncation(max_length=10)
    tokenizer.save(str(file))
    assert ids_of_batch(folder, ["lake " * 30]).shape == (1, 10)


def test_a_limit_that_holds_no_text_is_refused(folder: Path) -> None:
    write_settings(folder / "tokenizer_config.json", {"model_max_length": 2})
    with fails("onnx.short_texts", tokens=2):
        EmbeddingModel(str(folder)).encode(["kenya"])


def test_batches_are_small_and_counted(folder: Path) -> None:
    trace = Trace()
    with record(trace, "model", "rerank") as entry:
        vectors = EmbeddingModel(str(folder)).encode([f"kenya {'lake ' * (i % 100)}" for i in range(300)])
    assert vectors.shape == (300, 3)
    assert entry.tokens_in == sum(3 + i % 100 for i in range(300))
    assert entry.tokens_in / 1024 < entry.calls < 2 * entry.tokens_in / 1024


def test_lone_surrogates_are_read(folder: Path) -> None:
    assert EmbeddingModel(str(folder)).encode(["kenya \ud800"])[0] == pytest.approx([1, 0, 0])


# Identity


def test_identity_tells_models_apart(tmp_path: Path) -> None:
    def identity(name: str, **parameters: str) -> str:
        return EmbeddingModel(str(tmp_path / name), **parameters).identity

    write_embedder(tmp_path / "one", TABLE)
    write_embedder(tmp_path / "same", TABLE, weights="onnx/model.onnx")
    write_embedder(tmp_path / "weights", {**TABLE, "kenya": (1.0, 0.0, 0.1)})
    write_embedder(tmp_path / "tokens", TABLE, specials=False)
    write_embedder(tmp_path / "pooling", TABLE)
    write_settings(tmp_path / "pooling" / "1_Pooling" / "config.json", {"pooling_mode": "cls"})
    write_embedder(tmp_path / "length", TABLE)
    write_settings(tmp_path / "length" / "tokenizer_config.json", {"model_max_length": 64})
    assert identity("one") == identity("same") == identity("one", query_prefix="query: ")
    others = [identity(name) for name in ("one", "weights", "tokens", "pooling", "length")]
    assert len({*others, identity("one", text_prefix="passage: ")}) == 6
    assert identity("one").endswith(" mean of 512 tokens, text_prefix=''")


def test_identity_covers_the_pieces_of_large_weights(folder: Path) -> None:
    (folder / "model.onnx_data").write_bytes(b"1")
    first = EmbeddingModel(str(folder)).identity
    (folder / "model.onnx_data").write_bytes(b"22")
    assert EmbeddingModel(str(folder)).identity != first


def test_changed_files_are_read_again(folder: Path) -> None:
    model = EmbeddingModel(str(folder))
    before = model.identity, model.encode(["lake"])[0].tolist()
    write_embedder(folder, {**TABLE, "lake": (1.0, 0.0, 0.0), "further": (1.0, 1.0, 1.0)})
    assert model.encode(["lake"])[0] == pytest.approx([1, 0, 0])
    assert model.identity != before[0]


def test_a_model_is_loaded_and_summed_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Path] = []
    monkeypatch.setattr(onnx_text, "open_session", _noted(calls, onnx_text.open_session))
    monkeypatch.setattr(digests, "sha256", _noted(calls, digests.sha256))
    for _ in range(3):
        assert EmbeddingModel(str(folder)).identity
        EmbeddingModel(str(folder), text_prefix="lake ").encode(["kenya"])
    assert calls == [folder / "model.onnx", folder / "model.onnx", folder / "tokenizer.json"]


def _noted(calls: list[Path], function: Callable[..., Any]) -> Callable[..., Any]:
    def call(file: Path, *rest: object) -> Any:
        calls.append(file)
        return function(file, *rest)

    return call


def test_prompts_in_the_files_are_an_event(folder: Path) -> None:
    write_settings(folder / "config_sentence_transformers.json", {"prompts": {"query": "query: ", "document": ""}})
    trace = Trace()
    with record(trace, "model", "rerank"):
        EmbeddingModel(str(folder)).encode_query("kenya")
        EmbeddingModel(str(folder), query_prefix="query: ").encode_query("kenya")
    assert told(trace.events) == [("embedding_model.has_prompts", {"prompts": {"query": "query: "}})]
