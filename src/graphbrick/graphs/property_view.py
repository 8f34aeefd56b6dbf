"""One view of the properties of entities: those of columns, and the values that are tails of triples."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.protocol import HasProperties
from graphbrick.core.properties.values import (
    INFINITE,
    Kind,
    Properties,
    PropertyColumn,
    Scalar,
    Value,
    kind_of,
    read_value,
    shown_value,
)
from graphbrick.core.session import current_session
from graphbrick.graphs.store.literals import DATE, INTEGER, YEAR, LiteralType, first_tails, literal_types, values_of
from graphbrick.graphs.store.stored import StoredGraph

_KINDS = {INTEGER: Kind.INTEGER, YEAR: Kind.INTEGER, DATE: Kind.DATE}
_DATATYPES = {
    **dict.fromkeys(("integer", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger"), Kind.INTEGER),
    **dict.fromkeys(("decimal", "double", "float"), Kind.NUMBER),
    **dict.fromkeys(("gYear",), Kind.INTEGER),
    "boolean": Kind.BOOLEAN,
    "date": Kind.DATE,
    "dateTime": Kind.DATETIME,
}
_EXAMPLES = 3


class ValueRelation(NamedTuple):
    """A relation whose tails are values.

    Attributes:
        kind: The kind of most of them.
        literal: The numbers or dates that they read as; None for texts.
        examples: A few tails.
    """

    kind: Kind
    literal: LiteralType | None
    examples: tuple[int, ...]


class PropertyView(StoredGraph, HasProperties):
    """A folder graph with one view of the properties of its entities."""

    def property_columns(self) -> Sequence[PropertyColumn]:
        """Return the properties of entities, one entry for each name and kind, most frequent first."""
        key = ("property columns", self.place, self.hash)
        return current_session().get(key, self._find_columns, at_most=16)

    def _find_columns(self) -> list[PropertyColumn]:
        own = [column.described() for column in self.columns if not column.of_triples]
        relations = self.value_relations()
        counts = np.zeros(self.n_relations, dtype=np.int64)
        if relations:
            counts = np.bincount(self.csr.relation[self.triple_ids()], minlength=self.n_relations)
        for relation, known in relations.items():
            examples = tuple(map(self.label, known.examples[:_EXAMPLES]))
            own.append(
                PropertyColumn(self.relation_label(relation), known.kind, int(counts[relation]), False, examples)
            )
        return sorted(own, key=lambda column: -column.count)

    def triple_columns(self) -> Sequence[PropertyColumn]:
        """Return the properties of triples, likewise."""
        own = [column.described() for column in self.columns if column.of_triples]
        return sorted(own, key=lambda column: -column.count)

    def properties(self, entity: int) -> Properties:
        """Return the properties of an entity by name: those of columns first, then values that are tails of triples.

        Several values of one name are a list.
        """
        values: dict[str, list[Value]] = {name: [value] for name, value in self.own_properties(entity).items()}
        relations = self.value_relations()
        if relations:
            for triple in self.triples_from(entity):
                known = relations.get(self.relation_of(triple))
                if known is not None:
                    _, relation, tail = self.triple(triple)
                    values.setdefault(self.relation_label(relation), []).append(self._value_of(tail, known))
        return {name: _together(several) for name, several in values.items()}

    def matching(self, condition: Condition) -> Sequence[int]:
        """Return the entities with a property that meets a condition, ascending."""
        parts = [self.own_matching(condition)]
        for relation, known in self.value_relations().items():
            if self.relation_label(relation) == condition.name:
                parts.append(self._heads_where(relation, known, condition))
        entities: list[int] = np.unique(np.concatenate(parts)).tolist()
        return entities

    def value_relations(self) -> Mapping[int, ValueRelation]:
        """Return the relations whose tails are values: numbers, dates, or literals of RDF."""
        key = ("value relations", self.place, self.hash)
        return current_session().get(key, self._find_value_relations, at_most=16)

    def _find_value_relations(self) -> dict[int, ValueRelation]:
        ids, types = self.triple_ids(), literal_types(self)
        found = {}
        for relation, tails in first_tails(self.csr.relation[ids], self.csr.tail[ids], self.n_relations).items():
            literal = types.get(relation)
            if literal is None and not all(self.key(tail).startswith('"') for tail in tails):
                continue
            kind = Kind.TEXT
            if literal is not None:
                kind = _KINDS.get(literal.kind, Kind.NUMBER)
            elif tails:
                kind = self._stated_kind(tails[0])
            found[relation] = ValueRelation(kind, literal, tuple(tails))
        return found

    def _value_of(self, tail: int, known: ValueRelation) -> Value:
        """Return the value that a tail is; its label if it reads as nothing else."""
        text, key = self.label(tail), self.key(tail)
        kind = _DATATYPES.get(self.first_type(tail)) if key.startswith('"') else None
        if kind == Kind.NUMBER and text in INFINITE:
            return INFINITE[text]
        if kind is None and known.literal is not None and not known.literal.unit:
            kind = known.kind
        value = None if kind is None else read_value(text, kind)
        if value is None and key.endswith(">"):
            from graphbrick.graphs.records.rdf_names import rdf_value  # few graphs have literals of RDF

            value = rdf_value(text, key.rpartition("^^<")[2].removesuffix(">"))
        return text if value is None else value

    def _stated_kind(self, tail: int) -> Kind:
        """Return the kind of the datatype of a literal; text if it does not read so, as "abc"^^xsd:integer."""
        kind = _DATATYPES.get(self.first_type(tail), Kind.TEXT)
        is_text = isinstance(self._value_of(tail, ValueRelation(kind, None, ())), str)
        return Kind.TEXT if is_text else kind

    def _heads_where(self, relation: int, known: ValueRelation, condition: Condition) -> npt.NDArray[np.int64]:
        """Return the heads of a relation whose tail meets a condition, ascending."""
        if condition.equals is None and known.literal is not None:
            bounds = {name: _as_number(bound) for name, bound in condition.bounds.items()}
            if None not in bounds.values():
                values = values_of(self, relation)
                keep = np.ones(len(values.heads), dtype=np.bool_)
                for name, bound in bounds.items():
                    assert bound is not None
                    keep &= _HOLDS[name](values.values, bound)
                return np.unique(values.heads[keep])
        tails = self._tails_equal(relation, known, condition)
        heads = [self.head(t) for tail in tails for t in self.triples_to(tail) if self.relation_of(t) == relation]
        return np.unique(np.array(heads, dtype=np.int64))

    def _tails_equal(self, relation: int, known: ValueRelation, condition: Condition) -> list[int]:
        if condition.equals is not None:
            candidates: Sequence[int] = self.named(shown_value(condition.equals))
        else:
            ids = self.triple_ids()
            candidates = np.unique(self.csr.tail[ids[self.csr.relation[ids] == relation]]).tolist()
        return [tail for tail in candidates if condition.holds(self._value_of(tail, known))]


_HOLDS = {
    "above": lambda values, bound: values > bound,
    "at_least": lambda values, bound: values >= bound,
    "below": lambda values, bound: values < bound,
    "at_most": lambda values, bound: values <= bound,
}


def _as_number(bound: Scalar) -> float | None:
    """Return a bound as `literals.Literal.value`: a number, or years with their fraction; None for a text."""
    if isinstance(bound, datetime.date):
        start = datetime.date(bound.year, bound.month, bound.day)
        same = datetime.date(2000, start.month, start.day)
        return start.year + (same.timetuple().tm_yday - 1) / 366
    is_amount = kind_of(bound) in (Kind.INTEGER, Kind.NUMBER)
    return float(bound) if is_amount and isinstance(bound, int | float) else None


def _together(values: list[Value]) -> Value:
    """Return one value, or the list of several different ones."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) == 1:
        return distinct[0]
    parts: list[Scalar] = []
    for value in distinct:
        parts += value if isinstance(value, tuple) else (value,)
    return tuple(dict.fromkeys(parts))
