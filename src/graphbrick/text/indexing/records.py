"""The graph of the records of tables, beside that of their texts."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from graphbrick.core.properties.values import Kind, Properties, Raw, Value, read_value
from graphbrick.graphs.build.builder import GraphBuilder, Origin
from graphbrick.graphs.records.checked import checked_records
from graphbrick.graphs.records.records import BadRecords, EntityRecord
from graphbrick.graphs.store.beside_text import records_place
from graphbrick.text.documents.document import Record
from graphbrick.text.documents.store import TextStore

_BUILDER = "1"  # raise it when records become other entities
_SETTING = "records"
_SHOWN = 12  # columns


def build_records(store: TextStore, graph: Path) -> str:
    """Build the graph of the records of a store, unless it is up to date; remove it if there are none.

    Returns what a user should know: the columns that can be asked for; empty if nothing was built.

    Each record is an entity: its key is the address of its document, its name is title or key, its type is the name of
    the table, and its other columns are properties, typed as ``graphbrick build`` types them.

    Args:
        store: The store.
        graph: The folder of the graph of the texts.
    """
    place, state = records_place(graph), store.records_state()
    if not state:
        shutil.rmtree(place, ignore_errors=True)
        return ""
    if place.is_dir() and store.setting(_SETTING) == f"{_BUILDER} {state}":
        return ""
    store.set(_SETTING, "")
    bad = BadRecords()
    with GraphBuilder(place, source=Origin("Python records", may_be_empty=True), overwrite=True) as builder:
        for part in checked_records(_entities(store), bad):
            builder.add(part)
        records = builder.finish(bad)
    store.set(_SETTING, f"{_BUILDER} {state}")
    names = list(dict.fromkeys(column.name for column in records.property_columns()))
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"columns of tables that can be asked for: {', '.join(names[:_SHOWN])}{more}"


def _entities(store: TextStore) -> Iterator[EntityRecord]:
    for address, record in store.records():
        aliases = (record.key,) if record.key != record.name and not record.name.endswith(f" {record.key}") else ()
        kind = re.sub(r"[_\W]+", " ", record.table).strip() or record.table
        yield EntityRecord(address, record.name, aliases, (kind,), None, _properties(record))


def _properties(record: Record) -> Properties:
    values: dict[str, Value] = {}
    for name, value in record.values.items():
        if isinstance(value, str):
            values[name] = Raw(value) if record.is_raw else _typed(value)
        elif isinstance(value, list):
            values[name] = tuple(value)
        else:
            values[name] = value
    return values


def _typed(text: str) -> Value:
    """Return the date or date-time that a text is, as in JSON files; else the text."""
    for kind in (Kind.DATE, Kind.DATETIME):
        value = read_value(text, kind)
        if value is not None:
            return value
    return text
