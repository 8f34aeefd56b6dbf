"""Execution accuracy and Jaccard, with known answers."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick import build
from graphbrick.core.errors import UnavailableError
from graphbrick.core.schema import Rows
from graphbrick.graphs.queries.provenance import NoProvenanceError
from graphbrick.study.metrics.execution import jaccard, provenance, query_scores, same_rows


def test_bags_of_rows_under_a_permutation_of_columns() -> None:
    assert same_rows([(1, "a"), (2, "b")], [("b", 2), ("a", 1)])
    assert not same_rows([(1, "a"), (2, "b")], [("a", 2), ("b", 1)])
    assert not same_rows([(1,), (1,)], [(1,)])
    assert not same_rows([(1,), (1,), (2,)], [(1,), (2,), (2,)])
    assert not same_rows([(1,)], [(1, 1)])
    assert same_rows([], [])
    assert same_rows([([1, 2], 1 / 3)], [([2, 1], 0.33333333)])
    assert same_rows([("1999",)], [(1999,)])  # a year as the name of a node, and as a value
    assert not same_rows([("1e3",)], [(1000,)])
    assert not same_rows([(True,)], [(None,)])


def test_order_counts_where_the_gold_orders() -> None:
    assert same_rows([(1, 9), (2, 8)], [(9, 1), (8, 2)], ordered=True)
    assert not same_rows([(1,), (2,)], [(2,), (1,)], ordered=True)


_ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), max_size=4)


@given(_ROWS, _ROWS)
def test_equals_the_definition(gold: list[tuple[int, ...]], found: list[tuple[int, ...]]) -> None:
    plain = any(
        Counter(tuple(row[i] for i in order) for row in found) == Counter(gold)
        for order in itertools.permutations(range(3))
    )
    assert same_rows(gold, found) == plain


def test_jaccard() -> None:
    assert (jaccard([1, 1, 2], [2]), jaccard([], []), jaccard([1], [])) == (0.5, 1.0, 0.0)


def test_many_alike_columns_are_compared_at_once() -> None:
    rows = [tuple((i >> k) & 1 for k in range(14)) for i in (5, 99, 1023, 77)]
    assert same_rows(rows, [row[::-1] for row in rows])
    changed = [*rows[:-1], tuple(1 - value for value in rows[-1])]
    assert not same_rows(rows, changed)
    assert not same_rows([(None,) * 14, (1, *[None] * 13)], [(None,) * 14, (2, *[None] * 13)])


def test_scores_of_written_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ladybug")
    triples = [("Kenya", "borders", name) for name in ("Uganda", "Somalia")] + [("Uganda", "borders", "Rwanda")]
    graph = build(triples, tmp_path / "africa.graph")
    kenya = "MATCH (a {label: 'Kenya'})-[:borders]->(b) RETURN b.label"
    scores = partial(query_scores, graph, kenya)
    assert scores(kenya.replace("b.label", "b.label AS x ORDER BY x")) == (1.0, 1.0, 1.0)
    assert scores(kenya.replace("Kenya", "Uganda")) == (1.0, 0.0, 0.25)  # Uganda of four countries
    assert scores("MATCH (a)-[:borders]->(b) RETURN b.label") == (1.0, 0.0, 0.75)
    assert scores("MATCH (a {label: 'Kenya'})-[:borders*1..1]->(b) RETURN b.label") == (1.0, 1.0, 1.0)
    assert scores("MATCH (a:Nothing) RETURN a") == (0.0, 0.0, None)
    assert scores("MATCH (a) DELETE a") == (0.0, 0.0, None)
    assert scores(None) == (0.0, 0.0, 0.0)
    assert scores(f"{kenya} UNION {kenya}") == (1.0, 1.0, 1.0)
    after = kenya.replace("RETURN b.label", "WITH b, count(a) AS n WHERE n = 1 RETURN b.label")
    assert scores(after) == (1.0, 1.0, None)
    assert query_scores(graph, after, kenya) == (1.0, 1.0, None)
    assert query_scores(graph, "MATCH (a:Nothing) RETURN a", kenya) == (1.0, None, None)
    in_order, other = (f"MATCH (b)<-[:borders]-() RETURN b.label ORDER BY b.label {way}" for way in ("ASC", "DESC"))
    assert query_scores(graph, in_order, other, ordered=True).execution_accuracy == 0.0
    assert query_scores(graph, in_order, other).execution_accuracy == 1.0
    monkeypatch.setattr("graphbrick.study.metrics.execution.MOST_ROWS", 1)
    assert scores(kenya) == (1.0, None, None)


def test_a_gold_query_with_too_many_rows_is_not_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ladybug")
    graph = build([("Kenya", "borders", name) for name in ("Uganda", "Somalia")], tmp_path / "africa.graph")
    monkeypatch.setattr("graphbrick.study.metrics.execution.MOST_ROWS", 1)
    gold = "MATCH (a {label: 'Kenya'})-[:borders]->(b) RETURN b.label"
    assert query_scores(graph, gold, gold).execution_accuracy is None
    assert query_scores(graph, gold, None).execution_accuracy is None


def test_lists_are_compared_by_their_members_in_any_order() -> None:
    assert same_rows([(["a", 1],)], [([1.0, "a"],)])
    assert not same_rows([(["a", 1],)], [(["a", 2],)])
    assert not same_rows([(["a"],)], [(None,)])


def test_values_are_compared_as_plain_values() -> None:
    assert same_rows([({"a": 1, "b": [2, 3]},)], [({"b": [3.0, 2], "a": "1"},)])
    assert not same_rows([({"a": 1},)], [({"a": 2},)])
    assert not same_rows([({"a": 1},)], [({"b": 1},)])
    assert same_rows([({1, 2},)], [((2, 1),)])
    assert same_rows([(True,), (None,)], [(None,), (True,)])
    assert not same_rows([(True,)], [("True",)])
    assert same_rows([("-0.50",)], [(-0.5,)])
    assert not same_rows([("Kenya",)], [("kenya",)])


def test_numbers_have_six_significant_digits() -> None:
    assert same_rows([(1234567,)], [(1234568,)])
    assert same_rows([(0.1234567,)], [(0.1234568,)])
    assert not same_rows([(123456,)], [(123457,)])
    assert not same_rows([(0.123456,)], [(0.123457,)])


def test_rows_of_different_widths_are_not_equal() -> None:
    assert not same_rows([(1,), (1, 2)], [(1,), (1, 2)])
    assert not same_rows([(1, 2)], [(1,)])
    assert same_rows([()], [()])


class Answers:
    """A graph that answers any query with the same rows."""

    language = "Cypher"

    def __init__(self, *rows: object, is_cut: bool = False) -> None:
        self._rows = Rows(("n",), [(row,) for row in rows], is_cut)

    def query(self, text: str, parameters: object, at_most: int) -> Rows:
        assert at_most == 10_000
        return self._rows


def test_the_nodes_of_a_query_are_the_keys_in_its_rows() -> None:
    query = "MATCH (a) RETURN a"
    assert provenance(Answers("a", None, ["b", "c"], ("a", "d")), query) == {"a", "b", "c", "d"}  # type: ignore[arg-type]
    assert provenance(Answers(None), query) == frozenset()  # type: ignore[arg-type]
    assert provenance(Answers(7), query) == {"7"}  # type: ignore[arg-type]
    with pytest.raises(NoProvenanceError):
        provenance(Answers("a", is_cut=True), query)  # type: ignore[arg-type]


def test_rows_that_are_cut_are_not_right() -> None:
    class Cut(Answers):
        def query(self, text: str, parameters: object, at_most: int) -> Rows:
            return self._rows._replace(is_cut="LIMIT" in text)

    query = "MATCH (a) RETURN a"
    scores = query_scores(Cut("a"), query, f"{query} LIMIT 1")  # type: ignore[arg-type]
    assert (scores.executable, scores.execution_accuracy) == (1.0, 0.0)


def test_a_database_that_does_not_answer_is_an_error() -> None:
    class Gone(Answers):
        def query(self, text: str, parameters: object, at_most: int) -> Rows:
            raise UnavailableError("gone")

    with pytest.raises(UnavailableError):
        query_scores(Gone(), "MATCH (a) RETURN a", None)  # type: ignore[arg-type]
