"""Folders, files and texts that an embedding model cannot work with."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import onnx
import pytest
from faults import fails
from onnx_models import INPUTS, write_embedder, write_tokenizer
from word_vectors import TABLE

from graphbrick.core.errors import ModelError
from graphbrick.models.embedders.embedding_model import EmbeddingModel


@pytest.mark.parametrize(("word", "is_zero"), [("nothing", True), ("nan", False), ("inf", False)])
def test_a_vector_without_direction_names_its_text(folder: Path, word: str, is_zero: bool) -> None:
    with fails("onnx.no_direction", text=word, is_zero=is_zero):
        EmbeddingModel(str(folder)).encode(["kenya", word, "lake"])


def test_a_text_without_tokens_is_named(tmp_path: Path) -> None:
    write_embedder(tmp_path, TABLE, specials=False)
    with fails("onnx.no_direction", text="", is_zero=True):
        EmbeddingModel(str(tmp_path)).encode(["kenya", ""])


def test_weights_that_are_no_model(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"version https://git-lfs.github.com/spec/v1")
    with fails("onnx.unreadable", weights="model.onnx"):
        EmbeddingModel(str(folder)).encode(["kenya"])


@pytest.mark.parametrize("content", ["", "{}", '{"version": "1.0"', "\0\1"])
def test_a_damaged_tokenizer(folder: Path, content: str) -> None:
    (folder / "tokenizer.json").write_text(content)
    with fails("onnx.damaged_tokenizer"):
        EmbeddingModel(str(folder)).encode(["kenya"])


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("sentence_bert_config.json", "{", "onnx.not_json"),
        ("tokenizer_config.json", "[1]", "onnx.wrong_json"),
        ("1_Pooling/config.json", "no", "onnx.not_json"),
        ("modules.json", "{}", "onnx.wrong_json"),
    ],
)
def test_damaged_settings(folder: Path, name: str, content: str, code: str) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / name).write_text(content)
    with fails(code, file=Path(name).name):
        EmbeddingModel(str(folder)).encode(["kenya"])


@pytest.mark.parametrize(
    ("name", "content", "code", "values"),
    [
        ("modules.json", '["Dense"]', "embedding_model.extra_module", {"module": "Dense"}),
        ("1_Pooling/config.json", '{"pooling_mode": 5}', "embedding_model.unknown_pooling", {"modes": ["5"]}),
        (
            "1_Pooling/config.json",
            '{"pooling_mode": [5, null]}',
            "embedding_model.unknown_pooling",
            {"modes": ["5", "None"]},
        ),
    ],
)
def test_settings_of_other_types(folder: Path, name: str, content: str, code: str, values: dict[str, object]) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / name).write_text(content)
    with fails(code, **values):
        EmbeddingModel(str(folder)).encode(["kenya"])


def test_prompts_of_another_type_are_none(folder: Path) -> None:
    (folder / "config_sentence_transformers.json").write_text('{"prompts": 5}')
    assert EmbeddingModel(str(folder)).encode_query("kenya").shape


def test_a_tokenizer_of_another_model(folder: Path) -> None:
    write_tokenizer(folder, [*TABLE, "more"])
    with fails("onnx.cannot_run"):
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
    with fails("onnx.wrong_inputs"):
        EmbeddingModel(str(tmp_path)).encode(["kenya"])


def test_a_model_of_numbers(tmp_path: Path) -> None:
    write_embedder(tmp_path, TABLE)
    model = onnx.load(tmp_path / "model.onnx")
    model.graph.input[1].type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    onnx.save(model, tmp_path / "model.onnx")
    with fails("onnx.wrong_inputs"):
        EmbeddingModel(str(tmp_path)).encode(["kenya"])


def test_a_model_that_gives_no_vectors(tmp_path: Path) -> None:
    from onnx_models import write_cross_encoder

    write_cross_encoder(tmp_path, TABLE)
    with fails("onnx.wrong_outputs", outputs={"logits": 2}):
        EmbeddingModel(str(tmp_path)).encode(["kenya"])


def test_folders_without_a_model_say_what_is_looked_for(tmp_path: Path) -> None:
    with fails("onnx.no_model"):
        EmbeddingModel(str(tmp_path)).encode(["kenya"])
    write_embedder(tmp_path, TABLE)
    (tmp_path / "tokenizer.json").unlink()
    with fails("onnx.no_model"):
        EmbeddingModel(str(tmp_path)).encode(["kenya"])


@pytest.mark.parametrize("name", ["/no/such/folder", "./model", "~/no-such-model", "models\\e5", "a/b/c"])
def test_a_folder_that_is_not_there(name: str) -> None:
    with fails("onnx.no_folder", folder=name):
        EmbeddingModel(name).encode(["kenya"])


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_a_missing_package_is_named(folder: Path, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ModelError, match=rf"needs the package {missing}: pip install 'graphbrick\[minilm\]'"):
        EmbeddingModel(str(folder)).encode(["kenya"])


@pytest.mark.parametrize(("name", "value"), [("model", ""), ("model", 3), ("query_prefix", None), ("text_prefix", 1)])
def test_values_that_are_refused(name: str, value: object) -> None:
    with fails("parameter.not_allowed", brick="EmbeddingModel", name=name):
        EmbeddingModel(**{"model": "a/b", name: value})  # type: ignore[arg-type]
