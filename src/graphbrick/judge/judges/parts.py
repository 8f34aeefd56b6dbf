"""Parts of long texts that models can read, and what embedding models and re-rankers say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.text.documents.sentences import sentences

WORDS = 100
"""Words of a part at most: embedding models read about 200 tokens."""

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]


def parts_of(texts: Sequence[str], words: int = WORDS) -> tuple[str, ...]:
    """Return texts cut into runs of whole sentences of at most so many words; a longer sentence is cut.

    >>> parts_of(["It rained. It poured. We left."], words=4)
    ('It rained. It poured.', 'We left.')
    """
    made = []
    for text in texts:
        run: list[str] = []
        for start, end in sentences(text):
            sentence = text[start:end].split()
            if run and len(run) + len(sentence) > words:
                made.append(" ".join(run))
                run = []
            run += sentence
            while len(run) > words:
                made.append(" ".join(run[:words]))
                run = run[words:]
        if run:
            made.append(" ".join(run))
    return tuple(dict.fromkeys(made))


@dataclass
class Reader:
    """Compares texts by models and remembers what it has read, for as long as it lives.

    Args:
        embedder: Gives embeddings.
        reranker: Scores pairs; None for none.
    """

    embedder: Embedder
    reranker: Scorer | None = None
    _vectors: dict[str, Vectors] = field(default_factory=dict, repr=False)

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return embeddings, float32 [texts, dimensions]."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            made = self.embedder.embed(new).astype(np.float32)
            self._vectors.update(zip(new, made, strict=True))
        return np.stack([self._vectors[text] for text in texts]) if texts else np.zeros((0, 1), dtype=np.float32)

    def similar(self, text: str, others: Sequence[str]) -> Floats:
        """Return the cosine of a text with each of others, float64 [others]."""
        if not others:
            return np.zeros(0)
        similar: Floats = (self.vectors(others) @ self.vectors([text])[0]).astype(np.float64)
        return similar

    def relevant(self, text: str, others: Sequence[str]) -> Floats:
        """Return the re-ranker's scores of other texts for a text, float64; zeros without one."""
        if self.reranker is None or not others:
            return np.zeros(len(others))
        return self.reranker.rate(text, others)
