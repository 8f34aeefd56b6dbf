from __future__ import annotations

import json
from pathlib import Path

from faults import fails

from graphbrick import LLM
from graphbrick.core.errors import InputError
from graphbrick.judge.metrics.cases import SystemCase, drawn
from graphbrick.judge.metrics.comparing import PairStudy, compare_pairs, pairs_of, two_systems
from graphbrick.judge.metrics.pairs import Pair, PairJudge
from graphbrick.judge.verdicts import Case
from graphbrick.testing import ScriptedLLM
from graphbrick.testing.llm_server import Request

CASES = [
    SystemCase(system, str(i), Case(f"Q{i}?", (), f"{system} {i}", ("Alm", "Bo")))
    for i in range(4)
    for system in ("good", "poor")
]


def script(request: Request) -> str:
    """Prefer the good system; the last question cannot be read."""
    data = json.loads(request.body["messages"][-1]["content"])
    if "Q3" in data["question"]:
        return "hard to say"
    return json.dumps({"reason": "so", "better": "1" if "good" in data["answer_1"] else "2"})


def compared(server: ScriptedLLM, file: Path, *, retry: bool = False) -> PairStudy:
    judge = PairJudge(LLM(base_url=server.base_url, retries=0))
    return compare_pairs(pairs_of(CASES, "good", "poor"), judge, file, systems=("good", "poor"), retry=retry)


def test_verdicts_are_kept_and_nothing_is_asked_twice(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    with ScriptedLLM(script) as server:
        whole = compared(server, file)
        assert len(server.requests) == 3 * 2 + 1
        again = compared(server, file)
        assert len(server.requests) == 7
        assert again.verdicts == whole.verdicts
        assert compared(server, file, retry=True).usage.calls == 1
    assert [verdict.outcome for verdict in whole.verdicts] == ["first"] * 3 + [None]
    assert not any("poor" in request.body["messages"][0]["content"] for request in server.requests)
    shown = json.loads(json.dumps(whole.to_dict()))
    assert shown["summary"]["first"]["mean"] == 1
    assert shown["summary"]["unreadable"] == 1
    assert shown["verdicts"][0] == {"id": "0", "outcome": "first", "reason": "so", "places": ["first", "second"]}


def test_systems_are_named_or_numbered() -> None:
    assert two_systems(CASES, "2", "good") == ("poor", "good")
    for wrong in ("3", "bad"):
        with fails("comparing.unknown_system", InputError, name=wrong, systems=["good", "poor"]):
            two_systems(CASES, "good", wrong)
    with fails("comparing.same_system", InputError, system="good"):
        two_systems(CASES, "good", "1")


def test_pairs_share_their_question() -> None:
    cases = [*CASES[:3], SystemCase("poor", "9", Case("Q9?", (), "none"))]
    assert [(one.id, one.pair) for one in pairs_of(cases, "good", "poor")] == [
        ("0", Pair("Q0?", "good 0", "poor 0", "Alm, Bo"))
    ]
    with fails("comparing.no_common_question", InputError):
        pairs_of([CASES[0], CASES[3]], "good", "poor")


def test_questions_are_drawn_for_all_systems_alike() -> None:
    some = drawn(CASES, 2, seed=1)
    assert len({one.id for one in some}) == 2
    assert len(some) == 4
    assert some == drawn(CASES, 2, seed=1)
    assert drawn(CASES, 4, seed=1) == drawn(CASES, None, seed=1) == CASES
