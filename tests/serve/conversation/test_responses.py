"""OpenAI's Responses API, with the official client over it."""

from __future__ import annotations

import openai
import pytest
from served import QUESTION, serving

from graphbrick.testing import ScriptedLLM

PATH = "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"
TEXT = f"Kenyan shilling [1]\n\n[1] {PATH}"
RECIPES = {"best": "ShortestPaths() >> Rerank(BM25(), n=1) >> PathAnswer()"}
EVENTS = (
    "response.created response.in_progress response.output_item.added response.content_part.added "
    "response.output_text.delta response.output_text.done response.content_part.done response.output_item.done "
    "response.completed"
).split()


def client_of(client):
    return openai.OpenAI(api_key="none", base_url="http://localhost/v1", http_client=client, max_retries=0)


@pytest.fixture(scope="module")
def client():
    with serving(recipes=RECIPES) as client:
        yield client_of(client)


@pytest.mark.whole
@pytest.mark.parametrize(
    "sent",
    [
        QUESTION,
        [{"role": "user", "content": QUESTION}],
        [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": QUESTION}]}],
        [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [{"type": "output_text", "text": "Hello!", "annotations": []}]},
            {"type": "function_call_output", "call_id": "c", "output": "x"},
            {"role": "user", "content": QUESTION},
        ],
    ],
)
def test_a_response_is_the_answer_with_its_evidence(client, sent):
    response = client.responses.create(model="best", input=sent, instructions="Be short.", tools=[], store=True)
    assert (response.status, response.output_text, response.error) == ("completed", TEXT, None)
    assert response.usage.total_tokens == 0  # no language model was asked
    assert response.store is False
    assert response.model_extra["graphbrick"]["support"][0]["text"] == PATH


@pytest.mark.whole
def test_a_stream_ends_with_the_same_response(client):
    events = list(client.responses.create(model="best", input=QUESTION, stream=True))
    assert [event.type for event in events] == EVENTS
    assert [event.sequence_number for event in events] == list(range(len(EVENTS)))
    assert events[-1].response.output_text == TEXT
    with client.responses.stream(model="best", input=QUESTION) as stream:
        assert stream.get_final_response().output_text == TEXT


@pytest.mark.whole
def test_what_a_language_model_writes_is_streamed_as_it_comes():
    with ScriptedLLM(["Kenyan shilling", "Kenyan shilling"]) as llm:
        recipe = f"ShortestPaths() >> Generate(LLM('m', base_url='{llm.base_url}'))"
        with serving(recipes={"llm": recipe}) as client:
            for _ in range(2):  # the first shows whether the model ends thoughts that it did not begin
                events = list(client_of(client).responses.create(model="llm", input=QUESTION, stream=True))
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    response = events[-1].response
    assert len(deltas) > 2
    assert "".join(deltas) == response.output_text
    assert response.output_text.startswith("Kenyan shilling\n\n[1] ")
    assert response.usage.total_tokens > 0


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"conversation": "conv_1"}, "conversation"),
        ({"background": True}, "background"),
        ({"prompt": {"id": "pmpt_1"}}, "prompt"),
        ({"input": [{"type": "item_reference", "id": "msg_1"}]}, "input"),
    ],
)
def test_what_would_have_to_be_stored_is_refused(client, more, param):
    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(**{"model": "best", "input": QUESTION} | more)
    assert (refused.value.code, refused.value.param) == ("nothing_stored", param)
    assert "in input" in refused.value.message or param == "background"


def test_a_run_that_fails_is_a_failed_response():
    recipe = "ShortestPaths() >> Generate(LLM('m', base_url='http://127.0.0.1:9', retries=0))"
    with serving(recipes={"llm": recipe}) as served:
        client = client_of(served)
        with pytest.raises(openai.InternalServerError) as failed:
            client.responses.create(model="llm", input=QUESTION)
        assert failed.value.code == "model"
        *_, last = client.responses.create(model="llm", input=QUESTION, stream=True)
    assert (last.type, last.response.status, last.response.error.code) == ("response.failed", "failed", "model")


def test_errors_are_those_of_the_client(client):
    with pytest.raises(openai.NotFoundError, match="there are default, best"):
        client.responses.create(model="gpt-5", input=QUESTION)
    with pytest.raises(openai.BadRequestError) as refused:
        client.responses.create(model="best", input=[{"role": "system", "content": "x"}])
    assert refused.value.code == "no_message"
