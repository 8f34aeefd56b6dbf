from __future__ import annotations

import pytest
from faults import told

from graphbrick import LLM
from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.enough import is_enough
from graphbrick.testing import Request, ScriptedLLM

PATHS = ["Nairobi <- capital <- Kenya", "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"]


def ask(reply: str, paths: list[str] = PATHS, **parameters: object) -> tuple[bool, list[str], Request]:
    with ScriptedLLM([reply]) as server, record(Trace(), "test", "retrieve") as entry:
        llm = LLM("judge", base_url=server.base_url, retries=0, **parameters)  # type: ignore[arg-type]
        said = is_enough(llm, "Who\nis it?", paths)
        (request,) = server.requests
        assert llm.context_budget(request.body["messages"]) >= 0
    return said, entry.events, request


@pytest.mark.parametrize("structured", [True, False])
@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ('{"enough": true}', True),
        ('{"enough": false}', False),
        ('```json\n{"enough": true}\n```', True),
        ("YES", True),
        ("Yes, the second path.", True),
        ("no", False),
        ("<think>Yes?</think>NO", False),
    ],
)
def test_yes_and_no(reply: str, said: bool, structured: bool) -> None:
    assert ask(reply, structured=structured)[:2] == (said, [])


@pytest.mark.parametrize("reply", ["Perhaps", "{}", '{"enough": null}', "not yet"])
def test_what_says_neither_is_a_no_with_an_event(reply: str) -> None:
    assert ask(reply)[:2] == (
        False,
        [f"judge was asked whether the paths are enough and replied {reply!r}; the search went on"],
    )


def test_what_the_model_is_told() -> None:
    request = ask("YES")[2]
    assert 'Reply with JSON: {"enough": true} if' in request.prompt
    listed = f"Paths:\n1. {PATHS[0]}\n2. {PATHS[1]}\n\nQuestion: Who is it?\n"
    assert request.prompt.endswith(f"{listed}Enough:")
    assert request.body["response_format"]["json_schema"]["schema"] == {
        "type": "object",
        "properties": {"enough": {"type": "boolean"}},
        "required": ["enough"],
        "additionalProperties": False,
    }
    request = ask("YES", structured=False)[2]
    assert "Reply with one word: YES if" in request.prompt
    assert request.prompt.endswith(f"{listed}YES or NO:")
    assert "response_format" not in request.body


def test_of_many_paths_the_last_are_shown() -> None:
    paths = [f"a path of some words {i:03}" for i in range(200)]
    said, events, request = ask("YES", paths, context=1000, max_tokens=100)
    shown = request.prompt.split("Paths:\n")[1].split("\n\n")[0].split("\n")
    assert said
    assert 50 < len(shown) < 200
    assert shown[0] == f"1. {paths[-len(shown)]}"
    assert shown[-1] == f"{len(shown)}. {paths[-1]}"
    assert told(events) == [("enough.paths_left_out", {"shown": len(shown), "of": 200})]
