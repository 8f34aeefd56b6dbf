from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

from graphbrick import MiniLM, StaticEmbedder
from graphbrick.models.embedders.fused_bert import fused
from graphbrick.models.embedders.integer_minilm import IntegerMiniLM, _IntegerProducts, to_learn_from
from graphbrick.models.embedders.minilm import HEADS, weights_file

QUESTIONS = [
    "who is the boss of [X]?",
    "which orders does the employee that covers [X] take?",
    "[X]'s capital",
    "what is the currency of the country whose capital is [X]?",
    "leader",
    "which films share an actor with [X]?",
]


def test_vectors_are_nearly_those_of_minilm() -> None:
    exact, quick = MiniLM().encode(QUESTIONS), IntegerMiniLM().encode(QUESTIONS)
    cosines = (exact * quick).sum(axis=1)
    assert cosines.min() > 0.97
    assert cosines.max() < 0.9999  # so that nobody takes them for the same vectors
    assert IntegerMiniLM().identity != MiniLM().identity


def test_a_vector_does_not_depend_on_the_texts_beside_it() -> None:
    together = IntegerMiniLM().encode([*QUESTIONS, "word " * 90])
    for text, vector in zip(QUESTIONS, together, strict=False):
        np.testing.assert_array_equal(IntegerMiniLM().embed([text])[0], vector.astype(np.float16))


def test_no_pair_of_products_overflows_sixteen_bits() -> None:
    model = onnx.load_model_from_string(fused(weights_file().read_bytes(), HEADS, _IntegerProducts()))
    weights = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    matrices = [node.input[1] for node in model.graph.node if node.op_type == "MatMulIntegerToFloat"]
    joined = [node for node in model.graph.node if node.op_type == "QAttention"]
    assert (len(matrices), len(joined)) == (18, 6)
    concats = {node.output[0]: list(node.input) for node in model.graph.node if node.op_type == "Concat"}
    matrices += [name for number in range(6) for name in concats[f"weights.{number}"]]
    assert len(matrices) == 36
    assert max(np.abs(weights[name].astype(int)).max() for name in matrices) * 2 * 255 <= 2**15


def test_only_minilm_on_a_processor_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    other = StaticEmbedder("no-such-folder")
    assert to_learn_from(other) is other
    assert to_learn_from(MiniLM()) == IntegerMiniLM()
    offered = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: offered)
    assert type(to_learn_from(MiniLM())) is MiniLM
