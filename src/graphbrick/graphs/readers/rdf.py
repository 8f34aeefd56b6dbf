"""RDF: N-Triples, N-Quads, Turtle, TriG and RDF/XML, streaming, by way of pyoxigraph.

What a statement becomes:

- A label (``rdfs:label``, ``skos:prefLabel``, ``schema:name``, ``foaf:name``) is the label of its subject. The
  preferred language wins, then none, then any; of equals the first. An IRI without a label is called by its local name.
- ``skos:altLabel`` is an alias; ``schema:description``, ``rdfs:comment``, ``skos:definition`` and
  ``dcterms:description`` are descriptions, in the preferred language or without one.
- ``rdf:type`` is a type, not a triple: the local name of the class.
- A literal in any other statement becomes an entity of its own: its N-Triples form is the key, its value the label, its
  datatype the type.
- A relation takes the label that is stated about its IRI, before or after its first use; else its local name.
- The names of graphs are ignored. Anonymous blank nodes are numbered in the order of the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote, unquote

from graphbrick.errors import InputError
from graphbrick.graphs.readers.streams import blocks, line_fault, open_source, whole_lines
from graphbrick.graphs.records import BadRecords, EntityRecord, Record, Records, RelationRecord

if TYPE_CHECKING:
    import pyoxigraph

    from graphbrick.graphs.readers import ReadOptions

FORMATS = {
    ".nt": "N_TRIPLES",
    ".nq": "N_QUADS",
    ".ttl": "TURTLE",
    ".trig": "TRIG",
    ".rdf": "RDF_XML",
    ".xml": "RDF_XML",
    ".owl": "RDF_XML",
}
"""The name of each format in pyoxigraph, by suffix."""

_Parse: TypeAlias = "Callable[..., Iterable[pyoxigraph.Quad]]"
# Entities that are made of others can grow a kilobyte of XML to gigabytes.
_NESTED_ENTITY = re.compile(rb"""<!ENTITY\s+[^>"']*["'][^"']*&""")
_PROLOGUE = 1 << 16
_LINE_BASED = (".nt", ".nq")
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
_LABELS = frozenset(
    {
        "http://www.w3.org/2000/01/rdf-schema#label",
        "http://www.w3.org/2004/02/skos/core#prefLabel",
        "http://schema.org/name",
        "https://schema.org/name",
        "http://xmlns.com/foaf/0.1/name",
    }
)
_DESCRIPTIONS = frozenset(
    {
        "http://schema.org/description",
        "https://schema.org/description",
        "http://www.w3.org/2000/01/rdf-schema#comment",
        "http://www.w3.org/2004/02/skos/core#definition",
        "http://purl.org/dc/terms/description",
    }
)
_FACTS = _LABELS | _DESCRIPTIONS | {_TYPE, _ALIAS}

# How good a label is: in the preferred language, in a variant of it, without a language, in another, made from the IRI.
_PREFERRED, _VARIANT, _NO_LANGUAGE, _OTHER, _LOCAL_NAME = range(5)


def read_rdf(file: Path, options: ReadOptions, bad: BadRecords) -> Records:
    """Yield the records of an RDF file; the rules are those of the module.

    Relative IRIs are resolved against ``file:///`` and the name of the file.

    Raises:
        InputError: pyoxigraph is not installed, or the file is not RDF. In line-based formats (N-Triples, N-Quads) a
            bad line can be skipped by ``bad``; in the others there is no going on after a fault.
    """
    try:
        import pyoxigraph
    except ImportError as error:
        raise InputError("reading RDF needs pyoxigraph: pip install 'graphbrick[rdf]'", file) from error
    suffix = Path(file.name.lower().removesuffix(".gz")).suffix
    line_based = suffix in _LINE_BASED
    parse = partial(pyoxigraph.parse, format=getattr(pyoxigraph.RdfFormat, FORMATS[suffix]))
    quads = _quads_of_lines(file, parse, options, bad) if line_based else _quads_of_document(file, parse, bad)
    return _records(quads, _Facts(pyoxigraph, options.language, number_blanks=not line_based), file, bad)


def _quads_of_lines(file: Path, parse: _Parse, options: ReadOptions, bad: BadRecords) -> Iterator[pyoxigraph.Quad]:
    """Parse block by block, and line by line where a block does not parse."""
    for first, data in blocks(file, options.max_line_bytes, bad):
        try:
            quads = None if b"\0" in data else list(parse(data))
        except SyntaxError:
            quads = None
        if quads is not None:
            yield from quads
            continue
        for number, line in enumerate(whole_lines(data), first):
            try:
                fault = line_fault(line)
                if fault:
                    bad.add(InputError(fault, file, number, line.decode(errors="replace")))
                else:
                    yield from parse(line)
            except SyntaxError as error:
                bad.add(InputError(_reason(error), file, number, line.decode(errors="replace")))


def _quads_of_document(file: Path, parse: _Parse, bad: BadRecords) -> Iterator[pyoxigraph.Quad]:
    with open_source(file) as stream:
        if _NESTED_ENTITY.search(stream.peek(_PROLOGUE)):
            raise InputError("XML entities made of entities are not read; write them out", file)
        try:
            yield from parse(stream, base_iri=f"file:///{quote(file.name)}")
        except SyntaxError as error:
            advice = "; --skip-bad can skip only in line-based formats (.nt, .nq)" if bad.skip else ""
            raise InputError(_reason(error) + advice, file, error.lineno) from error


def _reason(error: SyntaxError) -> str:
    """The parser's message, with the column and without the line, which `InputError` says."""
    reason = re.sub(r"^Parser error[^:]*: ", "", error.msg)
    return reason if error.offset is None else f"column {error.offset}: {reason}"


