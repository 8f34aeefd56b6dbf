"""A graph of the triples that were seen in a graph without triple ids, so that paths can be made of them."""

from __future__ import annotations

from typing import Any

from graphbrick.core.graph import Labels


class SeenTriples(Labels):
    """The labels of a graph with labels and neighbours, and ids for the triples that were seen, in that order.

    Args:
        graph: The graph; entities and relations keep its ids.
    """

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._ids: dict[tuple[int, int, int], int] = {}
        self._triples: list[tuple[int, int, int]] = []

    def add(self, triple: tuple[int, int, int]) -> int:
        """Return the id of a triple, which is new if the triple is."""
        number = self._ids.setdefault(triple, len(self._triples))
        if number == len(self._triples):
            self._triples.append(triple)
        return number

    def triple(self, triple: int) -> tuple[int, int, int]:
        """Return head, relation and tail of a triple."""
        return self._triples[triple]

    def relation_of(self, triple: int) -> int:
        """Return the relation of a triple."""
        return self._triples[triple][1]

    def triple_text(self, triple: int) -> str:
        """Return a triple as text, such as ``Kenya -> capital -> Nairobi``."""
        head, relation, tail = self._triples[triple]
        return f"{self.label(head)} -> {self.relation_label(relation)} -> {self.label(tail)}"

    @property
    def n_triples(self) -> int:
        """Number of triples seen."""
        return len(self._triples)

    def label(self, entity: int) -> str:
        """Return the label of an entity."""
        return str(self._graph.label(entity))

    def key(self, entity: int) -> str:
        """Return the key of an entity."""
        return str(self._graph.key(entity))

    def relation_label(self, relation: int) -> str:
        """Return the label of a relation."""
        return str(self._graph.relation_label(relation))

    def relation_key(self, relation: int) -> str:
        """Return the key of a relation."""
        return str(self._graph.relation_key(relation))

    def entity(self, key: str) -> int:
        """Return the entity with this key."""
        return int(self._graph.entity(key))

    def search(self, text: str, n: int) -> list[int]:
        """Return entities whose names resemble a text."""
        return list(self._graph.search(text, n))

    def types(self, entity: int) -> list[str]:
        """Return the types of an entity."""
        return list(self._graph.types(entity))

    def first_type(self, entity: int) -> str:
        """Return the first type of an entity."""
        return str(self._graph.first_type(entity))

    def description(self, entity: int) -> str:
        """Return a sentence about an entity."""
        return str(self._graph.description(entity))

    def aliases(self, entity: int) -> list[str]:
        """Return other names of an entity."""
        return list(self._graph.aliases(entity))

    def describe(self, entity: int) -> str:
        """Return a text that tells an entity from others with the same label."""
        return str(self._graph.describe(entity))
