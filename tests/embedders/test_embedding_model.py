from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx_models import INPUTS, write_embedder, write_settings, write_tokenizer

from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.core.trace import Trace, record
from graphbrick.embedders.embedding_model import EmbeddingModel
from graphbrick.files import digests
from graphbrick.models import onnx_text, torch_text
from graphbrick.models.onnx_text import WEIGHTS
from graphbrick.session import Session
from graphbrick.testing import check_brick

TABLE = {
    "kenya": (1.0, 0.0, 0.0),
    "uganda": (0.0, 1.0, 0.0),
    "lake": (0.0, 3.0, 4.0),
    "query": (0.0, 0.0, 1.0),
    "passage": (-1.0, 0.0, 0.0),
    "nothing": (0.0, 0.0, 0.0),
    "nan": (float("nan"), 0.0, 0.0),
    "inf": (float("inf"), 0.0, 0.0),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_embedder(tmp_path / "model", TABLE)
    return tmp_path / "model"


def unit(*vector: float) -> npt.NDArray[np.float64]:
    return np.array(vector) / np.linalg.norm(vector)


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
    ("settings", "said"),
    [
        ({"pooling_mode": "lasttoken"}, "lasttoken"),
        ({"pooling_mode_weightedmean_tokens": True}, "weightedmean"),
        ({"pooling_mode": ["mean", "max"]}, "mean and max"),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}, "cls and mean"),
    ],
)
def test_other_ways_to_join_are_refused(folder: Path, settings: dict[str, Any], said: str) -> None:
    write_settings(folder / "1_Pooling" / "config.json", settings)
    with pytest.raises(ModelError, match=f"joins token vectors by {said}, not by one of mean, cls, max; export"):
        EmbeddingModel(str(folder)).encode(["kenya"])


def test_a_module_that_is_not_in_the_onnx_file_is_refused(folder: Path) -> None:
    kinds = ["base.modules.transformer.Transformer", "models.Pooling", "models.Normalize"]
    write_settings(folder / "modules.json", [{"type": f"sentence_transformers.{kind}"} for kind in kinds])
    assert EmbeddingModel(str(folder)).encode(["kenya"])[0] == pytest.approx([1, 0, 0])
    write_settings(folder / "modules.json", [{"type": f"sentence_transformers.{kind}"} for kind in [*kinds, "m.Dense"]])
    with pytest.raises(ModelError, match="has a module Dense that is not in its ONNX file; export the whole model"):
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
    assert trace.events == [f"{folder} read only the first {most} tokens of 1 long texts"]
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
    with pytest.raises(ModelError, match="a text has at most 2 tokens"):
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


# In ONNX: what is bad


@pytest.mark.parametrize(
    ("word", "what"), [("nothing", "of only zeros"), ("nan", "that is not"), ("inf", "that is not")]
)
def test_a_vector_without_direction_names_its_text(folder: Path, word: str, what: str) -> None:
    with pytest.raises(ModelError, match=f"gave a vector {what}.* for the text '{word}'"):
        EmbeddingModel(str(folder)).encode(["kenya", word, "lake"])


def test_a_text_without_tokens_is_named(tmp_path: Path) -> None:
    write_embedder(tmp_path, TABLE, specials=False)
    with pytest.raises(ModelError, match="of only zeros for the text ''"):
        EmbeddingModel(str(tmp_path)).encode(["kenya", ""])


def test_weights_that_are_no_model(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"version https://git-lfs.github.com/spec/v1")
    with pytest.raises(ModelError, match=r"model\.onnx cannot be loaded as an ONNX model: .*; is it complete\?"):
        EmbeddingModel(str(folder)).encode(["kenya"])


@pytest.mark.parametrize("content", ["", "{}", '{"version": "1.0"', "\0\1"])
def test_a_damaged_tokenizer(folder: Path, content: str) -> None:
    (folder / "tokenizer.json").write_text(content)
    with pytest.raises(ModelError, match=r"tokenizer\.json is damaged or of another format"):
        EmbeddingModel(str(folder)).encode(["kenya"])


@pytest.mark.parametrize(
    ("name", "content"),
    [("sentence_bert_config.json", "{"), ("tokenizer_config.json", "[1]"), ("1_Pooling/config.json", "no"),
     ("modules.json", "{}")],
)  # fmt: skip
def test_damaged_settings(folder: Path, name: str, content: str) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / name).write_text(content)
    with pytest.raises(ModelError, match=f"{name} (is not valid JSON|does not hold a JSON)"):
        EmbeddingModel(str(folder)).encode(["kenya"])


