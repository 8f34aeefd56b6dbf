"""Threads of the libraries of linear algebra."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from graphbrick.core.compute import (
    _VARIABLES,
    TimeLeft,
    blas_threads,
    check_limits,
    cores_of_worker,
    limited_by,
    part_of,
    report,
    silent,
    usable_cores,
    watched_by,
    watched_part,
)  # fmt: skip


def threads() -> list[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_threads_are_limited_inside_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    before = threads()
    with blas_threads(1):
        assert threads() == [1] * len(before)
    assert threads() == before


def test_a_number_set_by_the_user_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = threads()
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")
    with blas_threads(before[0] + 1 if before else 1):
        assert threads() == before


def test_cores_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert usable_cores() == 1


def test_limits_are_those_of_the_inner_block() -> None:
    checks: list[str] = []
    check_limits()
    with limited_by(lambda: checks.append("outer")):
        with limited_by(lambda: checks.append("inner")):
            check_limits()
        check_limits()
    check_limits()
    assert checks == ["inner", "outer"]


def test_a_part_reports_under_its_name_what_was_done_before_and_its_size() -> None:
    told: list[tuple[str, float, float | None]] = []

    def progress(step: str, done: float, total: float | None) -> None:
        told.append((step, done, total))

    part_of(progress, "learning", 9, before=4)("films", 3, 5)
    part_of(progress, "learning")("", 3, 5)
    part_of(progress, "")("films", 3, 0)
    part_of(progress, "", before=0)("", 0, None)
    silent("", 1, 2)
    assert told == [("learning: films", 7, 9), ("learning", 3, 5), ("films", 3, None), ("", 0, None)]


def test_cores_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {2, 5} if pid == 0 else set(), raising=False)
    assert usable_cores() == 2
    monkeypatch.delattr("os.sched_getaffinity")
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    assert usable_cores() == 3
    assert [cores_of_worker(workers) for workers in (1, 2, 3, 8)] == [3, 1, 1, 1]


def test_steps_are_told_to_who_watches_as_parts_of_the_work_around_them() -> None:
    told: list[tuple[str, float, float | None]] = []
    report("nobody watches", 1)
    with watched_by(lambda *step: told.append(step)), watched_part("Rerank"):
        report("", 0)
        for start in (0, 4):
            with watched_part("", 8, before=start):
                report("texts", 2, 4)
    report("nobody watches any more", 1)
    assert told == [("Rerank", 0, None), ("Rerank: texts", 2, 8), ("Rerank: texts", 6, 8)]


def test_the_time_left_is_that_of_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("graphbrick.core.compute.time", SimpleNamespace(monotonic=lambda: clock[0]))
    left = TimeLeft()
    assert left("a", 0, 100) is None
    clock[0] = 0.5
    assert left("a", 10, 100) is None  # too early to know
    clock[0] = 2.0
    assert left("a", 20, 100) == 8.0
    assert left("b", 20, 100) is None
    clock[0] = 4.0
    assert left("b", 60, 100) == 2.0
    assert left("b", 60, None) is None
