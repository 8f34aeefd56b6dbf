"""Search for entities by meaning, with an existing index of embeddings of their labels or of sentences about them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.beside import facts_of
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.models.indexes.vector_index import VectorIndex, folder_of, index_of
from graphbrick.models.vectors.store import store_of
from graphbrick.pipeline.parsing import parse_brick


@dataclass(frozen=True)
class EntitySearch:
    """An open index over the labels of a graph's entities, or over sentences about them.

    Attributes:
        graph: The graph.
        embedder: The model that the index was made with.
        index: The index.
    """

    graph: Graph
    embedder: Embedder
    index: VectorIndex

    def nearest(self, text: str, n: int) -> list[int]:
        """Return at most ``n`` entities whose texts are nearest to a text, best first.

        Raises:
            ModelError: The model is not installed or cannot be reached.
        """
        if not len(self.index):
            return []
        ids, _ = self.index.nearest(store_of(self.graph).query_vector(self.embedder, text), n)
        return [int(entity) for entity in ids]


def entity_search(graph: Graph) -> EntitySearch | None:
    """Return the index over a graph's entities that ``graphbrick prepare vectors`` made; None without one.

    An index that cannot be used, such as that of another version of the graph, is an event.
    """
    return indexed(graph, "entity")


def indexed(graph: Graph, unit: str) -> EntitySearch | None:
    """Return the index over texts about a graph's entities that a command made; None without one.

    Args:
        graph: The graph.
        unit: "entity" for their labels, "sentence" for sentences about them.
    """
    return current_session().get(("entity search", unit), lambda: _opened(graph, unit), of=graph)


def _opened(graph: Graph, unit: str) -> EntitySearch | None:
    parent = folder_of(graph, MiniLM(), unit).parent
    folders = [folder for folder in sorted(parent.glob(f"*-{unit}-*")) if not folder.name.startswith(".")]
    for folder in sorted(folders, key=lambda folder: not folder.name.endswith(graph.hash)):
        try:
            embedder = _embedder_of(folder)
            place = folder_of(graph, embedder, unit)
            if place.facts() is None:
                earlier = place.earlier()
                if earlier is None or not earlier.is_usable:
                    raise ValueError(f"it {place.missing_because()}")
            index = index_of(graph, embedder, unit)
        except (GraphbrickError, OSError, ValueError) as error:
            event(
                f"the index in {folder} was not used: {error}",
                "entity_search.unusable_index",
                folder=str(folder),
                reason=str(error),
            )
            continue
        return EntitySearch(graph, embedder, index)
    return None


def _embedder_of(folder: Path) -> Embedder:
    """Return the model that an index was made with.

    Raises:
        ValueError: The model is not known, or another version of it is installed now.
        GraphbrickError: The model is not installed.
    """
    facts = facts_of(folder) or {}
    embedder = parse_brick(facts["embedder"]) if "embedder" in facts else MiniLM()
    if not isinstance(embedder, Embedder) or embedder.identity != facts.get("model"):
        raise ValueError(f"it was made with {facts.get('model')!r}, which is not the model of {embedder!r}")
    return embedder
