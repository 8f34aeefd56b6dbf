from __future__ import annotations

import os
import socket
import sys
import traceback

import pytest
from faults import fails, told

from graphbrick import LLM
from graphbrick.core.errors import ModelError
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.models.llm.http.addresses import api_key
from graphbrick.testing import Reply, ScriptedLLM

KEY = "sk-secret-0123456789"
ASK = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "How much is two and two?"}]
NOW = {"retry-after-ms": "1"}  # try again at once


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def llm(server: ScriptedLLM, retries: int = 0, timeout: float = 60.0) -> LLM:
    os.environ["OPENAI_BASE_URL"] = server.base_url  # the server that gets the key; reset after the test
    return LLM("some-model", max_tokens=9, timeout=timeout, retries=retries)


def ask(model: LLM) -> tuple[str, StageTrace]:
    with record(Trace(), repr(model), "generate") as entry:
        reply = model.complete(ASK)
    return reply, entry


def test_a_reply_and_what_it_cost() -> None:
    with ScriptedLLM(["It is\nfour."]) as server:
        reply, entry = ask(llm(server))
    assert reply == "It is\nfour."
    assert (entry.calls, entry.tokens_in, entry.tokens_out, entry.events) == (1, 8, 3, [])
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {"model": "some-model", "messages": ASK, "temperature": 0.0, "max_tokens": 9}


def test_a_text_in_place_of_messages() -> None:
    with fails("message.not_a_list"):
        LLM("m", base_url="http://127.0.0.1:9/v1").complete("Who?")  # type: ignore[arg-type]


def test_an_empty_reply_is_an_event() -> None:
    with ScriptedLLM([""]) as server:
        text, entry = ask(llm(server))
    assert text == ""
    assert told(entry.events) == [("reply.empty", {})]
    assert entry.calls == 1


def test_a_cut_reply_and_one_without_usage_are_events() -> None:
    with ScriptedLLM([Reply("It is", finish_reason="length", usage=False)]) as server:
        text, entry = ask(llm(server))
    assert text == "It is"
    assert told(entry.events) == [("reply.cut", {"tokens": 9}), ("reply.tokens_estimated", {})]
    assert (entry.calls, entry.tokens_in, entry.tokens_out, entry.estimated) == (1, 21, 2, 23)


@pytest.mark.parametrize("fault", [Reply(status=429, headers={"Retry-After": "0.01"}), Reply(status=503, headers=NOW)])
def test_a_passing_fault_is_tried_again(fault: Reply) -> None:
    with ScriptedLLM([fault, fault, "four"]) as server:
        text, entry = ask(llm(server, retries=2))
    assert text == "four"
    assert len(server.requests) == 3
    assert entry.calls == 1


def test_a_broken_connection_is_tried_again() -> None:
    with ScriptedLLM([Reply("four " * 1000, drop=True), "four"]) as server:
        assert ask(llm(server, retries=1))[0] == "four"
        assert len(server.requests) == 2


NOT_A_COMPLETION = "gave a reply that is not a chat completion; is it the right address? (it sent "
FAULTS = [
    (Reply(f"Incorrect API key provided: {KEY}", status=401), "refused the key; check OPENAI_API_KEY", 1),
    (Reply("no", status=400), "refused with status 400", 1),
    (Reply("no such model", status=404), "refused with status 404", 1),
    (Reply("slow down", status=429, headers=NOW), "refused with status 429", 3),
    (Reply(f"oops {KEY}", status=500, headers=NOW), "refused with status 500", 3),
    (Reply(body="{nope"), NOT_A_COMPLETION + "'{nope')", 1),
    (Reply(body=""), NOT_A_COMPLETION + "nothing)", 1),
    (Reply(body="", status=204), NOT_A_COMPLETION + "nothing)", 1),
    (Reply(body="<html>Please log in</html>", content_type="text/html"), "(it sent '<html>Please log in</html>')", 1),
    (Reply(body="[]"), NOT_A_COMPLETION + "'[]')", 1),
    (Reply(body="null"), NOT_A_COMPLETION + "'null')", 1),
    (Reply(body='{"error": {"message": "overloaded"}}'), "sent an error, as with status 429: overloaded", 3),
    (Reply(body='{"choices": [{}]}'), NOT_A_COMPLETION, 1),
    (Reply(body='{"choices": [], "usage": {"prompt_tokens": 1}}'), "gave no reply: its list of choices is empty", 3),
    (Reply(body='{"choices": [{"message": {"content": null}}], "usage": {}}'), NOT_A_COMPLETION, 1),
    (Reply(body='{"choices": [{"message": {"content": 4}}]}'), "gave a reply whose content is not a text", 1),
    (Reply(body="[" * 100_000), NOT_A_COMPLETION + f"'{'[' * 200}')", 1),
    (Reply(body=f"{'x' * 190}{KEY}"), f"{'x' * 190}***", 1),
]


@pytest.mark.parametrize(("fault", "message", "tries"), FAULTS)
def test_a_fault_that_lasts(fault: Reply, message: str, tries: int) -> None:
    with ScriptedLLM([fault]) as server, pytest.raises(ModelError) as caught:
        ask(llm(server, retries=2))
    assert message in str(caught.value)
    assert server.base_url in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(server.requests) == tries


def test_a_connection_that_always_breaks() -> None:
    with ScriptedLLM([Reply("four " * 1000, drop=True)]) as server:
        with fails("server.cut_reply", address=server.base_url):
            ask(llm(server))
        assert len(server.requests) == 1


