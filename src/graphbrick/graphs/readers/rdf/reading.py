"""Read files of RDF: lines by a fast kernel where they are ordinary, all else by pyoxigraph."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

import numpy as np

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.rdf.json_ld import unmapped_names, with_vocabulary
from graphbrick.graphs.readers.rdf.lists import FIRST_IRI
from graphbrick.graphs.readers.rdf.mending import LeftOutLines, MendedStream, Mender
from graphbrick.graphs.readers.rdf.multilingual import is_multilingual
from graphbrick.graphs.readers.rdf.statements import Fact, Statements
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.readers.streams import (
    BLOCK_BYTES,
    blocks,
    line_fault,
    not_text,
    open_source,
    unpacked_name,
    whole_lines,
)
from graphbrick.graphs.records.blocks import (
    FOR_RELATION,
    NAMES_ONLY,
    FactBlock,
    Part,
    TripleBlock,
    fact_count,
)
from graphbrick.graphs.records.interner import as_bytes
from graphbrick.graphs.records.rdf_names import LANGUAGE_STRING_IRI, STRING_IRI, TYPE_IRI, local_name
from graphbrick.graphs.records.records import LABEL, LATEST, BadRecords, LeftOut, TripleRecord
from graphbrick.graphs.records.records import TYPE as TYPE_OF
from graphbrick.kernels.strings.ntriples import PLAIN, TAGGED, TYPE, split_ntriples
from graphbrick.kernels.strings.ntriples import Statements as Split
from graphbrick.kernels.strings.spans import Bytes, Hashes
from graphbrick.language.hashing import hash64

if TYPE_CHECKING:
    import pyoxigraph

LATE = "parts of lists and restrictions that stay nodes, as none is in the first 4 MiB of the file"
UNMAPPED = "values of JSON-LD whose names the context does not map"
FORMATS = {
    ".nt": "N_TRIPLES",
    ".nq": "N_QUADS",
    ".ttl": "TURTLE",
    ".trig": "TRIG",
    ".n3": "N3",
    ".jsonld": "JSON_LD",
    ".json": "JSON_LD",  # only such files come here
    ".rdf": "RDF_XML",
    ".xml": "RDF_XML",
    ".owl": "RDF_XML",
}
"""The name of each format in pyoxigraph, by suffix."""

Parse: TypeAlias = "Callable[..., Iterable[pyoxigraph.Quad]]"
_Line: TypeAlias = tuple[int, bytes, tuple[int, int]]
# Nested XML entities can expand a kilobyte of XML to gigabytes.
_NESTED_ENTITY = re.compile(rb"""<!ENTITY\s+[^>"']*["'][^"']*&""")
_PROLOGUE = 1 << 16
_LINE_BASED = ("N_TRIPLES", "N_QUADS")
# Signs that a document may have statements about statements, or lists. In Turtle, a text with a bracket is one too:
# then the file is read once more than it must be.
_ABOUT = rb"<<|\{\||reifies|[^a-z]annotation|[#:<]first\b|onProperty\b"
_TO_NOTE = {
    "RDF_XML": re.compile(_ABOUT + rb"|parseType=.(?:Triple|Collection)"),
    "JSON_LD": re.compile(_ABOUT + rb"|@list"),
}
_TO_NOTE_IN_TURTLE = re.compile(_ABOUT + rb"|[\s,;\[(]\(")
_IN_LISTS = FIRST_IRI.encode(), b"owl#onProperty>"
_IN_LINES = b"<<(", b"\n<<", *_IN_LISTS
_OVERLAP = 32
# Datatypes that N-Triples leaves implicit, or that need a language tag.
_TEXTS = {
    STRING_IRI,
    LANGUAGE_STRING_IRI,
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString",
}


def _read(file: Path, reading: FileReading) -> Iterator[Part]:
    """Yield the triples and facts of an RDF file, by the rules in the docstring of the package.

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
    source = _File(file, reading, pyoxigraph)
    statements = source.statements()
    if source.must_be_noted():
        for quad, by_name in source.noted():
            statements.note(quad, by_name=by_name)
        statements.restart()
    yield from source.parts(statements)
    yield from statements.listed()
    for quad in source.unnamed():
        statements.unnamed(quad)
    iris = statements.annotations.iris() | statements.blank_names.iris()
    label = source.names(statements, iris) if iris else local_name
    yield from statements.annotated(label)
    yield from statements.blank_names.records(label)


