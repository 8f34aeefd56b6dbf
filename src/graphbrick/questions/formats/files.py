"""Readers of question files: JSON lines, JSON documents, delimited tables, Parquet.

Text files may be compressed with gzip or Zstandard.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from itertools import chain
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.core.files.parquet import require_pyarrow
from graphbrick.graphs.readers.delimited import read_rows
from graphbrick.graphs.readers.streams import PACKED, blocks, line_fault, open_source, text_lines, whole_lines
from graphbrick.graphs.records.records import BadRecords
from graphbrick.questions.formats.record import Record

# In some published files the line of each question contains a whole subgraph.
_LONGEST_LINE = 1 << 28
_PARQUET_ROWS = 256
_BLANKS = re.compile(r"\s*")
_LISTS = ("Questions", "questions")
_QUESTIONS = re.compile(r'"[Qq]uestions"\s*:\s*\[')

LEFT_OUT = ("graph", "choices")
"""Columns of Parquet files that are never read: the subgraph of each question, and columns that are always empty."""


def read_lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield (1-based number, text) for each line that is not blank.

    Raises:
        InputError: The file cannot be read, or a line is not UTF-8.
    """
    for first, data in blocks(file, _LONGEST_LINE, BadRecords()):
        for number, (line, fault) in enumerate(text_lines(data), first):
            if fault:
                raise InputError(fault, file, number, line, code="questions.bad_line")
            if line.strip():
                yield number, line


def read_json(file: Path) -> Iterator[Record]:
    """Yield the objects of JSON lines, a JSON list, or the list ``Questions`` of one object.

    Raises:
        InputError: The file cannot be read, or is not JSON; the error gives the line.
    """
    lines = read_lines(file)
    first = next(lines, None)
    if first is None:
        return
    if _is_object(first[1]):
        yield from _json_lines(file, chain([first], lines))
    elif re.fullmatch(r"\.(jsonl|ndjson)", _suffix(file)) and not first[1].lstrip().startswith("["):
        yield _object(file, *first, 0)  # raises the error that says what is wrong
    else:
        yield from _document(file)


def _suffix(file: Path) -> str:
    name = Path(file.stem) if file.suffix.lower() in PACKED else file
    return name.suffix.lower()


