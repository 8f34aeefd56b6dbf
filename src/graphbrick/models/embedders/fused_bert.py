"""A BERT encoder in ONNX whose attention is one operator: the same vectors in little more than half of the time.

A file of torch's exporter spells attention and activation out in some thirty operators, which onnxruntime joins only in
part. Here those after the embeddings are replaced by operators that onnxruntime has for BERT; the weights stay. ONNX is
Protocol Buffers, and this needs so little of it that it is written out: a package for it is larger than the model.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Numbers of fields in onnx.proto.
_MODEL_GRAPH, _MODEL_OPERATORS = 7, 8
_GRAPH_NODE, _GRAPH_WEIGHTS = 1, 5
_NODE_INPUT, _NODE_OUTPUT, _NODE_TYPE, _NODE_ATTRIBUTE, _NODE_DOMAIN = 1, 2, 4, 5, 7
_WEIGHTS_NAME = 8

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # how values are written
_FLOAT, _INT = 1, 2  # types of attributes
_INT32 = 6  # type of a tensor
_DOMAIN = "com.microsoft"
_EPSILON = 1e-12


class _Field(NamedTuple):
    number: int
    value: bytes  # empty for numbers
    whole: bytes


def fused(model: bytes, heads: int) -> bytes:
    """Return a model that gives the same output with joined operators.

    Args:
        model: A BERT encoder, as torch exports it, whose weights are int8 with a scale, which become float32.
        heads: Number of attention heads.
    """
    parts = list(_fields(model))
    graph = list(_fields(next(part.value for part in parts if part.number == _MODEL_GRAPH)))
    names = {_texts(part.value, _WEIGHTS_NAME)[0] for part in graph if part.number == _GRAPH_WEIGHTS}
    nodes = [part for part in graph if part.number == _GRAPH_NODE]
    types = [_texts(node.value, _NODE_TYPE)[0] for node in nodes]
    first = types.index("LayerNormalization")  # of the embeddings; weights become float32 before it
    second_inputs = [
        _texts(node.value, _NODE_INPUT)[1] for node, kind in zip(nodes, types, strict=True) if kind == "MatMul"
    ]
    matrices = [name for name in second_inputs if f"{name}_q" in names]
    start, output = (_texts(nodes[place].value, _NODE_OUTPUT)[0] for place in (first, -1))
    content = b"".join(
        [
            *(node.whole for node in nodes[: first + 1]),
            *_layers(matrices, start, output, heads),
            *(part.whole for part in graph if part.number != _GRAPH_NODE),
        ]
    )
    rest = b"".join(part.whole for part in parts if part.number != _MODEL_GRAPH)
    operators = _bytes(1, _DOMAIN.encode()) + _number(2, 1)
    return rest + _bytes(_MODEL_OPERATORS, operators) + _bytes(_MODEL_GRAPH, content)


def _layers(matrices: Sequence[str], start: str, output: str, heads: int) -> Iterator[bytes]:
    """Yield the nodes of all layers; the matrices of a layer are those of query, key, value, and three dense ones."""
    yield _node("Cast", ["attention_mask"], "mask", to=_INT32)
    before = start
    for number in range(len(matrices) // 6):
        layer = f"inner.encoder.layer.{number}"
        query, key, value, *dense = matrices[6 * number : 6 * number + 6]
        biases = [f"{layer}.attention.self.{part}.bias" for part in ("query", "key", "value")]
        yield _node("Concat", [query, key, value], f"weights.{number}", axis=1)
        yield _node("Concat", biases, f"biases.{number}", axis=0)
        ends = [before, f"weights.{number}", f"biases.{number}", "mask"]
        yield _node("Attention", ends, f"attended.{number}", _DOMAIN, num_heads=heads)
        yield _node("MatMul", [f"attended.{number}", dense[0]], f"joined.{number}")
        middle = f"middle.{number}"
        yield _sum_node(f"joined.{number}", before, f"{layer}.attention.output", middle)
        yield _node("MatMul", [middle, dense[1]], f"wide.{number}")
        wide = [f"wide.{number}", f"{layer}.intermediate.dense.bias"]
        yield _node("BiasGelu", wide, f"active.{number}", _DOMAIN)
        yield _node("MatMul", [f"active.{number}", dense[2]], f"narrow.{number}")
        after = output if number == len(matrices) // 6 - 1 else f"after.{number}"
        yield _sum_node(f"narrow.{number}", middle, f"{layer}.output", after)
        before = after


def _sum_node(new: str, before: str, part: str, output: str) -> bytes:
    """Return the node that adds new values and a bias to those before, and normalises the sum."""
    weights = [f"{part}.LayerNorm.weight", f"{part}.LayerNorm.bias", f"{part}.dense.bias"]
    return _node("SkipLayerNormalization", [new, before, *weights], output, _DOMAIN, epsilon=_EPSILON)


def _node(operator: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: float) -> bytes:
    """Return a node of a graph."""
    texts = [(_NODE_INPUT, name) for name in inputs]
    texts += [(_NODE_OUTPUT, output), (_NODE_TYPE, operator), (_NODE_DOMAIN, domain)]
    content = b"".join(_bytes(number, text.encode()) for number, text in texts)
    for name, value in attributes.items():
        if isinstance(value, int):
            entry = _number(3, value) + _number(20, _INT)
        else:
            entry = _varint(2 << 3 | _FIXED32) + struct.pack("<f", value) + _number(20, _FLOAT)
        content += _bytes(_NODE_ATTRIBUTE, _bytes(1, name.encode()) + entry)
    return _bytes(_GRAPH_NODE, content)


# Protocol Buffers


def _fields(message: bytes) -> Iterator[_Field]:
    """Yield the fields of a message."""
    place = 0
    while place < len(message):
        start = place
        tag, place = _read(message, place)
        number, value = tag >> 3, b""
        if tag & 7 == _BYTES:
            size, place = _read(message, place)
            value = message[place : place + size]
            place += size
        elif tag & 7 == _VARINT:
            _, place = _read(message, place)
        else:
            place += {_FIXED64: 8, _FIXED32: 4}[tag & 7]
        yield _Field(number, value, message[start:place])


def _texts(message: bytes, number: int) -> list[str]:
    """Return the texts of a field of a message."""
    return [field.value.decode() for field in _fields(message) if field.number == number]


def _read(message: bytes, place: int) -> tuple[int, int]:
    """Return the number that begins at a place, and the place after it."""
    number = shift = 0
    while message[place] & 0x80:
        number |= (message[place] & 0x7F) << shift
        place, shift = place + 1, shift + 7
    return number | message[place] << shift, place + 1


def _varint(number: int) -> bytes:
    """Return a number as it is written, seven bits a byte."""
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


def _number(field: int, number: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(number)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(value)) + value
