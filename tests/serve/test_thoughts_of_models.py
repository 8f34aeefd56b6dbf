"""What a model thinks reaches no client: not in a whole reply, not in a stream, whatever its marks are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from served import events, serving

from graphbrick import index
from graphbrick.testing import ScriptedLLM

QUESTION = "Who founded Fjord Ferries?"
THOUGHT = "maybe Oslo [2]"
REPLIES = [
    f"<think>\n{THOUGHT}\n</think>\n\nAlma Berg [1]",
    f"<thinking>{THOUGHT}</thinking>Alma Berg [1]",
    f"{THOUGHT}\n</think>\n\nAlma Berg [1]",
    f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>Alma Berg [1]",
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("thoughts")
    (folder / "ferry.md").write_text("# Ferries\n\nFjord Ferries was founded by Alma Berg in 1921.\n", encoding="utf-8")
    index([folder / "ferry.md"], folder / "d1.graph")
    return folder / "d1.graph"


@pytest.mark.whole
@pytest.mark.parametrize("reply", REPLIES)
def test_thoughts_reach_no_client(graph: Path, reply: str) -> None:
    with ScriptedLLM([reply]) as llm:
        recipe = f"Passages() >> WriteAnswer(LLM('m', base_url={llm.base_url!r}))"
        with serving(graphs={"d1": str(graph)}, recipes={"llm": recipe}) as client:
            chat = {"model": "llm", "messages": [{"role": "user", "content": QUESTION}]}
            whole = client.post("/v1/chat/completions", json=chat).json()["choices"][0]["message"]["content"]
            assert whole.startswith("Alma Berg [1]")
            lines = client.post("/v1/chat/completions", json=chat | {"stream": True}).text.splitlines()
            chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
            streamed = "".join(one["choices"][0]["delta"].get("content", "") for one in chunks if one["choices"])
            assert streamed.startswith("Alma Berg [1]")
            told = client.post("/v1/ask", json={"question": QUESTION, "recipe": "llm", "stream": True}).text
            tokens = "".join(json.loads(data)["text"] for name, data in events(told) if name == "token")
            assert tokens.strip() == "Alma Berg [1]"
            assert "Oslo" not in whole + "".join(lines) + told
