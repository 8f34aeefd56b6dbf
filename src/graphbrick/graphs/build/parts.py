"""The parts that a graph is built from: blocks and records of files, and checked records from Python."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.graphs.build.prefetch import prefetched
from graphbrick.graphs.readers import ReadOptions, read_labels, read_parts
from graphbrick.graphs.readers.streams import Meter
from graphbrick.graphs.records.blocks import FactBlock, Part, TripleBlock
from graphbrick.graphs.records.records import BadRecords, EntityRecord, Record, RelationRecord
from graphbrick.graphs.records.rules import Rules

_TOGETHER = 1 << 10


def file_parts(
    triples: Path,
    nodes: Path | None,
    labels: Path | None,
    options: ReadOptions,
    rules: Rules,
    bad: BadRecords,
    meter: Meter,
) -> Iterator[Part]:
    """Yield the content of the files of a source, which another thread reads ahead.

    A missing file is an error at once, not at the first part.
    """
    named = iter(()) if labels is None else read_labels(labels, options, bad)
    read = read_parts(triples, nodes, options=options, bad=bad, labels=rules.label_iris, meter=meter)
    return chain.from_iterable(prefetched(_together(chain(named, read))))


def _together(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Yield the parts in lists, as passing each small part to another thread would cost more than reading it."""
    batch: list[Part] = []
    for part in parts:
        batch.append(part)
        if isinstance(part, TripleBlock | FactBlock) or len(batch) >= _TOGETHER:
            yield batch
            batch = []
    if batch:
        yield batch


def checked_records(records: Iterable[Record], bad: BadRecords) -> Iterator[Record]:
    """Yield records given from Python, after checking their types."""
    for number, record in enumerate(records, 1):
        if isinstance(record, EntityRecord | RelationRecord):
            fault = _record_fault(record)
            if fault:
                bad.add(InputError(f"{fault}, got {record!r}", line=number, text=repr(record)))
            else:
                yield record
        elif not isinstance(record, Sequence) or isinstance(record, str) or len(record) != 3:
            bad.add(InputError(f"a triple is (head, relation, tail), got {record!r}", line=number, text=repr(record)))
        elif not all(isinstance(part, str) and part.strip() for part in record):
            reason = f"head, relation and tail are texts that are not empty, got {record!r}"
            bad.add(InputError(reason, line=number, text=repr(record)))
        else:
            yield (record[0], record[1], record[2])


def _record_fault(record: EntityRecord | RelationRecord) -> str:
    """Return what is wrong with a record given from Python; empty if it is valid."""
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
    return ""
