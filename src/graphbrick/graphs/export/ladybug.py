"""Export a graph to a ladybug database, an embedded database that is queried in Cypher.

Node tables are the first types of entities, relation tables the relations; of very many, rare ones share a table.
Relations whose tails are numbers or dates are also properties of their heads, so that a query can compare and sum them.
"""

from __future__ import annotations

import datetime
import json
import re
import tempfile
from collections.abc import Callable, Mapping
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphbrick.core.compute import Progress, silent
from graphbrick.core.deferred import cached_property
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.files.parquet import require_pyarrow
from graphbrick.graphs.export.blocks import Ints, Triples, mapped_texts, writable
from graphbrick.graphs.export.groups import grouped
from graphbrick.graphs.export.ladybug_layout import layout
from graphbrick.graphs.export.ladybug_names import identifier, new_name
from graphbrick.graphs.export.ladybug_properties import PropertyColumns
from graphbrick.graphs.export.place import Export, new_export_file, tell_left_out
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store.literals import (
    DATE,
    DECIMAL,
    INTEGER,
    LiteralType,
    exact_number,
    literal_types,
    read_literal,
)
from graphbrick.graphs.store.stored import StoredGraph

if TYPE_CHECKING:
    import pyarrow

SHARED = "other_relation"
"""The relation table of rare relations; its edges have the property ``label``."""

_ROWS = 1 << 18  # made together
_COPIED = 1 << 22  # edges in one COPY; another COPY into the same table has to merge with what is there
_SAVED = 1 << 22  # rows, and entries of tables for their nodes, after which the buffer pool is emptied
_POOL = 1 << 31  # bytes; an edge takes about 170 of them while it is copied
_POOL_OF_COLUMN = 1 << 22  # bytes; a column that was copied takes 1 to 2 MB, however few its rows
_COLUMNS = 400  # columns that are copied before the database is opened again, which frees their memory
_TOLD = 1_000  # relations of the shared table that its comment lists
_FACTS = {"key": "STRING", "label": "STRING", "types": "STRING[]", "description": "STRING", "aliases": "STRING[]"}
_OF_EDGES = ("from", "to", "key", "label")
_LONGEST_INTEGER = 1 << 63
_DAY = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?(?:T.*)?")


def to_ladybug(
    graph: StoredGraph,
    target: str | PathLike[str],
    *,
    overwrite: bool = False,
    progress: Progress = silent,
    left_out: LeftOut | None = None,
) -> Path:
    """Write a graph as a ladybug database, which ``ladybug.Database(target)`` opens.

    Every entity is a node with the properties ``key`` (the primary key), ``label``, ``types``, ``description`` and
    ``aliases``; every triple is an edge with the property ``key``, the key of its relation. Properties of the graph are
    columns with their types, in the tables that need them; a date-time with a zone is kept in UTC. A node
    is in the table named after its first type; entities without a type are in ``Entity``, and so are all but the 200
    most frequent types. A relation with the name of a type is called ``has_...``. Of more than 300 relations, or fewer
    where entities are very many (`graphbrick.graphs.export.ladybug_layout`), the rare ones share the table
    ``other_relation``, whose edges have the property ``label``, too. The comment of each table says in JSON what its
    name and its properties stand for.

    It takes at most about 3 GB of memory, or 2 MB for each column of the widest table, if that is more. The database is
    one file, which appears when it is complete.

    Args:
        graph: The graph.
        target: The file to make.
        overwrite: Replace a file that is there.
        progress: Called now and then with the name of the step, what is done and the total.
        left_out: Receives what the database cannot hold.

    Returns:
        ``target``.

    Raises:
        GraphbrickError: ladybug or pyarrow is not installed, or the target exists or cannot be written.

    >>> import ladybug
    >>> from graphbrick.testing import tiny_graph
    >>> file = to_ladybug(tiny_graph(), Path(tempfile.mkdtemp()) / "tiny.ladybug")
    >>> with ladybug.Database(file, read_only=True) as database, ladybug.Connection(database) as connection:
    ...     connection.execute("MATCH (a)-[:capital]->(b) RETURN a.label, b.label ORDER BY a.label LIMIT 1").get_all()
    [['Kenya', 'Nairobi']]
    """
    try:
        import ladybug  # noqa: F401
    except ImportError as error:
        text = "this export needs ladybug: pip install 'graphbrick[ladybug]'"
        raise GraphbrickError(text, code="export.needs_ladybug") from error
    require_pyarrow("this export")
    path, left_out = Path(target), LeftOut() if left_out is None else left_out
    if (log := path.with_name(f"{path.name}.wal")).exists():
        text = f"{path} was not closed properly ({log.name} is there); open it once, or remove both"
        raise GraphbrickError(text, code="export.not_closed", file=path)
    with (
        new_export_file(path, overwrite=overwrite) as file,
        tempfile.TemporaryDirectory(dir=file.parent, ignore_cleanup_errors=True) as scratch,
    ):
        _Export(graph, Path(scratch), progress, left_out).run(file, path)  # not kept: it maps files of scratch
    tell_left_out(left_out)
    return path


