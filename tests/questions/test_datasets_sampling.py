"""Samples: sizes, shares, the same on every machine, smaller ones inside larger ones."""

from __future__ import annotations

import random
from collections import Counter

from faults import fails
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.errors import InputError
from graphbrick.questions.question import Question, grouped
from graphbrick.questions.sampling import sample, sample_each

hops = st.lists(st.sampled_from([1, 1, 1, 2, 3, None]), min_size=1, max_size=60)


def asked(of: list[int | None]) -> list[Question]:
    return [Question(str(i), "?", hops=n, facts={"half": "ab"[i % 2]}) for i, n in enumerate(of)]


@given(hops, st.integers(1, 70), st.integers(0, 3))
def test_of_each_group_as_large_a_share(of, n, seed):
    questions = asked(of)
    drawn = sample(questions, n, seed=seed)
    assert len(drawn) == min(n, len(questions))
    assert [*drawn] == [question for question in questions if question in set(drawn)]
    here, everywhere = Counter(q.hops for q in drawn), Counter(of)
    for group, size in everywhere.items():
        assert abs(here[group] - size * len(drawn) / len(of)) <= len(everywhere)


@given(hops, st.integers(1, 60), st.integers(1, 60))
def test_a_larger_sample_contains_a_smaller_one(of, n, m):
    questions = asked(of)
    assert set(sample(questions, min(n, m))) <= set(sample(questions, max(n, m)))
    assert set(sample_each(questions, min(n, m))) <= set(sample_each(questions, max(n, m)))


@given(hops, st.integers(1, 60), st.randoms())
def test_the_order_of_the_questions_does_not_count(of, n, rng: random.Random):
    questions = asked(of)
    mixed = questions.copy()
    rng.shuffle(mixed)
    for draw in (sample, sample_each):
        assert set(draw(mixed, n)) == set(draw(questions, n))


@given(hops, st.integers(1, 30))
def test_at_most_n_of_each_group(of, n):
    drawn = Counter(question.hops for question in sample_each(asked(of), n))
    assert drawn == {group: min(n, size) for group, size in Counter(of).items()}


def test_the_same_on_every_machine_and_another_by_the_seed():
    questions = asked([1 + i % 3 for i in range(300)])
    assert [question.id for question in sample(questions, 6)] == SIX
    assert [question.id for question in sample(questions, 6, seed=1)] != SIX


SIX = ["27", "205", "224", "232", "260", "297"]


def test_a_small_group_is_not_left_to_the_end():
    assert Counter(question.hops for question in sample(asked([1] * 10 + [2] * 4), 2)) == {1: 1, 2: 1}


def test_groups_in_natural_order():
    questions = asked([10, 2, None, 1, 2])
    assert [*grouped(questions, "hops")] == ["1", "2", "10", ""]
    assert [question.id for question in grouped(questions, "half")["a"]] == ["0", "2", "4"]
    assert [*grouped([Question("1", "?", dataset="b"), Question("2", "?", dataset="a")], "dataset")] == ["a", "b"]
    assert grouped([], "nothing") == {}


def test_what_is_no_sample():
    with fails("questions.no_group", InputError, group="halve", example="half"):
        sample(asked([1]), 1, by="halve")
    for n in (0, -1, True, 1.5):
        with fails("sample.too_few", InputError, n=n):
            sample_each(asked([1]), n)  # type: ignore[arg-type]
