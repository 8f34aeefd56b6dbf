"""Readers of source files, which yield records while they read.

`READERS` chooses the `Reader` by the ending of the file: tables of nodes and edges in delimited text (`tables`),
Parquet (`parquet`) and Excel (`excel`), RDF (`rdf`), files of graph programs (`formats`), and those of plug-ins. A
reader passes every bad record to a `BadRecords`, which raises or keeps it. A fault of a whole file (missing, empty,
truncated, lacking a required column) is always raised. What a reader does not take is reported to a `LeftOut`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

import numpy as np

from graphbrick.core.errors import InputError
from graphbrick.core.plugins import Registry
from graphbrick.graphs.databases.address import is_sql_address
from graphbrick.graphs.readers.ends import counted_ends
from graphbrick.graphs.readers.folders import UNUSED, SourceFile, SourceFiles, folder_files, no_edges
from graphbrick.graphs.readers.formats.content import check_xml, told_by_content
from graphbrick.graphs.readers.reader import FileReading, Reader, TableHints, reader_fault
from graphbrick.graphs.readers.relational.finding import related_file, related_folder
from graphbrick.graphs.readers.relational.json_records import SUFFIXES as JSON_SUFFIXES
from graphbrick.graphs.readers.relational.records import related_records
from graphbrick.graphs.readers.relational.sqlite import SUFFIXES
from graphbrick.graphs.readers.resolve import resolved
from graphbrick.graphs.readers.sql.address import file_of, sql_address
from graphbrick.graphs.readers.sql.source import opened
from graphbrick.graphs.readers.streams import PACKED, empty_file, unpacked_name
from graphbrick.graphs.readers.tables import DELIMITED
from graphbrick.graphs.records.blocks import FOR_RELATION, KIND, Described, FactBlock, Part
from graphbrick.graphs.records.records import LABEL, BadRecords, EntityRecord, LeftOut, Records

_HERE = "graphbrick.graphs.readers"
READERS: Registry[Reader] = Registry(
    "graphbrick.readers",
    {
        **dict.fromkeys(("txt", "tsv", "tab", "csv", "psv", "edges", "edgelist"), f"{_HERE}.tables:DELIMITED"),
        "parquet": f"{_HERE}.parquet:PARQUET",
        "xlsx": f"{_HERE}.excel:READER",
        **dict.fromkeys("nt nq ttl trig n3 jsonld rdf xml owl".split(), f"{_HERE}.rdf.reading:READER"),
        "graphml": f"{_HERE}.formats.graphml:READER",
        "gexf": f"{_HERE}.formats.gexf:READER",
        **dict.fromkeys(("json", "cyjs"), f"{_HERE}.formats.json_document:READER"),
        **dict.fromkeys(("jsonl", "ndjson"), f"{_HERE}.formats.json_lines:READER"),
        "obo": f"{_HERE}.formats.obo:READER",
        "sif": f"{_HERE}.formats.sif:READER",
        "gml": f"{_HERE}.formats.gml:READER",
        "net": f"{_HERE}.formats.pajek:READER",
    },
    reader_fault,
)
"""The readers by the ending of the file name, without the dot and without ``.gz``, ``.zst``, ``.bz2`` or ``.xz``."""
_LABELS = 1 << 10


@dataclass(frozen=True)
class ReadOptions:
    r"""Options for reading a source whose name and first lines do not tell its format.

    Args:
        delimiter: The text between columns; ``tab`` and ``\t`` both mean the tab, ``blank`` any number of blanks. If
            the first line of a node table does not contain it, that of the table is recognised from its lines.
        header: Whether the first row of the triples names the columns; in node tables it is recognised.
        columns: The columns of head, relation and tail, by name or 1-based number; of head and tail alone, if
            ``relation`` is stated. Not used for node tables.
        language: Preferred language of RDF labels, such as ``en`` or ``pt-BR``.
        max_line_bytes: A line longer than this is a bad record and is never held in memory.
        name: The column of names of node tables, by name or 1-based number.
        type: The column of types of node tables.
        key: The column of keys of node tables.
        relation: The relation of edges whose table has no column of relations, or whose cell is empty.
        quote: Whether cells of delimited text may stand in double quotes; recognised by default.
        references: References of tables to each other that are not found, as ``orders.buyer=customers``;
            ``orders.code=`` says that a column refers to nothing.
        decimal: The mark for decimals of columns whose numbers leave it open, such as 1,234: ``.`` or ``,``.
        dates: The order of day and month of columns whose dates leave it open, such as 5/6/2021: ``dmy`` or ``mdy``.
        lenient: Mend lines and terms of RDF that are almost right, as in dumps of Wikidata and DBpedia, and count what
            cannot be mended instead of raising it.

    Raises:
        InputError: An invalid value.

    >>> ReadOptions(delimiter="|", header=False).delimiter
    '|'
    """

    delimiter: str | None = None
    header: bool | None = None
    columns: tuple[str, str, str] | tuple[str, str] | None = None
    language: str = "en"
    max_line_bytes: int = 1 << 20
    name: str | None = None
    type: str | None = None
    key: str | None = None
    relation: str | None = None
    quote: bool | None = None
    lenient: bool = False
    references: tuple[str, ...] = ()
    decimal: str | None = None
    dates: str | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None and (not self.delimiter or set(self.delimiter) & set('\r\n"\0')):
            reason = f"delimiter must be a text such as ',' or tab, got {self.delimiter!r}"
            raise InputError(reason, code="options.bad_delimiter")
        for option in ("name", "type", "key", "relation"):
            value = getattr(self, option)
            if value is not None and not value.strip():
                what = "the name of a relation" if option == "relation" else "the name or number of a column"
                raise InputError(f"{option} must be {what}, got an empty text", code="options.empty", option=option)
        if self.columns is not None:
            self._check_columns(self.columns)
        self._check_roles()
        if self.quote and self.delimiter is not None and len(_spelled(self.delimiter)) > 1:
            reason = f"quoted cells need a delimiter of one character, got {self.delimiter!r}"
            raise InputError(reason, code="options.quote_with_delimiter")
        if not self.language.strip():
            reason = "language must be a language tag such as 'en', got an empty text"
            raise InputError(reason, code="options.bad_language")
        for option, value, allowed in (("decimal", self.decimal, (".", ",")), ("dates", self.dates, ("dmy", "mdy"))):
            if value is not None and value not in allowed:
                reason = f"{option} must be {' or '.join(allowed)}, got {value!r}"
                raise InputError(reason, code="options.unknown_form", option=option, value=value)
        if self.max_line_bytes < 1:
            reason = f"max_line_bytes must be 1 or more, got {self.max_line_bytes}; try {1 << 20}"
            raise InputError(reason, code="options.bad_max_line_bytes")

    def _check_columns(self, columns: tuple[str, ...]) -> None:
        if len(columns) == 2 and self.relation is None:
            reason = f"two columns, head and tail, need the relation of all edges (--relation NAME), got {columns!r}"
            raise InputError(reason, code="options.columns_without_relation")
        is_number = len(columns) in (2, 3) and len(set(columns)) == len(columns)
        if not is_number or not all(column.strip() for column in columns):
            reason = f"columns must name three different columns (head, relation, tail), got {columns!r}"
            raise InputError(reason, code="options.bad_columns")
        if self.header is False and not all(column.isdecimal() for column in columns):
            reason = f"without a header columns are numbers such as 1,2,3, got {','.join(columns)}"
            raise InputError(reason, code="options.columns_without_header")

    def _check_roles(self) -> None:
        """Raise if the column of types is that of keys or names; the key may be the name."""
        if self.type is not None and self.type in (self.key, self.name):
            reason = (
                f"the column of types is also that of {'keys' if self.type == self.key else 'names'}: {self.type!r}"
            )
            raise InputError(reason, code="options.same_column", column=self.type)


def _spelled(delimiter: str) -> str:
    return {"tab": "\t", "\\t": "\t", "blank": " ", "space": " "}.get(delimiter, delimiter)


def read_source(
    source: Path,
    *,
    nodes: Path | None,
    options: ReadOptions,
    bad: BadRecords,
    left_out: LeftOut | None = None,
    json_nodes: bool = False,
) -> Records:
    """Read a file of triples with an optional table of nodes, or a folder that holds both.

    Facts about nodes come first, then the triples in file order. For RDF, a label or description is yielded again
    when a better one is found; for this, the reader keeps them in memory, unlike `read_parts`.

    Args:
        source: Delimited text, Parquet, Excel or RDF, plain or packed; or a folder with tables of nodes and edges.
        nodes: A table of keys, labels, types, descriptions, aliases and properties; None if there is none.
        options: How to read files that do not tell their format.
        bad: Receives the bad records.
        left_out: Receives what is not read.
        json_nodes: Whether JSON of objects without edges is read as nodes with the keys that they state, not as a
            table of records.

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
    files = source_files(source, nodes, options, json_nodes=json_nodes)
    reading = FileReading(options, bad, left_out=left_out or LeftOut())
    return resolved(read_parts(files, reading), naming_of_files(files))


