"""The released scorers, each with the traps that its docstring names."""

from __future__ import annotations

import pytest

from graphbrick.study.metrics.answers import text_scores
from graphbrick.study.metrics.published import (
    PUBLISHED,
    PUBLISHED_METRICS,
    LegoScores,
    RogScores,
    as_published,
    lego,
    lego_paths,
    rog,
    tog,
)


def test_rog_on_a_plain_case() -> None:
    assert rog(["Nairobi", "Kampala"], ["nairobi", "Kigali"]) == pytest.approx((0.5, 1, 0.5, 0.5, 0.5))
    assert rog("Nairobi\nKampala\nKisumu", ["Nairobi"]) == pytest.approx((1, 1, 1 / 3, 1, 0.5))
    assert rog([], ["Nairobi"]) == (0, 0, 0, 0, 0)
    assert rog("", ["Nairobi"]) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("predictions", "gold"),
    [(["Arkansas"], ["Kansas"]), (["Nairobi"], ["!!!"]), (["Nairobi"], ["The"]), (["New", "York"], ["New York"])],
)
def test_rog_finds_what_is_not_there(predictions: list[str], gold: list[str]) -> None:
    assert rog(predictions, gold).hit == rog(predictions, gold).accuracy == 1
    assert text_scores(predictions, gold).hit == 0


def test_rog_precision_exceeds_1_and_so_does_f1() -> None:
    scores = rog(["Nairobi, Mombasa and Kisumu"], ["Nairobi", "Mombasa", "Kisumu"])
    assert scores == pytest.approx((1, 1, 3, 1, 1.5))


def test_rog_hit_looks_at_all_predictions() -> None:
    predictions = [f"wrong {i}" for i in range(50)] + ["Nairobi"]
    assert rog(predictions, ["Nairobi"]).hit == 1
    assert text_scores(predictions, ["Nairobi"]).hits_at_1 == 0


def test_rog_keeps_the_most_frequent_predictions_of_a_list() -> None:
    predictions = ["Kigali", "Nairobi", "Kampala", "Nairobi", "Kampala"]
    assert [rog(predictions, [city], k=1).hit for city in ("Nairobi", "Kampala", "Kigali")] == [1, 0, 0]
    assert rog(predictions, ["Nairobi"], k=2).precision == 0.5
    assert rog(predictions, ["Nairobi"], k=0) == (0, 0, 0, 0, 0)
    assert (
        rog(predictions, ["Nairobi"]).precision == rog(predictions, ["Nairobi"], k=9).precision == pytest.approx(1 / 3)
    )


def test_rog_without_gold_is_an_error() -> None:
    with pytest.raises(ValueError, match="without gold answers"):
        rog(["Nairobi"], [])


@pytest.mark.parametrize(
    ("reply", "gold", "expected"),
    [
        ("The answer is {Nairobi}.", ["Nairobi"], 1),
        ("The answer is {Kampala}, not Nairobi.", ["Nairobi"], 0),
        ("I do not know", ["Nairobi"], 0),
        ("new york", ["New York", "NYC"], 1),
        # The traps
        ("{}", ["Nairobi"], 1),
        ("{ }", ["Nairobi"], 1),
        ("", ["Nairobi"], 1),
        ("} {Kampala", ["Nairobi"], 1),
        ("{Arkansas}", ["Kansas"], 1),
        ("{a}", ["Kansas"], 1),
        ("It is not Nairobi.", ["Nairobi"], 1),
        ("he is in diana's house", ["India"], 1),
        ("{Yes}. The answer is {Nairobi}.", ["Nairobi"], 0),
        ("{Yes}. The answer is {Brown}.", ["Blue Eyes"], 1),
        ("The answer is {Nairobi", ["Nairobi"], 1),
        ("The answer is {Kenya", ["Kenya Airways", "Ken"], 1),
        ("{Peru", ["Peru1"], 1),
        ("{Perux", ["Peru"], 1),
        ("{NULL}", ["Nairobi"], None),
        ("{null}", ["Nairobi"], 0),
        ("{Nairobi}", [], 0),
        ("{}", [], 0),
    ],
)
def test_tog(reply: str, gold: list[str], expected: float | None) -> None:
    assert tog(reply, gold) == expected


def test_lego_on_a_plain_case() -> None:
    assert lego("Nairobi", ["Nairobi"]) == (1, 1, 1, 1)
    assert lego("Kampala", ["Nairobi"]) == (0, 0, 0, 0)
    assert lego("", ["Nairobi"]) == lego("Nairobi", []) == (0, 0, 0, 0)


def test_the_traps_of_lego() -> None:
    assert lego("Arkansas", ["Kansas"]).hit == 1
    assert lego("anything", ["???"]).hit == 1
    assert lego("It is not Nairobi", ["Nairobi"]).hit == 1
    guesses = ", ".join([f"wrong {i}" for i in range(99)] + ["Nairobi"])
    assert lego(guesses, ["Nairobi", "Mombasa"]) == pytest.approx((1, 1, 0.5, 2 / 3))
    assert text_scores(guesses.split(", "), ["Nairobi", "Mombasa"]).precision == 0.01


def test_lego_paths() -> None:
    paths = [
        "Kenya -> borders -> Uganda",
        "Kenya -> capital -> Nairobi",
        "Kenya -> borders -> Uganda -> capital -> Kampala",
    ]
    assert lego_paths(paths, ["Nairobi", "Kigali"]) == pytest.approx((1, 1 / 3, 0.5, 0.4))
    assert [lego_paths(paths, ["Nairobi"], k=k).hit for k in (1, 2)] == [0, 1]
    assert lego_paths([], ["Nairobi"]) == lego_paths(paths, []) == (0, 0, 0, 0)
    # The traps: the seed's own label, the name of a relation, a part of a word
    assert [lego_paths(paths, [gold]).hit for gold in ("Kenya", "Capital", "Ganda")] == [1, 1, 1]


def test_all_scores_of_a_question_are_those_of_the_scorers() -> None:
    answers, names = ["Arkansas", "New York"], [("Kansas", "Sunflower State"), ("York",)]
    found = as_published(answers, names)
    assert tuple(found) == PUBLISHED_METRICS
    assert {name.partition("_")[0] for name in found} == set(PUBLISHED)
    assert tuple(found[f"rog_{name}"] for name in RogScores._fields) == rog(answers, ["Kansas", "York"])
    assert found["tog_exact_match"] == tog("Arkansas, New York", ["Kansas", "Sunflower State", "York"]) == 1
    assert tuple(found[f"lego_{name}"] for name in LegoScores._fields) == lego("Arkansas, New York", ["Kansas", "York"])


def test_without_an_answer_all_scores_are_0_and_without_gold_there_are_none() -> None:
    assert set(as_published([], [("Kansas",)]).values()) == {0.0}
    assert as_published(["{NULL}"], [("Kansas",)])["tog_exact_match"] == 0
    with pytest.raises(ValueError, match="without gold"):
        as_published(["Kansas"], [])


def test_the_hit_of_lego_looks_at_thirty_two_paths() -> None:
    assert [lego_paths(["x"] * before + ["Nairobi"], ["Nairobi"]).hit for before in (31, 32)] == [1, 0]
    assert lego_paths(["x"] * 32 + ["Nairobi"], ["Nairobi"]).recall == 1
