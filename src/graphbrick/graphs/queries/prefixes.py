"""Short names of IRIs, for queries in SPARQL and for the schema that a model reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from graphbrick.graphs.queries.tokens import SPARQL, tokens_of

STANDARD = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "schema": "http://schema.org/",
    "dct": "http://purl.org/dc/terms/",
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "dbo": "http://dbpedia.org/ontology/",
    "dbr": "http://dbpedia.org/resource/",
}
_LOCAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*|\d[A-Za-z0-9_-]*")


def is_iri(name: str) -> bool:
    """Return whether a name is a whole IRI, in brackets or not, rather than a prefixed name."""
    return name.startswith(("<", "urn:")) or "://" in name


def expanded(name: str, prefixes: Mapping[str, str] = STANDARD) -> str:
    """Return the IRI of a name, without brackets; a name whose prefix is unknown as it is.

    >>> expanded("rdfs:label"), expanded("<urn:x>")
    ('http://www.w3.org/2000/01/rdf-schema#label', 'urn:x')
    """
    if is_iri(name):
        return name.removeprefix("<").removesuffix(">")
    prefix, colon, local = name.partition(":")
    return prefixes[prefix] + local if colon and prefix in prefixes else name


def prefixes_for(names: Iterable[str]) -> dict[str, str]:
    """Return prefixes that shorten IRIs: standard ones where there are, else p1, p2 and so on, by first use.

    >>> prefixes_for(["http://example.org/a#Film", "http://www.w3.org/2000/01/rdf-schema#label"])
    {'p1': 'http://example.org/a#', 'rdfs': 'http://www.w3.org/2000/01/rdf-schema#'}
    """
    known = {namespace: prefix for prefix, namespace in STANDARD.items()}
    prefixes: dict[str, str] = {}
    for name in names:
        if not is_iri(name):
            continue
        namespace = _namespace(expanded(name))
        if namespace and namespace not in prefixes.values():
            n = sum(prefix.startswith("p") and prefix[1:].isdigit() for prefix in prefixes)
            prefixes[known.get(namespace, f"p{n + 1}")] = namespace
    return prefixes


def shortened(name: str, prefixes: Mapping[str, str]) -> str:
    """Return a name of SPARQL as a query writes it: with a prefix if one fits, else in brackets.

    >>> shortened("http://example.org/Film", {"e": "http://example.org/"})
    'e:Film'
    """
    if not is_iri(name):
        return name
    iri = expanded(name)
    namespace = _namespace(iri)
    prefix = next((prefix for prefix, known in prefixes.items() if known == namespace), None)
    return f"<{iri}>" if prefix is None else f"{prefix}:{iri.removeprefix(namespace)}"


def with_prefixes(text: str, prefixes: Mapping[str, str]) -> str:
    """Return a query with the declarations of prefixes that it uses and does not declare.

    >>> with_prefixes("SELECT * { ?s rdfs:label ?o }", {})
    'PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\\nSELECT * { ?s rdfs:label ?o }'
    """
    known = {**STANDARD, **prefixes}
    used = [token.text.partition(":")[0] for token in tokens_of(text, SPARQL) if token.kind == "prefixed"]
    declared = declared_prefixes(text)
    missing = [prefix for prefix in dict.fromkeys(used) if prefix in known and prefix not in declared]
    return "".join(f"PREFIX {prefix}: <{known[prefix]}>\n" for prefix in missing) + text


def declared_prefixes(text: str) -> dict[str, str]:
    """Return the prefixes that a query declares, with their IRIs."""
    tokens = tokens_of(text, SPARQL)
    return {
        name.text.partition(":")[0]: iri.text
        for word, name, iri in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if word.is_word("PREFIX") and name.kind == "prefixed" and iri.kind == "iri"
    }


def _namespace(iri: str) -> str:
    """Return an IRI up to its last part; empty if the last part cannot be written after a prefix."""
    end = max(iri.rfind("#"), iri.rfind("/")) + 1
    return iri[:end] if end and _LOCAL.fullmatch(iri[end:]) else ""
