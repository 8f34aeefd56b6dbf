"""Metrics of generated queries: what they return, beside what the gold query returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

_DIGITS = 6  # of numbers that are compared


def same_rows(gold: Sequence[Sequence[Any]], found: Sequence[Sequence[Any]], *, ordered: bool = False) -> bool:
    """Return whether two results are equal: as bags of rows, under some permutation of the columns.

    Numbers are compared with six significant digits, lists as bags. This is the execution accuracy of Feng et al.,
    CypherBench, ACL 2025.

    Args:
        gold: Rows of the gold query.
        found: Rows of the other query.
        ordered: Whether the order of the rows counts, as where the gold query orders them.

    >>> same_rows([("Kenya", 1), ("Uganda", 2)], [(2.0, "Uganda"), (1.0, "Kenya")])
    True
    """
    if len(gold) != len(found):
        return False
    if not gold:
        return True
    if len({len(row) for row in (*gold, *found)}) > 1:
        return False
    wanted, given = [list(map(_plain, row)) for row in gold], [list(map(_plain, row)) for row in found]
    target = [tuple(row) for row in wanted]
    for order in _permutations(wanted, given):
        rows = [tuple(row[i] for i in order) for row in given]
        if rows == target if ordered else Counter(rows) == Counter(target):
            return True
    return False


def jaccard(gold: Collection[object], found: Collection[object]) -> float:
    """Return the share of common members in all members of two sets; 1 if both are empty.

    >>> jaccard({1, 2}, {2, 3, 4})
    0.25
    """
    both, either = set(gold) & set(found), set(gold) | set(found)
    return len(both) / len(either) if either else 1.0


def _permutations(wanted: list[list[Any]], given: list[list[Any]]) -> Iterator[list[int]]:
    """Yield, for each way in which columns may correspond, the column of ``given`` for each column of ``wanted``."""
    n = len(wanted[0])
    columns = [Counter(row[i] for row in given) for i in range(n)]
    fits = [[i for i in range(n) if columns[i] == Counter(row[k] for row in wanted)] for k in range(n)]

    def extend(order: list[int]) -> Iterator[list[int]]:
        if len(order) == n:
            yield order
            return
        for i in fits[len(order)]:
            if i not in order:
                yield from extend([*order, i])

    return extend([])


def _plain(value: Any) -> Any:
    """Return a value that can be compared and hashed."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, list | tuple | set):
        return ("list", *sorted(map(repr, map(_plain, value))))
    if isinstance(value, dict):
        return ("map", *sorted((str(name), repr(_plain(part))) for name, part in value.items()))
    return str(value)
