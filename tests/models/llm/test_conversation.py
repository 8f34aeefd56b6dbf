"""Conversations with tools, several replies, log probabilities, and a stream for every run."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator

import pytest
from faults import fails, told

from graphbrick import LLM, Generate, Session, ShortestPaths
from graphbrick.core.errors import ModelError
from graphbrick.core.session import current_session
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.models.llm.chat import streaming
from graphbrick.models.llm.messages import Message, Request, Tool, ToolCall, system, tool_result, user
from graphbrick.models.llm.sending import OnToken
from graphbrick.testing import Reply, ScriptedLLM, tiny_graph
from graphbrick.testing import Request as Received

SEARCH = Tool("search", "Find entities by name.", {"type": "object", "properties": {"name": {"type": "string"}}})
QUESTION = "Which currency is used in Kenya?"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with Session():
        yield


@pytest.fixture
def entry() -> Iterator[StageTrace]:
    with record(Trace(), "test", "retrieve") as stage:
        yield stage


def llm(server: ScriptedLLM, **parameters: object) -> LLM:
    given = {"timeout": 5.0, "retries": 0} | parameters
    return LLM("some-chat-model", base_url=server.base_url, **given)  # type: ignore[arg-type]


def streams() -> list[OnToken | None]:
    return [None, lambda piece: None]


class TestTools:
    @pytest.mark.parametrize("on_token", streams(), ids=["whole", "streamed"])
    def test_a_tool_is_called_and_its_result_answered(self, on_token: OnToken | None, entry: StageTrace) -> None:
        def script(request: Received) -> Reply:
            if request.body["messages"][-1]["role"] == "tool":
                return Reply(f"It is the {request.body['messages'][-1]['content']}.")
            return Reply(tool_calls=[("search", '{"name": "Nairobi", "n": 3}')], finish_reason="tool_calls")

        with ScriptedLLM(script) as server:
            model, messages = llm(server), [system("Use the tools."), user(QUESTION)]
            reply = model.ask(messages, tools=[SEARCH], on_token=on_token)
            (call,) = reply.tool_calls
            assert (call.name, call.arguments, call.invalid) == ("search", {"name": "Nairobi", "n": 3}, "")
            assert reply.choices[0].finish_reason == "tool_calls"
            messages += [reply.message, tool_result(call, "Kenyan shilling")]
            assert model.ask(messages, tools=[SEARCH], on_token=on_token).text == "It is the Kenyan shilling."
            first, second = (request.body for request in server.requests)
        assert first["tools"][0]["function"]["name"] == "search"
        assert second["messages"][2:] == [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {
                        "id": "call_0",
                        "type": "function",
                        "function": {"name": "search", "arguments": '{"name": "Nairobi", "n": 3}'},
                    }
                ],
            },
            {"role": "tool", "content": "Kenyan shilling", "tool_call_id": "call_0"},
        ]
        assert entry.events == []
        assert entry.exchanges[0].tool_calls == second["messages"][2]["tool_calls"]
        assert entry.exchanges[1].messages == second["messages"]
        assert entry.calls == 2

    @pytest.mark.parametrize("on_token", streams(), ids=["whole", "streamed"])
    def test_several_calls_keep_their_order(self, on_token: OnToken | None) -> None:
        calls = [("search", '{"name": "a"}'), ("search", '{"name": "b"}'), ("search", "")]
        with ScriptedLLM([Reply("I look.", tool_calls=calls)]) as server:
            reply = llm(server).ask([user("?")], tools=[SEARCH], on_token=on_token)
        assert [call.arguments for call in reply.tool_calls] == [{"name": "a"}, {"name": "b"}, {}]
        assert reply.text == "I look."

    @pytest.mark.parametrize("on_token", streams(), ids=["whole", "streamed"])
    def test_calls_that_share_an_index_are_told_apart(self, on_token: OnToken | None) -> None:
        functions = [{"name": "search", "arguments": f'{{"name": "{name}"}}'} for name in "ab"]
        calls = [{"index": 0, "id": f["arguments"][-3], "type": "function", "function": f} for f in functions]
        if on_token is None:
            choice = {"index": 0, "message": {"content": "", "tool_calls": calls}, "finish_reason": "tool_calls"}
            body, kind = json.dumps({"choices": [choice]}), "application/json"
        else:
            pieces = [{"index": 0, "delta": {"tool_calls": [call]}} for call in calls]
            pieces.append({"index": 0, "delta": {}, "finish_reason": "tool_calls"})
            body = "".join(f"data: {json.dumps({'choices': [piece]})}\n\n" for piece in pieces) + "data: [DONE]\n\n"
            kind = "text/event-stream"
        with ScriptedLLM([Reply(body=body, content_type=kind)]) as server:
            reply = llm(server).ask([user("?")], tools=[SEARCH], on_token=on_token)
        assert [(call.id, call.arguments) for call in reply.tool_calls] == [("a", {"name": "a"}), ("b", {"name": "b"})]

    def test_a_new_identifier_of_a_piece_begins_no_call(self) -> None:
        named = {"index": 0, "id": "a", "function": {"name": "search", "arguments": '{"name": '}}
        rest = {"index": 0, "id": "b", "function": {"arguments": '"x"}'}}
        pieces = [{"index": 0, "delta": {"tool_calls": [piece]}} for piece in (named, rest)]
        body = "".join(f"data: {json.dumps({'choices': [piece]})}\n\n" for piece in pieces) + "data: [DONE]\n\n"
        with ScriptedLLM([Reply(body=body, content_type="text/event-stream")]) as server:
            reply = llm(server).ask([user("?")], tools=[SEARCH], on_token=lambda _: None)
        assert [(call.id, call.arguments) for call in reply.tool_calls] == [("a", {"name": "x"})]

    def test_arguments_that_are_no_object_are_not_sent_again(self) -> None:
        calls = [("search", '{"name": "Nai'), ("search", '{"name": "a"}')]
        with ScriptedLLM([Reply(tool_calls=calls), "done"]) as server:
            reply = llm(server).ask([user("?")], tools=[SEARCH])
            llm(server).ask(
                [user("?"), reply.message, *(tool_result(call, "...") for call in reply.tool_calls)], tools=[SEARCH]
            )
            sent = server.requests[1].body["messages"][1]["tool_calls"]
        assert [call["function"]["arguments"] for call in sent] == ["{}", '{"name": "a"}']

    @pytest.mark.parametrize("arguments", ['{"name": "Nai', "[1]", "Nairobi", "[" * 5000])
    @pytest.mark.parametrize("on_token", streams(), ids=["whole", "streamed"])
    def test_arguments_that_are_no_object_are_an_event(
        self, arguments: str, on_token: OnToken | None, entry: StageTrace
    ) -> None:
        with ScriptedLLM([Reply(tool_calls=[("search", arguments)])]) as server:
            (call,) = llm(server).ask([user("?")], tools=[SEARCH], on_token=on_token).tool_calls
        assert call == ToolCall("call_0", "search", {}, invalid=arguments)
        (event,) = entry.events
        assert event.startswith("some-chat-model called the tool 'search' with arguments that are not a JSON object")
        assert arguments[:100] in event

    def test_a_tool_that_was_not_offered_is_an_event(self, entry: StageTrace) -> None:
        with ScriptedLLM([Reply(tool_calls=[("delete", "{}")])]) as server:
            llm(server).ask([user("?")], tools=[SEARCH])
        assert told(entry.events) == [("reply.unknown_tool", {"tool": "delete"})]

    def test_calls_are_recorded_and_replayed(self, tmp_path: object, entry: StageTrace) -> None:
        with ScriptedLLM([Reply("Hm", tool_calls=[("search", '{"name": "a"}'), ("search", "[")])]) as server:
            with Session(replies=f"{tmp_path}/r.sqlite"):
                first = llm(server).ask([user("?")], tools=[SEARCH])
            with Session(replies=f"{tmp_path}/r.sqlite", reply_mode="replay"):
                again = llm(server).ask([user("?")], tools=[SEARCH])
                with fails("replies.not_recorded"):
                    llm(server).ask([user("?")])
        assert again.cached
        assert again.message == first.message
        assert [call.invalid for call in again.tool_calls] == ["", "["]

    def test_tools_count_as_tokens_of_the_prompt(self) -> None:
        long = Tool("search", "word " * 200, SEARCH.schema)
        with ScriptedLLM(["x"]) as server, fails("llm.prompt_too_long", context=300, reply=100):
            llm(server, context=300, max_tokens=100).ask([user("?")], tools=[long])


class TestSeveralReplies:
    @pytest.mark.parametrize("on_token", streams(), ids=["whole", "streamed"])
    def test_they_are_choices(self, on_token: OnToken | None, entry: StageTrace) -> None:
        with ScriptedLLM([Reply("a", others=["b", "c"])]) as server:
            reply = llm(server, temperature=1.0).ask([user("?")], n=3, on_token=on_token)
            assert server.requests[0].body["n"] == 3
        assert [choice.message.text for choice in reply.choices] == ["a", "b", "c"]
        assert entry.events == []
        assert (entry.exchanges[0].reply, [m["content"] for m in entry.exchanges[0].alternatives]) == ("a", ["b", "c"])

    def test_fewer_than_wanted_are_an_event(self, entry: StageTrace) -> None:
        with ScriptedLLM(["a"]) as server:
            llm(server).ask([user("?")], n=3)
        assert told(entry.events) == [("reply.too_few", {"n": 3, "gave": 1})]


def test_log_probabilities_that_are_none_are_left_out() -> None:
    token = {"token": "yes", "logprob": -0.1, "top_logprobs": [{"token": "yes", "logprob": -0.1}, {"token": 4}, 3]}
    content = [token, {"token": "\ud800", "logprob": -1}, {"token": "a", "logprob": "b"}, {"logprob": -1}, None]
    choice = {"message": {"content": "yes"}, "finish_reason": "stop", "logprobs": {"content": content}}
    with ScriptedLLM([Reply(body=json.dumps({"choices": [choice]}))]) as server:
        (found,) = llm(server).ask([user("?")], top_logprobs=3).choices
    assert [(token.token, token.top) for token in found.logprobs] == [("yes", (("yes", -0.1),)), ("?", ())]


def test_a_token_with_a_probability_of_0_is_kept() -> None:
    content = [{"token": text, "logprob": value} for text, value in (("a", -3.4e38), ("b", float("-inf")), ("c", -1.5))]
    content.append({"token": "d", "logprob": float("nan")})
    choice = {"message": {"content": "abc"}, "finish_reason": "stop", "logprobs": {"content": content}}
    with ScriptedLLM([Reply(body=json.dumps({"choices": [choice]}))]) as server:
        (found,) = llm(server).ask([user("?")], top_logprobs=1).choices
    assert [(token.token, token.logprob) for token in found.logprobs] == [("a", -9999.0), ("b", -9999.0), ("c", -1.5)]


@pytest.mark.parametrize("message", [{"role": "boss", "content": "x"}, {"role": "user"}, Message("", ())])
def test_messages_that_are_none(message: Message) -> None:
    with pytest.raises(ModelError, match="message"):
        Request([message])


class TestStreamOfEachRun:
    def test_a_server_that_does_not_stream_is_read_as_a_whole(self) -> None:
        pieces, choice = list[str](), {"message": {"content": "one two"}, "finish_reason": "stop"}
        with ScriptedLLM([Reply(body=json.dumps({"choices": [choice]}))]) as server:
            reply = llm(server).ask([user("?")], on_token=pieces.append)
        assert pieces == [reply.text] == ["one two"]

    def test_the_callback_runs_in_the_thread_of_the_call_and_may_call_the_model(self) -> None:
        threads, inner = set[int](), list[str]()
        with ScriptedLLM(["one two"]) as server:
            model = llm(server, parallel=1)

            def on_token(piece: str) -> None:
                threads.add(threading.get_ident())
                inner.append(model.complete([user("And?")]))

            with streaming(on_token):
                (ShortestPaths() >> Generate(model))(tiny_graph(), QUESTION)
        assert threads == {threading.get_ident()}
        assert inner == ["one two"] * 2

    def test_a_run_inside_the_callback_is_not_streamed_to_it(self) -> None:
        pieces = list[str]()
        with ScriptedLLM(["Kenyan shilling"]) as server:
            pipeline = ShortestPaths() >> Generate(llm(server, structured=False))

            def on_token(piece: str) -> None:
                pieces.append(piece)
                pipeline(tiny_graph(), QUESTION)

            with streaming(on_token):
                pipeline(tiny_graph(), QUESTION)
        assert pieces == ["Kenyan ", "shilling"]

    def test_a_slow_reader_does_not_hold_up_others(self) -> None:
        with ScriptedLLM(["one two three"]) as server:
            model, release = llm(server), threading.Event()
            reading = threading.Event()

            def on_token(piece: str) -> None:
                reading.set()
                release.wait(60)

            slow = threading.Thread(target=_ask_in, args=(current_session(), model, on_token))
            slow.start()
            assert reading.wait(60)
            try:
                assert model.complete([user("?")]) == "one two three"
                assert slow.is_alive()
            finally:
                release.set()
                slow.join()

    def test_an_error_in_the_callback_ends_the_call(self) -> None:
        def on_token(piece: str) -> None:
            raise KeyError(piece)

        with ScriptedLLM([Reply("a b", stall=30)]) as server:
            with pytest.raises(KeyError):
                llm(server, timeout=60.0).ask([user("?")], on_token=on_token)
            assert llm(server, structured=False, parallel=8).tokens([user("?")]) > 0


def _ask_in(session: Session, model: LLM, on_token: OnToken | None = None, text: str = "?") -> None:
    with session.activate():
        model.ask([user(text)], on_token=on_token)


@pytest.mark.posix
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_during_a_call_can_make_calls() -> None:
    arrived, release = threading.Event(), threading.Event()

    def script(request: Received) -> str:
        if request.prompt == "wait":
            arrived.set()
            release.wait(60)
        return "four"

    with ScriptedLLM(script) as server:
        model = llm(server, parallel=1)
        with Session().activate() as session:
            model.complete([user("?")])
            thread = threading.Thread(target=_ask_in, args=(session, model, None, "wait"))
            thread.start()
            assert arrived.wait(60)  # the only place for a call is taken
            child = os.fork()
            if not child:
                code = 1
                try:
                    code = 0 if model.complete([user("?")]) == "four" else 2
                finally:
                    os._exit(code)
            assert os.waitpid(child, 0)[1] == 0
            release.set()
            thread.join()
            session.close()
