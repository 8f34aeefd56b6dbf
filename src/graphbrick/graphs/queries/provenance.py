"""Queries for the nodes that a query matches: the provenance of its answer.

The provenance of a query (Feng et al., CypherBench, ACL 2025) is the set of nodes that its patterns match, whatever it
returns of them. It is read by queries of one column each: patterns and conditions stay, and the result is replaced.
Aggregates, order and limits of the result are left out: the provenance of «the largest country of Africa» are all
countries of Africa. Nodes inside EXISTS and MINUS are conditions and do not count, and neither do literals of RDF.

Some queries cannot be rewritten: conditions on aggregated values, subqueries and procedures in Cypher, shortest paths,
and in SPARQL paths whose inner nodes have no names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.queries.check_cypher import quoted
from graphbrick.graphs.queries.check_sparql import TriplePattern, triples_in
from graphbrick.graphs.queries.cypher_clauses import Clause, Part, clauses_of, parts_of
from graphbrick.graphs.queries.edits import Edits
from graphbrick.graphs.queries.prefixes import STANDARD, declared_prefixes, expanded
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL, Token, known_language, tokens_of

_AFTER_RESULT = ("WITH", "RETURN", "ORDER", "SKIP", "LIMIT")
_TYPE = STANDARD["rdf"] + "type"
_PLAIN_COLUMNS = re.compile(r"\*|\w+(?: , \w+)*")


class NoProvenanceError(GraphbrickError):
    """A query whose nodes cannot be returned; the message gives the reason."""


def node_queries(text: str, language: str) -> tuple[list[str], frozenset[str]]:
    """Return queries for the nodes that a query matches, and the nodes that it names by IRI.

    Args:
        text: The query.
        language: "Cypher" or "SPARQL".

    Returns:
        Queries of one column; its values are nodes, lists of nodes and nulls. The IRIs count if the query matches
        anything.

    Raises:
        NoProvenanceError: The query cannot be rewritten.
        QueryTextError: The query cannot be split into tokens.

    >>> queries, named = node_queries("MATCH (:Person)-[:DIRECTED]->(f:Film) RETURN count(f)", "Cypher")
    >>> for query in queries:
    ...     print(query)
    MATCH (node_1:Person)-[:DIRECTED]->(f:Film) RETURN DISTINCT node_1
    MATCH (node_1:Person)-[:DIRECTED]->(f:Film) RETURN DISTINCT f
    """
    tokens = tokens_of(text, language)
    if known_language(language) == SPARQL:
        return _Sparql(text, tokens).rewritten()
    queries = [query for part in _united(text, tokens) for query in _Cypher(part).rewritten()]
    return list(dict.fromkeys(queries)), frozenset()


def _united(text: str, tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the queries of a union in Cypher, or the one query."""
    start = 0
    for clause in clauses_of(tokens):
        if clause.word == "UNION":
            yield text[start : clause.start]
            words = (token for token in tokens if token.start >= clause.start + len(clause.word))
            following = next(words, None)
            is_said = following is not None and following.is_word("ALL", "DISTINCT")
            start = following.end if is_said and following is not None else clause.start + len(clause.word)
    yield text[start:]


class _Cypher:
    """Rewrites one query in Cypher that is not a union."""

    def __init__(self, text: str) -> None:
        self._text, self._edits, tokens = text, Edits(text), tokens_of(text, CYPHER)
        self._words = {token.text for token in tokens}
        self._clauses = clauses_of(tokens)
        self._columns: list[str] = []  # what is returned
        self._variables: dict[str, None] = {}  # all variables of patterns

    def rewritten(self) -> list[str]:
        end = self._result()
        matching = self._clauses[:end]
        for i, clause in enumerate(matching):
            if clause.word == "MATCH":
                for part in parts_of(clause):
                    self._part(part)
            elif clause.word == "WITH":
                self._drop(clause, self._clauses[i + 1 :])
            elif clause.word not in ("WHERE", "UNWIND"):
                text = f"the query has {clause.word} before its result"
                raise NoProvenanceError(text, code="provenance.unknown_clause", clause=clause.word)
        if not self._columns:
            raise NoProvenanceError("the query matches no nodes", code="provenance.no_nodes")
        self._edits.replace(matching[-1].end, len(self._text), "")
        pattern = self._edits.applied()
        return [f"{pattern} RETURN DISTINCT {column}" for column in self._columns]

    def _result(self) -> int:
        """Return the index of the first clause that only makes the result, without conditions."""
        for i, clause in enumerate(self._clauses):
            if clause.word in ("WITH", "RETURN") and all(after.word in _AFTER_RESULT for after in self._clauses[i:]):
                return i
        raise NoProvenanceError("the query returns nothing, or has a procedure", code="provenance.no_result")

    def _part(self, part: Part) -> None:
        if part.fault:
            text = f"the query has {part.fault}, whose nodes cannot be asked for"
            raise NoProvenanceError(text, code="provenance.unreadable_pattern", fault=part.fault)
        for node in part.nodes:
            variable = node.variable
            if not variable:
                variable = self._new("node")
                self._edits.replace(node.place, node.place, variable)
            self._column(quoted(variable), variable)
        self._variables |= dict.fromkeys(part.relations)
        if part.has_inner:
            path = part.path
            if not path:
                path = self._new("path")
                self._edits.replace(part.place, part.place, f"{path} = ")
            self._column(f"nodes({quoted(path)})", path)
        elif part.path:
            self._variables[part.path] = None

    def _column(self, column: str, variable: str) -> None:
        if column not in self._columns:
            self._columns.append(column)
        self._variables[variable] = None

    def _new(self, kind: str) -> str:
        """Return a variable that the query does not have."""
        number = 1
        while f"{kind}_{number}" in self._words:
            number += 1
        self._words.add(f"{kind}_{number}")
        return f"{kind}_{number}"

    def _drop(self, clause: Clause, rest: Sequence[Clause]) -> None:
        """Leave out a WITH that only passes variables on, so that all variables stay."""
        names = " ".join(token.text for token in clause.tokens)
        if not _PLAIN_COLUMNS.fullmatch(names) or rest[0].word in ("WHERE", "ORDER", "SKIP", "LIMIT"):
            text = "the query has patterns or conditions after WITH, which depend on its values"
            raise NoProvenanceError(text, code="provenance.conditions_after_with")
        dropped = set() if names == "*" else set(self._variables) - set(names.split(" , "))
        if any(token.text in dropped for later in rest for token in later.tokens):
            raise NoProvenanceError("the query uses a variable anew after WITH", code="provenance.variable_reused")
        self._edits.replace(clause.start, clause.end, "")


