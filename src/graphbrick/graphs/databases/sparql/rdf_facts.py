"""Read the triples and facts of entities from a SPARQL graph, for many entities at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from graphbrick.graphs.databases.sparql.rdf_terms import Term
from graphbrick.graphs.records.rdf_names import TYPE_IRI

if TYPE_CHECKING:
    from graphbrick.graphs.databases.sparql.rdf_graph import RdfGraph

_BATCH = 100  # entities per request
_PAGE = 10_000  # rows per request; many endpoints give no more


def listed(iris: Collection[str], between: str = ", ") -> str:
    """Return IRIs as a query writes them, sorted."""
    return between.join(f"<{iri}>" for iri in sorted(iris))


def edge_pattern(facts: Collection[str], predicates: list[Term] | None, *, forward: bool) -> str:
    """Return a pattern of ?e ?p ?o, without the triples that state facts about entities."""
    chosen = "" if predicates is None else f"VALUES ?p {{ {' '.join(term.text for term in predicates)} }} "
    ends, value = ("?e ?p ?o", "?o") if forward else ("?o ?p ?e", "?e")
    is_triple = f"(isLiteral({value}) && ?p NOT IN ({listed(facts)})) || (!isLiteral({value}) && ?p != <{TYPE_IRI}>)"
    return f"{chosen}{ends} FILTER({is_triple})"


def in_triple(facts: Collection[str]) -> str:
    """Return a filter: ?e is in a triple, other than as a class, as a predicate or only with facts."""
    out, into = f"?q NOT IN ({listed(facts)})", f"?q != <{TYPE_IRI}>"
    leaves = f"?e ?q ?end FILTER((isLiteral(?end) && {out}) || (!isLiteral(?end) && {into}))"
    return f"FILTER(EXISTS {{ {leaves} }} || EXISTS {{ ?end ?q ?e FILTER({into}) }})"


def pages(
    graph: RdfGraph, terms: Sequence[Term], pattern: str, limit: int
) -> Iterator[tuple[list[Term], list[tuple[Term, ...]], bool]]:
    """Yield the rows ?e ?p ?o for batches of ?e; a batch that is cut is halved until it is one entity."""
    blanks = [[term] for term in terms if term.kind == "bnode"]
    plain = [term for term in terms if term.kind != "bnode"]
    batches = [*blanks, *(plain[at : at + _BATCH] for at in range(0, len(plain), _BATCH))]
    while batches:
        batch = batches.pop()
        size = limit if len(batch) == 1 else _PAGE
        if batch[0].kind == "bnode":
            start, values = "", {"e": batch[0]}
        else:
            start, values = f"VALUES ?e {{ {' '.join(term.text for term in batch)} }} ", {}
        query = f"SELECT DISTINCT ?e ?p ?o WHERE {{ {start}{pattern} }} LIMIT {size + 1}"
        solved = graph.solutions(query, size, values)
        if solved.is_cut and len(batch) > 1:
            batches += [batch[: len(batch) // 2], batch[len(batch) // 2 :]]
            continue
        rows = [tuple(term for term in row if term is not None) for row in solved.rows]
        yield batch, [row for row in rows if len(row) == 3], solved.is_cut


def facts_of(graph: RdfGraph, terms: Sequence[Term]) -> dict[str, list[tuple[str, Term]]]:
    """Return the facts about entities, in all languages."""
    facts: dict[str, list[tuple[str, Term]]] = {term.key: [] for term in terms}
    visible = [term for term in terms if graph.can_ask(term)]
    pattern = f"VALUES ?p {{ {listed(graph.facts | {TYPE_IRI}, ' ')} }} ?e ?p ?o"
    for _, rows, _ in pages(graph, visible, pattern, _PAGE):
        for entity, predicate, value in rows:
            facts[entity.key].append((predicate.value, value))
    return facts
