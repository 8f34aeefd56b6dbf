"""Tiny text models in ONNX, whose outputs are known, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
Table = Mapping[str, Sequence[float]]


def write_tokenizer(folder: Path, words: Sequence[str], *, specials: bool = True, pad: int | None = None) -> None:
    """A tokenizer that knows these words, after the special tokens, in lower case.

    Args:
        folder: Where ``tokenizer.json`` goes.
        words: The vocabulary.
        specials: Whether [CLS] and [SEP] are put around a text.
        pad: The padding token that the file names; None for a file without padding.
    """
    vocabulary = {word: i for i, word in enumerate((*SPECIALS, *words))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    if specials:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    if pad is not None:
        tokenizer.enable_padding(pad_id=pad, pad_token=(*SPECIALS, *words)[pad], length=40)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))


def write_embedder(
    folder: Path,
    table: Table,
    *,
    weights: str = "model.onnx",
    inputs: Sequence[str] = INPUTS,
    output: str = "last_hidden_state",
    specials: bool = True,
    pad: int | None = None,
    integers: int = TensorProto.INT64,
) -> Path:
    """A model that gives the row of each token: [PAD] is far off, [UNK], [CLS] and [SEP] are zero.

    With the output ``sentence_embedding`` it gives the sum of the rows of a text, [PAD] left out.
    """
    size = len(next(iter(table.values())))
    rows = np.array([[1000.0] * size, *([[0.0] * size] * 3), *table.values()], dtype=np.float32)
    hidden = [helper.make_node("Gather", ["table", "input_ids"], ["hidden"])]
    if output == "sentence_embedding":
        nodes, shape = [*hidden, *_masked_sum("hidden", output)], ["batch", size]
    else:
        nodes, shape = [*hidden, helper.make_node("Identity", ["hidden"], [output])], ["batch", "tokens", size]
    write_tokenizer(folder, list(table), specials=specials, pad=pad)
    return _write(folder / weights, nodes, rows, inputs, (output, shape), integers)


def write_cross_encoder(folder: Path, table: Table, *, output: str = "logits", specials: bool = True) -> Path:
    """A model whose logits are the sum of the rows of the query and eleven times those of the text."""
    size = len(next(iter(table.values())))
    rows = np.array([[1000.0] * size, *([[0.0] * size] * 3), *table.values()], dtype=np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["hidden"]),
        helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["types", "ten"], ["tenfold"]),
        helper.make_node("Add", ["tenfold", "one"], ["factor"]),
        helper.make_node("Unsqueeze", ["factor", "last"], ["factors"]),
        helper.make_node("Mul", ["hidden", "factors"], ["weighted"]),
        *_masked_sum("weighted", output),
    ]
    write_tokenizer(folder, list(table), specials=specials)
    return _write(folder / "model.onnx", nodes, rows, INPUTS, (output, ["batch", size]), TensorProto.INT64)


def write_settings(file: Path, settings: object) -> None:
    """One of the JSON files of a model."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings), encoding="utf-8")


def _masked_sum(name: str, output: str) -> list[onnx.NodeProto]:
    return [
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["masks"]),
        helper.make_node("Mul", [name, "masks"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "tokens_axis"], [output], keepdims=0),
    ]


def _write(
    file: Path,
    nodes: list[onnx.NodeProto],
    rows: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    inputs: Sequence[str],
    output: tuple[str, Sequence[str | int]],
    integers: int,
) -> Path:
    constants = {
        "table": rows,
        "ten": np.float32(10),
        "one": np.float32(1),
        "last": np.array([2], dtype=np.int64),
        "tokens_axis": np.array([1], dtype=np.int64),
    }
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, integers, ["batch", "tokens"]) for name in inputs],
        [helper.make_tensor_value_info(output[0], TensorProto.FLOAT, output[1])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.checker.check_model(model)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(model.SerializeToString())
    return file