READER = Reader(_read, naming=local_name, is_checked=True)


class _File:
    """A file of RDF, which can be read several times.

    Args:
        file: The file.
        reading: The options and receivers.
        ox: The module pyoxigraph.
    """

    def __init__(self, file: Path, reading: FileReading, ox: ModuleType) -> None:
        self._file, self._ox = file, ox
        is_lenient = reading.options.lenient
        self._mender = Mender(reading.left_out) if is_lenient else None
        self._reading = replace(reading, bad=LeftOutLines(reading.left_out)) if is_lenient else reading
        self._format = FORMATS[Path(unpacked_name(file)).suffix]
        self._has_unnamed = False  # among the lines that a kernel read
        if is_lenient and self._format == "TURTLE" and self._has_a_statement_a_line():
            self._format = "N_TRIPLES"  # as the dumps of DBpedia

    @property
    def _is_line_based(self) -> bool:
        return self._format in _LINE_BASED

    def _parser(self, name: str, **options: Any) -> Parse:
        return partial(self._ox.parse, format=getattr(self._ox.RdfFormat, name), **options)

    def statements(self) -> Statements:
        """Return a converter of the statements of this file."""
        mend = self._mender.iri if self._mender and not self._is_line_based else None
        return Statements(
            self._ox,
            self._reading,
            number_blanks=not self._is_line_based,
            has_formulas=self._format == "N3",
            mend=mend,
            is_multilingual=is_multilingual(self._file),
        )

    def _has_a_statement_a_line(self) -> bool:
        with open_source(self._file) as stream:
            lines = [line.strip() for line in stream.read(_PROLOGUE).split(b"\n")[:-1]]
        lines = [line for line in lines if line and not line.startswith(b"#")]
        ends = sum(line.endswith(b".") for line in lines)
        return bool(lines) and ends > 0.9 * len(lines) and all(line.startswith((b"<", b"_:")) for line in lines)

    def must_be_noted(self) -> bool:
        """Return whether there are statements about statements, lists or restrictions; of lines 4 MiB decide."""
        with open_source(self._file) as stream:
            if self._is_line_based:
                start = stream.read(BLOCK_BYTES)
                return start.startswith(b"<<") or any(sign in start for sign in _IN_LINES)
            rest, signs = b"", _TO_NOTE.get(self._format, _TO_NOTE_IN_TURTLE)
            while chunk := stream.read(BLOCK_BYTES):
                if signs.search(rest + chunk):
                    return True
                rest = chunk[-_OVERLAP:]
        return False

    def noted(self) -> Iterator[tuple[Any, bool]]:
        """Yield the statements that may name a triple, and whether nodes keep their names when read again."""
        if not self._is_line_based:
            yield from ((quad, True) for quad in self._quads_of_document())
            return
        quiet = BadRecords(skip=True, keep=0)
        for _, data in blocks(self._file, self._reading.options.max_line_bytes, quiet):
            for line in whole_lines(data):
                if b"<<" in line or b"_:" in line:
                    yield from ((quad, not _is_quoted(line)) for quad in self._parsed(line) or ())

    def unnamed(self) -> Iterator[Any]:
        """Yield the statements about nodes without a name that a kernel read; for these, the file is read again."""
        quiet = BadRecords(skip=True, keep=0)
        if self._has_unnamed:
            for first, data in blocks(self._file, self._reading.options.max_line_bytes, quiet):
                lines = (line for line in whole_lines(data) if line.startswith(b"_:")) if b"_:" in data else ()
                yield from (quad for _, quad in self._parsed_lines([(0, line, (first, 0)) for line in lines]))

    def names(self, statements: Statements, iris: set[str]) -> Callable[[str], str]:
        """Return the function from these IRIs to labels, for which it reads the file."""
        best: dict[str, tuple[int, str]] = {}
        for quad in self._quads_of_document() if not self._is_line_based else self._quads_of_lines():
            if quad.predicate.value in statements.labels and getattr(quad.subject, "value", "") in iris:
                value = quad.object
                if isinstance(value, self._ox.Literal) and value.value.strip():
                    found = (statements.rank(value.language), value.value.strip())
                    known = best.get(quad.subject.value)
                    if known is None or found[0] < known[0]:
                        best[quad.subject.value] = found
        return lambda iri: best[iri][1] if iri in best else local_name(iri)

    def _quads_of_lines(self) -> Iterator[Any]:
        quiet = BadRecords(skip=True, keep=0)
        for _, data in blocks(self._file, self._reading.options.max_line_bytes, quiet):
            for line in whole_lines(data):
                yield from self._parsed(line) or ()

    def parts(self, statements: Statements) -> Iterator[Part]:
        """Yield the triples and facts of the file in order."""
        if self._is_line_based:
            yield from self._blocks(statements)
        else:
            for quad in self._quads_of_document(self._reading.meter):
                yield from statements.parts(quad)
            if self._format == "JSON_LD":
                with open_source(self._file) as stream:
                    for name in unmapped_names(json.loads(with_vocabulary(stream))):
                        self._reading.left_out.add(UNMAPPED, name)

    def _blocks(self, statements: Statements) -> Iterator[Part]:
        """Read ordinary lines with a fast kernel and all others with the parser, in file order."""
        split, fast = _Splitter(statements), self._reading.fast
        reading = self._reading
        for first, data in blocks(self._file, reading.options.max_line_bytes, reading.bad, reading.meter):
            text, block = split(data, fast)
            if split.is_ordinary and (late := sum(map(data.count, _IN_LISTS))):
                reading.left_out.add(LATE, self._file.name, late)
            self._has_unnamed |= split.is_ordinary and (data.startswith(b"_:") or b"\n_:" in data)
            lines = [(first + line, data[start:end], (line, before)) for line, start, end, before in block.odd.tolist()]
            before: list[int] = []
            triples: list[TripleRecord] = []
            facts: list[Fact] = []
            stated: list[int] = []
            for (line, ordinary), quad in self._parsed_lines(lines):
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

    def _parsed_lines(self, lines: list[_Line]) -> Iterator[tuple[tuple[int, int], Any]]:
        """Yield (tag, statement) of lines, parsed at once if each holds one statement, else one by one.

        Args:
            lines: Tuples (line number, line, tag); the tag is yielded with each statement of the line.
        """
        joined = b"\n".join(line for _, line, _ in lines)
        try:
            quads = [] if b"\0" in joined else list(self._parser(self._format)(joined))
        except SyntaxError:
            quads = []
        if len(quads) == len(lines):
            yield from zip((tag for _, _, tag in lines), quads, strict=True)
            return
        for number, line, tag in lines:
            yield from ((tag, quad) for quad in self._parsed(line, number) or ())

    def _parsed(self, line: bytes, number: int = 0) -> list[Any] | None:
        """Return the statements of a line; None if it is not RDF, reported if it has a number."""
        parse = self._parser("TURTLE" if _is_quoted(line) else self._format)
        fault = line_fault(line)
        try:
            if not fault:
                return list(parse(line))
            error = not_text(fault, self._file, number, line.decode(errors="replace"))
        except SyntaxError as raised:
            error = _not_rdf(raised, self._file, number, line.decode(errors="replace"))
        if self._mender:
            quads = self._mender.quads(line, parse)
            if quads is not None:
                return quads
        elif number and not self._reading.bad.skip and Mender(LeftOut()).quads(line, parse):
            reason = f"{error.reason}; --lenient (ReadOptions(lenient=True)) mends such lines"
            column = error.values.get("column")
            error = InputError(reason, self._file, number, error.text, code=error.code, column=column)
        if number:
            self._reading.bad.add(error)
        return None

    def _quads_of_document(self, meter: Any = None) -> Iterator[Any]:
        file, is_lenient = self._file, self._mender is not None
        with open_source(file, meter) as stream:
            if _NESTED_ENTITY.search(stream.peek(_PROLOGUE)):
                reason = "XML entities made of entities are not read; write them out"
                raise InputError(reason, file, code="reader.nested_entities")
            source: Any = stream
            if self._format == "JSON_LD":
                source = io.BytesIO(with_vocabulary(stream))
            elif self._mender and self._format in ("TURTLE", "TRIG", "N3"):
                source = MendedStream(stream, self._mender)
            parse = self._parser(self._format, lenient=True) if is_lenient else self._parser(self._format)
            try:
                yield from parse(source, base_iri=f"file:///{quote(file.name)}")
            except MemoryError as error:  # the parser's buffer is bounded
                reason = "an IRI or a literal is longer than the parser's limit of 16 MiB; a quote may be open"
                raise InputError(reason, file, code="reader.term_too_long") from error
            except SyntaxError as error:
                if "LoadDocumentCallback" in error.msg:
                    reason = (
                        "the file refers to a context on the web, which is not fetched; write the context into the "
                        "file, as with the command 'jsonld expand' or on json-ld.org/playground"
                    )
                    raise InputError(reason, file, code="reader.remote_context") from error
                advice = "; --skip-bad can skip only in line-based formats (.nt, .nq)" if self._reading.bad.skip else ""
                raise _not_rdf(error, file, error.lineno, advice=advice) from error


