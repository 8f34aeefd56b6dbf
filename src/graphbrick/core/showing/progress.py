"""Progress of long work in a notebook or a terminal, for the argument ``progress`` of functions."""

from __future__ import annotations

import sys
import time
from typing import Any

from graphbrick.core.compute import TimeLeft
from graphbrick.core.showing.markup import dim

_EVERY = 0.2  # seconds between two updates


class ProgressLine:
    """Shows progress in one line that is written anew: below the cell of a notebook, or on standard error.

    Where standard error is no terminal, each step is one line, without its amounts.

    Args:
        every: Seconds between two updates of a step; its end is always shown.

    Example:
        >>> import tempfile
        >>> from graphbrick import ProgressLine, build
        >>> place = tempfile.mkdtemp() + "/kenya.graph"
        >>> build([("Kenya", "capital", "Nairobi")], place, progress=ProgressLine()).n_triples
        1
    """

    def __init__(self, every: float = _EVERY) -> None:
        self._every, self._left = every, TimeLeft()
        self._step, self._at, self._handle = "", float("-inf"), None

    def __call__(self, step: str, done: float, total: float | None) -> None:
        """Show a step; see `graphbrick.core.compute.Progress` for the arguments."""
        left, now, is_over = self._left(step, done, total), time.monotonic(), bool(total) and done >= (total or 0)
        if step == self._step and not is_over and now - self._at < self._every:
            return
        is_new, self._step, self._at = step != self._step, step, now
        rest = f", {left:,.0f} s left" if left is not None and not is_over else ""
        amount = f" {done:,.0f} of {total:,.0f}" if total else f" {done:,.0f}" if done else ""
        self._show(step or "working", f"{amount}{rest}", is_new=is_new, is_over=is_over)

    def _show(self, step: str, amount: str, *, is_new: bool, is_over: bool) -> None:
        if _is_notebook():
            self._display(dim(f"{step}:{amount}" if amount else step))
        elif sys.stderr.isatty():
            end = "\n" if is_over else ""
            sys.stderr.write(f"\r{_plain(step)}{amount}\x1b[K{end}")
            sys.stderr.flush()
        elif is_new:
            sys.stderr.write(f"{_plain(step)}\n")

    def _display(self, html: str) -> None:
        """Write the line below the cell anew."""
        display: Any = sys.modules["IPython"].display
        if self._handle is None:
            self._handle = display.display(display.HTML(html), display_id=True)
        else:
            self._handle.update(display.HTML(html))


def _is_notebook() -> bool:
    """Return whether this runs in a kernel of Jupyter, which shows HTML."""
    ipython: Any = sys.modules.get("IPython")
    return ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
