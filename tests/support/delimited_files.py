"""Delimited files that tests write and read."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers import ReadOptions, read_source
from graphbrick.graphs.records.records import BadRecords, Record

KENYA = [("Kenya", "capital", "Nairobi"), ("Kenya", "currency", "Kenyan shilling")]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    data = content.encode() if isinstance(content, str) else content
    file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return file


def read(file: Path, bad: BadRecords | None = None, nodes: Path | None = None, **options: Any) -> list[Record]:
    chosen = ReadOptions(**options)
    return list(read_source(file, nodes=nodes, options=chosen, bad=bad or BadRecords()))


def fault(file: Path, **options: Any) -> InputError:
    """Return the error that reading stops with."""
    with pytest.raises(InputError) as caught:
        read(file, **options)
    return caught.value


def skipped(file: Path, **options: Any) -> tuple[list[Record], list[tuple[int | None, str]]]:
    """Return the records that are read when bad ones are skipped, and (line, code) of the bad ones."""
    bad = BadRecords(skip=True)
    records = read(file, bad, **options)
    assert bad.count == len(bad.errors)
    assert all(error.file == file for error in bad.errors)
    return records, [(error.line, error.code) for error in bad.errors]
