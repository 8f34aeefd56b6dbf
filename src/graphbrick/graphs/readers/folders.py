"""Folders of tables: files of nodes and of edges, headers in files apart, and ID spaces."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.delimited import DELIMITERS, Table
from graphbrick.graphs.readers.fields import split_type
from graphbrick.graphs.readers.parquet import ParquetTable
from graphbrick.graphs.readers.reader import FileReading, TableHints
from graphbrick.graphs.readers.roles import has_role, space_of, table_kind
from graphbrick.graphs.readers.streams import unpacked_name
from graphbrick.graphs.records.records import BadRecords

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions
    from graphbrick.graphs.readers.relational.plan import Related

UNUSED = "files of the folder that are not used"
"""What the files of a folder that are not read are counted as."""

_EDGES = ("edges", "relationships", "links", "relations")
_NODES = ("nodes", "vertices", "entities")
_HEADER = re.compile(r"(.+?)[-_. ]header", re.IGNORECASE)
_PART = r"(?:[-_.]?(?:part)?[-_.]?\d+)?"
_ROLE_WORDS = {
    "nodes": re.compile(r"(?:^|[-_. ])(nodes?|vertices|vertex|entities|entity)(?:$|[-_. ])", re.IGNORECASE),
    "edges": re.compile(r"(?:^|[-_. ])(edges?|relationships?|links?|relations?|rels?)(?:$|[-_. ])", re.IGNORECASE),
}


@dataclass(frozen=True)
class SourceFile:
    """A file of a source, and what the source knows of it beside its rows.

    Attributes:
        file: The file.
        hints: What is known of the table.
        relation: The relation of its edges, if it has no column for it.
    """

    file: Path
    hints: TableHints = field(default_factory=TableHints)
    relation: str = ""

    def reading(self, reading: FileReading) -> FileReading:
        """Return the reading of a source as that of this file."""
        options = reading.options
        if self.relation and options.relation is None:
            options = replace(options, relation=self.relation)
        return replace(reading, options=options, table=self.hints)


@dataclass(frozen=True)
class SourceFiles:
    """The files of a source.

    Attributes:
        edges: The files of triples or edges.
        nodes: The tables of nodes.
        headers: The files that hold headers of others.
        unused: The names of the files and folders in the folder that are not read, and of those without content.
        related: Tables that refer to each other, which are read instead of edges and nodes; None for other sources.
        name: What the source is called where it is stored.
        is_live: Whether it may change at any time, so that an interrupted build cannot go on.
    """

    edges: tuple[SourceFile, ...]
    nodes: tuple[SourceFile, ...] = ()
    headers: tuple[Path, ...] = ()
    unused: tuple[str, ...] = ()
    related: Related | None = None
    name: str = ""
    is_live: bool = False

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that are read, edges first."""
        related = () if self.related is None else self.related.files
        return (*(table.file for table in (*self.edges, *self.nodes)), *self.headers, *related)


@dataclass(frozen=True)
class _Found:
    """A table of a folder: its file, its header, and whether the header stands in a file apart."""

    file: Path
    header: list[str]
    apart: bool
    role: str


def folder_files(
    folder: Path, nodes: Path | None, has_nodes: Callable[[Path], bool], options: ReadOptions
) -> SourceFiles:
    """Return the files of nodes and edges of a folder.

    ``edges.*`` and ``nodes.*`` (or vertices, entities; relationships, links, relations) are its tables if there are
    both. Otherwise every table whose header names head and tail holds edges, and every other whose header names a key
    holds nodes. A file ``person-header.csv`` is the header of ``person.csv`` and of ``person-part1.csv`` and so on.

    Args:
        folder: The folder.
        nodes: A table of nodes outside of the folder, or None.
        has_nodes: Returns whether the format of a file may hold nodes.
        options: How to read files.

    Returns:
        The files; without any of edges, if no table of the folder holds edges.

    Raises:
        InputError: There are no nodes, two tables of nodes, or one table in two formats.
    """
    listed = sorted(file for file in folder.iterdir() if not file.name.startswith("."))
    tables = [file for file in listed if file.is_file() and _has_content(file) and has_nodes(file)]
    edges, own = _member(folder, tables, _EDGES), _member(folder, tables, _NODES)
    if edges is not None and (own is not None or nodes is not None or not _others(tables, edges, options)):
        if own is not None and nodes is not None:
            raise _two_tables(folder, own.name, nodes, edges.name)
        table = own or nodes
        if table is None:
            reason = f"the folder holds {edges.name} but no nodes.*; to read edges alone give {edges.name}"
            raise InputError(reason, folder, code="reader.no_nodes", edges=edges.name)
        unused = _unused(listed, {edges, own})
        return SourceFiles(
            (SourceFile(edges, TableHints("edges")),), (SourceFile(table, TableHints("nodes")),), (), unused
        )
    found, headers = _classified([file for file in tables if _is_plain(file)], options)
    return _sources(folder, found, headers, nodes, listed)


