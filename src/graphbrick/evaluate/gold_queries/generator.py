"""Questions with gold queries and answers, from the schema of a graph and templates.

The kinds of questions follow Feng et al., CypherBench (ACL 2025): basic, two steps, intersection, count, superlative,
comparison, negation, optional.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.graph import QueryLanguage, Rows
from graphbrick.core.schema import Connection, Property
from graphbrick.evaluate.gold_queries.gold_query import Comparison, Edge, GoldQuery, Order, number_text
from graphbrick.queries.prefixes import STANDARD
from graphbrick.queries.schema_text import readable, schema_prefixes
from graphbrick.queries.tokens import SPARQL, known_language

TEMPLATES = (
    "basic", "inverse", "two steps", "intersection", "count", "superlative", "most", "comparison", "negation",
    "optional",
)  # fmt: skip
_NAMES = ("label", "name", "title")  # properties that hold names, best first
_NUMBERS = ("INT", "FLOAT", "DOUBLE", "DECIMAL", "NUMBER", "UINT")
_MOST_ANSWERS = 50
_SAMPLED = 1_000  # names of one end of a relation
_TRIES = 40  # for one question


@dataclass(frozen=True)
class QueryQuestion:
    """A question, its gold query, and the answers that the graph gives.

    Attributes:
        id: Unique in one run of the generator.
        question: The question.
        query: The gold query, in the language of the graph.
        language: "Cypher" or "SPARQL".
        answers: The distinct values of the first column as text.
        seeds: The names that the question holds.
        template: One of `TEMPLATES`.
        ordered: Whether the order of the rows counts.
    """

    id: str
    question: str
    query: str
    language: str
    answers: tuple[str, ...]
    seeds: tuple[str, ...]
    template: str
    ordered: bool = False

    def record(self) -> dict[str, Any]:
        """Return the fields for a line of JSON, in the plain format of data sets."""
        return asdict(self)


def questions_with_queries(
    graph: QueryLanguage, n: int, *, seed: int = 0, templates: tuple[str, ...] = TEMPLATES
) -> Iterator[QueryQuestion]:
    """Yield questions about a graph with their gold queries and answers, the templates in turn.

    Questions have from 1 to 50 answers. Fewer than ``n`` come if the graph gives no more.

    Args:
        graph: The graph; its schema must name classes and connections.
        n: How many, at least 1.
        seed: Of the random choice.
        templates: Kinds of questions.

    Raises:
        GraphbrickError: The schema has no connection, or a template is unknown.
    """
    unknown = set(templates) - set(TEMPLATES)
    if unknown:
        raise GraphbrickError(f"there is no template {sorted(unknown)[0]!r}; there are {', '.join(TEMPLATES)}")
    maker, seen, number = _Maker(graph, random.Random(seed)), set[str](), 0
    misses = dict.fromkeys(templates, 0)
    while number < n and any(count < 3 for count in misses.values()):
        for template in templates:
            if number == n or misses[template] >= 3:
                continue
            made = maker.question(template, str(number + 1), seen)
            if made is None:
                misses[template] += 1
                continue
            number += 1
            yield made


class _Maker:
    """Makes questions about one graph."""

    def __init__(self, graph: QueryLanguage, chosen: random.Random) -> None:
        self._graph, self._random = graph, chosen
        self._language, self._schema = known_language(graph.language), graph.schema()
        self._prefixes = schema_prefixes(self._schema)
        self._properties = {known.name: known.properties for known in self._schema.classes}
        self._connections = [known for known in self._schema.connections if self._is_usable(known)]
        if not self._connections:
            raise GraphbrickError("the schema has no relation between classes whose nodes have names; nothing to ask")
        self._ends: dict[tuple[Connection, bool], list[str]] = {}
        self._templates: dict[str, Callable[[], tuple[str, GoldQuery] | None]] = {
            "basic": self._basic, "inverse": self._inverse, "two steps": self._two_steps,
            "intersection": self._intersection, "count": self._count, "superlative": self._superlative,
            "most": self._most, "comparison": self._comparison, "negation": self._negation, "optional": self._optional,
        }  # fmt: skip

    def question(self, template: str, number: str, seen: set[str]) -> QueryQuestion | None:
        """Return a question of a template that was not seen yet; None if none is found in a number of tries."""
        for _ in range(_TRIES):
            made = self._templates[template]()
            if made is None or made[0] in seen:
                continue
            text, gold = made
            query = gold.written(self._language, self._name_of, self._prefixes)
            answers = list(dict.fromkeys(_text(row[0]) for row in self._rows(query).rows if row[0] is not None))
            if not 1 <= len(answers) <= _MOST_ANSWERS or answers == ["0"] or self._is_tied(gold):
                continue
            seen.add(text)
            seeds = tuple(gold.names.values())
            return QueryQuestion(number, text, query, self._language, tuple(answers), seeds, template)
        return None

    def _is_tied(self, gold: GoldQuery) -> bool:
        """Whether two rows are first, so that the one that the query returns is arbitrary."""
        if gold.order is None:
            return False
        rows = self._rows(gold.written(self._language, self._name_of, self._prefixes, with_value=True)).rows
        return len(rows) == 2 and rows[0][1] == rows[1][1]

    def _is_usable(self, known: Connection) -> bool:
        """Whether the nodes at both ends have names, and the relation is not a copy of a property."""
        if any(part.name == known.relation for part in self._properties.get(known.head, ())):
            return False
        return all(end in self._properties and self._name_of(end) for end in (known.head, known.tail))

    def _name_of(self, kind: str) -> str:
        """Return the property that holds the names of a class; empty if there is none."""
        names = [part.name for part in self._properties[kind]]
        found = next((name for wanted in _NAMES for name in names if readable(name).lower() == wanted), "")
        return found or (STANDARD["rdfs"] + "label" if self._language == SPARQL else "")

    def _rows(self, query: str) -> Rows:
        return self._graph.query(query, {}, _SAMPLED)

    def _connection(self) -> Connection:
        return self._random.choice(self._connections)

    def _name(self, known: Connection, *, head: bool) -> str | None:
        """Return the name of a node at one end of a relation."""
        if (known, head) not in self._ends:
            gold = GoldQuery(
                {"x": known.head, "y": known.tail}, (Edge("x", known.relation, "y"),), "x" if head else "y"
            )
            query = gold.written(self._language, self._name_of, self._prefixes)
            order = " ORDER BY ?answer LIMIT" if self._language == SPARQL else " ORDER BY answer LIMIT"
            rows = self._rows(f"{query}{order} {_SAMPLED}").rows
            self._ends[known, head] = [str(row[0]) for row in rows if row[0]]
        names = self._ends[known, head]
        return self._random.choice(names) if names else None

    def _number(self, kind: str) -> Property | None:
        """Return a property of a class that holds numbers."""
        numbers = [
            part for part in self._properties[kind]
            if part.type.upper().startswith(_NUMBERS) or readable(part.type).lower() in ("integer", "decimal", "double")
        ]  # fmt: skip
        return self._random.choice(numbers) if numbers else None

    def _basic(self) -> tuple[str, GoldQuery] | None:
        known = self._connection()
        name = self._name(known, head=True)
        if name is None:
            return None
        head, relation, tail = _words(known)
        return (
            f"Which {tail} does the {head} «{name}» have as {relation}?",
            GoldQuery({"x": known.head, "y": known.tail}, (Edge("x", known.relation, "y"),), "y", {"x": name}),
        )

    def _inverse(self) -> tuple[str, GoldQuery] | None:
        known = self._connection()
        name = self._name(known, head=False)
        if name is None:
            return None
        head, relation, tail = _words(known)
        return (
            f"Which {head} has the {tail} «{name}» as {relation}?",
            GoldQuery({"x": known.head, "y": known.tail}, (Edge("x", known.relation, "y"),), "x", {"y": name}),
        )

    def _two_steps(self) -> tuple[str, GoldQuery] | None:
        first = self._connection()
        follow = [known for known in self._connections if known.head == first.tail]
        name = self._name(first, head=True)
        if name is None or not follow:
            return None
        second = self._random.choice(follow)
        head, relation, tail = _words(first)
        _, last, end = _words(second)
        edges = (Edge("x", first.relation, "y"), Edge("y", second.relation, "z"))
        return (
            f"Which {end} is the {last} of a {tail} that the {head} «{name}» has as {relation}?",
            GoldQuery({"x": first.head, "y": first.tail, "z": second.tail}, edges, "z", {"x": name}),
        )

    def _intersection(self) -> tuple[str, GoldQuery] | None:
        first = self._connection()
        second = self._random.choice([known for known in self._connections if known.head == first.head])
        one, other = self._name(first, head=False), self._name(second, head=False)
        if one is None or other is None or one == other:
            return None
        head, relation, tail = _words(first)
        _, relation2, tail2 = _words(second)
        edges = (Edge("x", first.relation, "y"), Edge("x", second.relation, "z"))
        return (
            f"Which {head} has both the {tail} «{one}» as {relation} and the {tail2} «{other}» as {relation2}?",
            GoldQuery({"x": first.head, "y": first.tail, "z": second.tail}, edges, "x", {"y": one, "z": other}),
        )

    def _count(self) -> tuple[str, GoldQuery] | None:
        known = self._connection()
        name = self._name(known, head=False)
        if name is None:
            return None
        head, relation, tail = _words(known)
        edges = (Edge("x", known.relation, "y"),)
        return (
            f"How many nodes of the class {head} have the {tail} «{name}» as {relation}?",
            GoldQuery({"x": known.head, "y": known.tail}, edges, "x", {"y": name}, is_count=True),
        )

    def _superlative(self) -> tuple[str, GoldQuery] | None:
        known = self._connection()
        number, name = self._number(known.head), self._name(known, head=False)
        if number is None or name is None:
            return None
        head, relation, tail = _words(known)
        descending = self._random.random() < 0.5
        return (
            f"Which {head} that has the {tail} «{name}» as {relation} has the {'highest' if descending else 'lowest'} "
            f"{readable(number.name)}?",
            GoldQuery({"x": known.head, "y": known.tail}, (Edge("x", known.relation, "y"),), "x", {"y": name},
                      order=Order("x", number.name, descending)),
        )  # fmt: skip

    def _most(self) -> tuple[str, GoldQuery] | None:
        known = self._connection()
        head, relation, tail = _words(known)
        edges = (Edge("x", known.relation, "y"),)
        return (
            f"Which {head} has the most nodes of the class {tail} as {relation}?",
            GoldQuery({"x": known.head, "y": known.tail}, edges, "x", order=Order("y", "", descending=True)),
        )

    def _comparison(self) -> tuple[str, GoldQuery] | None:
        known = self._connection()
        number, name = self._number(known.head), self._name(known, head=False)
        if number is None or name is None or not number.examples:
            return None
        try:
            value = float(self._random.choice(number.examples))
        except ValueError:
            return None
        operator = self._random.choice("<>")
        head, relation, tail = _words(known)
        return (
            f"Which {head} that has the {tail} «{name}» as {relation} has a {readable(number.name)} "
            f"{'above' if operator == '>' else 'below'} {number_text(value)}?",
            GoldQuery({"x": known.head, "y": known.tail}, (Edge("x", known.relation, "y"),), "x", {"y": name},
                      comparison=Comparison("x", number.name, operator, value)),
        )  # fmt: skip

    def _negation(self) -> tuple[str, GoldQuery] | None:
        first = self._connection()
        others = [known for known in self._connections if known.head == first.head and known != first]
        name = self._name(first, head=False)
        if not others or name is None:
            return None
        second = self._random.choice(others)
        head, relation, tail = _words(first)
        _, missing, tail2 = _words(second)
        return (
            f"Which {head} has the {tail} «{name}» as {relation}, but no {tail2} as {missing}?",
            GoldQuery({"x": first.head, "y": first.tail, "z": second.tail}, (Edge("x", first.relation, "y"),), "x",
                      {"y": name}, without=Edge("x", second.relation, "z")),
        )  # fmt: skip

    def _optional(self) -> tuple[str, GoldQuery] | None:
        first = self._connection()
        others = [known for known in self._connections if known.head == first.head and known != first]
        name = self._name(first, head=False)
        if not others or name is None:
            return None
        second = self._random.choice(others)
        head, relation, tail = _words(first)
        _, extra, tail2 = _words(second)
        return (
            f"Which {head} has the {tail} «{name}» as {relation}, and which {tail2} does each have as {extra}, if any?",
            GoldQuery({"x": first.head, "y": first.tail, "z": second.tail}, (Edge("x", first.relation, "y"),), "x",
                      {"y": name}, optional=Edge("x", second.relation, "z")),
        )  # fmt: skip


def _words(known: Connection) -> tuple[str, str, str]:
    """Return the names of a connection as words, those of classes as they are written."""
    relation = readable(known.relation).lower().removeprefix("has ")
    return readable(known.head), relation, readable(known.tail)


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
