"""Kernels where nothing can be kept on disk."""

from __future__ import annotations

import numba
import pytest

from graphbrick.kernels.jit import jit


def test_kernels_work_without_a_place_for_their_cache(monkeypatch: pytest.MonkeyPatch):
    compile_kernel = numba.njit

    def refuse(*, nogil: bool, inline: str, cache: bool = False):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return compile_kernel(nogil=nogil, inline=inline)

    monkeypatch.setattr(numba, "njit", refuse)
    assert jit(lambda x: x + 1)(41) == 42
