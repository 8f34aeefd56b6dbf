"""The language-model part against a real model, through the real endpoint."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from graphbrick import (
    BM25,
    LLM,
    AllPaths,
    Budget,
    ConstrainedPaths,
    Generate,
    Graph,
    LocalLLM,
    Rerank,
    Session,
    ShortestPaths,
    spending,
)
from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.messages import Request
from graphbrick.models.scorers.llm_listwise import LLMListwiseScorer
from graphbrick.models.store import fetched

pytestmark = pytest.mark.models

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
ASK = ({"role": "user", "content": "What is the capital of France? One word."},)
_PATHS = ShortestPaths(max_hops=2) >> Rerank(BM25(), n=8)  # few, because a processor reads slowly
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "rivers": {"type": "integer"}},
    "required": ["city", "rivers"],
    "additionalProperties": False,
}


def test_structured_output(llm: LLM) -> None:
    reply = json.loads(llm.complete(ASK, schema=SCHEMA))
    assert set(reply) == {"city", "rivers"}
    assert reply["city"] == "Paris"
    assert isinstance(reply["rivers"], int)


def test_streaming_says_the_same_with_its_tokens(llm: LLM) -> None:
    pieces: list[str] = []
    with record(Trace(), "x", "generate") as entry:
        (streamed,) = llm.ask_all([Request(ASK)], on_token=pieces.append)
        (whole,) = llm.ask_all([Request(ASK)])
    assert "".join(pieces) == streamed.text == whole.text
    assert (streamed.tokens_in, streamed.tokens_out) == (whole.tokens_in, whole.tokens_out)
    assert streamed.tokens_out > 0
    assert entry.estimated == 0


def test_log_probabilities_tell_yes_from_no(llm: LLM) -> None:
    asked = ({"role": "user", "content": "Is Paris in France? Reply Yes or No."},)
    (reply,) = llm.ask_all([Request(asked, max_tokens=1, top_logprobs=10)])
    chances = {word.strip().lower(): p for word, p in reversed(reply.choices[0].logprobs[0].top)}
    assert chances["yes"] > chances.get("no", float("-inf"))


def test_cancelling_ends_a_call_and_the_server_goes_on(llm: LLM) -> None:
    long = ({"role": "user", "content": "Count from 1 to 500 in words, one a line."},)
    start = time.monotonic()
    with spending(Budget()) as budget, record(Trace(), "x", "generate"):
        timer = threading.Timer(3.0, budget.cancel)
        timer.start()
        with pytest.raises(Exception, match="the run was cancelled"):
            llm.ask_all([Request(long)], on_token=lambda piece: None)
    assert time.monotonic() - start < 60
    assert llm.complete(ASK)


def test_a_replay_gives_the_same_answers_without_a_call(world: Graph, llm: LLM, tmp_path: Path) -> None:
    pipeline = _PATHS >> Rerank(LLMListwiseScorer(llm), n=4) >> Generate(llm)
    with Session(replies=tmp_path / "replies.sqlite"):
        first = pipeline.run(world, QUESTION)
    with Session(replies=tmp_path / "replies.sqlite", reply_mode="replay"):
        again = pipeline.run(world, QUESTION)
    assert (first.answer, first.evidence) == (again.answer, again.evidence)
    assert first.trace.ledger["calls"] > 0
    assert again.trace.ledger["calls"] == again.trace.ledger["cost"] == 0
    assert again.trace.ledger["cache_hits"] >= first.trace.ledger["calls"]


def test_the_estimate_of_tokens_is_not_too_low(world: Graph, llm: LLM) -> None:
    run = (_PATHS >> Generate(llm)).run(world, QUESTION)
    (exchange,) = run.trace.stages[-1].exchanges
    assert exchange.tokens_in <= llm.tokens(exchange.messages) <= 2 * exchange.tokens_in


def test_a_local_model_needs_no_server(world: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "qwen2.5-coder-0.5b"
    if fetched(name) is None:
        pytest.skip(f"{name} was not fetched; run graphbrick models fetch {name}")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    model: ChatModel = LocalLLM(name)
    with Session():  # it closes the server
        run = (_PATHS >> Generate(model, prompt="few")).run(world, QUESTION)
    assert run.answer is not None
    assert "Kenyan shilling" in run.answer.texts
    assert run.trace.ledger["tokens_in"] > 0
    assert run.trace.ledger["cost"] == 0


def test_paths_under_a_grammar_exist(world: Graph, llm: LLM) -> None:
    stage = ConstrainedPaths(llm, n=3)
    written = stage.run(world, QUESTION, seeds=["Nairobi"]).evidence
    existing = AllPaths(max_hops=2, cap=stage.cap).run(world, QUESTION, seeds=["Nairobi"]).evidence
    assert written is not None
    assert existing is not None
    assert len(set(written.texts())) == 3
    assert set(written.texts()) <= set(existing.texts())
