"""A query as what it asks, which can be written in Cypher and in SPARQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from graphbrick.queries.check_cypher import quoted
from graphbrick.queries.prefixes import STANDARD, shortened
from graphbrick.queries.tokens import SPARQL

_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


class Edge(NamedTuple):
    """A relation between two variables, in its direction."""

    head: str
    relation: str
    tail: str


class Comparison(NamedTuple):
    """A condition on a number: of the variable ``variable``, the property must be ``operator`` (< or >) ``value``."""

    variable: str
    property: str
    operator: str
    value: float


class Order(NamedTuple):
    """The one row that is first by a property, or by how many values ``variable`` has if ``property`` is empty."""

    variable: str
    property: str
    descending: bool


@dataclass(frozen=True)
class GoldQuery:
    """What a query asks.

    Attributes:
        classes: The class of each variable.
        edges: Relations that must be there.
        answer: The variable whose names are the answer.
        names: Variables whose name is given.
        without: A relation that must not be there.
        optional: A relation whose tail is a second column where it is there.
        comparison: A condition on a number.
        order: Only the first row, by this.
        is_count: Whether the number of answers is asked for.
    """

    classes: Mapping[str, str]
    edges: tuple[Edge, ...]
    answer: str
    names: Mapping[str, str] = field(default_factory=dict)
    without: Edge | None = None
    optional: Edge | None = None
    comparison: Comparison | None = None
    order: Order | None = None
    is_count: bool = False

    def written(
        self, language: str, name_of: Callable[[str], str], prefixes: Mapping[str, str], *, with_value: bool = False
    ) -> str:
        """Return the query in a language.

        Args:
            language: "Cypher" or "SPARQL".
            name_of: Returns the property that holds the names of a class.
            prefixes: Prefixes of IRIs, for SPARQL.
            with_value: Return the value that rows are ordered by as well, and two rows, to see whether two are first.
        """
        if language == SPARQL:
            return _Sparql(self, name_of, prefixes, with_value=with_value).text()
        return _Cypher(self, name_of, with_value=with_value).text()


def number_text(value: float) -> str:
    """Return a number as both languages read it, without an exponent.

    >>> number_text(9629091.0), number_text(0.25)
    ('9629091', '0.25')
    """
    return f"{value:.0f}" if value == int(value) else f"{value:.12f}".rstrip("0")


class _Cypher:
    def __init__(self, gold: GoldQuery, name_of: Callable[[str], str], *, with_value: bool) -> None:
        self._gold, self._name_of, self._seen, self._with_value = gold, name_of, set[str](), with_value

    def text(self) -> str:
        gold = self._gold
        lines = [f"MATCH {', '.join(map(self._edge, gold.edges))}"]
        conditions = []
        if gold.without is not None:
            conditions.append(f"NOT EXISTS {{ MATCH {self._edge(gold.without)} }}")
        if gold.comparison is not None:
            variable, name, operator, value = gold.comparison
            conditions.append(f"{variable}.{quoted(name)} {operator} {number_text(value)}")
        if conditions:
            lines.append(f"WHERE {' AND '.join(conditions)}")
        if gold.optional is not None:
            lines.append(f"OPTIONAL MATCH {self._edge(gold.optional)}")
        return "\n".join((*lines, *self._result()))

    def _result(self) -> list[str]:
        gold, order = self._gold, self._gold.order
        answer = self._name(gold.answer)
        if gold.is_count:
            return [f"RETURN count(DISTINCT {gold.answer}) AS number"]
        if order is None:
            second = "" if gold.optional is None else f", {self._name(gold.optional.tail)} AS other"
            return [f"RETURN DISTINCT {answer} AS answer{second}"]
        value = f"{order.variable}.{quoted(order.property)}" if order.property else f"count(DISTINCT {order.variable})"
        ends = [f"WITH {'DISTINCT ' * bool(order.property)}{answer} AS answer, {value} AS value"]
        if order.property:
            ends.append("WHERE value IS NOT NULL")
        returned, limit = ("answer, value", 2) if self._with_value else ("answer", 1)
        return [*ends, f"RETURN {returned}", f"ORDER BY value{' DESC' * order.descending}", f"LIMIT {limit}"]

    def _edge(self, edge: Edge) -> str:
        return f"{self._node(edge.head)}-[:{quoted(edge.relation)}]->{self._node(edge.tail)}"

    def _node(self, variable: str) -> str:
        if variable in self._seen:
            return f"({variable})"
        self._seen.add(variable)
        kind, name = self._gold.classes[variable], self._gold.names.get(variable)
        known = "" if name is None else f" {{{quoted(self._name_of(kind))}: '{name.translate(_ESCAPES)}'}}"
        return f"({variable}:{quoted(kind)}{known})"

    def _name(self, variable: str) -> str:
        return f"{variable}.{quoted(self._name_of(self._gold.classes[variable]))}"


class _Sparql:
    def __init__(
        self, gold: GoldQuery, name_of: Callable[[str], str], prefixes: Mapping[str, str], *, with_value: bool
    ) -> None:
        self._gold, self._name_of, self._with_value = gold, name_of, with_value
        self._prefixes, self._seen = {**prefixes, "rdfs": STANDARD["rdfs"]}, set[str]()

    def text(self) -> str:
        gold, order = self._gold, self._gold.order
        lines = [line for edge in gold.edges for line in self._edge(edge)]
        if not gold.is_count:
            lines.append(self._name(gold.answer, "?answer"))
        if gold.without is not None:
            lines.append(f"FILTER NOT EXISTS {{ {' '.join(self._edge(gold.without))} }}")
        if gold.comparison is not None:
            variable, name, operator, number = gold.comparison
            lines += [f"?{variable} {self._short(name)} ?value .", f"FILTER(?value {operator} {number_text(number)})"]
        if gold.optional is not None:
            inner = [*self._edge(gold.optional), self._name(gold.optional.tail, "?other")]
            lines.append(f"OPTIONAL {{ {' '.join(inner)} }}")
        columns, end = "DISTINCT ?answer" + (" ?other" if gold.optional is not None else ""), ""
        if gold.is_count:
            columns = f"(COUNT(DISTINCT ?{gold.answer}) AS ?number)"
        elif order is not None:
            value = "?value" if order.property else f"COUNT(DISTINCT ?{order.variable})"
            columns = f"?answer ({value} AS ?ordered)" if self._with_value else "?answer"
            if order.property:
                lines.append(f"?{order.variable} {self._short(order.property)} ?value .")
            group = "" if order.property else " GROUP BY ?answer"
            way = "DESC" if order.descending else "ASC"
            end = f"{group} ORDER BY {way}({value}) LIMIT {2 if self._with_value else 1}"
        body = "\n  ".join(lines)
        used = [prefix for prefix in self._prefixes if f"{prefix}:" in body]
        declared = "".join(f"PREFIX {prefix}: <{self._prefixes[prefix]}>\n" for prefix in used)
        return f"{declared}SELECT {columns} WHERE {{\n  {body}\n}}{end}"

    def _edge(self, edge: Edge) -> list[str]:
        nodes = [line for variable in (edge.head, edge.tail) for line in self._node(variable)]
        return [f"?{edge.head} {self._short(edge.relation)} ?{edge.tail} .", *nodes]

    def _node(self, variable: str) -> list[str]:
        if variable in self._seen:
            return []
        self._seen.add(variable)
        name = self._gold.names.get(variable)
        lines = [f"?{variable} a {self._short(self._gold.classes[variable])} ."]
        if name is not None:
            lines += [self._name(variable, f"?{variable}_name"),
                      f"FILTER(STR(?{variable}_name) = '{name.translate(_ESCAPES)}')"]  # fmt: skip
        return lines

    def _name(self, variable: str, target: str) -> str:
        return f"?{variable} {self._short(self._name_of(self._gold.classes[variable]))} {target} ."

    def _short(self, name: str) -> str:
        return shortened(name, self._prefixes)
