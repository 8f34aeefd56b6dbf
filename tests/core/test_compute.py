"""Threads of the libraries of linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from graphbrick.core.compute import _VARIABLES, blas_threads, usable_cores


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
