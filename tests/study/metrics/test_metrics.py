"""Measures of answers on cases that can be checked by hand, and against references."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.study.metrics.matching import maximum_matching
from graphbrick.study.metrics.sets import answer_scores, gold_sets, harmonic

few = st.integers(0, 9)
alternatives = st.lists(st.one_of(few, st.none(), st.lists(few, max_size=3).map(tuple)), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("answers", "gold", "expected"),
    [
        ([], ["a"], (0, 0, 0, 0, 0, 0)),
        (["a"], ["a"], (1, 1, 1, 1, 1, 1)),
        (["b", "a"], ["a"], (1, 0, 0, 0.5, 1, 2 / 3)),
        (["a", "a", "b"], ["a", "c"], (1, 1, 0, 0.5, 0.5, 0.5)),
        (["x"], ["a", "b"], (0, 0, 0, 0, 0, 0)),
        (["b", "a"], {"a", "b"}, (1, 1, 1, 1, 1, 1)),
        # What names no entity is wrong, each time, and is not what is missing from the graph.
        ([None, 1, None], [1, None], (1, 0, 0, 1 / 3, 0.5, 0.4)),
        ([None], [None], (0, 0, 0, 0, 0, 0)),
        ([1], [1, None, None], (1, 1, 0, 1, 1 / 3, 0.5)),
        # A label that two entities have: either will do, but only one of them.
        ([5], [(5, 9), ()], (1, 1, 0, 1, 0.5, 2 / 3)),
        ([5, 9], [(5, 9)], (1, 1, 0, 0.5, 1, 2 / 3)),
        # Taking 5 for the first answer would leave none for the second.
        ([5, 9], [(5, 9), 5], (1, 1, 1, 1, 1, 1)),
        # Two names of one entity are one answer.
        ([5], [(5,), (5,), 5], (1, 1, 1, 1, 1, 1)),
    ],
)
def test_known_values(answers, gold, expected):
    assert answer_scores(answers, gold) == pytest.approx(expected)


@pytest.mark.parametrize(("answers", "gold"), [(["a"], []), ([], ())])
def test_no_gold_is_an_error_and_not_a_score(answers, gold):
    with pytest.raises(ValueError, match="without gold answers"):
        answer_scores(answers, gold)


def test_a_text_is_not_a_collection_of_answers():
    with pytest.raises(TypeError, match=r"gold must be a collection, got the text 'Nairobi'; try \['Nairobi'\]"):
        answer_scores(["Nairobi"], "Nairobi")
    with pytest.raises(TypeError, match="answers must be a collection"):
        answer_scores("Nairobi", ["Nairobi"])


@given(st.sets(few), st.sets(few, min_size=1))
def test_of_sets_f1_is_that_of_the_textbook(answers, gold):
    right = len(answers & gold)
    scores = answer_scores(list(answers), gold)
    assert scores.f1 == pytest.approx(2 * right / (len(answers) + len(gold)))
    assert scores.f1 == pytest.approx(harmonic(scores.precision, scores.recall))
    assert scores.exact_match == (answers == gold)


@given(st.lists(st.one_of(few, st.none()), max_size=8), alternatives, st.randoms())
def test_scores_lie_between_0_and_1_and_only_the_first_place_depends_on_the_order(answers, gold, random):
    scores = answer_scores(answers, gold)
    assert all(0 <= score <= 1 for score in scores)
    assert scores.hit >= scores.hits_at_1
    assert scores.hit >= scores.exact_match
    known = [answer for answer in answers if answer is not None]
    doubled = answers + random.choices(known, k=3) if known else answers
    assert answer_scores(doubled, gold) == scores
    shuffled, other = random.sample(answers, len(answers)), random.sample(gold, len(gold))
    assert answer_scores(shuffled, other)._replace(hits_at_1=0) == scores._replace(hits_at_1=0)


@given(alternatives)
def test_the_gold_itself_is_an_exact_match_if_it_can_be_given(gold):
    sets = gold_sets(gold)
    taken = nx.bipartite.maximum_matching(
        graph_of([sorted(s) for s in sets]), top_nodes=[("l", i) for i in range(len(sets))]
    )
    answers = [taken["l", i][1] if ("l", i) in taken else None for i in range(len(sets))]
    scores = answer_scores(answers, gold)
    assert scores.exact_match == (None not in answers)
    assert scores.recall == pytest.approx(sum(answer is not None for answer in answers) / len(sets))


def graph_of(options):
    graph = nx.Graph()
    graph.add_nodes_from(("l", i) for i in range(len(options)))
    graph.add_edges_from((("l", i), ("r", j)) for i, right in enumerate(options) for j in right)
    return graph


@given(st.lists(st.lists(st.integers(0, 12), max_size=5), max_size=13))
def test_a_matching_is_as_large_as_that_of_networkx(options):
    left = [("l", i) for i in range(len(options))]
    assert maximum_matching(options) == len(nx.bipartite.maximum_matching(graph_of(options), top_nodes=left)) // 2


def test_a_matching_along_a_very_long_chain():
    # Each left node takes the right node of the one before, so that the last one moves all of them.
    n = 5000
    assert maximum_matching([[i, i + 1] for i in range(n)] + [[0]]) == n + 1
