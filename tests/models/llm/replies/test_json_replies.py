from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick.models.llm.replies.json_replies import (
    Object,
    find_json,
    json_list,
    json_object,
    only_list,
    whole_number,
)

SCALARS = st.none() | st.booleans() | st.integers() | st.text(alphabet='ab"\\{}[],:\n', max_size=6)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner), max_leaves=12
)
OBJECTS = st.dictionaries(st.text(max_size=3), VALUES)
few = settings(max_examples=40)  # drawing nested values is slow


@given(VALUES)
def test_json_alone_is_its_value(value: object) -> None:
    assert find_json(json.dumps(value)) == (value, True)


@pytest.mark.whole
@few
@given(OBJECTS, st.sampled_from([None, 2]))
def test_an_object_between_prose_is_found(value: dict[str, object], indent: int | None) -> None:
    text = f"Of course! Here it is:\n{json.dumps(value, indent=indent)}\nI hope {{that}} helps."
    assert find_json(text) == (value, True)


@given(st.lists(st.integers(0, 99)), st.data())
def test_of_what_breaks_off_the_whole_items_are_left(numbers: list[int], data: st.DataObject) -> None:
    whole = json.dumps({"numbers": numbers})
    text = whole[: data.draw(st.integers(0, len(whole) - 1))]
    value, is_whole = find_json(text)
    if value is None:
        assert ", " not in text
    elif not is_whole:
        # What stands before the last comma, or all of them where only the object's end is lacking
        expected = numbers if text.endswith("]") else numbers[: text.count(",")]
        assert value == {"numbers": expected}


@pytest.mark.whole
@few
@given(OBJECTS, st.data())
def test_a_piece_of_json_never_breaks_the_reader(value: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps(value)
    found, is_whole = find_json(text[: data.draw(st.integers(0, len(text)))])
    assert is_whole or isinstance(found, dict)
    if isinstance(found, dict):
        assert set(found) <= set(value)


def test_what_is_no_json() -> None:
    for text in ("", "{", "[", "{nope}", "{nope, 3", "[3] Kenya", "[[[[" * 5000, '{"a": 1', 'I say {"a": 1'):
        assert find_json(text) == (None, True), text[:20]


def test_keys_that_are_there_twice_are_remembered() -> None:
    value, _ = find_json('{"1": 2, "1": 3}')
    assert isinstance(value, Object)
    assert (value, value.pairs) == ({"1": 3}, [("1", 2), ("1", 3)])


def test_the_only_list() -> None:
    assert only_list([1]) == [1]
    assert only_list({"a": 1, "b": [2]}) == [2]
    assert only_list({"a": [1], "b": [2]}) is None
    assert only_list("[1]") is None


def check_strict(schema: dict[str, Any]) -> None:
    """What OpenAI's strict mode asks of a schema."""
    if schema["type"] == "object":
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])
        for inner in schema["properties"].values():
            check_strict(inner)
    elif schema["type"] == "array":
        assert set(schema) == {"type", "items", "maxItems"}
        check_strict(schema["items"])
    else:
        assert schema["type"] in ("integer", "string", "boolean")


def test_schemas_are_strict() -> None:
    schema = json_object(a=json_list(whole_number(1, 3), most=2), b=json_object(c={"type": "boolean"}))
    check_strict(schema)
    assert schema["properties"]["a"] == {
        "type": "array",
        "items": {"type": "integer", "minimum": 1, "maximum": 3},
        "maxItems": 2,
    }
