"""A BERT encoder in ONNX whose attention is one operator: the same vectors, passages a tenth faster.

A file of torch's exporter spells attention and activation out in some thirty operators, which onnxruntime joins only in
part. Here those after the embeddings are replaced by operators that onnxruntime has for BERT; the weights stay.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from graphbrick.models.embedders.protobuf import (
    FIXED32,
    Field,
    bytes_field,
    bytes_opening,
    fields,
    number_field,
    texts_of,
    varint,
)

# Numbers of fields in onnx.proto.
MODEL_GRAPH, _MODEL_OPERATORS = 7, 8
_GRAPH_NODE, GRAPH_WEIGHTS = 1, 5
_NODE_INPUT, _NODE_OUTPUT, _NODE_TYPE, _NODE_ATTRIBUTE, _NODE_DOMAIN = 1, 2, 4, 5, 7
WEIGHTS_NAME = 8

_FLOAT, _INT = 1, 2  # types of attributes
_INT32 = 6  # type of a tensor
DOMAIN = "com.microsoft"
_EPSILON = 1e-12


def fused(model: bytes, heads: int, products: Products | None = None) -> bytes:
    """Return a model that gives the same output with joined operators.

    Args:
        model: A BERT encoder, as torch exports it, whose weights are int8 with a scale.
        heads: Number of attention heads.
        products: How values are multiplied with the weights; None for float32.
    """
    products = products or Products()
    parts = list(fields(model))
    graph = list(fields(next(part.value for part in parts if part.number == MODEL_GRAPH)))
    names = {texts_of(part.value, WEIGHTS_NAME)[0] for part in graph if part.number == GRAPH_WEIGHTS}
    nodes = [part for part in graph if part.number == _GRAPH_NODE]
    types = [texts_of(node.value, _NODE_TYPE)[0] for node in nodes]
    first = types.index("LayerNormalization")  # of the embeddings; weights become float32 before it
    second_inputs = [
        texts_of(node.value, _NODE_INPUT)[1] for node, kind in zip(nodes, types, strict=True) if kind == "MatMul"
    ]
    matrices = [name for name in second_inputs if f"{name}_q" in names]
    start, output = (texts_of(nodes[place].value, _NODE_OUTPUT)[0] for place in (first, -1))
    content = [
        *_embeddings(nodes[: first + 1], names, products.unused(matrices)),
        *_layers(matrices, start, output, heads, products),
        *(products.stored(part) for part in graph if part.number != _GRAPH_NODE),
    ]
    operators = bytes_field(1, DOMAIN.encode()) + number_field(2, 1)
    rest = [part.whole for part in parts if part.number != MODEL_GRAPH]
    opening = bytes_opening(MODEL_GRAPH, sum(map(len, content)))
    return b"".join([*rest, bytes_field(_MODEL_OPERATORS, operators), opening, *content])  # the weights, copied once


class Products:
    """Nodes that multiply values with the weights of a layer, in float32."""

    def unused(self, matrices: Sequence[str]) -> frozenset[str]:
        """Return the values before the layers that the products do not need."""
        return frozenset()

    def stored(self, part: Field) -> bytes | memoryview:
        """Return a part of the graph that is no node, such as a weight, as it is written."""
        return part.whole

    def attention(self, number: int, values: str, matrices: Sequence[str], bias: str, heads: int) -> Iterator[bytes]:
        """Yield the nodes of the attention of a layer, whose output is called «attended.» and its number.

        Args:
            number: The layer.
            values: The input.
            matrices: The weights of query, key and value.
            bias: The biases of all three.
            heads: Number of heads.
        """
        yield node("Concat", matrices, f"weights.{number}", axis=1)
        inputs = [values, f"weights.{number}", bias, "mask"]
        yield node("Attention", inputs, f"attended.{number}", DOMAIN, num_heads=heads)

    def product(self, values: str, matrix: str, output: str) -> Iterator[bytes]:
        """Yield the nodes of the product of values and a matrix."""
        yield node("MatMul", [values, matrix], output)


def _embeddings(nodes: Sequence[Field], names: set[str], unused: frozenset[str]) -> Iterator[bytes | memoryview]:
    """Yield the nodes before the layers. Rows of an int8 table become float32 when a text needs them, not the table."""
    kinds = [(node, texts_of(node.value, _NODE_TYPE)[0], texts_of(node.value, _NODE_INPUT)) for node in nodes]
    tables = {inputs[0] for _, kind, inputs in kinds if kind == "Gather" and f"{inputs[0]}_q" in names}
    unused |= tables | {f"{table}_f" for table in tables}
    for old, kind, inputs in kinds:
        output = texts_of(old.value, _NODE_OUTPUT)[0]
        if kind == "Gather" and inputs[0] in tables:
            table, rows = inputs
            yield node("Gather", [f"{table}_q", rows], f"{output}_q", axis=0)
            yield node("Gather", [f"{table}_scale", rows], f"{output}_scale", axis=0)
            yield node("Cast", [f"{output}_q"], f"{output}_f", to=_FLOAT)
            yield node("Mul", [f"{output}_f", f"{output}_scale"], output)
        elif output not in unused:
            yield old.whole


def _layers(matrices: Sequence[str], start: str, output: str, heads: int, products: Products) -> Iterator[bytes]:
    """Yield the nodes of all layers; the matrices of a layer are those of query, key, value, and three dense ones."""
    yield node("Cast", ["attention_mask"], "mask", to=_INT32)
    before = start
    for number in range(len(matrices) // 6):
        layer = f"inner.encoder.layer.{number}"
        own, dense = matrices[6 * number : 6 * number + 3], matrices[6 * number + 3 : 6 * number + 6]
        biases = [f"{layer}.attention.self.{part}.bias" for part in ("query", "key", "value")]
        yield node("Concat", biases, f"biases.{number}", axis=0)
        yield from products.attention(number, before, own, f"biases.{number}", heads)
        yield from products.product(f"attended.{number}", dense[0], f"joined.{number}")
        middle = f"middle.{number}"
        yield _sum_node(f"joined.{number}", before, f"{layer}.attention.output", middle)
        yield from products.product(middle, dense[1], f"wide.{number}")
        wide = [f"wide.{number}", f"{layer}.intermediate.dense.bias"]
        yield node("BiasGelu", wide, f"active.{number}", DOMAIN)
        yield from products.product(f"active.{number}", dense[2], f"narrow.{number}")
        after = output if number == len(matrices) // 6 - 1 else f"after.{number}"
        yield _sum_node(f"narrow.{number}", middle, f"{layer}.output", after)
        before = after


def _sum_node(new: str, before: str, part: str, output: str) -> bytes:
    """Return the node that adds new values and a bias to those before, and normalises the sum."""
    weights = [f"{part}.LayerNorm.weight", f"{part}.LayerNorm.bias", f"{part}.dense.bias"]
    return node("SkipLayerNormalization", [new, before, *weights], output, DOMAIN, epsilon=_EPSILON)


def node(operator: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: float) -> bytes:
    """Return a node of a graph."""
    texts = [(_NODE_INPUT, name) for name in inputs]
    texts += [(_NODE_OUTPUT, output), (_NODE_TYPE, operator), (_NODE_DOMAIN, domain)]
    content = b"".join(bytes_field(number, text.encode()) for number, text in texts)
    for name, value in attributes.items():
        if isinstance(value, int):
            entry = number_field(3, value) + number_field(20, _INT)
        else:
            entry = varint(2 << 3 | FIXED32) + struct.pack("<f", value) + number_field(20, _FLOAT)
        content += bytes_field(_NODE_ATTRIBUTE, bytes_field(1, name.encode()) + entry)
    return bytes_field(_GRAPH_NODE, content)