def test_a_server_that_does_not_answer_in_time() -> None:
    with ScriptedLLM([Reply("four", delay=30)]) as server:
        with fails("server.timeout", seconds=0.2):
            ask(llm(server, timeout=0.2))
        assert len(server.requests) == 1


def test_a_server_that_is_away() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with fails("server.unreachable", address=url):
        ask(LLM(base_url=url, retries=0))


@pytest.mark.parametrize("url", ["nonsense", "http://127.0.0.1:abc", "http://[::1", "://", "ftp://host"])
def test_an_address_that_is_none(url: str) -> None:
    with fails("server.bad_address", address=url):
        ask(LLM(base_url=url, retries=0))


def test_an_address_with_a_password_is_refused() -> None:
    with fails("server.password"):
        LLM(base_url="https://me:secret@host/v1")


def test_no_key_and_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelError, match=r"set OPENAI_API_KEY, or OPENAI_BASE_URL .*; PathAnswer\(\) answers without"):
        ask(LLM())


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with ScriptedLLM(["four"]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert ask(LLM())[0] == "four"
        assert server.requests[0].body["model"] == "gpt-4.1-mini"


def test_base_url_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with ScriptedLLM(["four"]) as server:
        assert ask(LLM(base_url=server.base_url))[0] == "four"


def test_the_key_is_read_at_each_call_and_never_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedLLM(["four"]) as server:
        model = llm(server)
        ask(model)
        monkeypatch.setenv("OPENAI_API_KEY", " other\n")
        ask(model)
        assert [r.headers["authorization"] for r in server.requests] == [f"Bearer {KEY}", "Bearer other"]
    assert KEY not in repr(model) + repr(vars(model))


@pytest.mark.parametrize("key", ["sk-schlüssel", "sk-a\nb"])
def test_a_key_that_is_none(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with fails("server.bad_key", variable="OPENAI_API_KEY"):
        ask(LLM())


class TestKeysBelongToServers:
    def test_a_recipe_cannot_have_the_key_sent_elsewhere(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
        with ScriptedLLM(["four"]) as own, ScriptedLLM(["four"]) as stranger:
            monkeypatch.setenv("OPENAI_BASE_URL", own.base_url)
            for model in (LLM(), LLM(base_url=own.base_url), LLM(base_url=stranger.base_url)):
                ask(model)
        assert [r.headers["authorization"] for r in own.requests] == [f"Bearer {KEY}"] * 2
        (request,) = stranger.requests
        assert request.headers["authorization"] == "Bearer none"
        assert "secret" not in str(request.headers)

    def test_without_another_address_it_belongs_to_openai(self) -> None:
        assert api_key("") == api_key("https://api.openai.com/v1") == api_key("https://API.openai.com:443/other") == KEY
        for url in (
            "http://api.openai.com/v1",
            "https://api.openai.com.evil.example/v1",
            "https://api.openai.com:8443",
        ):
            assert api_key(url) == ""

    def test_openai_gets_no_key_of_another_server(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        with pytest.raises(
            ModelError, match=r"no language model: set GRAPHBRICK_API_KEYS='https://api.openai.com=KEY'"
        ):
            ask(LLM(base_url="https://api.openai.com/v1"))

    def test_other_servers_have_keys_of_their_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with ScriptedLLM(["four"]) as server:
            origin = server.base_url.removesuffix("/v1")
            monkeypatch.setenv("GRAPHBRICK_API_KEYS", f"https://a.example=sk-a {origin}=sk-b=")
            ask(LLM(base_url=server.base_url))
            assert server.requests[0].headers["authorization"] == "Bearer sk-b="
        assert (api_key("https://a.example/v1"), api_key("http://a.example/v1"), api_key("")) == ("sk-a", "", KEY)

    def test_a_server_that_wants_a_key_is_told_how_to_get_it(self) -> None:
        with ScriptedLLM([Reply("who are you?", status=401)]) as server, pytest.raises(ModelError) as caught:
            ask(LLM(base_url=server.base_url))
        origin = server.base_url.removesuffix("/v1")
        assert f"asks for a key; set GRAPHBRICK_API_KEYS='{origin}=KEY' (OPENAI_API_KEY is sent" in str(caught.value)

    @pytest.mark.parametrize("text", ["sk-123", "a.example=sk-123", "https://a.example=", "https://a.example sk-123"])
    def test_keys_that_cannot_be_read_are_not_shown(self, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GRAPHBRICK_API_KEYS", text)
        with fails("server.bad_keys") as caught:
            api_key("")
        assert "sk-123" not in str(caught.value)


def test_the_client_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ModelError, match=r"needs the openai client: pip install 'graphbrick\[llm\]'") as caught:
        ask(LLM(base_url="http://127.0.0.1:9/never-used-before"))
    assert KEY not in "".join(traceback.format_exception(caught.value))


class TestScriptedLLM:
    def test_it_needs_a_reply(self) -> None:
        with pytest.raises(ValueError, match="needs at least one reply"):
            ScriptedLLM([])

    def test_replies_come_in_order_and_the_last_is_repeated(self) -> None:
        with ScriptedLLM(["a", "b"]) as server:
            assert [ask(llm(server))[0] for _ in range(4)] == ["a", "b", "b", "b"]
            assert len(server.requests) == 4

    def test_two_at_once_are_two_servers(self) -> None:
        with ScriptedLLM(["a"]) as first, ScriptedLLM(["b"]) as second:
            assert first.base_url != second.base_url
            assert (ask(llm(first))[0], ask(llm(second))[0]) == ("a", "b")

    def test_it_is_away_afterwards(self) -> None:
        with ScriptedLLM(["a"]) as server:
            pass
        with fails("server.unreachable"):
            ask(llm(server))
