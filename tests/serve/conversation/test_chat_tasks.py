"""Prompts of chat programs for titles, tags, further questions and searches, and small talk in a chat."""

from __future__ import annotations

import json

import pytest
from served import examples, serving

from graphbrick.serve.conversation.tasks import read_task, task_reply, title_of, without_context

HISTORY = (
    "<chat_history>\nUSER: Which currency is used in Kenya?\nASSISTANT: Kenyan shilling [1]\n\n"
    "[1] Kenya -> currency -> Kenyan shilling\nUSER: And of Uganda?\nASSISTANT: Ugandan shilling [1]\n</chat_history>"
)
ASKS = {
    "title": "Generate a concise title summarizing the chat history.",
    "tags": "Generate 1-3 broad tags categorizing the main themes of the chat history.",
    "follow_ups": "Suggest 3-5 relevant follow-up questions or prompts that the user might naturally ask next.",
    "queries": "Analyze the chat history to determine the necessity of generating search queries.",
    "text": "You are an autocompletion system. Continue the text in `<text>`.",
    "prompt": "Generate a detailed prompt for am image generation task.",
}
FORMS = {"tags": '["tag1"]', "follow_ups": '["Question 1?"]', "queries": '["query1"]'}


def prompt_of(key, history=HISTORY):
    """A prompt as Open WebUI writes it."""
    form = f'{{ "{key}": {FORMS.get(key, chr(34) + "your text" + chr(34))} }}'
    return f"### Task:\n{ASKS[key]}\n### Output:\nJSON format: {form}\n### Chat History:\n{history}"


def reply_to(prompt, earlier=()):
    task = read_task(prompt, earlier)
    return task_reply(task, "world", lambda: ["Which currency is used in Kenya?", "Q1?", "Q2?", "Q3?"])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("title", "Currency is used in Kenya"),
        ("tags", ["Kenya", "Uganda"]),
        ("follow_ups", ["Tell me about Ugandan shilling", "Q1?", "Q2?"]),
        ("queries", ["And of Uganda?"]),
        ("text", ""),
        ("prompt", "And of Uganda?"),
    ],
)
def test_tasks_are_answered_in_the_form_that_they_ask_for(key, value):
    assert json.loads(reply_to(prompt_of(key))) == {key: value}


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        (
            "Create a concise, 3-5 word title with an emoji as a title for the chat history, in the given language.\n"
            "RESPOND ONLY WITH THE TITLE TEXT.\n<chat_history>\nUSER: Who rules Kenya?\n</chat_history>",
            "Rules Kenya",
        ),
        (
            "Here is the query:\nWho rules Kenya?\n\nCreate a concise, 3-5 word phrase with an emoji as a title for "
            "the previous query.",
            "Rules Kenya",
        ),
        (
            "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only return "
            "the title itself.\n\nConversation:\nUser: Who rules Kenya?\nAI: Nobody",
            "Rules Kenya",
        ),
        ("### Task: Generate a concise title\n\nReturn only the title.", "Earlier messages"),
        ("Your task is to reflect the speaker's likely facial expression through a fitting emoji.\n\nMessage: x", "🙂"),
    ],
)
def test_other_wordings_get_the_text_alone(prompt, reply):
    assert reply_to(prompt, ["of earlier messages?"]) == reply


@pytest.mark.parametrize(
    "text",
    [
        "Can you generate a concise title for my essay?",
        "Provide a concise title for the film about Kenya",
        "### Task:\nWhich currency is used in Kenya?",
        'What does {"title": "x"} mean?',
    ],
)
def test_questions_of_people_are_no_tasks(text):
    assert read_task(text) is None


def test_a_prompt_in_another_language_is_recognised_by_its_form():
    prompt = f'### Tarefa:\nGerar um título.\n### Saída:\n{{ "title": "seu título" }}\n{HISTORY}'
    assert json.loads(reply_to(prompt)) == {"title": "Currency is used in Kenya"}


def test_no_tool_of_a_client_is_called():
    rules = 'Available Tools: [...]\n\nReturn an object with a "tool_calls" array.'
    task = read_task("History:\nUSER: hi\nQuery: hi", rules=rules)
    assert json.loads(task_reply(task, "world", list)) == {"tool_calls": []}


def test_a_conversation_of_small_talk_is_named_after_the_graph():
    greeting = prompt_of("title", "<chat_history>\nUSER: hi\nASSISTANT: Hello!\n</chat_history>")
    assert json.loads(reply_to(greeting)) == {"title": "world"}
    assert json.loads(reply_to(prompt_of("tags", "<chat_history>\nUSER: hi\n</chat_history>"))) == {"tags": ["General"]}


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What is the capital of the country that borders Uganda and Kenya?", "Capital of the country that borders"),
        ("Was ist die Hauptstadt von Kenia?", "Hauptstadt von Kenia"),
        ("肯尼亚的首都是哪里？", "肯尼亚的首都是哪里"),
        ("x" * 500, "X" + "x" * 39),
        ("who is it", "Who is it"),
    ],
)
def test_titles_are_words_of_the_question(question, title):
    assert title_of(question) == title


def test_the_question_is_read_under_the_results_of_a_search():
    wrapped = "### Task:\nRespond to the user query using the provided context.\n<context>\nx\n</context>\n\n"
    assert without_context(f"{wrapped}Who rules Kenya?") == "Who rules Kenya?"
    assert without_context(f"{wrapped}<user_query>\nWho rules Kenya?\n</user_query>\n") == "Who rules Kenya?"
    assert without_context("Who rules </context>?") == "Who rules </context>?"


@pytest.fixture(scope="module")
def client():
    with serving(recipes={"paths": "ShortestPaths() >> PathAnswer()"}) as client:
        yield client


def said(client, *texts, stream=False):
    roles = ("user", "assistant")
    messages = [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]
    return client.post("/v1/chat/completions", json={"model": "paths", "messages": messages, "stream": stream})


def test_a_task_is_no_run(client):
    long = HISTORY.replace("</chat_history>", f"USER: {'why ' * 5_000}\n</chat_history>")
    reply = said(client, "Who rules Kenya?", "Nobody", prompt_of("title", long)).json()
    assert json.loads(reply["choices"][0]["message"]["content"]) == {"title": "Currency is used in Kenya"}
    assert reply["graphbrick"]["trace"]["stages"] == []
    streamed = said(client, prompt_of("tags"), stream=True).text
    assert json.dumps(json.dumps({"tags": ["Kenya", "Uganda"]})) in streamed


def test_small_talk_in_a_chat_offers_questions_that_a_number_takes(client):
    first, second, *_ = examples(client)
    hello = said(client, "Hello!").json()["choices"][0]["message"]["content"]
    assert hello.startswith("Hello! I answer questions from ")
    assert f"\n\nYou can ask, for example:\n1. {first}\n2. {second}\n" in hello
    taken = said(client, "Hello!", hello, "2").json()
    assert taken["choices"][0]["message"]["content"].endswith(f"Taken as: {second}")
    thanks = said(client, "What is the capital of Kenya?", "Nairobi", "Thank you!").json()
    assert thanks["choices"][0]["message"]["content"].startswith("You are welcome!")
    assert [stage["kind"] for stage in thanks["graphbrick"]["trace"]["stages"]] == ["step"]


def test_examples_are_not_what_a_later_question_speaks_of(client):
    assert any("Kenya" in question for question in examples(client))
    hello = said(client, "hi").json()["choices"][0]["message"]["content"]
    assert "Kenya" in hello
    reply = said(client, "hi", hello, "And its currency?").json()
    assert "conversation" not in reply["graphbrick"]
