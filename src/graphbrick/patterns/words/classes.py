"""Classes of entities, inferred from the relations they take part in."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.graph import Graph
from graphbrick.kernels.distinct import distinct
from graphbrick.patterns.dotted import dotted_name

Ints = npt.NDArray[np.int64]

_SHARED = 0.2  # of the smaller of two slots; more than that in common makes one class of both
_LEAST_SHARED = 3
_SAMPLED = 200_000  # entities that slots are compared by
_PAIRS = 1_000_000  # of slots that are counted at once
_MOST_SLOTS = 64  # of one entity; hubs of thousands of relations say nothing about classes
_TYPE_SHARE = 0.1  # of a slot's entities that have a type, for the slot to belong to it
_OF_TAILS = 0.6  # of the entities at the tails of a relation that have a type in names, for the slot to belong to it
_TYPED_SAMPLE = 500  # entities of a slot whose types are looked at


def slot(relation: int, *, head: bool) -> int:
    """Return the number of a slot: the heads of a relation, or its tails."""
    return 2 * relation + (0 if head else 1)


def members(graph: Graph) -> tuple[Ints, Ints]:
    """Return entities and slots, int64 [pairs], each pair once, ascending by entity and slot."""
    ids = graph.triple_ids()
    csr = graph.csr
    relation = csr.relation[ids].astype(np.int64)
    slots = 2 * graph.n_relations
    heads = csr.heads(ids).astype(np.int64) * slots + 2 * relation
    tails = csr.tail[ids].astype(np.int64) * slots + 2 * relation + 1
    pairs = distinct(np.concatenate([heads, tails]))
    return pairs // slots, pairs % slots


def inferred_classes(graph: Graph) -> list[list[int]]:
    """Return groups of slots whose entities are largely the same ones; the largest group first.

    Two slots belong together where they share a fifth of the smaller one's entities: the heads of «directed by» and of
    «release year» are both films. Of a large graph a sample of entities is compared.
    """
    entity, of_slot = members(graph)
    size = np.bincount(of_slot, minlength=2 * graph.n_relations)
    first = np.flatnonzero(np.diff(entity, prepend=-1))
    count = np.diff(first, append=len(entity))
    several = np.flatnonzero((count > 1) & (count <= _MOST_SLOTS))
    share = 1.0
    if len(several) > _SAMPLED:
        share = _SAMPLED / len(several)
        several = np.sort(np.random.default_rng(0).choice(several, _SAMPLED, replace=False))
    together = _together(of_slot, first[several], count[several])
    parent = list(range(2 * graph.n_relations))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    for (one, other), shared in sorted(together.items()):
        smaller = min(size[one], size[other]) * share
        if shared >= max(_SHARED * smaller, min(_LEAST_SHARED, smaller)):
            parent[root(one)] = root(other)
    groups: dict[int, list[int]] = {}
    for node in np.flatnonzero(size).tolist():
        groups.setdefault(root(node), []).append(node)
    return sorted(groups.values(), key=lambda group: (-int(size[group].sum()), group))


def _together(of_slot: Ints, first: Ints, count: Ints) -> Counter[tuple[int, int]]:
    """Return how many entities are in both of two slots; an entity has ``count`` slots from ``first`` on."""
    slots = int(of_slot.max(initial=0)) + 1
    times = Counter[tuple[int, int]]()
    for size in sorted(set(count.tolist())):
        one, other = np.triu_indices(size, 1)
        rows = first[count == size]
        for part in np.array_split(rows, 1 + len(rows) * len(one) // _PAIRS):
            inside = of_slot[part[:, None] + np.arange(size)]
            codes, found = np.unique(inside[:, one] * slots + inside[:, other], return_counts=True)
            for code, n in zip(codes.tolist(), found.tolist(), strict=True):
                times[divmod(code, slots)] += n
    return times


def shares_of_slots(graph: Graph, groups: list[list[int]]) -> dict[int, float]:
    """Return the share of a group's entities that are in a slot, for each slot of each group."""
    if not groups:
        return {}
    entity, of_slot = members(graph)
    group_of = np.full(2 * graph.n_relations, -1, dtype=np.int64)
    for number, group in enumerate(groups):
        group_of[group] = number
    inside = group_of[of_slot] >= 0
    pairs = distinct(group_of[of_slot[inside]] * graph.n_entities + entity[inside])
    total = np.bincount(pairs // max(graph.n_entities, 1), minlength=len(groups))
    size = np.bincount(of_slot, minlength=2 * graph.n_relations)
    return {slot: size[slot] / total[number] for number, group in enumerate(groups) for slot in group}


def types_of_slots(graph: Graph) -> dict[str, list[int]]:
    """Return, for each type in the graph, the slots of which at least a tenth of the entities have it.

    Empty for a graph without types. Of each slot up to 500 entities are looked at.
    """
    if not graph.type_labels():
        return {}
    entity, of_slot = members(graph)
    order = np.argsort(of_slot, kind="stable")
    bounds = np.searchsorted(of_slot[order], np.arange(2 * graph.n_relations + 1))
    slots_of_type: dict[str, list[int]] = {}
    for number in range(2 * graph.n_relations):
        inside = entity[order[bounds[number] : bounds[number + 1]]]
        step = max(1, len(inside) // _TYPED_SAMPLE)
        looked_at = inside[::step][:_TYPED_SAMPLE].tolist()
        types = Counter(graph.first_type(node) for node in looked_at)
        for name, times in types.most_common(4):
            if name and times >= _TYPE_SHARE * len(looked_at):
                slots_of_type.setdefault(name, []).append(number)
    return slots_of_type


def types_in_labels(graph: Graph) -> dict[str, list[int]]:
    """Return, for each type that dotted relation names give their heads, its slots; the type of fewest entities first.

    The heads of `film.actor.film` are actors. So are tails of another relation if nearly all of them are such heads.
    Empty unless most relations have dotted names.
    """
    names = [dotted_name(graph.relation_label(number)) for number in range(graph.n_relations)]
    if 2 * sum(name is not None for name in names) <= len(names):
        return {}
    types = {name: place for place, name in enumerate(sorted({one.type_name for one in names if one is not None}))}
    of_relation = np.array([-1 if one is None else types[one.type_name] for one in names], dtype=np.int64)
    entity, of_slot = members(graph)
    relation, is_head = of_slot // 2, of_slot % 2 == 0
    has_type = is_head & (of_relation[relation] >= 0)
    pairs = distinct(entity[has_type] * len(types) + of_relation[relation[has_type]])
    first = np.searchsorted(pairs // len(types), np.arange(graph.n_entities + 1))
    slots_of_type: dict[str, list[int]] = {name: [] for name in types}
    order, labels = np.argsort(of_slot, kind="stable"), list(types)
    bounds = np.searchsorted(of_slot[order], np.arange(2 * graph.n_relations + 1))
    for number in range(2 * graph.n_relations):
        if number % 2 == 0:
            if of_relation[number // 2] >= 0:
                slots_of_type[labels[of_relation[number // 2]]].append(number)
            continue
        inside = entity[order[bounds[number] : bounds[number + 1]]]
        if not len(inside):
            continue
        counts = np.zeros(len(types))
        for node in inside[:: max(1, len(inside) // _TYPED_SAMPLE)][:_TYPED_SAMPLE].tolist():
            counts[pairs[first[node] : first[node + 1]] % len(types)] += 1
        looked_at = len(inside[:: max(1, len(inside) // _TYPED_SAMPLE)][:_TYPED_SAMPLE])
        for place in np.flatnonzero(counts >= _OF_TAILS * looked_at).tolist():
            slots_of_type[labels[place]].append(number)
    sizes = np.bincount(pairs % len(types), minlength=len(types))
    return {name: slots_of_type[name] for name in sorted(types, key=lambda name: (sizes[types[name]], name))}
