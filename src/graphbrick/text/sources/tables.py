"""Documents from tables, one a row: CSV, TSV, JSON lines, JSON lists, Parquet and Excel."""

from __future__ import annotations

import csv
import datetime
import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.core.files.parquet import require_pyarrow
from graphbrick.graphs.readers.excel import open_workbook
from graphbrick.graphs.readers.streams import open_source, unpacked_name
from graphbrick.language.counting import counted
from graphbrick.text.documents.document import Document, Heading, Record
from graphbrick.text.sources.encodings import encoding_of

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".xlsx")
_TEXT = ("text", "content", "contents", "body", "passage", "paragraph", "article", "document", "abstract", "answer")
_MORE_TEXT = ("description", "message", "details", "comment", "comments", "summary", "notes", "note", "question")
_TITLE = ("title", "headline", "name", "heading", "subject", "focus")
_KEY = ("id", "_id", "idx", "doc_id", "docid", "key", "url", "uri", "doi")
_CELL = 1 << 27  # characters
_LONGEST_VALUE = 200  # characters of a text that is a value of a record
_ALL = "*"  # instead of a column of text: every column, with its name
_NO_TEXT = "no column is called text, so that all columns of each row are its text; --text names one"


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """The columns of a table that are read; a dot goes into objects and lists: ``sections.answer``.

    Attributes:
        text: Columns of text, with commas between them; None for the first one with a usual name, such as "text".
        title: Column of titles; None for the first one with a usual name, if any.
        key: Column with a unique name for each row; None for the first one with a usual name, or else the row number.
        section: Column of headings, one for each text, for texts in lists; None for none.
    """

    text: str | None = None
    title: str | None = None
    key: str | None = None
    section: str | None = None


@dataclass(slots=True)
class _Unread:
    """What is not read of a table: rows without any text, and values too long, or of a form, that none can ask for."""

    rows: int = 0
    values: Counter[str] = field(default_factory=Counter)
    without_text: int = 0

    def note(self) -> str:
        """Return what a user should know; empty for nothing."""
        columns = ", ".join(f"{name} ({n:,})" for name, n in self.values.items())
        notes = (
            f"{counted(self.rows, 'row')} without text left out" if self.rows else "",
            f"{counted(self.without_text, 'row')} without text: the other columns are the text"
            if self.without_text
            else "",
            f"values that are long, or not a text or number, are left out of columns: {columns}; --text reads them"
            if columns
            else "",
        )
        return "; ".join(filter(None, notes))


def table_documents(file: Path, suffix: str, options: SourceOptions) -> Iterator[Document]:
    """Yield a document for each row of a table.

    The text of a row without text is that of its other columns. Rows that have none are left out; they, and values that
    are not read, are counted in the note of the last document.

    Raises:
        InputError: A row cannot be read, a column is missing, two rows have one key, or no row has text.
    """
    encoded = ""
    if suffix in (".csv", ".tsv"):
        with open_source(file, other_encodings=True) as stream:
            encoding, encoded = encoding_of(stream)
        rows = _csv(file, encoding)
    else:
        rows = {".parquet": _parquet, ".json": _json, ".xlsx": _excel}.get(suffix, _json_lines)(file)
    unread, last = _Unread(), list[Document]()
    try:
        for document in _documents(file, rows, options, unread, is_raw=suffix in (".csv", ".tsv")):
            yield from last
            last = [replace(document, note="; ".join(filter(None, (encoded, document.note))))]
            encoded = ""  # once for the file
    except InputError:
        yield from last
        raise
    if not last:
        raise InputError("no row has text; name its column with --text", file, code="tables.no_text")
    yield replace(last[0], note="; ".join(filter(None, (last[0].note, unread.note()))))


def _documents(
    file: Path, rows: Iterable[Mapping[str, Any]], options: SourceOptions, unread: _Unread, *, is_raw: bool
) -> Iterator[Document]:
    """Yield a document for each row, and count what is not read."""
    keys: set[str] = set()
    for number, row in enumerate(rows, 1):
        columns = _columns(row, options, file, number)
        texts = _all_columns(row) if columns["text"] == [_ALL] else _texts_of(row, columns["text"])
        title = " ".join("".join(_texts(row, columns["title"][0])[:1]).split()) if columns["title"] else ""
        key = "".join(_texts(row, columns["key"][0])[:1]).strip() if columns["key"] else ""
        record = _record(file, row, columns, title, key or str(number), unread, is_raw=is_raw)
        if not any(text.strip() for text in texts):
            if record is None:
                unread.rows += 1
                continue
            texts, unread.without_text = _all_columns(row), unread.without_text + 1
            columns["section"] = []
        key = key or str(number)
        if key in keys:
            raise InputError(
                f"the key {key!r:.80} stands in two rows; name another column with --key",
                file,
                number,
                code="tables.same_key",
                key=key,
            )
        keys.add(key)
        sections = _texts(row, columns["section"][0]) if columns["section"] else []
        if sections and len(sections) != len(texts):
            raise InputError(f"{len(sections)} sections for {len(texts)} texts", file, number, code="tables.sections")
        note = _NO_TEXT if columns["text"] == [_ALL] else ""
        yield replace(_document(f"{file}#{key}", title, texts, sections), record=record, note=note)


