"""Streaming reader of RDF: N-Triples, N-Quads, Turtle, TriG and RDF/XML, parsed by pyoxigraph.

Statements are mapped as follows:

- A label (``rdfs:label``, ``skos:prefLabel``, ``schema:name``, ``foaf:name``) is the label of its subject. A label in
  the preferred language wins over one in a regional variant of it, that over one without a language, and that over
  any other; ties go to the first. The default label of an IRI is its local name.
- ``skos:altLabel`` is an alias; ``schema:description``, ``rdfs:comment``, ``skos:definition`` and
  ``dcterms:description`` are descriptions. Descriptions in other languages than the preferred one are ignored.
- ``rdf:type`` is a type, not a triple; the name of the type is the local name of the class.
- A literal in any other statement becomes an entity: its N-Triples form is the key, its value the label, its datatype
  the type.
- A relation takes the label that is stated about its IRI, before or after its first use; otherwise its local name.
- Graph names are ignored. Anonymous blank nodes are numbered in file order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

import numpy as np

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.readers.streams import Meter, blocks, line_fault, not_text, open_source, unpacked_name
from graphbrick.graphs.records.blocks import (
    FOR_RELATION,
    NAMES_ONLY,
    Described,
    FactBlock,
    Part,
    TripleBlock,
    fact_count,
)
from graphbrick.graphs.records.interner import as_bytes
from graphbrick.graphs.records.rdf_names import (
    ALIAS_IRI,
    DESCRIPTION_IRIS,
    LABEL_IRIS,
    LANGUAGE_STRING_IRI,
    STRING_IRI,
    TYPE_IRI,
    local_name,
)
from graphbrick.graphs.records.records import (
    DESCRIPTION,
    LABEL,
    LATEST,
    BadRecords,
    EntityRecord,
    RankedFact,
    TripleRecord,
)
from graphbrick.graphs.records.records import TYPE as TYPE_OF
from graphbrick.kernels.strings.ntriples import (
    NO_LANGUAGE,
    OTHER,
    PLAIN,
    PREFERRED,
    TAGGED,
    TYPE,
    VARIANT,
    Statements,
    split_ntriples,
)
from graphbrick.kernels.strings.spans import Bytes
from graphbrick.language.hashing import hash64

if TYPE_CHECKING:
    import pyoxigraph

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

_Fact: TypeAlias = EntityRecord | Described | RankedFact
_Parse: TypeAlias = "Callable[..., Iterable[pyoxigraph.Quad]]"
# Nested XML entities can expand a kilobyte of XML to gigabytes.
_NESTED_ENTITY = re.compile(rb"""<!ENTITY\s+[^>"']*["'][^"']*&""")
_PROLOGUE = 1 << 16
_LINE_BASED = (".nt", ".nq")
# Datatypes that N-Triples leaves implicit, or that need a language tag.
_TEXTS = {
    STRING_IRI,
    LANGUAGE_STRING_IRI,
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString",
}
_LITERALS = 1 << 16


def _read(file: Path, reading: FileReading) -> Iterator[Part]:
    """Yield the triples and facts of an RDF file, by the rules in the module's docstring.

    Labels and descriptions come with a rank; the reader does not store them, so the consumer must keep the best.
    Relative IRIs are resolved against ``file:///`` and the file name.

    Raises:
        InputError: pyoxigraph is not installed, or the file is not RDF. In line-based formats (N-Triples, N-Quads)
            ``bad`` can skip a bad line; in the other formats reading stops at the first fault.
    """
    try:
        import pyoxigraph
    except ImportError as error:
        reason = "reading RDF needs pyoxigraph: pip install 'graphbrick[rdf]'"
        raise InputError(reason, file, code="reader.needs_pyoxigraph") from error
    suffix = Path(unpacked_name(file)).suffix
    line_based = suffix in _LINE_BASED
    parse = partial(pyoxigraph.parse, format=getattr(pyoxigraph.RdfFormat, FORMATS[suffix]))
    names, language = LABEL_IRIS | frozenset(reading.labels), reading.options.language
    statements = _Statements(pyoxigraph, language, names, file, reading.bad, number_blanks=not line_based)
    if line_based:
        yield from _blocks_of_lines(file, parse, statements, reading)
    else:
        for quad in _quads_of_document(file, parse, reading.bad, reading.meter):
            yield from statements.parts(quad)


READER = Reader(_read, naming=local_name, is_checked=True)


def _blocks_of_lines(file: Path, parse: _Parse, statements: _Statements, reading: FileReading) -> Iterator[Part]:
    """Read ordinary lines with a fast kernel and all others with the parser, in file order."""
    predicates = (statements.labels, {TYPE_IRI}, statements.facts - statements.labels - {TYPE_IRI} | _TEXTS)
    labels, types, special = (np.array([hash64(iri) for iri in sorted(iris)], dtype=np.uint64) for iris in predicates)
    language, fast = as_bytes(statements.language.encode()), reading.fast
    for first, data in blocks(file, reading.options.max_line_bytes, reading.bad, reading.meter):
        text = as_bytes(data)
        # Invalid UTF-8 can only be reported line by line.
        block = Statements(*split_ntriples(text, language, labels, types, special, fast and not line_fault(data)))
        lines = [(first + line, data[start:end], (line, before)) for line, start, end, before in block.odd.tolist()]
        before: list[int] = []
        triples: list[TripleRecord] = []
        facts: list[_Fact] = []
        stated: list[int] = []
        for (line, ordinary), quad in _quads_of_lines(lines, parse, file, reading.bad):
            for part in statements.parts(quad):
                if isinstance(part, tuple):
                    before.append(ordinary)
                    triples.append(part)
                elif fast:
                    facts.append(part)
                    stated.append(line)
                else:
                    yield part
        if fast:
            yield from _facts_of(text, block, facts, stated)
        yield TripleBlock(text, block.starts, block.ends).merged(before, triples)


def _facts_of(text: Bytes, found: Statements, others: list[_Fact], lines: list[int]) -> Iterator[FactBlock]:
    """Yield the facts stated by the lines of a block, in order, then the facts about its ordinary literals."""
    key_starts, key_ends, starts, ends, what, rank, order = (np.ascontiguousarray(column) for column in found.facts.T)
    kind = np.where(what == TYPE, TYPE_OF, LABEL | FOR_RELATION).astype(np.uint8)
    facts = FactBlock(text, key_starts, key_ends, starts, ends, kind, rank.astype(np.uint8))
    if others:
        more = np.repeat(np.array(lines, dtype=np.int64), [fact_count(record) for record in others])
        facts = facts.merged(order, FactBlock.of(others), more)
    if len(facts.kind):
        yield facts
    literal = np.flatnonzero(found.literal)
    if not len(literal):
        return
    key_starts, key_ends = found.starts[2, literal], found.ends[2, literal]
    rank, labels, types = (
        np.full(len(literal), filled, dtype=np.uint8) for filled in (LATEST, LABEL | NAMES_ONLY, TYPE_OF | NAMES_ONLY)
    )
    yield FactBlock(text, key_starts, key_ends, found.value[0, literal], found.value[1, literal], labels, rank)
    # The names of implicit datatypes are appended to the text.
    tagged, plain = "langString", "string"
    names = np.concatenate([text, as_bytes((tagged + plain).encode())])
    starts, ends = found.type[0, literal], found.type[1, literal]
    for tail, name, before in ((TAGGED, tagged, 0), (PLAIN, plain, len(tagged))):
        chosen = found.literal[literal] == tail
        starts[chosen], ends[chosen] = len(text) + before, len(text) + before + len(name)
    yield FactBlock(names, key_starts.copy(), key_ends.copy(), starts, ends, types, rank)


def _quads_of_lines(
    lines: list[tuple[int, bytes, tuple[int, int]]], parse: _Parse, file: Path, bad: BadRecords
) -> Iterator[tuple[tuple[int, int], pyoxigraph.Quad]]:
    """Parse lines and yield (tag, statement); all lines at once if each holds one statement, else line by line.

    Args:
        lines: Tuples (line number, line, tag); the tag is yielded with each statement of the line.
        parse: The parser.
        file: The file, for error messages.
        bad: Receives the lines that are not RDF.
    """
    joined = b"\n".join(line for _, line, _ in lines)
    try:
        quads = [] if b"\0" in joined else list(parse(joined))
    except SyntaxError:
        quads = []
    if len(quads) == len(lines):
        yield from zip((tag for _, _, tag in lines), quads, strict=True)
        return
    for number, line, tag in lines:
        try:
            fault = line_fault(line)
            if fault:
                bad.add(not_text(fault, file, number, line.decode(errors="replace")))
            else:
                yield from ((tag, quad) for quad in parse(line))
        except SyntaxError as error:
            bad.add(_not_rdf(error, file, number, line.decode(errors="replace")))


def _quads_of_document(file: Path, parse: _Parse, bad: BadRecords, meter: Meter | None) -> Iterator[pyoxigraph.Quad]:
    with open_source(file, meter) as stream:
        if _NESTED_ENTITY.search(stream.peek(_PROLOGUE)):
            reason = "XML entities made of entities are not read; write them out"
            raise InputError(reason, file, code="reader.nested_entities")
        try:
            yield from parse(stream, base_iri=f"file:///{quote(file.name)}")
        except MemoryError as error:  # the parser's buffer is bounded
            reason = "an IRI or a literal is longer than the parser's limit of 16 MiB; a quote may have been left open"
            raise InputError(reason, file, code="reader.term_too_long") from error
        except SyntaxError as error:
            advice = "; --skip-bad can skip only in line-based formats (.nt, .nq)" if bad.skip else ""
            raise _not_rdf(error, file, error.lineno, advice=advice) from error


def _not_rdf(error: SyntaxError, file: Path, line: int | None, text: str = "", *, advice: str = "") -> InputError:
    """Return the parser's error with the column but without the line, which `InputError` adds."""
    reason = re.sub(r"^Parser error[^:]*: ", "", error.msg)
    place = "" if error.offset is None else f"column {error.offset}: "
    return InputError(f"{place}{reason}{advice}", file, line, text, code="reader.not_rdf", column=error.offset)


