"""The chat API, with the official client of OpenAI over it."""

from __future__ import annotations

import openai
import pytest
from served import QUESTION, serving

from graphbrick.serve.conversation.answer_text import answer_text
from graphbrick.testing import ScriptedLLM, tiny_graph

MESSAGES = [{"role": "system", "content": "Be short."}, {"role": "user", "content": QUESTION}]
RECIPES = {"best": "ShortestPaths() >> Rerank(BM25(), n=1) >> PathAnswer()", "paths": "ShortestPaths() >> PathAnswer()"}


@pytest.fixture(scope="module")
def chat():
    with serving(recipes=RECIPES) as client:
        yield openai.OpenAI(api_key="none", base_url="http://localhost/v1", http_client=client, max_retries=0)


def test_models_are_the_recipes(chat):
    assert [model.id for model in chat.models.list()] == ["default", "best", "paths"]
    assert chat.models.retrieve("best").owned_by == "graphbrick"
    with pytest.raises(openai.NotFoundError, match="there are default, best, paths"):
        chat.models.retrieve("gpt-4")


@pytest.mark.whole
def test_models_of_several_graphs_are_named_after_graph_and_recipe():
    graphs = {name: str(tiny_graph().path) for name in ("films", "notes")}
    with serving(graphs=graphs, recipes=RECIPES) as client:
        chat = openai.OpenAI(api_key="none", base_url="http://localhost/v1", http_client=client, max_retries=0)
        names = [model.id for model in chat.models.list()]
        assert names == [f"{graph}/{recipe}" for graph in graphs for recipe in ("default", "best", "paths")]
        for name in ("notes/best", "notes", "notes/12"):  # a recipe, the first of a graph, a published one
            assert chat.models.retrieve(name).id == name
        reply = chat.chat.completions.create(model="notes/best", messages=MESSAGES)
        assert reply.model_extra["graphbrick"]["graph"]["name"] == "notes"
        assert "Asked in" not in reply.choices[0].message.content
        reply = chat.chat.completions.create(model="best", messages=MESSAGES)
        assert reply.choices[0].message.content.endswith(
            "\nAsked in the graph films, the first of 2, as the request names none"
        )
        for name in ("notes/none", "other/best", "notes/"):
            with pytest.raises(openai.NotFoundError, match="there are films/default"):
                chat.models.retrieve(name)


def test_an_answer_has_its_evidence_in_the_text_and_as_a_key(chat):
    reply = chat.chat.completions.create(model="best", messages=MESSAGES)
    (choice,) = reply.choices
    path = "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"
    assert (choice.finish_reason, choice.message.content) == ("stop", f"Kenyan shilling [1]\n\n[1] {path}")
    assert reply.usage.total_tokens == 0  # no language model was asked
    assert reply.model_extra["graphbrick"]["support"][0]["text"] == path
    assert (
        chat.chat.completions.create(model="tiny/best", messages=MESSAGES).choices[0].message.content.startswith("Ken")
    )


def test_a_stream_gives_the_same_text(chat):
    whole = chat.chat.completions.create(model="best", messages=MESSAGES).choices[0].message.content
    chunks = list(
        chat.chat.completions.create(
            model="best", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        )
    )
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == whole
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage.total_tokens == 0
    assert chunks[-2].model_extra["graphbrick"]["answers"][0]["text"] == "Kenyan shilling"


def test_what_a_language_model_writes_is_streamed_as_it_comes():
    with ScriptedLLM(["Kenyan shilling"]) as llm:
        recipe = f"ShortestPaths() >> Generate(LLM('some-chat', base_url='{llm.base_url}'))"
        with serving(recipes={"llm": recipe}) as client:
            chat = openai.OpenAI(api_key="none", base_url="http://localhost/v1", http_client=client, max_retries=0)
            chunks = list(chat.chat.completions.create(model="llm", messages=MESSAGES, stream=True))
    pieces = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices[0].delta.content]
    assert "".join(pieces).startswith("Kenyan shilling\n\n[1] ")
    assert len(pieces) > 2
    ledger = chunks[-1].model_extra["graphbrick"]["trace"]["ledger"]
    assert ledger["calls"] == 1


def test_a_question_about_nothing_in_the_graph_is_answered_in_words(chat):
    reply = chat.chat.completions.create(model="paths", messages=[{"role": "user", "content": "xyzzy?"}])
    assert reply.choices[0].message.content.startswith("I cannot answer from the graph: ")
    assert reply.model_extra["graphbrick"]["error"]["code"] == "no_entity"


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ([{"role": "system", "content": "x"}], "no_message"),
        ([{"role": "user", "content": " "}], "empty_message"),
        ([{"role": "user", "content": "x" * 10_001}], "refused"),
        ([], "invalid_request"),
    ],
)
def test_errors_are_those_of_the_client(chat, messages, code):
    with pytest.raises(openai.APIStatusError) as failed:
        chat.chat.completions.create(model="paths", messages=messages)
    assert failed.value.body["code"] == code
    assert failed.value.body["type"] == "invalid_request_error"


def test_the_text_of_content_parts_is_read(chat):
    parts = [{"type": "text", "text": QUESTION}, {"type": "image_url", "image_url": {"url": "data:"}}]
    reply = chat.chat.completions.create(model="best", messages=[{"role": "user", "content": parts}])
    assert reply.choices[0].message.content.startswith("Kenyan shilling")


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ({"answers": [], "support": []}, "No answer found in the graph."),
        ({"answers": [], "support": [], "stopped": {"reason": "no time"}}, "No answer: no time."),
        (
            {"answers": [{"text": f"a{i}", "support": [0]} for i in range(22)], "support": [{"text": "p"}]},
            ", ".join(f"a{i}" for i in range(20)) + " [1], and 2 more\n\n[1] p",
        ),
        (
            {
                "answers": [{"text": "Snow is cold [1].", "support": [1]}],
                "support": [
                    {"text": "other"},
                    {
                        "text": "Snow is cold",
                        "citations": [{"document": "snow.md", "start": 3, "end": 9, "section": "Ice"}],
                    },
                ],
            },
            "Snow is cold [1].\n\n[1] Snow is cold (snow.md, Ice, characters 3-9)",
        ),
    ],
)
def test_answers_as_text(found, text):
    assert answer_text(found) == text
