"""Processor threads: how many this process may use, and how many the library of linear algebra (BLAS) takes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

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
