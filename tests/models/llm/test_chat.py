"""What all chat models share: calls at once, streams, parameters a server does not know, the budget."""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path

import pytest
from chat_models import ASK, KEY, QUESTION, SCHEMA, asked, llm, recorded
from faults import fails, told

from graphbrick import LLM, Budget, Generate, Query, Session, ShortestPaths, spending
from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.chat import streaming
from graphbrick.models.llm.reply_cache import ReplyCache
from graphbrick.pipeline.budget import StoppedError
from graphbrick.testing import Reply, Request, ScriptedLLM, tiny_graph

pytestmark = pytest.mark.usefixtures("key_alone")


class TestSeveral:
    def test_replies_come_in_the_order_of_the_requests(self) -> None:
        def script(request: Request) -> Reply:
            return Reply(request.prompt, delay=0.2 if request.prompt == "0" else 0.0)

        with ScriptedLLM(script) as server:
            replies, entry = recorded(llm(server), *(asked(str(i)) for i in range(6)))
        assert [reply.text for reply in replies] == list("012345")
        assert (entry.calls, [exchange.reply for exchange in entry.exchanges]) == (6, list("012345"))

    @pytest.mark.parametrize("parallel", [1, 3])
    def test_no_more_than_parallel_are_in_flight(self, parallel: int) -> None:
        now, most, lock, together = 0, 0, threading.Lock(), threading.Barrier(parallel, timeout=60)

        def script(request: Request) -> str:
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
            together.wait()  # passes only when as many calls are there
            with lock:
                now -= 1
            return "x"

        with ScriptedLLM(script) as server:
            llm(server, parallel=parallel).ask_all([asked() for _ in range(6)])
        assert most == parallel

    def test_where_one_fails_those_that_were_answered_are_on_the_ledger(self) -> None:
        def script(request: Request) -> Reply:
            return Reply("no", status=400, delay=0.3) if request.prompt == "2" else Reply("yes")

        with (
            ScriptedLLM(script) as server,
            record(Trace(), "x", "rerank") as entry,
            fails("server.refused", status=400),
        ):
            llm(server).ask_all([asked(str(i)) for i in range(3)])
        assert (entry.calls, entry.tokens_in, entry.tokens_out) == (2, 2, 2)

    def test_the_ledger(self) -> None:
        with ScriptedLLM([Reply("four five", delay=0.1)]) as server:
            (reply,), entry = recorded(llm(server), asked("two and two"))
        (exchange,) = entry.exchanges
        assert (exchange.model, exchange.messages) == ("some-chat-model", [{"role": "user", "content": "two and two"}])
        assert (exchange.tokens_in, exchange.tokens_out, exchange.estimated, exchange.cost) == (3, 2, False, 0.0)
        assert entry.waited == exchange.seconds == reply.seconds >= 0.1
        assert entry.events == []


class TestStreams:
    def test_the_pieces_are_the_reply(self) -> None:
        pieces: list[str] = []
        with ScriptedLLM(["It is four,\nI think."]) as server, record(Trace(), "x", "generate") as entry:
            (reply,) = llm(server).ask_all([asked("two and two")], on_token=pieces.append)
            assert server.requests[0].body["stream"] is True
        assert "".join(pieces) == reply.text == "It is four,\nI think."
        assert len(pieces) == 5
        assert (entry.calls, entry.tokens_in, entry.tokens_out, entry.estimated) == (1, 3, 5, 0)

    def test_the_answer_is_heard(self) -> None:
        pieces: list[str] = []
        with ScriptedLLM(["Kenyan shilling"]) as server, streaming(pieces.append):
            (ShortestPaths() >> Generate(llm(server)))(tiny_graph(), QUESTION)
        assert pieces == ["Kenyan ", "shilling"]

    @pytest.mark.parametrize(
        ("fault", "code", "values"),
        [
            (Reply("one two three four", stall=30), "server.broken_stream", {}),
            (Reply(status=500), "server.refused", {"status": 500}),
            (Reply("one", delay=30), "server.timeout", {"seconds": 0.3}),
        ],
    )
    def test_a_stream_that_fails(self, fault: Reply, code: str, values: dict[str, object]) -> None:
        with ScriptedLLM([fault]) as server, fails(code, **values):
            llm(server, timeout=0.3 if fault.delay or fault.stall else 60.0).ask_all(
                [asked()], on_token=lambda piece: None
            )

    def test_a_stream_that_is_cut_is_not_taken_for_a_whole_reply(self) -> None:
        with ScriptedLLM([Reply("one two three four", drop=True)]) as server, record(Trace(), "x", "generate") as entry:
            (reply,) = llm(server).ask_all([asked()], on_token=lambda piece: None)
        assert reply.text == "one two "
        assert "reply.no_finish_reason" in [code for code, _ in told(entry.events)]
        assert entry.estimated == entry.tokens_in + entry.tokens_out > 0

    def test_a_refusal_is_an_event(self) -> None:
        with ScriptedLLM([Reply(refusal="I cannot help with that")]) as server:
            for on_token in (None, lambda piece: None):
                with record(Trace(), "x", "generate") as entry:
                    (reply,) = llm(server).ask_all([asked()], on_token=on_token)
                assert reply.text == ""
                assert told(entry.events) == [("reply.refusal", {"refusal": "I cannot help with that"})]


