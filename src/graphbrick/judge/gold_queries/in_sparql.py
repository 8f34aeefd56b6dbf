"""Gold queries in SPARQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from graphbrick.graphs.queries.prefixes import STANDARD, shortened
from graphbrick.graphs.queries.tokens import literal
from graphbrick.judge.gold_queries.gold_query import Edge, GoldQuery, number_text


@dataclass(frozen=True)
class SparqlNames:
    """Names of a graph in SPARQL, for the writer of queries.

    Attributes:
        name_of: Returns the predicate that states the names of a class.
        prefixes: Prefixes of IRIs.
        plain: Predicates whose names are texts without a language.
        language: Tag of the language of answers, where names have one.
        years: Predicates whose values must be read as numbers before they are compared.
    """

    name_of: Callable[[str], str]
    prefixes: Mapping[str, str]
    plain: Collection[str] = ()
    language: str = "en"
    years: Collection[str] = ()


def in_sparql(gold: GoldQuery, names: SparqlNames, *, with_value: bool = False) -> str:
    """Return a gold query in SPARQL.

    Args:
        gold: What is asked, with IRIs.
        names: What is known of the graph.
        with_value: Return the value that rows are ordered by as well, and one row more, to see whether two are equal.
    """
    return _Sparql(gold, names, with_value=with_value).text()


class _Sparql:
    """Writes one query."""

    def __init__(self, gold: GoldQuery, names: SparqlNames, *, with_value: bool) -> None:
        self._gold, self._names, self._with_value = gold, names, with_value
        self._prefixes, self._seen = {**names.prefixes, "rdfs": STANDARD["rdfs"], "xsd": STANDARD["xsd"]}, set[str]()

    def text(self) -> str:
        gold = self._gold
        lines = [line for edge in gold.edges for line in self._edge(edge)]
        if not gold.is_count:
            lines += self._answer(gold.answer, "?answer")
        lines += [f"FILTER(?{one} != ?{other})" for one, other in gold.different]
        if gold.without is not None:
            lines.append(f"FILTER NOT EXISTS {{ {' '.join(self._edge(gold.without))} }}")
        if gold.comparison is not None:
            variable, name, operator, number = gold.comparison
            lines += [f"?{variable} {self._short(name)} ?value .",
                      f"FILTER({self._number(name)} {operator} {number_text(number)})"]  # fmt: skip
        if gold.optional is not None:
            inner = [*self._edge(gold.optional), *self._answer(gold.optional.tail, "?other")]
            lines.append(f"OPTIONAL {{ {' '.join(inner)} }}")
        if gold.order is not None and gold.order.property:
            lines += [
                f"?{gold.order.variable} {self._short(gold.order.property)} ?value .",
                "FILTER(ISLITERAL(?value))",
            ]
        columns, end = self._result()
        body = "\n  ".join(lines)
        whole = f"SELECT {columns} WHERE {{\n  {body}\n}}{end}"
        used = [prefix for prefix in self._prefixes if f"{prefix}:" in whole]
        return "".join(f"PREFIX {prefix}: <{self._prefixes[prefix]}>\n" for prefix in used) + whole

    def _result(self) -> tuple[str, str]:
        """Return the columns of the result, and what follows the pattern."""
        gold, order = self._gold, self._gold.order
        if gold.is_count:
            return f"(COUNT(DISTINCT ?{gold.answer}) AS ?number)", ""
        if order is None:
            return "DISTINCT ?answer" + " ?other" * (gold.optional is not None), ""
        # A node may match in several ways, but counts as one row.
        best = f"{'MAX' if order.descending else 'MIN'}({self._number(order.property)})"
        value = best if order.property else f"COUNT(DISTINCT ?{order.variable})"
        columns = "?answer" + f" ({value} AS ?ordered)" * self._with_value
        way, n = "DESC" if order.descending else "ASC", order.first + self._with_value
        return columns, f" GROUP BY ?{gold.answer} ?answer ORDER BY {way}({value}) LIMIT {n}"

    def _edge(self, edge: Edge) -> list[str]:
        nodes = [line for variable in (edge.head, edge.tail) for line in self._node(variable)]
        return [f"?{edge.head} {self._short(edge.relation)} ?{edge.tail} .", *nodes]

    def _node(self, variable: str) -> list[str]:
        if variable in self._seen:
            return []
        self._seen.add(variable)
        kind, name = self._gold.classes.get(variable, ""), self._gold.names.get(variable)
        lines = [f"?{variable} a {self._short(kind)} ."] if kind else []
        if name is None:
            return lines
        predicate = self._names.name_of(kind)
        if predicate in self._names.plain:
            return [*lines, f"?{variable} {self._short(predicate)} {literal(name)} ."]
        return [*lines, f"?{variable} {self._short(predicate)} ?{variable}_name .",
                f"FILTER(STR(?{variable}_name) = {literal(name)})"]  # fmt: skip

    def _answer(self, variable: str, target: str) -> list[str]:
        """Return the patterns that give the name of a node."""
        predicate = self._names.name_of(self._gold.classes.get(variable, ""))
        lines = [f"?{variable} {self._short(predicate)} {target} ."]
        if predicate not in self._names.plain:
            tag = literal(self._names.language)
            lines.append(f"FILTER(LANG({target}) = '' || LANGMATCHES(LANG({target}), {tag}))")
        return lines

    def _number(self, predicate: str) -> str:
        return "xsd:integer(STR(?value))" if predicate in self._names.years else "?value"

    def _short(self, name: str) -> str:
        return shortened(name, self._prefixes)
