"""Conditions whose values are texts, against the kinds of the properties."""

from __future__ import annotations

import datetime

import pytest
from faults import fails

from graphbrick.core.errors import InputError
from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.stated import short_json, shown_properties, stated_condition
from graphbrick.core.properties.values import Kind, PropertyColumn

COLUMNS = [
    PropertyColumn("price", Kind.NUMBER, 97),
    PropertyColumn("price", Kind.TEXT, 3),
    PropertyColumn("unit_price", Kind.INTEGER, 9),
    PropertyColumn("code", Kind.TEXT, 5),
    PropertyColumn("born", Kind.DATE, 5),
    PropertyColumn("seen", Kind.DATETIME, 5),
    PropertyColumn("sold", Kind.BOOLEAN, 5),
    PropertyColumn("Name", Kind.TEXT, 2),
    PropertyColumn("name", Kind.TEXT, 2),
]


@pytest.mark.parametrize(
    ("name", "bounds", "condition"),
    [
        ("price", {"above": "30"}, Condition("price", above=30)),
        ("price", {"equals": " 24.5 "}, Condition("price", equals=24.5)),
        ("price", {"equals": "n/a"}, Condition("price", equals="n/a")),
        ("unit price", {"at_least": "2.5", "below": "4"}, Condition("unit_price", at_least=2.5, below=4)),
        ("code", {"equals": "007"}, Condition("code", equals="007")),
        ("price", {"equals": "007"}, Condition("price", equals="007")),
        ("born", {"equals": "1990-01-02"}, Condition("born", equals=datetime.date(1990, 1, 2))),
        ("seen", {"above": "1990-01-02"}, Condition("seen", above=datetime.date(1990, 1, 2))),
        (
            "born",
            {"above": "1990-01-02T10:00:00Z"},
            Condition("born", above=datetime.datetime(1990, 1, 2, 10, tzinfo=datetime.UTC)),
        ),
        ("sold", {"equals": "True"}, Condition("sold", equals=True)),
        ("name", {"equals": "Lee"}, Condition("name", equals="Lee")),
    ],
)
def test_a_bound_is_read_as_the_kind_of_the_property(name, bounds, condition):
    assert stated_condition(COLUMNS, name, bounds) == condition


def test_what_cannot_be_a_condition_is_an_error():
    with fails("stated_condition.no_property", InputError, name="NAME"):
        stated_condition(COLUMNS, "NAME", {"equals": "Lee"})  # two properties are called so
    with fails("stated_condition.no_property", InputError, name="size"):
        stated_condition([], "size", {"equals": "3"})
    with fails("stated_condition.wrong_kind", InputError, name="born", value="1990"):
        stated_condition(COLUMNS, "born", {"above": "1990", "below": "1992-01-01"})
    with fails("condition.no_bound", InputError, name="born"):
        stated_condition(COLUMNS, "born", {"above": "", "below": "  "})


def test_lists_and_texts_are_cut_and_said_to_be():
    many = {"a": tuple(range(100)), "b": "x" * 50, "c": (2**60, float("inf"))}
    assert list(shown_properties(many, 2, 90))[-1] == ("...", "and 1 property more")
    assert next(iter(shown_properties(many, 1, 90)))[1].endswith("18, 19 and 80 more")
    short, is_cut = short_json(many, 3, 20)
    assert is_cut
    assert short == {"a": [0, 1, 2], "b": f"{'x' * 20}... (50 characters)", "c": [str(2**60), "inf"]}
    assert short_json({"a": (1, 2), "b": "x" * 10, "c": 2**60}, 3, 20) == (
        {"a": [1, 2], "b": "x" * 10, "c": str(2**60)},
        False,
    )
