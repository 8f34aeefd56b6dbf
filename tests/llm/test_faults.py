"""Every brick over a language model meets every fault of its server: an answer with an event, or one line of error."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from graphbrick import Session, parse
from graphbrick.core.errors import GraphbrickError
from graphbrick.llm.chat import streaming
from graphbrick.pipeline.run import Run
from graphbrick.testing import Reply, ScriptedLLM, tiny_graph

KEY = "sk-secret-0123456789"
QUESTION = "Which currency is used in the country whose capital is Nairobi?"
_TIMEOUT = 0.4  # seconds
_PATIENCE = 20.0  # seconds in which even a busy machine has an answer

PIPELINES = {
    "link": "LinkWithLLM({llm}) >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()",
    "plan": "PlannedRelations({llm}) >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()",
    "prune": "KHop() >> PruneEdges(LLMScorer({llm}), n=3) >> ShortestPaths() >> PathAnswer()",
    "scores": "KHop() >> PruneTriples(LLMScorer({llm}, reply='scores'), n=3) >> ShortestPaths() >> PathAnswer()",
    "yes or no": "ShortestPaths() >> Rerank(LLMScorer({llm}, reply='yes_no'), n=3) >> PathAnswer()",
    "rerank": "ShortestPaths() >> Rerank(LLMScorer({llm}), n=3) >> PathAnswer()",
    "beam": "BeamSearch(LLMScorer({llm}), beam_width=2, max_hops=2, stop={llm}) >> PathAnswer()",
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
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with Session():
        yield


def ask(name: str, url: str) -> Run:
    """Run a pipeline over a server; that it ends soon is checked here."""
    llm = f"LLM('some-model', base_url={url!r}, timeout={_TIMEOUT}, retries=1)"
    pipeline = parse(PIPELINES[name].format(llm=llm, url=url, timeout=_TIMEOUT))
    start = time.monotonic()
    try:
        return pipeline.run(tiny_graph(), QUESTION)
    finally:
        assert time.monotonic() - start < _PATIENCE


def is_one_line(error: BaseException) -> None:
    assert isinstance(error, GraphbrickError)
    assert "\n" not in str(error)
    assert KEY not in str(error)


@pytest.mark.parametrize("fault", ERRORS)
@pytest.mark.parametrize("name", PIPELINES)
def test_a_server_that_fails(name: str, fault: str) -> None:
    with ScriptedLLM([ERRORS[fault]]) as server, pytest.raises(GraphbrickError) as caught:
        ask(name, server.base_url)
    is_one_line(caught.value)
    assert server.base_url.removesuffix("/v1") in str(caught.value)


@pytest.mark.parametrize("name", PIPELINES)
def test_a_refused_connection(name: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(GraphbrickError, match="cannot reach the model server") as caught:
        ask(name, url)
    is_one_line(caught.value)


@pytest.mark.parametrize("fault", EVENTS)
@pytest.mark.parametrize("name", [name for name in PIPELINES if name != "embed"])
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
        ask("generate", server.base_url)
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
