"""Where onnxruntime computes: the processor, a GPU by CUDA, or CoreML.

CUDA is used wherever the installed onnxruntime offers it, as only ``onnxruntime-gpu`` does. CoreML is used where
``GRAPHBRICK_ONNX=coreml`` asks for it: onnxruntime offers it on every Mac, and compiles a model for each new length of
texts. ``GRAPHBRICK_ONNX=cpu`` keeps to the processor.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from graphbrick.core.errors import ModelError
from graphbrick.core.trace import event

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_VARIABLE = "GRAPHBRICK_ONNX"
_CPU = "CPUExecutionProvider"
_PROVIDERS = {"cpu": _CPU, "cuda": "CUDAExecutionProvider", "coreml": "CoreMLExecutionProvider"}
# CUDA would round factors to ten bits (TF32), and vectors kept from a processor would be others.
_OPTIONS: dict[str, dict[str, Any]] = {"cuda": {"use_tf32": 0}}
_BATCH_TOKENS = 1024  # larger batches are no faster on a processor and take more memory
_GPU_BATCH_TOKENS = 16_384

Providers = list[tuple[str, dict[str, Any]]]


def providers(available: Collection[str]) -> Providers:
    """Return the providers for a session, with their options, the processor last.

    Args:
        available: Names of those that onnxruntime offers.

    Raises:
        ModelError: ``GRAPHBRICK_ONNX`` holds another word, or names one that onnxruntime does not offer.
    """
    wanted = os.environ.get(_VARIABLE, "").strip().lower()
    if wanted and wanted not in _PROVIDERS:
        raise ModelError(
            f"{_VARIABLE} must be one of {', '.join(_PROVIDERS)}, got {wanted!r:.40}",
            code="onnx.bad_provider",
            variable=_VARIABLE,
        )
    if wanted and _PROVIDERS[wanted] not in available:
        raise ModelError(
            f"{_VARIABLE}={wanted}, but the installed onnxruntime does not offer {_PROVIDERS[wanted]}; it has "
            f"{', '.join(available)}: install another onnxruntime (onnxruntime-gpu for CUDA), or unset {_VARIABLE}",
            code="onnx.no_provider",
            provider=wanted,
        )
    chosen = wanted or ("cuda" if _PROVIDERS["cuda"] in available else "cpu")
    first = [(_PROVIDERS[chosen], _OPTIONS.get(chosen, {}))] if chosen != "cpu" else []
    return [*first, (_CPU, {})]


def check_provider(session: InferenceSession, wanted: Providers, name: str) -> None:
    """Record an event if a session does not compute where it should, as where the driver of a GPU is missing."""
    used = session.get_providers()
    if wanted[0][0] not in used:
        event(
            f"{name} runs on the processor, as {wanted[0][0]} could not be started; are its driver and libraries "
            f"installed? {_VARIABLE}=cpu chooses the processor",
            "onnx.provider_failed",
            provider=wanted[0][0],
            used=list(used),
        )


def batch_tokens(session: InferenceSession) -> int:
    """Return how many tokens a batch of texts has at most: more by CUDA."""
    return _GPU_BATCH_TOKENS if session.get_providers()[0] == _PROVIDERS["cuda"] else _BATCH_TOKENS
