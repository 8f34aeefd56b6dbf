"""Long computations: the threads they may use, and the check that ends them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_check: ContextVar[Callable[[], None] | None] = ContextVar("graphbrick_limits", default=None)
_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS")


def usable_cores() -> int:
    """Return how many processors this process may run on, at least 1.

    >>> usable_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def blas_threads(n: int) -> Iterator[None]:
    """Limit the threads of BLAS to ``n`` inside a block or decorated function, for the whole process.

    Small matrices are multiplied faster by one thread: waiting for the others takes longer than the work, above all
    where several processes compute at once. A number that the user has set in the environment, such as
    ``OPENBLAS_NUM_THREADS``, is left alone. Only libraries that are loaded already are limited, so import them first.

    Args:
        n: Threads, at least 1.

    Example:
        >>> import numpy as np
        >>> with blas_threads(1):
        ...     product = np.ones((2, 2)) @ np.ones((2, 2))
    """
    if any(os.environ.get(name) for name in _VARIABLES):
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=n, user_api="blas"):
        yield


def check_limits() -> None:
    """Raise if the current work must stop; otherwise return at once.

    Long loops call this a few times a second: between two slices of a kernel, or every thousand objects. It is also
    where Python handles Ctrl-C, which compiled code never does.
    """
    check = _check.get()
    if check is not None:
        check()


@contextmanager
def limited_by(check: Callable[[], None]) -> Iterator[None]:
    """Make `check_limits` call ``check`` inside this context; ``check`` raises when the work must stop."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)
