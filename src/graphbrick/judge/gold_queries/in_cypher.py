"""Gold queries in Cypher."""

from __future__ import annotations

from collections.abc import Callable

from graphbrick.graphs.queries.check_cypher import quoted
from graphbrick.graphs.queries.tokens import literal
from graphbrick.judge.gold_queries.gold_query import Edge, GoldQuery, number_text


def in_cypher(gold: GoldQuery, name_of: Callable[[str], str], *, with_value: bool = False) -> str:
    """Return a gold query in Cypher.

    Args:
        gold: What is asked, with names of the graph's schema.
        name_of: Returns the property that holds the names of a class.
        with_value: Return the value that rows are ordered by as well, and one row more, to see whether two are equal.
    """
    return _Cypher(gold, name_of, with_value=with_value).text()


class _Cypher:
    """Writes one query."""

    def __init__(self, gold: GoldQuery, name_of: Callable[[str], str], *, with_value: bool) -> None:
        self._gold, self._name_of, self._seen, self._with_value = gold, name_of, set[str](), with_value

    def text(self) -> str:
        gold = self._gold
        lines = [f"MATCH {', '.join(map(self._edge, gold.edges))}"]
        conditions = [f"{one} <> {other}" for one, other in gold.different]
        if gold.without is not None:
            head, relation, tail = gold.without
            # Without a variable of its own: every Cypher database knows this, and not all know EXISTS.
            conditions.append(f"NOT ({head})-[:{quoted(relation)}]->({self._class(tail)})")
        if gold.comparison is not None:
            variable, name, operator, value = gold.comparison
            conditions.append(f"{variable}.{quoted(name)} {operator} {number_text(value)}")
        if gold.order is not None and gold.order.property:
            conditions.append(f"{gold.order.variable}.{quoted(gold.order.property)} IS NOT NULL")
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
        if order.property:
            ends = f"WITH DISTINCT {gold.answer}, {order.variable}.{quoted(order.property)} AS value"
        else:
            ends = f"WITH {gold.answer}, count(DISTINCT {order.variable}) AS value"
        returned, n = f"RETURN {answer} AS answer" + ", value" * self._with_value, order.first + self._with_value
        return [ends, returned, f"ORDER BY value{' DESC' * order.descending}", f"LIMIT {n}"]

    def _edge(self, edge: Edge) -> str:
        return f"{self._node(edge.head)}-[:{quoted(edge.relation)}]->{self._node(edge.tail)}"

    def _node(self, variable: str) -> str:
        if variable in self._seen:
            return f"({variable})"
        self._seen.add(variable)
        return f"({variable}{self._class(variable)})"

    def _class(self, variable: str) -> str:
        """Return the class and the given name of a variable, as they are written in its node."""
        kind, name = self._gold.classes.get(variable, ""), self._gold.names.get(variable)
        known = "" if name is None else f" {{{quoted(self._name_of(kind))}: {literal(name)}}}"
        return f"{kind and ':' + quoted(kind)}{known}"

    def _name(self, variable: str) -> str:
        return f"{variable}.{quoted(self._name_of(self._gold.classes.get(variable, '')))}"
