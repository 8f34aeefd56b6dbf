"""Aims of a search, and which figures are better by them."""

from __future__ import annotations

import pytest
from faults import fails

from graphbrick.study.tune.aims import Aim, Figures, layers

FAST = Figures(0.6, 0.005, 0, 0.0, 100)
GOOD = Figures(0.8, 0.060, 900, 0.002, 100)
POOR = Figures(0.5, 0.070, 900, 0.002, 100)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("quality", {}),
        ("latency<50ms", {"seconds": 0.05}),
        ("Latency <= 1.5 s", {"seconds": 1.5}),
        ("cost<$0.001", {"usd": 0.001}),
        ("latency<2s, tokens<500", {"seconds": 2.0, "tokens": 500.0}),
    ],
)
def test_an_aim_is_read(text: str, limits: dict[str, float]) -> None:
    assert Aim.parse(text).limits == limits


@pytest.mark.parametrize("text", ["", "fast", "latency<50", "tokens<5ms", "latency>5ms", "cost<a", "cost<1,cost<2"])
def test_another_text_is_an_error_that_shows_an_aim(text: str) -> None:
    with fails("aim.limited_twice" if text.count("cost") > 1 else "aim.unreadable"):
        Aim.parse(text)


def test_what_keeps_the_limits_goes_before_what_is_better() -> None:
    order = Aim.parse("latency<50ms").order
    assert sorted([POOR, GOOD, FAST], key=order) == [FAST, GOOD, POOR]
    assert sorted([POOR, GOOD, FAST], key=Aim.parse("quality").order) == [GOOD, FAST, POOR]
    assert Aim.parse("latency<50ms,cost<0.001").excess(GOOD) == 2.0


def dominates(first: Figures, second: Figures) -> bool:
    mine = (-first.quality, first.seconds, first.tokens, first.usd)
    other = (-second.quality, second.seconds, second.tokens, second.usd)
    return mine != other and all(a <= b for a, b in zip(mine, other, strict=True))


def test_fronts_are_those_of_a_search_through_all_pairs() -> None:
    assert layers({0: GOOD, 1: POOR, 2: FAST, 3: GOOD}) == {0: 0, 1: 1, 2: 0, 3: 0}
    figures = {i: Figures((i * 7 % 11) / 11, (i * 5 % 13) / 13, i * 3 % 4, 0.0, 10) for i in range(40)}
    found = layers(figures)
    for key, layer in found.items():
        above = [found[other] for other in figures if dominates(figures[other], figures[key])]
        assert layer == max(above, default=-1) + 1
