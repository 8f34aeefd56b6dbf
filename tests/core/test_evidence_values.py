"""Evidence as a value: what makes two of them equal."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick import Evidence, Passage, Path, Row, Subgraph
from graphbrick.core.compute import limited_by
from graphbrick.core.evidence import texts_of
from graphbrick.core.items import Entity
from graphbrick.core.path import PathPattern, Step, step_text
from graphbrick.testing import tiny_graph


def test_evidence_from_another_part_of_the_graph_is_equal() -> None:
    graph = tiny_graph()
    part = Subgraph(graph, np.array([0, 1], dtype=np.int32), np.empty(0, dtype=np.int32))
    assert Evidence((), part) == Evidence(()) == Evidence((), Subgraph(graph))
    assert "subgraph" not in repr(Evidence((), part))


def passages(*scores: float) -> tuple[Passage, ...]:
    return tuple(Passage(f"passage {number}", score=score) for number, score in enumerate(scores))


def test_counts_are_in_the_plural() -> None:
    items = (Entity(tiny_graph(), 0), Entity(tiny_graph(), 1), Passage("one"))
    assert Evidence(items).counts() == {"paths": 0, "entities": 2, "passages": 1}


def test_only_rows_with_an_answer_are_answers() -> None:
    assert Evidence((Passage("one"), Row(("answer", "plan"), ("3", "count")))).has_answers
    assert not Evidence((Passage("one"), Row(("answer",), ("3",)))).has_answers
    assert not Evidence().has_answers


def test_the_facts_of_the_evidence_before_are_carried() -> None:
    part = Subgraph(tiny_graph())
    items = passages(0.9, 0.5, 0.1)
    before = Evidence(items, part, "BM25()", 0.7, frozenset(["borders"]))
    same = Evidence(items[:2], symmetric=frozenset(["twin of"])).carry(before)
    assert (same.subgraph, same.scale, same.confidence) == (part, "BM25()", 0.7)
    assert same.symmetric == {"borders", "twin of"}
    assert same.items == items[:2]
    own = Evidence(items, None, "MiniLM()", 0.2).carry(before)
    assert (own.scale, own.confidence) == ("MiniLM()", 0.2)
    assert Evidence(items, confidence=0.0).carry(before).confidence == 0.0


@pytest.mark.parametrize(
    ("order", "scale", "confidence"),
    [
        ((0, 1, 2), "s", 0.7),
        ((0, 2), "s", 0.7),
        ((1, 2), "s", None),
        ((0, 2, 1), "", 0.7),
        ((2, 1, 0), "", None),
        ((), "s", None),
    ],
)
def test_scale_and_confidence_hold_while_order_and_first_item_do(
    order: tuple[int, ...], scale: str, confidence: float | None
) -> None:
    items = passages(0.9, 0.5, 0.1)
    after = Evidence(tuple(items[i] for i in order)).carry(Evidence(items, None, "s", 0.7))
    assert (after.scale, after.confidence) == (scale, confidence)


def test_items_with_new_scores_have_no_scale() -> None:
    items = passages(0.9, 0.5)
    assert Evidence((items[0].with_score(0.9), items[1])).carry(Evidence(items, None, "s", 0.7)).scale == ""
    assert Evidence(items).carry(Evidence(items, None, "")).scale == ""
    assert Evidence(items).carry(Evidence()).confidence is None


def test_a_union_holds_the_facts_of_all() -> None:
    graph = tiny_graph()
    none = np.empty(0, dtype=np.int32)
    parts = [Subgraph(graph, np.array(nodes, dtype=np.int32), none) for nodes in ([0, 1], [1, 4], [7])]
    first, second = passages(0.1, 0.2)
    one = Evidence((first,), parts[0], symmetric=frozenset("a"))
    two = Evidence((second,), parts[1], symmetric=frozenset("b"))
    empty = Evidence((), parts[2], "s", 0.9, frozenset("c"))
    both = one.union(two, empty)
    assert both.subgraph is not None
    assert both.subgraph.nodes is not None
    assert both.subgraph.nodes.tolist() == [0, 1, 4, 7]
    assert (both.symmetric, both.confidence, both.items) == ({"a", "b"}, None, (first, second))
    assert one.union(Evidence((second,))).subgraph is None
    assert Evidence((first,)).union(two).subgraph is None
    nothing = empty.union(Evidence((), parts[0]))
    assert nothing == Evidence()
    assert nothing.subgraph is not None
    assert nothing.subgraph.n_nodes == 3


def test_equal_scores_keep_the_order_of_the_evidences() -> None:
    a, b, c = passages(0.5, 0.5, 0.5)
    assert Evidence((b, a), scale="s").union(Evidence((c,), scale="s")).items == (b, a, c)
    assert Evidence((a, a, b)).union(Evidence((c,))).items == (a, c, b)


def test_the_limits_of_a_run_are_checked_while_texts_are_made() -> None:
    checks = list[None]()
    with limited_by(lambda: checks.append(None)):
        texts_of([Passage("x")] * 2049)
    assert len(checks) == 3


def test_the_parts_of_a_path_that_are_empty_are_left_out() -> None:
    assert step_text("a", "r", "b", forward=True) == "a -> r -> b"
    assert step_text("a", "r", "b", forward=False) == "a <- r <- b"
    assert step_text("", "r", "b", forward=True) == "-> r -> b"
    assert step_text("a", "", "b", forward=True) == "a -> -> b"
    assert step_text("a", "r", "", forward=True) == "a -> r ->"


def test_texts_of_paths_continue_those_of_their_beginnings() -> None:
    graph = tiny_graph()
    first, second = list(graph.triples_from(0))[:2]
    one, other = (graph.triple(triple)[2] for triple in (first, second))
    begin = Path(graph, (one, 0), (first,), (False,))
    whole = Path(graph, (one, 0, other), (first, second), (False, True), prefix=begin)
    back = Path(graph, (one, 0, one), (first, first), (False, True), prefix=begin)
    plain = [Path(graph, path.nodes, path.triples, path.forward) for path in (begin, whole, back)]
    assert texts_of([begin, whole, back]) == [path.text for path in plain]
    assert [path.text for path in (whole, back)] == [path.text for path in plain[1:]]
    assert [path.pattern for path in (whole, back)] == [path.pattern for path in plain[1:]]
    assert [path.pattern_text for path in (whole, back)] == [path.pattern_text for path in plain[1:]]
    assert (whole.hops, whole.start, whole.end, whole.entities) == (2, one, other, (0, other))
    assert [step.back for step in back.steps] == [False, True]
    assert (whole.comes_back, back.comes_back, begin.score, begin.source) == (False, True, 0.0, "")


def test_a_pattern_has_its_types_or_empty_ones() -> None:
    steps = (Step("capital", True), Step("currency", False))
    pattern = PathPattern("Kenya", steps, lambda: "Kenya -> capital", lambda: ("city", "money"))
    assert (pattern.text, pattern.pattern_text) == ("Kenya -> capital", "Kenya -> capital")
    assert pattern.types == ("city", "money")
    assert PathPattern("Kenya", steps, lambda: "").types == ("", "")
    assert not steps[0].back
