"""Tables of JSON: arrays of records, lines of records, and lists of records within an object."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.fields import cell_text, one_of
from graphbrick.graphs.readers.folders import stem
from graphbrick.graphs.readers.formats.content import told_by_content
from graphbrick.graphs.readers.formats.json_elements import EDGES, NODES, is_record, record_fields
from graphbrick.graphs.readers.formats.json_stream import JsonPath, JsonStream
from graphbrick.graphs.readers.formats.values import json_property
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.relational.tables import Rows, SourceTable
from graphbrick.graphs.readers.streams import open_source, unpacked_name
from graphbrick.graphs.records.records import LeftOut

SUFFIXES = (".json", ".jsonl", ".ndjson")
"""The suffixes of files that may hold records as JSON."""

_DEEPEST = 2  # names before a list of records: {"data": {"items": [...]}}
_GRAPH_PARTS = {*NODES, *EDGES}
_KEY = "key"
_SAMPLE_ROWS = 1 << 10
_GENERIC = frozenset(
    "data items item results result records record rows row features entries values list response content".split()
)
"""Names of lists that say nothing of what they hold; the table is then called as the file."""


class _Found:
    """The records of one list: their names in order of appearance, and some rows."""

    def __init__(self) -> None:
        self.columns: dict[str, None] = {}
        self.samples: list[dict[str, Any]] = []

    def add(self, record: dict[str, Any]) -> None:
        """Add the fields of a record."""
        self.columns.update(dict.fromkeys(record))
        if len(self.samples) < _SAMPLE_ROWS:
            self.samples.append(record)


def json_tables(file: Path, reading: FileReading, notes: LeftOut) -> list[SourceTable]:
    """Return the lists of records of a JSON file as tables; none if it holds a graph, triples or anything else.

    The whole file is read once: an edge may come after any number of records.

    Args:
        file: A file of JSON, or of lines of JSON.
        reading: How to read it.
        notes: Receives what stands beside the lists.
    """
    try:
        return _lists(file, reading, notes) or _map(file, reading)
    except _NoRecords:
        return []
    except InputError:
        return []  # which the reader of graphs reports


class _NoRecords(Exception):  # noqa: N818 - no error, the file holds something else
    """A file holds a graph, triples or anything else but records."""


def _lists(file: Path, reading: FileReading, notes: LeftOut) -> list[SourceTable]:
    """Return the lists of records of a file; none if it has no lists."""
    found: dict[JsonPath, _Found] = {}
    others: list[str] = []
    for path, value, _ in _values(file, reading, _opens):
        is_deep = isinstance(value, dict | list) or len(path) > _DEEPEST
        if path in ((), (None,)) and not isinstance(value, dict):
            raise _NoRecords
        if is_deep and not _GRAPH_PARTS.isdisjoint(path[:-1]):
            raise _NoRecords
        if path and path[-1] is None and isinstance(value, dict):
            if not is_record(value):
                raise _NoRecords
            found.setdefault(path, _Found()).add(record_fields(value))
        elif value not in (None, "", [], {}):
            others.append(" ".join(name for name in path if name is not None))
    for name in others if found else ():
        notes.add(f"parts of {file.name} beside its lists of records", name)
    return [_table(file, path, rows, len(found) == 1) for path, rows in found.items() if rows.columns]


def _map(file: Path, reading: FileReading) -> list[SourceTable]:
    """Return an object whose members are all records with a common field, called by their keys, as a table."""
    found, shared = _Found(), set[str]()
    for path, value, _ in _values(file, reading, _opens_whole):
        if len(path) != 1 or not isinstance(value, dict) or path[0] in _GRAPH_PARTS or not is_record(value):
            return []
        shared = shared & value.keys() if found.samples else set(value)
        found.add(_keyed(value, path[0]))
    return [_table(file, (), found, True)] if shared and len(found.samples) > 1 else []


def _keyed(value: dict[str, Any], name: str | None) -> dict[str, Any]:
    """Return the fields of a record that an object holds by name; the name is its key."""
    fields = record_fields(value)
    return {_KEY if _KEY not in fields else "key of the record": name, **fields}


def _table(file: Path, path: JsonPath, found: _Found, is_single: bool) -> SourceTable:
    named = " ".join(name for name in path if name is not None)
    last = next((name for name in reversed(path) if name is not None), "")
    says_nothing = last.casefold() in _GENERIC or not any(letter.isalpha() for letter in last)
    name = stem(file) if says_nothing and is_single else last or stem(file)
    columns = tuple(found.columns)
    quiet = LeftOut()
    samples = [[_sample(fields.get(column), quiet) for column in columns] for fields in found.samples]

    def rows(reading: FileReading) -> Rows:
        number = 0
        for other, value, line in _values(file, reading, _opens if path else _opens_whole):
            if path and other != path:
                continue
            number += 1
            if not isinstance(value, dict):
                reason = f"an element of {named or file.name} is no record, as the others are"
                text = json.dumps(value, ensure_ascii=False)[:200]
                reading.bad.add(InputError(reason, file, line or None, text, code="related.no_record"))
                continue
            fields = record_fields(value) if path else _keyed(value, other[0])
            yield line or number, [json_property(fields.get(column), reading.left_out) for column in columns]

    title = file.name if not named else f"{named} of {file.name}"
    return SourceTable(file, name, title, columns, samples, rows, True)


def _sample(value: object, left_out: LeftOut) -> str:
    plain = json_property(value, left_out)
    return one_of(cell_text(plain))


def _values(
    file: Path, reading: FileReading, opens: Callable[[JsonPath], bool]
) -> Iterator[tuple[JsonPath, object, int]]:
    """Yield (path, value, line) of the values of a file; the line is 0 in a document, where counting takes time.

    Raises:
        InputError: A document that is not JSON; a line that is not, unless ``bad`` skips it.
    """
    if told_by_content(file, Path(unpacked_name(file)).suffix.removeprefix(".")) in ("jsonl", "ndjson"):
        for number, text in reading.lines(file):
            if text.strip():
                try:
                    yield (None,), json.loads(text), number
                except (json.JSONDecodeError, RecursionError) as error:
                    reason = f"the line is not JSON: {error}"
                    reading.bad.add(InputError(reason, file, number, text, code="related.bad_json_line"))
        return
    with open_source(file, reading.meter) as stream:
        for path, value in JsonStream(stream, file, opens).values():
            yield path, value, 0


def _opens(path: JsonPath) -> bool:
    return len(path) <= _DEEPEST and None not in path


def _opens_whole(path: JsonPath) -> bool:
    return not path
