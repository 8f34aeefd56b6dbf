"""What an embedder is: texts in, unit vectors out; as a scorer, the cosine of text and query."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import ModelError
from graphbrick.scorers.scorer import Scorer

_OFF = 0.02  # half precision moves the square of a length by far less
_ADVICE = "; are the vectors kept beside the graph of another model, or damaged? remove that folder"


class Embedder(Scorer):
    """Scores by cosine similarity of embeddings, in [-1, 1].

    A subclass implements `encode`. Vectors that were made before for the graph that a run is on are not made again:
    they are kept beside it (`graphbrick.vectors.store`). They are rounded to half precision wherever they come from,
    so that a score does not depend on whether its vector was kept.
    """

    comparable: ClassVar[bool] = True

    @property
    @abstractmethod
    def identity(self) -> str:
        """What tells the vectors of this model from those of all others: name, version, checksum of the weights."""

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The vectors of texts, float32 [texts, dimensions], each of length 1; not empty, distinct."""

    def encode_query(self, query: str) -> npt.NDArray[np.float32]:
        """The vector of a question, float32 [dimensions]; models that mark questions override this."""
        vector: npt.NDArray[np.float32] = self.encode([query])[0]
        return vector

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float16]:
        """The vectors of texts, float16 [texts, dimensions], from the store of the running graph where it has them."""
        from graphbrick.vectors.store import current_store

        store = current_store()
        if store is not None:
            return store.get(self, texts)
        distinct = list(dict.fromkeys(texts))
        place = {text: i for i, text in enumerate(distinct)}
        vectors = self.made(distinct) if distinct else np.zeros((0, 0), dtype=np.float16)
        return vectors[[place[text] for text in texts]]

    def made(self, texts: Sequence[str]) -> npt.NDArray[np.float16]:
        """The vectors of texts, made now and checked, float16 [texts, dimensions].

        Raises:
            ModelError: There is not one vector a text, or one that is not finite.
        """
        vectors = np.asarray(self.encode(texts))
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise ModelError(
                f"{self!r} gave vectors of shape {vectors.shape} for {len(texts)} texts; one a text is due"
            )
        wrong = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(wrong):
            raise ModelError(f"{self!r} gave a vector that is not finite for the text {texts[wrong[0]]!r:.80}")
        return vectors.astype(np.float16)

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Cosine similarity of each text and the query."""
        if not texts:
            return np.zeros(0)
        from graphbrick.vectors.store import current_store

        store = current_store()
        asked = (self.encode_query(query) if store is None else store.query_vector(self, query)).astype(np.float16)
        vectors = self.embed(texts).astype(np.float32)
        if vectors.shape[1] != len(asked):
            raise ModelError(
                f"{self!r} gives vectors of {len(asked)} dimensions for the question, {vectors.shape[1]} for the texts"
                f"{_ADVICE}"
            )
        if not np.abs(np.einsum("ij,ij->i", vectors, vectors) - 1).max() <= _OFF:  # also where one is no number
            raise ModelError(f"{self!r} has vectors that are not of length 1{_ADVICE}")
        return np.clip(vectors @ asked.astype(np.float32), -1, 1).astype(np.float64)
