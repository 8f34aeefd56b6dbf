"""Near readings over HTTP, in a chat and as text for assistants."""

from __future__ import annotations

import re

import pytest
from served import serving

from graphbrick.serve.conversation.answer_text import offered_question, says_nothing, without_sources

RECIPES = {
    "ask": "LinkLabels() >> Operators(Patterns(BM25(), max_hops=1)) >> PathAnswer()",
    "strict": "LinkLabels(min_score=0.95) >> Operators(Patterns(BM25(), max_hops=1)) >> PathAnswer()",
}
REFUSED = "How many hospitals does Kenya have?"


@pytest.fixture(scope="module")
def client():
    with serving(recipes=RECIPES) as client:
        yield client


def chat(client, *texts, model="ask"):
    roles = ("user", "assistant")
    messages = [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]
    reply = client.post("/v1/chat/completions", json={"model": model, "messages": messages}).json()
    return reply["choices"][0]["message"]["content"], reply["graphbrick"]


@pytest.mark.whole
def test_a_refusal_and_its_readings_are_in_the_reply(client):
    told = client.post("/v1/ask", json={"question": REFUSED}).json()
    assert told["refusal"]["text"] == "I do not know the word 'hospitals' in this graph"
    first = next(one for one in told["readings"] if one["text"] == "capital of Kenya")
    assert first["question"] == "Kenya -> capital -> *"
    again = client.post("/v1/ask", json={"question": first["question"], "seeds": first["seeds"]}).json()
    assert [answer["text"] for answer in again["answers"]] == ["Nairobi"]


def test_an_error_about_names_has_readings(client):
    reply = client.post("/v1/ask", json={"question": "country of Nairobbi?", "recipe": "strict"})
    assert reply.status_code == 422
    assert [one["question"] for one in reply.json()["error"]["readings"]] == ["country of Nairobi?"]


@pytest.mark.parametrize("choice", ["{}", " {}. ", "Capital of Kenya"])
def test_a_chat_takes_a_reading_by_its_number_or_words(client, choice):
    text, _ = chat(client, REFUSED)
    assert text.startswith("No answer found in the graph: I do not know the word 'hospitals' in this graph.")
    number = re.search(r"^(\d)\. capital of Kenya: `Kenya -> capital -> \*`$", text, re.MULTILINE)
    assert number is not None
    choice = choice.format(number[1])
    answer, told = chat(client, REFUSED, text, choice)
    assert answer.startswith("Nairobi [1]\n\n[1] Kenya -> capital -> Nairobi")
    assert told["conversation"]["question"] == "Kenya -> capital -> *"
    further, _ = chat(client, REFUSED, text, choice, answer, "And of Uganda?")
    assert further.startswith("Kampala [1]")


def test_a_chat_offers_names_that_are_near(client):
    text, told = chat(client, "country of Nairobbi?", model="strict")
    assert text.endswith("Did you mean:\n1. country of Nairobi?")
    assert told["readings"][0]["answers"] == 1
    for yes in ("yes", "OK!", "Yes, please."):
        assert chat(client, "country of Nairobbi?", text, yes, model="strict")[0].startswith("Kenya [1]")
    assert chat(client, "country of Nairobbi?", text, "thanks", model="strict")[0].startswith("You are welcome!")


def test_another_question_takes_no_reading(client):
    text, _ = chat(client, REFUSED)
    assert chat(client, REFUSED, text, "What is the currency of Kenya?")[0].startswith("Kenyan shilling")
    assert offered_question(text, "7") == offered_question("1. Nairobi", "1") == ""
    assert says_nothing(text)
    assert without_sources(text) == text
