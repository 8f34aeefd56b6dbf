"""Small graphs whose answers can be checked by eye."""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from graphbrick.core.errors import LinkError
from graphbrick.core.graph import Labels, NeighbourList, Neighbours, follow
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph

TINY: tuple[tuple[str, str, str], ...] = (
    ("Kenya", "currency", "Kenyan shilling"),
    ("Kenya", "capital", "Nairobi"),
    ("Kenya", "borders", "Uganda"),
    ("Uganda", "currency", "Ugandan shilling"),
    ("Uganda", "capital", "Kampala"),
    ("Uganda", "borders", "Kenya"),
    ("Rwanda", "borders", "Uganda"),
    ("Rwanda", "capital", "Kigali"),
    ("Uganda", "largest city", "Kampala"),
    ("Rwanda", "borders", "Rwanda"),
)
"""Ten triples with what graphs have: a cycle, parallel relations, a self loop."""


class NeighboursOnly(Labels, Neighbours):
    """An in-memory graph that provides labels and neighbours only, like a client of a database.

    Args:
        triples: Heads, relations and tails; each text is both key and label.

    Attributes:
        calls: Number of calls of `neighbours`.
    """

    def __init__(self, triples: Iterable[tuple[str, str, str]]) -> None:
        self._ids: dict[str, int] = {}
        self._relations: dict[str, int] = {}
        self._around: dict[int, list[tuple[int, int, int]]] = {}
        self.calls = 0
        for head, relation, tail in dict.fromkeys(triples):
            h, t = (self._ids.setdefault(key, len(self._ids)) for key in (head, tail))
            triple = (h, self._relations.setdefault(relation, len(self._relations)), t)
            for end in {h, t}:
                self._around.setdefault(end, []).append(triple)
        self._keys, self._relation_labels = list(self._ids), list(self._relations)

    def label(self, entity: int) -> str:
        """Return the label of an entity, which is its key."""
        return self._keys[entity]

    def key(self, entity: int) -> str:
        """Return the key of an entity."""
        return self._keys[entity]

    def relation_label(self, relation: int) -> str:
        """Return the label of a relation."""
        return self._relation_labels[relation]

    def entity(self, key: str) -> int:
        """Return the entity with this key."""
        if key not in self._ids:
            raise LinkError(f"no entity has the key {key!r}", code="neighbours_only.no_entity", key=key)
        return self._ids[key]

    def search(self, text: str, n: int) -> list[int]:
        """Return entities whose label contains the text or is contained in it; the longest labels first."""
        text = text.lower()
        matches = [key for key in self._keys if key.lower() in text or text in key.lower()]
        return [self._ids[key] for key in sorted(matches, key=len, reverse=True)[:n]]

    def neighbours(
        self,
        entities: Sequence[int],
        *,
        direction: str = "both",
        relations: Collection[int] | None = None,
        limit: int = 1000,
    ) -> list[NeighbourList]:
        """Return the triples around each entity."""
        self.calls += 1
        out, into = follow(direction)
        lists = []
        for entity in entities:
            rows = [
                (head, relation, tail)
                for head, relation, tail in self._around.get(entity, ())
                if ((out and head == entity) or (into and tail == entity))
                and (relations is None or relation in relations)
            ]
            lists.append(NeighbourList(np.array(rows[:limit], dtype=np.int32).reshape(-1, 3), len(rows) > limit))
        return lists


@lru_cache(maxsize=1)
def tiny_graph() -> Graph:
    """Return a graph of three countries, built in a temporary folder that lasts as long as the process."""
    return build(TINY, lasting_folder() / "tiny.graph")


def lasting_folder() -> Path:
    """Return a new temporary folder that is removed when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="graphbrick-")
    atexit.register(folder.cleanup)
    return Path(folder.name)