def test_a_tokenizer_of_another_model(folder: Path) -> None:
    write_tokenizer(folder, [*TABLE, "more"])
    with pytest.raises(ModelError, match=r"cannot be run: .*indices"):
        EmbeddingModel(str(folder)).encode(["more"])


@pytest.mark.parametrize("inputs", [("input_ids", "position_ids"), ("attention_mask",), ("pixel_values", *INPUTS)])
def test_a_model_with_other_inputs(tmp_path: Path, inputs: Sequence[str]) -> None:
    write_embedder(tmp_path, TABLE)
    model = onnx.load(tmp_path / "model.onnx")
    kind = onnx.TensorProto.INT64
    del model.graph.input[:]
    model.graph.input.extend(onnx.helper.make_tensor_value_info(n, kind, ["b", "t"]) for n in inputs)
    if "input_ids" not in inputs:
        model.graph.node[0].input[1] = inputs[0]
    onnx.save(model, tmp_path / "model.onnx")
    with pytest.raises(ModelError, match=f"has the inputs .*{inputs[-1]}.*; a text model has input_ids"):
        EmbeddingModel(str(tmp_path)).encode(["kenya"])


def test_a_model_of_numbers(tmp_path: Path) -> None:
    write_embedder(tmp_path, TABLE)
    model = onnx.load(tmp_path / "model.onnx")
    model.graph.input[1].type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    onnx.save(model, tmp_path / "model.onnx")
    with pytest.raises(ModelError, match=r"attention_mask tensor\(float\).*; a text model has"):
        EmbeddingModel(str(tmp_path)).encode(["kenya"])


def test_a_model_that_gives_no_vectors(tmp_path: Path) -> None:
    from onnx_models import write_cross_encoder

    write_cross_encoder(tmp_path, TABLE)
    with pytest.raises(ModelError, match="gives logits, neither sentence_embedding nor a vector for each token"):
        EmbeddingModel(str(tmp_path)).encode(["kenya"])


def test_folders_without_a_model_say_what_is_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"looked for tokenizer\.json with one of model\.onnx, onnx/model\.onnx"):
        EmbeddingModel(str(tmp_path)).encode(["kenya"])
    write_embedder(tmp_path, TABLE)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match="does not hold a text model"):
        EmbeddingModel(str(tmp_path)).encode(["kenya"])


@pytest.mark.parametrize("name", ["/no/such/folder", "./model", "~/no-such-model", "models\\e5", "a/b/c"])
def test_a_folder_that_is_not_there(name: str) -> None:
    with pytest.raises(ModelError, match="there is no folder"):
        EmbeddingModel(name).encode(["kenya"])


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_a_missing_package_is_named(folder: Path, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ModelError, match=rf"needs the package {missing}: pip install 'graphbrick\[minilm\]'"):
        EmbeddingModel(str(folder)).encode(["kenya"])


@pytest.mark.parametrize(("name", "value"), [("model", ""), ("model", 3), ("query_prefix", None), ("text_prefix", 1)])
def test_values_that_are_refused(name: str, value: object) -> None:
    with pytest.raises(PipelineError, match=f"EmbeddingModel {name} must be"):
        EmbeddingModel(**{"model": "a/b", name: value})  # type: ignore[arg-type]


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
    assert len(trace.events) == 1
    assert "was made with the prompts {'query': 'query: '}; give them as query_prefix" in trace.events[0]


# Through sentence-transformers, with a stand-in


class StandIn:
    """What is used of a SentenceTransformer."""

    prompts = {"query": "", "document": ""}
    max_seq_length = 3

    def __init__(self, name: str, local_files_only: bool) -> None:
        if name == "no/such":
            raise OSError("no/such is not a valid model identifier\nmore about it")
        self.made_with, self.asked = (name, local_files_only), []

    def tokenizer(self, texts: list[str], **options: object) -> dict[str, list[list[int]]]:
        assert options == {"padding": False, "truncation": False, "verbose": False}
        return {"input_ids": [[1] * len(text.split()) for text in texts]}

    def encode(self, texts: list[str], **options: object) -> npt.NDArray[np.float32]:
        self.asked.append((texts, options))
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32) * (texts != ["zero"])


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, fresh_session: Session) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=StandIn))
    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(try_to_load_from_cache=lambda *_, **__: None))


