"""Words that stand for several steps."""

from __future__ import annotations

import pytest

from graphbrick.patterns.several_steps import ALIKE, unfolded, with_way_back
from graphbrick.patterns.text import words_of


@pytest.mark.parametrize(
    ("question", "chain"),
    [
        ("Who is X's granddaughter?", "Who is X's child's daughter?"),
        ("the grand-sons of X", "the sons of the child of X"),
        ("Who are X's great-grandparents?", "Who are X's parent's parent's parents?"),
        ("the great great grandmother of X", "the mother of the parent of the parent of the parent of X"),
        ("Where does the uncle of X live?", "Where does the brother of the parent of X live?"),
        ("whose mother-in-law is X", "whose spouse's mother is X"),
        ("X's wife's cousins", "X's wife's parent's sibling's children"),
        ("a grand hotel of X", "a grand hotel of X"),
    ],
)
def test_relatives_are_chains(question: str, chain: str) -> None:
    assert unfolded(question) == chain


def test_a_relative_that_the_graph_has_a_word_for_stays() -> None:
    assert unfolded("Who are X's grandparents?", {"grandparent"}) == "Who are X's grandparents?"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who shares an employer with X?", "who ~ an employer with X"),
        ("Which firms have the same base as X?", "which firms have the ~ base as X"),
        ("who works in the same firm X works in", "who works in the ~ firm X works in"),
        ("Who appeared in the same film with X?", "who appeared in the ~ film with X"),
        ("What films have an actor in common with X?", "what films have ~ an actor X"),
        ("Who acted in films together with X?", "who ~ acted in films with X"),
        ("X works together with whom?", "X works ~ with whom"),
        ("With whom does X share an actor?", "with whom does X an actor ~"),
        ("X has the same boss as whom?", "X has the boss ~ as whom"),
        ("Who owns shares in X?", "who owns shares in X"),
        ("What is X's share?", "what is X 's share"),
    ],
)
def test_a_common_end_is_a_way_back_further_from_the_seed(question: str, words: str) -> None:
    tagged = with_way_back([(word, None) for word in words_of(question)])
    assert " ".join("~" if word == ALIKE else word for word, _ in tagged) == words
