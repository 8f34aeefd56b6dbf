"""The peak of memory while stages run: of this process, and of its GPUs where torch uses them.

Linux keeps the peak of a process and can be told to begin again (``/proc/self/clear_refs``), so that the peak of a stage
is exact, whatever takes it, and costs two small files read for each stage. Where that is not allowed, a thread reads the
resident memory every few milliseconds, and misses shorter peaks.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from graphbrick.core.errors import GraphbrickError

_STATUS, _RESET, _STATM = Path("/proc/self/status"), Path("/proc/self/clear_refs"), Path("/proc/self/statm")
_KILOBYTES, _BYTES = 1024, 1 << 20  # of a megabyte
_INTERVAL = 0.005  # seconds between two looks


class _Peaks(Protocol):
    """The resident memory of this process, and its peak since the last beginning, in MB."""

    def begin(self) -> float:
        """Begin anew, and return the resident memory now."""

    def peak(self) -> float:
        """Return the peak since then."""

    def close(self) -> None:
        """Free what is held."""


class KernelPeaks:
    """The peak that Linux keeps.

    Raises:
        OSError: It cannot be told to begin again.
    """

    def __init__(self) -> None:
        _RESET.write_text("5")

    def begin(self) -> float:
        """Begin anew, and return the resident memory now."""
        _RESET.write_text("5")
        return self._read("VmRSS:")

    def peak(self) -> float:
        """Return the peak since then."""
        return self._read("VmHWM:")

    def close(self) -> None:
        """Free what is held."""

    def _read(self, name: str) -> float:
        line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(name))
        return int(line.split()[1]) / _KILOBYTES


class SampledPeaks:
    """The largest of the resident memories that a thread reads every few milliseconds.

    Args:
        interval: Seconds between two looks, above 0.

    Raises:
        OSError: There is no /proc.
    """

    def __init__(self, interval: float = _INTERVAL) -> None:
        self._page = os.sysconf("SC_PAGE_SIZE")
        self._peak = self._resident()
        self._is_over = threading.Event()
        self._interval = interval
        self._thread = threading.Thread(target=self._watch, name="memory", daemon=True)
        self._thread.start()

    def begin(self) -> float:
        """Begin anew, and return the resident memory now."""
        self._peak = self._resident()
        return self._peak

    def peak(self) -> float:
        """Return the peak since then."""
        self._look()
        return self._peak

    def close(self) -> None:
        """End the thread."""
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(self._interval):
            self._look()

    def _look(self) -> None:
        self._peak = max(self._peak, self._resident())

    def _resident(self) -> float:
        return int(_STATM.read_text().split()[1]) * self._page / _BYTES


FIGURES = ("peak_mb", "grown_mb", "gpu_peak_mb")
"""The figures of a stage, in MB (1,048,576 bytes); see `MemoryMeter.end`."""


@dataclass
class Frame:
    """A stage whose peak is measured, in MB.

    Attributes:
        start: Resident memory of the process at its beginning.
        peak: Largest resident memory until now.
        gpu: Largest memory that torch has allocated on all GPUs together until now; None if it uses none.
    """

    start: float
    peak: float
    gpu: float | None = None


class MemoryMeter:
    """Measures the peaks of stages, also of stages within stages; those that run at the same time count each other.

    Args:
        peaks: Where the peaks come from.
    """

    def __init__(self, peaks: _Peaks) -> None:
        self._peaks, self._open, self._lock = peaks, list[Frame](), threading.Lock()

    def begin(self) -> Frame:
        """Begin to measure a stage."""
        with self._lock:
            self._note()
            now = self._peaks.begin()
            frame = Frame(now, now, _gpu_anew())
            self._open.append(frame)
            return frame

    def end(self, frame: Frame) -> dict[str, float]:
        """Return the figures of a stage: ``peak_mb``, ``grown_mb`` and, where torch uses GPUs, ``gpu_peak_mb``.

        ``peak_mb`` is the largest resident memory of the process while the stage ran, with all that was loaded before and
        with the pages of mapped files that were read; ``grown_mb`` is how much that is above the stage's beginning.
        """
        with self._lock:
            self._note()
            self._open = [one for one in self._open if one is not frame]
        figures = {"peak_mb": frame.peak, "grown_mb": max(frame.peak - frame.start, 0.0)}
        return figures if frame.gpu is None else {**figures, "gpu_peak_mb": frame.gpu}

    def _note(self) -> None:
        """Add the peaks since the last beginning to those of all open stages."""
        if not self._open:
            return
        peak, gpu = self._peaks.peak(), _gpu_peak()
        for frame in self._open:
            frame.peak = max(frame.peak, peak)
            if gpu is not None:
                frame.gpu = max(frame.gpu or 0.0, gpu)


_meter: ContextVar[MemoryMeter | None] = ContextVar("graphbrick_memory", default=None)


def current_meter() -> MemoryMeter | None:
    """Return the meter of the block of `measuring_memory` around; None outside one."""
    return _meter.get()


@contextmanager
def measuring_memory() -> Iterator[None]:
    """Measure the peak of memory of every stage inside the block, as facts of its trace (`MemoryMeter.end`).

    Raises:
        GraphbrickError: The system does not tell the memory of a process (there is no /proc).

    >>> from graphbrick.core.trace import Trace, record
    >>> trace = Trace()
    >>> with measuring_memory(), record(trace, "PPR()", "extract"):
    ...     held = bytearray(50_000_000)
    >>> 47 < trace.stages[0].facts["grown_mb"] < 100
    True
    """
    try:
        peaks: _Peaks = KernelPeaks()
    except OSError:
        try:
            peaks = SampledPeaks()
        except OSError as error:
            raise GraphbrickError(
                f"the memory of stages cannot be measured on this system: {error}; leave memory out",
                code="memory.not_known",
            ) from error
    token = _meter.set(MemoryMeter(peaks))
    try:
        yield
    finally:
        _meter.reset(token)
        peaks.close()


def _cuda() -> Any:
    """Return torch.cuda if this process has used a GPU with it; else None."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    return cuda if cuda is not None and cuda.is_initialized() else None


def _gpu_anew() -> float | None:
    """Let torch measure the peak of its GPUs anew, and return what is allocated now, in MB; None without any."""
    cuda = _cuda()
    if cuda is None:
        return None
    for device in range(cuda.device_count()):
        cuda.reset_peak_memory_stats(device)
    return float(sum(cuda.memory_allocated(device) for device in range(cuda.device_count()))) / _BYTES


def _gpu_peak() -> float | None:
    """Return the peak of torch's memory on all GPUs together, in MB; None without any."""
    cuda = _cuda()
    if cuda is None:
        return None
    return float(sum(cuda.max_memory_allocated(device) for device in range(cuda.device_count()))) / _BYTES