@pytest.mark.usefixtures("stand_in")
def test_hub_models_are_asked_without_their_prompts() -> None:
    trace, model = Trace(), EmbeddingModel("org/name", query_prefix="q: ", text_prefix="t: ")
    with record(trace, "model", "rerank") as entry:
        vectors = model.encode(["a b c d", "b"])
    np.testing.assert_allclose(vectors, [unit(10, 1), unit(4, 1)], rtol=0, atol=1e-6)
    opened = torch_text.open_torch("SentenceTransformer", "org/name")
    assert opened.made_with == ("org/name", False)
    ((texts, options),) = opened.asked
    assert texts == ["t: a b c d", "t: b"]
    assert options["prompt"] == ""
    assert options["show_progress_bar"] is False
    assert trace.events == ["org/name read only the first 3 tokens of 1 long texts"]
    assert (entry.calls, entry.tokens_in) == (1, 5)
    assert model.encode_query("x").tolist() == pytest.approx(unit(4, 1))
    assert opened.asked[1][0] == ["q: x"]
    assert model.identity == "hub org/name of unknown revision, text_prefix='t: '"


@pytest.mark.usefixtures("stand_in")
def test_a_folder_of_torch_weights_is_not_looked_for_at_the_hub(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    model = EmbeddingModel(str(tmp_path))
    model.encode(["a"])
    assert torch_text.open_torch("SentenceTransformer", str(tmp_path)).made_with == (str(tmp_path), True)
    first = model.identity
    assert hashlib.sha256(hashlib.sha256(b"weights").hexdigest().encode()).hexdigest() in first
    (tmp_path / "config.json").write_text("{}")
    assert model.identity != first


@pytest.mark.usefixtures("stand_in")
def test_what_the_hub_refuses_is_one_line() -> None:
    with pytest.raises(ModelError) as caught:
        EmbeddingModel("no/such").encode(["a"])
    assert str(caught.value) == (
        "sentence-transformers cannot load no/such: no/such is not a valid model identifier; "
        "is that a name of the hub, and can it be reached?"
    )


@pytest.mark.usefixtures("stand_in")
def test_a_zero_vector_of_torch_names_its_text_too() -> None:
    with pytest.raises(ModelError, match="org/name gave a vector of only zeros for the text 'zero'"):
        EmbeddingModel("org/name").encode(["zero"])


@pytest.mark.usefixtures("fresh_session")
def test_missing_sentence_transformers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError, match=r"org/name needs the package sentence_transformers: .*'graphbrick\[torch\]'"):
        EmbeddingModel("org/name").score("a", ["b"])


# Through sentence-transformers itself

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model with random weights, as sentence-transformers saves it."""
    import sentence_transformers as library
    import torch
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("torch")
    write_tokenizer(folder / "bert", list(TABLE))
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    file = str(folder / "bert" / "tokenizer.json")
    PreTrainedTokenizerFast(tokenizer_file=file, model_max_length=16, **names).save_pretrained(folder / "bert")
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=4 + len(TABLE), max_position_embeddings=32, **sizes)).save_pretrained(
        folder / "bert"
    )
    library.SentenceTransformer(str(folder / "bert")).save(str(folder / "model"))
    return folder / "model"


@pytest.mark.models
@pytest.mark.filterwarnings("default")
def test_equals_sentence_transformers(bert: Path) -> None:
    from sentence_transformers import SentenceTransformer

    texts = ["kenya uganda", "lake", "", "kenya " * 40, "passage: lake"]
    assert EmbeddingModel(str(bert)).encode(["lake \ud800"]).shape == (1, 16)
    expected = SentenceTransformer(str(bert)).encode(texts, normalize_embeddings=True)
    trace, model = Trace(), EmbeddingModel(str(bert))
    with record(trace, "model", "rerank") as entry:
        np.testing.assert_allclose(model.encode(texts), expected, rtol=0, atol=1e-6)
    assert trace.events == [f"{bert} read only the first 16 tokens of 1 long texts"]
    assert (entry.calls, entry.tokens_in) == (1, 4 + 3 + 2 + 16 + 5)
    marked = EmbeddingModel(str(bert), query_prefix="passage: ")
    np.testing.assert_allclose(marked.encode_query("lake"), expected[4], rtol=0, atol=1e-6)
    check_brick(model, installed=False)


@pytest.mark.models
def test_a_hub_model_in_the_cache_is_known_by_its_commit(bert: Path, tmp_path: Path) -> None:
    kept = tmp_path / "hub" / "models--tiny--bert"
    write_settings(kept / "refs" / "main", 0)
    (kept / "refs" / "main").write_text(COMMIT)
    (kept / "snapshots").mkdir()
    (kept / "snapshots" / COMMIT).symlink_to(bert)
    code = "from graphbrick.embedders.embedding_model import EmbeddingModel as M; print(M('tiny/bert').identity)"
    places = {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "PATH": "", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=places, capture_output=True, text=True, check=False)
    assert done.stdout == f"hub tiny/bert {COMMIT}, text_prefix=''\n", done.stderr