class _Sparql:
    """Rewrites one query in SPARQL."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self._text = text
        first = next((i for i, token in enumerate(tokens) if token.is_word("SELECT", "ASK")), len(tokens))
        opened = next((i for i in range(first, len(tokens)) if tokens[i].is_symbol("{")), None)
        if opened is None:
            raise NoProvenanceError("the query is neither SELECT nor ASK", code="provenance.wrong_form")
        closed = _closing(tokens, opened)
        if any(token.is_word("SELECT") for token in tokens[opened:closed]):
            raise NoProvenanceError("the query has a subquery", code="provenance.subquery")
        if any(token.is_word("HAVING", "VALUES") for token in tokens[closed:]):
            raise NoProvenanceError("the query has conditions on its result", code="provenance.conditions_on_result")
        self._prologue = text[: tokens[first].start]
        self._group = text[tokens[opened].start : tokens[closed].end]
        self._tokens = list(_without_conditions(tokens[opened : closed + 1]))
        self._prefixes = {**STANDARD, **declared_prefixes(text)}

    def rewritten(self) -> tuple[list[str], frozenset[str]]:
        if any(token.is_symbol("[") or token.text.startswith("_:") for token in self._tokens):
            raise NoProvenanceError("the query has blank nodes", code="provenance.blank_nodes")
        triples = triples_in(self._tokens)
        if any(token.is_symbol("/", "*", "+", "?") for triple in triples for token in triple.path):
            text = "the query has paths whose inner nodes have no names"
            raise NoProvenanceError(text, code="provenance.inner_nodes")
        ends = [token for triple in triples for token in self._ends(triple)]
        variables = dict.fromkeys(token.text[1:] for token in ends if token.kind == "variable")
        if not variables:
            raise NoProvenanceError("the query names no variable for a node", code="provenance.no_variable")
        named = self._named(ends)
        outer = [token for triple in triples_in(list(_outer(self._tokens))) for token in self._ends(triple)]
        if named != self._named(outer):
            text = "the query names a node in a part that need not match"
            raise NoProvenanceError(text, code="provenance.optional_node")
        queries = [
            f"{self._prologue}SELECT DISTINCT ?{variable} WHERE {{ {self._group} FILTER(!ISLITERAL(?{variable})) }}"
            for variable in variables
        ]
        return queries, named

    def _ends(self, triple: TriplePattern) -> tuple[Token, ...]:
        """Return the ends of a triple that are nodes, not classes."""
        first = triple.path[0]
        is_type = first.text == "a" or (first.kind != "variable" and expanded(first.text, self._prefixes) == _TYPE)
        return (triple.subject,) if is_type else (triple.subject, triple.object)

    def _named(self, ends: Sequence[Token]) -> frozenset[str]:
        return frozenset(expanded(end.text, self._prefixes) for end in ends if end.kind in ("iri", "prefixed"))


def _closing(tokens: Sequence[Token], opened: int) -> int:
    """Return the index of the bracket that closes the one at ``opened``."""
    depth = 0
    for i in range(opened, len(tokens)):
        depth += tokens[i].is_symbol("(", "{", "[") - tokens[i].is_symbol(")", "}", "]")
        if not depth:
            return i
    raise NoProvenanceError("the query has a bracket that is not closed", code="provenance.not_closed")


def _without_conditions(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens that are in no EXISTS and no MINUS."""
    i = 0
    while i < len(tokens):
        if tokens[i].is_word("EXISTS", "MINUS") and i + 1 < len(tokens) and tokens[i + 1].is_symbol("{"):
            i = _closing(tokens, i + 1)
        else:
            yield tokens[i]
        i += 1


def _outer(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens of a group that are in no group within it."""
    depth = 0
    for token in tokens:
        depth += token.is_symbol("{")
        if depth <= 1:
            yield token
        depth -= token.is_symbol("}")
