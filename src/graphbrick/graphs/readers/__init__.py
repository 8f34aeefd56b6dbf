"""Readers of source files, which yield records while they read.

`READERS` chooses the `Reader` by the ending of the file: delimited text (`delimited`), tables of nodes and edges
(`tables`), RDF (`rdf`), and those of plug-ins. A reader passes every bad record to a `BadRecords`, which raises or
keeps it. A fault of a whole file (missing, empty, truncated, lacking a required column) is always raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

import numpy as np

from graphbrick.core.errors import InputError
from graphbrick.core.plugins import Registry
from graphbrick.graphs.readers.reader import FileReading, Reader, reader_fault
from graphbrick.graphs.readers.resolve import resolved
from graphbrick.graphs.readers.streams import empty_file, unpacked_name
from graphbrick.graphs.records.blocks import FOR_RELATION, Described, FactBlock, Part
from graphbrick.graphs.records.records import BadRecords, EntityRecord, Records

_HERE = "graphbrick.graphs.readers"
READERS: Registry[Reader] = Registry(
    "graphbrick.readers",
    {
        **dict.fromkeys(("txt", "tsv", "tab", "csv", "psv"), f"{_HERE}.tables:DELIMITED"),
        "parquet": f"{_HERE}.tables:PARQUET",
        **dict.fromkeys(
            ("nt", "nq", "ttl", "trig", "n3", "jsonld", "rdf", "xml", "owl"), f"{_HERE}.rdf.reading:READER"
        ),
    },
    reader_fault,
)
"""The readers by the ending of the file name, without the dot and without ``.gz`` or ``.zst``."""
_LABELS = 1 << 14


@dataclass(frozen=True)
class ReadOptions:
    r"""Options for reading a source whose name and first lines do not tell its format.

    Args:
        delimiter: The text between columns; ``tab`` and ``\t`` both mean the tab. If the first line of a node table
            does not contain it, the delimiter of that table is recognised from its lines.
        header: Whether the first row of the triples names the columns; in node tables it is recognised.
        columns: The columns of head, relation and tail, by name or 1-based number; not used for node tables.
        language: Preferred language of RDF labels, such as ``en`` or ``pt-BR``.
        max_line_bytes: A line longer than this is a bad record and is never held in memory.
        lenient: Mend lines and terms of RDF that are almost right, as in dumps of Wikidata and DBpedia, and count what
            cannot be mended instead of raising it.

    Raises:
        InputError: An invalid value.

    >>> ReadOptions(delimiter="|", header=False)
    ReadOptions(delimiter='|', header=False, columns=None, language='en', max_line_bytes=1048576, lenient=False)
    """

    delimiter: str | None = None
    header: bool | None = None
    columns: tuple[str, str, str] | None = None
    language: str = "en"
    max_line_bytes: int = 1 << 20
    lenient: bool = False

    def __post_init__(self) -> None:
        if self.delimiter is not None and (not self.delimiter or set(self.delimiter) & set('\r\n"\0')):
            reason = f"delimiter must be a text such as ',' or tab, got {self.delimiter!r}"
            raise InputError(reason, code="options.bad_delimiter")
        if self.columns is not None:
            self._check_columns(self.columns)
        if not self.language.strip():
            reason = "language must be a language tag such as 'en', got an empty text"
            raise InputError(reason, code="options.bad_language")
        if self.max_line_bytes < 1:
            reason = f"max_line_bytes must be 1 or more, got {self.max_line_bytes}; try {1 << 20}"
            raise InputError(reason, code="options.bad_max_line_bytes")

    def _check_columns(self, columns: tuple[str, ...]) -> None:
        if len(columns) != 3 or len(set(columns)) != 3 or not all(column.strip() for column in columns):
            reason = f"columns must name three different columns (head, relation, tail), got {columns!r}"
            raise InputError(reason, code="options.bad_columns")
        if self.header is False and not all(column.isdecimal() for column in columns):
            reason = f"without a header columns are numbers such as 1,2,3, got {','.join(columns)}"
            raise InputError(reason, code="options.columns_without_header")


def read_source(source: Path, *, nodes: Path | None, options: ReadOptions, bad: BadRecords) -> Records:
    """Read a file of triples with an optional table of nodes, or a folder that holds both.

    Facts about nodes come first, then the triples in file order. For RDF, a label or description is yielded again
    when a better one is found; for this, the reader keeps them in memory, unlike `read_parts`.

    Args:
        source: Delimited text, Parquet or RDF, plain, gzip or Zstandard; or a folder with ``nodes.*`` and ``edges.*``.
        nodes: A table of keys, labels, types, descriptions and aliases; None if there is none.
        options: How to read files that do not tell their format.
        bad: Receives the bad records.

    Returns:
        An iterator over the records, which reads the files lazily.

    Raises:
        InputError: A missing, empty or damaged file, an unsupported kind of file, a folder without edges, a missing
            column; or the first bad record, unless ``bad`` skips them.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "kenya.txt"
    >>> _ = file.write_text("Kenya|capital|Nairobi\\nKenya|currency|Kenyan shilling\\n")
    >>> list(read_source(file, nodes=None, options=ReadOptions(), bad=BadRecords()))
    [('Kenya', 'capital', 'Nairobi'), ('Kenya', 'currency', 'Kenyan shilling')]
    """
    files = source_files(source, nodes)
    return resolved(read_parts(*files, FileReading(options, bad)), naming_of(files[0]))


def source_files(source: Path, nodes: Path | None) -> tuple[Path, Path | None]:
    """Return the file of triples and the table of nodes of a source."""
    return _export(source, nodes) if source.is_dir() else (source, nodes)


def naming_of(file: Path) -> Callable[[str], str] | None:
    """Return the function that makes the label of a key without one in a file; None for the key itself."""
    reader = READERS.find(_ending(file))
    return None if reader is None else reader.naming


def read_parts(triples: Path, nodes: Path | None, reading: FileReading) -> Iterator[Part]:
    """Read files like `read_source`, but yield triples in blocks if the format allows it.

    Args:
        triples: The file of triples.
        nodes: The table of nodes, or None.
        reading: The options, and the receivers of bad records and progress.
    """
    if reading.meter is not None:
        files = [file for file in (triples, nodes) if file is not None and file.is_file()]
        reading.meter.total = sum(file.stat().st_size for file in files)
    read = _triples(triples, reading)
    return read if nodes is None else chain(_nodes(nodes, reading), read)


def read_labels(file: Path, options: ReadOptions, bad: BadRecords) -> Iterator[FactBlock]:
    """Read a table of keys and labels for the entities and relations of the triples.

    Raises:
        InputError: See `read_source`.
    """
    return _label_blocks(_nodes(file, FileReading(options, bad)))


def _label_blocks(records: Iterator[Part]) -> Iterator[FactBlock]:
    while rows := list(islice(records, _LABELS)):
        block = FactBlock.of([Described(record) for record in rows if isinstance(record, EntityRecord)])
        yield replace(block, kind=block.kind | np.uint8(FOR_RELATION))


def _triples(file: Path, reading: FileReading) -> Iterator[Part]:
    reader = READERS.find(_checked_ending(file)) or (reading.options.delimiter and READERS.find("txt"))
    if not reader:
        raise _unsupported(file, READERS.names())
    return reader.parts(file, reading)


def _nodes(file: Path, reading: FileReading) -> Iterator[Part]:
    reader = READERS.find(_checked_ending(file))
    if reader is None or reader.nodes is None:
        raise _unsupported(file, [name for name in READERS.names() if _has_nodes(name)], "node table")
    return reader.node_parts(file, reading)


def _has_nodes(ending: str) -> bool:
    """Return whether files with an ending may be tables of nodes or edges."""
    reader = READERS.find(ending)
    return reader is not None and reader.nodes is not None


def _ending(file: Path) -> str:
    """Return the ending that tells the format of a file: ``txt`` for ``kb.TXT.gz``."""
    return Path(unpacked_name(file)).suffix.removeprefix(".")


def _checked_ending(file: Path) -> str:
    """Return the ending of a file that can be read."""
    if file.exists() and not file.is_file():
        reason = "this is not a regular file; a source is read more than once, so write it to one first"
        raise InputError(reason, file, code="reader.not_regular")
    if not file.is_file():
        raise InputError("there is no such file", file, code="reader.no_file")
    if not file.stat().st_size:
        raise empty_file(file)
    return _ending(file)


def _unsupported(file: Path, supported: list[str], what: str = "source") -> InputError:
    suffix = f"the suffix '.{_ending(file)}'" if _ending(file) else "no suffix"
    listed = " ".join(f".{ending}" for ending in supported)
    reason = f"a {what} with {suffix} is not supported; supported are {listed}, also with .gz or .zst"
    return InputError(reason, file, code="reader.unsupported", ending=_ending(file), supported=supported)


def _export(folder: Path, nodes: Path | None) -> tuple[Path, Path]:
    """Return the edge file and the node file of a property-graph export."""
    edges = _member(folder, "edges")
    if edges is None:
        reason = "the folder holds no edges.csv, edges.tsv or edges.parquet (also with .gz or .zst)"
        raise InputError(reason, folder, code="reader.no_edges")
    own = _member(folder, "nodes")
    if own is not None and nodes is not None:
        reason = f"the folder brings its own {own.name}; leave out {nodes}, or give {edges.name}"
        raise InputError(reason, folder, code="reader.two_node_tables", own=own.name)
    table = own or nodes
    if table is None:
        reason = f"the folder holds {edges.name} but no nodes.*; to read edges alone give {edges.name}"
        raise InputError(reason, folder, code="reader.no_nodes", edges=edges.name)
    return edges, table


def _member(folder: Path, stem: str) -> Path | None:
    """Return the table with this stem in a folder; None if there is none."""
    tables = [file for file in sorted(folder.iterdir()) if Path(unpacked_name(file)).stem == stem]
    tables = [file for file in tables if _has_nodes(_ending(file))]
    if len(tables) > 1:
        listed = ", ".join(file.name for file in tables)
        reason = f"the folder holds several tables of {stem}: {listed}; leave one"
        raise InputError(reason, folder, code="reader.several_tables", tables=[file.name for file in tables])
    return tables[0] if tables else None
