"""Embeddings from a model server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import ModelError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import Event, Exchange, count_exchange
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.llm.context_budget import text_tokens
from graphbrick.models.llm.http.addresses import require_address, server_address, server_of
from graphbrick.models.llm.http.connection import connect
from graphbrick.models.llm.http.runtime import model_runtime
from graphbrick.models.llm.prices import Hosted, hosted
from graphbrick.models.llm.reply_cache import current_cache
from graphbrick.models.llm.sending import tell
from graphbrick.models.onnx_text import readable
from graphbrick.pipeline.budget import current_budget

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import CreateEmbeddingResponse

_RETRIES = 2


@dataclass(frozen=True, repr=False)
class LLMEmbedder(Embedder):
    """Cosine similarity of embeddings from an OpenAI-compatible endpoint.

    Keys come from the environment, as for `LLM`. Vectors are stored under the names of the model and its server.
    If another model gets the same name, remove the folder of stored vectors beside the graph.

    Args:
        model: The model's name at the server.
        base_url: The server, such as "http://localhost:8080/v1"; empty for OPENAI_BASE_URL, or OpenAI.
        batch: Texts sent at once, at least 1; some servers take 32 at most.
        timeout: Seconds to wait for the vectors of a batch, at most a day.

    Returns:
        One score for each text, in [-1, 1].

    Raises:
        ModelError: The server is away, refuses, does not answer in time, or sends something other than
            vectors.
    """

    paper = "Cao et al., LEGO-GraphRAG, technical report (LLMs-E)"

    model: str = parameter("text-embedding-3-small")
    base_url: str = parameter("", may_be_empty=True, example="http://localhost:8080/v1")
    batch: int = parameter(64, at_least=1, changes_results=False)
    timeout: float = parameter(60.0, at_least=0.001, at_most=86_400, changes_results=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_address(self, self.base_url)

    @property
    def identity(self) -> str:
        """The model's name and the server's."""
        return f"{self.model} at {server_of(self.base_url)}"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors of texts, float32 [texts, dimensions], each of length 1."""
        parts = [self._encode(texts[i : i + self.batch]) for i in range(0, len(texts), self.batch)]
        sizes = sorted({part.shape[1] for part in parts})
        if len(sizes) > 1:
            raise ModelError(
                f"{self!r} got vectors of {sizes[0]} and of {sizes[1]} dimensions",
                code="llm_embedder.other_dimensions",
                sizes=sizes,
            )
        return np.concatenate(parts)

    def _encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors of one request, or its recorded vectors."""
        # Some servers refuse an empty text.
        sent = [text if text.strip() else " " for text in readable(texts)]
        request = {"server": server_address(self.base_url), "model": self.model, "input": sent}
        cache = current_cache()
        recorded = None if cache is None else cache.get(request)
        if recorded is not None:
            if not isinstance(recorded.get("vectors"), list):
                raise ModelError(
                    "recorded vectors are damaged; record them again after graphbrick cache clear",
                    code="llm_embedder.damaged_recording",
                )
            count_exchange(Exchange(self.model, [], "", cached=True), with_text=False)
            return self._unit(recorded["vectors"], texts)
        rows = self._call(sent)
        vectors = self._unit(rows, texts)
        if cache is not None:
            cache.put(request, {"vectors": rows})
        return vectors

    def _call(self, sent: list[str]) -> list[list[float]]:
        """Send one request within the budget, and record its cost in the trace."""
        server = connect(
            self.base_url, self.timeout, _RETRIES, kind="embedding model", instead="MiniLM() needs no server"
        )
        price = hosted(self.model) or Hosted()
        expected = sum(text_tokens(text) for text in sent)
        runtime, budget, notes, start = model_runtime(), current_budget(), list[str](), time.perf_counter()

        async def once(client: AsyncOpenAI) -> tuple[list[list[float]], int | None]:
            call = client.embeddings.create(model=self.model, input=sent)
            try:
                return self._rows(await asyncio.wait_for(call, self.timeout), len(sent))
            except (AttributeError, TypeError) as error:  # the client decodes the vectors before it returns them
                raise ModelError(
                    f"{self!r} got a reply that holds no embeddings; is it the right address?",
                    code="llm_embedder.no_embeddings",
                ) from error

        async def within_budget() -> tuple[list[list[float]], int | None]:
            if budget is None:
                return await server.retry(runtime, once, notes)
            aside = expected, price.cost(expected, 0)
            await budget.set_aside(*aside)
            used = 0
            try:
                rows, tokens = await server.retry(runtime, once, notes)
                used = expected if tokens is None else tokens
                return rows, tokens
            finally:
                await budget.settle(*aside, used, price.cost(used, 0))

        rows, tokens = runtime.wait(within_budget(), budget)
        if tokens is None:
            note = f"{self.model} did not report the tokens it used; they are estimated"
            notes.append(Event(note, "llm_embedder.tokens_estimated"))
        used = expected if tokens is None else tokens
        seconds, cost = time.perf_counter() - start, price.cost(used, 0)
        entry = Exchange(self.model, [], "", used, 0, estimated=tokens is None, seconds=seconds, cost=cost)
        count_exchange(entry, with_text=False)
        tell(notes)
        return rows

    def _rows(self, reply: CreateEmbeddingResponse, n: int) -> tuple[list[list[float]], int | None]:
        """Return the vectors of a reply in the order of the texts, and its tokens."""
        vectors = {item.index: item.embedding for item in reply.data}
        count = len(reply.data)
        tokens = None if reply.usage is None else reply.usage.prompt_tokens or 0
        if count != n or set(vectors) != set(range(count)):
            raise ModelError(
                f"{self!r} got {count} vectors for {n} texts; there must be one a text",
                code="llm_embedder.wrong_number",
                vectors=count,
                texts=n,
            )
        return [vectors[i] for i in range(count)], tokens if isinstance(tokens, int) else None

    def _unit(self, rows: list[list[float]], texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the rows as vectors of length 1."""
        try:
            vectors = np.array(rows, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"{self!r} got vectors of different lengths, or of values that are not numbers",
                code="llm_embedder.not_vectors",
            ) from error
        if vectors.ndim != 2 or not vectors.shape[1]:
            raise ModelError(
                f"{self!r} got values of shape {vectors.shape} in place of vectors",
                code="llm_embedder.wrong_shape",
                shape=vectors.shape,
            )
        length = np.linalg.norm(vectors, axis=1)
        wrong = np.flatnonzero(~(np.isfinite(length) & (length > 0)))
        if len(wrong):
            raise ModelError(
                f"{self!r} got a vector that is zero or not finite for the text {texts[wrong[0]]!r:.80}",
                code="llm_embedder.no_direction",
                text=texts[wrong[0]],
            )
        return np.asarray(vectors / length[:, np.newaxis], dtype=np.float32)
