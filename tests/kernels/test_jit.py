"""Kernels where nothing can be kept on disk."""

from __future__ import annotations

from typing import Any

import numba
import pytest

from graphbrick.kernels.jit import jit


def test_kernels_work_without_a_place_for_their_cache(monkeypatch: pytest.MonkeyPatch):
    compile_kernel = numba.njit

    def refuse(*functions: Any, cache: bool = False, **options: Any):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return compile_kernel(*functions, **options)

    monkeypatch.setattr(numba, "njit", refuse)
    assert jit(lambda x: x + 1)(41) == 42