def _texts_of(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    return [text for column in columns for text in _texts(row, column)]


def _all_columns(row: Mapping[str, Any]) -> list[str]:
    """Return a row as one text, a line for each column that has a value."""
    values = ((name, " ".join(" ".join(_texts(row, name)).split())) for name in row)
    return ["\n".join(f"{name}: {value}" for name, value in values if value)]


def _record(
    file: Path,
    row: Mapping[str, Any],
    columns: Mapping[str, Sequence[str]],
    title: str,
    key: str,
    unread: _Unread,
    *,
    is_raw: bool,
) -> Record | None:
    """Return the short values of a row besides its texts, title and key; None without any."""
    used = {*columns["text"], *columns["title"], *columns["key"], *columns["section"]}
    used |= {name.split(".")[0] for name in used}
    values = dict[str, Any]()
    for name, cell in row.items():
        if name in used or cell in ("", None, [], {}) or cell != cell:  # what is not a number is no value either
            continue
        value = _value(cell)
        if value not in ("", None):
            values[str(name)] = value
        elif value is None and columns["text"] != [_ALL]:
            unread.values[str(name)] += 1
    table = Path(unpacked_name(file)).stem
    return (
        Record(table, title or (key if columns["key"] else f"{table} {key}"), key, values, is_raw) if values else None
    )


def _value(cell: object) -> object:
    """Return a cell as a value of a record; None for objects and long texts."""
    if isinstance(cell, str):
        text = _clean(cell).strip()
        return text if len(text) <= _LONGEST_VALUE else None
    if isinstance(cell, datetime.date):
        return cell.isoformat()
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else None
    if isinstance(cell, list):
        values = [_value(one) for one in cell]
        return values if values and all(isinstance(one, str | int | float) for one in values) else None
    return cell if isinstance(cell, bool | int) else None


def _document(address: str, title: str, texts: list[str], sections: list[str]) -> Document:
    """Return the document of a row: its texts with an empty line between them, each under its section."""
    parts: list[str] = []
    headings = []
    length = 0
    for i, text in enumerate(texts):
        body = text.strip()
        if not body:
            continue
        if sections and sections[i].strip():
            heading = " ".join(sections[i].split())
            headings.append(Heading(length, 1, heading))
            body = f"{heading}\n{body}"
        parts.append(body)
        length += len(body) + 2
    return Document(address, title, "\n\n".join(parts), tuple(headings))


def _columns(row: Mapping[str, Any], options: SourceOptions, file: Path, number: int) -> dict[str, list[str]]:
    """Return the columns of texts, title, key and section."""
    usual = {name.lower(): name for name in row}
    chosen: dict[str, list[str]] = {}
    for part, names in (("text", _TEXT), ("title", _TITLE), ("key", _KEY), ("section", ())):
        option = getattr(options, part)
        if option is None:
            chosen[part] = [usual[name] for name in names if name in usual][:1]
            if part == "text" and not chosen[part]:
                chosen[part] = _other_texts(row, usual)
            continue
        chosen[part] = [name.strip() for name in option.split(",")] if part == "text" else [option.strip()]
        for name in chosen[part]:
            if name not in row and name.split(".")[0] not in row:
                raise InputError(
                    f"there is no column {name!r}; there are {', '.join(map(str, row))}",
                    file,
                    number,
                    code="tables.no_column",
                    column=name,
                )
    if not chosen["text"]:
        raise InputError(
            f"no column is called text; name one with --text; there are {', '.join(map(str, row))}",
            file,
            number,
            code="tables.no_text_column",
        )
    return chosen


def _other_texts(row: Mapping[str, Any], usual: Mapping[str, str]) -> list[str]:
    """Return the column of text of a table of records, or all columns; none if a row has objects in it."""
    named = [usual[name] for name in _MORE_TEXT if name in usual][:1]
    is_flat = len(row) > 1 and not any(isinstance(cell, Mapping | list) for cell in row.values())
    return named or ([_ALL] if is_flat else [])


def _texts(value: object, column: str) -> list[str]:
    """Return the texts of a column of a row; a dot goes into objects and lists."""
    values: list[object] = [value]
    for name in [column] if isinstance(value, Mapping) and column in value else column.split("."):
        flat = [part for one in values for part in (one if isinstance(one, list) else [one])]
        values = [one[name] for one in flat if isinstance(one, Mapping) and name in one]
    flat = [part for one in values for part in (one if isinstance(one, list) else [one])]
    return [
        "" if one is None else _clean(one if isinstance(one, str) else json.dumps(one, default=str)) for one in flat
    ]


def _clean(text: str) -> str:
    """Return a text without what cannot be stored: lone surrogates become the replacement character."""
    text = text.replace("\r\n", "\n").replace("\0", "")
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _csv(file: Path, encoding: str) -> Iterator[Mapping[str, Any]]:
    with (
        open_source(file, other_encodings=True) as stream,
        io.TextIOWrapper(stream, encoding=encoding, errors="replace", newline="") as lines,
    ):
        before = csv.field_size_limit(_CELL)
        try:
            header = lines.readline()
            delimiter = "\t" if ".tsv" in file.name.lower() else _delimiter(header)
            reader = csv.DictReader(chain([header], lines), delimiter=delimiter, strict=True)
            reader.fieldnames = _distinct(reader.fieldnames or ())
            for row in reader:
                if None in row or None in row.values():
                    raise InputError(
                        "the row has more or fewer fields than the header",
                        file,
                        reader.line_num,
                        code="tables.bad_row_length",
                    )
                yield row
        except csv.Error as error:
            raise InputError(
                f"the row cannot be read ({error})", file, reader.line_num, code="tables.bad_row"
            ) from error
        finally:
            csv.field_size_limit(before)


def _delimiter(header: str) -> str:
    """Return what stands between the names of columns: a comma, unless there is none but one of the others."""
    return "," if "," in header else next((one for one in ";\t|" if one in header), ",")


def _excel(file: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of all sheets that have a first row of names."""
    with open_workbook(file) as book:
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # the size that a file states may be wrong
            rows = sheet.iter_rows(values_only=True)
            names = _distinct([str(cell).strip() if cell is not None else "" for cell in next(rows, ())])
            for row in rows:
                if any(cell is not None for cell in row):
                    yield {name: _date(cell) for name, cell in zip(names, row, strict=False)}


def _distinct(names: Sequence[str]) -> list[str]:
    """Return the names of columns, each of its own; one without a name has its number.

    >>> _distinct(["id", "", "note", "note"])
    ['id', 'column 2', 'note', 'note 2']
    """
    distinct = list[str]()
    for number, name in enumerate(names, 1):
        own = name or f"column {number}"
        distinct.append(next(one for one in chain((own,), (f"{own} {i}" for i in count(2))) if one not in distinct))
    return distinct


def _date(cell: object) -> object:
    """Return a cell; a date-time at midnight as a date, as Excel has no dates."""
    return cell.date() if isinstance(cell, datetime.datetime) and cell.time() == datetime.time() else cell


def _json_lines(file: Path) -> Iterator[Mapping[str, Any]]:
    with open_source(file) as stream:
        lines: Iterable[bytes] = stream
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _object(line, file, number)


def _json(file: Path) -> Iterator[Mapping[str, Any]]:
    with open_source(file) as stream:
        data = stream.read()
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        yield from _json_lines(file)  # many such files are JSON lines
        return
    if isinstance(value, dict) and isinstance(value.get("docs"), list):  # the OpenIE file of HippoRAG
        value = value["docs"]
    for number, row in enumerate(value if isinstance(value, list) else [value], 1):
        if not isinstance(row, dict):
            raise InputError(
                f"a document must be a JSON object, got {row!r:.80}", file, number, code="tables.row_not_an_object"
            )
        yield row


def _object(line: bytes, file: Path, number: int) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is not JSON ({error})", file, number, code="tables.not_json") from error
    if not isinstance(row, dict):
        raise InputError(
            f"a document must be a JSON object, got {row!r:.80}", file, number, code="tables.line_not_an_object"
        )
    return row


def _parquet(file: Path) -> Iterator[Mapping[str, Any]]:
    require_pyarrow(f"reading {file.name}")
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(file) as table:
            for batch in table.iter_batches(batch_size=256):
                yield from batch.to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            f"it is not a Parquet file that can be read ({error})", file, code="tables.not_parquet"
        ) from error
