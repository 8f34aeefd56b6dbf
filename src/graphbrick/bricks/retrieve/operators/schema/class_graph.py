"""The classes of a graph, and the relations that join them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.symmetric import symmetric_relations
from graphbrick.graphs.types import entities_by_type

Ints = npt.NDArray[np.int64]

_MOST_CLASSES, _MOST_TRIPLES, _MOST_TYPES = 200, 20_000_000, 4  # types that count of an entity


class Join(NamedTuple):
    """A relation from one class to another.

    Attributes:
        start: The class that it leaves.
        relation: The relation.
        forward: Whether the class has its heads.
        end: The class that it reaches.
    """

    start: str
    relation: int
    forward: bool
    end: str


@dataclass(frozen=True)
class ClassGraph:
    """The classes of a graph; nothing for a graph without types.

    Attributes:
        joins: The joins of each class by its name; of a symmetric relation only those forwards.
        symmetric: The symmetric relations.
    """

    joins: Mapping[str, tuple[Join, ...]]
    symmetric: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        """True if there are classes that relations join, or classes alone without any relation."""
        return bool(self.joins)

    def is_joined_to_itself(self, name: str) -> bool:
        """Return whether a symmetric relation joins a class to itself, such as countries that border each other."""
        return any(join.end == name and join.relation in self.symmetric for join in self.joins.get(name, ()))


def over_all_classes(ways: Sequence[tuple[Join, ...]]) -> tuple[Join, ...]:
    """Return one of several ways along the same relations, with an end of "" where they lead over different classes."""
    *on_the_way, last = zip(*ways, strict=True)
    joins = [joins[0] if len({join.end for join in joins}) == 1 else joins[0]._replace(end="") for joins in on_the_way]
    return (*joins, last[0])


def class_graph_of(graph: Graph) -> ClassGraph:
    """Return the classes of a graph with the relations that join them; a session makes them once."""
    key = ("class graph", graph.place, graph.hash)
    return current_session().get(key, lambda: _class_graph(graph), at_most=4)


def _class_graph(graph: Graph) -> ClassGraph:
    by_type = entities_by_type(graph)
    if not by_type or len(by_type) > _MOST_CLASSES or graph.n_triples > _MOST_TRIPLES:
        return ClassGraph({})
    names = sorted(by_type, key=lambda name: len(by_type[name]))
    ids = graph.triple_ids()
    heads, tails, relations = graph.csr.heads(ids), graph.csr.tail[ids], graph.csr.relation[ids].astype(np.int64)
    layers = list(_layers([by_type[name] for name in names], graph.n_entities))
    keys = []
    for of_head in layers:
        for of_tail in layers:
            head, tail = of_head[heads], of_tail[tails]
            typed = (head >= 0) & (tail >= 0)
            keys.append(np.unique((relations[typed] * len(names) + head[typed]) * len(names) + tail[typed]))
    joins: dict[str, list[Join]] = {}
    labels = symmetric_relations(graph)
    symmetric = frozenset(number for number in range(graph.n_relations) if graph.relation_label(number) in labels)
    for key in np.unique(np.concatenate(keys)).tolist():
        pair, tail_class = divmod(key, len(names))
        relation, head_class = divmod(pair, len(names))
        one, other = names[head_class], names[tail_class]
        joins.setdefault(one, []).append(Join(one, relation, True, other))
        if relation not in symmetric:
            joins.setdefault(other, []).append(Join(other, relation, False, one))
    if not graph.n_triples:  # a table of records has a class, and no relations
        return ClassGraph(dict.fromkeys(names, ()))
    return ClassGraph({name: tuple(own) for name, own in joins.items()}, symmetric)


def _layers(members: list[Ints], n_entities: int) -> Iterator[Ints]:
    """Yield the first, second, ... class of every entity by its number; -1 for none. Small classes come first."""
    taken = np.zeros(n_entities, dtype=np.int64)
    layers = [np.full(n_entities, -1, dtype=np.int64)]
    for number, entities in enumerate(members):
        for depth in range(len(layers)):
            own = entities[taken[entities] == depth]
            layers[depth][own] = number
        if taken[entities].max(initial=0) == len(layers) - 1 < _MOST_TYPES:
            layers.append(np.full(n_entities, -1, dtype=np.int64))
        taken[entities] += 1
    yield from layers[:_MOST_TYPES]
