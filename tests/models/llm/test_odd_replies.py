"""Odd replies of servers, as people report them, each with its right value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from odd_servers import ANSWER, SCHEMA, THOUGHT, USAGE, ask, chunk, completion, events, in_pieces

from graphbrick import LLM, Session
from graphbrick.core.errors import ModelError
from graphbrick.models.llm.http.runtime import Habits
from graphbrick.models.llm.messages import Tool, user
from graphbrick.models.llm.reply_cache import ReplyCache, recorded_reply
from graphbrick.testing import Reply, Request, ScriptedLLM


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    with Session():
        yield


MESSAGES: dict[str, Any] = {
    "a list with one part of text": {"content": [{"type": "text", "text": ANSWER}]},
    "parts without a type": {"content": [{"text": "Alma "}, {"text": "Berg [1]"}]},
    "parts that are strings": {"content": ["Alma ", "Berg [1]"]},
    "thoughts as a part, as Mistral sends them": {
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
            {"type": "text", "text": ANSWER},
        ]
    },
    "thoughts as a part, as Anthropic names them": {
        "content": [{"type": "thinking", "thinking": THOUGHT, "signature": "x"}, {"type": "text", "text": ANSWER}]
    },
    "a part of reasoning and one of output": {
        "content": [{"type": "reasoning", "text": THOUGHT}, {"type": "output_text", "text": ANSWER, "annotations": []}]
    },
    "a text with a value": {"content": [{"type": "text", "text": {"value": ANSWER, "annotations": []}}]},
    "one part in place of a list": {"content": {"type": "text", "text": ANSWER}},
    "a picture beside the text": {
        "content": [{"type": "text", "text": ANSWER}, {"type": "image_url", "image_url": {}}]
    },
    "reasoning_content": {"content": ANSWER, "reasoning_content": THOUGHT},
    "reasoning": {"content": ANSWER, "reasoning": THOUGHT, "reasoning_details": [{"type": "reasoning.text"}]},
    "thoughts under two names": {"content": ANSWER, "reasoning": THOUGHT, "reasoning_content": THOUGHT},
    "thinking blocks": {"content": ANSWER, "thinking_blocks": [{"type": "thinking", "thinking": THOUGHT}]},
    "reasoning that is null": {"content": ANSWER, "reasoning_content": None, "refusal": None, "tool_calls": None},
    "reasoning that is a list": {"content": ANSWER, "reasoning": [{"summary": THOUGHT}]},
}
TEXTS = {
    "think": f"<think>\n{THOUGHT}\n</think>\n\n{ANSWER}",
    "THINK": f"<THINK>{THOUGHT}</THINK>{ANSWER}",
    "thinking": f"<thinking>{THOUGHT}</thinking>\n{ANSWER}",
    "thought": f"<thought>\n{THOUGHT}\n</thought>{ANSWER}",
    "reasoning": f"<reasoning>{THOUGHT}</reasoning>{ANSWER}",
    "analysis": f"<analysis>{THOUGHT}</analysis>{ANSWER}",
    "scratchpad": f"<scratchpad>{THOUGHT}</scratchpad>{ANSWER}",
    "Seed": f"<seed:think>{THOUGHT}</seed:think>{ANSWER}",
    "Magistral": f"[THINK]{THOUGHT}[/THINK]{ANSWER}",
    "Kimi": f"◁think▷{THOUGHT}◁/think▷{ANSWER}",
    "OpenThinker": f"<|begin_of_thought|>{THOUGHT}<|end_of_thought|>\n<|begin_of_solution|>{ANSWER}<|end_of_solution|>",
    "Command A": f"<|START_THINKING|>{THOUGHT}<|END_THINKING|><|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>",
    "gpt-oss": f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
    "gpt-oss with a header": f"<|start|>assistant<|channel|>final <|constrain|>json<|message|>{ANSWER}",
    "gpt-oss without its marks": f"analysisWe need: {THOUGHT}assistantfinal{ANSWER}",
    "Gemma": f"<|channel>thought\n{THOUGHT}<channel|>{ANSWER}",
    "MedGemma": f"<unused94>thought\n{THOUGHT}<unused95>{ANSWER}",
    "Granite": f"Here is my thought process:\n{THOUGHT}\nHere is my response:\n{ANSWER}",
    "Apriel": f"Here are my reasoning steps:\n{THOUGHT}\n[BEGIN FINAL RESPONSE]\n{ANSWER}[END FINAL RESPONSE]",
    "two thoughts": f"<think>{THOUGHT}</think>\n<think>{THOUGHT}</think>{ANSWER}",
    "empty thoughts": f"<think>\n\n</think>\n\n{ANSWER}",
    "an answer between marks": f"<think>{THOUGHT}</think>\n<answer>{ANSWER}</answer>",
    "only the closing mark": f"{THOUGHT}\n</think>\n\n{ANSWER}",
    "only the closing mark of Magistral": f"{THOUGHT}[/THINK]{ANSWER}",
    "the end of a turn": f"{ANSWER}<|im_end|>",
    "the end of a turn of Llama": f"{ANSWER}<|eot_id|>",
    "the end of a text": f"{ANSWER}</s>",
}
SPOKEN_OF = [
    "Thoughts stand between `<think>` and `</think>` [1]",
    'The tag "<think>" opens them [1]',
    '{"answer": "the <think> tag", "n": 1}',
    "a < b, and [1] and <b>bold</b>",
    "analysis of the text [1]",
    "Here is my list: [1]",
]


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_of_any_form_is_its_text(name: str) -> None:
    assert ask(Reply(body=completion(MESSAGES[name])))[0].text == ANSWER
    reply, streamed, _ = ask(events(chunk(MESSAGES[name]), chunk({}, "stop")))
    assert (reply.text, streamed) == (ANSWER, ANSWER)


@pytest.mark.whole
@pytest.mark.parametrize("name", TEXTS)
def test_thoughts_between_marks_are_not_part_of_the_reply(name: str) -> None:
    assert ask(Reply(TEXTS[name]))[0].text.strip() == ANSWER
    for n in (1, 3, 1000):
        reply, streamed, _ = ask(events(*in_pieces(TEXTS[name], n)))
        assert (reply.text.strip(), streamed.strip()) == (ANSWER, ANSWER)


@pytest.mark.parametrize("text", SPOKEN_OF)
def test_a_mark_that_is_spoken_of_stays(text: str) -> None:
    assert ask(Reply(text))[0].text == text
    reply, streamed, _ = ask(events(*in_pieces(text)), "gpt-4.1")
    assert (reply.text, streamed) == (text, text)


def test_a_plain_model_streams_at_once_and_one_that_is_not_known_after_its_first_reply() -> None:
    with ScriptedLLM(["one two three"]) as server:
        for model, sizes in (("gpt-4.1", [3]), ("m", [1, 3]), ("deepseek-r1:8b", [1, 3])):
            for size in sizes:
                pieces: list[str] = []
                LLM(model, base_url=server.base_url).ask([user("?")], on_token=pieces.append)
                assert len(pieces) == size, model


@pytest.mark.parametrize(
    ("model", "thinks", "may_begin_within"),
    [
        ("gpt-4.1-mini", False, False),
        ("gpt-5-mini", True, False),
        ("o4-mini", True, False),
        ("claude-opus-4", False, False),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", True, True),
        ("deepseek-chat", False, False),
        ("qwen3:8b", True, True),
        ("qwen3-coder-30b", False, False),
        ("Qwen3-4B-Instruct-2507", False, False),
        ("Qwen3-4B-Thinking-2507.gguf", True, True),
        ("qwen2.5-coder-1.5b", False, False),
        ("llama3.2", False, False),
        ("gpt-oss-20b", True, True),
        ("my-model", False, True),
    ],
)
def test_what_a_name_tells(model: str, thinks: bool, may_begin_within: bool) -> None:
    assert Habits.of(model) == Habits(thinks, may_begin_within)


def test_json_by_a_schema_does_not_tell_how_a_free_reply_begins() -> None:
    def script(request: Request) -> str:
        return '{"n": 4}' if "response_format" in request.body else f"{THOUGHT}\n</think>\n\n{ANSWER}"

    pieces: list[str] = []
    with ScriptedLLM(script) as server:
        llm = LLM("m", base_url=server.base_url)
        llm.complete([user("?")], schema=SCHEMA)
        llm.ask([user("?")], on_token=pieces.append)
    assert "".join(pieces) == ANSWER


def test_a_model_that_begins_within_thoughts_is_held_back_every_time() -> None:
    with ScriptedLLM([f"{THOUGHT} {THOUGHT}\n</think>\n\n{ANSWER}"]) as server:
        for _ in range(3):
            pieces: list[str] = []
            LLM("m", base_url=server.base_url).ask([user("?")], on_token=pieces.append)
            assert "".join(pieces) == ANSWER


def test_thoughts_are_not_recorded(tmp_path: Any) -> None:
    with Session(replies=tmp_path / "r.sqlite"):
        ask(Reply(f"<think>{THOUGHT}</think>{ANSWER}"))
        ask(Reply(body=completion({"content": ANSWER, "reasoning_content": THOUGHT})))
        assert len(ReplyCache(tmp_path / "r.sqlite")) == 2
    assert b"Oslo" not in (tmp_path / "r.sqlite").read_bytes()


def test_thoughts_that_earlier_versions_recorded_are_left_out() -> None:
    text = f"<think>{THOUGHT}</think>{ANSWER}"
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop", "logprobs": []}
    for recorded in ({"text": text}, {"choices": [choice]}):
        assert recorded_reply(recorded).text == ANSWER


FINISHED = chunk({}, "stop")
STREAMS = {
    "comments that keep the connection open": Reply(
        body=f": PROCESSING\n\ndata: {chunk({'content': ANSWER})}\n\n: ping\n\ndata: {FINISHED}\n\ndata: [DONE]\n\n",
        content_type="text/event-stream",
    ),
    "names and numbers of events": Reply(
        body=f"id: 1\nevent: message\ndata: {chunk({'content': ANSWER})}\n\nretry: 3\ndata: {FINISHED}\n\n",
        content_type="text/event-stream",
    ),
    "no space after data": Reply(
        body=f"data:{chunk({'content': ANSWER})}\n\ndata:{FINISHED}\n\ndata:[DONE]\n\n",
        content_type="text/event-stream",
    ),
    "one line end between pieces": Reply(
        body=f"data: {chunk({'content': ANSWER})}\ndata: {FINISHED}\ndata: [DONE]\n", content_type="text/event-stream"
    ),
    "null between pieces": events(chunk({"content": ANSWER}), "null", FINISHED),
    "a delta that is null": events(chunk({"content": ANSWER}), chunk(None, "stop")),
    "content that is null": events(chunk({"role": "assistant", "content": None}), chunk({"content": ANSWER}), FINISHED),
    "choices that are null, with the tokens": events(
        chunk({"content": ANSWER}), FINISHED, json.dumps({"choices": None, "usage": USAGE})
    ),
    "tokens without choices": events(chunk({"content": ANSWER}), FINISHED, json.dumps({"usage": USAGE})),
    "results of a filter first": events(
        json.dumps({"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}),
        chunk({"content": ANSWER}),
        FINISHED,
    ),
    "messages in place of deltas": events(
        json.dumps({"choices": [{"index": 0, "message": {"content": ANSWER}, "finish_reason": "stop"}]})
    ),
    "texts of completions": events(json.dumps({"choices": [{"index": 0, "text": ANSWER, "finish_reason": "stop"}]})),
    "lines of JSON without data": Reply(
        body=f"{chunk({'content': ANSWER})}\n{FINISHED}\n", content_type="text/event-stream"
    ),
    "a whole body": Reply(body=completion({"content": ANSWER}), content_type="text/event-stream"),
    "pieces after the end": events(chunk({"content": ANSWER}), FINISHED, end=f"data: [DONE]\n\ndata: {FINISHED}\n\n"),
    "no mark of the end": events(chunk({"content": ANSWER}), FINISHED, end=""),
    "an empty reason to end in each piece": events(chunk({"content": ANSWER}, ""), FINISHED),
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_of_any_form_is_its_text(name: str) -> None:
    reply, streamed, codes = ask(STREAMS[name])
    assert (reply.text, streamed, reply.is_complete) == (ANSWER, ANSWER, True)
    assert set(codes) <= {"reply.tokens_estimated"}


def test_a_stream_that_was_not_asked_for_is_read() -> None:
    body = events(chunk({"content": ANSWER}), FINISHED).body
    assert ask(Reply(body=body))[0].text == ANSWER  # its content type says JSON, and nobody asked for a stream


BODIES = {
    "a mark of the byte order": "\ufeff" + completion({"content": ANSWER}),
    "white space that keeps the connection open": "\n \n" + completion({"content": ANSWER}),
    "an error that is null": completion({"content": ANSWER}, error=None),
    "a delta in place of a message": completion(None).replace('"message": null', f'"delta": {{"content": "{ANSWER}"}}'),
    "a completion": json.dumps({"choices": [{"text": ANSWER, "finish_reason": "stop"}], "usage": USAGE}),
    "an index that is a text": completion({"content": ANSWER}).replace('"index": 0', '"index": "0"'),
    "no role, no id, no object": json.dumps({"choices": [{"message": {"content": ANSWER}, "finish_reason": "stop"}]}),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_of_any_form_is_its_text(name: str) -> None:
    assert ask(Reply(body=BODIES[name]))[0].text == ANSWER


@pytest.mark.parametrize(
    ("given", "right", "code"),
    [
        ("STOP", "STOP", None),
        ("eos", "stop", None),
        ("end_turn", "stop", None),
        ("MAX_TOKENS", "length", "reply.cut"),
        ("model_length", "length", "reply.cut"),
        ("SAFETY", "content_filter", "reply.filtered"),
        ("abort", "", "reply.no_finish_reason"),
        (None, "", "reply.no_finish_reason"),
    ],
)
def test_why_a_reply_ended_is_read_by_any_name(given: str | None, right: str, code: str | None) -> None:
    reply, _, codes = ask(Reply(body=completion({"content": ANSWER}, given)))
    assert (reply.text, reply.choices[0].finish_reason) == (ANSWER, right)
    assert codes == ([code] if code else [])


def test_json_that_a_server_took_for_thoughts_is_the_reply() -> None:
    body = completion({"content": None, "reasoning_content": ' {"n": 4}'})
    with ScriptedLLM([Reply(body=body)]) as server:
        assert LLM("m", base_url=server.base_url).complete([user("?")], schema=SCHEMA) == '{"n": 4}'
        assert LLM("m", base_url=server.base_url).complete([user("?")]) == ""


CALL = {"function": {"name": "find", "arguments": '{"name": "Kenya"}'}}
CALLS: dict[str, Any] = {
    "as they should be": {"tool_calls": [{"id": "1", "type": "function"} | CALL]},
    "without an id": {"content": None, "tool_calls": [CALL]},
    "an object of arguments": {"tool_calls": [{"function": {"name": "find", "arguments": {"name": "Kenya"}}}]},
    "arguments that are a text of a text": {
        "tool_calls": [{"function": {"name": "find", "arguments": json.dumps('{"name": "Kenya"}')}}]
    },
    "the name before there were tools": {"content": None, "function_call": CALL["function"]},
    "thoughts beside them": {"content": f"<think>{THOUGHT}</think>", "tool_calls": [CALL]},
}


@pytest.mark.parametrize("name", CALLS)
def test_tool_calls_of_any_form(name: str) -> None:
    tool = Tool("find", "Find.", {"type": "object"})
    with ScriptedLLM([Reply(body=completion(CALLS[name], "tool_calls"))]) as server:
        reply = LLM("m", base_url=server.base_url).ask([user("?")], tools=[tool])
    assert [(call.name, dict(call.arguments)) for call in reply.tool_calls] == [("find", {"name": "Kenya"})]
    assert reply.text == ""


def test_a_whole_reply_of_millions_of_lines_is_a_fault_of_the_server() -> None:
    with ScriptedLLM(["3 > 7\n" * 300_000]) as server:
        llm = LLM("m", base_url=server.base_url, retries=0)
        with pytest.raises(ModelError, match=r"does not stop.*256 tokens.*1,800,000 characters"):
            llm.complete([user("Which way?")])