class _Statements:
    """Converter of RDF statements into triples and facts."""

    def __init__(
        self,
        ox: ModuleType,
        language: str,
        labels: frozenset[str],
        file: Path,
        bad: BadRecords,
        *,
        number_blanks: bool,
    ) -> None:
        self._ox, self._file, self._bad, self.labels = ox, file, bad, labels
        self.facts = labels | DESCRIPTION_IRIS | {TYPE_IRI, ALIAS_IRI}
        self.language = language.strip().casefold()
        self._number_blanks = number_blanks
        self._blanks: dict[str, str] = {}
        self._literals: set[str] = set()  # recently described; describing one twice is harmless

    def parts(self, quad: pyoxigraph.Quad) -> list[_Fact | TripleRecord]:
        """Return the triples and facts of a statement."""
        subject, predicate, value = quad.subject, quad.predicate.value, quad.object
        if isinstance(subject, self._ox.Triple) or isinstance(value, self._ox.Triple):
            reason = "statements about statements (RDF 1.2) are not supported"
            self._bad.add(InputError(reason, self._file, None, str(quad), code="reader.statement_about_statement"))
            return []
        if predicate in self.facts and (facts := self._stated(subject, predicate, value)) is not None:
            return facts
        return self._triple(subject, predicate, value)

    def _triple(self, subject: Any, predicate: str, value: Any) -> list[_Fact | TripleRecord]:
        """Return the triple, preceded by the facts about its tail if that is a literal."""
        head = self._key(subject)
        if not isinstance(value, self._ox.Literal):
            return [(head, predicate, self._key(value))]
        tail = str(value)
        parts: list[_Fact | TripleRecord] = [(head, predicate, tail)]
        if tail not in self._literals:
            if len(self._literals) >= _LITERALS:
                self._literals.clear()
            self._literals.add(tail)
            type_ = local_name(value.datatype.value)
            parts.insert(0, Described(EntityRecord(tail, value.value.strip() or None, types=(type_,))))
        return parts

    def _stated(self, subject: Any, predicate: str, value: Any) -> list[_Fact | TripleRecord] | None:
        """Return the facts that a statement states about its subject; None if it is an ordinary triple."""
        key, is_literal = self._key(subject), isinstance(value, self._ox.Literal)
        if is_literal == (predicate == TYPE_IRI):
            return None  # a class must not be a literal, and a text must be one
        if predicate == TYPE_IRI:
            return [EntityRecord(key, types=(local_name(self._key(value)),))]
        text, rank = value.value.strip(), self._rank(value.language)
        if not text:
            return []
        if predicate in self.labels:
            return [RankedFact(key, LABEL, text, rank)]
        if predicate == ALIAS_IRI:
            return [EntityRecord(key, aliases=(text,))]
        return [RankedFact(key, DESCRIPTION, text, rank)] if rank < OTHER else []

    def _rank(self, language: str | None) -> int:
        if language is None:
            return NO_LANGUAGE
        tag = language.casefold()
        if tag == self.language:
            return PREFERRED
        return VARIANT if tag.startswith(self.language + "-") else OTHER

    def _key(self, term: Any) -> str:
        if not isinstance(term, self._ox.BlankNode):
            return str(term.value)
        name: str = term.value
        # The parser names anonymous nodes ([] in Turtle) by 128 random bits; a build must be deterministic.
        if self._number_blanks and re.fullmatch(r"[0-9a-f]{24,32}", name):
            name = self._blanks.setdefault(name, f"anon{len(self._blanks) + 1}")
        return f"_:{name}"
