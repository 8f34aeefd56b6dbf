"""The tables of a graph in a ladybug database: node tables by type, relation tables by relation.

Every pair of node tables that a relation joins is a table on disk, with an entry for each of their nodes. So thousands
of relations, each with a table, would cost far more than their triples: 4,414 relations over 660,000 entities take 9 GB
and several minutes. The frequent relations get tables of their own, and the others share one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from graphbrick.core.compute import Progress
from graphbrick.graphs.export.blocks import Ints, triple_blocks
from graphbrick.graphs.export.groups import Group
from graphbrick.graphs.store.stored import StoredGraph

UNTYPED = "Entity"
"""The node table of entities without a type, and of rare types in a graph with very many."""

_MOST_TYPES = (200, 60, 20, 6, 0)  # node tables; fewer if relations join too many pairs of them
_MOST_RELATIONS = 300  # relation tables besides the shared one
_COST = 200_000_000  # about 250 MB and ten seconds
_COST_OF_PAIR = 200_000  # of a pair of tables, besides its nodes


@dataclass(frozen=True)
class Layout:
    """The tables of a graph.

    Attributes:
        types: The type of each node table.
        table_of: int64 [entities]; the number of each entity's node table.
        relations: The relations with a table of their own, ascending; the number of the shared table follows them.
        relation_table: int64 [relations]; the number of each relation's table.
        sizes: Triples by the numbers of relation table, head's table and tail's table.
        shared: (relation, head's table, tail's table) with their triples, for the relations that share a table.
    """

    types: list[str]
    table_of: Ints
    relations: list[int]
    relation_table: Ints
    sizes: dict[Group, int]
    shared: dict[Group, int]


def layout(graph: StoredGraph, progress: Progress) -> Layout:
    """Choose the tables of a graph.

    Args:
        graph: The graph.
        progress: Called after each block of triples.
    """
    types, number_of = _types_by_frequency(graph)
    n_types = 1 + min(len(types) - 1, _MOST_TYPES[0])  # UNTYPED is the first
    number_of[number_of >= n_types] = 0
    counts = _counted(graph, number_of, n_types, progress)
    for most in _MOST_TYPES:
        place = np.arange(n_types)
        place[most + 1 :] = 0
        nodes = np.bincount(place[number_of], minlength=n_types)
        own = _with_tables(_merged(counts, place), nodes)
        if own is not None:
            break
    else:
        raise AssertionError("one node table always fits")
    used = np.flatnonzero(nodes)  # a table without nodes is left out
    place = np.searchsorted(used, place)
    relation_table = np.full(graph.n_relations, len(own), dtype=np.int64)
    relation_table[own] = np.arange(len(own))
    merged, sizes = _merged(counts, place), dict[Group, int]()
    for (relation, head, tail), count in merged.items():
        group = (int(relation_table[relation]), head, tail)
        sizes[group] = sizes.get(group, 0) + count
    shared = {group: count for group, count in merged.items() if relation_table[group[0]] == len(own)}
    names = [types[number] for number in used.tolist()]
    return Layout(names, place[number_of], own, relation_table, sizes, shared)


def _types_by_frequency(graph: StoredGraph) -> tuple[list[str], Ints]:
    """Return `UNTYPED` and all first types, the most frequent first, and the number of each entity's type."""
    places: dict[str, int] = {UNTYPED: 0}
    first = (graph.first_type(entity) or UNTYPED for entity in range(graph.n_entities))
    numbers = np.fromiter(
        (places.setdefault(name, len(places)) for name in first), dtype=np.int64, count=graph.n_entities
    )
    counts = np.bincount(numbers, minlength=len(places))
    order = np.concatenate(([0], 1 + np.argsort(-counts[1:], kind="stable")))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    names = list(places)
    return [names[number] for number in order.tolist()], rank[numbers]


def _counted(graph: StoredGraph, number_of: Ints, n_types: int, progress: Progress) -> dict[Group, int]:
    """Return the number of triples for each relation and the types of their ends."""
    shape = (graph.n_relations, n_types, n_types)
    counts: dict[int, int] = {}
    done = 0
    for block in triple_blocks(graph):
        codes = np.ravel_multi_index((block.relations, number_of[block.heads], number_of[block.tails]), shape)
        for code, count in zip(*(part.tolist() for part in np.unique(codes, return_counts=True)), strict=True):
            counts[code] = counts.get(code, 0) + count
        done += len(block.heads)
        progress("counting", done, graph.n_triples)
    codes = np.array(sorted(counts), dtype=np.int64)
    groups = zip(*(part.tolist() for part in np.unravel_index(codes, shape)), strict=True)
    return dict(zip(groups, (counts[code] for code in codes.tolist()), strict=True))


def _merged(counts: dict[Group, int], place: Ints) -> dict[Group, int]:
    """Return the counts with other numbers of node tables."""
    merged: dict[Group, int] = {}
    for (relation, head, tail), count in counts.items():
        group = (relation, int(place[head]), int(place[tail]))
        merged[group] = merged.get(group, 0) + count
    return merged


def _with_tables(counts: dict[Group, int], nodes: Ints) -> list[int] | None:
    """Return the relations that get a table of their own, ascending; None if there are too many pairs of node tables.

    Args:
        counts: Triples by relation, head's table and tail's table.
        nodes: Nodes of each node table.
    """
    triples: dict[int, int] = {}
    pairs: dict[int, set[tuple[int, int]]] = {}
    for (relation, head, tail), count in counts.items():
        triples[relation] = triples.get(relation, 0) + count
        pairs.setdefault(relation, set()).add((head, tail))

    def cost(joined: Iterable[tuple[int, int]]) -> int:
        return sum(int(nodes[head] + nodes[tail]) + _COST_OF_PAIR for head, tail in joined)

    if len(pairs) <= _MOST_RELATIONS and sum(map(cost, pairs.values())) <= _COST:
        return sorted(pairs)
    spent = cost(set().union(*pairs.values()))  # of the shared table
    if spent > _COST // 2 and len(nodes) > 1 and np.count_nonzero(nodes) > 1:
        return None
    own: list[int] = []
    for relation in sorted(triples, key=lambda relation: (-triples[relation], relation)):
        spent += cost(pairs[relation])
        if len(own) == _MOST_RELATIONS or spent > _COST:
            break
        own.append(relation)
    return sorted(own)
