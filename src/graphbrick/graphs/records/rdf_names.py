"""Meanings of RDF predicates, and names of IRIs; shared by the reader of files and by SPARQL graphs."""

from __future__ import annotations

from urllib.parse import unquote

TYPE_IRI = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
STRING_IRI = "http://www.w3.org/2001/XMLSchema#string"
LANGUAGE_STRING_IRI = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
ALIAS_IRI = "http://www.w3.org/2004/02/skos/core#altLabel"
LABEL_IRIS = frozenset(
    {
        "http://www.w3.org/2000/01/rdf-schema#label",
        "http://www.w3.org/2004/02/skos/core#prefLabel",
        "http://schema.org/name",
        "https://schema.org/name",
        "http://xmlns.com/foaf/0.1/name",
    }
)
DESCRIPTION_IRIS = frozenset(
    {
        "http://schema.org/description",
        "https://schema.org/description",
        "http://www.w3.org/2000/01/rdf-schema#comment",
        "http://www.w3.org/2004/02/skos/core#definition",
        "http://purl.org/dc/terms/description",
    }
)


def local_name(iri: str) -> str:
    """Return the local name of an IRI: the part after ``#`` or the last ``/``, percent-decoded.

    If that part is empty, the whole IRI is returned. Blank nodes and literals are returned unchanged.

    >>> local_name("http://dbpedia.org/resource/S%C3%A3o_Paulo")
    'São_Paulo'
    """
    if iri.startswith(("_:", '"')):
        return iri
    short = iri.rstrip("#/")
    name = short.rpartition("#" if "#" in short else "/")[2]
    decoded = unquote(name)
    return (name if "\ufffd" in decoded else decoded).strip() or iri
