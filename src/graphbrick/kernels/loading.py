"""Decide whether to load numba for a computation, or to use numpy or Python.

Loading numba and its compiled kernels takes half a second. A process that answers one question and ends is faster
without them, one that answers many is not.
"""

from __future__ import annotations

import sys

SECONDS = 0.5
"""Time that it takes to load numba."""
_AT_ONCE = SECONDS / 2  # work of one call, so that it needs little memory


class Spent:
    """The work that this process has done without numba.

    Attributes:
        seconds: An estimate, so that it is the same in every run.
    """

    seconds = 0.0


def numba_is_loaded() -> bool:
    """Return whether numba is loaded, so that its kernels are there at once."""
    return "numba" in sys.modules


def worth_loading(seconds: float) -> bool:
    """Count a computation before it starts; return whether numba should be loaded for it.

    True for a large computation, and as soon as those without numba so far took as long as loading it.

    Args:
        seconds: An estimate of the time without numba.
    """
    Spent.seconds += seconds
    return seconds > _AT_ONCE or Spent.seconds > SECONDS
