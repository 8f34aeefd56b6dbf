"""Actions as small models write them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.bricks.agents.text_protocol import read_actions
from graphbrick.bricks.agents.toolbox import all_tools
from graphbrick.core.trace import Trace, record

TOOLS = all_tools()


def read(reply: str) -> list[tuple[str, Any]]:
    calls = read_actions(reply, TOOLS)
    return [(c.name, dict(c.arguments) if isinstance(c.arguments, Mapping) else list(c.arguments)) for c in calls]


def bound(reply: str) -> list[tuple[str, Any]]:
    return [(call.name, TOOLS[call.name].bind(call.arguments)) for call in read_actions(reply, TOOLS)]


KENYA = ("search", {"text": "Kenya"})
CAPITAL = ("neighbours_by_relation", {"entity": "Kenya", "relation": "capital"})


@pytest.mark.parametrize(
    "reply",
    [
        'Thought: I look it up.\nAction: search["Kenya"]',
        "Action: search[Kenya]",
        "action: Search[Kenya",
        "**Action:** `search['Kenya']`",
        "Action 1: search(Kenya)",
        "Action: search Kenya",
        "Action: search: Kenya",
        "Action: search\nAction Input: Kenya",
        'Action: search\nAction Input: {"text": "Kenya"}',
        'Action: search{"text": "Kenya"}',
        'Action: search[{"text": "Kenya"}]',
        "Action: search[text=Kenya]",
        'Action: search[text: "Kenya"]',
        "Action: search[“Kenya”]",
        "I call search[Kenya] now.",
        '{"name": "search", "arguments": {"text": "Kenya"}}',
        'Action: {"name": "search", "arguments": {"text": "Kenya"}}',
        '<tool_call>\n{"name": "search", "arguments": {"text": "Kenya"}}\n</tool_call>',
        '```json\n{"tool": "search", "args": {"text": "Kenya"}}\n```',
        '{"search": {"text": "Kenya"}}',
        '{{"name": "search", "arguments": {"text": "Kenya"}}}',
        '<tool_call>\n{{ "name": "search", "arguments": {"text": "Kenya"} }}\n</tool_call>',
        '{"action": "search", "action_input": "Kenya"}',
        "<think>Perhaps Action: search[Uganda]?</think>Action: search[Kenya]",
        "Action: search[Kenya]\nObservation: Kenya is large.\nAction: finish[Nairobi]",
        "Thought: search is good\nAction: search[Kenya]\nQuestion: Who?\nAction: search[Who]",
    ],
)
def test_one_action_is_read(reply: str) -> None:
    assert bound(reply) == [KENYA]


@pytest.mark.parametrize(
    "reply",
    [
        'Action: neighbours_by_relation["Kenya", "capital"]',
        "Action: neighbours_by_relation[Kenya, capital]",
        "Action: neighbours_by_relation[Kenya | capital]",
        "Action: Neighbours-By-Relation(entity='Kenya', relation='capital')",
        "Action: neighboursByRelation[Kenya, relation=capital]",
        'Action: neighbours_by_relation["Kenya", "capital"',
    ],
)
def test_two_arguments_are_read(reply: str) -> None:
    assert bound(reply) == [CAPITAL]


def test_several_actions_are_read_in_order() -> None:
    assert bound("Action: search[Kenya]\nAction: search[Uganda]") == [KENYA, ("search", {"text": "Uganda"})]
    assert bound("Action: search[Kenya], search[Uganda]") == [KENYA, ("search", {"text": "Uganda"})]
    assert bound('[{"name": "search", "arguments": {"text": "Kenya"}}]') == [KENYA]


def test_brackets_commas_and_quotes_of_names_stay() -> None:
    assert bound("Action: neighbours[SOCS3 [Gene::9021]]") == [("neighbours", {"entity": "SOCS3 [Gene::9021]"})]
    assert bound("Action: search[Côte d'Ivoire]") == [("search", {"text": "Côte d'Ivoire"})]
    assert bound("Action: search['Côte d'Ivoire']") == [("search", {"text": "Côte d'Ivoire"})]
    assert bound('Action: search["say \\"hi\\""]') == [("search", {"text": 'say "hi"'})]
    assert bound("Action: search[Washington, D.C.]") == [("search", {"text": "Washington, D.C."})]
    assert bound("Action: finish[Nairobi, Kampala]") == [("finish", {"nodes": ["Nairobi", "Kampala"]})]
    assert bound('Action: finish[["L1", "L2"]]') == [("finish", {"nodes": ["L1", "L2"]})]
    assert bound('Action: combine[lists=["L1", "L2"]]') == [("combine", {"lists": ["L1", "L2"]})]


@pytest.mark.parametrize(
    "reply", ["", "   ", "Nairobi is the capital.", "Thought: hm", "{", "[1, 2]", "Action:", '{"a": 1}']
)
def test_no_action_is_read_where_there_is_none(reply: str) -> None:
    assert read(reply) == []


def test_escaped_quotes_within_an_argument_stay() -> None:
    assert read('Action: query["MATCH (n {name: \\"Heat, 2\\"}) RETURN n", n=5]') == [
        ("query", {"text": 'MATCH (n {name: "Heat, 2"}) RETURN n', "n": "5"})
    ]


@pytest.mark.parametrize(
    ("reply", "arguments"),
    [
        ('{"action": "finish", "action_input": 42}', [42]),
        ('{"action": "finish", "action_input": 0}', [0]),
        ('{"name": "finish", "arguments": true}', [True]),
        ('{"finish": 1.5}', [1.5]),
        ('{"name": "finish", "arguments": null}', []),
    ],
)
def test_a_bare_value_is_the_only_argument(reply: str, arguments: list[object]) -> None:
    assert read(reply) == [("finish", arguments)]


def test_an_unknown_tool_is_read_so_that_advice_can_come_back() -> None:
    assert read("Action: lookup[Kenya]") == [("lookup", ["Kenya"])]


def test_an_imagined_result_is_an_event() -> None:
    trace = Trace()
    with record(trace, "stage", "retrieve"):
        read("Action: search[Kenya]\nObservation: it is large\nAction: finish[Kenya]")
    assert trace.event_codes == ["agent.imagined_result"]


@pytest.mark.whole
@given(st.text(alphabet="abAction:[]{}()\"'|,= \nsearch\\<>_", max_size=80))
def test_any_text_is_read_without_error(text: str) -> None:
    for call in read_actions(text, TOOLS):
        assert call.name


def test_long_replies_take_linear_time() -> None:
    start = time.thread_time()  # of this thread, so that other processes do not count
    for text in (
        "Action: search[" * 3000,
        "[" * 20_000,
        "search(" * 3000,
        '"' * 20_000,
        "Action: search['" + "a'" * 9000,
    ):
        read_actions(text, TOOLS)
    assert time.thread_time() - start < 5
