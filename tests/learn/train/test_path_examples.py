"""Paths that lead to answers and paths that do not, against the readable search for simple paths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path as File

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick import AllPaths, GraphBuilder, Query, Subgraph
from graphbrick.core import Path
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train import path_examples
from graphbrick.learn.train.frame import held_out, linked_questions
from graphbrick.learn.train.path_examples import PathExample, PathRules, by_text, collect, wording
from graphbrick.questions.grounding import GroundedQuestion, ground
from graphbrick.questions.question import Question
from graphbrick.testing import tiny_graph

ALL = {"positives": 10_000, "negatives": 10_000}


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """Twenty films, each with two of seven actors and one of five directors, who also wrote every other one."""
    with GraphBuilder(tmp_path_factory.mktemp("examples") / "films.graph", source="test") as builder:
        for i in range(20):
            for actor in (i % 7, (3 * i + 2) % 7):
                builder.add((f"Film{i}", "starring", f"Actor{actor}"))
            builder.add((f"Film{i}", "director", f"Boss{i % 5}"))
            if i % 2:
                builder.add((f"Film{i}", "writer", f"Boss{i % 5}"))
        return builder.finish()


def asked(graph: Graph, text: str, seeds: tuple[str, ...], answers: tuple[str, ...]) -> GroundedQuestion:
    return ground(graph, [Question("1", text, seeds, answers)]).questions[0]


def one(graph: Graph, found: GroundedQuestion, **options: object) -> PathExample:
    (example,) = collect(graph, [found], PathRules(**(ALL | options))).all  # type: ignore[arg-type]
    return example


def every(graph: Graph, found: GroundedQuestion, hops: int) -> set[Path]:
    paths = AllPaths(max_hops=hops, cap=1_000_000).retrieve(Query("?", found.seeds), Subgraph(graph)).paths
    return set(paths)


def returning(graph: Graph, seed: int, hops: int) -> set[Path]:
    """The simple paths from a seed with one step more that comes back to it and does not undo the first."""
    found_seed = GroundedQuestion(Question("1", "?", (), ()), (seed,), (), ())
    shorter = every(graph, found_seed, hops - 1) if hops > 1 else set()
    steps = [(graph.triple(triple), triple, True) for triple in graph.triples_to(seed)]
    steps += [((t, r, h), triple, False) for triple in graph.triples_from(seed) for h, r, t in [graph.triple(triple)]]
    found = set()
    for path in (Path(graph, (seed,), (), ()), *shorter):
        for (before, relation, _), triple, forward in steps:
            if path.end == before and (not path.triples or path.pattern[0] != (relation, not forward)):
                nodes, triples, ways = (*path.nodes, seed), (*path.triples, triple), (*path.forward, forward)
                found.add(Path(graph, nodes, triples, ways))
    return found


def test_an_answer_that_is_the_seed_is_learned_from(tmp_path: File) -> None:
    with GraphBuilder(tmp_path / "family.graph", source="test") as builder:
        for parent in ("Xa", "Yan"):
            builder.add((parent, "child", "Zoe"))
            builder.add(("Zoe", "parent", parent))
        family = builder.finish()
    example = one(family, asked(family, "Who are the parents of Xa's child?", ("Xa",), ("Xa", "Yan")))
    texts = {path.text for path in example.positives}
    assert {"Xa -> child -> Zoe -> parent -> Xa", "Xa -> child -> Zoe -> parent -> Yan"} <= texts
    assert "Xa -> child -> Zoe <- child <- Xa" not in texts
    assert all(path.comes_back or path.end == family.entity("Yan") for path in example.positives)


def test_with_nothing_asked_of_patterns_every_path_to_an_answer_is_right(films: Graph) -> None:
    found = asked(films, "who directed Film1", ("Film1",), ("Boss1",))
    example = one(films, found, least=0.0)
    right = {path for path in every(films, found, 3) if path.end in found.answers}
    assert set(example.positives) == right
    assert len(example.positives) == len(right) > 2
    patterns = {path.pattern for path in right}
    assert set(example.negatives) == {path for path in every(films, found, 3) - right if path.pattern not in patterns}
    assert {path.hops for path in example.negatives} == {1, 2, 3}


def test_what_is_right_is_to_the_point(films: Graph) -> None:
    """A director of other films of the same actors may be the same one by chance: that pattern is not right."""
    found = asked(films, "who directed Film2", ("Film2",), ("Boss2",))
    texts = {path.text for path in one(films, found).positives}
    assert texts == {"Film2 -> director -> Boss2"}
    chance = {path.text for path in one(films, found, least=0.0).positives} - texts
    assert chance
    assert all("starring" in text for text in chance)


def test_what_ends_at_an_answer_is_never_wrong(films: Graph) -> None:
    found = asked(films, "who stars in Film1", ("Film1",), tuple(f"Actor{i}" for i in (1, 2)))
    for least in (0.0, 0.5, 1.0):
        example = one(films, found, least=least)
        right = {path.pattern for path in example.positives}
        assert all(path.end not in found.answers and path.pattern not in right for path in example.negatives)
        assert all(path.end in found.answers for path in example.positives)


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[tuple[str, str, str]], list[str], list[str]]:
    names = st.integers(0, 6).map("n{}".format)
    triples = draw(st.lists(st.tuples(names, st.sampled_from("abc"), names), min_size=1, max_size=14, unique=True))
    there = sorted({name for head, _, tail in triples for name in (head, tail)})
    pick = st.lists(st.sampled_from(there), min_size=1, max_size=3, unique=True)
    return triples, draw(pick), draw(pick)


@pytest.mark.whole
@given(questions(), st.integers(1, 3), st.sampled_from([0.0, 0.5, 1.0]))
def test_the_rules_hold_on_any_graph(
    make: Callable[[list[tuple[str, str, str]]], Graph],
    case: tuple[list[tuple[str, str, str]], list[str], list[str]],
    hops: int,
    least: float,
) -> None:
    graph = make(case[0])
    found = asked(graph, "?", tuple(case[1]), tuple(case[2]))
    report = collect(graph, [found], PathRules(hops, least=least, **ALL))
    gold = set(found.answers)
    paths = every(graph, found, hops)
    for seed in gold & set(found.seeds):
        paths |= returning(graph, seed, hops)
    ends: dict[tuple[int, object], set[int]] = {}
    for path in paths:
        ends.setdefault((path.start, path.pattern), set()).add(path.end)
    f1 = {
        key: 2 * len(some & gold) / (len(some - (set(found.seeds) - gold)) + len(gold))
        for key, some in ends.items()
        if gold
    }
    bar = least * max(f1.values(), default=0)
    right = {path for path in paths if path.end in gold and f1[path.start, path.pattern] >= bar}
    patterns = {path.pattern for path in right}
    assert len(report.all) == bool(right)
    assert report.unanswered == (not gold)
    assert report.unreached == (bool(gold) and not right)
    for example in report.all:
        assert set(example.positives) == right
        assert set(example.negatives) == {p for p in paths if p.end not in gold and p.pattern not in patterns}


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[tuple[str, str, str]]], Graph]:
    folder, count = tmp_path_factory.mktemp("any"), iter(range(100_000))

    def build(triples: list[tuple[str, str, str]]) -> Graph:
        with GraphBuilder(folder / f"{next(count)}.graph", source="test") as builder:
            for triple in triples:
                builder.add(triple)
            return builder.finish()

    return build


def test_what_is_drawn_takes_turns_and_follows_the_seed(films: Graph) -> None:
    found = asked(films, "who plays with Actor1", ("Actor1",), ("Actor2", "Actor0", "Actor4"))
    draws = [one(films, found, positives=6, negatives=9, least=0.0, seed=seed) for seed in (0, 0, 1)]
    assert draws[0] == draws[1]
    assert draws[0].negatives != draws[2].negatives
    example, whole = draws[0], one(films, found, least=0.0)
    assert len(example.positives) == min(6, len(whole.positives))
    assert len({path.pattern for path in example.positives}) == min(6, len({p.pattern for p in whole.positives}))
    there = {path.hops for path in whole.negatives}
    count = np.bincount([path.hops for path in example.negatives], minlength=4)
    assert there == set(np.flatnonzero(count).tolist())


def test_one_question_is_drawn_for_alike_whatever_the_others_are(films: Graph) -> None:
    first = asked(films, "who plays with Actor1", ("Actor1",), ("Actor2", "Actor0"))
    others = [asked(films, f"who directed Film{i}", (f"Film{i}",), (f"Boss{i % 5}",)) for i in (1, 2)]
    few = PathRules(positives=3, negatives=5)
    assert collect(films, [first, others[0]], few).all[0] == collect(films, [first, others[1]], few).all[0]


def test_the_released_code_is_a_choice_of_parameters(films: Graph) -> None:
    found = asked(films, "who plays with Actor1", ("Actor1",), ("Actor2", "Actor0"))
    example = one(films, found, max_hops=4, negative_hops=2, positives=1, least=0.0)
    assert len(example.positives) == 1
    assert example.positives[0].hops == min(path.hops for path in one(films, found, least=0.0).positives)
    assert max(path.hops for path in example.negatives) == 2


def texts_of(example: PathExample, by: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    right, wrong = by_text(example.positives, by), by_text(example.negatives, by)
    return tuple(right), tuple(text for text in wrong if text not in right)


def test_texts_are_those_of_the_bricks() -> None:
    graph = tiny_graph()
    found = asked(graph, "Which currency is used around Nairobi?", ("Nairobi",), ("Kenyan shilling",))
    example = one(graph, found, max_hops=2)
    assert texts_of(example, "path")[0] == ("Nairobi <- capital <- Kenya -> currency -> Kenyan shilling",)
    right, wrong = texts_of(example, "pattern")
    assert right == tuple(dict.fromkeys(path.pattern_text for path in example.positives))
    assert not set(right) & set(wrong)
    by_bricks = {path.text: path.pattern_text for path in every(graph, found, 2)}
    assert set(texts_of(example, "path")[1]) <= set(by_bricks)
    assert set(wrong) <= set(by_bricks.values())


def test_what_cannot_be_learned_from_is_counted(films: Graph) -> None:
    some = [
        asked(films, "who directed Film1", ("Film1",), ("Boss1",)),
        asked(films, "who directed Film99", ("Film99",), ("Boss1",)),  # no such seed
        asked(films, "who directed Film2", ("Film2",), ("Nobody",)),  # no such answer
        asked(films, "who is Film2", ("Film2",), ("Film2",)),  # the seed itself
        asked(films, "how far", ("Film0",), ("Film1",)),  # too far
    ]
    seen: list[tuple[float, float | None]] = []
    found = collect(films, some, PathRules(max_hops=1), progress=lambda step, done, total: seen.append((done, total)))
    assert (found.questions, found.unseeded, found.unanswered, found.unreached, found.cut) == (5, 1, 1, 2, 0)
    assert seen == [(done, 5) for done in range(1, 6)]
    assert [example.text for example in found.all] == ["who directed Film1"]


def test_with_too_many_paths_the_shortest_are_looked_at(films: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    found = asked(films, "who directed Film1", ("Film1",), ("Boss1",))
    monkeypatch.setattr(path_examples, "CAP", 60)
    report = collect(films, [found], PathRules(least=0.0, **ALL))
    assert report.cut == 1
    assert {path.text for path in report.all[0].positives} == {"Film1 -> director -> Boss1", "Film1 -> writer -> Boss1"}


def wording_of(example: PathExample) -> str:
    return example.wording


def test_wordings_are_kept_apart_whole(films: Graph) -> None:
    some = [
        asked(films, f"who directed {'really ' * (i % 12)}Film{i % 7}", (f"Film{i % 7}",), (f"Boss{i % 7 % 5}",))
        for i in range(48)
    ]
    examples = collect(films, some, PathRules(positives=1, negatives=2)).all
    assert {example.wording for example in examples} == {f"who directed {'really ' * i}X" for i in range(12)}
    learned, apart = held_out(examples, wording_of, seed=3)
    assert len(learned) + len(apart) == 48
    assert len({example.wording for example in apart}) == 1
    assert not {example.wording for example in apart} & {example.wording for example in learned}
    assert held_out(examples, wording_of, seed=3) == (learned, apart)
    assert held_out(examples[:29], wording_of, seed=3) == (examples[:29], [])


def test_all_names_of_seeds_are_masked(films: Graph) -> None:
    found = asked(films, "is Film1 or Film10 by Boss1", ("Film1", "Film10"), ("Boss1",))
    assert wording(films, found) == "is X or X by Boss1"


def test_questions_without_seeds_are_linked(films: Graph, tmp_path: File) -> None:
    asked_for = [Question("1", "who directed Film1", (), ("Boss1",)), Question("2", "who did it", (), ("Boss1",))]
    linked = linked_questions(films, asked_for, 3)
    assert linked[0].seeds == (films.entity("Film1"),)
    assert linked[1].seeds == ()
    assert linked_questions(films, ground(films, asked_for), 3) == linked
