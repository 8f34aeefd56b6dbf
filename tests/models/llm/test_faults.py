"""Every brick over a language model meets every fault of its server: an answer with an event, or one line of error."""

from __future__ import annotations

import json
import socket
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from faults import fails, told

from graphbrick import LLM, Session, parse
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.chat import streaming
from graphbrick.models.llm.reply_cache import ReplyCache
from graphbrick.pipeline.run import Run
from graphbrick.testing import Reply, Request, ScriptedLLM, tiny_graph

KEY = "sk-secret-0123456789"
ASK = [{"role": "user", "content": "How much is two and two?"}]
QUESTION = "Which currency is used in the country whose capital is Nairobi?"
_TIMEOUT = 0.4  # seconds, where a server hangs
_PATIENCE = 60.0  # seconds, where it does not

PIPELINES = {
    "link": "LinkWithLLM({llm}) >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()",
    "plan": "PlannedRelations({llm}) >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()",
    "prune": "KHop() >> PruneEdges(LLMListwiseScorer({llm}), n=3) >> ShortestPaths() >> PathAnswer()",
    "scores": "KHop() >> PruneTriples(LLMRatingScorer({llm}), n=3) >> ShortestPaths() >> PathAnswer()",
    "yes or no": "ShortestPaths() >> Rerank(LLMPointwiseScorer({llm}), n=3) >> PathAnswer()",
    "rerank": "ShortestPaths() >> Rerank(LLMListwiseScorer({llm}), n=3) >> PathAnswer()",
    "beam": "BeamSearch(LLMListwiseScorer({llm}), beam_width=2, max_hops=2, stop={llm}) >> PathAnswer()",
    "hops": "ByHops(LLMHops({llm}), BeamSearch(BM25()), ShortestPaths()) >> PathAnswer()",
    "embed": "ShortestPaths() >> Rerank(LLMEmbedder(base_url={url!r}, timeout={timeout})) >> PathAnswer()",
    "generate": "ShortestPaths() >> Rerank(BM25()) >> Generate({llm})",
}
# Fault: (what the server does, whether the run ends in an error of one line for every brick; None: it depends)
ERRORS = {
    "401": Reply(f"bad key {KEY}", status=401),
    "429 with Retry-After": Reply("slow down", status=429, headers={"Retry-After": "0.01"}),
    "500": Reply(f"oops {KEY}", status=500, headers={"retry-after-ms": "1"}),
    "cut in the middle": Reply("Kenyan shilling " * 50, drop=True),
    "invalid JSON": Reply(body='{"choices": [{"mess'),
    "another kind of JSON": Reply(body='{"choices": [{"message": {"content": {"a": 1}}}]}'),
    "a page": Reply(body="<html>Please log in</html>", content_type="text/html"),
    "null": Reply(body="null"),
    "an empty body": Reply(body=""),
    "deep brackets": Reply(body="[" * 100_000),
    "a reply of three minutes": Reply("Kenyan shilling", delay=180),
}
EVENTS = {
    "empty": Reply(""),
    "wrong schema": Reply('{"thoughts": {"deep": [null, {"x": 1e999}]}}'),
    "broken schema": Reply('{"numbers": ["one", -1, 1e9], "answers": 3, "scores": [{}]'),
    "a refusal": Reply(refusal="I cannot help with that"),
    "prose": Reply("Well, that is a difficult question, and I would rather talk about something else."),
    "nothing but marks": Reply("\x00\x1b[31m\ud7ff\n\n```\n```"),
    "no usage": Reply("Kenyan shilling", usage=False),
    "deep brackets": Reply("[" * 100_000),
    "brackets and commas": Reply("[1," * 30_000),
    "nested objects": Reply('{"a":' * 30_000),
    "deep but whole": Reply("[" * 900 + "]" * 900),
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with Session():
        yield


def ask(name: str, url: str, timeout: float = _PATIENCE) -> Run:
    """Run a pipeline over a server."""
    llm = f"LLM('some-chat-model', base_url={url!r}, timeout={timeout}, retries=1)"
    return parse(PIPELINES[name].format(llm=llm, url=url, timeout=timeout)).run(tiny_graph(), QUESTION)


def is_one_line(error: BaseException) -> None:
    assert isinstance(error, GraphbrickError)
    assert "\n" not in str(error)
    assert KEY not in str(error)


def pairs(faults: Iterable[str]) -> list[ParameterSet]:
    """Every brick with every fault: the first two of each brick, and all of the last brick, at each change."""
    first = list(faults)[:2]
    marks = {True: (), False: (pytest.mark.whole,)}
    return [
        pytest.param(name, fault, marks=marks[fault in first or name == "generate"])
        for name in PIPELINES
        for fault in faults
    ]


@pytest.mark.parametrize(("name", "fault"), pairs(ERRORS))
def test_a_server_that_fails(name: str, fault: str) -> None:
    with ScriptedLLM([ERRORS[fault]]) as server, pytest.raises(GraphbrickError) as caught:
        ask(name, server.base_url, _TIMEOUT if ERRORS[fault].delay else _PATIENCE)
    is_one_line(caught.value)
    assert server.base_url.removesuffix("/v1") in str(caught.value)


@pytest.mark.parametrize("name", PIPELINES)
def test_a_refused_connection(name: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with fails("server.unreachable") as caught:
        ask(name, url)
    is_one_line(caught.value)


@pytest.mark.parametrize(("name", "fault"), [pair for pair in pairs(EVENTS) if pair.values[0] != "embed"])
def test_a_reply_that_is_no_use(name: str, fault: str) -> None:
    with ScriptedLLM([EVENTS[fault]]) as server:
        try:
            run = ask(name, server.base_url)
        except GraphbrickError as error:  # a question whose seeds the model does not find has no answer
            assert name == "link"
            is_one_line(error)
            return
    called = [stage for stage in run.trace.stages if stage.calls]
    assert called
    for stage in called:
        assert stage.events, stage.stage
        assert stage.tokens_in > 0
        assert len(stage.exchanges) == stage.calls
        assert (stage.estimated > 0) == (fault == "no usage")
    assert KEY not in str(run.trace.to_dict())


@pytest.mark.parametrize("fault", [Reply("a b c d", stall=180), Reply("a b c d", delay=180)], ids=["stalls", "is late"])
def test_a_stream_that_hangs(fault: Reply) -> None:
    with ScriptedLLM([fault]) as server, streaming(lambda piece: None), pytest.raises(GraphbrickError) as caught:
        ask("generate", server.base_url, _TIMEOUT)
    is_one_line(caught.value)


def test_a_fault_that_passes_is_an_event() -> None:
    faults = [Reply(status=429, headers={"Retry-After": "0.01"}), "Kenyan shilling"]
    with ScriptedLLM(faults) as server:
        run = ask("generate", server.base_url)
    assert run.answer is not None
    assert run.answer.texts == ("Kenyan shilling",)
    (event,) = run.trace.stages[-1].events
    assert "refused with status 429" in event
    assert event.endswith("tried again after 0.0 s (1 of 1)")
    assert run.trace.stages[-1].calls == 1


COMPLETION = {"choices": [{"message": {"content": "Kenyan shilling"}, "finish_reason": "stop"}]}
BODIES = {
    "a page": Reply(body="<html>Please log in</html>", content_type="text/html"),
    "null": Reply(body="null"),
    "nothing": Reply(body=""),
    "half of it": Reply(body=json.dumps(COMPLETION)[:40]),
    "an error": Reply(body='{"error": {"message": "overloaded"}}'),
    "an event that is an error": Reply(body='data: {"error": {"message": "overloaded"}}\n\n'),
    "an empty stream": Reply(body="data: [DONE]\n\n", content_type="text/event-stream"),
    "no reason why it ended": Reply(body='{"choices": [{"message": {"content": ""}}]}'),
}
# What the others are: whatever is not a chat completion
CODES = {"half of it": "server.cut_reply", "an error": "server.refused", "an event that is an error": "server.refused"}


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("body", BODIES)
def test_what_is_no_completion_is_said_and_never_recorded(body: str, streamed: bool, tmp_path: Path) -> None:
    path, pieces = tmp_path / "replies.sqlite", list[str]()
    on_token = pieces.append if streamed else None
    with Session(replies=path), ScriptedLLM([BODIES[body], "Kenyan shilling"]) as server:
        model = LLM("some-model", base_url=server.base_url, retries=0)
        with fails(CODES.get(body, "server.not_a_completion")) as caught:
            model.ask(ASK, on_token=on_token)
        assert len(ReplyCache(path)) == 0
        assert model.ask(ASK, on_token=on_token).text == "Kenyan shilling"
        assert len(ReplyCache(path)) == 1
    beginning = " ".join((BODIES[body].body or "").split())[:20].replace("data: ", "")
    said = {
        "half of it": "in the middle of a reply",
        "an error": "overloaded",
        "an event that is an error": "overloaded",
    }
    assert said.get(body, beginning or "it sent nothing") in str(caught.value)


@pytest.mark.parametrize("fault", [Reply("Kenyan shilling", finish_reason=""), Reply("Kenyan shilling", drop=True)])
def test_a_reply_that_may_be_cut_is_not_recorded(fault: Reply, tmp_path: Path) -> None:
    with Session(replies=tmp_path / "r.sqlite"), ScriptedLLM([fault]) as server:
        with record(Trace(), "x", "generate") as entry:
            LLM("some-model", base_url=server.base_url).ask(ASK, on_token=lambda piece: None)
        assert len(ReplyCache(tmp_path / "r.sqlite")) == 0
    assert "reply.no_finish_reason" in [code for code, _ in told(entry.events)]


def test_a_recorded_reply_is_that_of_its_server(tmp_path: Path) -> None:
    with Session(replies=tmp_path / "r.sqlite"), ScriptedLLM(["one"]) as first, ScriptedLLM(["two"]) as second:
        texts = [LLM("m", base_url=server.base_url).complete(ASK) for server in (first, second, first)]
        assert texts == ["one", "two", "one"]
        assert [len(server.requests) for server in (first, second)] == [1, 1]


def test_a_recorded_null_is_not_a_reason_to_call(tmp_path: Path) -> None:
    file = tmp_path / "r.sqlite"
    with ScriptedLLM(["one"]) as server:
        model = LLM("m", base_url=server.base_url)
        with Session(replies=file):
            model.complete(ASK)
        with sqlite3.connect(file) as database:
            database.execute("UPDATE replies SET reply = 'null'")
        database.close()
        with Session(replies=file, reply_mode="replay"), fails("replies.damaged_reply"):
            model.complete(ASK)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        r"""{"answers": [{"answer": "King\'s \q", "paths": [1]}]}""",
        '{"answers": [{"answer": "King\'s\n\\q", "paths": []}]}',
    ],
)
def test_wrong_escapes_in_a_streamed_reply(reply: str) -> None:
    pieces: list[str] = []
    with ScriptedLLM([reply]) as server, streaming(pieces.append):
        run = ask("generate", server.base_url)
    assert run.answer is not None
    assert run.answer.texts[0].split() == ["King's", "\\q"]
    assert "".join(pieces).split() == ["King's", "\\q"]


