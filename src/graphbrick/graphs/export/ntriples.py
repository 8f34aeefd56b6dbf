"""Export a graph to N-Triples, which every RDF store loads."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import chain, groupby
from operator import itemgetter
from os import PathLike
from pathlib import Path
from urllib.parse import quote

import numpy as np

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError, LinkError
from graphbrick.core.properties.values import Kind, Properties, Scalar, kind_of, value_text
from graphbrick.graphs.databases.sparql.rdf_terms import Term
from graphbrick.graphs.export.blocks import triple_blocks, writable
from graphbrick.graphs.export.columns import elements
from graphbrick.graphs.export.place import Export, new_export_text, tell_left_out
from graphbrick.graphs.records.rdf_names import ALIAS_IRI, DESCRIPTION_IRIS, TYPE_IRI
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store.literals import (
    DATE,
    DECIMAL,
    YEAR,
    LiteralType,
    exact_number,
    literal_types,
    read_literal,
)
from graphbrick.graphs.store.stored import StoredGraph

BASE = "urn:graphbrick:"
"""The beginning of the IRIs that keys get which are not IRIs themselves."""

_XSD = "http://www.w3.org/2001/XMLSchema#"
_LABEL_IRI = "http://www.w3.org/2000/01/rdf-schema#label"
_COMMENT_IRI = "http://www.w3.org/2000/01/rdf-schema#comment"
_PART = r"(?:[A-Za-z0-9_.~!$&'()*+,;=:@/?\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef-]|%[0-9A-Fa-f]{2})*"
_HOST = r"//[A-Za-z0-9_.~-]+(?::\d+)?(?=[/?#]|$)|(?!//)"
_IRI = re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*:(?:{_HOST}){_PART}(?:#{_PART})?", re.ASCII)
_BLANK = re.compile(r"_:[A-Za-z0-9_]+")
_SHAPES = (  # of dates
    (re.compile(r"\d{4}", re.ASCII), "gYear"),
    (re.compile(r"\d{4}-\d{2}", re.ASCII), "gYearMonth"),
    (re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII), "date"),
    (re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?", re.ASCII), "dateTime"),
)
_DATATYPES = {
    Kind.INTEGER: "integer",
    Kind.NUMBER: "double",
    Kind.BOOLEAN: "boolean",
    Kind.DATE: "date",
    Kind.DATETIME: "dateTime",
}
_REIFIES = "http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies"
_PROGRESS = 1 << 14
_LISTS = "lists, written as one statement for each different element"


def to_ntriples(
    graph: StoredGraph,
    target: str | PathLike[str],
    *,
    base: str = BASE,
    overwrite: bool = False,
    progress: Progress = silent,
    left_out: LeftOut | None = None,
) -> Path:
    """Write a graph as a file of N-Triples.

    Keys that are IRIs, blank nodes or literals are written as they are. Another key ``x`` becomes the IRI
    ``BASEentity/x`` or ``BASErelation/x``, and a type ``BASEtype/x``, percent-encoded. Labels are ``rdfs:label``, types
    ``rdf:type``, descriptions ``rdfs:comment`` and aliases ``skos:altLabel``. An IRI that is a relation and an entity
    has the label of the entity. Tails that are only a number or a date become typed literals: units and thousands
    separators are left out. Memory does not grow with the graph.

    A property ``x`` becomes a typed literal with the predicate ``BASErelation/x``, as a relation with this key would; a
    list becomes a statement for each element. A triple with properties, or with parallels that have some, is named by
    ``BASEtriple/N``, which ``rdf:reifies`` the triple (RDF 1.2) and has its properties.

    Args:
        graph: The graph.
        target: The file to make.
        base: The beginning of the IRIs of other keys, such as ``http://example.org/``.
        overwrite: Replace a file that is there.
        progress: Called now and then with the name of the step, what is done and the total.
        left_out: Receives what RDF cannot hold.

    Raises:
        GraphbrickError: The target exists or cannot be written, or ``base`` is not the beginning of an IRI.
    """
    if not _IRI.fullmatch(base):
        text = f"base must be the beginning of an IRI, got {base!r}; try http://example.org/"
        raise InputError(text, code="export.bad_base", base=base)
    path, left_out = Path(target), LeftOut() if left_out is None else left_out
    terms = _Terms(graph, base, left_out)
    with new_export_text(path, overwrite=overwrite) as file:
        for relation in range(graph.n_relations):
            if not terms.is_entity(relation):
                label = Term("literal", writable(graph.relation_label(relation))).text
                file.write(f"{terms.relation(relation)} <{_LABEL_IRI}> {label} .\n")
        for entity in range(graph.n_entities):
            file.writelines(f"{line} .\n" for line in terms.facts(entity))
            if entity % _PROGRESS == 0:
                progress("nodes", entity, graph.n_entities)
        done = 0
        for lines in terms.triples():
            file.writelines(f"{line} .\n" for line in lines)
            done += len(lines)
            if len(lines) == _PROGRESS or done % _PROGRESS == 0:
                progress("triples", min(done, graph.n_triples), graph.n_triples)
        progress("triples", graph.n_triples, graph.n_triples)
    tell_left_out(left_out)
    return path


EXPORT = Export(to_ntriples, takes=("base", "progress", "left_out"))


def relation_iri(key: str, base: str = BASE) -> str:
    """Return the predicate of a relation, in angle brackets.

    >>> relation_iri("part of"), relation_iri("http://example.org/part")
    ('<urn:graphbrick:relation/part%20of>', '<http://example.org/part>')
    """
    return _iri(key, "relation", base)


def type_iri(name: str, base: str = BASE) -> str:
    """Return the class of a type, in angle brackets.

    >>> type_iri("time zone")
    '<urn:graphbrick:type/time%20zone>'
    """
    return f"<{_made(name, 'type', base)}>"


class _Terms:
    """The terms and statements of a graph in N-Triples.

    Args:
        graph: The graph.
        base: The beginning of the IRIs of keys that are not IRIs.
        left_out: Receives what RDF cannot hold.
    """

    def __init__(self, graph: StoredGraph, base: str, left_out: LeftOut) -> None:
        self._graph, self._base, self._left_out = graph, base, left_out
        self._literals = literal_types(graph)
        keys = map(graph.relation_key, range(graph.n_relations))
        self._describing = [number for number, key in enumerate(keys) if key in DESCRIPTION_IRIS]

    def entity(self, entity: int) -> str:
        """Return the term of an entity: an IRI if triples or properties leave it, as they cannot leave a literal."""
        key = self._graph.key(entity)
        if key.startswith('"') and not self._is_subject(entity) and (term := Term.of_key(key)) is not None:
            return writable(term.text)
        return key if _BLANK.fullmatch(key) else _iri(key, "entity", self._base)

    def relation(self, relation: int) -> str:
        """Return the IRI of a relation."""
        return relation_iri(self._graph.relation_key(relation), self._base)

    def is_entity(self, relation: int) -> bool:
        """Return whether the IRI of a relation is an entity too, whose label it then has: an IRI has one label."""
        key = self._graph.relation_key(relation)
        try:
            return _IRI.fullmatch(key) is not None and self._graph.entity(key) >= 0
        except LinkError:
            return False

    def tail(self, relation: int, entity: int) -> str:
        """Return the term of a tail: a typed literal if the relation has values and the tail is nothing else."""
        kind = self._literals.get(relation)
        text = self._graph.label(entity)
        if kind is not None and text == self._graph.key(entity) and self._is_bare(entity):
            return _typed(text, kind) or self.entity(entity)
        return self.entity(entity)

    def facts(self, entity: int) -> list[str]:
        """Return the facts about an entity; none for a value, which needs no description."""
        graph = self._graph
        term = self.entity(entity)
        if term.startswith('"') or self._is_value(entity):
            return []
        facts = [(_LABEL_IRI, graph.label(entity))] if graph.label(entity).strip() else []
        facts += [(ALIAS_IRI, alias) for alias in graph.aliases(entity)]
        if graph.description(entity) and not self._is_stated(entity):
            facts.append((_COMMENT_IRI, graph.description(entity)))
        lines = [f"{term} <{TYPE_IRI}> {type_iri(name, self._base)}" for name in graph.types(entity)]
        lines += [f"{term} <{iri}> {Term('literal', writable(text)).text}" for iri, text in facts]
        return lines + self._properties(term, graph.own_properties(entity))

    def _is_stated(self, entity: int) -> bool:
        """Return whether the description of an entity is a triple as well, which has its language."""
        if not self._describing:
            return False
        graph, row = self._graph, self._graph.csr.row(entity, True)
        tails = graph.csr.tail[row][np.isin(graph.csr.relation[row], self._describing)]
        return graph.description(entity) in map(graph.label, tails.tolist())

    def triples(self) -> Iterator[list[str]]:
        """Yield the statements of each block of triples, or of each triple where triples have properties."""
        graph = self._graph
        relations = [self.relation(relation) for relation in range(graph.n_relations)]
        if graph.triples_have_properties:
            yield from self._with_properties(relations)
            return
        for block in triple_blocks(graph, _PROGRESS):
            yield [
                f"{self.entity(head)} {relations[relation]} {self.tail(relation, tail)}"
                for head, relation, tail, _ in block.rows(graph)
            ]

    def _with_properties(self, relations: list[str]) -> Iterator[list[str]]:
        graph, number = self._graph, 0
        rows = chain.from_iterable(block.rows(graph) for block in triple_blocks(graph))
        for (head, relation, tail), parallels in groupby(rows, key=itemgetter(0, 1, 2)):
            text = f"{self.entity(head)} {relations[relation]} {self.tail(relation, tail)}"
            several = [properties for _, _, _, properties in parallels]
            lines = [text]
            for properties in several:
                if not properties and len(several) == 1:
                    continue
                number += 1
                name = f"<{self._base}triple/{number}>"
                lines += [f"{name} <{_REIFIES}> <<( {text} )>>", *self._properties(name, properties)]
            yield lines

    def _properties(self, subject: str, properties: Properties) -> list[str]:
        """Return the statements of the properties of an entity or a triple."""
        lines: dict[str, None] = {}
        for name, value in properties.items():
            if isinstance(value, tuple):
                self._left_out.add(_LISTS, name)
            predicate = relation_iri(name, self._base)
            lines |= dict.fromkeys(f"{subject} {predicate} {_literal(element)}" for element in elements(value))
        return list(lines)

    def _is_value(self, entity: int) -> bool:
        """Return whether an entity is nothing but the tail of triples in which it is written as a literal."""
        graph = self._graph
        key = graph.key(entity)
        if graph.label(entity) != key or read_literal(key) is None or not self._is_bare(entity):
            return False
        csr = graph.csr
        relations = np.unique(csr.relation[csr.in_triple[csr.row(entity, False)]]).tolist()
        return bool(relations) and all(self.tail(relation, entity).startswith('"') for relation in relations)

    def _is_subject(self, entity: int) -> bool:
        return bool(self._graph.triples_from(entity) or self._graph.own_properties(entity))

    def _is_bare(self, entity: int) -> bool:
        """Return whether an entity has no facts and no triple leaves it, so that it can be a literal."""
        graph = self._graph
        return not (
            self._is_subject(entity) or graph.types(entity) or graph.description(entity) or graph.aliases(entity)
        )


def _literal(value: Scalar) -> str:
    """Return a value as a typed literal.

    >>> _literal(24.5), _literal("a")
    ('"24.5"^^<http://www.w3.org/2001/XMLSchema#double>', '"a"')
    """
    if isinstance(value, str):
        return Term("literal", writable(value)).text
    text = value_text(value)
    if isinstance(value, float) and math.isinf(value):
        text = "INF" if value > 0 else "-INF"
    return f'"{text}"^^<{_XSD}{_DATATYPES[kind_of(value)]}>'


def _iri(key: str, kind: str, base: str) -> str:
    return f"<{key}>" if _IRI.fullmatch(key) else f"<{_made(key, kind, base)}>"


def _made(key: str, kind: str, base: str) -> str:
    return f"{base}{kind}/{quote(key, safe='', errors='replace')}"


def _typed(text: str, kind: LiteralType) -> str | None:
    """Return a number or date as a typed literal; None if it is of another kind or unit than its relation's."""
    text = text.strip()
    if kind.kind in (DATE, YEAR):
        shape = next((name for pattern, name in _SHAPES if pattern.fullmatch(text)), None)
        return None if shape is None else f'"{text}"^^<{_XSD}{shape}>'
    read, number = read_literal(text), exact_number(text)
    if read is None or number is None or read.unit not in ("", kind.unit):
        return None
    plain = text if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) else f"{number:f}"
    return f'"{plain}"^^<{_XSD}{"decimal" if DECIMAL in (kind.kind, read.kind) else "integer"}>'
