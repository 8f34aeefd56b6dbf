"""Compilation of kernels with numba: on first use, without the GIL, cached on disk."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

import numba

_log = logging.getLogger("graphbrick")

F = TypeVar("F", bound=Callable[..., object])


def jit(function: F, *, inline: str = "never") -> F:
    """Compile a kernel with numba, for the read-only arrays of `graphbrick.core.csr` and fresh arrays as arguments.

    Every type of an argument is compiled by itself, also that of a literal number: inside a kernel, ``np.int64(0)`` as
    an argument of another spares a second version. In numpy's functions, such as ``np.sort``, ``np.partition`` or an
    array assigned to a slice, numba compiles seconds of code.
    """
    compiled: F
    try:
        compiled = numba.njit(cache=True, nogil=True, inline=inline, no_cfunc_wrapper=True)(function)
    except RuntimeError:
        # Neither the package folder nor the home folder is writable, as in many containers.
        _log.info("kernels cannot be kept on disk and are compiled anew; NUMBA_CACHE_DIR may name a folder for them")
        compiled = numba.njit(nogil=True, inline=inline, no_cfunc_wrapper=True)(function)
    return compiled


def inlined(function: F) -> F:
    """Inline a small function into its callers, because passing `Rows` costs reference counting of eight arrays."""
    return jit(function, inline="always")
