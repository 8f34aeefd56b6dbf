"""Embeddings of a model server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.errors import ModelError
from graphbrick.models.embedder import Embedder
from graphbrick.models.onnx_text import readable
from graphbrick.models.openai_client import connection, require_address, server_of
from graphbrick.trace import count_call, event

_RETRIES = 2


@dataclass(frozen=True, repr=False)
class LLMEmbedder(Embedder):
    """Cosine similarity of embeddings from an OpenAI-compatible endpoint, such as those of a language model.

    The key comes from ``OPENAI_API_KEY``, as for `LLM`. Vectors are kept under the names of the model and its server:
    where another model is put behind the same name, remove the folder of kept vectors beside the graph.

    Args:
        model: The model's name at the server.
        base_url: The server, such as "http://localhost:8080/v1"; empty for OPENAI_BASE_URL, or OpenAI.
        batch: Texts sent at once, at least 1; some servers take 32 at most.
        timeout: Seconds to wait for the vectors of a batch, at most a day.

    Returns:
        One score a text, in [-1, 1].

    Raises:
        ModelError: The server is away, refuses, does not answer in time, or sends what are no vectors.
    """

    paper = "Cao et al., LEGO-GraphRAG, technical report (LLMs-E)"

    model: str = "text-embedding-3-small"
    base_url: str = ""
    batch: int = 64
    timeout: float = 60.0

    def __post_init__(self) -> None:
        self.require_text("model", example="text-embedding-3-small")
        require_address(self, self.base_url)
        self.require_int("batch", minimum=1, example=64)
        self.require_number("timeout", minimum=0.001, maximum=86_400, example=60.0)

    @property
    def identity(self) -> str:
        """The model's name and the server's."""
        return f"{self.model} at {server_of(self.base_url)}"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The vectors of texts, float32 [texts, dimensions], each of length 1."""
        parts = [self._encode(texts[i : i + self.batch]) for i in range(0, len(texts), self.batch)]
        sizes = sorted({part.shape[1] for part in parts})
        if len(sizes) > 1:
            raise ModelError(f"{self!r} got vectors of {sizes[0]} and of {sizes[1]} dimensions")
        return np.concatenate(parts)

    def _encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One request; the client hands over whatever the server sent, of any type."""
        # Some servers refuse a text that is empty.
        sent = [text if text.strip() else " " for text in readable(texts)]
        with connection(
            self.base_url, self.timeout, _RETRIES, kind="embedding model", instead="MiniLM() needs no server"
        ) as client:
            try:
                reply = client.embeddings.create(model=self.model, input=sent)
                found = {item.index: item.embedding for item in reply.data}
                count, usage = len(reply.data), reply.usage
                tokens = None if usage is None else usage.prompt_tokens or 0
            except (AttributeError, TypeError) as error:
                raise ModelError(f"{self!r} got a reply that holds no embeddings; is it the right address?") from error
        if count != len(texts) or set(found) != set(range(count)):
            raise ModelError(f"{self!r} got {count} vectors for {len(texts)} texts; there must be one a text")
        if not isinstance(tokens, int):
            event(f"{self.model} did not report the tokens it used")
            tokens = 0
        count_call(tokens_in=tokens)
        return self._unit([found[i] for i in range(count)], texts)

    def _unit(self, rows: list[list[float]], texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The rows as vectors of length 1."""
        try:
            vectors = np.array(rows, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ModelError(f"{self!r} got vectors of different lengths, or of what are no numbers") from error
        if vectors.ndim != 2 or not vectors.shape[1]:
            raise ModelError(f"{self!r} got what are no vectors but values of shape {vectors.shape}")
        length = np.linalg.norm(vectors, axis=1)
        wrong = np.flatnonzero(~(np.isfinite(length) & (length > 0)))
        if len(wrong):
            raise ModelError(f"{self!r} got a vector that is zero or not finite for the text {texts[wrong[0]]!r:.80}")
        return np.asarray(vectors / length[:, np.newaxis], dtype=np.float32)