class TestParameters:
    def test_a_schema_is_sent(self) -> None:
        with ScriptedLLM(['{"n": 4}']) as server:
            assert llm(server).complete(ASK, schema=SCHEMA) == '{"n": 4}'
            assert llm(server, structured=False).complete(ASK, schema=SCHEMA) == '{"n": 4}'
            first, second = (request.body for request in server.requests)
        assert first["response_format"]["json_schema"] == {"name": "reply", "schema": SCHEMA, "strict": True}
        assert "response_format" not in second

    def test_what_a_server_does_not_know_is_left_out_and_remembered(self) -> None:
        def script(request: Request) -> str | Reply:
            for name in ("response_format", "temperature", "max_tokens"):
                if name in request.body:
                    return Reply(f"Unsupported parameter: '{name}' is not supported with this model.", status=400)
            return str(request.body["max_completion_tokens"])

        with ScriptedLLM(script) as server, record(Trace(), "x", "generate") as entry:
            assert llm(server).complete(ASK, schema=SCHEMA) == "9"
            assert len(server.requests) == 4
            assert llm(server).complete(ASK, schema=SCHEMA) == "9"
            assert len(server.requests) == 5
        assert told(entry.events) == [
            ("request.parameter_left_out", {"name": "response_format"}),
            ("request.parameter_left_out", {"name": "temperature"}),
        ]
        assert entry.calls == 2

    def test_another_refusal_is_one(self) -> None:
        with ScriptedLLM([Reply("the max_tokens of this key are used up", status=403)]) as server:
            with fails("server.refused", status=403):
                llm(server).complete(ASK)
            assert len(server.requests) == 1

    def test_log_probabilities(self) -> None:
        with ScriptedLLM([Reply("yes", likeliest={"yes": -0.1, "no": -2.5})]) as server:
            (reply,), _ = recorded(llm(server), asked(top_logprobs=5, max_tokens=1))
            assert server.requests[0].body["top_logprobs"] == 5
            assert server.requests[0].body["max_tokens"] == 1
        assert reply.choices[0].logprobs[0].top == (("yes", -0.1), ("no", -2.5))

    def test_a_prompt_that_does_not_fit_is_not_sent(self) -> None:
        with ScriptedLLM(["x"]) as server:
            with fails("llm.prompt_too_long", context=100, reply=9):
                llm(server, context=100).complete([{"role": "user", "content": "word " * 100}])
            assert server.requests == []
            assert llm(server, context=1000).complete([{"role": "user", "content": "word " * 100}]) == "x"


class TestFurtherTries:
    def test_they_are_events(self) -> None:
        busy = Reply("slow down", status=429, headers={"Retry-After": "0.05"})
        with ScriptedLLM([busy, Reply(status=503, headers={"retry-after-ms": "1"}), "four"]) as server:
            (reply,), entry = recorded(llm(server, retries=2))
        assert reply.text == "four"
        assert ["tried again after 0.1 s (1 of 2)" in entry.events[0], "(2 of 2)" in entry.events[1]] == [True, True]
        assert (entry.calls, entry.waited >= 0.05) == (1, True)

    def test_a_server_that_asks_for_too_much_patience(self) -> None:
        with ScriptedLLM([Reply("quota", status=429, headers={"Retry-After": "3600"})]) as server:
            with fails("server.asks_to_wait", seconds=3600):
                llm(server, retries=2).complete(ASK)
            assert len(server.requests) == 1


