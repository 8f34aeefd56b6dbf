"""Replies that are recorded, replayed, exported and loaded."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from chat_models import ASK, QUESTION, SCHEMA, llm, recorded
from faults import fails

from graphbrick import LLM, Generate, Session, ShortestPaths
from graphbrick.core.errors import ModelError
from graphbrick.models.llm.messages import Choice, Message, Reply, Text, TokenLogprob, ToolCall, assistant
from graphbrick.models.llm.messages import Request as ModelRequest
from graphbrick.models.llm.reply_cache import ReplyCache, asking_anew, default_path, recorded_reply, reply_json
from graphbrick.testing import ScriptedLLM, tiny_graph

pytestmark = pytest.mark.usefixtures("key_alone")


class TestCache:
    def test_record_and_replay(self, tmp_path: Path) -> None:
        file = tmp_path / "replies.sqlite"
        with ScriptedLLM(["Kenyan shilling", "something else"]) as server:
            pipeline = ShortestPaths() >> Generate(llm(server))
            with Session(replies=file):
                first = pipeline(tiny_graph(), QUESTION)
                second = pipeline(tiny_graph(), QUESTION)
                assert len(ReplyCache(file)) == 1
            assert len(server.requests) == 1
        with Session(replies=file, reply_mode="replay"):  # the server is gone
            third = pipeline(tiny_graph(), QUESTION)
            with fails("replies.not_recorded", model="some-chat-model"):
                pipeline(tiny_graph(), "What is the capital of Kenya?")
        assert first.texts == second.texts == third.texts == ("Kenyan shilling",)
        assert [answer.trace and answer.trace.ledger["calls"] for answer in (first, second, third)] == [1, 0, 0]
        assert [answer.trace and answer.trace.ledger["cache_hits"] for answer in (first, second, third)] == [0, 1, 1]
        assert third.trace is not None
        (exchange,) = third.trace.stages[-1].exchanges
        assert (exchange.reply, exchange.cached, exchange.tokens_in > 0) == ("Kenyan shilling", True, True)

    def test_what_a_reply_depends_on(self, tmp_path: Path) -> None:
        with ScriptedLLM([str(i) for i in range(9)]) as server, Session(replies=tmp_path / "r.sqlite"):
            same = llm(server)
            replies = [
                same.complete(ASK),
                same.complete(ASK, schema=SCHEMA),
                llm(server, temperature=1.0).complete(ASK),
                llm(server, max_tokens=5).complete(ASK),
                same.complete([*ASK, *ASK]),
                llm(server, timeout=1.0, retries=1, parallel=2).complete(ASK),
            ]
        assert replies == ["0", "1", "2", "3", "4", "0"]

    def test_export_and_load(self, tmp_path: Path) -> None:
        first, second = ReplyCache(tmp_path / "a.sqlite"), ReplyCache(tmp_path / "b" / "b.sqlite")
        for i in range(3):
            first.put({"server": "s", "model": "m", "messages": [{"content": f"é{i}"}]}, {"text": f"\u2028ü{i}"})
        assert first.export(tmp_path / "all.jsonl") == 3
        assert (second.load(tmp_path / "all.jsonl"), second.load(tmp_path / "all.jsonl"), len(second)) == (3, 0, 3)
        assert second.get({"server": "s", "model": "m", "messages": [{"content": "é1"}]}) == {"text": "\u2028ü1"}
        assert (second.clear(), len(second)) == (3, 0)

    def test_a_recorded_reply_stays_until_it_is_asked_for_anew(self, tmp_path: Path) -> None:
        cache, request = ReplyCache(tmp_path / "a.sqlite"), {"server": "s", "model": "m"}
        cache.put(request, {"text": "first"})
        cache.put(request, {"text": "second"})
        assert cache.get(request) == {"text": "first"}
        with asking_anew():
            assert cache.get(request) is None
            cache.put(request, {"text": "third"})
        assert (cache.get(request), len(cache)) == ({"text": "third"}, 1)

    def test_loading_leaves_the_replies_that_are_there(self, tmp_path: Path) -> None:
        cache, other = ReplyCache(tmp_path / "a.sqlite"), ReplyCache(tmp_path / "b.sqlite")
        requests = [{"server": "s", "model": "m", "messages": text} for text in ("one", "two")]
        cache.put(requests[0], {"text": "mine"})
        for request in requests:
            other.put(request, {"text": "theirs"})
        other.export(tmp_path / "all.jsonl")
        assert cache.load(tmp_path / "all.jsonl") == 1
        assert [cache.get(request) for request in requests] == [{"text": "mine"}, {"text": "theirs"}]

    def test_replaying_makes_no_call_where_replies_are_asked_for_anew(self, tmp_path: Path) -> None:
        """As with --retry: recording asks the model again, replaying does not."""
        file = tmp_path / "replies.sqlite"
        with ScriptedLLM(["one", "two", "three"]) as server:
            with Session(replies=file):
                texts = [llm(server).complete(ASK)]
                with asking_anew():
                    texts.append(llm(server).complete(ASK))
            with Session(replies=file, reply_mode="replay"), asking_anew():
                texts.append(llm(server).complete(ASK))
                with fails("replies.not_recorded"):
                    llm(server).complete([*ASK, *ASK])
            assert (texts, len(server.requests)) == (["one", "two", "two"], 2)

    def test_replies_recorded_without_an_address_need_one(self, tmp_path: Path) -> None:
        """What earlier versions recorded: no server, and no reason why the reply ended."""
        request = {
            "model": "some-model",
            "temperature": 0.0,
            "messages": ASK,
            "max_tokens": 9,
            "schema": None,
            "likeliest": 0,
        }
        replies = [{"text": "four", "tokens_in": 3, "likeliest": [["four", -0.5]]}, {"text": "", "tokens_in": 3}]
        lines = [{"request": request | {"max_tokens": 9 - i}, "reply": reply} for i, reply in enumerate(replies)]
        source, cache = tmp_path / "old.jsonl", ReplyCache(tmp_path / "new.sqlite")
        source.write_text("".join(json.dumps(line) + "\n" for line in lines))
        with fails("replies.no_server"):
            cache.load(source)
        assert cache.load(source, "http://models.example/v1/") == 1
        with Session(replies=tmp_path / "new.sqlite", reply_mode="replay"):
            model = LLM("some-model", base_url="http://models.example/v1", max_tokens=9)
            (reply,), _ = recorded(model, ModelRequest(ASK))
        assert (reply.text, reply.cached, reply.choices[0].logprobs[0].token) == ("four", True, "four")

    @pytest.mark.parametrize("line", ["{", "[]", '{"request": {}}', '{"request": 1, "reply": {}}'])
    def test_a_bad_export_is_not_loaded_in_part(self, line: str, tmp_path: Path) -> None:
        source, cache = tmp_path / "bad.jsonl", ReplyCache(tmp_path / "a.sqlite")
        source.write_text('{"request": {"server": "s"}, "reply": {"text": "x"}}\n' + line + "\n")
        with fails("replies.bad_line", line=2):
            cache.load(source)
        assert len(cache) == 0

    def test_files_that_are_none(self, tmp_path: Path) -> None:
        (tmp_path / "text").write_text("this is no database, but long enough to be looked at" * 20)
        with fails("replies.not_a_file_of_replies"):
            ReplyCache(tmp_path / "text")
        with fails("replies.none_recorded"):
            ReplyCache(tmp_path / "none", "replay")
        with fails("replies.not_writable"):
            ReplyCache(tmp_path)
        with fails("replies.bad_mode", mode="off"):
            ReplyCache(tmp_path / "x", "off")

    def test_a_damaged_reply(self, tmp_path: Path) -> None:
        file = tmp_path / "r.sqlite"
        with ScriptedLLM(["x"]) as server, Session(replies=file):
            llm(server).complete(ASK)
            with sqlite3.connect(file) as database:
                database.execute("UPDATE replies SET reply = ?", (json.dumps({"text": 4}),))
            with fails("replies.not_a_reply"):
                llm(server).complete(ASK)


def test_a_database_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "runs.sqlite"
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE runs (id)")
    before = file.read_bytes()
    with fails("replies.other_database"):
        ReplyCache(file)
    assert file.read_bytes() == before


def test_an_export_that_is_not_text_adds_nothing(tmp_path: Path) -> None:
    source = tmp_path / "replies.jsonl"
    source.write_bytes(b"\xff\xfe{}")
    with closing(ReplyCache(tmp_path / "replies.sqlite")) as cache:
        with fails("replies.not_utf8", file=source):
            cache.load(source)
        assert len(cache) == 0


def test_a_reply_is_read_back_as_it_was_recorded() -> None:
    logprobs = (TokenLogprob("Yes", -0.5, (("Yes", -0.5), ("No", -1.5))),)
    message = Message("assistant", (Text("Yes"), ToolCall("1", "search", {"name": "Kenya"})))
    broken = Message("assistant", (ToolCall("2", "search", {}, "[1"),))
    reply = Reply(
        (Choice(message, "stop", logprobs), Choice(broken, "tool_calls")), 3, 4, True, 1.5, 0.25,
        notes=("cut",), adjustments=("temperature",), calls=2,
    )  # fmt: skip
    recorded = json.loads(json.dumps(reply_json(reply)))
    assert recorded_reply(recorded) == reply
    once = reply_json(Reply((Choice(assistant("Yes"), "stop"),)))
    assert "calls" not in once
    assert recorded_reply(once) == Reply((Choice(assistant("Yes"), "stop"),))
    empty = Reply((Choice(assistant(""), "stop"),))
    assert recorded_reply(reply_json(empty)).choices[0].message.parts == (Text(""),)


def test_a_reply_of_an_earlier_version_is_one_text() -> None:
    reply = recorded_reply({"text": "Kenya", "tokens_in": 3, "likeliest": [["A", -0.1], ["B", -2]], "model": "m"})
    assert reply == Reply(
        (Choice(assistant("Kenya"), "stop", (TokenLogprob("A", -0.1, (("A", -0.1), ("B", -2.0))),)),), 3
    )
    assert recorded_reply({"text": "Kenya"}) == Reply((Choice(assistant("Kenya"), "stop"),))


@pytest.mark.parametrize(
    "damage",
    [
        {"choices": []},
        {"choices": [{}]},
        {"choices": None},
        {"tokens_in": "3"},
        {"cost": None},
        {"choices": [{"message": {"content": None}, "finish_reason": "stop", "logprobs": []}]},
        {"text": 3},
    ],
)
def test_what_is_not_a_reply_is_damaged(damage: dict[str, object]) -> None:
    with fails("replies.not_a_reply", ModelError):
        recorded_reply(reply_json(Reply((Choice(assistant("Yes"), "stop"),))) | damage)


def test_counts_of_what_is_recorded_and_removed(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    for number in (2, 1):
        cache.put({"server": "s", "n": number}, {"text": f"{number}"})
    cache.put({"n": 1, "server": "s"}, {"text": "again"})  # the order of the names does not count
    assert len(cache) == 2
    assert cache.get({"n": 1, "server": "s"}) == {"text": "1"}
    assert cache.get({"n": 3, "server": "s"}) is None
    assert cache.export(tmp_path / "all.jsonl") == 2
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(line["reply"]["text"] for line in lines) == ["1", "2"]
    other = ReplyCache(tmp_path / "other.sqlite")
    other.put({"server": "s", "n": 2}, {"text": "older"})
    assert other.load(tmp_path / "all.jsonl") == 1
    assert other.get({"server": "s", "n": 2}) == {"text": "older"}
    assert (cache.clear(), len(cache), cache.clear()) == (2, 0, 0)


def test_the_folder_of_replies_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_CACHE", str(tmp_path))
    assert default_path() == tmp_path / "replies.sqlite"
    monkeypatch.delenv("GRAPHBRICK_CACHE")
    assert default_path().name == "replies.sqlite"
    with fails("replies.bad_mode", mode="off"):
        ReplyCache(tmp_path / "r.sqlite", "off")
