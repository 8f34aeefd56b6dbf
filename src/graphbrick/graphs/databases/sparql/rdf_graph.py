"""Graphs that answer SPARQL: entities are IRIs and literals, read by the rules of RDF files."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.protocol import HasProperties
from graphbrick.core.properties.values import NO_PROPERTIES, Properties, PropertyColumn
from graphbrick.core.schema import Rows, Schema
from graphbrick.core.trace import event
from graphbrick.graphs.databases.address import Address
from graphbrick.graphs.databases.graph import DatabaseGraph, check_options
from graphbrick.graphs.databases.nodes import Edge, Edges, Node
from graphbrick.graphs.databases.sparql.rdf_facts import edge_pattern, facts_of, listed, pages
from graphbrick.graphs.databases.sparql.rdf_properties import Columns, matching_terms, properties_of, read_columns
from graphbrick.graphs.databases.sparql.rdf_schema import read_schema
from graphbrick.graphs.databases.sparql.rdf_search import is_short, search_exact, search_parts
from graphbrick.graphs.databases.sparql.rdf_survey import is_multilingual, language_tags, unnamed_namespaces
from graphbrick.graphs.databases.sparql.rdf_terms import Term, described_node, literal_node
from graphbrick.graphs.databases.sparql.sparql_text import is_ask, limited
from graphbrick.graphs.records.rdf_names import ALIAS_IRI, DESCRIPTION_IRIS, LABEL_IRIS, REIFIES_IRI, TYPE_IRI

_TAG = re.compile("[a-z0-9]+(-[a-z0-9]+)*")


class Solutions(NamedTuple):
    """The result of a query.

    Attributes:
        columns: Names of the variables.
        rows: One tuple of terms a row, None for a variable that is not bound.
        is_cut: True if there are more rows than the limit, or than the server returns.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Term | None, ...]]
    is_cut: bool = False


