"""Terms of RDF in SPARQL results, and descriptions of entities from facts, by the rules of the reader of RDF files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from graphbrick.graphs.databases.nodes import Node
from graphbrick.graphs.records.rdf_names import (
    ALIAS_IRI,
    BOOLEAN_IRI,
    DESCRIPTION_IRIS,
    FLOAT_IRIS,
    INTEGER_IRIS,
    LANGUAGE_STRING_IRI,
    STRING_IRI,
    TYPE_IRI,
    local_aliases,
    local_name,
)

_IRI = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\]*')
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|\^\^<([^<>\s"{}|^`\\]+)>)?', re.DOTALL)
_ESCAPES = {"\t": "\\t", "\b": "\\b", "\n": "\\n", "\r": "\\r", "\f": "\\f", '"': '\\"', "\\": "\\\\"}
_ESCAPED = re.compile(r'[\x00-\x1f"\\\x7f]')
_UNESCAPED = re.compile(r'\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([tbnrf"\\]))')
_LETTERS = {escape[1]: letter for letter, escape in _ESCAPES.items()}


class Term(NamedTuple):
    """A term of RDF.

    Attributes:
        kind: "uri", "bnode" or "literal".
        value: The IRI, the name of the blank node, or the text of the literal.
        datatype: IRI of the literal's type; empty for plain texts.
        language: Tag of the literal's language; empty for none.
    """

    kind: str
    value: str
    datatype: str = ""
    language: str = ""

    @classmethod
    def of(cls, value: Any) -> Term | None:
        """Return a term of a SPARQL result in JSON; None for triple terms of RDF 1.2.

        Raises:
            KeyError: It is not such a term.
        """
        kind = {"typed-literal": "literal"}.get(value["type"], value["type"])
        if kind not in ("uri", "bnode", "literal"):
            return None
        datatype = "" if value.get("datatype") in (STRING_IRI, LANGUAGE_STRING_IRI) else value.get("datatype", "")
        return cls(kind, str(value["value"]), str(datatype), str(value.get("xml:lang", "")))

    @classmethod
    def of_key(cls, key: str) -> Term | None:
        """Return the term that a key stands for; None if it is not one.

        >>> Term.of_key('"caf\\\\u00E9"@fr')
        Term(kind='literal', value='café', datatype='', language='fr')
        """
        if key.startswith("_:"):
            return cls("bnode", key[2:])
        if key.startswith('"'):
            literal = _LITERAL.fullmatch(key)
            if literal is None:
                return None
            text = _UNESCAPED.sub(
                lambda match: _LETTERS[match[3]] if match[3] else chr(int(match[1] or match[2], 16)), literal[1]
            )
            return cls("literal", text, literal[3] or "", literal[2] or "")
        return cls("uri", key) if _IRI.fullmatch(key) else None

    @property
    def key(self) -> str:
        """The key of the entity: the IRI, ``_:`` and the name of a blank node, or the literal in N-Triples."""
        return self.value if self.kind == "uri" else self.text

    @property
    def text(self) -> str:
        r"""The term in N-Triples.

        >>> Term("literal", 'a "b"', language="en").text
        '"a \\"b\\""@en'
        """
        if self.kind == "uri":
            return f"<{self.value}>"
        if self.kind == "bnode":
            return f"_:{self.value}"
        escaped = _ESCAPED.sub(lambda c: _ESCAPES.get(c[0]) or f"\\u{ord(c[0]):04X}", self.value)
        if self.language:
            return f'"{escaped}"@{self.language}'
        return f'"{escaped}"^^<{self.datatype}>' if self.datatype else f'"{escaped}"'

    @property
    def plain(self) -> str | int | float | bool:
        """The value for a row: a number or a truth value if it is one, else the key of an entity or the text."""
        if self.kind != "literal":
            return self.key
        try:
            if self.datatype in INTEGER_IRIS:
                return int(self.value)
            if self.datatype in FLOAT_IRIS:
                return float(self.value)
        except ValueError:
            return self.value
        if self.datatype == BOOLEAN_IRI:
            return self.value in ("true", "1")
        return self.value


def literal_node(term: Term) -> Node:
    """Return the entity that a literal is: its text is the label, its datatype the type."""
    datatype = term.datatype or (LANGUAGE_STRING_IRI if term.language else STRING_IRI)
    return Node(term.key, term.value.strip() or term.key, (local_name(datatype),))


def described_node(key: str, facts: Iterable[tuple[str, Term]], labels: Collection[str], language: str) -> Node:
    """Return the entity that facts describe; among several texts, the best language counts, then the first.

    Other labels are aliases. So are the names that the IRI gives, if no label is in the preferred language.

    Args:
        key: The key of the entity.
        facts: (predicate, value), in any order.
        labels: Predicates that state labels.
        language: The preferred language.
    """
    stated = sorted(facts)
    texts = [(predicate, term) for predicate, term in stated if term.kind == "literal" and term.value.strip()]

    def ranked(predicates: Collection[str]) -> list[tuple[int, str]]:
        """Return (rank, text) of the texts with these predicates, best first."""
        return sorted((language_rank(term, language), term.value.strip()) for p, term in texts if p in predicates)

    names = ranked(labels)
    types = (local_name(term.key) for predicate, term in stated if predicate == TYPE_IRI and term.kind != "literal")
    rank, label = names[0] if names else (_OTHER, local_name(key))
    aliases = [name for _, name in names[1:]]
    aliases += [term.value.strip() for predicate, term in texts if predicate == ALIAS_IRI]
    aliases += local_aliases(key, label) if rank == _OTHER else ()
    return Node(
        key,
        label,
        tuple(dict.fromkeys(types)),
        next((text for _, text in ranked(DESCRIPTION_IRIS)), ""),
        tuple(alias for alias in dict.fromkeys(aliases) if alias != label),
    )


_OTHER = 3


def language_rank(term: Term, language: str) -> int:
    """Return 0 for the preferred language, 1 for a variant of it, 2 for a text without one, 3 for others."""
    tag = term.language.casefold()
    if not tag:
        return 2
    if tag == language:
        return 0
    return 1 if tag.startswith(f"{language}-") else _OTHER