class TestBudget:
    def test_a_run_stops_before_the_limit_and_says_what_is_undone(self) -> None:
        with ScriptedLLM(["Kenyan shilling"]) as server, spending(Budget(tokens=20)) as budget:
            pipeline = ShortestPaths() >> Generate(llm(server))
            run = pipeline.run(tiny_graph(), QUESTION)
            assert server.requests == []
            assert run.stopped is not None
            assert run.stopped.reason.startswith("the budget of 20 tokens does not hold the next call: 0 are used, and")
            assert run.stopped.undone == (repr(Generate(llm(server))),)
            assert run.evidence is not None
            assert len(run.evidence) > 0
            with fails("run.stopped"):
                pipeline(tiny_graph(), QUESTION)
        assert budget.spent_tokens == 0

    def test_calls_at_once_never_pass_the_limit(self) -> None:
        with ScriptedLLM([Reply("a b c", delay=0.02)]) as server, spending(Budget(tokens=100)) as budget:
            with record(Trace(), "x", "rerank") as entry, pytest.raises(StoppedError):
                llm(server, parallel=8).ask_all([asked(str(i)) for i in range(50)])
            # 1 + 3 tokens a call; up to 6 + 9 must fit before it.
            assert len(server.requests) == 22
        assert entry.calls == 22
        assert budget.spent_tokens == entry.tokens_in + entry.tokens_out == 88

    def test_one_budget_holds_for_several_sessions(self) -> None:
        errors, budget = list[BaseException](), Budget(tokens=200)

        def work() -> None:
            try:
                with Session(), spending(budget):
                    llm(server, parallel=8).ask_all([asked(str(i)) for i in range(20)])
            except GraphbrickError as error:
                errors.append(error)

        with ScriptedLLM([Reply("a b c", delay=0.02)]) as server:
            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert errors
        assert all(isinstance(error, StoppedError) for error in errors)
        assert 150 < budget.spent_tokens == 4 * len(server.requests) <= 200

    def test_dollars(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        prices = tmp_path / "prices.toml"
        prices.write_text("[some-chat-model]\ninput = 1_000_000\noutput = 2_000_000\n")
        with ScriptedLLM(["a b c"]) as server:
            monkeypatch.setenv("GRAPHBRICK_PRICES", str(prices))
            with spending(Budget(usd=30)) as budget:
                (_,), entry = recorded(llm(server), asked("one"))
                assert entry.cost == budget.spent_usd == 7
                with fails("budget.call_too_large"):
                    recorded(llm(server), asked("one"))

    def test_dollars_need_a_price(self) -> None:
        with spending(Budget(usd=1)), fails("budget.no_price", model="no-such-model"):
            LLM("no-such-model", base_url="http://models.example/v1").complete(ASK)

    def test_seconds_give_up_a_call_in_flight(self) -> None:
        with ScriptedLLM([Reply("late", delay=30)]) as server, spending(Budget(seconds=0.3)):
            run = (ShortestPaths() >> Generate(llm(server))).run(tiny_graph(), QUESTION)
        assert run.stopped is not None
        assert run.stopped.reason == "the budget of 0.3 seconds is used up"
        assert run.answer is None

    def test_cancelling_from_another_thread(self) -> None:
        with ScriptedLLM([Reply("late", delay=30)]) as server, spending(Budget()) as budget:
            threading.Timer(0.3, budget.cancel).start()
            run = (ShortestPaths() >> Generate(llm(server))).run(tiny_graph(), QUESTION)
            again = ShortestPaths().run(tiny_graph(), Query(QUESTION))
        assert run.stopped is not None
        assert again.stopped is not None
        assert run.stopped.reason == again.stopped.reason == "the run was cancelled"

    @pytest.mark.parametrize(
        "text",
        ["", "20000", "tokens", "tokens=", "tokens=many", "usd=-1", "seconds=0", "calls=3", "usd=1,usd=2", "usd=nan"],
    )
    def test_a_budget_that_is_none(self, text: str) -> None:
        with pytest.raises(InputError, match=r"try tokens=20000,usd=0\.05,seconds=60"):
            Budget.parse(text)


def test_the_key_is_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    caplog.set_level(logging.DEBUG)
    file = tmp_path / "replies.sqlite"
    faults = [Reply(f"bad key {KEY}", status=500, headers={"retry-after-ms": "1"}), "Kenyan shilling"]
    with ScriptedLLM(faults) as server, Session(replies=file):
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        pipeline = ShortestPaths() >> Generate(llm(server, retries=1))
        run = pipeline.run(tiny_graph(), QUESTION)
        ReplyCache(file).export(tmp_path / "replies.jsonl")
        errors = []
        for status in (400, 401, 403, 429, 500):
            with (
                ScriptedLLM([Reply(f"bad key {KEY}", status=status)]) as other,
                pytest.raises(GraphbrickError) as caught,
            ):
                llm(other).complete(ASK)
            errors.append(str(caught.value) + repr(caught.value.__cause__ and caught.value.__cause__.args[:0]))
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert run.answer is not None
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Kenyan shilling" in written
    assert KEY.encode() not in written
    assert KEY not in json.dumps(run.trace.to_dict()) + repr(run) + repr(pipeline) + "".join(errors) + caplog.text


def test_a_proxy_is_not_asked_for_a_server_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with ScriptedLLM(["four"]) as server:
        assert llm(server).complete(ASK) == "four"