def _is_quoted(line: bytes) -> bool:
    """Return whether a line states something of a triple in the older form, ``<< s p o >> q v .``."""
    return line.lstrip().startswith(b"<<")


class _Splitter:
    """A splitter of lines into terms: by the kernel, or by the parser if triples have properties."""

    def __init__(self, statements: Statements) -> None:
        special = statements.facts - statements.labels - {TYPE_IRI} | _TEXTS
        self._predicates = _hashes(statements.labels), _hashes({TYPE_IRI}), _hashes(special)
        self._language = as_bytes(statements.language.encode())
        self.is_ordinary = not statements.is_noted

    def __call__(self, data: bytes, fast: bool) -> tuple[Bytes, Split]:
        """Return the bytes of a block and the terms of its ordinary lines."""
        if self.is_ordinary:
            text = as_bytes(data)
            # Invalid UTF-8 can only be reported line by line.
            return text, Split(*split_ntriples(text, self._language, *self._predicates, fast and not line_fault(data)))
        nothing = as_bytes(b"")
        empty = Split(*split_ntriples(nothing, self._language, *self._predicates, False))
        rows, start = [], 0
        for number, line in enumerate(whole_lines(data)):
            if line.strip():
                rows.append((number, start, start + len(line), 0))
            start += len(line) + 1
        return nothing, empty._replace(odd=np.array(rows, dtype=np.int64).reshape(-1, 4))


