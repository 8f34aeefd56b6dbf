"""Replies of marks alone, such as [1], are no answers: the passages that they cite are quoted."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Run
from faults import told

from graphbrick import LLM, Generate, Graph, Passages, WriteAnswer, index
from graphbrick.bricks.generate.marks import from_first_word, marks_alone
from graphbrick.models.llm.chat import streaming
from graphbrick.testing import Reply, ScriptedLLM

TEXT = "# Fjord Ferries\n\nFjord Ferries was founded by Alma Berg in 1921. The ship Nordlys carries 300 passengers.\n"
QUESTION = "Who founded Fjord Ferries?"
SENTENCE = "Fjord Ferries was founded by Alma Berg in 1921."


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("marks")
    (folder / "ferry.md").write_text(TEXT, encoding="utf-8")
    return index([folder / "ferry.md"], folder / "ferry.graph").graph


@pytest.mark.parametrize(
    "reply", ["[1]", "[1][1]", "- [1]", "1. [1]", "**[1]**.", "[1]\n[1]", "【1†source】", "<think>x</think>[1]"]
)
@pytest.mark.parametrize("writer", [WriteAnswer, Generate])
def test_the_cited_passage_is_quoted(graph: Graph, reply: str, writer: type[WriteAnswer] | type[Generate]) -> None:
    with ScriptedLLM([reply]) as server:
        run = (Passages() >> writer(LLM(base_url=server.base_url))).run(graph, QUESTION)
    assert run.answer is not None
    assert run.answer.texts[0] == SENTENCE
    assert "marks.quoted_instead" in run.trace.event_codes


@pytest.mark.parametrize("writer", [WriteAnswer, Generate])
def test_marks_of_nothing_are_no_answer(graph: Graph, writer: type[WriteAnswer] | type[Generate]) -> None:
    with ScriptedLLM(["[7]"]) as server:
        run = (Passages() >> writer(LLM(base_url=server.base_url))).run(graph, QUESTION)
    assert run.answer is not None
    assert run.answer.texts == ()
    assert ("marks.no_words", {"numbers": (7,)}) in told(run.trace.stages[-1].events)


@pytest.mark.parametrize(
    "text", ["Alma Berg [1]", "1", "1921", "!!! [1]", "C++ [1]", "[x]", "", "Weezer [1994]", "[1] 艾尔玛"]
)
def test_a_reply_with_words_is_not_of_marks_alone(text: str) -> None:
    assert marks_alone(text) == ()


@pytest.mark.parametrize("writer", [WriteAnswer, Generate])
def test_marks_alone_are_not_streamed(graph: Graph, writer: type[WriteAnswer] | type[Generate]) -> None:
    for reply, passed in (("[1] [1]", ""), ("[1] Alma Berg [1]", "[1] Alma Berg [1]")):
        pieces: list[str] = []
        with ScriptedLLM([reply]) as server, streaming(pieces.append):
            (Passages() >> writer(LLM(base_url=server.base_url))).run(graph, QUESTION)
        if writer is WriteAnswer:
            assert "".join(pieces) == passed


def test_the_first_word_lets_everything_pass() -> None:
    pieces: list[str] = []
    on_token = from_first_word(pieces.append)
    for piece in ("- ", "[", "1", "] ", "Al", "ma"):
        on_token(piece)
    assert pieces == ["- [1] Al", "ma"]


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        ("Two points:\n\n- Alma Berg founded it [1]\n- It was in 1921 [1]", 4),
        ("| who | when |\n|---|---|\n| Alma Berg | 1921 [1] |", 3),
        ("First paragraph [1].\n\nSecond paragraph [1].", 3),
        ("```markdown\nAlma Berg [1]\nin 1921\n```", 2),
        ("Alma\tBerg [1]", 1),
    ],
)
def test_the_lines_of_an_answer_are_printed_as_lines(
    run: Run, graph: Graph, reply: str, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedLLM([Reply(f"{reply}\x1b[31m" if "\t" in reply else reply)]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        out = run("ask", str(Path(graph.path)), QUESTION, "-p", "Passages() >> WriteAnswer(LLM('m'))").out
    shown = out.splitlines()
    assert "  [1] " in shown[lines]
    assert "\\n" not in out
    assert "\x1b" not in out
    assert "```" not in out
