"""Edges of KGTK files: values in their notation, names, and qualifiers, which are edges of edges."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence

from graphbrick.core.properties.values import Properties, Raw, Value
from graphbrick.graphs.readers.columns import EdgeColumns
from graphbrick.graphs.readers.fields import text_properties
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.readers.rows import Rows
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, Record

_NEAR = 1000  # edges within which a qualifier follows its edge
_TAGGED = re.compile(r"'(.*)'@([\w-]+)", re.DOTALL)
_MOMENT = re.compile(r"\^([+-]?\d+(?:-\d\d-\d\d)?)(T[^/]*)?(?:/(\d+))?")
_YEAR, _MONTH, _DAY = 9, 10, 11


def is_kgtk(header: Sequence[str]) -> bool:
    """Return whether a header is that of a KGTK file of edges."""
    return {"node1", "label", "node2"} <= {cell.strip() for cell in header}


def kgtk_value(text: str) -> tuple[str, str]:
    """Return a value of KGTK as people write it, and its language.

    >>> kgtk_value("'Ada'@en"), kgtk_value('"a text"'), kgtk_value("^1970-01-02T00:00:00Z/11"), kgtk_value("Q42")
    (('Ada', 'en'), ('a text', ''), ('1970-01-02', ''), ('Q42', ''))
    """
    tagged = _TAGGED.fullmatch(text)
    if tagged:
        return tagged[1].replace("\\'", "'"), tagged[2]
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"'), ""
    moment = _MOMENT.fullmatch(text)
    if moment is None:
        return text, ""
    day, time, precision = moment[1].removeprefix("+"), moment[2] or "", int(moment[3] or 0)
    if precision in (_YEAR, _MONTH):
        return day.rsplit("-", _DAY - precision)[0], ""
    return day + ("" if precision == _DAY else time), ""


def kgtk_records(rows: Rows, columns: EdgeColumns, reading: FileReading, name: str) -> Iterator[Record]:
    """Yield the records of a KGTK file.

    The relations ``label``, ``alias`` and ``description`` are names and descriptions of nodes. A qualifier that comes
    at most 1,000 edges after its edge is a property of it.
    """
    properties = text_properties(columns.fields, reading.left_out, name)
    relation_place = columns.relation or 0
    pending: OrderedDict[str, EdgeRecord] = OrderedDict()
    for _, cells in rows:
        head, relation = cells[columns.head].strip(), cells[relation_place].strip()
        tail, language = kgtk_value(cells[columns.tail].strip())
        stated = properties(cells)
        if head in pending:
            _leave(stated, reading)
            edge = pending[head]
            values: dict[str, Value] = dict(edge.properties)
            values[relation] = _both(values.get(relation), tail)
            pending[head] = EdgeRecord(*edge.triple, values)
            continue
        fact = _fact(head, relation, tail, language, reading.options.language)
        if fact is not None:
            _leave(stated, reading)
            yield fact
            continue
        values = dict(stated)
        key = str(values.get("id", ""))
        if not values:
            yield head, relation, tail
        elif not key:
            yield EdgeRecord(head, relation, tail, values)
        else:
            if key in pending:  # ids that are not unique
                yield pending.pop(key)
            pending[key] = EdgeRecord(head, relation, tail, values)
            if len(pending) > _NEAR:
                yield pending.popitem(last=False)[1]
    yield from pending.values()


def _leave(properties: Properties, reading: FileReading) -> None:
    """Count the properties of a name, a description or a qualifier."""
    for name in properties:
        reading.left_out.add("ids and properties of names, descriptions and qualifiers", name)


def _both(value: Value | None, other: str) -> Value:
    """Return a value with a further one."""
    if value is None:
        return Raw(other)
    return (*value, other) if isinstance(value, tuple) else (value, other)


def _fact(head: str, relation: str, text: str, language: str, preferred: str) -> EntityRecord | None:
    """Return the name or description that an edge states; None for an edge between nodes."""
    if relation == "label" and (not language or language == preferred):
        return EntityRecord(head, text, may_be_relation=True)
    if relation in ("label", "alias"):
        return EntityRecord(head, aliases=(text,), may_be_relation=True)
    return EntityRecord(head, description=text, may_be_relation=True) if relation == "description" else None
