from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from graphbrick.demo.graph import world_graph
from graphbrick.demo.sources import installed_versions
from graphbrick.graphs.graph import Graph
from world_questions import MAX_ANSWERS, Neighbourhood, Question, load_questions, written_with

pytestmark = pytest.mark.usefixtures("world_cache")


@cache
def world() -> Graph:
    return world_graph()


@cache
def neighbourhood() -> Neighbourhood:
    return Neighbourhood(world().key_triples())


@pytest.mark.whole
def test_most_kept_questions_hold_whatever_the_versions_of_the_data() -> None:
    kept, graph = load_questions(), neighbourhood()
    same = sum(set(graph.follow(q.seeds, q.path)) == set(q.answers) for q in kept)
    assert same >= 0.9 * len(kept)


def test_answers_are_at_the_end_of_the_path() -> None:
    graph = neighbourhood()
    if installed_versions() == written_with():
        for question in load_questions():
            assert tuple(sorted(graph.follow(question.seeds, question.path))) == question.answers, question
            for seed in question.seeds:
                world().entity(seed)  # raises for one that is not in the graph


def test_questions_are_whole() -> None:
    questions = load_questions()
    assert len(questions) >= 80
    assert len({q.id for q in questions}) == len(questions)
    assert len({q.question for q in questions}) == len(questions)
    for question in questions:
        assert question.hops == len(question.path)
        assert question.seeds
        assert 1 <= len(question.answers) <= MAX_ANSWERS
        assert len(set(question.answers)) == len(question.answers)
        assert not set(question.seeds) & set(question.answers)
        assert all(way in ("in", "out") for _, way in question.path)
        assert "{" not in question.question


def test_hops_and_sizes_are_mixed() -> None:
    questions = load_questions()
    hops = Counter(q.hops for q in questions)
    assert set(hops) == {1, 2, 3}
    assert min(hops.values()) >= 0.25 * len(questions)
    assert sum(len(q.answers) > 1 for q in questions) >= 0.4 * len(questions)
    assert len({q.path for q in questions}) >= 30


def test_the_text_names_the_seed() -> None:
    for question in load_questions():
        for seed in question.seeds:
            assert world().label(world().entity(seed)) in question.question


def test_questions_come_from_all_over_the_world() -> None:
    graph = neighbourhood()
    continents: Counter[str] = Counter()
    for question in load_questions():
        for key in [*question.seeds, *question.answers]:
            country = [key] if "country" in world().types(world().entity(key)) else graph.step([key], "country", "out")
            continents.update(graph.step(country, "continent", "out"))
    assert len([c for c, count in continents.items() if count >= 4]) == 6, continents


def test_known_answers() -> None:
    by_text: dict[str, Question] = {q.question: q for q in load_questions()}
    nairobi = by_text["Which countries border the country whose capital is Nairobi?"]
    assert nairobi.seeds == ("city:184745",)
    assert nairobi.path == (("capital", "in"), ("borders", "out"))
    assert nairobi.answers == ("country:ET", "country:SO", "country:SS", "country:TZ", "country:UG")


def test_a_seed_is_left_out_of_every_later_hop() -> None:
    graph = Neighbourhood([("a", "to", "b"), ("b", "to", "a"), ("b", "to", "c"), ("a", "to", "c"), ("c", "to", "d")])
    assert graph.follow(["a"], [("to", "out"), ("to", "out")]) == ["c", "d"]
    assert graph.follow(["a"], [("to", "out"), ("to", "in")]) == ["b"]
    assert graph.step(["c"], "to", "in") == ["b", "a"]
    assert graph.follow(["d"], [("to", "out")]) == []
