"""The base of embedders, which turn texts into unit vectors and score by cosine."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import ModelError
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.models.vectors.store import current_store

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_OFF = 0.02  # squared lengths may differ from 1 by this; half precision changes them far less
_ADVICE = "; are the vectors beside the graph damaged, or of another model? remove that folder"


class Embedder(Scorer):
    """Scores by cosine similarity of embeddings, in [-1, 1].

    A subclass implements `encode`. During a run, vectors are kept beside the graph and not made again
    (`graphbrick.models.vectors.store`). All vectors are rounded to half precision, so that a score does not depend on
    whether its vector was kept.
    """

    comparable: ClassVar[bool] = True

    @property
    @abstractmethod
    def identity(self) -> str:
        """Text that tells the vectors of this model from all others: name, version, checksum of the weights."""

    def reads(self, text: str) -> bool:
        """Return whether the model was trained for the script of a text; True unless a subclass knows better."""
        return True

    def tokenizer(self) -> Tokenizer | None:
        """Return what cuts texts into the model's pieces; None unless a subclass knows it."""
        return None

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors of at least one distinct texts, float32 [texts, dimensions], each of length 1."""

    def encode_query(self, query: str) -> npt.NDArray[np.float32]:
        """Return the vector of a question, float32 [dimensions]; models that mark questions override this."""
        vector: npt.NDArray[np.float32] = self.encode([query])[0]
        return vector

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float16]:
        """Return the vectors of texts, float16 [texts, dimensions], from the graph's store in a run."""
        store = current_store()
        if store is not None:
            return store.get(self, texts)
        distinct = list(dict.fromkeys(texts))
        row = {text: i for i, text in enumerate(distinct)}
        vectors = self.made(distinct) if distinct else np.zeros((0, 0), dtype=np.float16)
        return vectors[[row[text] for text in texts]]

    def made(self, texts: Sequence[str]) -> npt.NDArray[np.float16]:
        """Encode texts and check the vectors, float16 [texts, dimensions].

        Raises:
            ModelError: The number of vectors is wrong, or one is not finite.
        """
        vectors = np.asarray(self.encode(texts))
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise ModelError(
                f"{self!r} gave vectors of shape {vectors.shape} for {len(texts)} texts instead of one each",
                code="embedder.wrong_shape",
            )
        wrong = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(wrong):
            raise ModelError(
                f"{self!r} gave a vector that is not finite for the text {texts[wrong[0]]!r:.80}",
                code="embedder.not_finite",
                text=texts[wrong[0]],
            )
        return vectors.astype(np.float16)

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the cosine similarity of each text and the query."""
        if not texts:
            return np.zeros(0)
        store = current_store()
        vector = (self.encode_query(query) if store is None else store.query_vector(self, query)).astype(np.float16)
        vectors = self.embed(texts).astype(np.float32)
        if vectors.shape[1] != len(vector):
            raise ModelError(
                f"{self!r} gives vectors of {len(vector)} dimensions for the question, {vectors.shape[1]} for the texts"
                f"{_ADVICE}",
                code="embedder.other_dimensions",
            )
        if not np.abs(np.einsum("ij,ij->i", vectors, vectors) - 1).max() <= _OFF:  # also false for NaN
            raise ModelError(f"{self!r} has vectors that are not of length 1{_ADVICE}", code="embedder.not_unit_length")
        return np.clip(vectors @ vector.astype(np.float32), -1, 1).astype(np.float64)
