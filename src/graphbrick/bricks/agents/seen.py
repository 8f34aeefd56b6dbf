"""A graph of the triples seen in a graph without triple ids, from which paths can be made."""

from __future__ import annotations

from typing import Any

from graphbrick.core.graph import Labels


class SeenTriples:
    """The labels of a graph without triple ids, and ids for the triples seen, in that order.

    Args:
        graph: The graph; entities and relations keep its ids.
    """

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._ids: dict[tuple[int, int, int], int] = {}
        self._triples: list[tuple[int, int, int]] = []

    def __getattr__(self, name: str) -> Any:
        """Return a method of `Labels` of the graph."""
        if name.startswith("_") or name not in vars(Labels):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._graph, name)

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