EXPORT = Export(to_ladybug, takes=("progress", "left_out"))


class _Export:
    """The export of one graph.

    Args:
        graph: The graph.
        scratch: A folder for temporary files.
        progress: Called now and then.
        left_out: Receives what the database cannot hold.
    """

    def __init__(self, graph: StoredGraph, scratch: Path, progress: Progress, left_out: LeftOut) -> None:
        self._graph, self._progress = graph, progress
        self._layout = layout(graph, progress)
        self._keys = mapped_texts(scratch / "keys", map(graph.key, range(graph.n_entities)))
        table_of, n_types = self._layout.table_of, len(self._layout.types)
        self._order = np.argsort(table_of, kind="stable")
        self._nodes = np.bincount(table_of, minlength=n_types)
        self._ends = np.cumsum(self._nodes)
        self._groups = grouped(graph, self._layout.relation_table, table_of, self._layout.sizes, scratch, progress)
        self._literals = literal_types(graph)
        taken: set[str] = set()
        self._tables = [new_name(identifier(name, "Type"), taken) for name in self._layout.types]
        self._pairs: dict[int, list[tuple[int, int]]] = {}
        for relation, head, tail in self._groups.bounds:
            self._pairs.setdefault(relation, []).append((head, tail))
        own = self._layout.relations
        shared = new_name(SHARED, taken) if len(own) in self._pairs else ""
        self._relations = [new_name(_relation_name(graph.relation_label(relation), taken), taken) for relation in own]
        self._relations += [shared] * bool(shared)
        properties = set(_FACTS)
        self._properties = {
            relation: new_name(identifier(graph.relation_label(relation), "value"), properties)
            for relation in own
            if relation in self._literals
        }
        self._of_nodes = PropertyColumns(graph, table_of, properties, left_out, of_triples=False)
        taken = set(_OF_EDGES)
        self._of_edges = PropertyColumns(graph, self._layout.relation_table, taken, left_out, of_triples=True)
        self._unsaved = self._columns = 0

    @cached_property
    def widest(self) -> int:
        """The largest number of columns of a table."""
        nodes = max(
            len(_FACTS) + len(self._valued(i)) + len(self._of_nodes.of_table(i)) for i in range(len(self._tables))
        )
        edges = (len(self._of_edges.of_table(number)) for number in range(len(self._relations)))
        return max(nodes, len(_OF_EDGES) + max(edges, default=0))

    def run(self, file: Path, target: Path) -> None:
        """Create and fill all tables of a new database.

        Args:
            file: The file of the database.
            target: Where it will be, for errors.
        """
        try:
            self._open(file)
            try:
                self._write()
                self._connection.execute("CHECKPOINT")
            finally:
                self._close()
        except RuntimeError as error:
            raise _failure(target, error, self.widest) from error

    def _open(self, file: Path) -> None:
        import ladybug

        pool = max(_POOL, self.widest * _POOL_OF_COLUMN)
        self._file = file
        self._database = ladybug.Database(str(file), buffer_pool_size=pool, auto_checkpoint=False)
        self._connection = ladybug.Connection(self._database)
        self._unsaved = self._columns = 0

    def _close(self) -> None:
        self._connection.close()
        self._database.close()

    def _write(self) -> None:
        """Write all tables; they are created together, as each commit is flushed to the disk."""
        columns = [self._valued(number) for number in range(len(self._tables))]
        self._connection.execute("BEGIN TRANSACTION")
        for number, valued in enumerate(columns):
            self._create_nodes(number, valued)
        for number in range(len(self._relations)):
            self._create_relation(number)
        self._connection.execute("COMMIT")
        done = 0
        for number, valued in enumerate(columns):
            done = self._load_nodes(number, valued, done)
        done = 0
        for number in range(len(self._relations)):
            done = self._load_relation(number, done)

    def _valued(self, number: int) -> list[int]:
        """Return the relations that are also properties of a node table."""
        own = self._layout.relations
        return sorted(
            {own[rel] for rel, head, _ in self._groups.bounds if head == number and rel < len(own)}
            & set(self._properties)
        )

    def _create_nodes(self, number: int, valued: list[int]) -> None:
        name = self._tables[number]
        columns = dict(_FACTS) | {self._properties[rel]: _column_type(self._literals[rel]) for rel in valued}
        columns |= self._of_nodes.types(number)
        listed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
        self._connection.execute(f"CREATE NODE TABLE {name}({listed}, PRIMARY KEY(key))")
        properties = {self._properties[rel]: self._graph.relation_key(rel) for rel in valued}
        facts = {"type": self._layout.types[number], "properties": properties}
        self._comment(name, facts | self._of_nodes.comment(number))

    def _create_relation(self, number: int) -> None:
        name, graph, own = self._relations[number], self._graph, self._layout.relations
        listed = ", ".join(f"FROM {self._tables[head]} TO {self._tables[tail]}" for head, tail in self._pairs[number])
        columns = {"key": "STRING"} | ({} if number < len(own) else {"label": "STRING"}) | self._of_edges.types(number)
        listed += "".join(f", {column} {kind}" for column, kind in columns.items())
        self._connection.execute(f"CREATE REL TABLE {name}({listed})")
        comment = self._of_edges.comment(number)
        if number < len(own):
            facts = {"relation": graph.relation_key(own[number]), "label": graph.relation_label(own[number])}
            self._comment(name, facts | comment)
            return
        rows = sorted(self._layout.shared.items(), key=lambda item: (-item[1], item[0]))
        relations = [
            (graph.relation_label(relation), self._tables[head], self._tables[tail], count)
            for (relation, head, tail), count in rows[:_TOLD]
        ]
        self._comment(name, {"relations": relations, "more": max(len(rows) - _TOLD, 0)} | comment)

    def _load_nodes(self, number: int, valued: list[int], done: int) -> int:
        """Fill one node table; return the number of nodes loaded so far."""
        first, last = int(self._ends[number - 1]) if number else 0, int(self._ends[number])
        for at in range(first, last, _ROWS):
            entities = self._order[at : min(at + _ROWS, last)]
            values = {self._properties[rel]: self._values(rel, number, entities) for rel in valued}
            if self._of_nodes.of_table(number):
                own = [self._graph.own_properties(entity) for entity in entities.tolist()]
                values |= self._of_nodes.arrays(number, own)
            self._copy(self._tables[number], "", self._node_rows(entities, values), 0)
            done += len(entities)
            self._progress("nodes", done, self._graph.n_entities)
        return done

    def _node_rows(self, entities: Ints, values: Mapping[str, pyarrow.Array]) -> pyarrow.Table:
        import pyarrow

        graph, ids, texts = self._graph, entities.tolist(), pyarrow.list_(pyarrow.string())
        return pyarrow.table(
            {
                "key": self._keys.take(pyarrow.array(entities)).cast(pyarrow.string()),
                "label": pyarrow.array(map(writable, map(graph.label, ids)), pyarrow.string()),
                "types": pyarrow.array((list(map(writable, graph.types(i))) for i in ids), texts),
                "description": pyarrow.array((writable(graph.description(i)) or None for i in ids), pyarrow.string()),
                "aliases": pyarrow.array((list(map(writable, graph.aliases(i))) for i in ids), texts),
                **values,
            }
        )

    def _values(self, relation: int, table: int, entities: Ints) -> pyarrow.Array:
        """Return the value of each entity for a relation whose tails are numbers or dates; null for those without."""
        import pyarrow

        kind = self._literals[relation]
        number = int(self._layout.relation_table[relation])
        heads, tails = self._groups.of_heads(number, table, int(entities[0]), int(entities[-1]))
        heads, first = np.unique(heads, return_index=True)
        distinct, place = np.unique(tails[first], return_inverse=True)
        read = [_value(self._graph.label(tail), kind) for tail in distinct.tolist()]
        values: list[Any] = [None] * len(entities)
        for at, number in zip(np.searchsorted(entities, heads).tolist(), place.tolist(), strict=True):
            values[at] = read[number]
        kinds = {"DATE": pyarrow.date32(), "DOUBLE": pyarrow.float64(), "INT64": pyarrow.int64()}
        return pyarrow.array(values, kinds[_column_type(kind)])

    def _load_relation(self, number: int, done: int) -> int:
        """Fill one relation table; return the number of edges loaded so far."""
        import pyarrow

        name = self._relations[number]
        for head, tail in self._pairs[number]:
            ends = f" (from='{self._tables[head]}', to='{self._tables[tail]}')"
            blocks = self._groups.blocks((number, head, tail), _ROWS)
            entries = int(self._nodes[head] + self._nodes[tail])
            while parts := [self._edge_rows(block, number) for block in islice(blocks, max(_COPIED // _ROWS, 1))]:
                rows = pyarrow.concat_tables(parts)
                self._copy(name, ends, rows, entries)
                done += len(rows)
                self._progress("triples", done, self._graph.n_triples)
        return done

    def _edge_rows(self, block: Triples, number: int) -> pyarrow.Table:
        import pyarrow

        heads, tails = (
            self._keys.take(pyarrow.array(part)).cast(pyarrow.string()) for part in (block.heads, block.tails)
        )
        columns = {"from": heads, "to": tails, "key": self._relation_texts(block, self._graph.relation_key)}
        if number == len(self._layout.relations):
            columns["label"] = self._relation_texts(block, self._graph.relation_label)
        if self._of_edges.of_table(number):
            own = [self._graph.triple_properties(triple) for triple in block.ids.tolist()]
            columns |= self._of_edges.arrays(number, own)
        return pyarrow.table(columns)

    def _relation_texts(self, block: Triples, text: Callable[[int], str]) -> pyarrow.Array:
        """Return a text for the relation of each triple."""
        import pyarrow

        distinct, places = np.unique(block.relations, return_inverse=True)
        return pyarrow.array(map(writable, map(text, distinct.tolist())), pyarrow.string()).take(pyarrow.array(places))

    def _copy(self, table: str, options: str, rows: pyarrow.Table, entries: int) -> None:
        """Copy rows into a table; copied rows are written out before they fill the buffer pool.

        Args:
            table: The table.
            options: The part of the command after the source.
            rows: The rows.
            entries: Nodes that the table on disk has an entry for, besides its rows.
        """
        if self._columns and self._columns + rows.num_columns > _COLUMNS:
            self._connection.execute("CHECKPOINT")
            self._close()
            self._open(self._file)
        self._connection.execute(f"COPY {table} FROM $rows{options}", {"rows": rows})
        self._columns += rows.num_columns
        self._unsaved += len(rows) + entries
        if self._unsaved >= _SAVED:
            self._connection.execute("CHECKPOINT")
            self._unsaved = 0

    def _comment(self, table: str, what: Mapping[str, object]) -> None:
        text = json.dumps(what, ensure_ascii=False).replace("\\", "\\\\").replace("'", "\\'")
        self._connection.execute(f"COMMENT ON TABLE {table} IS '{writable(text)}'")


def _failure(path: Path, error: RuntimeError, columns: int) -> GraphbrickError:
    """Return the error of an export that ladybug cannot write."""
    if "Buffer manager" in str(error):
        advice = (
            f"the widest table has {columns:,} columns, of which ladybug holds each in memory; build the graph from "
            "fewer properties, or export it to parquet"
        )
    else:
        advice = "choose another place, or make room there"
    text = f"{path} cannot be written: {error}; {advice}"
    return GraphbrickError(text, code="export.ladybug_failed", columns=columns)


def _relation_name(label: str, tables: set[str]) -> str:
    """Return a name for a relation; ``has_country`` if a node table has the name ``country``."""
    name = identifier(label, "relation")
    return f"has_{name}" if name.casefold() in tables else name


def _column_type(kind: LiteralType) -> str:
    return {DATE: "DATE", DECIMAL: "DOUBLE"}.get(kind.kind, "INT64")


def _value(text: str, kind: LiteralType) -> float | datetime.date | None:
    """Return the value of a tail of a relation; None if it is of another kind or unit, or too large."""
    if kind.kind == DATE:
        day = _DAY.fullmatch(text.strip())
        try:
            return day and datetime.date(int(day[1]), int(day[2] or 1), int(day[3] or 1))
        except ValueError:
            return None
    read, number = read_literal(text), exact_number(text)
    if read is None or number is None or read.unit not in ("", kind.unit):
        return None
    if kind.kind == DECIMAL:
        return read.value
    return int(number) if read.kind == INTEGER and abs(number) < _LONGEST_INTEGER else None
