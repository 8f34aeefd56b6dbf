"""What a declared parameter accepts, and how it says what is allowed."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import pytest
from faults import fails

from graphbrick.core.parameters import declared, parameter

LARGEST = 2**31 - 1


class TextScorer:
    """A part of a brick."""


class Index:
    """Another."""


@dataclass
class Sample:
    index: Index = parameter(path=True)
    plain: int = field(default=1)
    count: int = parameter(1)
    few: int = parameter(1, at_least=0, at_most=2**40)
    share: float = parameter(0.5, above=0, at_most=1)
    half: float = parameter(0.5, at_least=0, below=1)
    inner: float = parameter(0.5, above=0, below=1)
    small: float = parameter(0.5, below=1)
    low: float = parameter(1_000.0, at_least=1_000, at_most=2_000)
    number: float = parameter(0.5)
    text: str = parameter("a")
    empty: str = parameter("", may_be_empty=True)
    kind: str = parameter("mean", choices=("mean", "max"), search=("mean", "max"))
    only: str = parameter("mean", choices=["mean"])
    flag: bool = parameter(False, changes_results=False)
    several: int | float | str | None = parameter(None)
    either: int | None = parameter(None, example=3)
    scorer: TextScorer | None = parameter(None, example="BM25()")
    made: str = field(default_factory=lambda: "x", metadata=parameter("y").metadata)


BY_NAME = {entry.name: entry for entry in declared(Sample)}


def test_only_declared_fields_are_parameters_in_order() -> None:
    assert list(BY_NAME) == [name for name in Sample.__dataclass_fields__ if name != "plain"]
    assert BY_NAME["made"].default == "x"


def test_a_declaration_has_its_defaults() -> None:
    declaration = BY_NAME["number"].declaration
    assert (declaration.may_be_empty, declaration.path, declaration.changes_results) == (False, False, True)
    assert (declaration.choices, declaration.search, declaration.example) == ((), (), None)
    assert not BY_NAME["flag"].declaration.changes_results
    assert BY_NAME["index"].declaration.path


@pytest.mark.parametrize(
    ("name", "accepted", "refused"),
    [
        ("count", [0, -5, LARGEST], [LARGEST + 1, True, 1.0, "1", None]),
        ("few", [0, LARGEST], [-1, LARGEST + 1]),
        ("share", [1, 1.0, 1e-9], [0, 0.0, 1.0001, False, float("nan")]),
        ("half", [0, 0.0, 0.999], [1, -0.001]),
        ("inner", [0.5], [0, 1]),
        ("number", [3, -sys.float_info.max, sys.float_info.max], [float("inf"), float("nan"), 10**400, True, "1"]),
        ("text", ["a", " a "], ["", " ", 1, None]),
        ("empty", ["", " ", "a"], [None, b""]),
        ("kind", ["mean", "max"], ["", "MEAN", "sum"]),
        ("flag", [True, False], [0, 1, None, "True"]),
        ("several", [1, 1.5, "a", None], ["", True, [], LARGEST * 1j]),
        ("scorer", [TextScorer(), None], [TextScorer, "BM25()", Index()]),
    ],
)
def test_values_at_the_ends_of_a_range(name: str, accepted: list[object], refused: list[object]) -> None:
    entry = BY_NAME[name]
    assert [value for value in accepted if not entry.accepts(value)] == []
    assert [value for value in refused if entry.accepts(value)] == []


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("count", "a whole number"),
        ("few", "a whole number of at least 0 and at most 1,099,511,627,776"),
        ("share", "a number above 0 and at most 1"),
        ("half", "in [0, 1)"),
        ("inner", "in (0, 1)"),
        ("small", "a number below 1"),
        ("low", "a number of at least 1,000 and at most 2,000"),
        ("number", "a number that is finite"),
        ("text", "a text that is not empty"),
        ("empty", "a text"),
        ("kind", "one of 'mean', 'max'"),
        ("only", "'mean'"),
        ("flag", "True or False"),
        ("several", "a whole number, a number that is finite, a text that is not empty, or None"),
        ("either", "a whole number or None"),
        ("scorer", "a text scorer or None"),
        ("index", "an index"),
    ],
)
def test_what_is_allowed_in_words(name: str, allowed: str) -> None:
    assert BY_NAME[name].allowed() == allowed


def test_a_number_that_is_too_large_is_told_the_largest() -> None:
    assert BY_NAME["count"].allowed(LARGEST + 1) == "at most 2,147,483,647"
    assert BY_NAME["count"].allowed(LARGEST) == "a whole number"
    assert BY_NAME["count"].allowed(1e20) == "a whole number"
    assert BY_NAME["few"].allowed(2**41) == "a whole number of at least 0 and at most 1,099,511,627,776"


@pytest.mark.parametrize(
    ("name", "value", "example"),
    [
        ("kind", None, "'mean'"),
        ("kind", "maxx", "'max'"),
        ("kind", "nothing like it", "'mean'"),
        ("kind", 3, "'mean'"),
        ("either", None, "3"),
        ("number", None, "0.5"),
        ("text", None, "'a'"),
        ("scorer", None, "BM25()"),
    ],
)
def test_an_example_is_recipe_text(name: str, value: object, example: str) -> None:
    assert BY_NAME[name].example(value) == example


def test_parts_are_the_types_that_are_bricks() -> None:
    assert BY_NAME["scorer"].parts == (TextScorer,)
    assert BY_NAME["several"].parts == ()
    assert BY_NAME["index"].types == (Index,)


def test_a_value_is_checked_with_its_owner() -> None:
    sample = Sample(index=Index())
    for entry in BY_NAME.values():
        entry.check(sample)
    sample.kind = "maxx"
    with fails("parameter.not_allowed", brick="Sample", name="kind", value="'maxx'", example="'max'") as refused:
        BY_NAME["kind"].check(sample)
    assert str(refused.value) == "Sample kind must be one of 'mean', 'max', got 'maxx'; try 'max'"


def test_a_class_without_declared_fields_has_no_parameters() -> None:
    @dataclass
    class Plain:
        numbers: list[int] = field(default_factory=list)

    assert declared(Plain) == ()
