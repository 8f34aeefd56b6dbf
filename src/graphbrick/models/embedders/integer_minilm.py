"""MiniLM with products of whole numbers: nearly the same vectors in less than half of the time, to learn from.

The weights of the model are int8 as they come. Here the values that they are multiplied with become whole numbers too,
each kind in a fixed range, so that the vector of a text does not depend on the texts beside it. The cosine of a
question's vector with that of `MiniLM` is .991 on average.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from graphbrick.core.session import current_session
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.fused_bert import DOMAIN, GRAPH_WEIGHTS, WEIGHTS_NAME, Products, fused, node
from graphbrick.models.embedders.minilm import HEADS, MAX_TOKENS, MiniLM, bert_tokenizer, weights_file
from graphbrick.models.embedders.protobuf import Field, bytes_field, fields, number_field, texts_of
from graphbrick.models.onnx_providers import providers
from graphbrick.models.onnx_text import OnnxText, open_session

# Least and largest value of the inputs of attention, of its dense layer, and of the next two, for each layer: of 500
# questions about two graphs, and of their words. A value outside is cut off, which changes a vector hardly.
_RANGES = (
    ((-2.66, 6.33), (-3.06, 1.94), (-6.43, 28.47), (-0.17, 24.94)),
    ((-4.65, 8.13), (-2.33, 2.56), (-8.57, 30.30), (-0.17, 20.43)),
    ((-5.31, 7.99), (-2.62, 2.81), (-14.99, 27.66), (-0.17, 17.62)),
    ((-5.03, 9.66), (-2.14, 2.34), (-16.56, 28.80), (-0.17, 13.85)),
    ((-5.51, 10.51), (-2.72, 2.57), (-15.00, 21.61), (-0.17, 8.01)),
    ((-5.25, 9.83), (-3.39, 3.81), (-12.65, 13.49), (-0.17, 5.71)),
)
_FLOAT, _UINT8, _INT64 = 1, 2, 7  # types of tensors
_DATA_TYPE, _RAW_DATA, _DIMENSIONS = 2, 9, 1


@dataclass(frozen=True, repr=False)
class IntegerMiniLM(MiniLM):
    """Cosine similarity of all-MiniLM-L6-v2 embeddings that are computed in whole numbers.

    Returns:
        One score for each text, in [-1, 1].

    Raises:
        ModelError: The extra ``graphbrick[minilm]`` is not installed.
    """

    @property
    def identity(self) -> str:
        """The package of the weights and its version, and that values are whole numbers."""
        return f"{super().identity}, int8 values"

    def load(self) -> OnnxText:
        """Return the loaded model; a session loads it once."""
        return current_session().get(("MiniLM model", "int8 values"), _load)


def _load() -> OnnxText:
    """Load the tokenizer and the model."""
    weights = weights_file()
    session = open_session(weights, "MiniLM", lambda: fused(weights.read_bytes(), HEADS, _IntegerProducts()))
    return OnnxText("MiniLM", bert_tokenizer(), session, MAX_TOKENS)


class _IntegerProducts(Products):
    """Nodes that multiply values with int8 weights, after they have become uint8.

    The weights lose their last bit: many processors add up two products in 16 bits, which the others could overflow.
    """

    def __init__(self) -> None:
        self._ranges = iter([one for layer in _RANGES for one in layer])
        self._matrices: frozenset[str] = frozenset()

    def unused(self, matrices: Sequence[str]) -> frozenset[str]:
        """Return the float32 weights, and what they are made from."""
        self._matrices = frozenset(matrices)
        return frozenset([*matrices, *(f"{name}_f" for name in matrices)])

    def stored(self, part: Field) -> bytes | memoryview:
        """Return a part of the graph, a matrix of weights with half of its values, and its scale doubled."""
        name = texts_of(part.value, WEIGHTS_NAME)[0] if part.number == GRAPH_WEIGHTS else ""
        matrix, _, kind = name.rpartition("_")
        if matrix not in self._matrices:
            return part.whole
        content = [_halved(field, kind) if field.number == _RAW_DATA else field.whole for field in fields(part.value)]
        return bytes_field(GRAPH_WEIGHTS, b"".join(content))

    def attention(self, number: int, values: str, matrices: Sequence[str], bias: str, heads: int) -> Iterator[bytes]:
        """Yield the nodes of the attention of a layer."""
        name = f"weights.{number}"
        yield node("Concat", [f"{matrix}_q" for matrix in matrices], name, axis=1)
        yield node("Concat", [f"{matrix}_scale" for matrix in matrices], f"{name}_scale", axis=1)
        yield from self._rounded(values, name)
        inputs = [f"{name}_values", name, bias, f"{name}_step", f"{name}_flat", "mask", f"{name}_zero"]
        yield node("QAttention", inputs, f"attended.{number}", DOMAIN, num_heads=heads)

    def product(self, values: str, matrix: str, output: str) -> Iterator[bytes]:
        """Yield the nodes of the product of values and a matrix."""
        yield from self._rounded(values, matrix)
        inputs = [f"{matrix}_values", f"{matrix}_q", f"{matrix}_step", f"{matrix}_flat", f"{matrix}_zero"]
        yield node("MatMulIntegerToFloat", inputs, output, DOMAIN)

    def _rounded(self, values: str, matrix: str) -> Iterator[bytes]:
        """Yield the nodes that make the values before a matrix whole numbers, and its scale a vector."""
        least, largest = next(self._ranges)
        step = (largest - least) / 255
        yield _tensor(f"{matrix}_step", _FLOAT, struct.pack("<f", step))
        yield _tensor(f"{matrix}_zero", _UINT8, bytes([round(-least / step)]))
        yield node("QuantizeLinear", [values, f"{matrix}_step", f"{matrix}_zero"], f"{matrix}_values")
        yield _tensor(f"{matrix}_all", _INT64, struct.pack("<q", -1), length=1)
        yield node("Reshape", [f"{matrix}_scale", f"{matrix}_all"], f"{matrix}_flat")


def _halved(field: Field, kind: str) -> bytes:
    """Return the content of a matrix of weights, halved, or of its scale, doubled."""
    if kind == "scale":
        return bytes_field(_RAW_DATA, (2 * np.frombuffer(field.value, dtype="<f4")).tobytes())
    halves = np.rint(np.frombuffer(field.value, dtype=np.int8) / np.float32(2))
    return bytes_field(_RAW_DATA, halves.astype(np.int8).tobytes())


def _tensor(name: str, kind: int, content: bytes, length: int | None = None) -> bytes:
    """Return a constant of a graph: one number, or a vector where a length is given."""
    shape = b"" if length is None else number_field(_DIMENSIONS, length)
    rest = [number_field(_DATA_TYPE, kind), bytes_field(WEIGHTS_NAME, name.encode()), bytes_field(_RAW_DATA, content)]
    return bytes_field(GRAPH_WEIGHTS, shape + b"".join(rest))


def to_learn_from(embedder: Embedder) -> Embedder:
    """Return what makes vectors of questions that are only learned from: nearly those of an embedder, if it is MiniLM.

    On a GPU and by CoreML, which have no such products, it is the embedder itself.
    """
    if type(embedder) is not MiniLM or not embedder.is_installed:
        return embedder
    import onnxruntime

    is_on_processor = len(providers(onnxruntime.get_available_providers())) == 1
    return IntegerMiniLM() if is_on_processor else embedder
