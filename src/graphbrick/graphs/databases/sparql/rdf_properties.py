"""Properties of entities of a SPARQL graph: its literals, by the names of their predicates."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import Kind, Properties, PropertyColumn, Scalar, shown_value
from graphbrick.core.trace import event
from graphbrick.graphs.databases.sparql.rdf_facts import listed, pages
from graphbrick.graphs.databases.sparql.rdf_terms import Term, language_rank
from graphbrick.graphs.records.rdf_names import (
    BOOLEAN_IRI,
    DATE_IRI,
    DATETIME_IRIS,
    FLOAT_IRIS,
    INTEGER_IRIS,
    REIFIES_IRI,
    one_value,
    rdf_value,
)

if TYPE_CHECKING:
    from graphbrick.graphs.databases.sparql.rdf_graph import RdfGraph

_XSD = "http://www.w3.org/2001/XMLSchema#"
_COLUMNS = 2_000
_PAGE = 10_000  # rows per request; many endpoints give no more
_SIGNS = {"equals": "=", "above": ">", "at_least": ">=", "below": "<", "at_most": "<="}
_KINDS: dict[Kind, frozenset[str]] = {
    Kind.INTEGER: INTEGER_IRIS,
    Kind.NUMBER: FLOAT_IRIS,
    Kind.BOOLEAN: frozenset({BOOLEAN_IRI}),
    Kind.DATE: frozenset({DATE_IRI}),
    Kind.DATETIME: DATETIME_IRIS,
}
_TIMES = DATETIME_IRIS | {DATE_IRI}


class Columns(NamedTuple):
    """The properties of a graph.

    Attributes:
        columns: One entry for each name and kind, most frequent first.
        predicates: The IRIs of each name.
    """

    columns: tuple[PropertyColumn, ...]
    predicates: dict[str, list[str]]


def value_of(term: Term) -> Scalar:
    """Return the value of a literal."""
    return rdf_value(term.value, term.datatype)


def properties_of(graph: RdfGraph, entity: Term) -> Properties:
    """Return the literals of an entity by the names of their predicates; texts in the best language come first."""
    terms: dict[str, set[Term]] = defaultdict(set)
    if entity.kind == "literal" or not graph.can_ask(entity):
        return {}
    for _, rows, _ in pages(graph, [entity], f"?e ?p ?o {_is_property(graph)}", _PAGE):
        for _, relation, value in rows:
            terms[relation.value].add(value)
    labels = graph.names_of_relations(terms)
    values: dict[str, list[Scalar]] = defaultdict(list)
    for predicate in sorted(terms):
        ordered = sorted(terms[predicate], key=lambda term: (language_rank(term, graph.label_language), term))
        values[labels[predicate]] += map(value_of, ordered)
    return {name: one_value(several) for name, several in values.items()}


def read_columns(graph: RdfGraph) -> Columns:
    """Return the properties of a graph, with the number of entities that have each.

    Raises:
        GraphbrickError: The graph does not answer in time.
    """
    solved = graph.solutions(
        "SELECT ?p ?type (COUNT(DISTINCT ?e) AS ?n) (COUNT(*) AS ?all) "
        "(SAMPLE(?o) AS ?any) (MIN(?o) AS ?least) (MAX(?o) AS ?most) "
        f"WHERE {{ ?e ?p ?o {_is_property(graph)} BIND(DATATYPE(?o) AS ?type) }} "
        f"GROUP BY ?p ?type ORDER BY DESC(?n) ?p LIMIT {_COLUMNS + 1}",
        _COLUMNS,
    )
    if solved.is_cut:
        text = f"{graph.address} has more than {_COLUMNS:,} properties; the rarer ones are not seen"
        event(text, "rdf_properties.too_many", most=_COLUMNS)
    labels = graph.names_of_relations({row[0].value for row in solved.rows if row[0]})
    columns: dict[tuple[str, Kind], PropertyColumn] = {}
    predicates: dict[str, list[str]] = defaultdict(list)
    for predicate, datatype, n, total, *examples in solved.rows:
        if predicate is None or n is None or not n.value.isdecimal():
            continue
        name, kind = labels[predicate.value], _kind(datatype.value if datatype else "")
        if predicate.value not in predicates[name]:
            predicates[name].append(predicate.value)
        known = columns.get((name, kind), PropertyColumn(name, kind, 0))
        shown = [shown_value(value_of(example)) for example in examples if example is not None]
        columns[name, kind] = PropertyColumn(
            name,
            kind,
            known.count + int(n.value),
            known.is_list or (total is not None and total.value != n.value),
            tuple(dict.fromkeys([*known.examples, *shown]))[:3],
        )
    ordered = sorted(columns.values(), key=lambda column: (-column.count, column.name, column.kind))
    return Columns(tuple(ordered), dict(predicates))


def matching_terms(graph: RdfGraph, condition: Condition, predicates: list[str]) -> list[Term]:
    """Return the entities with a literal that meets a condition, in the order of their IRIs.

    The graph is asked for a little more than the condition, which then decides: stores differ in how they compare
    dates with date-times, and zones.
    """
    matches: dict[Term, None] = {}
    hidden = 0
    for entity, value in _candidates(graph, condition, predicates):
        if entity not in matches and condition.holds(value_of(value)):
            if graph.can_ask(entity):
                matches[entity] = None
            else:
                hidden += 1
    if hidden:
        text = f"{hidden:,} blank nodes of {graph.address} meet the condition, and cannot be followed"
        event(text, "rdf_properties.blank_nodes", n=hidden)
    return list(matches)


def _candidates(graph: RdfGraph, condition: Condition, predicates: list[str]) -> Iterator[tuple[Term, Term]]:
    where = f"VALUES ?p {{ {listed(predicates, ' ')} }} ?e ?p ?o {_is_property(graph)} FILTER({_filter(condition)})"
    # Virtuoso sorts many rows only in a subquery.
    ordered = f"SELECT DISTINCT ?e ?o WHERE {{ {where} }} ORDER BY ?e ?o"
    at = 0
    while True:
        query = f"SELECT ?e ?o WHERE {{ {{ {ordered} }} }} LIMIT {_PAGE} OFFSET {at}"
        page = graph.solutions(query, _PAGE)
        yield from ((entity, value) for entity, value in page.rows if entity is not None and value is not None)
        at += len(page.rows)
        if page.is_cut and len(page.rows) < _PAGE:
            text = f"{graph.address} sends only parts of pages, so entities with {condition.name!r} may be missing"
            event(text, "rdf_properties.cut", name=condition.name)
        if len(page.rows) < _PAGE:
            return


def _is_property(graph: RdfGraph) -> str:
    """Return a filter: ?o is a property of ?e, and not of a triple that ?e stands for (RDF 1.2)."""
    named = f" FILTER NOT EXISTS {{ ?e <{REIFIES_IRI}> ?triple }}" if graph.names_triples else ""
    return f"FILTER(isLiteral(?o) && ?p NOT IN ({listed(graph.only_facts)})){named}"


def _kind(datatype: str) -> Kind:
    return next((kind for kind, iris in _KINDS.items() if datatype in iris), Kind.TEXT)


def _filter(condition: Condition) -> str:
    """Return an expression that holds for at least the literals ?o that meet a condition."""
    bounds = condition.bounds
    bound = next(iter(bounds.values()))
    if isinstance(bound, bool):
        return f"DATATYPE(?o) = <{BOOLEAN_IRI}>"
    if isinstance(bound, str):
        return " && ".join(f"STR(?o) {_SIGNS[name]} {Term('literal', str(b)).text}" for name, b in bounds.items())
    if isinstance(bound, datetime.date):
        days = " && ".join(f'SUBSTR(STR(?o), 1, 10) {sign} "{day}"' for sign, day in _days(bounds))
        return f"DATATYPE(?o) IN ({listed(_TIMES)}) && {days}"
    amounts = [(_SIGNS[name], repr(value)) for name, value in bounds.items()]
    plain = " && ".join(f"?o {sign} {_number(value)}" for sign, value in amounts)
    year = " && ".join(f"<{_XSD}integer>(STR(?o)) {sign} {_number(value)}" for sign, value in amounts)
    return f"(isNumeric(?o) && {plain}) || (DATATYPE(?o) = <{_XSD}gYear> && {year})"


def _number(text: str) -> str:
    """Return a number as SPARQL writes it."""
    return f'"{text.upper()}"^^<{_XSD}double>' if text.strip("-") in ("inf", "nan") else text


def _days(bounds: dict[str, Scalar]) -> Iterator[tuple[str, str]]:
    """Yield (sign, day) for times, a day wider than the bounds, as zones move a time to another day."""
    for name, bound in bounds.items():
        assert isinstance(bound, datetime.date)
        for sign, step in ((">=", -1), ("<=", 1)):
            if sign[0] in _SIGNS[name] or name == "equals":
                try:
                    day = datetime.date(bound.year, bound.month, bound.day) + datetime.timedelta(days=2 * step)
                except OverflowError:
                    continue
                yield sign, day.isoformat()
