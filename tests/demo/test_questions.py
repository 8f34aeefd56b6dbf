from __future__ import annotations

from collections import Counter
from functools import cache

from graphbrick.demo.questions import (
    MAX_ANSWERS,
    Neighbourhood,
    Question,
    load_questions,
    write_questions,
    written_with,
)
from graphbrick.demo.sources import installed_versions
from graphbrick.demo.world import world_records
from graphbrick.graphs.records import EntityRecord


@cache
def world() -> tuple[dict[str, EntityRecord], Neighbourhood]:
    records = list(world_records())
    triples = [r for r in records if isinstance(r, tuple)]
    return {r.key: r for r in records if isinstance(r, EntityRecord)}, Neighbourhood(triples)


def test_the_kept_questions_are_what_the_rules_write() -> None:
    kept = load_questions()
    if installed_versions() == written_with():
        assert write_questions() == kept
        return
    _, graph = world()
    same = sum(set(graph.follow(q.seeds, q.path)) == set(q.answers) for q in kept)
    assert same >= 0.9 * len(kept)


def test_answers_are_at_the_end_of_the_path() -> None:
    entities, graph = world()
    if installed_versions() == written_with():
        for question in load_questions():
            assert tuple(sorted(graph.follow(question.seeds, question.path))) == question.answers, question
            assert all(seed in entities for seed in question.seeds)


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
    entities, _ = world()
    for question in load_questions():
        for seed in question.seeds:
            assert (entities[seed].label or "") in question.question


def test_questions_come_from_all_over_the_world() -> None:
    entities, graph = world()
    continents: Counter[str] = Counter()
    for question in load_questions():
        for key in [*question.seeds, *question.answers]:
            country = [key] if "country" in entities[key].types else graph.step([key], "country", "out")
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
