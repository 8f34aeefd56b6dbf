"""The property phases of a build: choose the columns, order the values of triples by id, and write all columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Kind
from graphbrick.graphs.build.rows import TRIPLE_IDS
from graphbrick.graphs.build.value_ingest import TRIPLE_FACTS
from graphbrick.graphs.records.interner import text_at
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store.writing.buckets import COUNT, BucketReader, BucketWriter, groups, width_for
from graphbrick.graphs.store.writing.columns import ColumnWriter
from graphbrick.kernels.strings import cells
from graphbrick.kernels.strings.spans import Bytes, Offsets
from graphbrick.kernels.strings.spooling import read_texts

VALUES, PLACED = "values.tmp", "placed.tmp"
"""Values in buckets by column, ascending by owner in each column; values of triples in buckets by id."""

MOST_PROPERTIES = 10_000
"""Names of properties in a graph; each has files of its own."""

Spans = tuple[Bytes, Offsets, Offsets]
Numbers = npt.NDArray[np.int32]

_READ_AS = (Kind.TEXT, Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN, Kind.DATE, Kind.DATETIME, Kind.TEXT)  # as in `cells`
_EXAMPLES = 5


class Columns:
    """The columns of a graph: the one that each value of the source is stored in.

    Args:
        read: The columns as they were read (`ValueIngest.columns`).
        left_out: Receives the values that do not read as the others of their column.
    """

    def __init__(self, read: Sequence[Mapping[str, Any]], left_out: LeftOut) -> None:
        self._read, self._left_out = read, left_out
        names: dict[str, int] = {}
        self.names = np.array([names.setdefault(column["name"], len(names)) for column in read], dtype=np.int32)
        """int32 [columns as read]; number of the name of each."""
        self.all_names = list(names)
        """The names, by number."""
        self.are_names = np.array([column["names"] for column in read], dtype=np.bool_)
        """bool [columns as read]; whether the values are further names of the entities."""
        if len(names) > MOST_PROPERTIES:
            text = f"the source has {len(names):,} properties; at most {MOST_PROPERTIES:,} are kept: leave some out"
            raise InputError(text, code="build.many_properties", properties=len(names), at_most=MOST_PROPERTIES)
        self.all: list[tuple[str, Kind, bool, bool]] = []
        """Name, kind, whether values are lists, and whether they belong to triples, for each column."""
        numbers: dict[tuple[str, Kind, bool, bool], int] = {}
        self._stored = np.zeros((len(read), len(_READ_AS)), dtype=np.int32)
        self._is_raw = np.array([bool(column["raw"] and column["kinds"]) for column in read], dtype=np.bool_)
        for place, column in enumerate(read):
            for cell, kind in enumerate(_READ_AS):
                key = (column["name"], self._kind(column, kind), column["list"], column["of_triples"])
                self._stored[place, cell] = numbers.setdefault(key, len(numbers))
        self.all = list(numbers)
        self.units = _units(read)
        """The units of numbers, by name and whether they belong to triples."""
        for column in read:
            for fact, why in (("large", "some have more digits than a number"), ("codes", "1E5 may be a code")):
                if column.get(fact):
                    left_out.add(f"values of {column['name']} that are kept as texts, as {why}", n=column[fact])

    def _kind(self, column: Mapping[str, Any], kind: Kind) -> Kind:
        """Return the kind that a cell is stored as."""
        kinds = [Kind(name) for name in column["kinds"]]
        if not column["raw"]:
            return kinds[0]
        if kind == Kind.INTEGER and Kind.NUMBER in kinds:
            return Kind.NUMBER
        return kind if kind in kinds else Kind.TEXT

    def of(self, column: Numbers, texts: Spans) -> Numbers:
        """Return the column that each value is stored in, int32 [values].

        Args:
            column: int32 [values]; the column that each value was read in.
            texts: The texts of the values.
        """
        read_as = np.zeros(len(column), dtype=np.uint8)
        raw = np.flatnonzero(self._is_raw[column])
        if len(raw):
            data, starts, ends = texts
            read_as[raw] = cells.cell_kinds(data, starts[raw], ends[raw])
            odd = raw[(read_as[raw] == cells.TEXT) | (read_as[raw] == cells.CODE)]
            self._note(column[odd], data, starts[odd], ends[odd])
        return self._stored[column, read_as]

    def _note(self, column: Numbers, data: Bytes, starts: Offsets, ends: Offsets) -> None:
        """Count values that do not read as the others of their column; they are kept as texts."""
        for number in np.unique(column).tolist():
            rows = np.flatnonzero(column == number)
            kinds = " or ".join(self._read[number]["kinds"])
            what = f"values of {self._read[number]['name']} that are kept as texts, as they are not a {kinds}"
            for row in rows[:_EXAMPLES].tolist():
                self._left_out.add(what, text_at(data, starts[row], ends[row]), 0)
            self._left_out.add(what, "", len(rows))

    def spool(self, values: BucketWriter, texts: Spans, owners: npt.NDArray[Any], column: Numbers) -> None:
        """Add values to `VALUES`; for each column, owners must ascend from call to call.

        Args:
            values: The writer of `VALUES`.
            texts: The texts of the values.
            owners: int [values]; id of the entity or triple of each value.
            column: int32 [values]; the column that each value was read in.
        """
        stored = self.of(column, texts)
        none = np.zeros(len(owners), dtype=np.uint8)
        buckets = stored if len(self.all) <= COUNT else stored.astype(np.int64) * COUNT // len(self.all)
        values.texts(texts, owners.astype(np.uint32), none, none, stored.astype(np.uint32), buckets.astype(np.int32))


def _units(read: Sequence[Mapping[str, Any]]) -> dict[tuple[str, bool], str]:
    """Return the unit of each property whose columns have the same."""
    units: dict[tuple[str, bool], set[str]] = {}
    for column in read:
        units.setdefault((column["name"], column["of_triples"]), set()).add(column.get("unit", ""))
    return {key: next(iter(found)) for key, found in units.items() if len(found) == 1 and found != {""}}


def place_triple_values(work: Path, triples: int, progress: Progress) -> None:
    """Replace the numbers of triples in `TRIPLE_FACTS` by ids; values of duplicates are left out."""
    width = width_for(triples)
    with (
        BucketReader(work / TRIPLE_FACTS) as facts,
        BucketReader(work / TRIPLE_IDS) as numbers,
        BucketWriter(work / PLACED, pack=True) as placed,
    ):
        for begin, end in groups([facts, numbers], progress):
            pairs = numbers.rows(begin, end, 2)
            pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
            for stream in facts.pieces(begin, end):
                number, _, _, kind, rank, column, starts, ends = read_texts(stream, False)
                at = np.minimum(np.searchsorted(pairs[:, 0], number), max(len(pairs) - 1, 0))
                known = np.flatnonzero(pairs[at, 0] == number) if len(pairs) else np.empty(0, dtype=np.int64)
                ids = np.ascontiguousarray(pairs[at[known], 1])
                about = (ids, kind[known], rank[known], column[known], (ids >> width).astype(np.int32))
                placed.texts((stream, starts[known], ends[known]), *about)


def spool_triple_values(work: Path, columns: Columns, values: BucketWriter) -> None:
    """Add the values of triples to `VALUES`, ascending by id."""
    with BucketReader(work / PLACED) as placed:
        for begin, end in groups([placed], silent):
            stream = placed.contents(begin, end)
            if len(stream):
                ids, _, _, _, _, column, starts, ends = read_texts(stream, False)
                order = np.argsort(ids, kind="stable")
                spans = (stream, starts[order], ends[order])
                columns.spool(values, spans, ids[order], column[order].astype(np.int32))


def write_columns(
    work: Path,
    columns: Sequence[tuple[str, Kind, bool, bool]],
    progress: Progress,
    units: Mapping[tuple[str, bool], str] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """Write the files of all columns that have values, and return the columns for the manifest.

    Args:
        work: The folder of the build.
        columns: `Columns.all`.
        progress: Called with the share of the values that are done.
        units: The units of numbers, by name and whether they belong to triples.
    """
    made: list[dict[str, Any]] = []
    with BucketReader(work / VALUES) as values:
        for begin, end in groups([values], progress):
            writers: dict[int, ColumnWriter] = {}
            for stream in values.pieces(begin, end):
                owner, _, _, _, _, column, starts, ends = read_texts(stream, False)
                order = np.argsort(column, kind="stable")
                numbers, first = np.unique(column[order], return_index=True)
                for number, rows in zip(numbers.tolist(), np.split(order, first[1:]), strict=True):
                    writer = writers.get(number)
                    if writer is None:
                        _, kind, is_list, _ = columns[number]
                        writer = ColumnWriter(work, len(made) + len(writers), kind, is_list=is_list)
                        writers[number] = writer
                    writer.extend(owner[rows], (stream, starts[rows], ends[rows]))
            for number, writer in writers.items():
                name, kind, is_list, of_triples = columns[number]
                facts: dict[str, Any] = {"name": name, "kind": str(kind), "is_list": is_list, "of_triples": of_triples}
                if kind in (Kind.INTEGER, Kind.NUMBER) and (name, of_triples) in units:
                    facts["unit"] = units[name, of_triples]
                made.append(facts | {"count": writer.close()})
    return made
