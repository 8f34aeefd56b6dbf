"""Seconds, memory, bytes and model calls of a piece of work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from graphbrick.core.trace import Trace, record

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_MEGABYTE = 1024  # of the kilobytes in which Linux counts


@dataclass
class Cost:
    """Time and memory that a piece of work took.

    Attributes:
        seconds: Time by the clock.
        peak_mb: Most memory of this process at any time, beyond what it held before, in MB; None where it cannot be
            measured. Servers of models are other processes and do not count.
        calls: Calls of language models.
        tokens_in: Tokens sent to them.
        tokens_out: Tokens that they wrote.
        dollars: Their price, 0 where none is known.
        events: What a user should know.
    """

    seconds: float = 0.0
    peak_mb: float | None = None
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float = 0.0
    events: list[str] = field(default_factory=list)

    def __add__(self, other: Cost) -> Cost:
        """Return the cost of one piece of work after the other."""
        peaks = [peak for peak in (self.peak_mb, other.peak_mb) if peak is not None]
        return Cost(
            self.seconds + other.seconds,
            max(peaks, default=None),
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.dollars + other.dollars,
            [*self.events, *other.events],
        )


@contextmanager
def measured(name: str) -> Iterator[Cost]:
    """Measure what the block takes; the cost is filled in at its end."""
    cost, before, begin = Cost(), _reset_peak(), time.perf_counter()
    trace = Trace()
    with record(trace, name, "build"):
        yield cost
    cost.seconds = time.perf_counter() - begin
    peak = _memory("VmHWM")
    cost.peak_mb = None if before is None or peak is None else max(0.0, peak - before)
    ledger = trace.ledger
    cost.calls, cost.tokens_in, cost.tokens_out = (int(ledger[key]) for key in ("calls", "tokens_in", "tokens_out"))
    cost.dollars, cost.events = float(ledger["cost"]), list(dict.fromkeys(trace.events))


def _reset_peak() -> float | None:
    """Let Linux measure the peak of memory anew, and return the memory in use, in MB; None elsewhere."""
    try:
        _RESET.write_text("5", encoding="ascii")
    except OSError:
        return None
    return _memory("VmRSS")


def _memory(name: str) -> float | None:
    lines = _STATUS.read_text(encoding="utf-8").splitlines() if _STATUS.exists() else []
    return next((int(line.split()[1]) / _MEGABYTE for line in lines if line.startswith(f"{name}:")), None)


def bytes_in(folder: Path) -> int:
    """Return the size of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
