"""Grammars of given texts, and how they are sent."""

from __future__ import annotations

import pytest
from grammar_texts import texts_of
from hypothesis import given
from hypothesis import strategies as st

from graphbrick import LLM
from graphbrick.models.llm.messages import Request, user
from graphbrick.models.llm.replies.grammars import one_of
from graphbrick.testing import ScriptedLLM


@given(st.sets(st.text(alphabet='ab"\\|é r1\n', max_size=6), min_size=1, max_size=12))
def test_a_grammar_allows_exactly_its_texts(texts: set[str]) -> None:
    grammar = one_of(texts)
    allowed = texts_of(grammar)
    assert len(allowed) == len(texts)
    assert set(allowed) == texts
    assert grammar.count("\n") < len(texts)


def test_no_text_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one text"):
        one_of([])


def test_a_grammar_is_sent_as_each_server_reads_it(key_alone: None) -> None:
    grammar = one_of(["Nairobi"])
    with ScriptedLLM(["Nairobi"]) as server:
        model = LLM(base_url=server.base_url)
        model.ask_all([Request([user("Which city?")], grammar=grammar), Request([user("Which city?")])])
        bodies = sorted((sent.body for sent in server.requests), key=len)
    assert not {"grammar", "structured_outputs", "guided_grammar"} & set(bodies[0])
    sent = bodies[1]
    assert sent["grammar"] == sent["guided_grammar"] == sent["structured_outputs"]["grammar"] == grammar
    assert "extra_body" not in sent


def test_a_recorded_reply_belongs_to_its_grammar(key_alone: None) -> None:
    model = LLM(base_url="http://localhost:1/v1")
    requests = [Request([user("Which city?")], grammar=one_of([text])) for text in ("Nairobi", "Kampala")]
    assert model._identity(requests[0]) != model._identity(requests[1])