USAGES = ['{"prompt_tokens": 1e999}', '{"prompt_tokens": -1}', '{"prompt_tokens": "3"}', "[]", '{"prompt_tokens": NaN}']


@pytest.mark.parametrize("usage", USAGES)
def test_tokens_that_are_no_number_are_estimated(usage: str) -> None:
    body = json.dumps(COMPLETION)[:-1] + f', "usage": {usage}}}'
    with ScriptedLLM([Reply(body=body)]) as server:
        run = ask("generate", server.base_url)
    assert "reply.tokens_estimated" in run.trace.event_codes
    assert 0 < run.trace.ledger["tokens_in"] < 1000


@pytest.mark.parametrize("tokens", [0, 1])
def test_a_number_of_tokens_that_cannot_be_is_estimated(tokens: int) -> None:
    body = json.dumps(COMPLETION | {"usage": {"prompt_tokens": tokens, "completion_tokens": 0}})
    with ScriptedLLM([Reply(body=body)]) as server:
        run = ask("generate", server.base_url)
    assert "reply.tokens_implausible" in run.trace.event_codes
    assert 50 < run.trace.ledger["tokens_in"] < 1000


def test_half_characters_can_be_written(tmp_path: Path) -> None:
    message = {"content": "Kenyan \ud800 shilling"}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]})
    for reply in (Reply(body=body), Reply(r'{"answers": [{"answer": "a \ud800 b", "paths": []}]}')):
        with Session(replies=tmp_path / "r.sqlite"), ScriptedLLM([reply]) as server:
            run = ask("generate", server.base_url)
        assert run.answer is not None
        (tmp_path / "answer").write_text(str(run.answer) + str(run.trace.to_dict()), encoding="utf-8")


