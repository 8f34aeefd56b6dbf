"""Names and directions of SPARQL triple patterns, checked against a schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from graphbrick.core.schema import Schema
from graphbrick.graphs.queries.edits import Edits
from graphbrick.graphs.queries.names import same_name, unknown_name
from graphbrick.graphs.queries.prefixes import STANDARD, expanded, shortened
from graphbrick.graphs.queries.schema_text import prefixes_of
from graphbrick.graphs.queries.tokens import SPARQL, Token, after_bracket, token_at, tokens_of

_TYPE = STANDARD["rdf"] + "type"
_ALLOWED = tuple(STANDARD[prefix] for prefix in ("rdf", "rdfs", "owl", "skos"))
_TERMS = ("variable", "iri", "prefixed", "string", "number")


class TriplePattern(NamedTuple):
    """A triple pattern: the tokens of its subject, of its path, and of its object; ``[`` stands for a blank node."""

    subject: Token
    path: tuple[Token, ...]
    object: Token


class SparqlCheck:
    """One check; see `graphbrick.graphs.queries.check.check_query`.

    Args:
        text: The query.
        schema: The names that it may use: classes and relations by IRI or prefixed name.
    """

    def __init__(self, text: str, schema: Schema) -> None:
        self.edits, self.problems = Edits(text), list[str]()
        self._tokens = tokens_of(text, SPARQL)
        self._prefixes = prefixes_of(text, schema)
        self._classes = {self._iri(known.name): known for known in schema.classes}
        self._connections = {
            (self._iri(known.head), self._iri(known.relation), self._iri(known.tail)) for known in schema.connections
        }
        self._relations = {relation for _, relation, _ in self._connections}
        sampled = {self._iri(known.relation) for known in schema.connections if known.count is None}
        self._sampled = set[str]() if schema.is_complete else sampled  # relations that may join other classes, too
        self._properties = {self._iri(part.name) for known in schema.classes for part in known.properties}

    def run(self) -> None:
        """Fill `edits` and `problems`."""
        triples = list(triples_in(self._tokens))
        classes: dict[str, set[str]] = {}
        for triple in triples:
            if self._is_type(triple) and triple.object.kind in ("iri", "prefixed"):
                known = self._known(triple.object, list(self._classes), "class")
                classes.setdefault(triple.subject.text, set()).add(known)
        for triple in triples:
            names = [token for token in triple.path if token.kind in ("iri", "prefixed")]
            relations = [self._relation(token) for token in names]
            if len(triple.path) == 1 and relations and relations[0] in self._relations - self._sampled:
                self._check_direction(triple, relations[0], classes)

    def _iri(self, name: str) -> str:
        return expanded(name, self._prefixes)

    def _is_type(self, triple: TriplePattern) -> bool:
        first = triple.path[0]
        return len(triple.path) == 1 and (first.text == "a" or self._iri(first.text) == _TYPE)

    def _relation(self, token: Token) -> str:
        """Return the relation or property that a token names; correct it, or report that it is unknown."""
        iri = self._iri(token.text)
        if iri.startswith(_ALLOWED):
            return iri
        return self._known(token, [*self._relations, *self._properties], "relation or property")

    def _known(self, token: Token, known: Sequence[str], kind: str) -> str:
        iri = self._iri(token.text)
        if iri in known or not known:
            return iri
        by_local = {_local(other): other for other in known}
        same = same_name(_local(iri), list(by_local))
        if same is None:
            short = {_local(other): shortened(other, self._prefixes) for other in sorted(known)}
            message = unknown_name(kind, _local(iri), short)
            for local, name in short.items():
                message = message.replace(repr(local), name)
            self.problems.append(message.replace(_local(iri), token.text, 1))
        else:
            iri = by_local[same]
            self.edits.replace(token.start, token.end, f"<{iri}>", f"wrote {same!r} for {token.text!r}")
        return iri

    def _check_direction(self, triple: TriplePattern, relation: str, classes: dict[str, set[str]]) -> None:
        """Turn a relation that the schema has only in the other direction, or report that it has none."""
        heads = classes.get(triple.subject.text, set())
        tails = classes.get(triple.object.text, set())
        if not heads | tails <= set(self._classes) or triple.object.kind in ("string", "number"):
            return
        if self._has(heads, relation, tails):
            return
        token = triple.path[0]
        if self._has(tails, relation, heads):
            self.edits.replace(token.start, token.start, "^", f"turned the direction of {token.text}")
            return
        there = [
            f"{shortened(head, self._prefixes)} to {shortened(tail, self._prefixes)}"
            for head, known, tail in sorted(self._connections)
            if known == relation
        ]
        self.problems.append(f"{token.text} does not lead so; it leads from {', '.join(there[:5])}")

    def _has(self, heads: set[str], relation: str, tails: set[str]) -> bool:
        return any(
            known == relation and (not heads or head in heads) and (not tails or tail in tails)
            for head, known, tail in self._connections
        )


def _local(iri: str) -> str:
    return iri[max(iri.rfind("#"), iri.rfind("/"), iri.rfind(":")) + 1 :]


def triples_in(tokens: Sequence[Token]) -> list[TriplePattern]:
    """Return the triple patterns of a query, those in nested groups included; expressions are passed over."""
    triples, i, depth = list[TriplePattern](), 0, 0
    subject: Token | None = None
    path: list[Token] = []
    outside: list[tuple[Token, list[Token]]] = []  # subject and path before each open bracket of a blank node
    while i < len(tokens):
        token = tokens[i]
        i += 1
        if token.is_symbol("{"):
            depth, subject, path = depth + 1, None, []
        elif token.is_symbol("}"):
            depth, subject, path = depth - 1, None, []
        elif token.is_symbol("."):
            subject, path = None, []
        elif token.is_symbol(";"):
            path = []
        elif not depth:
            continue
        elif token.is_symbol("["):
            if subject is not None and path:
                triples.append(TriplePattern(subject, tuple(path), token))
            outside.append((subject or token, path))
            subject, path = token, []
        elif token.is_symbol("]"):
            subject, path = outside.pop() if outside else (None, [])
        elif token.is_symbol("^^"):
            i += 1  # the datatype of a literal
        elif token.kind == "word" and token.text != "a" and not token.is_word("TRUE", "FALSE"):
            subject, path = None, []
            if token.is_word("GRAPH", "VALUES", "ORDER", "GROUP", "LIMIT", "OFFSET", "SELECT", "HAVING"):
                while not token_at(tokens, i).is_symbol("{", "}") and token_at(tokens, i).kind != "end":
                    i += 1
                if token.is_word("VALUES"):
                    i = after_bracket(tokens, i)
            elif token_at(tokens, i).is_symbol("("):
                i = after_bracket(tokens, i)
        elif subject is None:
            subject = token if token.kind in _TERMS else None
        elif not path:
            path, i = _path(tokens, i - 1)
        elif token.kind in _TERMS:
            triples.append(TriplePattern(subject, tuple(path), token))
    return triples


def _path(tokens: Sequence[Token], i: int) -> tuple[list[Token], int]:
    """Return the tokens of the property path that begins at ``i``, and the index after it."""
    path: list[Token] = []
    may_end = False
    while True:
        token = token_at(tokens, i)
        is_name = token.kind in ("iri", "prefixed", "variable") or token.text == "a"
        if is_name and may_end:
            break
        if not is_name and not token.is_symbol("/", "|", "^", "*", "+", "?", "!", "(", ")"):
            break
        may_end = is_name or token.is_symbol("*", "+", "?", ")")
        path.append(token)
        i += 1
    return path, i if path else i + 1


def sparql_reads_nothing(text: str) -> bool:
    """Return whether a query returns only what it says itself, as a model may write its own answer.

    Args:
        text: The query.

    Raises:
        QueryTextError: The query cannot be split into tokens.

    >>> own = ["SELECT ('2029' AS ?d) { ?s ?p ?o }", "SELECT ?d { VALUES ?d { 1 } }", "ASK { FILTER(1 < 2) }"]
    >>> own += ["SELECT ?d WHERE { ?s ?p ?o BIND('2029' AS ?d) }"]
    >>> [*map(sparql_reads_nothing, own)]
    [True, True, True, True]
    >>> read = ["SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", "ASK { ?s ?p ?o }", "SELECT DISTINCT * WHERE { ?s a ?c }"]
    >>> read += ["SELECT ?y { ?s ?p ?o BIND(YEAR(?o) AS ?y) }", "SELECT ?n { SELECT (SUM(?o) AS ?n) { ?s ?p ?o } }"]
    >>> [*map(sparql_reads_nothing, read)]
    [False, False, False, False, False]
    """
    tokens = tokens_of(text, SPARQL)
    triples = list(triples_in(tokens))
    if not triples:
        return True
    read = {
        part.text[1:] for one in triples for part in (one.subject, *one.path, one.object) if part.kind == "variable"
    }
    read |= {token_at(tokens, i + 1).text[1:] for i, token in enumerate(tokens) if token.is_word("GRAPH")}
    computed = [(i, _computed_from(tokens, i)) for i, token in enumerate(tokens) if token.is_word("AS")]
    for _ in computed:  # one may be computed from another
        read |= {token_at(tokens, i + 1).text[1:] for i, used in computed if used & {"", *read}}
    first = next((i for i, token in enumerate(tokens) if token.is_word("SELECT")), None)
    if first is None:
        return False
    end = next((i for i in range(first, len(tokens)) if tokens[i].is_symbol("{")), len(tokens))
    if token_at(tokens, end - 1 - token_at(tokens, end - 1).is_word("WHERE")).is_symbol("*"):
        return False
    return not any(token.kind == "variable" and token.text[1:] in read for token in tokens[first:end])


def _computed_from(tokens: Sequence[Token], i: int) -> set[str]:
    """Return the variables of an expression that ends before ``i``; the empty name for all of them («*»)."""
    depth, used = 1, set[str]()
    while i and depth:
        i -= 1
        depth += tokens[i].is_symbol(")") - tokens[i].is_symbol("(")
        if tokens[i].kind == "variable":
            used.add(tokens[i].text[1:])
        elif tokens[i].is_symbol("*") and tokens[i - 1].is_symbol("(") | tokens[i - 1].is_word("DISTINCT"):
            used.add("")
    return used
