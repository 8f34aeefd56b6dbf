"""Numbers that several properties may be: what is named whole is meant, anything else is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from built_graphs import built_from_tables

from graphbrick import Graph
from graphbrick.learn.default import default_pipeline

ORDERS = """id,label,name,unit_price,total_price,net_amount,total_amount,rating
o0,Order,Order 0,10,30,30,40,0
o1,Order,Order 1,25,25,25,35,1
o2,Order,Order 2,5,45,45,55,2
"""


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("orders"), {"nodes-o": ORDERS})


@pytest.mark.parametrize(
    ("question", "answers", "is_sure"),
    [
        ("What is the total price?", ("100",), True),  # of `total_price`, not of the prices of a unit
        ("What is the total amount?", ("130",), True),
        ("What is the total unit price?", ("40",), True),
        ("What is the average total price?", ("33.33",), True),
        ("What is the average rating?", ("1",), True),
        ("Which order has the highest unit price?", ("Order 1",), True),
        ("Which order has the highest price?", ("Order 1",), False),
        ("What is the average price?", ("13.33",), False),
        ("What is the highest amount?", ("55",), False),
    ],
)
def test_which_number_is_meant(question: str, answers: tuple[str, ...], is_sure: bool, orders: Graph) -> None:
    run = default_pipeline(orders).run(orders, question)
    assert run.answer is not None
    assert run.answer.texts == answers
    assert ((run.answer.confidence or 0) > 0.9) == is_sure
    assert any("there is" in text for text in map(str, run.trace.events)) != is_sure


DAYS = """id,label,name,date,weather,wind
d1,CityWeather,Row 1,2015-12-24,sun,3
d2,CityWeather,Row 2,2015-12-25,rain,1.5
d3,CityWeather,Row 3,2015-12-26,rain,4
"""
EVENTS = "id,label,name,event,place\nv1,Step,Step one,Launch,Kourou\nv2,Step,Step two,Landing,Jezero\n"


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_what_was_asked_for_is_given_and_no_row_for_it(tmp_path: Path) -> None:
    days = built_from_tables(_made(tmp_path / "days"), {"nodes-d": DAYS})
    pipeline = default_pipeline(days)
    assert pipeline(days, "What was the weather on 2015-12-25?").texts == ("rain",)
    assert pipeline(days, "What was the wind on 2015-12-26?").texts == ("4",)
    steps = built_from_tables(_made(tmp_path / "steps"), {"nodes-v": EVENTS})
    assert default_pipeline(steps)(steps, "When was the Launch?").texts == ()
    assert default_pipeline(steps)(steps, "When did Landing start?").texts == ()