def _records(quads: Iterable[pyoxigraph.Quad], facts: _Facts, file: Path, bad: BadRecords) -> Records:
    for quad in quads:
        subject, predicate, value = quad.subject, quad.predicate.value, quad.object
        if facts.nested(subject, value):
            bad.add(InputError("statements about statements (RDF 1.2) are not supported", file, None, str(quad)))
        elif predicate in _FACTS and (found := facts.stated(subject, predicate, value)) is not None:
            yield from found
        else:
            yield from facts.triple(subject, predicate, value)


def local_name(iri: str) -> str:
    """What people would read of an IRI: the part after ``#`` or the last ``/``, percent-decoded; else all of it.

    >>> local_name("http://dbpedia.org/resource/S%C3%A3o_Paulo")
    'São_Paulo'
    """
    short = iri.rstrip("#/")
    name = short.rpartition("#" if "#" in short else "/")[2]
    decoded = unquote(name)
    return (name if "\ufffd" in decoded else decoded).strip() or iri


class _Facts:
    """What has been said so far; turns statements into records.

    Memory: the best label of every subject and object, so that a relation can take a label stated before its use.
    """

    def __init__(self, ox: ModuleType, language: str, *, number_blanks: bool) -> None:
        self._ox = ox
        self._language = language.strip().casefold()
        self._number_blanks = number_blanks
        self._blanks: dict[str, str] = {}
        self._labels: dict[str, tuple[int, str]] = {}
        self._descriptions: dict[str, int] = {}
        self._relations: set[str] = set()
        self._literals: set[str] = set()

    def nested(self, subject: Any, value: Any) -> bool:
        """Whether a statement is about another statement."""
        return isinstance(subject, self._ox.Triple) or isinstance(value, self._ox.Triple)

    def triple(self, subject: Any, predicate: str, value: Any) -> Iterator[Record]:
        """Yield the triple, after what it shows for the first time."""
        head = self._key(subject)
        if head not in self._labels:
            yield self._sight(head)
        if predicate not in self._relations:
            self._relations.add(predicate)
            known = self._labels.get(predicate)
            yield RelationRecord(predicate, known[1] if known else local_name(predicate))
        if isinstance(value, self._ox.Literal):
            tail = str(value)
            if tail not in self._literals:
                self._literals.add(tail)
                yield EntityRecord(tail, value.value.strip() or None, types=(local_name(value.datatype.value),))
        else:
            tail = self._key(value)
            if tail not in self._labels:
                yield self._sight(tail)
        yield head, predicate, tail

    def stated(self, subject: Any, predicate: str, value: Any) -> list[Record] | None:
        """The records of a statement that is a fact about its subject; None when it is an ordinary triple after all."""
        key, is_literal = self._key(subject), isinstance(value, self._ox.Literal)
        if is_literal == (predicate == _TYPE):
            return None  # a class is no literal, and a text must be one
        if predicate == _TYPE:
            class_key = self._key(value)
            name = class_key if class_key.startswith("_:") else local_name(class_key)
            return self._with_label(EntityRecord(key, types=(name,)))
        text, rank = value.value.strip(), self._rank(value.language)
        if not text:
            return []
        if predicate in _LABELS:
            return self._label(key, text, rank)
        if predicate == _ALIAS:
            return self._with_label(EntityRecord(key, aliases=(text,)))
        return self._description(key, text, rank)

    def _rank(self, language: str | None) -> int:
        if language is None:
            return _NO_LANGUAGE
        tag = language.casefold()
        if tag == self._language:
            return _PREFERRED
        return _VARIANT if tag.startswith(self._language + "-") else _OTHER

    def _label(self, key: str, text: str, rank: int) -> list[Record]:
        if key in self._labels and rank >= self._labels[key][0]:
            return []
        self._labels[key] = (rank, text)
        label = EntityRecord(key, text)
        return [label, RelationRecord(key, text)] if key in self._relations else [label]

    def _description(self, key: str, text: str, rank: int) -> list[Record]:
        if rank >= self._descriptions.get(key, _OTHER):
            return []
        self._descriptions[key] = rank
        return self._with_label(EntityRecord(key, description=text))

    def _sight(self, key: str) -> EntityRecord:
        """The record that names an IRI or a blank node by itself, at its first sight."""
        label = key if key.startswith("_:") else local_name(key)
        self._labels[key] = (_LOCAL_NAME, label)
        return EntityRecord(key, label)

    def _with_label(self, record: EntityRecord) -> list[Record]:
        return [record] if record.key in self._labels else [self._sight(record.key), record]

    def _key(self, term: Any) -> str:
        if not isinstance(term, self._ox.BlankNode):
            return str(term.value)
        name: str = term.value
        # The parser gives anonymous nodes ([] in Turtle) 128 random bits; a graph must come out the same every time.
        if self._number_blanks and re.fullmatch(r"[0-9a-f]{24,32}", name):
            name = self._blanks.setdefault(name, f"anon{len(self._blanks) + 1}")
        return f"_:{name}"