def _hashes(iris: Collection[str]) -> Hashes:
    return np.array([hash64(iri) for iri in sorted(iris)], dtype=np.uint64)


def _facts_of(text: Bytes, split: Split, others: list[Fact], lines: list[int]) -> Iterator[FactBlock]:
    """Yield the facts of the lines of a block, in order, then those about its ordinary literals."""
    key_starts, key_ends, starts, ends, what, rank, order = (np.ascontiguousarray(column) for column in split.facts.T)
    kind = np.where(what == TYPE, TYPE_OF, LABEL | FOR_RELATION).astype(np.uint8)
    facts = FactBlock(text, key_starts, key_ends, starts, ends, kind, rank.astype(np.uint8))
    if others:
        more = np.repeat(np.array(lines, dtype=np.int64), [fact_count(record) for record in others])
        facts = facts.merged(order, FactBlock.of(others), more)
    if len(facts.kind):
        yield facts
    literal = np.flatnonzero(split.literal)
    if not len(literal):
        return
    key_starts, key_ends = split.starts[2, literal], split.ends[2, literal]
    rank, labels, types = (
        np.full(len(literal), filled, dtype=np.uint8) for filled in (LATEST, LABEL | NAMES_ONLY, TYPE_OF | NAMES_ONLY)
    )
    yield FactBlock(text, key_starts, key_ends, split.value[0, literal], split.value[1, literal], labels, rank)
    # The names of implicit datatypes are appended to the text.
    tagged, plain = "langString", "string"
    names = np.concatenate([text, as_bytes((tagged + plain).encode())])
    starts, ends = split.type[0, literal], split.type[1, literal]
    for tail, name, before in ((TAGGED, tagged, 0), (PLAIN, plain, len(tagged))):
        chosen = split.literal[literal] == tail
        starts[chosen], ends[chosen] = len(text) + before, len(text) + before + len(name)
    yield FactBlock(names, key_starts.copy(), key_ends.copy(), starts, ends, types, rank)


def _not_rdf(error: SyntaxError, file: Path, line: int | None, text: str = "", *, advice: str = "") -> InputError:
    """Return the parser's error with the column but without the line, which `InputError` adds."""
    reason = re.sub(r"^Parser error[^:]*: ", "", error.msg)
    place = "" if error.offset is None else f"column {error.offset}: "
    return InputError(f"{place}{reason}{advice}", file, line, text, code="reader.not_rdf", column=error.offset)