def no_edges(folder: Path) -> InputError:
    """Return the error about a folder without any table that can be read."""
    reason = (
        "the folder holds no edges.csv, edges.tsv or edges.parquet (also packed as .gz, .zst, .bz2 or .xz), and no "
        "other table with columns of head and tail, and no tables of records with a header"
    )
    return InputError(reason, folder, code="reader.no_edges")


def _apart(table: _Found) -> TableHints:
    """Return the hints for a table without a role: its header, if it stands in a file apart."""
    return TableHints("", tuple(table.header) if table.apart else ())


def _two_tables(folder: Path, own: str, nodes: Path, edges: str) -> InputError:
    reason = f"the folder brings its own {own}; leave out {nodes}, or give {edges}"
    return InputError(reason, folder, code="reader.two_node_tables", own=own)


def _others(tables: Sequence[Path], edges: Path, options: ReadOptions) -> bool:
    """Return whether another table of a folder holds nodes."""
    found, _ = _classified([file for file in tables if file != edges and _is_plain(file)], options)
    return any(table.role == "nodes" for table in found)


def _sources(
    folder: Path, found: Sequence[_Found], headers: Sequence[Path], nodes: Path | None, listed: Sequence[Path]
) -> SourceFiles:
    """Return the tables of a folder that were told by their headers."""
    edges = [table for table in found if table.role == "edges"]
    own = [table for table in found if table.role == "nodes"]
    if not edges:
        return SourceFiles((), tuple(SourceFile(table.file, _apart(table)) for table in found), tuple(headers))
    if own and nodes is not None:
        raise _two_tables(folder, own[0].file.name, nodes, edges[0].file.name)
    if not own and nodes is None:
        name = edges[0].file.name
        others = [table.file.name for table in found if not table.role]
        advice = f"; if {others[0]} holds nodes, name its column of keys with --key" if others else ""
        reason = f"the folder holds {name} but no table of nodes; to read edges alone give {name}{advice}"
        raise InputError(reason, folder, code="reader.no_table_of_nodes", edges=name)
    spaces = len({space_of(table.header) for table in own}) > 1
    several = len({_base(table) for table in own}) > 1
    used = {*(table.file for table in found if table.role), *headers}

    def hints(table: _Found, type_: str = "") -> TableHints:
        return TableHints(table.role, tuple(table.header) if table.apart else (), type_, spaces)

    of_nodes = [
        SourceFile(table.file, hints(table, default_type(_base(table), table.header) if several else ""))
        for table in own
    ]
    if nodes is not None:
        of_nodes = [SourceFile(nodes, TableHints("nodes"))]
    of_edges = [SourceFile(table.file, hints(table), default_relation(_base(table), table.header)) for table in edges]
    return SourceFiles(tuple(of_edges), tuple(of_nodes), tuple(headers), _unused(listed, used))


def _unused(listed: Sequence[Path], used: Collection[Path | None]) -> tuple[str, ...]:
    """Return the names of the files and folders that are not used."""
    return tuple(file.name + ("/" if file.is_dir() else "") for file in listed if file not in used)


