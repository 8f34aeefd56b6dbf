"""Odd errors and refusals of servers, as people report them, each with what is said and done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from faults import fails, told
from odd_servers import ANSWER, SCHEMA, THOUGHT, USAGE, ask, completion, events

from graphbrick import LLM, Session
from graphbrick.core.errors import ModelError
from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.messages import Request as ModelRequest
from graphbrick.models.llm.messages import system, user
from graphbrick.testing import Reply, Request, ScriptedLLM


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    with Session():
        yield


def refusal(body: Any, status: int = 400, content_type: str = "application/json") -> Reply:
    text = body if isinstance(body, str) else json.dumps(body)
    return Reply(body=text, status=status, content_type=content_type)


# What a server says: the sentence in the error, the status it means, and how often it is asked with one retry
FAULTS: dict[str, tuple[Reply, str, int, int]] = {
    "an error in a text": (refusal({"error": "model is not loaded"}), "model is not loaded", 400, 1),
    "a detail": (refusal({"detail": "no such route"}, 404), "no such route", 404, 1),
    "a detail of FastAPI": (
        refusal({"detail": [{"loc": ["body", "messages"], "msg": "field required"}]}, 422), "messages: field required",
        422, 1,
    ),
    "a list, as Google sends it": (
        refusal([{"error": {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT"}}]),
        "API key not valid", 400, 1,
    ),
    "a message alone, as vLLM sends it": (
        refusal({"object": "error", "message": "too long", "type": "BadRequestError", "code": 400}), "too long", 400, 1,
    ),
    "plain text": (refusal("no healthy upstream", 503, "text/plain"), "no healthy upstream", 503, 2),
    "a page": (
        refusal("<html><head><title>504 Gateway Time-out</title></head><body>nginx</body></html>", 504, "text/html"),
        "504 Gateway Time-out", 504, 2,
    ),
    "what the provider behind says": (
        refusal({"error": {"message": "Provider returned error", "code": 429, "metadata": {"raw": "limited"}}}, 429),
        "Provider returned error: limited", 429, 2,
    ),
    "the parameter beside the sentence": (
        refusal({"error": {"message": "Unsupported value", "param": "seed"}}), "seed: Unsupported value", 400, 1,
    ),
    "a status of Cloudflare": (refusal("error code: 520", 520, "text/plain"), "error code: 520", 520, 2),
    "200, code 429": (refusal({"error": {"message": "Rate limit exceeded", "code": 429}}, 200), "Rate limit", 429, 2),
    "200, code in a text": (refusal({"error": {"message": "slow", "code": "429"}}, 200), "slow", 429, 2),
    "200, code 502": (refusal({"error": {"message": "Provider returned error", "code": 502}}, 200), "Provider", 502, 2),
    "200, code by name": (refusal({"error": {"message": "no", "code": "rate_limit_exceeded"}}, 200), "no", 429, 2),
    "200, type by name": (refusal({"error": {"message": "Busy", "type": "overloaded_error"}}, 200), "Busy", 429, 2),
    "200, a bad request": (refusal({"error": {"message": "no", "type": "invalid_request_error"}}, 200), "no", 400, 1),
    "200, an error in a text": (refusal({"error": "runner has stopped"}, 200), "runner has stopped", 500, 2),
    "200, an error in the choice": (
        refusal({"choices": [{"error": {"message": "upstream", "code": 503}, "finish_reason": "error"}]}, 200),
        "upstream", 503, 2,
    ),
    "200, a list": (refusal([{"error": {"message": "quota", "code": 429}}], 200), "quota", 429, 2),
    "a stream that is an error": (
        events(json.dumps({"error": {"message": "exploded", "code": 502}}), end=""), "exploded", 502, 2,
    ),
    "a stream with an event that is an error": (
        Reply(body='event: e\ndata: {"error": {"message": "x y", "code": 500}}\n\n', content_type="text/event-stream"),
        "x y", 500, 2,
    ),
    "a stream of llama.cpp that fails": (
        Reply(body='error: {"code": 500, "message": "slot unavailable", "type": "server_error"}\n\n',
              content_type="text/event-stream"),
        "slot unavailable", 500, 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_what_a_server_says_is_shown_and_is_what_its_code_means(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reply, sentence, status, tries = FAULTS[name]
    monkeypatch.setattr("graphbrick.models.llm.http.connection._FIRST_PAUSE", 0.001)
    on_token = (lambda piece: None) if reply.content_type == "text/event-stream" else None
    with ScriptedLLM([reply]) as server, pytest.raises(ModelError) as caught:
        LLM("m", base_url=server.base_url, retries=1).ask([user("Who?")], on_token=on_token)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (caught.value.code, caught.value.values["status"]) == ("server.refused", status)
    assert len(server.requests) == tries


@pytest.mark.parametrize(
    ("sentence", "pause"),
    [
        ("Please try again in 12ms.", 0.012),
        ("Please retry after 0.5 s", 0.5),
        ("Rate limit: try again in 7m12s", 420.0),
    ],
)
def test_the_time_to_wait_is_read_from_the_sentence_too(sentence: str, pause: float) -> None:
    replies = [refusal({"error": {"message": sentence, "code": 429}}, status) for status in (429, 200)]
    for reply in replies:
        with ScriptedLLM([reply, ANSWER]) as server, record(Trace(), "x", "generate") as entry:
            llm = LLM("m", base_url=server.base_url, retries=1)
            if pause > 60:
                with fails("server.asks_to_wait", seconds=pause):
                    llm.complete([user("Who?")])
                continue
            assert llm.complete([user("Who?")]) == ANSWER
        assert told(entry.events) == [("server.tried_again", {"fault": "server.refused", "tries": 1, "pause": pause})]


REFUSED = {
    "a text": ({"error": "'response_format.type' must be 'text'"}, "response_format"),
    "a detail": ({"detail": "response_format is not supported by this server"}, "response_format"),
    "FastAPI": (
        {"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}]},
        "response_format",
    ),
    "its words": ({"error": {"message": "This model does not support structured outputs"}}, "response_format"),
    "json_schema": ({"error": {"message": "json_schema is not available"}}, "response_format"),
    "the parameter's field": ({"error": {"message": "Unsupported value", "param": "temperature"}}, "temperature"),
    "another parameter": ({"error": "unknown parameter: temperature"}, "temperature"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("status", [400, 422, 200])
def test_a_refused_parameter_is_left_out_however_it_is_said(name: str, status: int) -> None:
    body, parameter = REFUSED[name]

    def script(request: Request) -> Reply:
        return refusal(body, status) if parameter in request.body else Reply('{"n": 4}')

    with ScriptedLLM(script) as server, record(Trace(), "x", "generate") as entry:
        text = LLM("m", base_url=server.base_url, retries=0).complete([user("?")], schema=SCHEMA)
    assert text == '{"n": 4}'
    assert ("request.parameter_left_out", {"name": parameter}) in told(entry.events)


def test_a_server_of_one_sample_at_a_time_is_asked_in_turn() -> None:
    def script(request: Request) -> Reply:
        sentence = "Field 'n': Value must be between 1 <= value <= 1, but got 3"
        return refusal({"error": {"message": sentence}}) if "n" in request.body else Reply(ANSWER)

    with ScriptedLLM(script) as server:
        llm = LLM("m", base_url=server.base_url, retries=0)
        for requests in (4, 7):
            with record(Trace(), "x", "generate") as entry:
                assert [choice.message.text for choice in llm.ask([user("?")], n=3).choices] == [ANSWER] * 3
            assert (told(entry.events), entry.calls, len(server.requests)) == ([], 3, requests)


@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("System role not supported", 400),
        ("Conversation roles must alternate user/assistant/user/assistant/...", 400),
        ("Conversation roles must alternate user/assistant/user/assistant/...", 500),
        ("'messages[0].role' does not support 'system' with this model", 400),
        ("Developer instruction is not enabled for models/gemma-3-27b-it", 400),
        ("Only user and assistant roles are supported!", 400),
    ],
)
def test_a_model_without_a_system_role_is_asked_once_more(sentence: str, status: int) -> None:
    def script(request: Request) -> Reply:
        roles = [message["role"] for message in request.body["messages"]]
        return refusal({"error": {"message": sentence}}, status) if "system" in roles else Reply(ANSWER)

    messages = [system("Be brief."), user("First?"), {"role": "assistant", "content": "One"}, user("Who?")]
    with ScriptedLLM(script) as server:
        llm = LLM("m", base_url=server.base_url, retries=0)
        for calls in (2, 3):
            with record(Trace(), "x", "generate") as entry:
                assert llm.complete(messages) == ANSWER
            assert [code for code, _ in told(entry.events)] == ["request.system_merged"]
            assert len(server.requests) == calls
    sent = server.requests[-1].body["messages"]
    assert [one["role"] for one in sent] == ["user", "assistant", "user"]
    assert sent[0]["content"] == "Be brief.\n\nFirst?"


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("?api-version=2024-10-21", {"api-key": "K", "authorization": None}),
        ("?route=a%20b", {"api-key": None, "authorization": "Bearer K"}),
        ("chat/completions?api-version=preview", {"api-key": "K", "authorization": None}),
        ("chat/completions \n", {"api-key": None, "authorization": "Bearer K"}),
    ],
)
def test_a_base_url_with_a_query(query: str, headers: dict[str, str | None], monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedLLM([ANSWER]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.base_url}/{query}")
        monkeypatch.setenv("OPENAI_API_KEY", "K")
        assert LLM("m").complete([user("?")]) == ANSWER
    (request,) = server.requests
    assert request.path.replace("+", "%20") == f"/v1/chat/completions{query.removeprefix('chat/completions').strip()}"
    assert {name: request.headers.get(name) for name in headers} == headers


@pytest.mark.parametrize(("path", "is_told"), [("", True), ("/", True), ("/v1", False)])
def test_an_address_without_v1_is_told(path: str, is_told: bool) -> None:
    with ScriptedLLM([refusal("404 page not found", 404, "text/plain")]) as server:
        url = server.base_url.removesuffix("/v1") + path
        with fails("server.refused", status=404) as caught:
            LLM("m", base_url=url).complete([user("?")])
    assert ("does the address end in /v1?" in str(caught.value)) == is_told


class TestRoom:
    """Room for thoughts: the servers count them as tokens of the reply."""

    def test_a_model_that_was_cut_while_it_thought_is_asked_with_more(self) -> None:
        def script(request: Request) -> Reply:
            if request.body["max_tokens"] < 1000:
                return Reply(body=completion({"content": None, "reasoning_content": THOUGHT}, "length"))
            return Reply(body=completion({"content": ANSWER, "reasoning_content": THOUGHT}))

        with ScriptedLLM(script) as server:
            llm = LLM("m", base_url=server.base_url)
            with record(Trace(), "x", "generate") as entry:
                assert llm.complete([user("?")]) == ANSWER
            assert told(entry.events) == [("reply.more_room", {})]
            assert (entry.calls, entry.tokens_in, entry.tokens_out) == (2, 18, 8)
            assert llm.complete([user("And?")]) == ANSWER
            assert [request.body["max_tokens"] for request in server.requests] == [256, 4352, 4352]

    def test_a_model_that_is_known_to_think_has_room_at_once(self) -> None:
        with ScriptedLLM([ANSWER]) as server:
            LLM("deepseek-r1:8b", base_url=server.base_url).complete([user("?")])
            LLM("gpt-4.1", base_url=server.base_url).complete([user("?")])
            LLM("o4-mini", base_url=server.base_url, context=1000).complete([user("?")])
        rooms = [request.body["max_tokens"] for request in server.requests]
        assert rooms[:2] == [4352, 256]
        assert 256 < rooms[2] < 1000  # no more than the context holds

    def test_a_failure_when_it_is_asked_with_more_is_told(self) -> None:
        cut = Reply(body=completion({"content": None, "reasoning_content": THOUGHT}, "length"))

        def script(request: Request) -> Reply:
            return cut if request.body["max_tokens"] < 1000 else refusal({"message": "no such room"}, 400)

        with ScriptedLLM(script) as server, record(Trace(), "x", "generate") as entry:
            reply = LLM("m", base_url=server.base_url).ask([user("?")])
        assert "256 tokens to think" in reply.lack
        assert told(entry.events)[0][0] == "reply.no_more_room"
        assert "no such room" in entry.events[0]

    def test_a_server_that_gives_no_room_is_asked_without(self) -> None:
        def script(request: Request) -> Reply:
            too_many = request.body["max_tokens"] > 256
            return refusal({"message": "maximum context length is 2048"}, 400) if too_many else Reply(ANSWER)

        with ScriptedLLM(script) as server:
            for _ in range(2):
                assert LLM("qwq", base_url=server.base_url).complete([user("?")]) == ANSWER
            assert len(server.requests) == 3

    @pytest.mark.parametrize("message", [{"content": None, "reasoning": THOUGHT}, {"content": f"<think>\n{THOUGHT}"}])
    def test_where_the_room_is_too_small_the_remedy_is_named(self, message: dict[str, Any]) -> None:
        reply, _, codes = ask(Reply(body=completion(message, "length")))
        assert (reply.text, reply.ran_out) == ("", True)
        assert codes == ["reply.more_room", "reply.only_thoughts"]
        assert "4,352 tokens to think" in reply.lack
        assert "--max-tokens 9000" in reply.lack

    def test_tokens_of_thoughts_alone_tell_that_it_thought(self) -> None:
        usage = USAGE | {"completion_tokens_details": {"reasoning_tokens": 256}}
        reply, _, _ = ask(Reply(body=completion({"content": ""}, "length", usage=usage)))
        assert reply.ran_out

    def test_thoughts_without_an_answer_that_ended_are_told(self) -> None:
        reply, _, codes = ask(Reply(body=completion({"content": "", "reasoning": THOUGHT})))
        assert codes == ["reply.only_thoughts"]
        assert reply.lack.startswith("the model wrote thoughts alone")

    def test_probabilities_need_no_room(self) -> None:
        with ScriptedLLM([Reply("", finish_reason="length")]) as server:
            LLM("o3", base_url=server.base_url).ask_all([ModelRequest([user("?")], top_logprobs=5, max_tokens=1)])
        assert [request.body["max_tokens"] for request in server.requests] == [1]
