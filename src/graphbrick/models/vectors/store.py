"""The embeddings kept beside a graph, in ``films.graph.vectors/``, one folder for each model.

A process holds new embeddings in memory. It writes them when there are enough of them, and when the session is closed.
Any number of threads and processes may read and write at once. The folder is a cache: if it is removed, it is made
again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.core.files.locks import ForkLock
from graphbrick.core.session import current_session
from graphbrick.models.vectors.model_vectors import ModelVectors, Vectors, byte_limit, identity_hash
from graphbrick.pipeline.run import current_graph

if TYPE_CHECKING:
    from graphbrick.graphs.graph import Graph
    from graphbrick.models.embedders.embedder import Embedder

_QUERIES = 64


class VectorStore:
    """The vectors beside one graph, of any number of models.

    Args:
        folder: Folder of the vectors; made at the first write.
        limit_mb: Megabytes kept for each model; None for ``GRAPHBRICK_VECTORS_MB``, or 4096.
    """

    def __init__(self, folder: Path, limit_mb: int | None = None) -> None:
        self.folder, self._limit_mb = folder, limit_mb
        self._models: dict[str, ModelVectors] = {}
        self._queries: OrderedDict[tuple[str, str, str], npt.NDArray[np.float32]] = OrderedDict()
        self._lock = ForkLock()

    def get(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, float16 [texts, dimensions]; missing ones are made and kept."""
        return self._of(embedder).get(embedder, texts)

    def missing(self, embedder: Embedder, texts: Sequence[str]) -> list[str]:
        """Return the texts that have no vector yet, without duplicates."""
        return self._of(embedder).missing(texts)

    def query_vector(self, embedder: Embedder, query: str) -> npt.NDArray[np.float32]:
        """Return the vector of a question; the last 64 are held for other stages."""
        key = repr(embedder), embedder.identity, query
        with self._lock:
            vector = self._queries.get(key)
        if vector is None:
            vector = embedder.encode_query(query)
            with self._lock:
                self._queries[key] = vector
                while len(self._queries) > _QUERIES:
                    self._queries.popitem(last=False)
        return vector

    def flush(self) -> None:
        """Write the vectors that are only in memory."""
        for model in list(self._models.values()):
            model.flush()

    def _of(self, embedder: Embedder) -> ModelVectors:
        identity = embedder.identity
        byte_limit(self._limit_mb)  # raise for an invalid limit before the work, not after it
        with self._lock:
            if identity not in self._models:
                name = f"{type(embedder).__name__}-{identity_hash(identity)}"
                self._models[identity] = ModelVectors(self.folder / name, identity, self._limit_mb)
            return self._models[identity]


def store_of(graph: Graph) -> VectorStore:
    """Return the store beside a graph, shared by all runs of the current session."""
    folder, session = graph.vectors_place, current_session()
    return session.get(
        ("vector store", folder), lambda: VectorStore(folder, session.vectors_mb), close=VectorStore.flush
    )


_BESIDE_THE_GRAPH = "beside the graph"
_current: ContextVar[VectorStore | str | None] = ContextVar("graphbrick_vectors", default=_BESIDE_THE_GRAPH)


def current_store() -> VectorStore | None:
    """Return the store of the graph that the running pipeline works on; None outside a run."""
    store = _current.get()
    if not isinstance(store, str):
        return store
    graph = current_graph()
    return None if graph is None else store_of(graph)


@contextmanager
def using(store: VectorStore | None) -> Iterator[None]:
    """Let embedders look vectors up in a given store inside a block; None lets them embed every text."""
    token = _current.set(store)
    try:
        yield
    finally:
        _current.reset(token)
