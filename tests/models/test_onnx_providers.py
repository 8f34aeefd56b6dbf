from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from faults import fails, told
from onnx_models import write_embedder

from graphbrick import EmbeddingModel
from graphbrick.core.errors import ModelError
from graphbrick.core.session import Session
from graphbrick.core.trace import Trace, record
from graphbrick.models.onnx_providers import batch_tokens, providers

CPU, CUDA, COREML = "CPUExecutionProvider", "CUDAExecutionProvider", "CoreMLExecutionProvider"
EVERY = [CUDA, COREML, CPU]


@pytest.mark.parametrize(
    ("variable", "available", "first"),
    [
        ("", [CPU], CPU),
        ("", [COREML, CPU], CPU),
        ("", EVERY, CUDA),
        ("cpu", EVERY, CPU),
        ("CoreML", EVERY, COREML),
        ("cuda", EVERY, CUDA),
    ],
)
def test_provider_of_a_machine(
    variable: str, available: list[str], first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHBRICK_ONNX", variable)
    chosen = [name for name, _ in providers(available)]
    assert chosen == list(dict.fromkeys([first, CPU]))


def test_cuda_keeps_the_precision_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHBRICK_ONNX", raising=False)
    assert dict(providers(EVERY))[CUDA] == {"use_tf32": 0}


def test_wrong_words_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_ONNX", "gpu")
    with fails("onnx.bad_provider", ModelError, variable="GRAPHBRICK_ONNX"):
        providers(EVERY)
    monkeypatch.setenv("GRAPHBRICK_ONNX", "cuda")
    with fails("onnx.no_provider", ModelError, provider="cuda"):
        providers([CPU])


class StandIn:
    """A session that keeps what it was opened with, and computes on the processor whatever it says."""

    asked: list[Any] = []
    starts = True

    def __init__(self, model: Any, options: Any, providers: list[tuple[str, dict[str, Any]]]) -> None:
        StandIn.asked = providers
        self._names = [name for name, _ in providers if StandIn.starts or name == CPU]
        self._session = _REAL(model, options, providers=[CPU])
        self.sizes: list[int] = []

    def get_providers(self) -> list[str]:
        return self._names

    def run(self, outputs: Any, feed: dict[str, Any]) -> Any:
        self.sizes.append(feed["input_ids"].size)
        return self._session.run(outputs, feed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


_REAL = onnxruntime.InferenceSession


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EmbeddingModel:
    """A toy model, on a machine whose onnxruntime offers CUDA."""
    monkeypatch.delenv("GRAPHBRICK_ONNX", raising=False)
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CUDA, CPU])
    monkeypatch.setattr(onnxruntime, "InferenceSession", StandIn)
    monkeypatch.setattr(StandIn, "starts", True)
    return EmbeddingModel(str(write_embedder(tmp_path / "toy", {"kenya": (1.0, 0.0), "peso": (0.6, 0.8)}).parent))


def test_a_gpu_gets_larger_batches_and_gives_the_same_vectors(
    model: EmbeddingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["kenya " * n + "peso" for n in range(1, 61)]
    with Session():
        by_gpu = model.encode(texts)
    assert StandIn.asked == [(CUDA, {"use_tf32": 0}), (CPU, {})]
    monkeypatch.setenv("GRAPHBRICK_ONNX", "cpu")
    with Session():
        by_cpu = model.encode(texts)
    assert StandIn.asked == [(CPU, {})]
    assert np.array_equal(by_gpu, by_cpu)


def test_batches_by_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = write_embedder(tmp_path, {"kenya": (1.0, 0.0)})
    sizes = [batch_tokens(StandIn(str(weights), None, [(name, {}), (CPU, {})])) for name in (CPU, COREML, CUDA)]  # type: ignore[arg-type]
    assert sizes[0] == sizes[1] < sizes[2]


def test_a_gpu_that_does_not_start_is_an_event(model: EmbeddingModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StandIn, "starts", False)
    with Session(), record(Trace(), "rerank", "toy") as entry:
        assert model.encode(["kenya"]).tolist() == [[1.0, 0.0]]
    assert ("onnx.provider_failed", {"provider": CUDA, "used": [CPU]}) in told(entry.events)
