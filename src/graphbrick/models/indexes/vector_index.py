"""An index over the embeddings of a graph's entities, triples or sentences, for those nearest to a question.

The index of ``films.graph`` is in ``films.graph.index/``, with one folder for each model, unit and version of the
graph. Up to 250,000 vectors are all compared with the question (exact). More are grouped around centres (IVF), and only
the groups nearest to the question are compared: about 100,000 vectors, or a thirty-second part of more than 3.2
million. Then some of the nearest are missed. Of the 64 labels of MetaQA nearest to a question, half of the groups find
.97, a quarter .92, an eighth .86, a thirty-second part .72. The library is the extra ``graphbrick[vectors]`` (faiss).
"""

from __future__ import annotations

import hashlib
import importlib.util
import math
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core import Subgraph
from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import GraphbrickError, ModelError
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.beside import MOST_CHANGED, Earlier, FolderBeside
from graphbrick.graphs.store.overlay.overlay_rows import find_triples
from graphbrick.graphs.store.strings import open_array
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.indexes import sentences
from graphbrick.models.indexes.faiss_files import library, open_exact, open_groups, write_exact, write_groups
from graphbrick.models.vectors.store import store_of

UNITS = ("entity", "triple")
"""Labels of entities, or texts of triples."""
SENTENCE = "sentence"
"""Sentences about entities (`graphbrick.models.indexes.sentences`)."""
_NOUNS = {"entity": "entities", "triple": "triples", SENTENCE: "sentences"}

_EXACT = 250_000  # most vectors that are all compared: about 30 ms with 384 dimensions
_SAMPLE = 400_000  # vectors from which the centres are found: 600 MB with 384 dimensions
_CHUNK, _BATCH = 4096, 256
_TRIPLES = "triples.npy"
_IN_PASSING = 10_000  # most texts embedded during a run; more take minutes, so the user has to ask for it
_OFF = 0.02  # squared lengths may differ from 1 by this, as in `Embedder.score`

Ids = npt.NDArray[np.int32]


class VectorIndex:
    """An open index, which may be extended by vectors that are compared one by one.

    Args:
        index: The index of faiss.
        ids: int32, the entity or triple of each vector; -1 for one that is no longer there.
        more: float16 [vectors, dimensions], further vectors; None for none.
        more_ids: int32, the entity or triple of each of those.
    """

    def __init__(
        self, index: Any, ids: Ids, more: npt.NDArray[np.float16] | None = None, more_ids: Ids | None = None
    ) -> None:
        self._index, self._ids = index, ids
        self._more = np.zeros((0, index.d), dtype=np.float16) if more is None else more
        self._more_ids = np.zeros(0, dtype=np.int32) if more_ids is None else more_ids
        self._n_masked = int(np.count_nonzero(ids < 0))

    def __len__(self) -> int:
        return len(self._ids) - self._n_masked + len(self._more_ids)

    @property
    def dimensions(self) -> int:
        """Number of dimensions of the vectors."""
        return int(self._index.d)

    def nearest(self, vector: npt.NDArray[np.float32], n: int) -> tuple[Ids, npt.NDArray[np.float32]]:
        """Return the ``n`` ids of the vectors nearest to a vector, best first, ties by id; and cosines."""
        question = vector.astype(np.float16).astype(np.float32)
        ids, scores = self._nearest_indexed(question, n)
        if len(self._more_ids):
            ids = np.concatenate([ids, self._more_ids])
            scores = np.concatenate([scores, self._more.astype(np.float32) @ question])
        order = np.lexsort((ids, -scores))[:n]
        return ids[order], scores[order]

    def _nearest_indexed(self, question: npt.NDArray[np.float32], n: int) -> tuple[Ids, npt.NDArray[np.float32]]:
        """Return at least the ``n`` nearest of the indexed vectors that are still there, and their cosines."""
        total = len(self._ids)
        wanted = min(n + 16, total)
        while wanted:
            scores, rows = (result[0] for result in self._index.search(question[None], wanted))
            scores, rows = scores[rows >= 0], rows[rows >= 0]
            ids = self._ids[rows]
            there = ids >= 0
            # While the last match ties with the n-th one that is still there, others of that score may be missing.
            is_enough = np.count_nonzero(there) >= n and scores[-1] < scores[there][n - 1]
            if wanted == total or len(rows) < wanted or is_enough:
                return ids[there], scores[there]
            wanted = min(4 * wanted, total)
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32)


def index_of(graph: Graph, embedder: Embedder, unit: str) -> VectorIndex:
    """Return the index over a graph's entities or triples; for a small graph, make a missing one.

    Raises:
        GraphbrickError: There is none and the graph is too large to make one during a run; or it cannot be written; or
            the extra ``graphbrick[vectors]`` is not installed.
    """
    key = ("vector index", embedder.identity, unit)
    return current_session().get(key, lambda: _open_or_make(graph, embedder, unit), of=graph)


