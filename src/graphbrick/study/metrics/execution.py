"""Metrics of generated queries: their rows and matched nodes, beside those of the gold query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from graphbrick.core.errors import GraphbrickError, UnavailableError
from graphbrick.core.graph import QueryLanguage
from graphbrick.core.schema import Rows
from graphbrick.graphs.queries.provenance import NoProvenanceError, node_queries

T = TypeVar("T")

MOST_ROWS = 10_000
"""Rows of a query that are compared; a gold query with more is not scored."""
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_DIGITS = 6  # of numbers that are compared


class QueryScores(NamedTuple):
    """Measures of one written query, each in [0, 1]; None if it cannot be scored.

    Attributes:
        executable: 1 if the query runs.
        execution_accuracy: 1 if it gives the rows of the gold query (`same_rows`). None if the gold query cannot be run
            or has more than 10,000 rows.
        provenance_jaccard: Share of common nodes in all nodes that the two queries match (`provenance`); 0 if no query
            was written. None if one of the queries cannot be rewritten.
    """

    executable: float | None
    execution_accuracy: float | None
    provenance_jaccard: float | None


def same_rows(gold: Sequence[Sequence[Any]], found: Sequence[Sequence[Any]], *, ordered: bool = False) -> bool:
    """Return whether two results are equal: as bags of rows, under some permutation of the columns.

    Numbers are compared with six significant digits, lists as bags. A text that writes a number is that number: a year
    may be the name of a node and the value of a property. This is the execution accuracy of Feng et al., CypherBench,
    ACL 2025.

    Args:
        gold: Rows of the gold query.
        found: Rows of the other query.
        ordered: Whether the order of the rows counts, as where the gold query orders them.

    >>> same_rows([("Kenya", 1), ("Uganda", 2)], [(2.0, "Uganda"), (1.0, "Kenya")])
    True
    >>> same_rows([("1999",)], [(1999,)]), same_rows([("007",)], [(7,)])
    (True, False)
    """
    if len(gold) != len(found):
        return False
    if not gold:
        return True
    if len({len(row) for row in (*gold, *found)}) > 1:
        return False
    wanted, others = [list(map(_plain, row)) for row in gold], [list(map(_plain, row)) for row in found]
    target = [tuple(row) for row in wanted]
    for order in _permutations(wanted, others):
        rows = [tuple(row[i] for i in order) for row in others]
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


def provenance(graph: QueryLanguage, text: str) -> frozenset[str]:
    """Return the nodes that a query matches, by their keys (`graphbrick.graphs.queries.provenance`).

    Raises:
        NoProvenanceError: The query cannot be rewritten so that it returns its nodes, or they are more than 10,000.
        GraphbrickError: The query cannot be run.
    """
    queries, named = node_queries(text, graph.language)
    nodes = set[str]()
    for query in queries:
        rows = graph.query(query, {}, MOST_ROWS)
        if rows.is_cut:
            raise NoProvenanceError(f"the query matches more than {MOST_ROWS:,} nodes")
        for (value,) in rows.rows:
            nodes.update(map(str, value) if isinstance(value, list | tuple) else () if value is None else (str(value),))
    return frozenset(nodes | named) if nodes else frozenset()


def query_scores(graph: QueryLanguage, gold: str, written: str | None, *, ordered: bool = False) -> QueryScores:
    """Return the measures of a written query.

    Args:
        graph: The graph.
        gold: The gold query.
        written: The query that was run; None if none could be.
        ordered: Whether the gold query orders its rows.

    Raises:
        UnavailableError: The database does not answer.
    """

    def measured(query: str) -> tuple[Rows | None, frozenset[str] | None]:
        return _tried(lambda: graph.query(query, {}, MOST_ROWS)), _tried(lambda: provenance(graph, query))

    gold_rows, gold_nodes = measured(gold)
    if gold_rows is not None and gold_rows.is_cut:
        gold_rows = None
    if written is None:
        return QueryScores(0.0, None if gold_rows is None else 0.0, None if gold_nodes is None else 0.0)
    rows, nodes = measured(written)
    accuracy, shared = None, None
    if gold_rows is not None:
        is_right = rows is not None and not rows.is_cut and same_rows(gold_rows.rows, rows.rows, ordered=ordered)
        accuracy = float(is_right)
    if gold_nodes is not None and nodes is not None:
        shared = jaccard(gold_nodes, nodes)
    return QueryScores(float(rows is not None), accuracy, shared)


def _tried(call: Callable[[], T]) -> T | None:
    """Return the result of a call to the database; None if the query cannot be run or rewritten."""
    try:
        return call()
    except UnavailableError:
        raise
    except GraphbrickError:
        return None


def _permutations(wanted: list[list[Any]], rows: list[list[Any]]) -> Iterator[list[int]]:
    """Yield each possible order of the columns of ``rows`` that matches the columns of ``wanted``.

    Columns that are equal row by row are tried once, and a beginning is given up when its bag of rows differs.
    """
    n = len(wanted[0])
    columns = [tuple(row[i] for row in rows) for i in range(n)]

    def extend(order: list[int]) -> Iterator[list[int]]:
        if len(order) == n:
            yield order
            return
        target, tried = Counter(tuple(row[: len(order) + 1]) for row in wanted), set[tuple[Any, ...]]()
        for i in range(n):
            if i not in order and columns[i] not in tried:
                tried.add(columns[i])
                if Counter(tuple(row[k] for k in (*order, i)) for row in rows) == target:
                    yield from extend([*order, i])

    return extend([])


def _plain(value: Any) -> Any:
    """Return a value that can be compared and hashed."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, int | float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, list | tuple | set):
        return ("list", *sorted(map(repr, map(_plain, value))))
    if isinstance(value, dict):
        return ("map", *sorted((str(name), repr(_plain(part))) for name, part in value.items()))
    return str(value)
