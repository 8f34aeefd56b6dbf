"""The difference between two versions of a graph as a change, so that the folders beside the older one stay."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import LinkError
from graphbrick.core.properties.values import NO_PROPERTIES, Properties
from graphbrick.graphs.export.blocks import triple_blocks
from graphbrick.graphs.export.entities import entity_record
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.columns import from_json, properties_text
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, Record, RelationRecord
from graphbrick.graphs.store.beside import MOST_CHANGED

_LARGEST = np.iinfo(np.int64).max
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Difference:
    """Records that turn an older graph into a newer one.

    Attributes:
        add: Triples, and facts about entities and relations that are new or differ.
        delete: Triples that are gone.
    """

    add: list[Record]
    delete: list[Record]


def difference(old: Graph, new: Graph) -> Difference | None:
    """Return the change from one graph to another; None if a change cannot express it, or would be too large.

    A change cannot remove entities, relations, types, aliases or descriptions. More than 10 % of the triples
    (`MOST_CHANGED`) are too many: the folders beside the graph would not be used any more. Memory grows by about 50
    bytes with each triple.
    """
    entities, relations = _old_entities(old, new), _old_relations(old, new)
    if (entities >= 0).sum() < old.n_entities or (relations >= 0).sum() < old.n_relations:
        return None
    facts = _facts(old, new, entities)
    if facts is None:
        return None
    entities = _numbered(entities, old.n_entities)
    relations = _numbered(relations, old.n_relations)
    n, r = int(entities.max(initial=0)) + 1, int(relations.max(initial=0)) + 1
    known = {properties_text(NO_PROPERTIES): 0}
    numbers = [_property_numbers(graph, known) for graph in (old, new)]
    p = len(known)
    if n * n * r * p > _LARGEST:
        return None
    before = _codes(old, np.arange(old.n_entities), np.arange(old.n_relations), n, r) * p + numbers[0]
    after = _codes(new, entities, relations, n, r) * p + numbers[1]
    gone, come = np.setdiff1d(before, after), np.setdiff1d(after, before)
    if len(gone) + len(come) > MOST_CHANGED * max(old.n_triples, 1):
        return None
    labels: list[Record] = [
        RelationRecord(new.relation_key(i), new.relation_label(i))
        for i, number in enumerate(relations.tolist())
        if (new.relation_label(i) != old.relation_label(number) if number < old.n_relations else _is_named(new, i))
    ]
    first = {number: entity for entity, number in enumerate(entities.tolist())}
    kinds = {number: relation for relation, number in enumerate(relations.tolist())}

    texts = list(known)

    def record(head: int, relation: int, tail: int, properties: Properties) -> Record:
        triple = new.key(head), new.relation_key(relation), new.key(tail)
        # A record with properties, even with none, is exactly that triple and not its parallels.
        return EdgeRecord(*triple, properties) if p > 1 else triple

    def keys(codes: Codes) -> list[Record]:
        codes, own = np.divmod(codes, p)
        heads, rest = np.divmod(codes, n * r)
        tails, numbers = np.divmod(rest, r)
        rows = zip(heads.tolist(), numbers.tolist(), tails.tolist(), own.tolist(), strict=True)
        return [
            record(first[head], kinds[relation], first[tail], from_json(json.loads(texts[number])))
            for head, relation, tail, number in rows
        ]

    return Difference([*facts, *labels, *keys(come)], keys(gone))


def _property_numbers(graph: Graph, known: dict[str, int]) -> Codes:
    """Return the number of the properties of each triple by their texts in ``known``, where new ones are added."""
    if not graph.triples_have_properties:
        return np.zeros(graph.n_triples, dtype=np.int64)
    texts = (properties_text(graph.triple_properties(triple)) for triple in graph.triple_ids().tolist())
    return np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)


def _old_entities(old: Graph, new: Graph) -> Codes:
    """Return the id that each entity has in the old graph; -1 for none."""
    ids = np.full(new.n_entities, -1, dtype=np.int64)
    for entity in range(new.n_entities):
        try:
            ids[entity] = old.entity(new.key(entity))
        except LinkError:
            continue
    return ids


def _old_relations(old: Graph, new: Graph) -> Codes:
    numbers = {old.relation_key(relation): relation for relation in range(old.n_relations)}
    return np.array([numbers.get(new.relation_key(i), -1) for i in range(new.n_relations)], dtype=np.int64)


def _numbered(ids: Codes, n: int) -> Codes:
    """Return ids in which -1 is replaced by the numbers from ``n`` on."""
    ids = ids.copy()
    missing = np.flatnonzero(ids < 0)
    ids[missing] = n + np.arange(len(missing))
    return ids


def _codes(graph: Graph, entities: Codes, relations: Codes, n: int, r: int) -> Codes:
    """Return one number for each triple."""
    blocks = [
        (entities[block.heads] * n + entities[block.tails]) * r + relations[block.relations]
        for block in triple_blocks(graph)
    ]
    return np.concatenate(blocks) if blocks else np.empty(0, dtype=np.int64)


def _facts(old: Graph, new: Graph, ids: Codes) -> list[Record] | None:
    """Return the records of entities that are new or differ; None if one has lost a fact."""
    records: list[Record] = []
    for entity, number in enumerate(ids.tolist()):
        record = record_of(new, entity)
        if number < 0:
            records.append(record)
            continue
        before = record_of(old, number)
        if has_lost(before, record):
            return None
        if record != before:
            records.append(record)
    return records


def record_of(graph: Graph, entity: int) -> EntityRecord:
    """Return the record of an entity of a graph; aliases in alphabetical order."""
    record = entity_record(graph, entity)
    return replace(record, aliases=tuple(sorted(record.aliases)))


def has_lost(before: EntityRecord, after: EntityRecord) -> bool:
    """Return whether an entity has lost a fact, which a change cannot remove; the order of types counts."""
    return (
        (before.description is not None and after.description is None)
        or before.types != after.types[: len(before.types)]
        or not {*before.aliases} <= {*after.aliases}
        or not {*before.properties} <= {*after.properties}
    )


def _is_named(graph: Graph, relation: int) -> bool:
    return graph.relation_label(relation) != graph.relation_key(relation)
