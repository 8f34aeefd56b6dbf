"""An embedder that compares words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.language.folding import fold
from graphbrick.language.hashing import hash64
from graphbrick.models.embedders.embedder import Embedder


@dataclass(frozen=True, repr=False)
class Overlap(Embedder):
    """Unit vectors of hashed words."""

    @property
    def identity(self) -> str:
        return "overlap"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = np.full((len(texts), 64), 0.01, dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in fold(text).split():
                vector[hash64(word) % 64] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
