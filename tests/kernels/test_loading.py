from __future__ import annotations

import pytest

from graphbrick.kernels.loading import _AT_ONCE, SECONDS, Spent, worth_loading


def test_numba_is_loaded_for_large_work_or_after_much_small_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spent, "seconds", 0.0)
    assert not worth_loading(SECONDS / 4)
    assert worth_loading(SECONDS)
    monkeypatch.setattr(Spent, "seconds", 0.0)
    assert [worth_loading(SECONDS / 4) for _ in range(6)] == [False] * 4 + [True] * 2


def test_exactly_as_much_work_as_loading_takes_does_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spent, "seconds", 0.0)
    assert not worth_loading(_AT_ONCE)
    assert not worth_loading(SECONDS - _AT_ONCE)
    assert worth_loading(1e-6)
