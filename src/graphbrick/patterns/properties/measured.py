"""Amounts on triples that are read as properties: the iron of a food, of triples `food HAS iron` with a value of 3.

A table with a row for each thing and each quantity becomes triples from things to quantities with the amounts as their
properties. Questions speak of «the iron of spinach» all the same, as if each quantity were a column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from graphbrick.core.properties.values import Kind, Value
from graphbrick.core.session import current_session
from graphbrick.core.trace import DETAIL, event
from graphbrick.graphs.store.literals import DECIMAL, INTEGER, Ints, LiteralType, Values
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import name_form
from graphbrick.language.stems import spaced, stem
from graphbrick.patterns.properties.column_numbers import floats_of

if TYPE_CHECKING:
    from graphbrick.graphs.graph import Graph
    from graphbrick.graphs.store.columns import Column

_MOST, _LEAST = 500, 2  # quantities
_MOST_TRIPLES = 20_000_000  # of a relation that is looked at, in seconds
_DENSE = 0.4  # of the pairs of things and quantities that have an amount
_HAVE = 0.9  # of the triples that have the amount
_AMOUNTS = (Kind.INTEGER, Kind.NUMBER)
_VALUES = frozenset(
    map(stem, "value amount score level percent percentage quantity measure measurement result reading rate".split())
)
_UNITS = ("unit", "units")
_DIGITS = "zero one two three four five six seven eight nine".split()
_IN_LETTERS = str.maketrans({str(digit): word for digit, word in enumerate(_DIGITS)})
_SHORTEST = 3  # letters of a name
_FORM = Expression(r"[^\W_]+")
_INSIDE = Expression(r"\(([^\W\d_]+(?: [^\W\d_]+)*)\)")
_HEAD = Expression(r"^[^,(\[:;]*[^,(\[:;\s](?=\s*(?:[,(\[:;]| - |$))")


@dataclass(frozen=True)
class Measured:
    """The amounts of one quantity.

    Attributes:
        relation: The relation between things and quantities.
        quantity: The entity that stands for the quantity.
        name: The property of the triples that has the amount.
        forward: Whether the things are heads.
    """

    relation: int
    quantity: int
    name: str
    forward: bool

    def triples(self, graph: Graph) -> Ints:
        """Return the triples with the amounts, int64."""
        found = graph.triples_to(self.quantity) if self.forward else graph.triples_from(self.quantity)
        ids = np.fromiter(found, dtype=np.int64)
        own: Ints = ids[graph.csr.relation[ids] == self.relation]
        return own

    def triple(self, graph: Graph, entity: int) -> int | None:
        """Return the triple with the amount of an entity; None without one."""
        found = self.triples(graph)
        own = found[self._things(graph, found) == entity]
        return int(own[0]) if len(own) else None

    def value(self, graph: Graph, entity: int) -> Value | None:
        """Return the amount of an entity; None without one."""
        triple = self.triple(graph, entity)
        return None if triple is None else graph.triple_properties(triple).get(self.name)

    def numbers(self, graph: Graph) -> Values:
        """Return the amounts as numbers; tails are -1."""
        key = ("measured", graph.place, graph.hash, self)
        return current_session().get(key, lambda: self._numbers(graph), at_most=_MOST)

    def _things(self, graph: Graph, triples: Ints) -> Ints:
        ends = graph.csr.heads(triples) if self.forward else graph.csr.tail[triples]
        return np.asarray(ends, dtype=np.int64)

    def _numbers(self, graph: Graph) -> Values:
        triples = self.triples(graph)
        numbers = np.full(len(triples), np.nan)
        for column in graph.columns:
            if column.name == self.name and column.of_triples and len(column):
                rows = np.minimum(np.searchsorted(column.owners, triples), len(column) - 1)
                has = column.owners[rows] == triples
                numbers[has] = floats_of(column)[rows[has]]
        for place in np.flatnonzero(triples >= graph.manifest.triples).tolist():  # came with changes
            value = graph.triple_properties(int(triples[place])).get(self.name)
            numbers[place] = value if isinstance(value, int | float) else np.nan
        known = ~np.isnan(numbers)
        heads, first = np.unique(self._things(graph, triples)[known], return_index=True)
        return Values(heads, numbers[known][first], np.full(len(heads), -1, dtype=np.int64))


@dataclass(frozen=True)
class Quantity:
    """A quantity with its words.

    Attributes:
        label: Its name.
        measured: Where its amounts are.
        literal: The type of the amounts, with their unit.
        spoken: One word for it, such as «vitaminc»: its name up to a comma or a bracket if no other has this.
        names: All that it is called, in lower case: also other names, and what stands in brackets.
    """

    label: str
    measured: Measured
    literal: LiteralType
    spoken: str
    names: tuple[str, ...]


def quantities_of(graph: Graph) -> list[Quantity]:
    """Return the quantities of a graph whose triples have properties: nearly all things have an amount of each."""
    found = list[Quantity]()
    amounts = [column for column in graph.columns if column.of_triples and column.kind in _AMOUNTS and len(column)]
    of_relation: dict[int, list[Column]] = {}
    for column in amounts:
        for relation in np.unique(graph.csr.relation[column.owners]).tolist():
            of_relation.setdefault(relation, []).append(column)
    for relation, columns in of_relation.items():
        found += _of_relation(graph, relation, columns)
    return found


def _of_relation(graph: Graph, relation: int, columns: Sequence[Column]) -> list[Quantity]:
    ids = graph.triple_ids()
    triples = ids[graph.csr.relation[ids] == relation]
    if len(triples) > _MOST_TRIPLES:
        label = graph.relation_label(relation)
        text = f"{label} has {len(triples):,} triples; whether their numbers are amounts is not looked at"
        event(text, "measured.many_triples", DETAIL, relation=label, n=len(triples))
        return []
    heads, tails = np.asarray(graph.csr.heads(triples)), np.asarray(graph.csr.tail[triples])
    things, quantities = np.unique(heads), np.unique(tails)
    forward = len(things) >= len(quantities)
    if not forward:
        things, quantities = quantities, things
    if not _LEAST <= len(quantities) <= _MOST or len(quantities) * 2 > len(things):
        return []
    pairs = np.unique(heads.astype(np.int64) * graph.n_entities + tails)
    is_table = len(pairs) == len(triples) and len(triples) >= _DENSE * len(things) * len(quantities)
    if not is_table or np.isin(quantities, things).any():
        return []
    column = _amounts_in(graph, columns, triples, quantities.tolist())
    if column is None or _are_numbers(graph, quantities.tolist()):
        return []
    return _named(graph, relation, column, forward, quantities.tolist())


def _amounts_in(graph: Graph, columns: Sequence[Column], triples: Ints, quantities: Sequence[int]) -> Column | None:
    """Return the column that has the amounts: the one called value, amount or the like; the only one beside units."""
    full = [one for one in columns if np.isin(triples, one.owners).mean() >= _HAVE]
    named = [one for one in full if stem((spaced(one.name).lower().replace("_", " ").split() or [""])[-1]) in _VALUES]
    chosen = named or (full if all(_unit(graph, one) for one in quantities) else [])
    return chosen[0] if len(chosen) == 1 else None


def _are_numbers(graph: Graph, entities: Sequence[int]) -> bool:
    """Return whether most names have no word: years are no quantities."""
    return 2 * sum(any(map(str.isalpha, graph.label(one))) for one in entities) < len(entities)


def _named(graph: Graph, relation: int, column: Column, forward: bool, entities: Sequence[int]) -> list[Quantity]:
    kind = INTEGER if column.kind == Kind.INTEGER else DECIMAL
    labels = list(map(graph.label, entities))
    own = [_names(graph, entity) for entity in entities]
    count = Counter(chain(*map(set, own)))
    found = []
    for entity, label, called in zip(entities, labels, own, strict=True):
        long = {name_form(label), *(name for name in called if len(name) >= _SHORTEST)}  # «pH» is a whole name
        names = tuple(dict.fromkeys(name for name in called if count[name] == 1 and name in long and len(name) > 1))
        spoken = next(iter(names), name_form(label)).translate(_IN_LETTERS).split()
        measured = Measured(relation, entity, column.name, forward)
        found.append(Quantity(label, measured, LiteralType(kind, _unit(graph, entity)), "".join(spoken), names))
    return found


def _names(graph: Graph, entity: int) -> list[str]:
    """Return the names of an entity, first without what follows a comma or a bracket, then what is in brackets."""
    names = [graph.label(entity), *graph.aliases(entity)]
    heads = [match[0] for name in names if (match := _HEAD.match(name))]
    inside = [text for name in names for text in _INSIDE.findall(name)]
    return list(filter(None, map(name_form, (*heads, *names, *inside))))


def _unit(graph: Graph, entity: int) -> str:
    own = graph.properties(entity)
    units = (own[name] for name in _UNITS if isinstance(own.get(name), str))
    return str(next(units, ""))


@dataclass(frozen=True)
class _Called:
    names: dict[str, Quantity]
    pattern: re.Pattern[str]


def said_in(graph: Graph, text: str) -> list[tuple[int, int, Quantity]]:
    """Return where a text names quantities, by the longest of their names, also in singular or plural."""
    key = ("quantities", graph.place, graph.hash)
    called = current_session().get(key, lambda: _called(graph), at_most=8)
    if called is None:
        return []
    return [
        (match.start(), match.end(), called.names[" ".join(_FORM.findall(match["name"].lower()))])
        for match in called.pattern.finditer(text)
    ]


def _called(graph: Graph) -> _Called | None:
    names = {name: one for one in quantities_of(graph) for name in one.names}
    if not names:
        return None
    for name, one in list(names.items()):
        names.setdefault(name[:-1] if name.endswith("s") else f"{name}s", one)
    each = (r"\W{1,3}".join(map(re.escape, name.split())) for name in sorted(names, key=len, reverse=True))
    return _Called(names, re.compile(rf"(?<![\w-])(?P<name>{'|'.join(each)})(?![\w-])", re.IGNORECASE))