def _classified(tables: Sequence[Path], options: ReadOptions) -> tuple[list[_Found], list[Path]]:
    """Return the tables with their headers and roles, and the files that hold headers of others."""
    apart = {match[1]: file for file in tables if (match := _HEADER.fullmatch(stem(file)))}
    found, headers = [], []
    for file in tables:
        if file in apart.values():
            continue
        base = next((base for base in apart if re.fullmatch(re.escape(base) + _PART, stem(file), re.IGNORECASE)), None)
        cells = _header(file if base is None else apart[base], options)
        role = _role_by_options(cells, options) or table_kind(cells)
        if not role:
            role = "edges" if role_of_name(stem(file)) == "edges" and len(cells) == 3 else ""
        if base is not None and apart[base] not in headers:
            headers.append(apart[base])
        found.append(_Found(file, cells, base is not None, role))
    return found, headers


def _role_by_options(header: Sequence[str], options: ReadOptions) -> str:
    """Return the role of a table that has the columns of the options; empty if they do not tell."""
    names = {cell.strip() for cell in header} | {split_type(cell)[0] for cell in header}
    if options.columns is not None and set(options.columns) <= names:
        return "edges"
    return "nodes" if options.key is not None and options.key in names and table_kind(header) != "edges" else ""


def _header(file: Path, options: ReadOptions) -> list[str]:
    """Return the first row of a table; empty if it cannot be read."""
    try:
        if unpacked_name(file).endswith(".parquet"):
            with ParquetTable(file) as table:
                return table.names
        return Table.open(file, FileReading(options, BadRecords(skip=True)), 2, required=False).first
    except InputError:
        return []


def _has_content(file: Path) -> bool:
    """Return whether a file holds anything, or has the name of the only table of edges or nodes and so has to."""
    return file.stat().st_size > 0 or stem(file).lower() in (*_EDGES, *_NODES)


def _is_plain(file: Path) -> bool:
    """Return whether a file is delimited text or Parquet."""
    return Path(unpacked_name(file)).suffix in (*DELIMITERS, ".parquet")


def stem(file: Path) -> str:
    """Return the name of a file without its suffixes."""
    return Path(file.name[: len(unpacked_name(file))]).stem


def _base(table: _Found) -> str:
    return base_name(table.file)


def base_name(file: Path) -> str:
    """Return the name that the parts of a table share.

    >>> base_name(Path("person-part1.csv")), base_name(Path("cars_2021.csv"))
    ('person', 'cars')
    """
    return re.sub(r"[-_.](?:part)?[-_.]?\d+$", "", stem(file), flags=re.IGNORECASE)


def role_of_name(name: str) -> str:
    """Return "nodes" or "edges" if a name says so; else empty.

    >>> role_of_name("Nodes"), role_of_name("person_nodes"), role_of_name("relationships"), role_of_name("Sheet1")
    ('nodes', 'nodes', 'edges', '')
    """
    return next((role for role, words in _ROLE_WORDS.items() if words.search(name)), "")


def _named_by(name: str, role: str) -> str:
    """Return a name without the word for its role.

    >>> _named_by("nodes_person", "nodes"), _named_by("KNOWS", "edges"), _named_by("edges", "edges")
    ('person', 'KNOWS', '')
    """
    return _ROLE_WORDS[role].sub("", name, count=1).strip("-_. ")


def default_type(name: str, header: Sequence[str]) -> str:
    """Return the type of nodes by the name of their table; empty if it has a column of types."""
    return "" if has_role(header, "types") else _named_by(name, "nodes")


def default_relation(name: str, header: Sequence[str]) -> str:
    """Return the relation of edges by the name of their table; empty if it has a column of relations."""
    return "" if has_role(header, "relation") or not has_role(header, "head") else _named_by(name, "edges")


def _member(folder: Path, tables: Sequence[Path], stems: Sequence[str]) -> Path | None:
    """Return the table with the first of some names in a folder; None if there is none."""
    for name in stems:
        members = [file for file in tables if Path(unpacked_name(file)).stem == name]
        if len(members) > 1:
            listed = ", ".join(file.name for file in members)
            reason = f"the folder holds several tables of {name}: {listed}; leave one"
            raise InputError(reason, folder, code="reader.several_tables", tables=[file.name for file in members])
        if members:
            return members[0]
    return None
