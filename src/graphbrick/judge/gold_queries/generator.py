"""Questions with gold queries and answers, from the schema of a graph and templates."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.graph import QueryLanguage
from graphbrick.core.schema import Connection
from graphbrick.core.trace import event
from graphbrick.graphs.databases.cypher.cypher import UNTYPED
from graphbrick.graphs.databases.errors import QueryError, TooSlowError
from graphbrick.graphs.databases.sparql.rdf_schema import RESOURCE
from graphbrick.graphs.queries.schema_text import readable
from graphbrick.judge.gold_queries.gold_query import Comparison, Edge, GoldQuery, Order, number_text
from graphbrick.judge.gold_queries.queried import QueriedGraph
from graphbrick.judge.gold_queries.templates import TEMPLATES, Template

_MOST_ANSWERS = 50
_TRIES = 40  # for one question
_MISSES = 3  # of a template, after which it is given up
_LONGEST_NAME = 100  # characters


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
        cypher: The gold query in Cypher; None if the graph is not to be had in a Cypher database.
        sparql: The gold query in SPARQL, for an N-Triples export if ``language`` is Cypher; None if there is no exact
            counterpart.
        original: The question in the words of its template, if a model reworded it.
    """

    id: str
    question: str
    query: str
    language: str
    answers: tuple[str, ...]
    seeds: tuple[str, ...]
    template: str
    ordered: bool = False
    cypher: str | None = None
    sparql: str | None = None
    original: str | None = None

    def record(self) -> dict[str, Any]:
        """Return the fields for a line of JSON, in the plain format of data sets, and the complexity."""
        fields = {name: value for name, value in asdict(self).items() if value is not None}
        return fields | {"complexity": TEMPLATES[self.template].complexity}


