"""Languages of names and namespaces of entities of a SPARQL graph, from a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.trace import event
from graphbrick.graphs.databases.sparql.rdf_facts import listed
from graphbrick.graphs.records.rdf_names import ALIAS_IRI, TYPE_IRI

if TYPE_CHECKING:
    from graphbrick.graphs.databases.sparql.rdf_graph import RdfGraph

_NAMES, _ENTITIES = 50_000, 5_000  # of the sample
_LANGUAGES, _NAMESPACES = 20, 5


def language_tags(graph: RdfGraph) -> tuple[str, ...]:
    """Return the language tags of names: none, the preferred language, then the 20 most frequent others."""
    rows = _rows(
        graph,
        f"SELECT ?tag (COUNT(*) AS ?n) WHERE {{ {{ SELECT ?name WHERE {{ VALUES ?p {{ "
        f"{listed(graph.labels | {ALIAS_IRI}, ' ')} }} ?e ?p ?name FILTER(isLiteral(?name)) }} LIMIT {_NAMES} }} "
        f"BIND(LANG(?name) AS ?tag) }} GROUP BY ?tag ORDER BY DESC(?n) ?tag LIMIT {_LANGUAGES}",
    )
    return tuple(dict.fromkeys(["", graph.label_language, *rows]))


def is_multilingual(graph: RdfGraph) -> bool:
    """Return whether a sample of names and descriptions is in two languages or more; variants of one are one."""
    rows = _rows(
        graph,
        f"SELECT DISTINCT ?tag WHERE {{ {{ SELECT ?text WHERE {{ VALUES ?p {{ {listed(graph.facts, ' ')} }} "
        "?e ?p ?text "
        f'FILTER(isLiteral(?text) && LANG(?text) != "") }} LIMIT {_NAMES} }} '
        f'BIND(LCASE(STRBEFORE(CONCAT(LANG(?text), "-"), "-")) AS ?tag) }} ORDER BY ?tag LIMIT {_LANGUAGES}',
    )
    return len(rows) > 1


def unnamed_namespaces(graph: RdfGraph) -> tuple[str, ...]:
    """Return the most frequent beginnings of IRIs that have no label in the preferred language or without one."""
    ends = ("?e ?p ?end", f"?end ?p ?e FILTER(?p != <{TYPE_IRI}>)")
    sample = " UNION ".join(
        f"{{ SELECT DISTINCT ?e WHERE {{ {end} FILTER(isIRI(?e)) }} LIMIT {_ENTITIES} }}" for end in ends
    )
    return tuple(
        _rows(
            graph,
            f"SELECT ?space (COUNT(*) AS ?n) WHERE {{ {{ {sample} }} {without_label(graph)} "
            f'BIND(REPLACE(STR(?e), "[^/#]*$", "") AS ?space) }} '
            f"GROUP BY ?space ORDER BY DESC(?n) ?space LIMIT {_NAMESPACES}",
        )
    )


def without_label(graph: RdfGraph) -> str:
    """Return a filter: ?e has no label in the preferred language, a variant of it, or without a language."""
    near = f'LANG(?l) = "" || LANGMATCHES(LANG(?l), "{graph.label_language}")'
    return f"FILTER NOT EXISTS {{ ?e ({listed(graph.labels, '|')}) ?l FILTER(isLiteral(?l) && ({near})) }}"


def _rows(graph: RdfGraph, query: str) -> list[str]:
    """Return the first column of the rows; none, with an event, if the graph does not answer."""
    try:
        return [row[0].value for row in graph.solutions(query, max(_LANGUAGES, _NAMESPACES)).rows if row[0]]
    except GraphbrickError as error:
        event(f"languages and namespaces of names are not known: {error}", "rdf_survey.not_known")
        return []
