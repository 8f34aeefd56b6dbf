"""An index over the embeddings of a graph's entities or triples, which finds those nearest to a question.

The index of ``films.graph`` is in ``films.graph.index/``, with one folder for each model, unit and version of the
graph. Up to 250,000 vectors are all compared with the question (exact). More are grouped around centres (IVF), and only
the groups nearest to the question are compared: about 100,000 vectors, or a thirty-second part of more than 3.2
million. Then some of the nearest are missed. Of the 64 labels of MetaQA nearest to a question, half of the groups find
.97, a quarter .92, an eighth .86, a thirty-second part .72. The library is the extra ``graphbrick[vectors]`` (faiss).
"""

from __future__ import annotations

import hashlib
import math
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core import Subgraph
from graphbrick.core.errors import GraphbrickError, ModelError
from graphbrick.core.trace import event
from graphbrick.embedders.embedder import Embedder
from graphbrick.graphs.beside import Kept
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.strings import open_array
from graphbrick.indexes.faiss_files import library, open_exact, open_groups, write_exact, write_groups
from graphbrick.session import current_session
from graphbrick.vectors.store import store_of

UNITS = ("entity", "triple")

_EXACT = 250_000  # most vectors that are all compared: about 30 ms with 384 dimensions
_SAMPLE = 400_000  # vectors from which the centres are found: 600 MB with 384 dimensions
_CHUNK, _BATCH = 4096, 256
_IN_PASSING = 10_000  # most texts embedded during a run; more take minutes, so the user has to ask for it
_OFF = 0.02  # squared lengths may differ from 1 by this, as in `Embedder.score`

Ids = npt.NDArray[np.int32]


class VectorIndex:
    """An open index.

    Args:
        index: The index of faiss.
        ids: int32, the entity or triple of each vector.
    """

    def __init__(self, index: Any, ids: Ids) -> None:
        self._index, self._ids = index, ids

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def dimensions(self) -> int:
        """Number of dimensions of the vectors."""
        return int(self._index.d)

    def nearest(self, vector: npt.NDArray[np.float32], n: int) -> tuple[Ids, npt.NDArray[np.float32]]:
        """Return the ``n`` ids whose vectors are closest to a vector, best first, ties by id; and their cosines."""
        if not len(self):
            return self._ids[:0], np.zeros(0, dtype=np.float32)
        query = vector[None].astype(np.float16).astype(np.float32)
        count = min(n + 16, len(self))
        while True:
            scores, rows = (result[0] for result in self._index.search(query, count))
            scores, rows = scores[rows >= 0], rows[rows >= 0]
            # While the last result ties with the n-th, others with the same score may be missing.
            if count == len(self) or len(rows) < count or scores[-1] < scores[n - 1]:
                break
            count = min(4 * count, len(self))
        ids = self._ids[rows]
        order = np.lexsort((ids, -scores))[:n]
        return ids[order], scores[order]


def index_of(graph: Graph, embedder: Embedder, unit: str) -> VectorIndex:
    """Return the index over a graph's entities or triples. For a small graph a missing one is made, which is an event.

    Raises:
        GraphbrickError: There is none and the graph is too large to make one during a run; or it cannot be written; or
            the extra ``graphbrick[vectors]`` is not installed.
    """
    key = ("vector index", embedder.identity, unit)
    return current_session().get(key, lambda: _open_or_make(graph, embedder, unit), of=graph)


def kept(graph: Graph, embedder: Embedder, unit: str) -> Kept:
    """Return the folder of an index."""
    model = hashlib.blake2b(embedder.identity.encode(), digest_size=8).hexdigest()
    return Kept(graph, "index", f"{type(embedder).__name__}-{model}-{unit}")


def n_texts(graph: Graph, unit: str) -> int:
    """Return the number of texts in an index."""
    return graph.n_entities if unit == "entity" else graph.n_triples


def open_index(place: Kept) -> VectorIndex | None:
    """Open the index in a folder; None if there is none.

    Raises:
        ValueError: It is damaged.
    """
    facts = place.facts()
    if facts is None:
        return None
    library()  # a missing library is not damage
    try:
        index = open_exact(place.folder) if facts["exact"] else open_groups(place.folder)
        ids = open_array(place.folder / "ids.npy")
    except (RuntimeError, KeyError, ValueError, OSError) as error:
        raise ValueError(f"it cannot be read: {str(error).strip().splitlines()[-1][-120:]}") from error
    if index.ntotal != len(ids) or ids.dtype.name != "int32":
        raise ValueError(f"{index.ntotal:,} vectors for {len(ids):,} ids")
    return VectorIndex(index, ids)


