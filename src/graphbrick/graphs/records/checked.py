"""Checks of records from code outside the package."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import kind_of
from graphbrick.graphs.records.records import BadRecords, EdgeRecord, EntityRecord, Record, RelationRecord


def checked_records(records: Iterable[Record], bad: BadRecords) -> Iterator[Record]:
    """Yield records from Python, after checking their types."""
    for number, record in enumerate(records, 1):
        fault = record_fault(record, number)
        if fault is not None:
            bad.add(fault)
        elif isinstance(record, EntityRecord | RelationRecord | EdgeRecord):
            yield record
        else:
            yield (record[0], record[1], record[2])


def record_fault(record: object, number: int | None = None) -> InputError | None:
    """Return the error about a record, with its number; None if the record is valid."""
    if isinstance(record, EntityRecord | RelationRecord):
        fault = _fact_fault(record)
        if not fault:
            return None
        return InputError(f"{fault}, got {record!r}", None, number, repr(record), code="record.bad_fact")
    if isinstance(record, EdgeRecord):
        fault = _property_fault(record.properties)
        if fault:
            return InputError(f"{fault}, got {record!r}", None, number, repr(record), code="record.bad_property")
        record = record.triple
    if not isinstance(record, Sequence) or isinstance(record, str) or len(record) != 3:
        reason = f"a triple is (head, relation, tail), got {record!r}"
        return InputError(reason, None, number, repr(record), code="record.not_a_triple")
    if not all(isinstance(part, str) and part.strip() for part in record):
        reason = f"head, relation and tail are texts that are not empty, got {record!r}"
        return InputError(reason, None, number, repr(record), code="record.empty_text")
    return None


def _fact_fault(record: EntityRecord | RelationRecord) -> str:
    """Return the fault of an entity or a relation; empty if it is valid."""
    if not isinstance(record.key, str) or not record.key.strip():
        return "a key is a text that is not empty"
    if isinstance(record, RelationRecord):
        return "" if isinstance(record.label, str) else "the label of a relation is a text"
    for name in ("label", "description"):
        if not isinstance(getattr(record, name), str | None):
            return f"{name} is a text or None"
    for name in ("aliases", "types"):
        values = getattr(record, name)
        is_list = isinstance(values, Collection) and not isinstance(values, str)
        if not is_list or not all(isinstance(value, str) for value in values):
            return f"{name} is a tuple of texts"
    return _property_fault(record.properties)


def _property_fault(properties: object) -> str:
    """Return the fault of the properties of an entity or triple; empty if they are valid."""
    if not isinstance(properties, Mapping):
        return "properties are a mapping from names to values"
    for name, value in properties.items():
        if not isinstance(name, str) or not name.strip():
            return "the name of a property is a text that is not empty"
        try:
            for one in value if isinstance(value, tuple) else (value,):
                kind_of(one)
        except TypeError as error:
            return f"the value of {name!r} is a text, number, boolean, date or date-time, or a tuple of these; {error}"
    return ""
