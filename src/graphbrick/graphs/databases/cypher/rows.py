"""Rows of Cypher databases: the first of them, with plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from graphbrick.core.schema import Rows
from graphbrick.graphs.databases.cypher.values import plain_scalar


def first_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]], limit: int) -> Rows:
    """Return at most ``limit`` rows, and whether there are more; the others are not fetched."""
    taken = [tuple(row) for row in islice(rows, limit + 1)]
    return Rows(tuple(columns), taken[:limit], len(taken) > limit)


def plain_values(value: Any, convert: Callable[[Any], Any]) -> Any:
    """Return lists and maps with every value converted, and other values without types of the client."""
    value = plain_scalar(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [convert(part) for part in value]
    if isinstance(value, Mapping):
        return {str(name): convert(part) for name, part in value.items()}
    return value