def _is_object(line: str) -> bool:
    """Return whether a line is a single record, not a whole document written in one line."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not any(isinstance(value.get(name), list) for name in _LISTS)


def _json_lines(file: Path, lines: Iterator[tuple[int, str]]) -> Iterator[Record]:
    for number, (line, text) in enumerate(lines):
        yield _object(file, line, text, number)


def _object(file: Path, line: int, text: str, number: int) -> Record:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"not JSON: {_reason(error)}; each line is one object", file, line, text, code="questions.not_json"
        ) from error
    if not isinstance(value, dict):
        raise InputError(
            "the line is JSON, but not an object; each line is one object",
            file,
            line,
            text,
            code="questions.line_not_an_object",
        )
    return Record(file, line, number, value)


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _document(file: Path) -> Iterator[Record]:
    """Yield the objects of one JSON list, or of the list ``Questions`` of one object."""
    with open_source(file) as stream:
        data = stream.read()
    if line_fault(data):
        number, fault = next((n, line_fault(line)) for n, line in enumerate(whole_lines(data), 1) if line_fault(line))
        raise InputError(fault, file, number, code="questions.bad_document_line")
    text = data.decode()
    start = _after_blanks(text, 0)
    if text[start] == "{":
        match = _QUESTIONS.search(text)
        if match is None:
            _parse(file, text)
            raise InputError(
                "the file is one JSON object without a list of Questions; write one question a line",
                file,
                1,
                code="questions.one_object",
            )
        start = match.end() - 1
    elif text[start] != "[":
        _parse(file, text)
        raise InputError(
            "the file is JSON, but neither a list nor objects; write one question a line",
            file,
            1,
            code="questions.not_objects",
        )
    end = yield from _elements(file, text, start + 1)
    _parse(file, f"{text[:start]}[]", text, end)


def _parse(file: Path, before: str, text: str = "", end: int = 0) -> None:
    """Check that ``before``, followed by ``text`` from ``end`` on, is one JSON value.

    Raises:
        InputError: It is not valid JSON; the error gives the line in the file.
    """
    try:
        json.loads(before + text[end:])
    except (ValueError, RecursionError) as error:
        line = None
        if isinstance(error, json.JSONDecodeError):
            line = error.lineno
            if error.pos >= len(before):  # the parsed text lacks the lines of the list
                line = 1 + text.count("\n", 0, end + error.pos - len(before))
        reason = (
            "there is more text after the list or object" if _reason(error).startswith("Extra data") else _reason(error)
        )
        raise InputError(
            f"not JSON: {reason}; a file is one list, or one object a line", file, line, code="questions.not_one_value"
        ) from error


def _elements(file: Path, text: str, at: int) -> Generator[Record, None, int]:
    """Yield the objects of a list with their lines; return the position after the list.

    ``at`` is the position after the opening bracket.
    """
    decoder = json.JSONDecoder()
    line, counted, number = 1, 0, 0
    at = _after_blanks(text, at)
    while text[at : at + 1] != "]":
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            line = error.lineno if isinstance(error, json.JSONDecodeError) else line
            raise InputError(
                f"not JSON: {_reason(error)}; is the file cut short?", file, line, code="questions.cut_json"
            ) from error
        if not isinstance(value, dict):
            raise InputError(
                "the list holds a value that is not an object; each question is one object",
                file,
                line,
                code="questions.value_not_an_object",
            )
        yield Record(file, line, number, value)
        number += 1
        at = _after_blanks(text, at)
        if text[at : at + 1] == ",":
            at = _after_blanks(text, at + 1)
        elif text[at : at + 1] != "]":
            line += text.count("\n", counted, at)
            raise InputError(
                "not JSON: a comma or ] is missing here; is the file cut short?", file, line, code="questions.no_comma"
            )
    return at + 1


def _after_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    assert blanks is not None
    return blanks.end()


def read_table(file: Path, delimiter: str) -> Iterator[Record]:
    """Yield the rows of delimited text; the first row holds the column names.

    Raises:
        InputError: The file cannot be read, a column name is empty or used twice, or a row is too long or too short.
    """
    if delimiter == "," and not any("," in line for _, line in _first(file)):
        delimiter = ";"  # spreadsheets use this in locales with a decimal comma
    names: list[str] = []
    number = 0
    for line, cells in read_rows(file, delimiter, _LONGEST_LINE, BadRecords()):
        if not names:
            names = [cell.strip().casefold() for cell in cells]
            bad = next((name for i, name in enumerate(names) if not name or name in names[:i]), None)
            if bad is not None:
                what = f"two columns are called {bad!r}" if bad else "a column has no name"
                raise InputError(f"{what}; the first row names the columns", file, line, code="questions.bad_columns")
            continue
        if len(cells) != len(names):
            raise InputError(
                f"the row has {len(cells)} columns, but the first row names {len(names)}",
                file,
                line,
                code="questions.bad_row_length",
                n=len(cells),
            )
        yield Record(file, line, number, dict(zip(names, cells, strict=True)), is_table=True)
        number += 1


def _first(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the first line of a file."""
    for entry in read_lines(file):
        yield entry
        return


def read_parquet(file: Path) -> Iterator[Record]:
    """Yield the rows of a Parquet file, without the columns `LEFT_OUT`.

    Raises:
        InputError: The file is not Parquet.
        ModelError: pyarrow is not installed.
    """
    require_pyarrow(f"reading {file.name}")
    import pyarrow
    from pyarrow import parquet

    number = 0
    try:
        with parquet.ParquetFile(file) as table:
            names = [name for name in table.schema_arrow.names if name not in LEFT_OUT]
            for batch in table.iter_batches(_PARQUET_ROWS, columns=names):
                for row in batch.to_pylist():
                    yield Record(file, number + 1, number, row)
                    number += 1
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"not a Parquet file that can be read: {error}", file, code="questions.not_parquet") from error
