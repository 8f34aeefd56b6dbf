"""Indexing with a model whose server fails, or whose replies are cut: what is kept, said, and asked again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Run

from graphbrick.testing import Reply, Request, ScriptedLLM

TRIPLES = '"triples": [["Alma Berg", "founded", "Fjord Ferries"]]'
GOOD = '{"entities": ["Alma Berg", "Fjord Ferries"], ' + TRIPLES + "}"
Script = Callable[[Request], str | Reply]


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("graphbrick.models.llm.http.connection._FIRST_PAUSE", 0.001)
    (tmp_path / "docs").mkdir()
    for i in range(4):
        (tmp_path / "docs" / f"{i}.md").write_text(
            f"# Ferries {i}\n\nFjord Ferries was founded by Alma Berg in {1921 + i}.\n"
        )
    return tmp_path / "docs"


@pytest.fixture
def index(run: Run, docs: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, int]]:
    """Index with a script in place of a model; return code, output and number of calls."""

    def call(script: Script | list[str | Reply], *more: str) -> tuple[int, str, int]:
        with ScriptedLLM(script) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
            command = ("index", str(docs), str(docs.parent / "g.graph"), "--llm", "LLM('m', parallel=1)", "--no-embed")
            result = run(*command, *more)
            return result.code, result.out + result.err, len(server.requests)

    return call


@pytest.mark.whole
@pytest.mark.parametrize(
    "bad",
    [Reply("model is not loaded", status=400), "I cannot do that.", '{"entities": [], "triples": [[["'],
    ids=range(3),
)
def test_a_run_that_failed_is_repeated_by_the_same_command(index, bad: str | Reply) -> None:
    code, said, _ = index([bad])
    assert (code, "the same command asks about them again" in said) == (1, True)
    code, said, calls = index([GOOD], "--dry-run")
    assert (code, calls, "4 calls for 4 passages" in said) == (0, 0, True)
    code, said, calls = index([GOOD])
    assert (code, calls, "without a result" in said) == (0, 4, False)
    assert index([GOOD])[2] == 0


def test_a_document_of_one_passage_is_asked_about_again_too(index, docs: Path) -> None:
    for i in range(1, 4):
        (docs / f"{i}.md").unlink()
    assert index(["I cannot do that."])[2] == 2
    assert index([GOOD])[2] == 1


@pytest.mark.whole
@pytest.mark.parametrize(
    "body",
    [
        '{"error": {"message": "Rate limit exceeded", "code": 429}}',
        '{"error": {"message": "Provider returned error", "code": 502}}',
        '{"choices": [], "usage": {"prompt_tokens": 3}}',
        '{"choices": null}',
        GOOD[:20],
    ],
)
def test_one_bad_reply_ends_its_passage_and_not_the_run(index, body: str) -> None:
    def once(request: Request) -> str | Reply:
        return Reply(body=body) if "Ferries 1" in request.prompt else GOOD

    code, said, calls = index(once)
    assert (code, calls) == (0, 6)
    assert "1 passage without a result" in said
    code, said, calls = index([GOOD])
    assert (code, calls, "without a result" in said) == (0, 1, False)  # the one that failed, without --retry


def test_a_server_that_is_gone_ends_the_run_and_loses_nothing(index) -> None:
    replies: list[str | Reply] = [GOOD, *[Reply("down", status=503)] * 9]
    code, said, calls = index(replies)
    assert (code, calls, "503: down" in said) == (1, 10, True)
    code, said, calls = index([GOOD])
    assert (code, calls, "without a result" in said) == (0, 3, False)


def test_replies_that_were_cut_are_counted_and_named(index) -> None:
    code, said, calls = index([Reply(GOOD[:80], finish_reason="length")])
    assert (code, calls) == (0, 8)
    assert "8 of 8 replies were cut at 1,024 tokens; --max-tokens N allows more" in said
    assert "4 passages with a part of the result" in said
    assert "with a part of the result (in an earlier run)" in index([GOOD])[1]
    code, said, calls = index([GOOD], "--max-tokens", "4000")
    assert (code, calls, "part of the result" in said) == (0, 4, False)


def test_a_model_that_only_thought_is_told_with_the_remedy(index) -> None:
    message = {"content": None, "reasoning_content": "I think"}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "length"}], "usage": {"prompt_tokens": 9}})
    code, said, calls = index([Reply(body=body)])
    assert (code, calls) == (1, 5)  # the first again with room for thoughts, the others with it at once
    assert "used its 5,120 tokens to think; allow it more (--max-tokens 11000" in said


@pytest.mark.parametrize(
    "wrapped", ['{"reply": %s}', "[%s]", '{"a": {"b": %s}}', "```json\n%s\n```", "<think>x</think>%s"]
)
def test_a_reply_that_is_wrapped_is_read(index, wrapped: str) -> None:
    code, said, calls = index([wrapped % GOOD])
    assert (code, calls, "1 triple" in said) == (0, 4, True)
