"""Values of SQL databases as values of tables: numbers, dates, texts and lists."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from graphbrick.graphs.readers.relational.sqlite import binary_values, dated
from graphbrick.graphs.readers.sql.found import FoundColumn
from graphbrick.graphs.records.records import LeftOut

_PLAIN = frozenset((int, float, bool, datetime.date, datetime.datetime, type(None)))


def _decimal(cell: Decimal) -> Any:
    """Return a decimal as a number where that keeps all of its digits, else as a text.

    >>> _decimal(Decimal("12.50")), _decimal(Decimal("7")), _decimal(Decimal("0.12345678901234567890"))
    (12.5, 7.0, '0.12345678901234567890')
    """
    if cell.is_nan():
        return None
    number = float(cell)
    return number if Decimal(repr(number)) == cell else str(cell)


def _short(cell: Any) -> Any:
    """Return a decimal of so few digits that a number keeps them all."""
    return float(cell) if isinstance(cell, Decimal) and not cell.is_nan() else cell


def _endless(cell: Any) -> Any:
    """Return the first and the last date of Python, by which DuckDB gives infinite ones, as texts."""
    if isinstance(cell, datetime.date):
        if cell.year == datetime.MAXYEAR and (cell.month, cell.day) == (12, 31):
            return "infinity"
        if cell.year == datetime.MINYEAR and (cell.month, cell.day) == (1, 1):
            return "-infinity"
    return cell


def _whole(cell: Any) -> Any:
    return int(cell) if isinstance(cell, Decimal) and cell.is_finite() and cell == cell.to_integral_value() else cell


def _flag(cell: Any) -> Any:
    return bool(cell) if cell in (0, 1) else cell


def _bits(cell: Any) -> Any:
    return int.from_bytes(cell, "big") if isinstance(cell, bytes) else cell


def _bit(cell: Any) -> Any:
    return bool(_bits(cell))


def _json(cell: Any) -> Any:
    """Return JSON that comes as text as what it says; text that is no JSON stays."""
    if not isinstance(cell, str):
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


def _set(cell: Any) -> Any:
    if isinstance(cell, str):
        return [part for part in cell.split(",") if part]
    return sorted(map(str, cell)) if isinstance(cell, set | frozenset) else cell


def _padded(cell: Any) -> Any:
    return cell.rstrip(" ") if isinstance(cell, str) else cell


def _dates(cell: Any) -> Any:
    """Return None for the dates 0000-00-00 of MySQL, which stand for none."""
    return None if isinstance(cell, str) and cell.startswith("0000-00-00") else cell


READERS: dict[str, Callable[[Any], Any]] = {
    "whole": _whole,
    "short": _short,
    "endless": _endless,
    "flag": _flag,
    "bits": _bits,
    "bit": _bit,
    "json": _json,
    "set": _set,
    "padded": _padded,
    "dates": _dates,
}
"""How values of a column are read that are not plain, by kind."""


def cells_reader(columns: Sequence[FoundColumn], title: str, left_out: LeftOut) -> Callable[[Sequence[Any]], list[Any]]:
    """Return the function that reads a row; values that are not kept are counted.

    Args:
        columns: The columns.
        title: What the table is called in reports.
        left_out: Receives binary values, and texts that are not UTF-8.
    """
    readers = [(column.name, READERS.get(column.kind)) for column in columns]

    def read(row: Sequence[Any]) -> list[Any]:
        cells = []
        for cell, (name, reader) in zip(row, readers, strict=True):
            if reader is not None and cell is not None:
                cell = reader(cell)
            kind = type(cell)
            if kind is str:
                cell = dated(cell)
            elif kind not in _PLAIN:
                cell = plain(cell, name, title, left_out)
            cells.append(cell)
        return cells

    return read


def plain(cell: Any, name: str, title: str, left_out: LeftOut) -> Any:
    """Return a value of a driver as a value of a table.

    Args:
        cell: The value.
        name: The name of its column.
        title: What the table is called in reports.
        left_out: Receives what is not kept.
    """
    if isinstance(cell, str):
        return dated(cell)
    if isinstance(cell, Decimal):
        return _decimal(cell)
    if isinstance(cell, bytes | bytearray | memoryview):
        left_out.add(binary_values(title), name)
        return None
    if isinstance(cell, list | tuple | set | frozenset):
        return [plain(part, name, title, left_out) for part in cell]
    if isinstance(cell, dict):
        return {key: plain(part, name, title, left_out) for key, part in cell.items()}
    if isinstance(cell, datetime.timedelta | datetime.time) or type(cell) in _PLAIN:
        return cell
    return str(cell)