@pytest.mark.whole
@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply("", forever=True), "server.timeout"),
        (Reply("word ", forever=True), "server.not_a_completion"),
    ],
    ids=["empty pieces", "text without end"],
)
def test_a_stream_without_end_ends(reply: Reply, code: str) -> None:
    with ScriptedLLM([reply]) as server, streaming(lambda piece: None), fails(code):
        ask("generate", server.base_url, _PATIENCE if reply.text else _TIMEOUT)


def test_what_a_server_refuses_is_said_in_every_run_and_kept_by_server() -> None:
    def strict(request: Request) -> Reply:
        known = "response_format" not in request.body
        return Reply("Kenyan shilling") if known else Reply("response_format is unknown", status=400)

    with ScriptedLLM(strict) as old, ScriptedLLM(["Kenyan shilling"]) as new:
        events = [ask("generate", old.base_url).trace.events for _ in range(2)]
        assert "request.parameter_left_out" not in ask("generate", new.base_url).trace.event_codes
        assert "response_format" in new.requests[0].body
        assert len(old.requests) == 3
        with Session():
            ask("rerank", old.base_url)
            assert len(old.requests) == 5  # another session tries again
    for events_of_run in events:
        left_out = [values for code, values in told(events_of_run) if code == "request.parameter_left_out"]
        assert left_out == [{"name": "response_format"}]
