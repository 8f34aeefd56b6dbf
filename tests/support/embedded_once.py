"""The model MiniLM with a memory: a text takes milliseconds, and many tests embed the same ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick import MiniLM

_VECTORS: dict[str, npt.NDArray[np.float32]] = {}


@contextmanager
def embedded_once() -> Iterator[None]:
    """Let `MiniLM` embed each text once in this process, for all tests that do not test the model itself."""

    def encode(model: MiniLM, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in _VECTORS]
        if new:
            _VECTORS.update(zip(new, model.load().embed(new), strict=True))
        return np.stack([_VECTORS[text] for text in texts])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MiniLM, "encode", encode)
        yield
