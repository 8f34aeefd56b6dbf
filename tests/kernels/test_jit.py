"""Kernels where nothing can be kept on disk."""

from __future__ import annotations

from typing import Any

import numba
import pytest

from graphbrick.kernels.jit import inlined, jit


def test_kernels_work_without_a_place_for_their_cache(monkeypatch: pytest.MonkeyPatch):
    compile_kernel = numba.njit

    def refuse(*functions: Any, cache: bool = False, **options: Any):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return compile_kernel(*functions, **options)

    monkeypatch.setattr(numba, "njit", refuse)
    assert jit(lambda x: x + 1)(41) == 42


@pytest.mark.parametrize("can_cache", [True, False])
def test_kernels_run_without_the_lock_of_the_interpreter(can_cache: bool, monkeypatch: pytest.MonkeyPatch):
    asked: list[dict[str, Any]] = []

    def njit(**options: Any) -> Any:
        asked.append(options)
        if options.get("cache") and not can_cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)
    assert jit(abs)(-3) == inlined(abs)(-3) == 3
    options = {"nogil": True, "no_cfunc_wrapper": True}
    cached, alone = [{**options, "inline": inline} for inline in ("never", "always")], {"cache": True}
    expected = [cached[0] | alone, cached[1] | alone]
    assert asked == (expected if can_cache else [expected[0], cached[0], expected[1], cached[1]])