class RdfGraph(DatabaseGraph, HasProperties):
    """A graph that answers SPARQL; a kind of server implements `solutions`.

    Keys, labels, types and triples are those of a graph folder that is built from the same RDF; types and aliases are
    in the order of their IRIs. The relation of a triple is its predicate.

    Args:
        address: Where the graph is. Options: ``language`` (preferred language of labels; "en" by default), ``label``
            (IRI of one more predicate that states labels), ``timeout`` (seconds), ``hops``, ``limit`` and ``triples``
            of the part that `LocalAround` copies.
    """

    OPTIONS: tuple[str, ...] = ("label", "language", "timeout", "hops", "limit", "triples", "whole")

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        check_options(address, self.OPTIONS)
        own = self.option("label")
        term = Term.of_key(own) if own else None
        if own and (term is None or term.kind != "uri"):
            text = f"label of {address} must be the IRI of a predicate, got {own!r}; try ?label=http://..."
            raise InputError(text, code="rdf_graph.bad_label")
        self.labels = LABEL_IRIS | ({own} if own else set())
        """Predicates that state labels."""
        self.label_language = (self.option("language") or "en").strip().casefold()
        if not _TAG.fullmatch(self.label_language):
            raise InputError(
                f"language of {address} must be a language tag such as en or pt-BR, got {self.label_language!r}",
                code="rdf_graph.bad_language",
            )
        self.facts = self.labels | DESCRIPTION_IRIS | {ALIAS_IRI}
        """Predicates whose literals are facts about entities, not triples."""
        self._relation_labels: dict[str, str] = {}
        self._schema: Schema | None = None

    @property
    def language(self) -> str:
        """Always "SPARQL"."""
        return "SPARQL"

    @abstractmethod
    def solutions(self, text: str, limit: int, values: Mapping[str, Term] | None = None) -> Solutions:
        """Run a SELECT or ASK query and return at most ``limit`` rows; an ASK has one row, a boolean.

        Args:
            text: The query.
            limit: Most rows; the query may have a smaller one of its own.
            values: Terms that variables stand for.

        Raises:
            GraphbrickError: The query is wrong or took too long, or the server does not answer.
        """

    @abstractmethod
    def can_ask(self, term: Term) -> bool:
        """Return whether the server can find the triples of an entity; many cannot for blank nodes."""

    def contains(self, text: str) -> str:
        """Return a pattern: ?name contains a text in any case; by an index where the server has one."""
        return f"FILTER(CONTAINS(LCASE(STR(?name)), {Term('literal', text.lower()).text}))"

    def is_true(self, text: str) -> bool:
        """Run an ASK query."""
        (row,) = self.solutions(text, 1).rows
        return bool(row[0] and row[0].plain)

    def run(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query that only reads; parameters are values of its variables."""
        values = {name.lstrip("?$"): _term(name, value) for name, value in parameters.items()}
        text = text.rstrip("; \t\r\n")  # models write one at the end, which SPARQL does not have
        if is_ask(text):
            solved = self.solutions(text, 1, values)
        else:
            solved = self.solutions(limited(text, limit + 1), limit, values)
        rows = [tuple(None if term is None else term.plain for term in row) for row in solved.rows]
        return Rows(solved.columns, rows, solved.is_cut)

    def schema(self) -> Schema:
        """Return classes, their properties and relations, read once from a sample of each class."""
        if self._schema is None:
            self._schema = read_schema(self, self.facts - DESCRIPTION_IRIS)
        return self._schema

    def find(self, key: str) -> Node | None:
        """Return the entity with exactly this key; None if the graph does not have it."""
        term = Term.of_key(key)
        if term is None or not self.can_ask(term):
            return None
        if term.kind == "literal":
            exists = self.is_true(f"ASK {{ ?s ?p {term.text} FILTER(?p NOT IN ({listed(self.only_facts)})) }}")
            return literal_node(term) if exists else None
        if term.kind == "uri" and not self.is_true(
            f"ASK {{ {{ {term.text} ?p ?o }} UNION {{ ?s ?p {term.text} FILTER(?p != <{TYPE_IRI}>) }} }}"
        ):
            return None
        node = self.nodes([term])[term.key]
        return node if term.kind == "uri" or self._edges([term], None, 1, forward=True)[term.key].edges else None

    def named(self, text: str, n: int) -> list[Node]:
        """Return entities by names that equal parts of the text, or else contain it, best first."""
        terms = search_exact(self, text, n)
        if len(terms) < n and is_short(text):
            terms += search_parts(self, text, n)
        distinct = list(dict.fromkeys(terms))[:n]
        nodes = self.nodes(distinct)
        return [nodes[term.key] for term in distinct]

    def around(self, handles: Sequence[Any], direction: str, relations: list[str] | None, limit: int) -> list[Edges]:
        """Return the triples of entities, in their order; see `DatabaseGraph.around`."""
        terms = [term for term in map(Term.of_key, handles) if term is not None]
        predicates = [term for term in map(Term.of_key, relations or ()) if term is not None]
        by_key: dict[str, Edges] = {term.key: Edges([], is_cut=False) for term in terms}
        hidden = [term for term in terms if not self.can_ask(term)]
        if hidden:
            text = f"{self.address} cannot be asked about {len(hidden):,} blank nodes; their triples are missing"
            event(text, "rdf_graph.blank_nodes", n=len(hidden))
            by_key.update((term.key, Edges([], is_cut=True)) for term in hidden)
        visible = [term for term in terms if self.can_ask(term)]
        for forward in (True, False):
            if direction in ("both", "out" if forward else "in"):
                sources = [term for term in visible if not forward or term.kind != "literal"]
                more = self._edges(sources, None if relations is None else predicates, limit, forward=forward)
                for key, edges in more.items():
                    both = [*by_key[key].edges, *edges.edges]
                    by_key[key] = Edges(both[:limit], by_key[key].is_cut or edges.is_cut or len(both) > limit)
        return [by_key.get(handle, Edges([], is_cut=False)) for handle in handles]

    def _edges(
        self, terms: Sequence[Term], predicates: list[Term] | None, limit: int, *, forward: bool
    ) -> dict[str, Edges]:
        """Return the triples that leave entities, or those that enter them, by the key of the entity."""
        others: dict[str, list[tuple[str, Term]]] = {}
        cut: set[str] = set()
        for batch, rows, is_cut in pages(
            self, terms, edge_pattern(self.only_facts, predicates, forward=forward), limit
        ):
            cut.update(term.key for term in batch if is_cut)
            for entity, predicate, other in rows:
                others.setdefault(entity.key, []).append((predicate.value, other))
        nodes = self.nodes([other for edges in others.values() for _, other in edges])
        labels = self.names_of_relations({predicate for edges in others.values() for predicate, _ in edges})
        return {
            term.key: Edges(
                [
                    Edge(predicate, labels[predicate], nodes[other.key], forward)
                    for predicate, other in sorted(others.get(term.key, ()))[:limit]
                ],
                term.key in cut or len(others.get(term.key, ())) > limit,
            )
            for term in terms
        }

    def nodes(self, terms: Collection[Term]) -> dict[str, Node]:
        """Return the facts about entities, by key; remembered ones are not requested again."""
        nodes: dict[str, Node] = {}
        unknown: dict[str, Term] = {}
        for term in terms:
            if term.kind == "literal":
                nodes[term.key] = literal_node(term)
            elif (known := self.remembered(term.key)) is not None:
                nodes[term.key] = known
            else:
                unknown[term.key] = term
        for key, facts in facts_of(self, list(unknown.values())).items():
            nodes[key] = described_node(key, facts, self.labels, self.label_language)
        return nodes

    def property_columns(self) -> Sequence[PropertyColumn]:
        """Return the properties of entities with counts, read once; see `HasProperties.property_columns`."""
        return self._columns.columns

    def properties(self, entity: int) -> Properties:
        """Return the literals of an entity by the names of their predicates; texts in the best language come first."""
        term = Term.of_key(self.key(entity))
        return {} if term is None else properties_of(self, term)

    def own_properties(self, entity: int) -> Properties:
        """Return no properties: all literals are tails of triples."""
        return NO_PROPERTIES

    def matching(self, condition: Condition) -> Sequence[int]:
        """Return the entities with a literal that meets a condition, ascending; texts in any language.

        The name of the condition is that of a relation, or its IRI.
        """
        term = Term.of_key(condition.name)
        iris = [] if term is None or term.kind != "uri" else [term.value]
        predicates = iris or self._columns.predicates.get(condition.name, [])
        terms = matching_terms(self, condition, predicates) if predicates else []
        nodes = self.nodes(terms)
        return sorted(self.met(nodes[term.key]) for term in terms)

    @cached_property
    def _columns(self) -> Columns:
        return read_columns(self)

    @cached_property
    def names_triples(self) -> bool:
        """Whether nodes stand for triples, of which the graph states something (RDF 1.2)."""
        return self.is_true(f"ASK {{ ?node <{REIFIES_IRI}> ?triple }}")

    @cached_property
    def only_facts(self) -> frozenset[str]:
        """The predicates of literals that are no triples: descriptions are, where texts are in several languages."""
        return self.facts - DESCRIPTION_IRIS if is_multilingual(self) else self.facts

    @cached_property
    def language_tags(self) -> tuple[str, ...]:
        """The languages of names, from a sample; first none, then the preferred one."""
        return language_tags(self)

    @cached_property
    def unnamed_namespaces(self) -> tuple[str, ...]:
        """The beginnings of IRIs without a label in the preferred language, from a sample."""
        return unnamed_namespaces(self)

    def remembered(self, key: str) -> Node | None:
        """Return the remembered facts about an entity; None if it has not been met, or was forgotten."""
        entity = self._ids.get(key)
        return None if entity is None else self._nodes.get(entity)

    def names_of_relations(self, relations: Collection[str]) -> dict[str, str]:
        """Return the labels of relations, by IRI; remembered."""
        unknown = [relation for relation in relations if relation not in self._relation_labels]
        for key, facts in facts_of(self, [Term("uri", relation) for relation in unknown]).items():
            self._relation_labels[key] = described_node(key, facts, self.labels, self.label_language).label
        return {relation: self._relation_labels[relation] for relation in relations}


def _term(name: str, value: Any) -> Term:
    """Return the term for a parameter of a query.

    Raises:
        GraphbrickError: It is neither a text nor a number.
    """
    xsd = "http://www.w3.org/2001/XMLSchema#"
    if isinstance(value, bool):
        return Term("literal", str(value).lower(), f"{xsd}boolean")
    if isinstance(value, int | float):
        return Term("literal", str(value), xsd + ("integer" if isinstance(value, int) else "double"))
    if isinstance(value, str):
        term = Term.of_key(value)
        return term if term is not None and term.kind == "uri" else Term("literal", value)
    text = f"the parameter {name!r} must be a text, a number or a truth value, got {value!r}"
    raise GraphbrickError(text, code="rdf_graph.bad_parameter", name=name)
