"""Progress and notes of commands on standard error: bars on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Literal

import typer
from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Column
from rich.text import Text

from graphbrick.cli.printing.terminal import plain
from graphbrick.core.compute import Progress, TimeLeft, part_of, watched_by

Unit = Literal["count", "bytes", "share"]

LINE_SECONDS = 15.0
"""Seconds between two plain lines."""
_LONG_SECONDS = 60.0  # left, from which on a note says so
_UNCHANGED_SECONDS = 60.0  # a step that reports nothing new is named again after so long


def note_events(events: Iterable[str]) -> None:
    """Print events as notes."""
    for event in events:
        typer.echo(f"note: {event}", err=True)


@contextmanager
def progress(title: str = "", total: float | None = None, *, unit: Unit = "count") -> Iterator[Progress]:
    """Show the progress of a command while the block runs.

    Args:
        title: Name of the work, shown before the name of each step.
        total: How much there is to do; by default what is reported.
        unit: Unit of the reports: a count of things, bytes, or a share of 1, shown as a percentage.
    """
    err = Console(stderr=True, highlight=False, markup=False)
    shown = _bars(err, title, total, unit) if err.is_terminal else _lines(title, total, unit)
    with shown as report:
        yield part_of(report, title, total)


@contextmanager
def watching(title: str, note: str = "") -> Iterator[Callable[[], None]]:
    """Show what the work inside does now, and note when it takes minutes; yield what ends the showing early.

    On a terminal it is shown at once, beside a spinner; elsewhere as plain lines now and then.

    Args:
        title: Name of the work.
        note: A remark that is shown as long as nothing else is known.
    """
    err = Console(stderr=True, highlight=False, markup=False)
    warning = _Warning()
    if not err.is_terminal:
        with _lines(title, None, "count") as update, watched_by(lambda *step: (update(*step), warning(*step))[0]):
            yield lambda: None
        return
    status = err.status(Text(f"{title}{note}"))

    def show(step: str, done: float, total: float | None) -> None:
        amount = f" {_amount(done, total, 'count')}" if total else ""
        status.update(Text(plain(f"{title}: {step}{amount}{warning(step, done, total)}")))

    status.start()
    try:
        with watched_by(show):
            yield status.stop
    finally:
        status.stop()


@contextmanager
def answering() -> Iterator[Callable[[str], None]]:
    """Show on standard error what is done now, then the text of a language model; without a terminal only long work."""
    err = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
    heard = False

    def hear(piece: str) -> None:
        nonlocal heard
        if not err.is_terminal:
            return
        stop()
        shown = "\n".join(plain(line) for line in piece.split("\n"))
        err.print(Text(("" if heard else "the model writes: ") + shown, style="dim"), end="")
        heard = True

    with watching("answering", " (the first time, kernels are compiled and models loaded)") as stop:
        yield hear
    if heard:
        err.print()


class _Warning:
    """Says the time left of each step, and writes a note once if it is long."""

    def __init__(self) -> None:
        self._left, self._told = TimeLeft(), False

    def __call__(self, step: str, done: float, total: float | None) -> str:
        """Return the time left in words; empty as long as it is unknown."""
        left = self._left(step, done, total)
        if left is None:
            return ""
        if left > _LONG_SECONDS and not self._told:
            self._told = True
            typer.echo(
                f"note: {plain(step)} takes about {left / 60:.0f} more minutes ({_amount(done, total, 'count')} done); "
                "Ctrl-C ends it, and --budget seconds=60 would after a minute, with what there is by then",
                err=True,
            )
        return f", {_clock(left)} left"


@contextmanager
def _bars(err: Console, title: str, total: float | None, unit: Unit) -> Iterator[Progress]:
    """Show one bar for each step."""
    rest = TextColumn("{task.fields[detail]}", style="dim", table_column=Column(ratio=1, no_wrap=True))
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), _Amount(), TimeRemainingColumn(), rest)
    with Bars(*columns, console=err, expand=True) as bars:
        tasks: dict[str, TaskID] = {}
        if title:
            tasks[title] = bars.add_task(title, total=total, unit=unit, before=0, detail="")

        def update(step: str, done: float, total: float | None) -> None:
            key, _, detail = step.partition("; ")  # the rest of the name may change within a step
            if key not in tasks:
                if title in tasks:
                    bars.remove_task(tasks.pop(title))
                # Work of an earlier call is not counted: it would make the rest look fast.
                tasks[key] = bars.add_task(key, unit=unit, before=done, detail=detail)
            before = bars.tasks[list(bars.task_ids).index(tasks[key])].fields["before"]
            left = None if total is None else total - before
            bars.update(tasks[key], detail=plain(detail), completed=done - before, total=left, unit=unit)

        yield update


class _Amount(ProgressColumn):
    """Column with the amount of a step that is done, in its unit."""

    def render(self, task: Task) -> Text:
        before = task.fields.get("before", 0)
        total = None if task.total is None else task.total + before
        return Text(_amount(task.completed + before, total, task.fields.get("unit", "count")))


@contextmanager
def _lines(title: str, total: float | None, unit: Unit) -> Iterator[Progress]:
    """Write a line every `LINE_SECONDS` from a thread, so that silent steps are named too."""
    lock, over = threading.Lock(), threading.Event()
    state: tuple[str, float, float | None] = (title, 0.0, total)
    begun = time.monotonic(), 0.0  # start of the step, and what was done then

    def update(step: str, done: float, total: float | None) -> None:
        nonlocal state, begun
        with lock:
            if step.partition(";")[0] != state[0].partition(";")[0]:
                begun = time.monotonic(), done
            state = step, done, total

    def write() -> None:
        last, at = None, time.monotonic()
        while not over.wait(LINE_SECONDS):
            with lock:
                now, since = state, begun
            if now != last or time.monotonic() - at >= _UNCHANGED_SECONDS:
                typer.echo(plain(_line(*now, unit, time.monotonic() - since[0], since[1])), err=True)
                last, at = now, time.monotonic()

    writer = threading.Thread(target=write, name="progress", daemon=True)
    writer.start()
    try:
        yield update
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
    if rate > 0 and (unit != "share" or not total):
        parts.append(f"{rate / 1e6:,.1f} MB/s" if unit == "bytes" else f"{rate:,.1f}/s")
    if rate > 0 and total is not None:
        parts.append(f"{_clock((total - done) / rate)} left")
    return f"{step or 'working'}: {', '.join(parts) or f'{_clock(seconds)} so far'}"


def _amount(done: float, total: float | None, unit: Unit) -> str:
    percent = f"{100 * done / total:.0f}%" if total else ""
    if unit == "share" and total:
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