def build_index(
    graph: Graph, embedder: Embedder, unit: str, *, progress: Callable[[int], None] = lambda done: None
) -> VectorIndex:
    """Make the index over a graph's entities or triples and keep it beside the graph.

    New embeddings are kept too, so an interrupted run continues where it stopped. The text of an entity is its label,
    that of a triple is like ``Kenya -> capital -> Nairobi``.

    Args:
        graph: The graph.
        embedder: The model.
        unit: "entity" or "triple".
        progress: Called with the number of texts embedded so far.

    Raises:
        GraphbrickError: It cannot be written, or the extra ``graphbrick[vectors]`` is not installed.
        ModelError: The vectors are not of length 1.
    """
    library()  # fail before the work
    place = kept(graph, embedder, unit)
    ids = _ids(graph, unit)

    def fill(folder: Path) -> dict[str, Any]:
        vectors = _vectors(graph, embedder, unit, ids, progress)
        exact = len(ids) <= _EXACT
        if exact:
            write_exact(folder, vectors)
        else:
            write_groups(folder, vectors, _sample(graph, embedder, unit, ids), len(ids))
        np.save(folder / "ids.npy", ids)
        store_of(graph).flush()
        return {"graph": graph.hash, "model": embedder.identity, "unit": unit, "vectors": len(ids), "exact": exact}

    try:
        place.write(fill)
    except OSError as error:
        raise GraphbrickError(
            f"the index of {graph.path} cannot be kept in {place.parent} ({error.strerror or error}); "
            "put the graph where that folder can be written, or make the index there and copy both"
        ) from error
    made = open_index(place)
    assert made is not None
    return made


def command(graph: Graph, embedder: Embedder, unit: str) -> str:
    """Return the command that makes an index."""
    triples = " --triples" if unit == "triple" else ""
    return f"graphbrick index {shlex.quote(str(graph.path))} --model {shlex.quote(repr(embedder))}{triples}"


def _open_or_make(graph: Graph, embedder: Embedder, unit: str) -> VectorIndex:
    place = kept(graph, embedder, unit)
    advice = command(graph, embedder, unit)
    try:
        index = open_index(place)
        if index is not None:
            return index
        why = "is of an older version of the graph" if place.older() else "was not made yet"
    except (OSError, ValueError) as error:
        why = f"is damaged ({error})"
    what = f"the index over {n_texts(graph, unit):,} {'entities' if unit == 'entity' else 'triples'} in {place.parent}"
    if n_texts(graph, unit) > _IN_PASSING:
        raise GraphbrickError(f"{what} {why}; make it with: {advice}")
    made = build_index(graph, embedder, unit)
    event(f"{what} {why}; it was made now (beforehand: {advice})")
    return made


def _ids(graph: Graph, unit: str) -> Ids:
    """Return the entities or triples, in the order of their vectors."""
    if unit == "entity":
        return np.arange(graph.n_entities, dtype=np.int32)
    return graph.triple_ids()


def _texts(graph: Graph, unit: str, ids: Ids) -> list[str]:
    if unit == "entity":
        return [graph.label(entity) for entity in ids.tolist()]
    return Subgraph(graph, np.zeros(0, dtype=np.int32), ids).triple_texts()


def _embedded(graph: Graph, embedder: Embedder, texts: list[str]) -> npt.NDArray[np.float32]:
    vectors = store_of(graph).get(embedder, texts).astype(np.float32)
    if not np.abs(np.einsum("ij,ij->i", vectors, vectors) - 1).max() <= _OFF:  # also false for NaN
        raise ModelError(
            f"{embedder!r} gave vectors that are not of length 1; an index over them would not rank by cosine"
        )
    return vectors


def _vectors(
    graph: Graph, embedder: Embedder, unit: str, ids: Ids, progress: Callable[[int], None]
) -> Iterator[npt.NDArray[np.float32]]:
    """Yield the vectors of all ids in order, some thousands at a time."""
    for start in range(0, len(ids), _CHUNK):
        texts = _texts(graph, unit, ids[start : start + _CHUNK])
        parts = []
        for at in range(0, len(texts), _BATCH):
            parts.append(_embedded(graph, embedder, texts[at : at + _BATCH]))
            progress(start + at + len(parts[-1]))
        yield np.concatenate(parts)


def _sample(graph: Graph, embedder: Embedder, unit: str, ids: Ids) -> npt.NDArray[np.float32]:
    """Return vectors of evenly spaced ids."""
    selected = ids[:: max(1, math.ceil(len(ids) / _SAMPLE))]
    parts = np.split(selected, range(_CHUNK, len(selected), _CHUNK))
    return np.concatenate([_embedded(graph, embedder, _texts(graph, unit, part)) for part in parts])
