"""Whatever a server sends is a reply that can be written and recorded, or a `NotACompletionError`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.models.llm.http.faults import ErrorReplyError, LostConnectionError, NotACompletionError
from graphbrick.models.llm.http.reader import ReplyReader
from graphbrick.models.llm.messages import Reply, Request, Tool, user
from graphbrick.models.llm.reply_cache import recorded_reply, reply_json

REQUEST = Request([user("?")], tools=[Tool("search", "Find.", {"type": "object"})], n=2, top_logprobs=2)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.sampled_from([1e999, -1e999, 10**400, 0.5])
    | st.sampled_from(["", "stop", "search", '{"a": 1}', "[", "\ud800", "\\ud800", "{" * 3000])
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("a"), inner), max_leaves=3
)


def some(*values: Any) -> st.SearchStrategy[Any]:
    """What a field should hold, or anything else."""
    return st.one_of(*values, JSON)


FUNCTION = st.fixed_dictionaries({}, optional={"name": some(), "arguments": some()})
CALL = st.fixed_dictionaries({}, optional={"index": some(), "id": some(), "function": some(FUNCTION)})
TOKEN = st.fixed_dictionaries({}, optional={"token": some(), "logprob": some(), "top_logprobs": some()})
LOGPROBS = st.fixed_dictionaries({}, optional={"content": some(st.lists(some(TOKEN), max_size=2))})
MESSAGE = st.fixed_dictionaries(
    {}, optional={"content": some(), "refusal": some(), "tool_calls": some(st.lists(some(CALL), max_size=2))}
)
CHOICE = st.fixed_dictionaries(
    {},
    optional={
        "index": some(),
        "message": some(MESSAGE),
        "delta": some(MESSAGE),
        "finish_reason": some(),
        "logprobs": some(LOGPROBS),
    },
)
USAGE = st.fixed_dictionaries({}, optional={"prompt_tokens": some(), "completion_tokens": some()})
BODY = st.fixed_dictionaries(
    {}, optional={"choices": some(st.lists(some(CHOICE), max_size=2)), "usage": some(USAGE), "error": some()}
)


def check(reply: Reply) -> None:
    json.dumps(reply_json(reply), ensure_ascii=False).encode()
    assert recorded_reply(json.loads(json.dumps(reply_json(reply)))).choices == reply.choices
    assert reply.tokens_in >= 0
    assert reply.tokens_out >= 0


@given(some(BODY))
def test_a_whole_body(body: object) -> None:
    reader = ReplyReader("m", REQUEST, 10)
    try:
        reader.add_body(json.dumps(body).encode())
        check(reader.reply())
    except NotACompletionError as error:
        error.came.encode()
    except ErrorReplyError as error:
        str(error).encode()
        assert error.status_code in range(400, 600)  # noqa: PT017 - there is an error for some bodies only


@given(st.lists(some(BODY), max_size=3), st.integers(1, 50))
def test_a_stream_in_pieces_of_any_size(events: list[object], size: int) -> None:
    data = "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in events).encode()
    reader = ReplyReader("m", REQUEST, 10)
    try:
        for start in range(0, len(data), size):
            reader.add_stream(data[start : start + size])
        reader.end_stream()
        check(reader.reply())
    except NotACompletionError as error:
        error.came.encode()
    except ErrorReplyError as error:
        str(error).encode()
        assert error.status_code in range(400, 600)  # noqa: PT017 - there is an error for some bodies only


def _read_stream(data: bytes) -> None:
    reader = ReplyReader("m", REQUEST, 10)
    reader.add_stream(data)
    reader.end_stream()


@given(st.binary(max_size=40))
def test_bytes(data: bytes) -> None:
    with pytest.raises((NotACompletionError, LostConnectionError)):
        ReplyReader("m", REQUEST, 10).add_body(data)
    with pytest.raises((NotACompletionError, LostConnectionError)):
        _read_stream(data)
