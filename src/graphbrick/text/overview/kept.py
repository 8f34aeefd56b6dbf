"""The topics of all documents of a graph, kept beside it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.session import current_session
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside import FolderBeside
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.indexes.embed_graph import lacks_vectors
from graphbrick.models.vectors.store import store_of
from graphbrick.text.overview.prose import Sentence
from graphbrick.text.overview.topics import Topic, Topics, topics_of

_FILE = "topics.json"
_NAMES = {True: "topics_by_meaning", False: "topics_by_words"}


def topics_of_graph(graph: TextGraph, embedder: Embedder | None = None) -> Topics:
    """Return the topics of all documents: those kept beside the graph, or else they are made and kept.

    About 5 seconds of CPU for 20,000 passages.

    Args:
        graph: The graph.
        embedder: Whose vectors passages are compared by; their words are compared without one, and if passages have no
            vectors yet.
    """
    chosen = None if embedder is None or lacks_vectors(graph, embedder) else embedder
    key = "topics", "" if chosen is None else chosen.identity
    return current_session().get(key, lambda: _opened(graph, chosen), of=graph)


def forget_topics(graph: TextGraph) -> None:
    """Remove the topics kept for earlier versions of a graph, so that words of deleted documents do not stay."""
    for name in _NAMES.values():
        for folder in FolderBeside(graph, "text", name).older():
            shutil.rmtree(folder, ignore_errors=True)


def _opened(graph: TextGraph, embedder: Embedder | None) -> Topics:
    place = FolderBeside(graph, "text", _NAMES[embedder is not None])
    of = {"text": graph.text_state, "embedder": "" if embedder is None else embedder.identity}
    with suppress(ValueError, OSError, KeyError, TypeError):  # damaged topics are made again
        facts = place.facts()
        if facts is not None and {name: facts[name] for name in of} == of:
            return _from_json(json.loads((place.folder / _FILE).read_text(encoding="utf-8")))
    topics = topics_of(graph, range(graph.n_passages), None if embedder is None else _vectors(graph, embedder))

    def fill(folder: Path) -> Mapping[str, Any]:
        (folder / _FILE).write_text(json.dumps(_to_json(topics), ensure_ascii=False), encoding="utf-8")
        return of

    with suppress(OSError):  # in a folder that cannot be written they are made for each process
        place.write(fill)
    return topics


def _vectors(graph: TextGraph, embedder: Embedder) -> Any:
    def vectors(passages: Sequence[int]) -> npt.NDArray[np.float32]:
        texts = graph.passage_texts()
        return store_of(graph).get(embedder, [texts[i] for i in passages]).astype(np.float32)

    return vectors


def _to_json(topics: Topics) -> dict[str, Any]:
    rows = [[one.names, one.sentences, one.n_passages, one.n_documents] for one in topics.topics]
    return {"names": topics.names, "topics": rows}


def _from_json(value: Mapping[str, Any]) -> Topics:
    return Topics(
        tuple(value["names"]),
        tuple(
            Topic(tuple(names), tuple(Sentence(*one) for one in sentences), n_passages, n_documents)
            for names, sentences, n_passages, n_documents in value["topics"]
        ),
    )
