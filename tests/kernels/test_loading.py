from __future__ import annotations

import pytest

from graphbrick.kernels.loading import SECONDS, Spent, worth_loading


def test_numba_is_loaded_for_large_work_or_after_much_small_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spent, "seconds", 0.0)
    assert not worth_loading(SECONDS / 4)
    assert worth_loading(SECONDS)
    monkeypatch.setattr(Spent, "seconds", 0.0)
    assert [worth_loading(SECONDS / 4) for _ in range(6)] == [False] * 4 + [True] * 2
