"""The one way kernels are compiled: on first use, without the GIL, kept on disk for the next process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numba

F = TypeVar("F", bound=Callable[..., object])


def jit(function: F) -> F:
    """Compile a kernel with numba; array arguments are the read-only and fresh arrays of `graphbrick.graphs.csr`."""
    compiled: F = numba.njit(cache=True, nogil=True)(function)
    return compiled
