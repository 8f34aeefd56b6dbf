"""The Parquet tables of an output folder of Microsoft GraphRAG, of version 0 to 3."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from graphbrick.core.errors import InputError
from graphbrick.core.files.parquet import require_pyarrow

REQUIRED = ("entities", "relationships", "text_units")
_COLUMNS = {"entities": ("title", "name"), "relationships": ("source",), "text_units": ("text", "chunk")}
# A table without any of these cannot be read.
OPTIONAL = ("documents", "communities", "community_reports", "covariates", "nodes")
_PREFIXES = ("", "create_final_")  # the second is that of version 0 and 1.0
_BELOW = ("", "output", "artifacts", "*/artifacts", "output/*/artifacts")  # version 0 makes a folder for each run

TITLE = "graphbrick_title"
"""The key of the title of a document in its ``raw_data``, where an export notes it."""

Row = Mapping[str, Any]


class TableRows(Protocol):
    """The rows of tables by name.

    Attributes:
        folder: Where they were read from.
        notes: What a user should know.
    """

    folder: Path
    notes: list[str]

    def __getitem__(self, name: str) -> list[Row]:
        """Return the rows of a table; none if there is no such table."""


class Tables:
    """The rows of all tables by name; a table that is not there has none.

    Args:
        folder: The folder with the tables, or one above it: ``output``, or ``output/<time>/artifacts``, the latest.

    Raises:
        InputError: A table is missing or cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise InputError(
                f"{folder} is not a folder; name the folder with entities.parquet of GraphRAG",
                code="import_graphrag.not_a_folder",
            )
        there = _folders(folder)
        self.folder = there[-1] if there else folder
        self.notes = [f"read from {self.folder}, the latest of {len(there):,} runs"] if len(there) > 1 else []
        self._rows = {name: self._read(name) for name in (*REQUIRED, *OPTIONAL)}

    def _read(self, name: str) -> list[Row]:
        require_pyarrow(f"reading {name}.parquet")
        import pyarrow
        from pyarrow import parquet

        file = _file(self.folder, name)
        if file is None:
            if name in REQUIRED:
                raise InputError(
                    f"{self.folder} has no {name}.parquet; name the folder that GraphRAG wrote its tables to",
                    code="import_graphrag.no_table",
                    table=name,
                )
            return []
        try:
            rows: list[Row] = parquet.read_table(file).to_pylist()
        except (OSError, pyarrow.ArrowException) as error:
            raise InputError(
                f"{file} cannot be read as Parquet ({str(error).splitlines()[0]})",
                code="import_graphrag.not_parquet",
                table=file.name,
            ) from error
        columns = _COLUMNS.get(name, ())
        if rows and columns and not rows[0].keys() & set(columns):
            raise InputError(
                f"{file} has no column {' or '.join(columns)}, only {', '.join(rows[0])}; is it a table of GraphRAG?",
                code="import_graphrag.no_column",
                table=file.name,
                columns=columns,
            )
        return rows

    def __getitem__(self, name: str) -> list[Row]:
        return self._rows[name]


def is_graphrag(folder: Path) -> bool:
    """Return whether a folder has the tables of GraphRAG, or a folder below it for runs."""
    return bool(_folders(folder))


def _folders(folder: Path) -> list[Path]:
    """Return the folders with tables, by time: the folder itself, or the first place below that has them."""
    for below in _BELOW:
        places = sorted(folder.glob(below)) if below else [folder]
        there = [place for place in places if _file(place, "entities") and _file(place, "text_units")]
        if there:
            return there
    return []


def _file(folder: Path, name: str) -> Path | None:
    files = (folder / f"{prefix}{name}.parquet" for prefix in _PREFIXES)
    return next((file for file in files if file.is_file()), None)


def title_of(row: Row) -> str:
    """Return the title of a document that an export of graphbrick noted; empty if there is none."""
    try:
        raw = json.loads(text_of(row, "raw_data") or "{}")
    except (ValueError, RecursionError):
        return ""
    title = raw.get(TITLE) if isinstance(raw, dict) else None
    return title if isinstance(title, str) else ""


def text_of(row: Row, *columns: str) -> str:
    """Return the first of some columns that has a text, without white space around it; empty if none has."""
    for column in columns:
        value = row.get(column)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def name_of(row: Row, *columns: str) -> str:
    """Return the first of some columns that has a name, without the quotation marks of early versions."""
    name = text_of(row, *columns)
    is_quoted = len(name) > 2 and name[0] == name[-1] == '"' and '"' not in name[1:-1]
    return name[1:-1].strip() if is_quoted else name


def number_of(row: Row, column: str, default: float) -> float:
    """Return the number in a column, or the default."""
    value = row.get(column)
    try:
        number = float(value) if value is not None else default  # a text in some versions
    except (TypeError, ValueError):
        return default
    return number if math.isfinite(number) else default


def ids_of(row: Row, *columns: str) -> list[str]:
    """Return the ids in the first of some columns that has any: a list, or one text."""
    for column in columns:
        value = row.get(column)
        if isinstance(value, str) and value:
            return [value]
        if isinstance(value, Iterable) and not isinstance(value, str):
            return [str(one) for one in value]
    return []
