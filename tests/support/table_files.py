"""Tables of nodes and edges that tests write and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphbrick.graphs.readers import ReadOptions, read_source, understood
from graphbrick.graphs.records.records import BadRecords, EdgeRecord, EntityRecord, LeftOut, Record


class Reading:
    """What is read from a file or folder: records, and what is left out.

    Args:
        source: The file or folder.
        nodes: A table of nodes beside it.
        skip: Whether bad records are skipped.
        **options: Fields of `ReadOptions`.
    """

    def __init__(self, source: Path, nodes: Path | None = None, *, skip: bool = False, **options: Any) -> None:
        self.left_out, self.bad = LeftOut(), BadRecords(skip=skip)
        chosen = ReadOptions(**options)
        self.told = understood(source, nodes=nodes, options=chosen)
        records = read_source(source, nodes=nodes, options=chosen, bad=self.bad, left_out=self.left_out)
        self.records: list[Record] = list(records)

    @property
    def nodes(self) -> list[EntityRecord]:
        return [record for record in self.records if isinstance(record, EntityRecord)]

    @property
    def edges(self) -> list[Record]:
        return [record for record in self.records if isinstance(record, tuple | EdgeRecord)]

    @property
    def properties(self) -> list[dict[str, Any]]:
        """The properties of the nodes in order."""
        return [dict(record.properties) for record in self.nodes]


def write_all(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder and return the folder."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def one_file(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file into a folder and return the file."""
    return write_all(folder, {name: content}) / name


def workbook(file: Path, sheets: Mapping[str, Sequence[Sequence[object]]]) -> Path:
    """Write an Excel workbook of sheets by title, and return it."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(file)
    return file
