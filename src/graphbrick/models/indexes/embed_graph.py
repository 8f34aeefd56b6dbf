"""Embedding the texts of a graph ahead of questions, so that runs find the vectors ready."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from graphbrick.core import Subgraph
from graphbrick.core.compute import Progress, silent
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.graph import Graph
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.vectors.store import store_of

_CHUNK = 4096


def embed_graph(graph: Graph, embedder: Embedder, *, triples: bool = False, progress: Progress = silent) -> int:
    """Embed the names of all relations, the labels of all entities and all passages, and keep the vectors.

    Existing vectors are not made again. Vectors are written every 4,096 texts, so an interrupted run continues where it
    stopped.

    Args:
        graph: The graph.
        embedder: The model.
        triples: Also embed the text of every triple, as `PruneTriples` scores it.
        progress: Called with the number of texts done so far.

    Returns:
        The number of texts that were embedded by this call.
    """
    return _embed(graph, embedder, _texts(graph, triples=triples), progress)


def embed_passages(graph: TextGraph, embedder: Embedder, *, progress: Progress = silent) -> int:
    """Embed only the passages of a graph, like `embed_graph`; return the number of new vectors."""
    return _embed(graph, embedder, iter(graph.passage_texts()), progress)


def lacks_vectors(graph: TextGraph, embedder: Embedder) -> bool:
    """Return whether any passage of a graph has no vector yet."""
    return bool(store_of(graph).missing(embedder, graph.passage_texts()))


def _embed(graph: Graph, embedder: Embedder, texts: Iterator[str], progress: Progress) -> int:
    """Embed texts that have no vector yet, and return their number."""
    store = store_of(graph)
    done = made = 0
    while chunk := list(islice(texts, _CHUNK)):
        missing = store.missing(embedder, chunk)
        for start in range(0, len(missing), _CHUNK // 16):
            store.get(embedder, missing[start : start + _CHUNK // 16])
            progress("", done + start, None)
        done, made = done + len(chunk), made + len(missing)
        store.flush()
        progress("", done, None)
    return made


def n_texts(graph: Graph, *, triples: bool) -> int:
    """Return the number of texts that `embed_graph` embeds or finds embedded."""
    passages = graph.n_passages if isinstance(graph, TextGraph) else 0
    return graph.n_relations + graph.n_entities + passages + (graph.n_triples if triples else 0)


def _texts(graph: Graph, *, triples: bool) -> Iterator[str]:
    yield from map(graph.relation_label, range(graph.n_relations))
    yield from map(graph.label, range(graph.n_entities))
    if isinstance(graph, TextGraph):
        yield from graph.passage_texts()
    if triples:
        for run in graph.csr.runs():
            for start in range(run.start, run.stop, _CHUNK):
                ids = np.arange(start, min(start + _CHUNK, run.stop), dtype=np.int32)
                yield from Subgraph(graph, np.zeros(0, dtype=np.int32), ids).triple_texts()
