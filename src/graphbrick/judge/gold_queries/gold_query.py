"""A query as what it asks, which can be written in Cypher and in SPARQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import NamedTuple


class Edge(NamedTuple):
    """A relation between two variables, in its direction."""

    head: str
    relation: str
    tail: str


class Comparison(NamedTuple):
    """A condition on a number: the property of ``variable`` is ``operator`` (< or >) ``value``."""

    variable: str
    property: str
    operator: str
    value: float


class Order(NamedTuple):
    """The first rows by a property, or by how many values ``variable`` has if ``property`` is empty."""

    variable: str
    property: str
    descending: bool
    first: int = 1


@dataclass(frozen=True)
class GoldQuery:
    """The meaning of a gold query, apart from its language.

    Attributes:
        classes: The class of each variable; empty for any class.
        edges: Relations that must be there.
        answer: The variable whose names are the answer.
        names: Variables whose name is given.
        different: Pairs of variables that stand for different nodes.
        without: A relation that must not be there.
        optional: A relation whose tail is a second column where it is there.
        comparison: A condition on a number.
        order: Only the first rows, by this.
        is_count: Whether the number of answers is asked for.
    """

    classes: Mapping[str, str]
    edges: tuple[Edge, ...]
    answer: str
    names: Mapping[str, str] = field(default_factory=dict)
    different: tuple[tuple[str, str], ...] = ()
    without: Edge | None = None
    optional: Edge | None = None
    comparison: Comparison | None = None
    order: Order | None = None
    is_count: bool = False

    def renamed(
        self,
        of_class: Callable[[str], str],
        of_relation: Callable[[str], str] = lambda name: name,
        of_property: Callable[[str], str] = lambda name: name,
    ) -> GoldQuery:
        """Return the query with other names for classes, relations and properties."""

        def edge(known: Edge | None) -> Edge | None:
            return known and known._replace(relation=of_relation(known.relation))

        return replace(
            self,
            classes={variable: of_class(name) for variable, name in self.classes.items()},
            edges=tuple(known._replace(relation=of_relation(known.relation)) for known in self.edges),
            without=edge(self.without),
            optional=edge(self.optional),
            comparison=self.comparison and self.comparison._replace(property=of_property(self.comparison.property)),
            order=self.order and self.order._replace(property=self.order.property and of_property(self.order.property)),
        )


def number_text(value: float) -> str:
    """Return a number as both languages read it, without an exponent.

    >>> number_text(9629091.0), number_text(0.25), number_text(5e-14)
    ('9629091', '0.25', '0.00000000000005')
    """
    return f"{value:.0f}" if value == int(value) else f"{Decimal(repr(float(value))):f}"