def source_files(source: Path, nodes: Path | None, options: ReadOptions, *, json_nodes: bool = False) -> SourceFiles:
    """Return the files of triples and the tables of nodes of a source, or its tables that refer to each other."""
    if source.is_dir():
        files = folder_files(source, nodes, lambda file: _has_nodes(_ending(file)), options)
        if files.edges:
            return files
        if nodes is not None:
            raise no_edges(source)
        return related_folder(source, files, options)
    is_by_plug_in = source.suffix.lower() in SUFFIXES and READERS.find(_suffix(source)) is not None
    is_left = is_by_plug_in or (json_nodes and unpacked_name(source).endswith(JSON_SUFFIXES))
    related = None if nodes is not None or is_left else related_file(source, options)
    if related is not None:
        return related
    return SourceFiles((SourceFile(source, TableHints("edges")),), _tables(nodes))


@contextmanager
def opened_source(
    source: str | os.PathLike[str] | SourceFiles, nodes: str | os.PathLike[str] | None, options: ReadOptions
) -> Iterator[SourceFiles]:
    """Yield the files of a source, or the tables of an SQL database, which is open meanwhile.

    Args:
        source: A file, a folder, the address of an SQL database, or what this function yielded for one.
        nodes: A table of nodes; None if there is none.
        options: How to read the source.

    Raises:
        InputError: As for `read_source`; or a database does not answer or refuses access.
    """
    if isinstance(source, SourceFiles):
        yield source
        return
    text, table = os.fspath(source), None if nodes is None else Path(nodes)
    address = sql_address(text)
    if address is None:
        yield replace(source_files(file_of(text), table, options), name=text)
    elif table is not None:
        raise InputError("a database takes no table of nodes (--nodes)", str(address), code="sql.nodes")
    else:
        with opened(address, options) as files:
            yield replace(files, name=str(address) if is_sql_address(text) else text)


