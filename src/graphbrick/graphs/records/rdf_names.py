"""Meanings of RDF predicates, names of IRIs and values of literals, for files and SPARQL."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from urllib.parse import unquote

from graphbrick.core.properties.values import INFINITE, LARGEST, Kind, Scalar, Value, kind_of, read_value

TYPE_IRI = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
STRING_IRI = "http://www.w3.org/2001/XMLSchema#string"
LANGUAGE_STRING_IRI = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
REIFIES_IRI = "http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies"
IMPLIES_IRI = "http://www.w3.org/2000/10/swap/log#implies"
ALIAS_IRI = "http://www.w3.org/2004/02/skos/core#altLabel"
LABEL_IRIS = frozenset(
    "http://www.w3.org/2000/01/rdf-schema#label http://www.w3.org/2004/02/skos/core#prefLabel http://schema.org/name "
    "https://schema.org/name http://xmlns.com/foaf/0.1/name http://purl.org/dc/terms/title "
    "http://purl.org/dc/elements/1.1/title http://www.w3.org/2006/vcard/ns#fn http://usefulinc.com/ns/doap#name".split()
)
DESCRIPTION_IRIS = frozenset(
    "http://schema.org/description https://schema.org/description http://www.w3.org/2000/01/rdf-schema#comment "
    "http://www.w3.org/2004/02/skos/core#definition http://purl.org/dc/terms/description "
    "http://purl.org/dc/elements/1.1/description".split()
)

_XSD = "http://www.w3.org/2001/XMLSchema#"
INTEGER_IRIS = frozenset(
    _XSD + name
    for name in (
        "integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger "
        "unsignedLong unsignedInt unsignedShort unsignedByte gYear"
    ).split()
)
"""Datatypes whose values are whole numbers; a year is one."""
FLOAT_IRIS = frozenset(_XSD + name for name in "decimal double float".split())
"""Datatypes whose values are numbers."""
BOOLEAN_IRI, DATE_IRI = _XSD + "boolean", _XSD + "date"
DATETIME_IRIS = frozenset({_XSD + "dateTime", _XSD + "dateTimeStamp"})
_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+)+")
_SLASHES = 3  # of "http://host/name"
_HUMPS = re.compile("(?<=a)(?=A)|(?<=A)(?=Aa)")


def local_name(iri: str) -> str:
    """Return the local name of an IRI: the part after ``#`` or the last ``/``, percent-decoded.

    If that part is empty, the whole IRI is returned. A version has the part before it too. Blank nodes and literals are
    returned unchanged.

    >>> local_name("http://dbpedia.org/resource/S%C3%A3o_Paulo")
    'São_Paulo'
    >>> local_name("https://creativecommons.org/licenses/by/4.0/")
    'by/4.0'
    """
    if iri.startswith(("_:", '"')):
        return iri
    short = iri.rstrip("#/")
    name = short.rpartition("#" if "#" in short else "/")[2]
    if _VERSION.fullmatch(name) and short.count("/") > _SLASHES:
        name = "/".join(short.split("/")[-2:])
    decoded = unquote(name)
    return (name if "\ufffd" in decoded else decoded).strip() or iri


def local_words(name: str) -> str:
    """Return a local name with spaces before the words that begin with a capital.

    Names with digits, such as ``aB3xYz``, are left as they are: they are often keys.

    >>> local_words("MeatTopping"), local_words("hasHTTPServer"), local_words("aB3xYz"), local_words("São_Paulo")
    ('Meat Topping', 'has HTTP Server', 'aB3xYz', 'São_Paulo')
    """
    shape = "".join("A" if letter.isupper() else "a" if letter.islower() else "-" for letter in name)
    if set(shape) != {"a", "A"}:
        return name
    places = [0, *(match.start() for match in _HUMPS.finditer(shape)), len(name)]
    return " ".join(name[start:end] for start, end in itertools.pairwise(places))


def local_aliases(key: str, label: str) -> tuple[str, ...]:
    """Return the names that an IRI gives to an entity without a label in the preferred language.

    >>> local_aliases("http://e.org/MeatTopping", "CoberturaDeCarne"), local_aliases("http://e.org/Meat", "Meat")
    (('MeatTopping', 'Meat Topping'), ())
    """
    name = local_name(key)
    if name == key or key.startswith(("_:", '"')):
        return ()
    return tuple(alias for alias in dict.fromkeys((name, local_words(name))) if alias != label)


def rdf_value(text: str, datatype: str) -> Scalar:
    """Return the value of a literal; its text if that is not of a datatype with values.

    >>> rdf_value("+05", _XSD + "integer"), rdf_value("1", BOOLEAN_IRI), rdf_value("many", _XSD + "integer")
    (5, True, 'many')
    """
    value: Scalar | None = None
    if datatype in INTEGER_IRIS:
        number = int(text) if _INTEGER.fullmatch(text) else LARGEST + 1
        value = number if abs(number) <= LARGEST else None
    elif datatype in FLOAT_IRIS:
        amount = float(text) if _FLOAT.fullmatch(text) else math.inf
        value = amount if math.isfinite(amount) else INFINITE.get(text)
    elif datatype == BOOLEAN_IRI:
        value = {"1": True, "0": False}.get(text, read_value(text, Kind.BOOLEAN))
    elif datatype == DATE_IRI:
        value = read_value(text.removesuffix("Z"), Kind.DATE)
    elif datatype in DATETIME_IRIS:
        value = read_value(text, Kind.DATETIME)
    return text if value is None else value


def one_value(values: Sequence[Scalar]) -> Value:
    """Return different values of a property as one: a single value, or a list."""
    distinct = list(dict.fromkeys((kind_of(value), value) for value in values))
    return distinct[0][1] if len(distinct) == 1 else tuple(value for _, value in distinct)