def folder_of(graph: Graph, embedder: Embedder, unit: str) -> FolderBeside:
    """Return the folder of an index."""
    model = hashlib.blake2b(embedder.identity.encode(), digest_size=8).hexdigest()
    return FolderBeside(graph, "index", f"{type(embedder).__name__}-{model}-{unit}")


def n_texts(graph: Graph, unit: str) -> int:
    """Return the number of texts in an index."""
    return graph.n_triples if unit == "triple" else graph.n_entities


def open_index(place: FolderBeside) -> VectorIndex | None:
    """Open the index in a folder; None if there is none.

    Raises:
        ValueError: It is damaged.
    """
    facts = place.facts()
    return None if facts is None else VectorIndex(*_open_files(place.folder, facts))


def _open_files(folder: Path, facts: Mapping[str, Any]) -> tuple[Any, Ids]:
    """Return the faiss index in a folder, and the entity or triple of each vector.

    Raises:
        ValueError: It is damaged.
    """
    library()  # a missing library is not damage
    try:
        index = open_exact(folder) if facts["exact"] else open_groups(folder)
        ids = open_array(folder / "ids.npy")
    except (RuntimeError, KeyError, ValueError, OSError) as error:
        raise ValueError(f"it cannot be read: {str(error).strip().splitlines()[-1][-120:]}") from error
    if index.ntotal != len(ids) or ids.dtype.name != "int32":
        raise ValueError(f"{index.ntotal:,} vectors for {len(ids):,} ids")
    return index, ids


def _extended(graph: Graph, embedder: Embedder, unit: str, earlier: Earlier) -> VectorIndex | None:
    """Return the index of an earlier version, brought up to date.

    Vectors of removed entities and of changed texts are left out, and those of new texts are added.

    Returns:
        The index; None if too much has changed, the earlier version did not note its triples, or the texts are
        sentences, which any change of a property changes.
    """
    if unit == SENTENCE:
        return None
    index, ids = _open_files(earlier.folder, earlier.facts)
    since = earlier.since
    if unit == "entity":
        now: Ids = np.array(ids)
        now[since.renamed[since.renamed < len(ids)]] = -1
    else:
        file = earlier.folder / _TRIPLES
        if not file.exists():
            return None
        triples = np.array(open_array(file))
        now = find_triples(graph.csr, triples).astype(np.int32)
        now[np.isin(triples[:, [0, 2]], since.renamed).any(axis=1)] = -1
        now[np.isin(triples[:, 1], since.renamed_relations)] = -1
    new = np.setdiff1d(_ids(graph, unit), now).astype(np.int32)
    if len(new) > min(MOST_CHANGED * max(1, len(ids)), _EXACT) or np.count_nonzero(now < 0) > MOST_CHANGED * len(ids):
        return None
    vectors = np.concatenate([np.zeros((0, index.d)), *_vectors(graph, embedder, unit, new, silent)])
    event(
        f"the index was made {since}: {len(new):,} vectors were added to it and {np.count_nonzero(now < 0):,} left out "
        f"(anew: {command(graph, embedder, unit)})",
        "vector_index.extended",
        added=len(new),
        left_out=int(np.count_nonzero(now < 0)),
    )
    return VectorIndex(index, now, vectors.astype(np.float16), new)


def build_index(graph: Graph, embedder: Embedder, unit: str, *, progress: Progress = silent) -> VectorIndex:
    """Make the index over a graph's entities, triples or sentences and keep it beside the graph.

    New embeddings are kept too, so an interrupted run continues where it stopped. The text of an entity is its label,
    that of a triple is like ``Kenya -> capital -> Nairobi``, and sentences are those of `sentence_of`.

    Args:
        graph: The graph.
        embedder: The model.
        unit: "entity", "triple" or "sentence".
        progress: Called with the number of texts embedded so far.

    Raises:
        GraphbrickError: It cannot be written, or the extra ``graphbrick[vectors]`` is not installed.
        ModelError: The vectors are not of length 1.
    """
    library()  # fail before the work
    place = folder_of(graph, embedder, unit)
    ids = _ids(graph, unit)

    def fill(folder: Path) -> dict[str, Any]:
        vectors = _vectors(graph, embedder, unit, ids, progress)
        exact = len(ids) <= _EXACT
        if exact:
            write_exact(folder, vectors)
        else:
            write_groups(folder, vectors, _sample(graph, embedder, unit, ids), len(ids))
        np.save(folder / "ids.npy", ids)
        if unit == "triple":  # ids of triples change with the graph
            columns = graph.csr.heads(ids), graph.csr.relation[ids], graph.csr.tail[ids]
            np.save(folder / _TRIPLES, np.stack(columns, axis=1))
        store_of(graph).flush()
        made_with = {"model": embedder.identity, "embedder": repr(embedder)}
        return {"graph": graph.hash, **made_with, "unit": unit, "vectors": len(ids), "exact": exact}

    place.keep("the index", fill)
    made = open_index(place)
    assert made is not None
    return made


