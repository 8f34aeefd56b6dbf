"""What a local model's server is asked for; a scripted server takes its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from graphbrick.core.session import Session
from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.local_llm import LocalLLM
from graphbrick.models.llm.messages import user
from graphbrick.testing import ScriptedLLM

QUESTION = [user("Two and two?")]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedLLM]:
    with ScriptedLLM(["four"] * 9) as scripted:
        monkeypatch.setattr(
            "graphbrick.models.llm.serving.serving.shared_server",
            lambda *_: SimpleNamespace(base_url=scripted.base_url),
        )
        monkeypatch.setattr("graphbrick.models.store.resolve", Path)
        yield scripted


def test_a_prompt_is_reused_unless_probabilities_are_wanted(server: ScriptedLLM) -> None:
    with Session():
        LocalLLM("m.gguf").ask(QUESTION)
        LocalLLM("m.gguf").ask(QUESTION, on_token=lambda _: None)
        LocalLLM("m.gguf").ask(QUESTION, top_logprobs=2)
        LocalLLM("m.gguf", reuse=False).ask(QUESTION)
    assert [sent.body.get("cache_prompt") for sent in server.requests] == [True, True, None, None]


def test_without_reuse_no_reply_recorded_with_it_is_taken(server: ScriptedLLM, tmp_path: Path) -> None:
    with Session(replies=tmp_path / "replies.db"):
        for model in (LocalLLM("m.gguf"), LocalLLM("m.gguf"), LocalLLM("m.gguf", reuse=False)):
            assert model.ask(QUESTION).text == "four"
    assert len(server.requests) == 2


def test_several_samples_are_several_calls_and_one_reply(server: ScriptedLLM, tmp_path: Path) -> None:
    """The server of llama.cpp with one place refuses ``n`` above 1."""
    with Session(replies=tmp_path / "replies.db"):
        model = LocalLLM("m.gguf", temperature=0.7)
        first, again = model.ask(QUESTION, n=3), model.ask(QUESTION, n=3)
    assert [sent.body.get("n") for sent in server.requests] == [None] * 3
    assert [choice.message.text for choice in first.choices] == ["four"] * 3
    assert first.tokens_out == 3
    assert (again.cached, len(again.choices)) == (True, 3)
    assert first.calls == again.calls == 3


def test_each_call_for_a_sample_is_counted(server: ScriptedLLM) -> None:
    with Session(), record(Trace(), "test", "retrieve") as entry:
        LocalLLM("m.gguf", temperature=0.7).ask(QUESTION, n=3)
    assert entry.calls == entry.exchanges[0].calls == len(server.requests) == 3
