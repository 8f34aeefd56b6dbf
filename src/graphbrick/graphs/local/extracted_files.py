"""Read the folder of extracted subgraphs that ``graphbrick spark extract`` writes; docs/spark.md states its format."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from graphbrick.core.deferred import cached_property
from graphbrick.core.errors import GraphFormatError
from graphbrick.core.files.parquet import require_pyarrow

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds

SETTINGS, FORMAT = "settings.json", 1
_COLUMNS = {
    "seeds": ("set", "entity"),
    "scores": ("set", "entity", "score", "rank"),
    "triples": ("set", "head", "relation", "tail"),
    "labels": ("entity", "label"),
}
_OPTIONAL = "labels"
_ADVICE = "extract it again with graphbrick spark extract"
_END = b"PAR1"  # of a Parquet file, after the length of its footer


class SetRows(NamedTuple):
    """The rows of one set.

    Attributes:
        entities: Keys of the entities, best first.
        triples: (head key, relation key, tail key) of each triple, in the order of the keys.
    """

    entities: list[str]
    triples: list[tuple[str, str, str]]


def is_extracted(place: str | PathLike[str]) -> bool:
    """Return whether a folder holds extracted subgraphs rather than a graph."""
    folder = Path(place)
    return (folder / SETTINGS).is_file() and (folder / "scores").is_dir()


class ExtractedFiles:
    """The tables of extracted subgraphs; rows are read when they are needed.

    Args:
        folder: The folder.

    Raises:
        GraphFormatError: It is not such a folder, or is incomplete, damaged, or of another format version.
        ModelError: pyarrow is not installed.
    """

    def __init__(self, folder: Path) -> None:
        require_pyarrow("a folder of extracted subgraphs")
        self.folder = folder
        self.settings = _settings(folder)
        self._files = {name: _parquet_files(folder, name) for name in _COLUMNS}
        self._tables = {name: _table(files, folder / name, _COLUMNS[name]) for name, files in self._files.items()}

    @cached_property
    def hash(self) -> str:
        """A hash of the settings, and of the statistics, sizes and places in each Parquet file; 16 hexadecimal digits.

        The rows themselves are not read, so that this takes milliseconds.
        """
        total = sha256((self.folder / SETTINGS).read_bytes())
        for name, files in self._files.items():
            for footer in sorted(map(_footer, files)):
                total.update(name.encode() + footer)
        return total.hexdigest()[:16]

    @cached_property
    def seeds(self) -> Mapping[str, tuple[str, ...]]:
        """The keys of the seeds of each set, by the name of the set; ascending."""
        rows = sorted(set(self._rows("seeds")))
        return {name: tuple(seed for _, seed in seeds) for name, seeds in groupby(rows, key=lambda row: row[0])}

    def rows(self, name: str) -> SetRows:
        """Return the entities and triples of a set; both are empty if none of its seeds was in the source."""
        import pyarrow.compute as pc

        of_set = pc.field("set") == name
        scores = self._rows("scores", of_set, columns=("rank", "entity"))
        triples = self._rows("triples", of_set, columns=("head", "relation", "tail"))
        return SetRows([entity for _, entity in sorted(scores)], sorted(set(triples)))

    def labels(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the labels of those entities and relations that have one in the table of labels, by key."""
        import pyarrow.compute as pc

        if self._tables[_OPTIONAL] is None:
            return {}
        return dict(sorted(self._rows(_OPTIONAL, pc.field("entity").isin(list(keys)))))

    def check(self) -> None:
        """Read every row.

        Raises:
            GraphFormatError: A row cannot be read, lacks a value, or belongs to a set without seeds.
        """
        import pyarrow.compute as pc

        for name, table in self._tables.items():
            place = self.folder / name
            try:
                for batch in () if table is None else table.to_batches(columns=list(_COLUMNS[name])):
                    empty = [column for column in _COLUMNS[name] if batch[column].null_count]
                    if empty:
                        raise _no_value(place, empty[0])
                    sets = pc.unique(batch["set"]).to_pylist() if "set" in _COLUMNS[name] else []
                    unknown = [one for one in sets if one not in self.seeds]
                    if unknown:
                        text = f"{place} has rows of the set {unknown[0]!r}, which has no seeds; {_ADVICE}"
                        raise GraphFormatError(text, code="extracted.unknown_set", table=name, set=unknown[0])
            except (OSError, ValueError) as error:
                raise _unreadable(place, error) from error

    def _rows(self, table: str, matching: Any = None, columns: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
        """Return rows of a table as tuples, in any order."""
        dataset, names = self._tables[table], columns or _COLUMNS[table]
        if dataset is None:
            return []
        try:
            rows: pa.Table = dataset.to_table(columns=list(names), filter=matching)
        except (OSError, ValueError) as error:  # errors of pyarrow are of these types
            raise _unreadable(self.folder / table, error) from error
        empty = next((name for name in names if rows[name].null_count), None)
        if empty is not None:
            raise _no_value(self.folder / table, empty)
        return list(zip(*(rows[name].to_pylist() for name in names), strict=True))


def _unreadable(place: Path, error: Exception) -> GraphFormatError:
    text = f"{place} cannot be read ({error}); {_ADVICE}"
    return GraphFormatError(text, code="extracted.unreadable", table=place.name)


def _no_value(place: Path, column: str) -> GraphFormatError:
    text = f"{place} has a row without a value for {column}; {_ADVICE}"
    return GraphFormatError(text, code="extracted.no_value", table=place.name, column=column)


def _settings(folder: Path) -> dict[str, Any]:
    file = folder / SETTINGS
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
        version = settings["format"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        reason = "has no entry 'format'" if isinstance(error, KeyError) else f"cannot be read ({error})"
        raise GraphFormatError(f"{file} {reason}; {_ADVICE}", code="extracted.bad_settings") from error
    if version != FORMAT:
        text = f"{folder} has format {version!r}, but this version reads format {FORMAT}; {_ADVICE}"
        raise GraphFormatError(text, code="extracted.other_format", format=version)
    return dict(settings)


def _parquet_files(folder: Path, table: str) -> list[Path]:
    """Return the Parquet files of a table; names that begin with a dot or underscore are notes of the writer."""
    files = sorted(file for file in (folder / table).glob("*.parquet") if not file.name.startswith((".", "_")))
    if not files and table != _OPTIONAL:
        text = f"{folder / table} has no Parquet file; {_ADVICE}"
        raise GraphFormatError(text, code="extracted.no_parquet_file", table=table)
    return files


def _table(files: list[Path], place: Path, columns: tuple[str, ...]) -> ds.Dataset | None:
    """Open the files of a table and check that they have its columns; None for no files."""
    import pyarrow.dataset as ds

    if not files:
        return None
    try:
        table = ds.dataset([str(file) for file in files], format="parquet")
        names = table.schema.names
    except (OSError, ValueError) as error:
        raise _unreadable(place, error) from error
    missing = [name for name in columns if name not in names]
    if missing:
        raise GraphFormatError(
            f"{place} has the columns {', '.join(names)}, and lacks {', '.join(missing)}; it must have "
            f"{', '.join(columns)}",
            code="extracted.no_column",
            table=place.name,
            missing=missing,
        )
    wrong = [name for name in columns if name not in ("score", "rank") and not _is_text(table.schema.field(name).type)]
    if wrong:
        raise GraphFormatError(
            f"the column {wrong[0]} of {place} holds {table.schema.field(wrong[0]).type}; it must hold text",
            code="extracted.not_text",
            table=place.name,
            column=wrong[0],
        )
    return table


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value) or pa.types.is_string_view(value))


def _footer(file: Path) -> bytes:
    """Return the footer of a Parquet file: its schema and the sizes and statistics of its row groups."""
    with file.open("rb") as content:
        size = content.seek(0, 2)
        content.seek(max(size - 8, 0))
        tail = content.read()
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != _END or length + 8 > size:
            text = f"{file} is not a Parquet file, or is incomplete; {_ADVICE}"
            raise GraphFormatError(text, code="extracted.not_parquet", file=file)
        content.seek(size - 8 - length)
        return content.read(length)
