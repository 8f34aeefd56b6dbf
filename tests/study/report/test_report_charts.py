from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.study.report.charts import Part, Row, grouped_bars, round_ticks, stack, stacked_bars
from graphbrick.study.report.scatter import Point, pareto, scatter
from graphbrick.study.statistics.intervals import Interval

PARTS = [Part("first", "link"), Part("second", "extract")]


def shares(element: ET.Element, name: str) -> list[float]:
    return [float(value.rstrip("%")) for node in element.iter() if (value := node.get(name)) and value.endswith("%")]


def point(number: int, x: float, y: float, name: str = "") -> Point:
    return Point(number, name or f"recipe {number}", x, y, max(0.0, y - 0.05), min(1.0, y + 0.05), f"note {number}")


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12))
def test_the_front_is_of_the_points_that_no_other_beats(values):
    points = [point(i, x, y / 10) for i, (x, y) in enumerate(values)]
    unbeaten = {
        p.number
        for p in points
        if not any((q.x <= p.x and q.y > p.y) or (q.x < p.x and q.y >= p.y) for q in points)
    }  # fmt: skip
    assert {p.number for p in pareto(points)} == unbeaten


def drawn(points: list[Point], **options) -> ET.Element:
    given = {"x_name": "time", "y_name": "F1, %", "shown": str} | options
    return ET.fromstring(scatter(points, **given))


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 1e-9, 1e-3, 1.0, 5.0, 1e3, 1e9]), st.floats(0, 1)), min_size=1, max_size=15
    )
)
def test_every_point_is_drawn_inside_the_chart(values):
    figure = drawn([point(i, x, y) for i, (x, y) in enumerate(values)])
    circles = list(figure.iter("circle"))
    assert len(circles) == len(values)
    assert all(0 <= float(c.get("cx")) <= 560 and 0 <= float(c.get("cy")) <= 370 for c in circles)
    texts = [node.text for node in figure.iter("text")]
    assert all(str(i) in texts for i in range(len(values)))


@given(st.lists(st.tuples(st.floats(1, 1e6), st.floats(0, 1)), min_size=2, max_size=10, unique=True))
def test_points_lie_in_the_order_of_their_values(values):
    figure = drawn([point(i, x, y) for i, (x, y) in enumerate(values)])
    at = {}
    for mark in figure.iter("g"):
        circle = mark.find("circle")
        at[int(mark.find("text").text)] = float(circle.get("cx")), float(circle.get("cy"))
    for i, a in enumerate(values):
        for j, b in enumerate(values):
            assert not (a[0] <= b[0] and at[i][0] > at[j][0])
            assert not (a[1] <= b[1] and at[i][1] < at[j][1])  # up is less


def test_a_wide_span_has_a_log_axis_on_which_0_has_a_place_of_its_own():
    near = [point(1, 10, 0.5), point(2, 20, 0.6)]
    far = [point(1, 0, 0.5), point(2, 1, 0.6), point(3, 1000, 0.7)]
    assert "log scale" not in scatter(near, x_name="time", y_name="F1", shown=str)
    assert "log scale" in scatter(far, x_name="time", y_name="F1", shown=str)
    circles = {float(c.get("cx")) for c in drawn(far).iter("circle")}
    assert len(circles) == 3


def test_names_cover_no_point_and_no_other_name():
    points = [point(i, 10 + i, 0.5 + 0.001 * i) for i in range(1, 9)]
    figure = drawn(points)
    names = [node for node in figure.iter("text") if node.get("class") == "of"]
    rows = [float(node.get("y")) for node in names]
    assert names
    assert len(set(rows)) == len(rows)  # beside each other they would overlap


def test_a_front_of_all_and_none():
    assert drawn([point(1, 1, 0.5)]).find(".//polyline") is not None
    assert drawn([point(1, 1, 0.5)], front=False).find(".//polyline") is None


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=2))
def test_stacked_parts_lie_one_after_the_other(values):
    figure = ET.fromstring(stacked_bars([Row(1, "a", values)], PARTS, shown=str))
    rects = list(figure.iter("rect"))
    assert len(rects) == sum(value > 0 for value in values)
    at = 0.0
    for rect in rects:
        assert float(rect.get("x").rstrip("%")) == pytest.approx(at, abs=0.02)
        at += float(rect.get("width").rstrip("%"))
    assert at <= 100.02


def test_the_width_of_a_part_is_its_share():
    figure = ET.fromstring(stacked_bars([Row(1, "a", [0.25, 0.75])], PARTS, shown=str, whole=1.0))
    assert shares(figure, "width") == [25.0, 75.0]
    assert [node.text for node in figure.iter("title")] == ["a\nfirst: 0.25", "a\nsecond: 0.75"]
    small = ET.fromstring(stack([1, 3], PARTS, "said"))
    assert shares(small, "width") == [25.0, 75.0]
    assert ET.fromstring(stack([0, 0], PARTS, "nothing")).find("rect") is None


def test_a_row_without_values_says_why():
    figure = stacked_bars([Row(1, "a", [None, None], "no gold answers")], PARTS, shown=str)
    assert "no gold answers" in figure
    assert "<rect" not in figure


def test_grouped_bars_have_their_intervals():
    figure = ET.fromstring(grouped_bars([Row(1, "a", ())], PARTS, [[Interval(0.5, 0.4, 0.7, 20), None]]))
    assert shares(figure, "width") == [50.0]
    reach = [node for node in figure.iter("line") if node.get("class") == "reach"]
    assert (reach[0].get("x1"), reach[0].get("x2")) == ("40.00%", "70.00%")
    texts = [node.text for node in figure.iter()]
    assert "first: 50.0 %, interval 40.0 to 70.0, n = 20" in texts
    assert "second: no question" in texts


@given(st.floats(1e-9, 1e12))
def test_ticks_are_round_and_hold_the_longest(longest):
    ticks = round_ticks(longest)
    assert ticks[0] == 0
    assert ticks[-1] >= longest * (1 - 1e-8)
    assert 2 <= len(ticks) <= 8
    steps = {f"{b - a:.6g}" for a, b in pairwise(ticks)}
    assert len(steps) == 1
