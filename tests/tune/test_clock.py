"""The time of a search over several sessions."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from graphbrick.core.errors import InputError
from graphbrick.tune.clock import Clock, alone


def test_what_happens_between_steps_counts_too(tmp_path: Path) -> None:
    clock = Clock(tmp_path / "steps.jsonl", 10.0, {})
    time.sleep(0.02)
    clock.step("a", lambda: 0.0)
    assert clock.used >= 0.02


def test_a_later_session_counts_the_time_of_the_first_whatever_the_order(tmp_path: Path) -> None:
    clock, steps = Clock(tmp_path / "steps.jsonl", 10.0, {}), {"a": 1.0, "b": 2.5, "c": 4.0}
    for name, seconds in steps.items():
        clock.step(name, lambda seconds=seconds: seconds)  # type: ignore[misc]
    assert (round(clock.used, 1), round(clock.share, 2)) == (7.5, 0.75)
    again = Clock(tmp_path / "steps.jsonl", 20.0, {})
    again.step("c", lambda: 0.0)
    assert round(again.used, 1) == 4.0
    again.step("c", lambda: 0.0)  # the second time is a step of its own
    assert round(again.used, 1) == 4.0


def test_a_line_that_a_kill_has_cut_costs_that_line_only(tmp_path: Path) -> None:
    journal = tmp_path / "steps.jsonl"
    clock = Clock(journal, 10.0, {"graph": "a"})
    clock.step("a", lambda: 1.0)
    clock.step("b", lambda: 2.0)
    journal.write_text(journal.read_text("utf-8")[:-5], encoding="utf-8")
    for _ in range(2):
        again = Clock(journal, 10.0, {"graph": "a"})
        again.step("a", lambda: 0.0)
        again.step("b", lambda: 2.0)  # at the second time as it was written at the first
        assert round(again.used, 1) == 3.0


def test_a_damaged_journal_costs_the_times_only(tmp_path: Path) -> None:
    journal = tmp_path / "steps.jsonl"
    Clock(journal, 10.0, {}).step("a", lambda: 1.0)
    damaged = [b"\xff\xfe garbage", b"[1]", b'{"step": 3}', b'{"step": "x", "seconds": "y"}', b'{"about": 7}']
    journal.write_bytes(b"\n".join([*damaged, journal.read_bytes()]))
    again = Clock(journal, 10.0, {})
    again.step("a", lambda: 0.0)
    assert round(again.used, 1) == 1.0


def test_another_graph_or_other_questions_are_told(tmp_path: Path) -> None:
    Clock(tmp_path / "steps.jsonl", 10.0, {"graph": "a", "questions": "b"})
    Clock(tmp_path / "steps.jsonl", 10.0, {"graph": "a", "questions": "b"})
    with pytest.raises(InputError, match="search that differs in questions; name another folder with --out"):
        Clock(tmp_path / "steps.jsonl", 10.0, {"graph": "a", "questions": "c"})


def test_two_searches_do_not_write_one_folder(tmp_path: Path) -> None:
    with alone(tmp_path), pytest.raises(InputError, match="another search writes this folder"), alone(tmp_path):
        pass
    with alone(tmp_path):
        pass