def _tables(nodes: Path | None) -> tuple[SourceFile, ...]:
    return () if nodes is None else (SourceFile(nodes, TableHints("nodes")),)


def naming_of_files(files: SourceFiles) -> Callable[[str], str] | None:
    """Return the function of `naming_of` for the files of a source."""
    return naming_of(files.edges[0].file) if files.edges else None


def naming_of(file: Path) -> Callable[[str], str] | None:
    """Return the function that makes the label of a key without one in a file; None for the key itself."""
    reader = READERS.find(_ending(file))
    return None if reader is None else reader.naming


def read_parts(files: SourceFiles, reading: FileReading) -> Iterator[Part]:
    """Read files like `read_source`, but yield triples in blocks if the format allows it.

    Args:
        files: The files of the source.
        reading: The options, and the receivers of bad records, progress and what is left out.
    """
    if reading.meter is not None:
        reading.meter.total = sum(file.stat().st_size for file in files.files if file.is_file())
    for name in files.unused:
        reading.left_out.add(UNUSED, name)
    if files.related is not None:
        return related_records(files.related.plan, reading)
    read = [_triples(table.file, table.reading(reading)) for table in files.edges]
    nodes = [_nodes(table.file, table.reading(reading)) for table in files.nodes]
    parts = chain.from_iterable([*nodes, *read])
    return counted_ends(parts, reading.left_out) if nodes else parts