def questions_with_queries(
    graph: QueryLanguage, n: int, *, seed: int = 0, templates: Sequence[str] = tuple(TEMPLATES)
) -> Iterator[QueryQuestion]:
    """Yield questions about a graph with their gold queries and answers, the templates in turn.

    Questions have from 1 to 50 answers. Fewer than ``n`` come if the graph gives no more. A query that the database
    refuses, or that takes too long, is an event; after three of them there are no more questions of its template.

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
        raise GraphbrickError(
            f"there is no template {sorted(unknown)[0]!r}; there are {', '.join(TEMPLATES)}",
            code="gold_queries.unknown_template",
            name=min(unknown),
        )
    maker, seen, number = _Maker(graph, random.Random(seed)), set[str](), 0
    misses = dict.fromkeys(templates, 0)
    while number < n and any(count < _MISSES for count in misses.values()):
        for template in templates:
            if number == n or misses[template] >= _MISSES:
                continue
            made = maker.question(template, str(number + 1), seen)
            if made is None:
                misses[template] += 1
                continue
            number += 1
            yield made


class _Drawn(NamedTuple):
    """A question that was drawn, before its answers are known."""

    text: str
    gold: GoldQuery


class _Number(NamedTuple):
    """A property with numbers, and one of them."""

    name: str
    value: float


class _Maker:
    """Makes questions about one graph."""

    def __init__(self, graph: QueryLanguage, chosen: random.Random) -> None:
        self._graph, self._random = QueriedGraph(graph), chosen
        self._connections = self._graph.usable_connections()
        if not self._connections:
            raise GraphbrickError(
                "the schema has no relation between classes whose nodes have names; nothing to ask",
                code="gold_queries.no_relation",
            )
        self._ends: dict[tuple[Connection, bool], list[str]] = {}
        self._values: dict[tuple[str, str], list[float]] = {}

    def question(self, template: str, number: str, seen: set[str]) -> QueryQuestion | None:
        """Return a question of a template that was not seen yet; None if none is found in a number of tries."""
        for _ in range(_TRIES):
            try:
                drawn = self._drawn(TEMPLATES[template])
                if drawn is None or drawn.text in seen:
                    continue
                query, answers = self._graph.written(drawn.gold), self._answers(drawn.gold)
            except (QueryError, TooSlowError) as error:
                event(
                    f"a question of the kind {template!r} was given up: {error}",
                    "gold_queries.given_up",
                    template=template,
                )
                return None
            if answers:
                seen.add(drawn.text)
                gold, language = drawn.gold, self._graph.language
                seeds, is_ordered = tuple(gold.names.values()), gold.order is not None and gold.order.first > 1
                both = self._graph.both(gold)
                return QueryQuestion(number, drawn.text, query, language, answers, seeds, template, is_ordered, *both)
        return None

    def _answers(self, gold: GoldQuery) -> tuple[str, ...]:
        """Return the answers; none if there are too many, or if it is a matter of chance which rows are first."""
        result = self._graph.rows(gold)
        answers = tuple(dict.fromkeys(_text(row[0]) for row in result.rows if row[0] is not None))
        if result.is_cut or len(answers) > _MOST_ANSWERS or answers == ("0",) or not all(map(str.strip, answers)):
            return ()
        if gold.order is None:
            return tuple(sorted(answers))  # a database gives them in any order
        values = [row[1] for row in self._graph.rows(gold, with_value=True).rows]
        return answers if len(answers) == gold.order.first and len(set(values)) == len(values) else ()

    def _drawn(self, template: Template) -> _Drawn | None:
        """Draw relations, names and numbers for a question; None if the graph has none that fit together."""
        first = self._random.choice(self._connections)
        second = self._second(first, template) if template.second else None
        if template.second and second is None:
            return None
        classes, words = {"x": first.head, "y": first.tail}, _words(first)
        parts: dict[str, Any] = {"edges": (Edge("x", first.relation, "y"),)}
        if second is not None:
            classes["z"] = second.tail
            words |= {"last": _words(second)["relation"], "end": _class_words(second.tail)}
            edge = Edge(template.second, second.relation, "z")
            parts |= {template.second_is: edge} if template.second_is else {"edges": (*parts["edges"], edge)}
        ends = {"x": (first, True), "y": (first, False), "z": (second, False)}
        names: dict[str, str] = {}
        for variable in template.named:
            # A second name is that of a node which the pattern joins to the first.
            joined = GoldQuery(classes, parts["edges"], variable, dict(names))
            name = self._drawn_name(self._graph.names(joined) if names else self._names_at(*ends[variable]))
            if name is None or name in names.values():
                return None
            names[variable] = name
        if template.has_number:
            number = self._drawn_number(first.head)
            if number is None:
                return None
            way = self._random.randrange(2)
            words |= {"number": _spaced(number.name), "way": template.ways[way], "value": number_text(number.value)}
            parts |= (
                {"order": Order("x", number.name, way == 0, template.first)}
                if template.order
                else {"comparison": Comparison("x", number.name, "><"[way], number.value)}
            )
        elif template.order:
            parts["order"] = Order("y", "", descending=True, first=template.first)
        gold = GoldQuery(classes, answer=template.answer, names=names, is_count=template.is_count, **parts)
        return _Drawn(template.wording.format(**words, **names), gold)

    def _second(self, first: Connection, template: Template) -> Connection | None:
        """Draw a relation that leaves a node of the first one; None if there is none."""
        start = first.head if template.second == "x" else first.tail
        others = [known for known in self._connections if known.head == start]
        if template.second_is:
            others = [known for known in others if known != first]
        return self._random.choice(others) if others else None

    def _names_at(self, known: Connection | None, is_head: bool) -> list[str]:
        """Return the names of the nodes at one end of a relation; they are read once."""
        assert known is not None
        if (known, is_head) not in self._ends:
            edge, end = Edge("x", known.relation, "y"), "x" if is_head else "y"
            self._ends[known, is_head] = self._graph.names(GoldQuery({"x": known.head, "y": known.tail}, (edge,), end))
        return self._ends[known, is_head]

    def _drawn_number(self, kind: str) -> _Number | None:
        """Draw a property of a class that holds numbers, and one of them; None if it has none."""
        names = self._graph.numbers(kind)
        if not names:
            return None
        name = self._random.choice(names)
        if (kind, name) not in self._values:
            self._values[kind, name] = self._graph.values(kind, name)
        values = self._values[kind, name]
        return _Number(name, self._random.choice(values)) if values else None

    def _drawn_name(self, names: Sequence[str]) -> str | None:
        """Draw a name that can stand in a question; None if there is none."""
        fitting = [name for name in names if name.isprintable() and name.strip() and len(name) <= _LONGEST_NAME]
        return self._random.choice(fitting) if fitting else None


def _words(known: Connection) -> dict[str, str]:
    """Return the names of a connection as words, those of classes as they are written."""
    relation = _spaced(known.relation).lower().removeprefix("has ")
    return {"head": _class_words(known.head), "relation": relation, "tail": _class_words(known.tail)}


def _class_words(name: str) -> str:
    return "entity" if name in (UNTYPED, RESOURCE) else _spaced(name)


def _spaced(name: str) -> str:
    return " ".join(readable(name).split())  # names such as in_, which would be a keyword without the line


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
