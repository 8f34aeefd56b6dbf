"""An embedder without a model, and what tests of the store of its vectors need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.models.embedders.embedder import Embedder

CALLS: list[list[str]] = []


@dataclass(frozen=True, repr=False)
class Toy(Embedder):
    """Unit vectors that depend on the text and the name only; keeps what it was asked in CALLS.

    Args:
        name: Another one gives other vectors.
        dimensions: Of the vectors, from 2.
    """

    name: str = "toy"
    dimensions: int = 8

    @property
    def identity(self) -> str:
        return f"{self.name} {self.dimensions}"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        assert texts, "an empty call"
        assert len(set(texts)) == len(texts), "a text twice in a call"
        CALLS.append(list(texts))
        seeds = [blake2b(f"{self.name}|{t}".encode("utf-8", "surrogatepass"), digest_size=64).digest() for t in texts]
        numbers = np.frombuffer(b"".join(seeds), dtype=np.uint8).reshape(len(texts), 64)[:, : self.dimensions]
        centred = numbers.astype(np.float32) - 127.5
        return centred / np.linalg.norm(centred, axis=1, keepdims=True)


def anew(texts: Sequence[str], embedder: Embedder | None = None) -> npt.NDArray[np.float16]:
    """The vectors as they are without a store; CALLS stays as it is."""
    before = list(CALLS)
    made = np.stack([(embedder or Toy()).encode([text])[0].astype(np.float16) for text in texts])
    CALLS[:] = before
    return made


def same(found: npt.NDArray[np.float16], texts: Sequence[str], embedder: Embedder | None = None) -> bool:
    return found.dtype == np.float16 and found.tobytes() == anew(texts, embedder).tobytes()


def files(folder: Path, pattern: str = "*.seg") -> list[Path]:
    return sorted(folder.rglob(pattern))


def traced(action: Callable[[], object]) -> StageTrace:
    with record(Trace(), "Test()", "prune") as entry:
        action()
    return entry


def numbered(n: int, start: int = 0) -> list[str]:
    return [f"text {i}" for i in range(start, start + n)]