def understood(source: Path, *, nodes: Path | None, options: ReadOptions) -> list[str]:
    """Return in one line for each file of a source how it is read: its keys, names, types and properties.

    Files whose format leaves no choice are left out.

    Raises:
        InputError: As for `read_source`, as far as the first rows show it.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "shop.csv"
    >>> _ = file.write_text("from,type,to,since\\nv1,SELLS,p1,2019\\n")
    >>> understood(file, nodes=None, options=ReadOptions())
    ['shop.csv: head from, relation type, tail to; 1 property (since)']
    """
    return understood_files(source_files(source, nodes, options), options)


def understood_files(files: SourceFiles, options: ReadOptions) -> list[str]:
    """Return the same as `understood` for the files of a source."""
    if files.related is not None:
        return files.related.plan.understood()
    lines = []
    for table in (*files.nodes, *files.edges):
        reader = READERS.find(_checked_ending(table.file)) or (options.delimiter and READERS.find("txt"))
        reading = table.reading(FileReading(options, BadRecords(skip=True)))
        told = reader.understood(table.file, reading) if reader and reader.understood else ""
        unused = [name for name in ("key", "name", "type") if getattr(options, name) is not None]
        if reader is DELIMITED and unused and not files.nodes:
            named = " and ".join(f"--{name}" for name in unused)
            told = f"{told or 'triples'} ({named} not used: the rows are edges, not records or nodes)"
        if told:
            lines.append(f"{table.file.name}: {told}")
    return lines


def read_labels(
    file: Path, options: ReadOptions, bad: BadRecords, left_out: LeftOut | None = None
) -> Iterator[FactBlock]:
    """Read a table of keys and labels for the entities and relations of the triples.

    All that it says of them is read, also types and properties; it makes no entities.

    Raises:
        InputError: See `read_source`.
    """
    return _label_blocks(_nodes(file, FileReading(options, bad, left_out=left_out or LeftOut())))


def _label_blocks(records: Iterator[Part]) -> Iterator[FactBlock]:
    while rows := list(islice(records, _LABELS)):
        block = FactBlock.of([Described(record) for row in rows for record in _entities_of(row)])
        is_label = (block.kind & np.uint8(KIND)) == LABEL
        yield replace(block, kind=block.kind | np.where(is_label, np.uint8(FOR_RELATION), np.uint8(0)))


def _entities_of(part: Part) -> list[EntityRecord]:
    if isinstance(part, FactBlock):
        return part.records()
    return [part] if isinstance(part, EntityRecord) else []


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
    return told_by_content(file, _suffix(file))


def _suffix(file: Path) -> str:
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
    ending = _ending(file)
    if ending == "xml":
        check_xml(file)
    return ending


def _unsupported(file: Path, supported: list[str], what: str = "source") -> InputError:
    suffix = f"the suffix '.{_ending(file)}'" if _ending(file) else "no suffix"
    listed, packed = " ".join(f".{ending}" for ending in supported), " ".join(PACKED)
    reason = f"a {what} with {suffix} is not supported; supported are {listed}, also packed as {packed}"
    return InputError(reason, file, code="reader.unsupported", ending=_ending(file), supported=supported)