def command(graph: Graph, embedder: Embedder, unit: str) -> str:
    """Return the command that makes an index."""
    if unit == SENTENCE:
        return f"{sentences.command(graph)} --model {shlex.quote(repr(embedder))}"
    triples = " --triples" if unit == "triple" else ""
    return f"graphbrick prepare vectors {shlex.quote(str(graph.path))} --model {shlex.quote(repr(embedder))}{triples}"


def missing(graph: Graph, embedder: Embedder, unit: str) -> str:
    """Return the command for the index that `index_of` lacks; empty if `index_of` works."""
    if importlib.util.find_spec("faiss") is None:
        return "pip install 'graphbrick[vectors]'"
    try:
        is_made = folder_of(graph, embedder, unit).facts() is not None
    except ValueError:  # damaged, and made again like a missing one
        is_made = False
    return "" if is_made or n_texts(graph, unit) <= _IN_PASSING else command(graph, embedder, unit)


def _open_or_make(graph: Graph, embedder: Embedder, unit: str) -> VectorIndex:
    place = folder_of(graph, embedder, unit)
    advice = command(graph, embedder, unit)
    try:
        index = open_index(place)
        if index is not None:
            return index
        earlier = place.earlier()
        if earlier is not None and earlier.is_usable:
            extended = _extended(graph, embedder, unit, earlier)
            if extended is not None:
                return extended
        why = place.missing_because()
    except (OSError, ValueError) as error:
        why = f"is damaged ({error})"
    what = f"the index over {n_texts(graph, unit):,} {_NOUNS[unit]} in {place.parent}"
    if n_texts(graph, unit) > _IN_PASSING:
        raise GraphbrickError(
            f"{what} {why}; make it with: {advice}", code="vector_index.missing", unit=unit, reason=why, command=advice
        )
    made = build_index(graph, embedder, unit)
    event(
        f"{what} {why}; it was made now (beforehand: {advice})",
        "vector_index.made",
        unit=unit,
        n=n_texts(graph, unit),
        reason=why,
        command=advice,
    )
    return made


def _ids(graph: Graph, unit: str) -> Ids:
    """Return the entities or triples, in the order of their vectors."""
    return graph.triple_ids() if unit == "triple" else np.arange(graph.n_entities, dtype=np.int32)


def _texts(graph: Graph, unit: str, ids: Ids) -> list[str]:
    if unit == "entity":
        return [graph.label(entity) for entity in ids.tolist()]
    if unit == SENTENCE:
        return sentences.sentences_of(graph, ids.tolist())
    return Subgraph(graph, np.zeros(0, dtype=np.int32), ids).triple_texts()


def _embedded(graph: Graph, embedder: Embedder, texts: list[str]) -> npt.NDArray[np.float32]:
    vectors = store_of(graph).get(embedder, texts).astype(np.float32)
    if not np.abs(np.einsum("ij,ij->i", vectors, vectors) - 1).max() <= _OFF:  # also false for NaN
        raise ModelError(
            f"{embedder!r} gave vectors that are not of length 1; an index over them would not rank by cosine",
            code="vector_index.not_unit_length",
        )
    return vectors


def _vectors(
    graph: Graph, embedder: Embedder, unit: str, ids: Ids, progress: Progress
) -> Iterator[npt.NDArray[np.float32]]:
    """Yield the vectors of all ids in order, some thousands at a time."""
    for start in range(0, len(ids), _CHUNK):
        texts = _texts(graph, unit, ids[start : start + _CHUNK])
        parts = []
        for at in range(0, len(texts), _BATCH):
            parts.append(_embedded(graph, embedder, texts[at : at + _BATCH]))
            progress("", start + at + len(parts[-1]), len(ids))
        yield np.concatenate(parts)


def _sample(graph: Graph, embedder: Embedder, unit: str, ids: Ids) -> npt.NDArray[np.float32]:
    """Return vectors of evenly spaced ids."""
    selected = ids[:: max(1, math.ceil(len(ids) / _SAMPLE))]
    parts = np.split(selected, range(_CHUNK, len(selected), _CHUNK))
    return np.concatenate([_embedded(graph, embedder, _texts(graph, unit, part)) for part in parts])
