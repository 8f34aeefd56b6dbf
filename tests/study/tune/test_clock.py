"""The time of a search over several sessions."""

from __future__ import annotations

import time
from pathlib import Path

from faults import fails

from graphbrick.pipeline.budget import Budget, current_budget, spending
from graphbrick.study.tune.clock import Clock, Step, alone, short


def took(clock: Clock, name: str, seconds: float) -> None:
    """Do a step that takes some seconds, unless the journal has it."""
    clock.step(name, lambda known: None if known else Step(seconds))


def test_what_happens_between_steps_counts_too(tmp_path: Path) -> None:
    clock = Clock(tmp_path / "steps.jsonl", 10.0, {})
    time.sleep(0.02)
    clock.step("a", lambda _: Step())
    assert clock.used >= 0.02


def test_a_later_session_counts_the_time_of_the_first_whatever_the_order(tmp_path: Path) -> None:
    clock, steps = Clock(tmp_path / "steps.jsonl", 10.0, {}), {"a": 1.0, "b": 2.5, "c": 4.0}
    for name, seconds in steps.items():
        took(clock, name, seconds)
    assert (round(clock.used, 1), round(clock.share, 2)) == (7.5, 0.75)
    again = Clock(tmp_path / "steps.jsonl", 20.0, {})
    took(again, "c", 0.0)
    assert round(again.used, 1) == 4.0
    took(again, "c", 0.0)  # the second time is a step of its own
    assert round(again.used, 1) == 4.0


def test_a_line_that_a_kill_has_cut_costs_that_line_only(tmp_path: Path) -> None:
    journal = tmp_path / "steps.jsonl"
    clock = Clock(journal, 10.0, {"graph": "a"})
    took(clock, "a", 1.0)
    took(clock, "b", 2.0)
    journal.write_text(journal.read_text("utf-8")[:-5], encoding="utf-8")
    for _ in range(2):
        again = Clock(journal, 10.0, {"graph": "a"})
        took(again, "a", 0.0)
        took(again, "b", 2.0)  # at the second time as it was written at the first
        assert round(again.used, 1) == 3.0


def test_a_damaged_journal_costs_the_times_only(tmp_path: Path) -> None:
    journal = tmp_path / "steps.jsonl"
    took(Clock(journal, 10.0, {}), "a", 1.0)
    damaged = [b"\xff\xfe garbage", b"[1]", b'{"step": 3}', b'{"step": "x", "seconds": "y"}', b'{"about": 7}']
    damaged.append(b'{"step": "z", "seconds": 1, "given_up": 3}')
    journal.write_bytes(b"\n".join([*damaged, journal.read_bytes()]))
    again = Clock(journal, 10.0, {})
    took(again, "a", 0.0)
    assert round(again.used, 1) == 1.0


def test_another_graph_or_other_questions_are_told(tmp_path: Path) -> None:
    Clock(tmp_path / "steps.jsonl", 10.0, {"graph": "a", "questions": "b"})
    Clock(tmp_path / "steps.jsonl", 10.0, {"graph": "a", "questions": "b"})
    with fails("tune.other_search", differs_in=["questions"]):
        Clock(tmp_path / "steps.jsonl", 10.0, {"graph": "a", "questions": "c"})


def test_two_searches_do_not_write_one_folder(tmp_path: Path) -> None:
    with alone(tmp_path), fails("tune.in_use"), alone(tmp_path):
        pass
    with alone(tmp_path):
        pass


def spent(clock: Clock, name: str, tokens: int) -> None:
    """Do a step that spends some tokens, unless the journal has it."""

    def work(known: Step | None) -> Step | None:
        budget = current_budget()
        assert budget is not None
        budget.spent_tokens += 0 if known else tokens
        return None if known else Step(usd=0.25)

    clock.step(name, work)


def test_a_budget_counts_what_earlier_sessions_have_spent(tmp_path: Path) -> None:
    journal = tmp_path / "steps.jsonl"
    with spending(Budget(tokens=1_000)) as budget:
        budget.spent_tokens = 50  # before the search
        clock = Clock(journal, 10.0, {})
        spent(clock, "a", 300)
        spent(clock, "b", 100)
        assert (clock.earlier, clock.spent, clock.share) == ((0, 0.5), (450, 0.5), 0.45)
        again = Clock(journal, 10.0, {})  # with the same budget, which has counted it
        spent(again, "a", 300)
        spent(again, "b", 100)
        assert again.spent == (450, 0.5)
    with spending(Budget(tokens=1_000)):
        later = Clock(journal, 10.0, {})
        spent(later, "a", 300)
        assert (later.earlier[0], later.share) == (300, 0.3)
        spent(later, "b", 100)
        spent(later, "c", 200)
        assert (later.earlier[0], later.spent[0], later.share) == (400, 600, 0.6)


def test_a_step_counts_before_it_is_done_again_and_more_work_on_it_counts_too(tmp_path: Path) -> None:
    journal = tmp_path / "steps.jsonl"
    Clock(journal, 10.0, {}).step("a", lambda _: Step(4.0, given_up={short("x"): ("slower than tolerated", "slow")}))
    again = Clock(journal, 20.0, {})

    def more(known: Step | None) -> Step:
        assert known is not None
        assert known.given_up == {short("x"): ("slower than tolerated", "slow")}
        assert round(again.used, 1) == 4.0
        return Step(2.0)

    again.step("a", more)
    last = Clock(journal, 20.0, {})
    took(last, "a", 1.0)
    assert round(again.used, 1) == round(last.used, 1) == 6.0
