from __future__ import annotations

import pytest

from graphbrick import Query, ShortestPaths, Subgraph
from graphbrick.patterns.text import masked, readable, simplified, split_start, steps_of, words_of
from graphbrick.testing import tiny_graph


def test_the_text_of_every_path_gives_its_pattern_back() -> None:
    graph = tiny_graph()
    query = Query("?", seeds=(graph.entity("Nairobi"), graph.entity("Rwanda")))
    paths = ShortestPaths(max_hops=3).retrieve(query, Subgraph(graph)).paths
    assert len(paths) > 10
    for path in paths:
        expected = tuple((graph.relation_label(relation), forward) for relation, forward in path.pattern)
        for text in (path.text, path.pattern_text):
            start, walked = split_start(text)
            assert start == graph.label(path.start)
            assert steps_of(walked) == expected


@pytest.mark.parametrize(
    ("walked", "steps"),
    [
        ("", ()),
        ("-> capital ->", (("capital", True),)),
        ("-> capital -> -> currency -> x", (("capital", True), ("currency", True))),
        ("-> capital <- Kenya", ()),  # one arrow each way
        ("-> capital", ()),
        ("-> -> Kenya", ()),  # no relation
        ("<- a-b->c <- x", (("a-b->c", False),)),  # arrows inside a word are none
    ],
)
def test_what_is_no_path_has_no_steps(walked: str, steps: tuple[tuple[str, bool], ...]) -> None:
    assert steps_of(walked) == steps


def test_a_text_without_arrows_is_all_start() -> None:
    assert split_start("a report about Kenya") == ("a report about Kenya", "")
    assert split_start("") == ("", "")


@pytest.mark.parametrize(
    ("question", "start", "expected"),
    [
        ("what films did Ann Lee act in", "Ann Lee", "what films did X act in"),
        ("what films did ANN-LEE act in", "Ann Lee", "what films did X act in"),
        ("Ann Lee and ann lee", "Ann Lee", "X and ann lee"),  # written so, it is the name
        ("when was The Who formed, and by who", "The Who", "when was X formed, and by who"),
        ("who directed Who?", "Who?", "who directed X"),
        ("when was Help! released", "Help!", "when was X released"),  # with what belongs to the name
        ("who made $?", "$", "who made X?"),
        ("who made 'Up' and upper", "Up", "who made 'X' and upper"),
        ("nothing here", "Ann Lee", "nothing here"),
        ("nothing here", "", "nothing here"),
        ("nothing here", "???", "nothing here"),
        ("", "Ann", ""),
        ("Annabel acts", "Ann", "Annabel acts"),  # whole words only
    ],
)
def test_the_start_is_masked(question: str, start: str, expected: str) -> None:
    assert masked(question, start) == expected


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("directed_by", "directed by"),
        ("people.person.place_of_birth", "person place of birth"),
        ("a.b.c..d.e.f", "b c f"),
        ("film.film.release_date_s..film.regional_release.date", "film release date date"),
        ("largest city", "largest city"),
        ("a.b", "a b"),
        ("St. Mary's. Church of x", "St Mary s Church of x"),
        ("...", "..."),
        ("首都", "首都"),
    ],
)
def test_relations_as_words(relation: str, words: str) -> None:
    assert readable(relation) == words


@pytest.mark.parametrize(
    "question",
    [
        "Could you please tell me X's father?",
        "I'd like to know about X's father?",
        "Please, X's father?",
        "hello, do you happen to know X's father?",
        "Does anybody know X's father?",
        "I was wondering: X's father?",
    ],
)
def test_polite_openings_are_no_part_of_a_question(question: str) -> None:
    assert simplified(question) == "X's father?"
    assert words_of(question) == ["X", "'s", "father"]


@pytest.mark.parametrize(
    "question",
    ["does X know Y", "who would like X", "I", "do you know", "pleased by X", "what do I need for X", "soap by X"],
)
def test_other_words_stay(question: str) -> None:
    assert simplified(question) == question


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("the boss of X' boss", ["the", "boss", "of", "X", "'s", "boss"]),
        ("X\u2019s boss\u2019s team", ["X", "'s", "boss", "'s", "team"]),
        ("the neighbours' capitals of X", ["the", "neighbours", "'s", "capitals", "of", "X"]),
        ("who acts in 'X' or in 'others' here", ["who", "acts", "in", "X", "or", "in", "others", "here"]),
    ],
)
def test_possessives_are_read_however_they_are_written(question: str, words: list[str]) -> None:
    assert words_of(question) == words
