"""Progress of long commands on standard error: bars on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.progress import TimeRemainingColumn as TimeLeft
from rich.text import Text

from graphbrick.cli.printing.terminal import plain

Unit = Literal["count", "bytes", "share"]

LINE_SECONDS = 15.0
"""Seconds between two plain lines."""
_UNCHANGED_SECONDS = 60.0  # a step that reports nothing new is named again after so long


class Reporter:
    """Callbacks for the different ways in which the library reports progress.

    Args:
        title: Name of the work.
        total: Expected total of `count`; None if unknown.
        update: Receives step, amount done, total (None if unknown) and unit.
    """

    def __init__(
        self, title: str, total: float | None, update: Callable[[str, float, float | None, Unit], None]
    ) -> None:
        self._title, self._total, self._update = title, total, update

    def step(self, what: str, done: float, total: float | None = None) -> None:
        """Report that a named step has done so much of a total."""
        self._update(self._named(what), done, total, "count")

    def count(self, done: float) -> None:
        """Report how much of the whole work is done."""
        self._update(self._title, done, self._total, "count")

    def share(self, name: str, share: float) -> None:
        """Report that a named step has done a share, from 0 to 1."""
        self._update(self._named(name), share, 1.0, "share")

    def bytes(self, name: str, done: float, total: float | None = None) -> None:
        """Report how many bytes of a file have arrived."""
        self._update(self._named(name), done, total, "bytes")

    def _named(self, name: str) -> str:
        return f"{self._title}: {name}" if self._title else name


@contextmanager
def progress(title: str = "", total: float | None = None) -> Iterator[Reporter]:
    """Show the progress of a command while the block runs.

    Args:
        title: Name of the work, shown before the name of each step.
        total: Expected total of `Reporter.count`; None if unknown.
    """
    err = Console(stderr=True, highlight=False, markup=False)
    shown = _bars(err, title, total) if err.is_terminal else _lines(title, total)
    with shown as reporter:
        yield reporter


@contextmanager
def _bars(err: Console, title: str, total: float | None) -> Iterator[Reporter]:
    """Show one bar for each step."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), _Amount(), TimeLeft())
    with Progress(*columns, console=err) as bars:
        tasks: dict[str, TaskID] = {}
        if title:
            tasks[title] = bars.add_task(title, total=total, unit="count", before=0)

        def update(step: str, done: float, total: float | None, unit: Unit) -> None:
            key = step.partition(";")[0]  # the rest of the name may change within a step
            if key not in tasks:
                if title in tasks:
                    bars.remove_task(tasks.pop(title))
                # Work of an earlier call is not counted: it would make the rest look fast.
                tasks[key] = bars.add_task(step, unit=unit, before=done)
            before = bars.tasks[list(bars.task_ids).index(tasks[key])].fields["before"]
            left = None if total is None else total - before
            bars.update(tasks[key], description=step, completed=done - before, total=left, unit=unit)

        yield Reporter(title, total, update)


class _Amount(ProgressColumn):
    """How much of a step is done, in its unit."""

    def render(self, task: Task) -> Text:
        before = task.fields.get("before", 0)
        total = None if task.total is None else task.total + before
        return Text(_amount(task.completed + before, total, task.fields.get("unit", "count")))


@contextmanager
def _lines(title: str, total: float | None) -> Iterator[Reporter]:
    """Write a line every `LINE_SECONDS` from a thread, so that silent steps are named too."""
    lock, over = threading.Lock(), threading.Event()
    state: tuple[str, float, float | None, Unit] = (title, 0.0, total, "count")
    begun = time.monotonic(), 0.0  # start of the step, and what was done then

    def update(step: str, done: float, total: float | None, unit: Unit) -> None:
        nonlocal state, begun
        with lock:
            if step.partition(";")[0] != state[0].partition(";")[0]:
                begun = time.monotonic(), done
            state = step, done, total, unit

    def write() -> None:
        last, at = None, time.monotonic()
        while not over.wait(LINE_SECONDS):
            with lock:
                now, since = state, begun
            if now != last or time.monotonic() - at >= _UNCHANGED_SECONDS:
                typer.echo(plain(_line(*now, time.monotonic() - since[0], since[1])), err=True)
                last, at = now, time.monotonic()

    writer = threading.Thread(target=write, name="progress", daemon=True)
    writer.start()
    try:
        yield Reporter(title, total, update)
    finally:
        over.set()
        writer.join()


def _line(step: str, done: float, total: float | None, unit: Unit, seconds: float, before: float) -> str:
    """Describe the progress of a step in one line.

    >>> _line("training", 300, 1000, "count", 30.0, 0)
    'training: 300 of 1,000 (30%), 10.0/s, 1:10 left'
    >>> _line("building: sorting", 0.5, 1.0, "share", 20.0, 0.0)
    'building: sorting: 50%, 0:20 left'
    """
    rate = (done - before) / seconds if seconds > 0 else 0.0
    parts = [_amount(done, total, unit)] if done or total else []
    if rate > 0 and unit != "share":
        parts.append(f"{rate / 1e6:,.1f} MB/s" if unit == "bytes" else f"{rate:,.1f}/s")
    if rate > 0 and total is not None:
        parts.append(f"{_clock((total - done) / rate)} left")
    return f"{step or 'working'}: {', '.join(parts) or f'{_clock(seconds)} so far'}"


def _amount(done: float, total: float | None, unit: Unit) -> str:
    percent = f"{100 * done / total:.0f}%" if total else ""
    if unit == "share":
        return percent
    if unit == "bytes":
        shown = f"{done / 1e6:,.1f}" + ("" if total is None else f" of {total / 1e6:,.1f}") + " MB"
    else:
        shown = f"{done:,.0f}" + ("" if total is None else f" of {total:,.0f}")
    return f"{shown} ({percent})" if percent else shown


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(max(seconds, 0.0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
